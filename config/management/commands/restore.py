"""`manage.py restore`: a backup into an empty database, migrated and verified."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command

from config import backups
from memory.errors import BadRequest
from memory.management.base import TidebookCommand
from memory.management.progress import shown_on


class Command(TidebookCommand):
    """Restore a backup."""

    help = (
        "Put a backup into an empty database, migrate it forward when it is of an earlier release, "
        "and verify it: 1 when something is wrong. A database that holds rows is refused, and so "
        "is one that others use. From another major version of PostgreSQL, the words that search "
        "reads are made anew."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file."""
        parser.add_argument("file", type=Path, help="A file that `backup` wrote.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Restore, migrate, verify."""
        del args
        path: Path = options["file"].absolute()
        try:
            with shown_on(self.stderr) as progress:  # type: ignore[arg-type]  # Django's wrapper writes
                same = backups.restore(path, progress=progress)
        except OSError as error:
            raise BadRequest(f"{path} cannot be read: {error.strerror}") from error
        call_command("migrate", verbosity=0, interactive=False, stdout=self.stderr)
        if not options["json"]:
            self.stdout.write(f"{path} is restored.")
        call_command(
            "verify_memory",
            json=options["json"],
            # Each major version stems some words in its own way.
            repair=not same,
            stdout=self.stdout,
            stderr=self.stderr,
        )
