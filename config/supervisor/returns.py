"""Rows that come back from tasks which failed for want of the database (SPEC J4).

django-q2 keeps the row of a task that failed, and calls it again after ten minutes. That is for
faults of the task. Where the database went away, the cluster's first process puts the row back as
soon as it answers again; the worker tells it over a pipe which row, and need not wait itself.
"""

import os
import sys
from datetime import datetime
from typing import NamedTuple

import psycopg
from django.db import InterfaceError, OperationalError

AWAY = (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError)
"""The database went away, did not answer, or broke a deadlock: no fault of the task."""


class Taken(NamedTuple):
    """A row, and the lock that it got when it was taken: with another, somebody else has it."""

    row: int
    until: datetime


class Returns:
    """The way back: workers, forked from the process that made it, tell; that process asks."""

    def __init__(self) -> None:
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        self._rest = ""
        self._wants_database = False

    def report(self) -> None:
        """Look at the error that a task ended with: django-q2 calls this while it is handled."""
        self._wants_database = wants_database(sys.exception())

    def tell(self, taken: Taken) -> bool:
        """Tell that a task failed; False when that was for another reason than the database."""
        wanted, self._wants_database = self._wants_database, False
        if wanted:
            # Short enough to be written whole, whoever else writes.
            os.write(self._writing, f"{taken.row} {taken.until.isoformat()}\n".encode())
        return wanted

    def told(self) -> set[Taken]:
        """Return what was told since the last time."""
        try:
            text = self._rest + os.read(self._reading, 65_536).decode()
        except BlockingIOError:
            return set()
        *lines, self._rest = text.split("\n")
        pairs = (line.split(" ") for line in lines)
        return {Taken(int(row), datetime.fromisoformat(until)) for row, until in pairs}


def wants_database(error: BaseException | None) -> bool:
    """Tell whether it is such an error, or was raised from one."""
    while error is not None and not isinstance(error, AWAY):
        error = error.__cause__
    return error is not None
