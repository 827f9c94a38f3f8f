"""`manage.py purge_memories`: forget strategy memory whose life is over, now (SPEC M3)."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from memory.management.base import TidebookCommand
from memory.management.progress import shown_on
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
        told = {"dry_run": options["dry_run"], **_told(found)}
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
            self.stdout.write(f"{told['due']:,} would be purged, {told['held']:,} are held back.")
            return
        self.stdout.write(
            f"{told['rows']:,} purged in {told['batches']:,} batches, {told['held']:,} held back "
            f"by open sessions; {told['given_way']:,} batches met others' locks and are left."
        )


def _told(found: Sequence[Due]) -> dict[str, Any]:
    ends = [one.oldest for one in found if one.oldest is not None]
    return {
        "due": sum(one.due for one in found),
        "held": sum(one.held for one in found),
        "oldest": min(ends, default=None),
        "tiers": [asdict(one) for one in found],
    }


def _line(one: Due) -> str:
    held = f", {one.held:,} held back by open sessions" if one.held else ""
    return f"{one.name}  {one.type}: {one.due:,}{_since(one.oldest)}{held}"


def _since(oldest: datetime | None) -> str:
    return f", the oldest over since {oldest:%Y-%m-%d %H:%M} UTC" if oldest else ""
