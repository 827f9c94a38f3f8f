"""One `demo` or `up` at a time per TIDEBOOK_HOME: each would end the other's processes."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.processes import UP, WEB, ProcessError, file_of, running


class DemoRunningError(ProcessError):
    """Another demo holds this home, or `up` does."""


@contextmanager
def taken(home: Path | None) -> Iterator[None]:
    """Hold this home's demo lock, which ends with the process at the latest.

    Raises DemoRunningError when another process has it, ProcessError when the home is unusable.
    """
    path = file_of(WEB, home).with_name("demo.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a")
    except OSError as error:
        msg = f"{path} cannot be written ({error.strerror}): set TIDEBOOK_HOME to a folder of yours"
        raise ProcessError(msg) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            what = (
                "`manage.py up` is running in {}: end it (Ctrl-C, or make stop) and try again"
                if running(UP, home)
                else "a demo is running in {}: wait until it has ended and try again"
            )
            raise DemoRunningError(
                f"{what.format(path.parent)}, or set TIDEBOOK_HOME to another folder"
            ) from None
        yield
