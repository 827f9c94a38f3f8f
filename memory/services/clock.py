"""What destroys by the clock believes no clock of one host alone: the database has one, too."""

from datetime import datetime

from django.db import connection


def no_later(now: datetime) -> datetime:
    """Return `now`, or the database's time where the host's clock is ahead of that.

    Whoever reads a clock for what cannot be taken back asks this at once, and passes on what it
    answers. A clock that is behind does no harm: what is over goes later.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT least(%s, clock_timestamp())", [now])
        earliest: datetime = cursor.fetchone()[0]
    return earliest
