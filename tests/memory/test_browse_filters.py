"""Filters of the record list, held against a plain loop over what was written (SPEC E3, E6, O1)."""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given

from memory.models import Standing
from memory.policies.vocabulary import TIERS
from memory.selectors import browsing
from tests.desk import Desk, make_instrument
from tests.mcp_bridge.clients import call
from tests.memory.browse_oracle import BROWSING, History, make_history, move, questions
from tests.strategies import remember


@pytest.fixture(params=[1, 2])
def history(request: pytest.FixtureRequest, desk: Desk, now: datetime) -> History:
    """Return a random history, and what a plain loop finds in it."""
    return make_history(desk, seed=request.param, now=now)


def walk(desk: Desk, asked: dict[str, str], *, limit: int = 3) -> tuple[list[str], list[int]]:
    """Follow `next` to the end; return the ids in order and the size of each page."""
    ids: list[str] = []
    sizes: list[int] = []
    url = desk.path(f"memories/?{urlencode({**asked, 'limit': limit})}")
    while url:
        page = desk.client().get(url).json()
        ids += [one["id"] for one in page["results"]]
        sizes.append(len(page["results"]))
        url = page["next"]
    return ids, sizes


@pytest.mark.spec("E3", "E6", "O1", "M3")
@pytest.mark.parametrize("few", [browsing.FEW, 1], ids=["few", "many"])
def test_any_filters_show_what_a_plain_loop_finds_in_full_pages(
    history: History, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsing, "FEW", few)

    @BROWSING
    @given(asked=questions())
    def hold(asked: dict[str, str]) -> None:
        ids, sizes = walk(history.desk, asked, limit=5)
        assert ids == history.oracle(asked), asked
        assert all(size == 5 for size in sizes[:-1])

    hold()
    assert len(walk(history.desk, {}, limit=200)[0]) > 30


@pytest.mark.spec("E3", "E6", "B3")
def test_an_instrument_that_is_none_is_refused_with_what_was_meant(
    desk: Desk, now: datetime, settings: Any
) -> None:
    settings.MCP_ORM_THREADS = 0
    make_instrument("xyz:AAPL", now=now)
    make_instrument("GONE", now=now, is_active=False)
    for name, told in (
        ("AAPL", "AAPL is no known instrument; did you mean xyz:AAPL?"),
        ("eth", "eth is no known instrument; did you mean ETH?"),
        ("%%%", "%%% is no known instrument; manage.py sync_instruments brings more"),
    ):
        rest = desk.client().get(desk.path("memories/"), {"instrument": name})
        assert rest.status_code == 400
        assert rest.json()["fields"] == {"instrument": [told]}
        tool = call(desk.tokens["analysis"], "list_memories", {"instrument": name}).body
        assert tool == rest.json()
    # What is delisted or not selected is known.
    for name in ("GONE", "xyz:AAPL"):
        rest = desk.client().get(desk.path("memories/"), {"instrument": name})
        assert (rest.status_code, rest.json()["results"]) == (200, [])


@pytest.mark.spec("E3")
@pytest.mark.parametrize(
    "asked",
    [
        {"instrument": "ETH"},
        {"q": "falcon"},
        {"tag": "calm"},
        {"window": "24h"},
        {"scope": "agent"},
    ],
    ids=lambda asked: next(iter(asked)),
)
def test_filtered_pages_neither_skip_nor_repeat_while_matching_records_arrive(
    history: History, asked: dict[str, str]
) -> None:
    before = history.oracle(asked)
    url = history.desk.path(f"memories/?{urlencode({**asked, 'limit': 2})}")
    found: list[str] = []
    number = 0
    while url:
        page = history.desk.client().get(url).json()
        found += [one["id"] for one in page["results"]]
        url = page["next"]
        number += 1
        history.desk.write(
            now=history.now + timedelta(seconds=number),
            content="falcon",
            tags=["calm"],
            instruments=[] if asked.get("scope") == "agent" else ["ETH"],
        )
    assert found == before
    assert len(history.oracle(asked)) == len(before) + number


@pytest.mark.spec("E3")
def test_previous_leads_back_through_filtered_pages(history: History) -> None:
    client, path = history.desk.client(), history.desk.path("memories/?instrument=ETH&limit=4")
    first = client.get(path).json()
    second = client.get(first["next"]).json()
    assert client.get(second["previous"]).json()["results"] == first["results"]


