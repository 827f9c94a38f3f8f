"""`manage.py setup_agent`: an agent, its instruments, a producer and a token per role."""

import json
from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils import timezone

from memory.errors import BadRequest
from memory.management import paste
from memory.management.base import TidebookCommand
from memory.models import Producer
from memory.policies.freshness import UNSCHEDULED_LIFE
from memory.policies.timeframes import SCHEDULES, TIMEFRAMES
from memory.policies.vocabulary import LENSES
from memory.services.onboarding import SCHEDULE_AT_FIRST, Onboarding, RunBy, onboard
from trading.market.readiness import lacking

UNSCHEDULED = BY_CALLERS = "none"


class Command(TidebookCommand):
    """Make what is missing of an agent's set-up, and print how to use it."""

    help = (
        "Make an agent with its instruments, and a producer and a token for each role; print "
        "lines to paste. Run again, it keeps what is there and issues new tokens. Secrets are "
        "shown this once."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the agent's name, its owner, its instruments and how to print."""
        parser.add_argument("name", help="The agent's name, one per owner.")
        parser.add_argument("--user", required=True, help="Who owns it.")
        parser.add_argument(
            "--create-user", action="store_true", help="Make the user, with a random password."
        )
        parser.add_argument(
            "--instruments", required=True, metavar="BTC,ETH", help="What it trades."
        )
        parser.add_argument(
            "--schedule",
            choices=[*SCHEDULES, UNSCHEDULED],
            help=f"Of the analysis producer. A new one gets {SCHEDULE_AT_FIRST}, one that exists "
            "keeps its own.",
        )
        parser.add_argument(
            "--built-in",
            choices=[*LENSES, BY_CALLERS],
            help="Have the built-in analyst run the analysis producer at each boundary, with this "
            f"lens; {BY_CALLERS}: callers run it, as they do a new one.",
        )
        parser.add_argument(
            "--timeframe",
            choices=list(TIMEFRAMES),
            help="The bars that the built-in analyst reads. Those of the schedule, if not said.",
        )
        parser.add_argument("--base-url", default=settings.PUBLIC_URL, help="For the lines.")
        parser.add_argument(
            "--mcp-url",
            default=settings.MCP_PUBLIC_URL or settings.MCP_LAST_URL,
            help="For the lines of MCP hosts.",
        )
        parser.add_argument("--no-tokens", action="store_true", help="Issue no tokens.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Set up and print."""
        del args
        base_url = paste.checked_url(options["base_url"])
        mcp_url = paste.checked_url(options["mcp_url"])
        wanted, now = options["schedule"], timezone.now()
        made = onboard(
            username=options["user"],
            create_user=options["create_user"],
            name=options["name"],
            instruments=[
                name.strip() for name in options["instruments"].split(",") if name.strip()
            ],
            schedule=None if wanted == UNSCHEDULED else wanted or SCHEDULE_AT_FIRST,
            keep_schedule=wanted is None,
            with_tokens=not options["no_tokens"],
            run_by=_run_by(options["built_in"], options["timeframe"]),
            now=now,
        )
        lines = paste.lines(
            made, base_url=base_url, mcp_url=mcp_url, environment=settings.HOSTS_ENVIRONMENT
        )
        notes = [*candle_notes(made, now=now), *paste.notes(made, settings.HOSTS_ENVIRONMENT)]
        if options["json"]:
            told = report(made, username=options["user"], lines=lines)
            self.stdout.write(json.dumps({**told, "notes": notes}))
        else:
            self._tell(made, username=options["user"], lines=lines, notes=notes)

    def _tell(
        self, made: Onboarding, *, username: str, lines: dict[str, str], notes: list[str]
    ) -> None:
        state = "is set up" if made.agent_is_new else "was there, and is kept"
        say = self.stdout.write
        say(f"Agent {made.agent.name} ({made.agent.id}) of {username} {state}.")
        if made.password is not None:
            say(f"User {username} is new, with the password: {made.password}")
            say(
                "  The admin is for staff: make them staff there, or run manage.py createsuperuser."
            )
        say(f"Instruments: {', '.join(made.instruments)} (new: {', '.join(made.added) or 'none'})")
        for role, producer in made.producers.items():
            schedule = producer.schedule or "unscheduled"
            disabled = ", disabled" if role in made.disabled else ""
            changed = ", changed now" if role == "analysis" and made.rescheduled else ""
            say(
                f"Producer {producer.name} ({schedule}{changed}{runner_of(producer)}{disabled}): "
                f"{producer.id}"
            )
        say(f"Analysis is fresh for {life_of(made)} and is then served as identity alone.")
        for role, clear in made.tokens.items():
            say(f"Token of {role}: {clear}")
        for title, line in lines.items():
            say(f"\n# {title}\n{line}")
        if notes:
            say("")
        for note in notes:
            say(f"Note: {note}")
        if made.tokens:
            say("\nKeep the tokens: they are not shown again. `revoke_token` ends one.")
        else:
            say("No tokens were issued; `issue_token` makes one.")


def _run_by(lens: str | None, timeframe: str | None) -> RunBy | None:
    """Return who is to run the analysis producer; None leaves it to whom it is."""
    if lens is None:
        if timeframe is not None:
            raise BadRequest("--timeframe goes with --built-in")
        return None
    return RunBy(lens=None if lens == BY_CALLERS else lens, timeframe=timeframe)


def runner_of(producer: Producer) -> str:
    """Return by whom a producer is run where that is not its callers, in words."""
    if producer.runner == "caller":
        return ""
    bars = producer.timeframe or producer.schedule
    return f", run by the built-in {producer.lens} analyst on {bars} bars"


def candle_notes(made: Onboarding, *, now: datetime) -> list[str]:
    """Return what the built-in analyst lacks, and how it comes there; nothing for callers."""
    producer = made.producers["analysis"]
    if producer.runner == "caller":
        return []
    timeframe = producer.timeframe or producer.schedule or ""
    notes = lacking(instruments=made.instruments, timeframe=timeframe, now=now)
    if not notes:
        return []
    way_out = (
        "until there are current bars the built-in analyst reads nothing there, and says so. They "
        f"come by manage.py sync_candles --instrument {made.instruments[0]} --timeframe "
        f"{timeframe}, for each instrument, by hand or by cron; no job does it"
    )
    return [*notes, way_out]


def life_of(made: Onboarding) -> str:
    """Return how long a record of the analysis producer is fresh, in words."""
    schedule = made.producers["analysis"].schedule
    if schedule is None:
        return f"{UNSCHEDULED_LIFE.seconds // 60} minutes from its writing"
    return f"two cycles of {schedule} from its run's boundary"


def report(made: Onboarding, *, username: str, lines: dict[str, str]) -> dict[str, Any]:
    """Return the JSON of `--json`."""
    return {
        "agent": {"id": str(made.agent.id), "name": made.agent.name, "new": made.agent_is_new},
        "user": {"username": username, "password": made.password},
        "instruments": made.instruments,
        "added": made.added,
        "producers": {
            role: {
                "id": str(producer.id),
                "name": producer.name,
                "schedule": producer.schedule,
                "runner": producer.runner,
                "lens": producer.lens,
                "timeframe": producer.timeframe,
                "enabled": role not in made.disabled,
            }
            for role, producer in made.producers.items()
        },
        "tokens": made.tokens,
        "lines": lines,
    }
