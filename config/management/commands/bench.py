"""`manage.py bench`: measure one thing, and hold it against its bars."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.benchmarks import backtest, browse, context, mcp, noise, publish, purge, search, session
from config.benchmarks.progress import shown_on
from config.benchmarks.report import Bench
from config.benchmarks.unhurried import unhurried

BENCHES: dict[str, Bench] = {
    "publish": publish.run,
    "context": context.run,
    "browse": browse.run,
    "search": search.run,
    "purge": purge.run,
    "mcp": mcp.run,
    "backtest": backtest.run,
    "session": session.run,
    "noise": noise.run,
}


class Command(BaseCommand):
    """Measure one thing in databases of the bench's own; exit with 1 when a bar is missed."""

    help = "Measure one thing and hold it against its bars (see benchmarks/README.md)."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the name, the scale and `--json`."""
        parser.add_argument("name", choices=sorted(BENCHES))
        parser.add_argument(
            "--scale",
            choices=["small", "full"],
            default="full",
            help="small proves that the bench runs, and judges no bar (default: full)",
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Measure, print, and fail when a bar is missed."""
        del args
        # Not self.stderr: it would show progress in the colour of errors.
        with unhurried(), shown_on(sys.stderr) as progress:
            report = BENCHES[options["name"]](scale=options["scale"], progress=progress)
        self.stdout.write(report.as_json() if options["json"] else report.as_text())
        if report.missed:
            bars = "; ".join(
                f"{bar.what}: {bar.value:g}, wanted {bar.op} {bar.limit:g}" for bar in report.missed
            )
            raise CommandError(f"missed: {bars}", returncode=1)
