"""`manage.py schedules`: make the stored schedules agree with those that the code declares."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.utils import timezone

from config import schedules
from memory.management.base import TidebookCommand


class Command(TidebookCommand):
    """Sync schedules; doing it again changes nothing."""

    help = "Make the stored schedules of background jobs agree with the code."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the action and `--json`."""
        parser.add_argument("action", choices=["sync"])
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Sync, and say what changed."""
        del args
        done = asdict(schedules.sync(now=timezone.now()))
        if options["json"]:
            self.stdout.write(json.dumps(done))
            return
        for what, names in done.items():
            if names:
                self.stdout.write(f"{what}: {', '.join(names)}")
