"""`manage.py import_memories`: strategy memory from JSON Lines."""

import json
import sys
from argparse import ArgumentParser
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from django.utils import timezone

from memory.errors import BadRequest
from memory.management.base import TidebookCommand
from memory.services.imports import import_strategies
from memory.services.onboarding import find_agent

STDIN = "-"


class Command(TidebookCommand):
    """Store rules, insights and optimizations with where they stand."""

    help = (
        "Store rules, strategy insights and optimizations of an agent with their standings, one "
        "JSON object a line: all of them, or none when a line is wrong. What is there already, by "
        "its id, is left alone."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file and whose memory it is."""
        parser.add_argument("file", help="JSON Lines in UTF-8; - reads standard input.")
        parser.add_argument("--agent", required=True, metavar="NAME_OR_ID")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import and count."""
        del args
        agent = find_agent(options["agent"])
        source = options["file"]
        try:
            with (
                nullcontext(sys.stdin.buffer) if source == STDIN else Path(source).open("rb")
            ) as lines:
                report = import_strategies(agent=agent, lines=lines, now=timezone.now())
        except OSError as error:
            raise BadRequest(f"{source} cannot be read: {error.strerror}") from error
        if options["json"]:
            counts = {"created": report.created, "unchanged": report.unchanged}
            self.stdout.write(json.dumps({"agent": str(agent.id), **counts}))
            return
        self.stdout.write(
            f"{agent.name}: {report.created} memories stored, {report.unchanged} were there."
        )
