"""Store candles: of a CSV file, of Hyperliquid, or those that ship with Tidebook (U3, U5)."""

import json
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.errors import TidebookError
from memory.policies.timeframes import EPOCH, TIMEFRAMES
from trading.management.progress import progress
from trading.market.candles import Progress, StoreReport
from trading.market.csvfile import HEADER, import_file
from trading.market.hyperliquid import Hyperliquid
from trading.market.live import sync_candles_live
from trading.market.sample import DESCRIPTION, load_sample

FILE_HELP = (
    f"a .csv or .csv.gz file with the header {','.join(HEADER)}, times ISO 8601 in UTC of the "
    "bar's opening; refused as a whole"
)


class Command(BaseCommand):
    """`sync_candles (--file X --timeframe 1h | --instrument BTC --timeframe 1h | --sample)`."""

    help = "Store closed candles from a CSV file, from Hyperliquid, or those that ship."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take exactly one source; all but the sample need a timeframe."""
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument("--file", type=Path, help=FILE_HELP)
        source.add_argument("--instrument", help="download this market from Hyperliquid")
        source.add_argument("--sample", action="store_true", help=DESCRIPTION)
        parser.add_argument("--timeframe", help=f"one of {', '.join(TIMEFRAMES)}")
        parser.add_argument("--since", type=_moment, help="download from this time (ISO 8601, UTC)")
        parser.add_argument("--no-gaps", action="store_true", help="refuse a file that misses bars")
        parser.add_argument("--json", action="store_true", help="report as JSON")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Store, then report; an anticipated failure becomes the command's error."""
        _check(options)
        now = datetime.now(tz=UTC)
        try:
            # Progress goes to the error stream, so that a report can be piped.
            with progress("Candles", stream=sys.stderr) as tell:
                reports = _store(options, now, tell)
        except TidebookError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            self.stdout.write(json.dumps([report.as_json() for report in reports]))
            return
        if options["sample"]:
            self.stdout.write(f"{DESCRIPTION}.")
        for report in reports:
            self.stdout.write(_line(report))


def _check(options: dict[str, Any]) -> None:
    """Refuse options that would be ignored, before anything is done."""
    if not options["sample"] and not options["timeframe"]:
        raise CommandError(f"--timeframe is needed: one of {', '.join(TIMEFRAMES)}")
    if options["since"] and not options["instrument"]:
        raise CommandError("--since goes with --instrument")
    if options["no_gaps"] and not options["file"]:
        raise CommandError("--no-gaps goes with --file")


def _store(options: dict[str, Any], now: datetime, tell: Progress) -> tuple[StoreReport, ...]:
    if options["sample"]:
        return load_sample(now=now, progress=tell)
    if options["file"]:
        return import_file(
            path=options["file"],
            timeframe=options["timeframe"],
            now=now,
            allow_gaps=not options["no_gaps"],
            progress=tell,
        )
    with Hyperliquid.from_settings(clock=lambda: datetime.now(tz=UTC), sleep=time.sleep) as client:
        report = sync_candles_live(
            client=client,
            instrument=options["instrument"],
            timeframe=options["timeframe"],
            since=options["since"],
            now=now,
            progress=tell,
        )
    return (report,)


def _line(report: StoreReport) -> str:
    if report.first is None or report.last is None:
        return f"{report.instrument} {report.timeframe}: nothing new."
    return (
        f"{report.instrument} {report.timeframe}: {report.stored} stored, "
        f"{report.duplicates} there already ({report.differing} differ), "
        f"{report.first:%Y-%m-%d %H:%M} to {report.last:%Y-%m-%d %H:%M} UTC, "
        f"{report.missing} missing in {len(report.gaps)} gap{'s'[: len(report.gaps) != 1]}, "
        f"{report.zero_volume} without trades."
    )


def _moment(text: str) -> datetime:
    """Read --since (a date, or a time with a zone; without one, it is UTC)."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not an ISO 8601 time") from None
    try:
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        raise ArgumentTypeError(f"{text!r} is outside the years 1 to 9999 in UTC") from None
    if moment < EPOCH:
        raise ArgumentTypeError(f"{text!r} is before {EPOCH:%Y-%m-%d}")
    return moment