@pytest.mark.spec("E3")
@pytest.mark.parametrize(
    ("asked", "statements"),
    [({"instrument": "ETH", "tag": "calm", "window": "24h"}, 6), ({"q": "falcon harbor"}, 6)],
    ids=str,
)
def test_filters_cost_the_same_statements_whatever_the_length_of_the_page(
    history: History, asked: dict[str, str], statements: int, django_assert_num_queries: Any
) -> None:
    client = history.desk.client()
    client.get(history.desk.path("memories/?limit=1"))
    for limit in (1, 30):
        with django_assert_num_queries(statements):
            path = history.desk.path(f"memories/?{urlencode({**asked, 'limit': limit})}")
            assert client.get(path).status_code == 200


@pytest.mark.spec("O1")
@pytest.mark.parametrize(
    ("tz", "day", "halves"),
    [
        ("Europe/Berlin", "2026-03-29", 46),
        ("Europe/Berlin", "2026-03-28", 48),
        ("Australia/Lord_Howe", "2026-04-05", 49),
        ("Asia/Beirut", "2026-03-29", 46),
    ],
)
def test_a_day_shows_each_record_of_its_own_length_and_no_other(
    desk: Desk, tz: str, day: str, halves: int
) -> None:
    noon = datetime.fromisoformat(f"{day}T12:00").replace(tzinfo=ZoneInfo(tz)).astimezone(UTC)
    for half_hours in range(-30, 31):
        desk.write(now=noon + timedelta(minutes=30 * half_hours))
    ids, _ = walk(desk, {"from": day, "to": day, "tz": tz}, limit=200)
    assert len(ids) == halves


@pytest.mark.spec("O1")
def test_a_day_that_does_not_exist_is_an_empty_list(desk: Desk) -> None:
    moment = datetime(2011, 12, 30, 10, tzinfo=UTC)
    for minutes in (-1, 0, 1):
        desk.write(now=moment + timedelta(minutes=minutes))
    day = {"from": "2011-12-30", "to": "2011-12-30", "tz": "Pacific/Apia"}
    assert walk(desk, day) == ([], [0])
    assert len(walk(desk, {**day, "from": "2011-12-29", "to": "2011-12-31"})[0]) == 3


@pytest.mark.spec("E3", "O1")
@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("q=", ["q"]),
        ("q=the+of", ["q"]),
        ("q=...", ["q"]),
        ("q=%00", ["q"]),
        ("q=" + "x" * 401, ["q"]),
        ("tag=", ["tag"]),
        ("tag=+", ["tag"]),
        ("tag=%00", ["tag"]),
        ("window=7h", ["window"]),
        ("window=1h&tz=UTC", ["window"]),
        ("from=2026-09-01", ["to", "tz"]),
        ("from=2026-09-02&to=2026-09-01&tz=UTC", ["to"]),
        ("from=2026-09-31&to=2026-10-01&tz=UTC", ["from"]),
        ("from=2026-09-01&to=2026-09-01&tz=Nowhere", ["tz"]),
        ("from=2026-09-01&to=2026-09-01&tz=Etc/GMT+5", ["tz"]),
        ("tz=UTC&tz=UTC", ["tz"]),
    ],
)
def test_a_bad_filter_is_a_400_over_both_interfaces_and_shows_nothing(
    desk: Desk, now: datetime, query: str, places: list[str]
) -> None:
    desk.write(now=now)
    response = desk.client().get(desk.path(f"memories/?{query}"))
    assert response.status_code == 400
    assert list(response.json()["fields"]) == places


@pytest.mark.spec("M3")
@pytest.mark.parametrize("type_", TIERS)
def test_what_strategy_memory_forgot_is_out_of_the_list_and_its_own_route_at_once(
    desk: Desk, now: datetime, type_: str
) -> None:
    id_ = remember(desk, now=now - timedelta(hours=1), type=type_)
    path = desk.path(f"memories/{id_}/")
    assert walk(desk, {}) == ([str(id_)], [1])
    assert desk.client().get(path).status_code == 200
    move(desk, id_, now=now, expires_at=now)
    assert walk(desk, {}) == ([], [0])
    assert desk.client().get(path).status_code == 404
    assert Standing.objects.filter(record_id=id_).exists()


@pytest.mark.spec("E6")
def test_a_tag_is_asked_for_as_it_is_stored(desk: Desk, now: datetime) -> None:
    id_ = str(desk.write(now=now, tags=[" Calm Sea "]).id)
    assert walk(desk, {"tag": "CALM SEA "}) == ([id_], [1])
