"""`manage.py verify_memory`: whether what is stored is what it must be."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError
from django.core.serializers.json import DjangoJSONEncoder

from memory.management.base import TidebookCommand
from memory.management.progress import Progress, shown_on
from memory.models import Agent
from memory.services.onboarding import find_agent
from memory.services.verification import Fault, verify, verify_rules

JSON_MOST = 10_000


class Command(TidebookCommand):
    """Verify the store, and end with 1 when something is wrong."""

    help = (
        "Replay ledgers, take digests again, compare heads, postings and tags with what they are "
        "made from, and ask whether the database's rules are there and on. Each fault is named; "
        "with any left the command ends with 1. Each agent is read as of one moment."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take whose memory, and whether to put right what can be."""
        parser.add_argument("--agent", metavar="NAME_OR_ID", help="This agent's alone.")
        parser.add_argument(
            "--repair",
            action="store_true",
            help="Put right heads and postings, which follow from the rest; nothing else.",
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify, and tell each fault."""
        del args
        agent = find_agent(options["agent"]) if options["agent"] else None
        left = repaired = 0
        shown: list[dict[str, Any]] = []
        with shown_on(self.stderr) as progress:  # type: ignore[arg-type]  # Django's wrapper writes
            for fault in _faults(agent, progress, repair=options["repair"]):
                left, repaired = left + (not fault.repaired), repaired + fault.repaired
                if not options["json"]:
                    self.stdout.write(line_of(fault))
                elif len(shown) < JSON_MOST:
                    shown.append(asdict(fault))
        if options["json"]:
            report = {"ok": left == 0, "faults": left, "repaired": repaired, "found": shown}
            self.stdout.write(json.dumps(report, cls=DjangoJSONEncoder))
        elif not left:
            self.stdout.write("All is as it must be.")
        if left:
            raise CommandError(f"{left} faults are left.")


def line_of(fault: Fault) -> str:
    """Return a fault as one line."""
    place = [f"agent {fault.agent}"] if fault.agent else []
    place += [f"record {fault.record}"] if fault.record else []
    done = "repaired: " if fault.repaired else ""
    return f"{done}{fault.check}: {', '.join(place)}{': ' if place else ''}{fault.what}"


def _faults(agent: Agent | None, progress: Progress, *, repair: bool) -> Iterator[Fault]:
    progress.stage("rules of the database")
    yield from verify_rules(agent, repair=repair)
    agents = [agent] if agent else Agent.objects.order_by("created_at", "id").iterator()
    for one in agents:
        yield from verify(one, progress=progress, repair=repair)
