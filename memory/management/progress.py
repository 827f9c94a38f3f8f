"""How far long work is: a bar on a terminal, plain lines elsewhere, always on stderr (SPEC U6)."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress

EVERY = 5.0  # seconds between two plain lines of one stage


class Progress(Protocol):
    """Is told the stages of the work one after the other."""

    def stage(self, what: str, total: int | None = 1) -> None:
        """Begin a stage of `total` steps, None where nobody knows."""
        ...

    def advance(self, steps: int = 1) -> None:
        """Some steps of the stage are done."""
        ...


class Lines:
    """One line when a stage begins, and one every few seconds while it lasts."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream
        self.what, self.done, self.told = "", 0, 0.0
        self.total: int | None = 1

    def stage(self, what: str, total: int | None = 1) -> None:
        """Begin a stage of `total` steps."""
        self.what, self.total, self.done, self.told = what, total, 0, time.monotonic()
        self.stream.write(f"{what}\n")

    def advance(self, steps: int = 1) -> None:
        """Some steps of the stage are done."""
        self.done += steps
        if time.monotonic() - self.told >= EVERY:
            self.told = time.monotonic()
            of = "" if self.total is None else f" of {self.total:,}"
            self.stream.write(f"{self.what}: {self.done:,}{of}\n")


class Bars:
    """A bar for each stage."""

    def __init__(self, shown: RichProgress) -> None:
        self.shown = shown
        self.task: TaskID | None = None

    def stage(self, what: str, total: int | None = 1) -> None:
        """Begin a stage of `total` steps; the one before is over."""
        self._finish()
        self.task = self.shown.add_task(what, total=total)

    def advance(self, steps: int = 1) -> None:
        """Some steps of the stage are done."""
        if self.task is not None:
            self.shown.advance(self.task, steps)

    def _finish(self) -> None:
        if self.task is not None:
            self.shown.update(self.task, completed=self.shown.tasks[self.task].total)


@contextmanager
def shown_on(stream: IO[str]) -> Iterator[Progress]:
    """Show progress on `stream` in the form that fits it."""
    if not stream.isatty():
        yield Lines(stream)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with RichProgress(*columns, TimeElapsedColumn(), console=Console(file=stream)) as bars:
        yield Bars(bars)
