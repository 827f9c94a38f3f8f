"""Tasks for tests of real workers: each leaves a row that tells that it began or ended."""

from datetime import timedelta

from django.db import connection
from django.utils import timezone

from memory.ids import new_id
from memory.models import JobRun

BEGAN, ENDED = "began", "ended"
LOCK = 4_711


def mark(name: str) -> None:
    """Do one thing."""
    note(ENDED, name)


def hold(name: str) -> None:
    """Say that it began, wait until the test lets it go on, say that it ended."""
    note(BEGAN, name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock_shared(%s)", [LOCK])
        cursor.execute("SELECT pg_advisory_unlock_shared(%s)", [LOCK])
    note(ENDED, name)


def note(what: str, name: str) -> None:
    """Leave a row."""
    now = timezone.now()
    JobRun.objects.create(
        name=f"{what} {name} {new_id()}",
        intended_at=now,
        status="succeeded",
        started_at=now,
        finished_at=now,
        lease_until=now + timedelta(seconds=1),
    )


def times(what: str, name: str) -> int:
    """Count the rows."""
    return JobRun.objects.filter(name__startswith=f"{what} {name} ").count()
