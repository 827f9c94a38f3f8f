"""`manage.py import_memories`: records from JSON Lines."""

import json
import sys
from argparse import ArgumentParser
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from django.utils import timezone

from memory.errors import BadRequest
from memory.management.base import TidebookCommand
from memory.management.progress import shown_on
from memory.models import Agent
from memory.services.imports import ImportReport, bounded_lines, import_lines
from memory.services.onboarding import find_agent

STDIN = "-"


class Command(TidebookCommand):
    """Store records with all that came with them."""

    help = (
        "Store an agent's records from JSON Lines, as export_memories writes them or from "
        "elsewhere. Lines are stored in batches, each whole or not at all: when a line is wrong, "
        "it is named, with the line up to which all is stored. What is there already, by its id, "
        "is left alone, so the same command goes on from there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file and whose memory it is."""
        parser.add_argument("file", help="JSON Lines in UTF-8; - reads standard input.")
        parser.add_argument("--agent", required=True, metavar="NAME_OR_ID")
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="Do all of it and take it back; the agent's writers wait meanwhile.",
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Import and count."""
        del args
        agent, dry_run = find_agent(options["agent"]), options["dry_run"]
        try:
            with _opened(options["file"]) as file:
                report = self._import(agent, file, options["file"], dry_run=dry_run)
        except OSError as error:
            raise BadRequest(f"{options['file']} cannot be read: {error.strerror}") from error
        if options["json"]:
            counts = {
                "created": report.created,
                "unchanged": report.unchanged,
                "moved": report.moved,
            }
            self.stdout.write(json.dumps({"agent": str(agent.id), "dry_run": dry_run, **counts}))
            return
        self.stdout.write(_sentence(agent, report, dry_run=dry_run))

    def _import(self, agent: Agent, file: BinaryIO, name: str, *, dry_run: bool) -> ImportReport:
        size = None if name == STDIN else Path(name).stat().st_size
        with shown_on(self.stderr) as progress:  # type: ignore[arg-type]  # Django's wrapper writes
            progress.stage(f"{name}: bytes read", size)
            return import_lines(
                agent=agent,
                lines=bounded_lines(file),
                now=timezone.now(),
                dry_run=dry_run,
                told=progress.advance,
            )


def _opened(name: str) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if name == STDIN else Path(name).open("rb")


def _sentence(agent: Agent, report: ImportReport, *, dry_run: bool) -> str:
    would = "would be " if dry_run else ""
    line = f"{agent.name}: {report.created} memories {would}stored, {report.unchanged} were there"
    if report.moved:
        line += f", of which {report.moved} {would}moved on with their ledger"
    return f"{line}."
