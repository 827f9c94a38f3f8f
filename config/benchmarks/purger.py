"""The process that purges for `bench purge`: `python -m config.benchmarks.purger`.

It has a process and a connection of its own, as a worker has. Each line on its input is a number
of rows to take; it answers with a line of JSON when they are gone.
"""

# ruff: noqa: PLC0415 - models are there after the set-up alone

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta

import django
from django.conf import settings
from django.core.management import CommandError

from config.settings.environment import ROOT


@dataclass(frozen=True, slots=True)
class Took:
    """What a round of the purge took: rows and batches, in how many seconds."""

    rows: int
    batches: int
    given_way: int
    seconds: float


class Purger:
    """A running process that purges when it is told to."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def begin(self, most: int) -> None:
        """Let it take about so many rows."""
        if self._process.stdin is not None:
            self._process.stdin.write(f"{most}\n")
            self._process.stdin.flush()

    def is_done(self) -> bool:
        """Tell whether it has answered."""
        output = self._process.stdout
        return output is not None and bool(select.select([output], [], [], 0)[0])

    def result(self) -> Took:
        """Wait until it is done (CommandError: it has ended)."""
        line = self._process.stdout.readline() if self._process.stdout is not None else ""
        if not line:
            raise CommandError("the purging process has ended")
        return Took(**json.loads(line))


@contextmanager
def purging(database: str) -> Iterator[Purger]:
    """Run the process on a database until the block ends."""
    from config.benchmarks.bridges import url_of

    with subprocess.Popen(
        [sys.executable, "-m", "config.benchmarks.purger"],
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings.bench",
            "DATABASE_URL": url_of(database),
            "SECRET_KEY": settings.SECRET_KEY,
            "LOG_LEVEL": "ERROR",
        },
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        purger = Purger(process)
        # It is up when it has taken nothing.
        purger.begin(0)
        purger.result()
        yield purger


def main() -> None:
    """Purge as told, until the input ends."""
    django.setup()

    from config.benchmarks.memories import NOW
    from memory.services.purge import purge
    from memory.services.standings import Cause

    for line in sys.stdin:
        began = time.perf_counter()
        done = purge(by=Cause("bench"), now=NOW, grace=timedelta(0), most=int(line))
        took = Took(done.rows, done.batches, done.given_way, time.perf_counter() - began)
        sys.stdout.write(json.dumps(asdict(took)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
