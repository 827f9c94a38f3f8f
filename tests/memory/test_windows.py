"""Windows of time: rolling, and local calendar days in any zone on any odd day (SPEC O1)."""

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from memory.errors import ValidationFailed
from memory.policies.windows import day_start, local_days, zone_names, zone_of
from memory.schemas.browsing import BrowseQuery

NOW = datetime(2026, 9, 30, 12, 1, 7, tzinfo=UTC)
ODD_DAYS: list[tuple[str, str, str, str, float]] = [
    # zone, day, from and until before in UTC, hours
    ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00", "2026-03-29T22:00", 23),
    ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00", "2026-10-25T23:00", 25),
    ("America/New_York", "2026-03-08", "2026-03-08T05:00", "2026-03-09T04:00", 23),
    ("America/New_York", "2026-11-01", "2026-11-01T04:00", "2026-11-02T05:00", 25),
    ("Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00", "2026-04-05T13:30", 24.5),
    ("Australia/Lord_Howe", "2026-10-04", "2026-10-03T13:30", "2026-10-04T13:00", 23.5),
    ("Pacific/Apia", "2011-12-29", "2011-12-29T10:00", "2011-12-30T10:00", 24),
    ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00", "2011-12-30T10:00", 0),
    ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00", "2011-12-31T10:00", 24),
    ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00", "2018-11-05T02:00", 23),
    ("America/Sao_Paulo", "2018-02-17", "2018-02-17T02:00", "2018-02-18T03:00", 25),
    ("Asia/Beirut", "2026-03-29", "2026-03-28T22:00", "2026-03-29T21:00", 23),
    ("Asia/Beirut", "2026-10-24", "2026-10-23T21:00", "2026-10-24T22:00", 25),
    ("America/Havana", "2026-11-01", "2026-11-01T04:00", "2026-11-02T05:00", 25),
    ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00", "2026-04-24T21:00", 23),
    ("Asia/Gaza", "2023-04-29", "2023-04-28T22:00", "2023-04-29T21:00", 23),
    ("UTC", "2026-02-28", "2026-02-28T00:00", "2026-03-01T00:00", 24),
]


def days(first: str, last: str, tz: str) -> dict[str, str]:
    return {"from": first, "to": last, "tz": tz}


@pytest.mark.spec("O1")
@pytest.mark.parametrize(("tz", "day", "start", "end", "hours"), ODD_DAYS)
def test_a_local_day_is_as_long_as_its_zone_made_it(
    tz: str, day: str, start: str, end: str, hours: float
) -> None:
    window = BrowseQuery.parse(days(day, day, tz)).period(now=NOW)
    assert window is not None
    assert window.end is not None
    assert window.start == datetime.fromisoformat(start).replace(tzinfo=UTC)
    assert window.end == datetime.fromisoformat(end).replace(tzinfo=UTC)
    assert (window.end - window.start) == timedelta(hours=hours)
    assert window.is_empty is (hours == 0)


@pytest.mark.spec("O1")
def test_every_minute_of_years_lies_in_the_day_that_its_zones_clock_shows() -> None:
    dice = random.Random(11)
    zones = sorted(zone_names())
    for _ in range(4_000):
        zone = ZoneInfo(dice.choice(zones))
        moment = datetime(1971, 1, 2, tzinfo=UTC) + timedelta(
            minutes=dice.randrange(66 * 365 * 24 * 60)
        )
        day = moment.astimezone(zone).date()
        window = local_days(day, day, zone=zone)
        assert window.end is not None
        assert window.start <= moment < window.end, (zone, moment)


@pytest.mark.spec("O1")
@pytest.mark.parametrize("tz", ["Pacific/Apia", "Europe/Berlin", "Australia/Lord_Howe", "UTC"])
def test_days_join_without_gap_or_overlap(tz: str) -> None:
    zone, day = ZoneInfo(tz), date(2011, 1, 1)
    while day < date(2013, 1, 1):
        following = day + timedelta(days=1)
        window = local_days(day, day, zone=zone)
        assert window.start == day_start(day, zone) <= day_start(following, zone) == window.end
        day = following


@pytest.mark.spec("O1")
def test_a_range_is_inclusive_at_both_ends() -> None:
    window = BrowseQuery.parse(days("2026-03-28", "2026-03-30", "Europe/Berlin")).period(now=NOW)
    assert window is not None
    assert window.start == datetime(2026, 3, 27, 23, tzinfo=UTC)
    assert window.end == datetime(2026, 3, 30, 22, tzinfo=UTC)


