"""Windows of time to browse: rolling ones, and inclusive ranges of local calendar dates (SPEC O1).

A window is half-open in UTC. A local day begins at the first instant whose local date is that day
or later, so days of 23, 24.5 or 25 hours, missing and doubled midnights, and days that a zone
skipped (0 hours) all come out of one rule. The next day is found on the calendar, never by
adding hours.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

ROLLING: dict[str, timedelta] = {
    "1h": timedelta(hours=1),
    "6h": timedelta(hours=6),
    "24h": timedelta(hours=24),
}
FIRST_YEAR, LAST_YEAR = 1971, 9998
"""Beyond these, zones have no rules worth the name, or a day has no next one."""
NOT_ZONES = {"localtime", "Factory", "posixrules"}
"""Files beside the zones: what the server's own clock is set to is nobody's zone."""

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Window:
    """From `start` until before `end`; without an `end` it is open."""

    start: datetime
    end: datetime | None = None

    @property
    def is_empty(self) -> bool:
        """Tell whether no instant is in it: its only day does not exist in its zone."""
        return self.end is not None and self.end <= self.start


def rolling(name: str, *, now: datetime) -> Window:
    """Return the last hours before `now` (KeyError: unknown)."""
    return Window(now - ROLLING[name])


def local_days(first: date, last: date, *, zone: ZoneInfo) -> Window:
    """Return the days from `first` through `last` as they were or will be in `zone`."""
    return Window(day_start(first, zone), day_start(last + timedelta(days=1), zone))


def day_start(day: date, zone: ZoneInfo) -> datetime:
    """Return the first instant, in UTC, whose local date is `day` or later."""
    return datetime.combine(day, time.min, tzinfo=zone).astimezone(UTC)


@cache
def zone_names() -> frozenset[str]:
    """Return the names of the time zone database; browsers also send the old ones."""
    return frozenset(available_timezones() - NOT_ZONES)


def zone_of(name: str) -> ZoneInfo:
    """Return a zone by its exact name (ValueError).

    Names are looked up in the list first: what is given to ZoneInfo becomes a path.
    """
    if name not in zone_names():
        raise ValueError("is not the name of a time zone, e.g. Europe/Berlin")
    return ZoneInfo(name)


def day_of(text: str) -> date:
    """Read a calendar date as YYYY-MM-DD (ValueError: malformed, no such day, or too far away)."""
    if not _DAY.fullmatch(text):
        raise ValueError("must be a calendar date, YYYY-MM-DD")
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise ValueError("is not a day of the calendar") from error
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise ValueError(f"must lie in the years {FIRST_YEAR} to {LAST_YEAR}")
    return day
