"""What grows with use and is no evidence, deleted by age in short batches (SPEC J1, J5)."""

from datetime import datetime
from typing import Any

from django.contrib.sessions.models import Session
from django.db import connection

BATCH = 1_000

# A key that a retry is waiting at just now is locked by nobody here: it is left for the next time.
KEYS = """
DELETE FROM memory_idempotency_key WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM memory_idempotency_key WHERE created_at < %(before)s
    ORDER BY created_at LIMIT %(most)s FOR UPDATE SKIP LOCKED))
"""


def forget_keys(*, before: datetime, most: int) -> int:
    """Delete keys of writes made before a moment, `most` at the most; return how many.

    What they were for stays. A retry with a forgotten key is a new write (SPEC R13).
    """
    gone = 0
    while gone < most:
        values: dict[str, Any] = {"before": before, "most": min(BATCH, most - gone)}
        with connection.cursor() as cursor:
            cursor.execute(KEYS, values)
            number = cursor.rowcount
        gone += number
        if number < values["most"]:
            break
    return gone


def forget_logins(*, now: datetime) -> int:
    """Delete sessions of browsers that are over; return how many."""
    gone, _ = Session.objects.filter(expire_date__lt=now).delete()
    return gone
