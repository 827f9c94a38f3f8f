"""Bring the instruments in step with Hyperliquid's lists, from a file or live (SPEC U3)."""

import json
import time
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.errors import TidebookError
from trading.errors import BadInstrumentFile, MarketUnavailable
from trading.market.hyperliquid import Hyperliquid
from trading.market.instruments import SyncReport, sync
from trading.market.listings import parse_file
from trading.market.live import sync_instruments_live

FILE_SOURCE = "file"
WITHOUT_NETWORK = (
    'without a network use --file (Hyperliquid\'s answer to a POST of {"type": "meta"}, saved), '
    "or manage.py sync_candles --sample, which brings four instruments with their bars"
)
MAX_BYTES = 16 * 1024 * 1024


class Command(BaseCommand):
    """`sync_instruments (--file meta.json | --live) [--json]`."""

    help = "Bring the instruments in step with Hyperliquid's lists of markets."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take exactly one source."""
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument(
            "--file",
            type=Path,
            help="a recorded answer to `meta`, or meta, meta_<dex>, perpDexs and spotMeta together",
        )
        source.add_argument("--live", action="store_true", help="ask Hyperliquid")
        parser.add_argument("--json", action="store_true", help="report as JSON")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Sync, then report; an anticipated failure becomes the command's error."""
        now = datetime.now(tz=UTC)
        try:
            report = _live(now) if options["live"] else _from_file(options["file"], now)
        except MarketUnavailable as error:
            raise CommandError(f"{error.message}; {WITHOUT_NETWORK}") from error
        except TidebookError as error:
            raise CommandError(error.message) from error
        counts = report.as_json()
        line = ", ".join(f"{count} {name}" for name, count in counts.items())
        self.stdout.write(json.dumps(counts) if options["json"] else f"Instruments: {line}.")


def _live(now: datetime) -> SyncReport:
    with Hyperliquid.from_settings(clock=lambda: datetime.now(tz=UTC), sleep=time.sleep) as client:
        return sync_instruments_live(client=client, now=now)


def _from_file(path: Path, now: datetime) -> SyncReport:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInstrumentFile(f"{path.name} cannot be read ({error.strerror})") from error
    if len(content) > MAX_BYTES:
        raise BadInstrumentFile(f"{path.name} is too large")
    try:
        raw = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadInstrumentFile(f"{path.name} is not JSON") from error
    return sync(listings=parse_file(raw=raw), source=FILE_SOURCE, now=now)
