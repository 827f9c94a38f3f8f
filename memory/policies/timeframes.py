"""Timeframes and the boundaries of schedules (SPEC F8).

Boundaries are the multiples of the schedule's length since the Unix epoch, in UTC.
"""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

SCHEDULES: dict[str, timedelta] = {
    "5m": timedelta(minutes=5),
    "15m": timedelta(minutes=15),
    "30m": timedelta(minutes=30),
    "1h": timedelta(hours=1),
    "2h": timedelta(hours=2),
    "4h": timedelta(hours=4),
    "8h": timedelta(hours=8),
    "12h": timedelta(hours=12),
    "1d": timedelta(days=1),
}
"""What a producer may be scheduled by."""

TIMEFRAMES: dict[str, timedelta] = {
    "1m": timedelta(minutes=1),
    "3m": timedelta(minutes=3),
    **SCHEDULES,
    "3d": timedelta(days=3),
    "1w": timedelta(days=7),
}
"""What a record or a candle series may name. Each has a fixed length (a month has none)."""


def latest_boundary(schedule: str, *, at: datetime) -> datetime:
    """Return the last boundary of `schedule` at or before `at` (KeyError: unknown schedule)."""
    length = SCHEDULES[schedule]
    return at - (at - EPOCH) % length


def is_boundary(schedule: str, moment: datetime) -> bool:
    """Tell whether `moment` is a boundary of `schedule` (KeyError: unknown schedule)."""
    return not (moment - EPOCH) % SCHEDULES[schedule]
