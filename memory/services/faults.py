"""Counting writes that failed for no fault of their callers, by minute and over all processes.

A count that the database could not take waits in its process and is stored with a later one.
"""

import threading
import time
from collections import Counter
from datetime import datetime

from django.db import Error, connection, transaction

ADD = """INSERT INTO memory_write_fault AS stored (minute, count) VALUES (%s, %s)
ON CONFLICT (minute) DO UPDATE SET count = stored.count + EXCLUDED.count"""
RETRY_SECONDS = 10.0
"""A database that does not answer is not asked again before, or each failed write would wait."""

_lock = threading.Lock()
_waiting: Counter[datetime] = Counter()
_total = 0
_not_before = 0.0


def note_write_fault(*, now: datetime, store: bool = True) -> None:
    """Count a failed write; with `store` also try to have it stored. Raises nothing."""
    global _total  # noqa: PLW0603 - a count of this process
    with _lock:
        _waiting[now.replace(second=0, microsecond=0)] += 1
        _total += 1
    if store:
        store_waiting()


def store_waiting() -> None:
    """Store what waits in this process, unless the database did not answer just now."""
    global _not_before  # noqa: PLW0603 - as above
    with _lock:
        if time.monotonic() < _not_before:
            return
        taken = Counter(_waiting)
        _waiting.clear()
    try:
        if taken and not connection.in_atomic_block:
            # What failed may have left it broken.
            connection.close_if_unusable_or_obsolete()
        for minute, number in sorted(taken.items()):
            _add(minute, number)
            del taken[minute]
    except Error:
        with _lock:
            _waiting.update(taken)
            _not_before = time.monotonic() + RETRY_SECONDS


def process_total() -> int:
    """Return how many writes failed in this process since it began."""
    return _total


def waiting_since(moment: datetime) -> int:
    """Return how many of this process's failed writes since a moment are not stored."""
    with _lock:
        return sum(number for minute, number in _waiting.items() if minute >= moment)


def _add(minute: datetime, number: int) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(ADD, [minute, number])
