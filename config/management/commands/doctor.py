"""`manage.py doctor`: whether this installation is well, and the way out where it is not."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandError

from config import doctor
from memory.management.base import TidebookCommand


class Command(TidebookCommand):
    """Look at the installation, and end with 1 when something is wrong."""

    help = (
        "Look at the configuration, the database, its migrations and clock, the queue, the disk "
        "and the model. Each line that begins with `wrong` says the way out; with any the command "
        "ends with 1. It starts nothing and changes nothing."
    )
    requires_system_checks: list[str] = []  # it runs them itself, and tells what they find

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take `--json`."""
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look, and tell."""
        del args
        found = []
        for one in doctor.look():
            found.append(one)
            if not options["json"]:
                out = f" → {one.way_out}" if one.way_out else ""
                self.stdout.write(f"{one.status:<6} {one.name:<14} {one.said}{out}")
        wrong = sum(one.status == "wrong" for one in found)
        if options["json"]:
            report = {"ok": not wrong, "checks": [asdict(one) for one in found]}
            self.stdout.write(json.dumps(report, ensure_ascii=False))
        if wrong:
            raise CommandError(f"{wrong} of {len(found)} checks found something wrong.")
