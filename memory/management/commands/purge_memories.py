"""`manage.py purge_memories`: forget strategy memory whose life is over, now (SPEC M3)."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Min
from django.utils import timezone

from memory.management.base import TidebookCommand
from memory.management.progress import shown_on
from memory.models import Standing
from memory.services import purge
from memory.services.clock import no_later
from memory.services.onboarding import find_agent
from memory.services.purge import Due
from memory.services.standings import Cause

BY = Cause("command", "purge_memories")


class Command(TidebookCommand):
    """Purge all of it in one go, or tell what would be purged."""

    help = (
        "Forget strategy memory whose life is over, for good: what it says is destroyed, and its "
        "ids, links and ledgers stay. A job does the same every ten minutes, PURGE_GRACE_HOURS "
        "after the end of a memory. What an open session may still read is left for later."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take whose memory, how old, and whether to do it."""
        parser.add_argument("--agent", metavar="NAME_OR_ID", help="This agent's alone.")
        parser.add_argument("--dry-run", action="store_true", help="Tell what would be purged.")
        parser.add_argument(
            "--now-expired", action="store_true", help="Grant no grace: all that is over by now."
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look at what is due, and purge it."""
        del args
        now = no_later(timezone.now())
        asked: dict[str, Any] = {
            "agent_id": find_agent(options["agent"]).id if options["agent"] else None,
            "grace": timedelta(0) if options["now_expired"] else purge.default_grace(),
            "now": now,
        }
        found = purge.backlog(**asked)
        told = {"dry_run": options["dry_run"], **_told(found), **_young(found, **asked)}
        if not options["dry_run"]:
            with shown_on(self.stderr) as progress:  # type: ignore[arg-type]  # Django's wrapper writes
                progress.stage("purging", told["due"])
                told |= asdict(purge.purge(**asked, by=BY, told=progress.advance))
        if options["json"]:
            self.stdout.write(json.dumps(told, cls=DjangoJSONEncoder))
            return
        if options["dry_run"]:
            for one in found:
                self.stdout.write(_line(one))
            self.stdout.write(" ".join([f"{told['due']:,} would be purged.", *_left(told)]))
            return
        batches = f" in {_counted(told['batches'], 'batch', 'batches')}" if told["batches"] else ""
        self.stdout.write(" ".join([f"{told['rows']:,} purged{batches}.", *_left(told)]))


def _told(found: Sequence[Due]) -> dict[str, Any]:
    ends = [one.oldest for one in found if one.oldest is not None]
    return {
        "due": sum(one.due for one in found),
        "held": sum(one.held for one in found),
        "oldest": min(ends, default=None),
        "tiers": [asdict(one) for one in found],
    }


def _young(
    found: Sequence[Due], *, agent_id: UUID | None, grace: timedelta, now: datetime
) -> dict[str, Any]:
    """Return how many are over and not yet due, and when the first of them is."""
    over = purge.backlog(agent_id=agent_id, grace=timedelta(0), now=now) if grace else found
    number = sum(one.due + one.held for one in over) - sum(one.due + one.held for one in found)
    young = Standing.objects.filter(
        merged_into=None, expires_at__gt=now - grace, expires_at__lte=now
    )
    of_agent = young if agent_id is None else young.filter(agent_id=agent_id)
    first = of_agent.aggregate(first=Min("expires_at"))["first"] if number else None
    return {"not_yet_due": number, "due_from": None if first is None else first + grace}


def _left(told: dict[str, Any]) -> Iterator[str]:
    """Yield a sentence of each reason for which something is left."""
    if told["held"]:
        yield f"{told['held']:,} held back by open sessions."
    if told["not_yet_due"]:
        yield f"{told['not_yet_due']:,} over, due from {told['due_from']:%Y-%m-%d %H:%M} UTC."
    if given_way := told.get("given_way"):
        batches = _counted(
            given_way, "batch that met others' locks is", "batches that met others' locks are"
        )
        yield f"{batches} left for the next time."


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _line(one: Due) -> str:
    held = f", {one.held:,} held back by open sessions" if one.held else ""
    return f"{one.name}  {one.type}: {one.due:,}{_since(one.oldest)}{held}"


def _since(oldest: datetime | None) -> str:
    return f", the oldest over since {oldest:%Y-%m-%d %H:%M} UTC" if oldest else ""
