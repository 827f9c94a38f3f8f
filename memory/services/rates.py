"""Letting callers in, or telling them to wait (SPEC E5). All processes share the counts."""

import math
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.db import connection, transaction

from memory.errors import RateLimited
from memory.models import OpenStream, RateCount
from memory.policies.ownership import Actor, UserActor
from memory.policies.rates import TICKS, rate_of

KEPT = timedelta(days=1)
"""How long a count that nobody moves is kept; longer than any window."""
MISSED = 3
"""How many keep-alives a stream may miss before it counts as gone."""

# The counts as they are at the new tick: those that it pushed out are dropped. A clock that is a
# little behind counts in the newest tick. One that is far off begins anew.
_MOVED = f"""
    SELECT CASE WHEN excluded.tick BETWEEN r.tick - {TICKS} AND r.tick
                THEN r.tick ELSE excluded.tick END AS tick,
           r.counts[past + 1:] || array_fill(0, ARRAY[past]) AS counts
    FROM (SELECT CASE WHEN excluded.tick BETWEEN r.tick - {TICKS} AND r.tick THEN 0
                      WHEN excluded.tick BETWEEN r.tick AND r.tick + {TICKS}
                      THEN (excluded.tick - r.tick)::int
                      ELSE {TICKS + 1} END AS past) p
"""  # noqa: S608 - numbers of this project
# The row is locked before it is looked at, and only what is admitted changes it.
ADMIT = f"""
INSERT INTO memory_rate AS r (subject, kind, tick, counts, used_at)
VALUES (%(subject)s, %(kind)s, %(tick)s, array_fill(0, ARRAY[{TICKS}]) || 1, %(now)s)
ON CONFLICT (subject, kind) DO UPDATE SET (tick, counts, used_at) = (
    SELECT m.tick, m.counts[:{TICKS}] || m.counts[{TICKS + 1}] + 1, excluded.used_at
    FROM ({_MOVED}) m)
WHERE (SELECT sum(n) FROM ({_MOVED}) m, unnest(m.counts) n) < %(limit)s
RETURNING true
"""  # noqa: S608 - as above
_ours: set[UUID] = set()

LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%(subject)s, 0))"
OPEN = """
INSERT INTO memory_stream (subject, stream, until) SELECT %(subject)s, %(stream)s, %(until)s
WHERE %(most)s = 0 OR %(most)s > (
    SELECT count(*) FROM memory_stream WHERE subject = %(subject)s AND until > %(now)s)
RETURNING true
"""
KEEP = """
INSERT INTO memory_stream (subject, stream, until) VALUES (%s, %s, %s)
ON CONFLICT (subject, stream) DO UPDATE SET until = excluded.until
"""


def admit(*, actor: Actor, kind: str, now: datetime) -> None:
    """Count a call of that kind; RateLimited when there were too many lately.

    One that is refused does not count. What is not limited is not counted either.
    """
    text = settings.RATE_LIMITS.get(kind, "")
    rate = rate_of(text)
    if rate is None:
        return
    subject = subject_of(actor)
    with connection.cursor() as cursor:
        cursor.execute(
            ADMIT,
            {
                "subject": subject,
                "kind": kind,
                "tick": rate.tick_of(now),
                "limit": rate.limit,
                "now": now,
            },
        )
        if cursor.fetchone() is not None:
            return
    known = RateCount.objects.filter(subject=subject, kind=kind).first()
    # None: forgotten just now.
    wait = rate.wait(known.counts, tick=known.tick, now=now) if known else 1
    raise RateLimited(
        f"this is more than {text} calls of the kind {kind}; wait for retry_after_seconds",
        kind=kind,
        limit=text,
        retry_after=wait,
    )


def subject_of(actor: Actor) -> str:
    """Return whom a call is counted for: a token or a person; for run tokens their producer.

    Or whoever starts runs would have a new limit with each.
    """
    if isinstance(actor, UserActor):
        return f"user:{actor.user_id}"
    if actor.run is not None:
        return f"runs of:{actor.producer_id}"
    return f"token:{actor.token_id}"


def open_stream(*, actor: Actor, now: datetime) -> UUID:
    """Count a stream in (RateLimited: the caller has as many open as it may)."""
    most, stream = settings.LIVE_STREAMS_PER_CALLER, uuid4()
    opened: dict[str, Any] = {
        "subject": subject_of(actor),
        "stream": stream,
        "until": _until(now),
        "most": most,
        "now": now,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        # Of one caller one at a time: each sees the streams that were counted in before it.
        cursor.execute(LOCK, opened)
        cursor.execute(OPEN, opened)
        is_open = cursor.fetchone() is not None
    if not is_open:
        raise RateLimited(
            f"there are {most} open streams of this caller; close one",
            kind="stream",
            limit=str(most),
            retry_after=math.ceil(settings.LIVE_KEEP_ALIVE_SECONDS),
        )
    _ours.add(stream)
    return stream


def keep_stream(*, actor: Actor, stream: UUID, now: datetime) -> None:
    """Say that a stream is still followed."""
    with connection.cursor() as cursor:
        cursor.execute(KEEP, [subject_of(actor), stream, _until(now)])


def close_stream(*, actor: Actor, stream: UUID) -> None:
    """Count a stream out."""
    OpenStream.objects.filter(subject=subject_of(actor), stream=stream).delete()
    _ours.discard(stream)


def close_all_streams() -> None:
    """Count out what this process streams: it ends. Those of a killed one run out."""
    if _ours:
        OpenStream.objects.filter(stream__in=list(_ours)).delete()
        connection.close()


def forget(*, now: datetime) -> int:
    """Delete the counts that nobody moves any more; return how many."""
    counts, _ = RateCount.objects.filter(used_at__lt=now - KEPT).delete()
    streams, _ = OpenStream.objects.filter(until__lte=now).delete()
    return counts + streams


def _until(now: datetime) -> datetime:
    return now + timedelta(seconds=MISSED * settings.LIVE_KEEP_ALIVE_SECONDS)
