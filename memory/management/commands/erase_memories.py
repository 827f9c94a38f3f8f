"""`manage.py erase_memories`: destroy what records say, for good (SPEC R17)."""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError
from django.utils import timezone

from memory.errors import AlreadyErased
from memory.management.base import TidebookCommand
from memory.models import Record
from memory.services import erase
from memory.services.changes import reasoned
from memory.services.standings import Cause

BY = Cause("command", "erase_memories")


class Command(TidebookCommand):
    """Erase records by their ids. Nothing happens unless all of them may be erased."""

    help = (
        "Destroy what records say, for good. Their ids, links and ledgers stay. Strategy memory is "
        "not erased here: it is forgotten by its standing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the ids and the reason."""
        parser.add_argument(
            "--id",
            dest="ids",
            action="append",
            required=True,
            type=_id,
            metavar="ID",
            help="A record. Give it several times for several.",
        )
        parser.add_argument("--reason", required=True, help="Why, for the ledger.")
        parser.add_argument("--yes", action="store_true", help="Do not ask.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look at all of them, ask, and erase one after the other."""
        del args
        reason, ids = reasoned(options["reason"]), list(dict.fromkeys(options["ids"]))
        records = self._found(ids)
        if not options["yes"]:
            self._ask(records)
        erased, before = [], []
        for record in records:
            try:
                erase.erase(
                    agent_id=record.agent_id,
                    record_id=record.pk,
                    by=BY,
                    reason=reason,
                    now=timezone.now(),
                )
                erased.append(str(record.pk))
            except AlreadyErased:
                before.append(str(record.pk))
        if options["json"]:
            self.stdout.write(json.dumps({"erased": erased, "erased_before": before}))
            return
        self.stdout.write(f"{len(erased)} erased, {len(before)} erased before.")

    def _found(self, ids: list[UUID]) -> list[Record]:
        """Return the records, in the order of the ids; CommandError names what cannot be erased."""
        rows = Record.objects.select_related("agent").defer("content", "metadata").in_bulk(ids)
        unknown = [str(one) for one in ids if one not in rows]
        if unknown:
            raise CommandError(f"Nothing was erased: there is no record {', '.join(unknown)}.")
        for record in rows.values():
            erase.refuse_strategy_memory(record)
        return [rows[one] for one in ids]

    def _ask(self, records: list[Record]) -> None:
        """Show what would be erased, and go on with a yes alone."""
        for record in records:
            self.stderr.write(
                f"{record.pk}  {record.type} of {record.agent.name}, "
                f"written {record.created_at:%Y-%m-%d %H:%M:%S} UTC"
            )
        if not sys.stdin.isatty():
            raise CommandError("Nothing was erased. Nobody can be asked here: say --yes.")
        self.stderr.write(f"Erase these {len(records)} for good? Type yes: ", ending="")
        self.stderr.flush()
        if sys.stdin.readline().strip() != "yes":
            raise CommandError("Nothing was erased.")


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is no id of a record") from error
