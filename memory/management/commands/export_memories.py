"""`manage.py export_memories`: an agent's records as JSON Lines."""

import json
import os
import sys
import tempfile
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from memory.errors import BadRequest
from memory.management.base import TidebookCommand
from memory.management.progress import shown_on
from memory.models import Agent
from memory.schemas.runs import zoned
from memory.services import exports
from memory.services.onboarding import find_agent

STDOUT = "-"


class Command(TidebookCommand):
    """Write an agent's records, each with all that belongs to it."""

    help = (
        "Write an agent's records as JSON Lines, each with its run, standing and ledgers: "
        "import_memories makes the same of them elsewhere. All are as of one moment. The file is "
        "for its owner alone, and there when it is whole."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file, whose memory it is, and which of it."""
        parser.add_argument("file", help="JSON Lines in UTF-8; - writes to standard output.")
        parser.add_argument("--agent", required=True, metavar="NAME_OR_ID")
        parser.add_argument(
            "--type",
            action="append",
            dest="types",
            metavar="TYPE",
            help="Only records of this type (may be given again). What they link to is not added.",
        )
        parser.add_argument(
            "--since",
            type=_moment,
            metavar="TIME",
            help="Only records created then or later; ISO 8601 with a zone.",
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Export and count."""
        del args
        agent, name = find_agent(options["agent"]), options["file"]
        try:
            with _opened(name) as file:
                number = self._write(agent, file, types=options["types"], since=options["since"])
        except BrokenPipeError:
            return  # whoever read standard output has seen enough
        except OSError as error:
            raise BadRequest(f"{name} cannot be written: {error.strerror}") from error
        report = json.dumps({"agent": str(agent.id), "file": name, "records": number})
        out = self.stderr if name == STDOUT else self.stdout
        out.write(report if options["json"] else f"{agent.name}: {number} records in {name}.")

    def _write(
        self, agent: Agent, file: BinaryIO, *, types: list[str] | None, since: datetime | None
    ) -> int:
        number = 0
        with shown_on(self.stderr) as progress:  # type: ignore[arg-type]  # Django's wrapper writes
            progress.stage("records", exports.count(agent, types=types, since=since))
            for some in exports.export(agent, types=types, since=since):
                file.write(some.lines)
                number += some.records
                progress.advance(some.records)
        return number


def _moment(text: str) -> datetime:
    try:
        moment: datetime = zoned(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error
    return moment


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    """Open standard output, or a file that takes its name when it is whole."""
    if name == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(name)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.", delete=False) as file:
        draft = Path(file.name)
        try:
            yield file  # type: ignore[misc]  # it is one, in all that is used here
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            draft.unlink()
            raise
    draft.replace(path)
