"""Types with counts, in the time filter of the list (SPEC E3, E6, O1)."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given

from memory.models import Record
from memory.selectors import types
from tests.desk import Desk
from tests.memory.browse_oracle import BROWSING, History, make_history, times

BROWSED = {"observation", "preference", "strategy_insight"}


@pytest.fixture
def history(desk: Desk, now: datetime) -> History:
    return make_history(desk, seed=4, now=now)


def listed(desk: Desk, **asked: Any) -> list[dict[str, Any]]:
    """Follow `next` to the end."""
    found: list[dict[str, Any]] = []
    url = desk.path(f"memory-types/?{urlencode(asked)}")
    while url:
        page = desk.client().get(url).json()
        found += page["results"]
        url = page["next"]
    return found


def oracle(history: History, asked: dict[str, str]) -> list[dict[str, Any]]:
    """Count what the plain loop shows."""
    shown = set(history.oracle(asked))
    records = Record.objects.filter(agent=history.desk.agent)
    counts = Counter(one.type for one in records if str(one.id) in shown)
    return [{"type": type_, "count": counts[type_], "more": False} for type_ in sorted(counts)]


@pytest.mark.spec("E6", "O1", "M3")
def test_the_types_and_counts_are_those_of_the_list_in_the_same_time(history: History) -> None:
    assert {one["type"] for one in listed(history.desk)} == BROWSED

    @BROWSING
    @given(asked=times())
    def hold(asked: dict[str, str]) -> None:
        assert listed(history.desk, **asked) == oracle(history, asked), asked

    hold()


@pytest.mark.spec("O1")
def test_a_type_without_records_in_the_window_is_not_listed(desk: Desk, now: datetime) -> None:
    desk.write(now=now - timedelta(hours=2), type="older")
    desk.write(now=now, type="newer")
    assert [one["type"] for one in listed(desk, window="1h")] == ["newer"]
    assert [one["type"] for one in listed(desk, window="6h")] == ["newer", "older"]


@pytest.mark.spec("E3", "E6")
@pytest.mark.parametrize("limit", [1, 2, 7, 200])
def test_pages_of_types_join_to_the_whole_and_lead_back(
    desk: Desk, now: datetime, limit: int
) -> None:
    for number in range(7):
        for _ in range(number % 3 + 1):
            desk.write(now=now, type=f"kind_{number}")
    found = listed(desk, limit=limit)
    assert [(one["type"], one["count"]) for one in found] == [
        (f"kind_{number}", number % 3 + 1) for number in range(7)
    ]
    client = desk.client()
    first = client.get(desk.path(f"memory-types/?limit={limit}")).json()
    assert first["previous"] is None
    if first["next"]:
        second = client.get(first["next"]).json()
        assert client.get(second["previous"]).json()["results"] == first["results"]


@pytest.mark.spec("E6")
def test_a_count_stops_at_its_cap_and_says_so(
    desk: Desk, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(types, "COUNTED", 2)
    for type_, number in (("few", 2), ("many", 3)):
        for _ in range(number):
            desk.write(now=now, type=type_)
    assert listed(desk) == [
        {"type": "few", "count": 2, "more": False},
        {"type": "many", "count": 2, "more": True},
    ]


@pytest.mark.spec("E6", "R15")
def test_a_withdrawn_record_counts_as_it_is_listed_and_an_erased_one_does_not(
    desk: Desk, now: datetime
) -> None:
    withdrawn, erased = (desk.write(now=now, type="note") for _ in range(2))
    desk.withdraw(withdrawn.id, now=now)
    desk.erase(erased.id, now=now)
    assert listed(desk) == [{"type": "note", "count": 1, "more": False}]


@pytest.mark.spec("E3")
@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("type=note", "type"),
        ("window=2h", "window"),
        ("tz=UTC&from=2026-09-01", "to"),
        ("limit=0", "limit"),
        ("cursor=x", "cursor"),
    ],
)
def test_only_the_time_filter_is_taken(desk: Desk, query: str, place: str) -> None:
    response = desk.client().get(desk.path(f"memory-types/?{query}"))
    assert response.status_code == 400
    assert list(response.json()["fields"]) == [place]


@pytest.mark.spec("E3", "X1")
def test_a_cursor_of_the_records_is_none_of_the_types(desk: Desk, now: datetime) -> None:
    for type_ in ("one", "two"):
        desk.write(now=now, type=type_)
    client = desk.client()
    page = client.get(desk.path("memories/?limit=1")).json()
    cursor = page["next"].partition("cursor=")[2]
    assert client.get(desk.path(f"memory-types/?limit=1&cursor={cursor}")).status_code == 400


@pytest.mark.spec("E3")
def test_a_page_of_types_costs_one_statement_for_all_of_them(
    history: History, django_assert_num_queries: Any
) -> None:
    client = history.desk.client()
    client.get(history.desk.path("memory-types/"))
    for query in ("", "?limit=1", "?window=24h"):
        with django_assert_num_queries(3):
            client.get(history.desk.path(f"memory-types/{query}"))


@pytest.mark.spec("C10")
def test_the_trading_role_may_not_list_types(desk: Desk) -> None:
    response = desk.client("trading").get(desk.path("memory-types/"))
    assert (response.status_code, response.json()["code"]) == (403, "not_this_role")
