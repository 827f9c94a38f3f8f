"""One demo at a time per TIDEBOOK_HOME: each would end the web process that the other waits for."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.processes import WEB, ProcessError, file_of


class DemoRunningError(ProcessError):
    """Another demo holds this home."""


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
            raise DemoRunningError(
                f"a demo is running in {path.parent}: wait until it has ended and try again, "
                "or set TIDEBOOK_HOME to another folder"
            ) from None
        yield
