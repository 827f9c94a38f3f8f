"""`manage.py backup`: the whole database in one file."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from config import backups
from memory.errors import BadRequest
from memory.management.base import TidebookCommand
from memory.management.progress import shown_on


class Command(TidebookCommand):
    """Write a backup."""

    help = (
        "Write the whole database into one file, in pg_dump's custom format, as of one moment; "
        "everybody goes on working meanwhile. It holds everything, tokens' hashes and users among "
        "it: the file is for its owner alone."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file."""
        parser.add_argument("file", type=Path, help="Made when the backup is whole.")
        parser.add_argument(
            "--overwrite", action="store_true", help="Replace a file that is there already."
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write it, and tell its size."""
        del args
        path: Path = options["file"].absolute()
        try:
            with shown_on(self.stderr) as progress:  # type: ignore[arg-type]  # Django's wrapper writes
                size = backups.backup(path, overwrite=options["overwrite"], progress=progress)
        except OSError as error:
            raise BadRequest(f"{path} cannot be written: {error.strerror}") from error
        if options["json"]:
            self.stdout.write(json.dumps({"file": str(path), "bytes": size}))
        else:
            self.stdout.write(f"{path}: {size:,} bytes.")
