"""Store funding rates of a CSV file (U3)."""

import json
import sys
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from memory.errors import TidebookError
from trading.management.progress import progress
from trading.market.funding import HEADER, FundingReport, import_file

FILE_HELP = (
    f"a .csv or .csv.gz file with the header {','.join(HEADER)}, times ISO 8601 in UTC, rates per "
    "hour as fractions of the notional; refused as a whole"
)


class Command(BaseCommand):
    """`sync_funding --file X [--json]`."""

    help = "Store funding rates from a CSV file, for backtests that hold positions over stamps."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file."""
        parser.add_argument("--file", type=Path, required=True, help=FILE_HELP)
        parser.add_argument("--json", action="store_true", help="report as JSON")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Store, then report; an anticipated failure becomes the command's error."""
        now = datetime.now(tz=UTC)
        try:
            # Progress goes to the error stream, so that a report can be piped.
            with progress("Funding rates", stream=sys.stderr) as tell:
                reports = import_file(path=options["file"], now=now, progress=tell)
        except TidebookError as error:
            raise CommandError(error.message) from error
        if options["json"]:
            self.stdout.write(json.dumps([report.as_json() for report in reports]))
            return
        for report in reports:
            self.stdout.write(_line(report))


def _line(report: FundingReport) -> str:
    return (
        f"{report.instrument} funding: {report.stored} stored, "
        f"{report.duplicates} there already ({report.differing} differ), "
        f"{report.first:%Y-%m-%d %H:%M} to {report.last:%Y-%m-%d %H:%M} UTC, "
        f"{report.missing} hour{'s'[: report.missing != 1]} without a stamp."
    )
