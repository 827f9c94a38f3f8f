"""Progress of long work: a bar on a terminal, plain lines elsewhere (SPEC U6)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

LINES = 10
"""Plain lines at the most, so that a log stays short."""


@contextmanager
def progress(what: str, *, stream: IO[str]) -> Iterator[Callable[[int, int], None]]:
    """Yield a function to be told (done, in all); it draws to `stream`."""
    if not stream.isatty():
        yield _plain(what, stream)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(file=stream)) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, whole: bar.update(task, completed=done, total=whole)


def _plain(what: str, stream: IO[str]) -> Callable[[int, int], None]:
    told = 0

    def tell(done: int, whole: int) -> None:
        nonlocal told
        tenth = done * LINES // whole if whole else LINES
        if tenth > told:
            told = tenth
            stream.write(f"{what}: {done} of {whole}\n")

    return tell
