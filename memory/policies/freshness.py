"""When a record stops being fresh (SPEC F1-F4, F6-F8; S0 "Analysis research").

Policies are a registry of named, versioned rules. A stored deadline is never computed again, so
a rule, once released, keeps its name and meaning for ever.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from memory.policies.timeframes import SCHEDULES

UNSCHEDULED_LIFE = timedelta(minutes=30)
CYCLES = 2
MAX_VALID_SECONDS = 31_536_000
CONTROLS = ("stale_after", "expiry_policy", "valid_for_seconds")


@dataclass(frozen=True, slots=True)
class RunClock:
    """What a deadline may depend on: the run's frozen schedule and its evidence boundary."""

    schedule: str | None
    boundary: datetime | None


class MalformedValidity(ValueError):
    """Explicit validity that cannot be read; `key` names the metadata key."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


def schedule_v2(run: RunClock, *, created_at: datetime) -> datetime:
    """Two cycles of the run's schedule from its boundary; unscheduled, 30 minutes from writing."""
    if run.schedule is None or run.boundary is None:
        return created_at + UNSCHEDULED_LIFE
    return run.boundary + CYCLES * SCHEDULES[run.schedule]


def schedule_v3(run: RunClock, *, created_at: datetime) -> datetime:
    """Two cycles of the run's schedule from writing; unscheduled, 30 minutes from writing."""
    if run.schedule is None:
        return created_at + UNSCHEDULED_LIFE
    return created_at + CYCLES * SCHEDULES[run.schedule]


class Rule(Protocol):
    """A policy: from the run's clock and the time of writing to the deadline."""

    def __call__(self, run: RunClock, *, created_at: datetime) -> datetime:
        """Return the deadline."""
        ...


STAMPABLE: dict[str, Rule] = {
    "analysis_schedule_v2": schedule_v2,
    "analysis_schedule_v3": schedule_v3,
}
READ_ONLY = frozenset({"analysis_schedule_v1"})
"""Policies of history that are read and never stamped (SPEC F5)."""
KNOWN = (*STAMPABLE, *sorted(READ_ONLY))

IMPORTED_LIVES = {
    "15m": timedelta(minutes=30),
    "1h": timedelta(hours=2),
    "1d": timedelta(hours=48),
}
IMPORTED_LIFE = timedelta(minutes=30)


def stamp(
    metadata: dict[str, Any], *, policy: str, run: RunClock, created_at: datetime
) -> tuple[dict[str, Any], datetime]:
    """Return an analysis record's metadata with the server's deadline, and the deadline (F1).

    Whatever the caller supplied for the three controls is replaced or removed, even malformed.
    KeyError: `policy` is not one that may be stamped.
    """
    deadline = STAMPABLE[policy](run, created_at=created_at)
    kept = {key: value for key, value in metadata.items() if key not in CONTROLS}
    return {**kept, "stale_after": iso(deadline), "expiry_policy": policy}, deadline


def explicit_deadline(metadata: dict[str, Any], *, now: datetime) -> datetime | None:
    """Return the deadline that a non-analysis write asks for, or None (SPEC F6).

    `stale_after` wins over `valid_for_seconds`; each is checked when present.
    MalformedValidity: one of them cannot be read or lies in the past.
    """
    seconds, moment = metadata.get("valid_for_seconds"), metadata.get("stale_after")
    deadline: datetime | None = None
    if "valid_for_seconds" in metadata:
        deadline = now + _duration(seconds)
    if "stale_after" in metadata:
        deadline = _moment(moment, now=now)
    return deadline


def imported_deadline(
    metadata: dict[str, Any],
    *,
    is_analysis: bool,
    has_run: bool,
    timeframe: str | None,
    created_at: datetime,
) -> datetime | None:
    """Return the deadline of imported history, which keeps what it has (SPEC F5).

    Its own `stale_after`, be it past; else `valid_for_seconds` from creation; else, for analysis
    that names its run, the life of its timeframe from creation; else none. MalformedValidity.
    """
    if metadata.get("stale_after") is not None:
        return _zoned(metadata["stale_after"])
    if metadata.get("valid_for_seconds") is not None:
        return created_at + _duration(metadata["valid_for_seconds"])
    if is_analysis and has_run:
        return created_at + IMPORTED_LIVES.get(timeframe or "", IMPORTED_LIFE)
    return None


def iso(moment: datetime) -> str:
    """Return ISO 8601 in UTC with a Z, as every answer writes times."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _duration(value: Any) -> timedelta:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_VALID_SECONDS:
        raise MalformedValidity(
            "valid_for_seconds", f"must be a whole number from 1 to {MAX_VALID_SECONDS}"
        )
    return timedelta(seconds=value)


def _moment(value: Any, *, now: datetime) -> datetime:
    moment = _zoned(value)
    if moment <= now:
        raise MalformedValidity("stale_after", "must lie in the future")
    return moment


def _zoned(value: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
        if moment.utcoffset() is not None:
            return moment.astimezone(UTC)
    except (TypeError, ValueError, OverflowError) as error:
        raise MalformedValidity("stale_after", "must be an ISO 8601 time with a zone") from error
    raise MalformedValidity("stale_after", "must be an ISO 8601 time with a zone")