@pytest.mark.spec("O1")
@pytest.mark.parametrize(("name", "hours"), [("1h", 1), ("6h", 6), ("24h", 24)])
def test_a_rolling_window_reaches_back_from_now_and_is_open(name: str, hours: int) -> None:
    window = BrowseQuery.parse({"window": name}).period(now=NOW)
    assert window is not None
    assert (window.start, window.end) == (NOW - timedelta(hours=hours), None)


@pytest.mark.spec("O1")
def test_no_time_filter_is_no_window() -> None:
    assert BrowseQuery.parse({"type": "note"}).period(now=NOW) is None


@pytest.mark.spec("O1")
@pytest.mark.parametrize("tz", ["Asia/Calcutta", "US/Pacific", "Etc/GMT+5", "GMT", "Asia/Kolkata"])
def test_old_names_that_browsers_send_are_names(tz: str) -> None:
    assert zone_of(tz).key == tz


@pytest.mark.spec("O1", "E3")
@pytest.mark.parametrize(
    "tz",
    [
        "../../etc/passwd",
        "/etc/localtime",
        "Europe",
        "Europe/",
        "Europe/Berlin ",
        "utc ",
        "europe/berlin",
        "localtime",
        "Factory",
        "posixrules",
        "Mars/Olympus",
        "CET-1CEST",
        "+02:00",
        "x" * 5_000,
        "a\x00b",
        "\ud800",
        "",
    ],
)
def test_what_is_no_zone_is_named_and_nothing_is_shown(tz: str) -> None:
    with pytest.raises(ValidationFailed) as refused:
        BrowseQuery.parse(days("2026-03-01", "2026-03-01", tz))
    assert list(refused.value.errors) == ["tz"]


BAD: list[tuple[dict[str, Any], list[str]]] = [
    ({"window": "2h"}, ["window"]),
    ({"window": ""}, ["window"]),
    ({"window": "1h", "tz": "UTC"}, ["window"]),
    ({"window": "1h", **days("2026-03-01", "2026-03-01", "UTC")}, ["window"]),
    ({"from": "2026-03-01"}, ["to", "tz"]),
    ({"to": "2026-03-01"}, ["from", "tz"]),
    ({"tz": "UTC"}, ["from", "to"]),
    ({"from": "2026-03-01", "to": "2026-03-01"}, ["tz"]),
    ({"from": "2026-03-01", "tz": "UTC"}, ["to"]),
    ({"to": "2026-03-01", "tz": "UTC"}, ["from"]),
    (days("2026-03-02", "2026-03-01", "UTC"), ["to"]),
    (days("2026-02-30", "2026-03-01", "UTC"), ["from"]),
    (days("2026-3-1", "2026-03-01", "UTC"), ["from"]),
    (days("2026-03-01", "20260301", "UTC"), ["to"]),
    (days("2026-03-01", "2026-03-01T00:00", "UTC"), ["to"]),
    (days("2026-W10-1", "2026-03-01", "UTC"), ["from"]),
    (days("1772323200", "2026-03-01", "UTC"), ["from"]),
    (days("\u0662\u0660\u0662\u0666-03-01", "2026-03-01", "UTC"), ["from"]),
    (days("1970-12-31", "2026-03-01", "UTC"), ["from"]),
    (days("2026-03-01", "9999-01-01", "UTC"), ["to"]),
    (days("0000-01-01", "2026-03-01", "UTC"), ["from"]),
    (days("", "2026-03-01", "UTC"), ["from"]),
    ({"from": 20_260_301, "to": "2026-03-01", "tz": "UTC"}, ["from"]),
]


@pytest.mark.spec("O1", "E3")
@pytest.mark.parametrize(("asked", "places"), BAD)
def test_each_bad_combination_names_what_is_wrong(asked: dict[str, Any], places: list[str]) -> None:
    with pytest.raises(ValidationFailed) as refused:
        BrowseQuery.parse(asked)
    assert list(refused.value.errors) == places


@pytest.mark.spec("O1")
def test_the_first_and_the_last_day_that_can_be_asked_for_are_days() -> None:
    for tz in ("Pacific/Kiritimati", "Etc/GMT+12", "UTC"):
        for day in ("1971-01-01", "9998-12-31"):
            window = BrowseQuery.parse(days(day, day, tz)).period(now=NOW)
            assert window is not None
            assert not window.is_empty
