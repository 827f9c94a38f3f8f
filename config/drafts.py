"""Files that take their name when they are whole, and leave no draft behind for long."""

import fcntl
import glob
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SUFFIX = ".draft"


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """Make a draft beside `path`, its owner's alone, for the block, which may rename it (OSError).

    A writer holds a lock on its draft while it lives. Drafts of the same file without one were
    left by writers that were killed, and are removed.
    """
    _remove_abandoned(path)
    handle, draft = _locked(path)
    try:
        yield draft
    finally:
        draft.unlink(missing_ok=True)
        os.close(handle)


def _locked(path: Path) -> tuple[int, Path]:
    while True:
        handle, name = tempfile.mkstemp(prefix=f"{path.name}.", suffix=SUFFIX, dir=path.parent)
        fcntl.flock(handle, fcntl.LOCK_EX)
        draft = Path(name)
        # Another may have taken it for abandoned before it was locked.
        if draft.exists():
            return handle, draft
        os.close(handle)


def _remove_abandoned(path: Path) -> None:
    for draft in path.parent.glob(f"{glob.escape(path.name)}.????????{SUFFIX}"):
        try:
            with draft.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                draft.unlink()
        except OSError:
            # Somebody writes it now, has removed it, or it is none of ours.
            continue
