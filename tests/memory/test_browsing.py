"""Lists: keyset pages, filters before limits, strict parameters (SPEC E3, E8, C10)."""

import random
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from memory.models import Record
from tests.desk import Desk, note


def walk(desk: Desk, path: str) -> tuple[list[str], list[int]]:
    """Follow `next` to the end; return the ids in order and the size of each page."""
    ids, sizes, url = [], [], path
    while url:
        page = desk.client().get(url).json()
        ids += [one["id"] for one in page["results"]]
        sizes.append(len(page["results"]))
        url = page["next"]
    return ids, sizes


def timeline(desk: Desk, **filters: Any) -> list[str]:
    """Return the oracle: ids by (created_at, id), newest first."""
    records = Record.objects.filter(agent=desk.agent, **filters)
    return [
        str(one.id) for one in sorted(records, key=lambda r: (r.created_at, r.id), reverse=True)
    ]


@pytest.fixture
def history(desk: Desk, now: datetime) -> Desk:
    """Write 30 records with many equal and out-of-order times."""
    rng = random.Random(7)
    for i in range(30):
        desk.write(
            now=now + timedelta(seconds=rng.randrange(5)),
            type=rng.choice(["observation", "preference"]),
            instruments=rng.choice([[], ["ETH"], ["BTC", "ETH"]]),
            content=f"note {i}",
        )
    return desk


@pytest.mark.spec("E3", "R1")
@pytest.mark.parametrize("limit", [1, 7, 29, 30, 31, 200])
def test_pages_join_to_the_whole_timeline_and_are_full(history: Desk, limit: int) -> None:
    ids, sizes = walk(history, history.path(f"memories/?limit={limit}"))
    assert ids == timeline(history)
    assert all(size == limit for size in sizes[:-1])


@pytest.mark.spec("E3")
@pytest.mark.parametrize(
    ("query", "filters"),
    [
        ("type=preference", {"type": "preference"}),
        ("scope=agent", {"scope": "agent"}),
        ("instrument=BTC", {"targets__instrument_id": "BTC"}),
        (
            "instrument=ETH&type=observation",
            {"targets__instrument_id": "ETH", "type": "observation"},
        ),
        ("type=never_written", {"type": "never_written"}),
    ],
)
def test_filters_apply_before_the_limit(history: Desk, query: str, filters: dict[str, str]) -> None:
    ids, sizes = walk(history, history.path(f"memories/?limit=3&{query}"))
    assert ids == timeline(history, **filters)
    assert all(size == 3 for size in sizes[:-1])


@pytest.mark.spec("E3")
def test_previous_leads_back_to_the_same_rows(history: Desk) -> None:
    first = history.client().get(history.path("memories/?limit=10")).json()
    second = history.client().get(first["next"]).json()
    assert first["previous"] is None
    assert history.client().get(second["previous"]).json()["results"] == first["results"]


@pytest.mark.spec("E3")
def test_pages_neither_skip_nor_repeat_while_records_arrive(history: Desk, now: datetime) -> None:
    before = timeline(history)
    page = history.client().get(history.path("memories/?limit=10")).json()
    ids = [one["id"] for one in page["results"]]
    while page["next"]:
        history.write(now=now + timedelta(minutes=1))
        page = history.client().get(page["next"]).json()
        ids += [one["id"] for one in page["results"]]
    assert ids == before


@pytest.mark.spec("E3", "R9")
@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=201",
        "limit=-1",
        "limit=ten",
        "limit=000001999999",
        "limit=05",
        "limit=" + "9" * 5_000,
        "limit=%D9%A3",
        "limit=",
        "limit=5&limit=6",
        "cursor=x",
        "cursor=",
        "cursor=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "colour=blue",
        "type=Not%20a%20type",
        "type=note%00",
        "type=note%0A",
        "scope=world",
        "instrument=%00",
        "instrument=" + "x" * 65,
        "type=a&type=b",
    ],
)
def test_an_unknown_or_malformed_parameter_is_a_400_and_never_shows_everything(
    history: Desk, query: str
) -> None:
    response = history.client().get(history.path(f"memories/?{query}"))
    assert response.status_code == 400, response.content
    assert list(response.json()["fields"]) == [query.partition("=")[0]]


@pytest.mark.spec("E3", "R9")
def test_what_a_route_does_not_take_is_refused_with_what_it_takes(history: Desk) -> None:
    reader = history.client()
    for path in ("memories/", "context/ETH/"):
        answer = reader.get(history.path(f"{path}?symbol=ETH"))
        assert answer.status_code == 400
        (said,) = answer.json()["fields"]["symbol"]
        assert said.startswith("is no parameter of this route; it takes: ")
    answer = reader.get(history.path("memories/?symbol=ETH")).json()
    taken = answer["fields"]["symbol"][0].partition("takes: ")[2].split(", ")
    assert {"instrument", "from", "to", "limit", "cursor"} <= set(taken)
    assert "first" not in taken


@pytest.mark.spec("E3", "X1")
def test_a_cursor_is_good_for_its_own_list_alone(history: Desk, other: Desk, now: datetime) -> None:
    for i in range(3):
        other.write(now=now + timedelta(seconds=i))
    page = history.client().get(history.path("memories/?limit=1")).json()
    cursor = page["next"].partition("cursor=")[2]
    for client, path in (
        (other.client(), other.path(f"memories/?limit=1&cursor={cursor}")),
        (history.client(), history.path(f"memories/?limit=1&type=preference&cursor={cursor}")),
    ):
        assert client.get(path).status_code == 400
    assert (
        history.client().get(history.path(f"memories/?limit=2&cursor={cursor}")).status_code == 200
    )


@pytest.mark.spec("E3")
def test_a_page_costs_the_same_statements_whatever_its_length(
    history: Desk, django_assert_num_queries: Any
) -> None:
    client = history.client()
    client.get(history.path("memories/?limit=1"))
    for limit in (1, 30):
        with django_assert_num_queries(5):
            client.get(history.path(f"memories/?limit={limit}"))


@pytest.mark.spec("C10", "X1")
def test_the_trading_role_may_not_browse(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now)
    for path in (desk.path("memories/"), desk.path(f"memories/{written.id}/")):
        response = desk.client("trading").get(path)
        assert (response.status_code, response.json()["code"]) == (403, "not_this_role")


@pytest.mark.spec("E8")
def test_each_route_answers_the_same_with_and_without_its_slash(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now, instruments=["ETH"])
    for path in ("memories", f"memories/{written.id}", "context/ETH"):
        bare = desk.client().get(desk.path(path))
        slashed = desk.client().get(desk.path(f"{path}/"))
        assert bare.status_code == slashed.status_code == 200
        assert bare.json() == slashed.json()
    for path in ("memories", "runs"):
        assert (
            desk.client().post(desk.path(path), note() if path == "memories" else {}).status_code
            == 201
        )


@pytest.mark.spec("E2", "R9")
def test_a_malformed_id_in_a_path_is_a_404_in_json(desk: Desk) -> None:
    for path in (desk.path("memories/nonsense/"), "/api/v1/agents/nonsense/memories/", "/api/v1/x"):
        response = desk.client().get(path)
        assert response.status_code == 404
        assert response.json()["code"] == "not_found"
        assert response["X-Request-ID"]


@pytest.mark.spec("E2")
def test_every_answer_carries_a_request_id_and_a_wrong_method_is_a_405(desk: Desk) -> None:
    response = desk.client().delete(desk.path("memories/"))
    assert (response.status_code, response.json()["code"]) == (405, "method_not_allowed")
    assert UUID(response["X-Request-ID"]).version == 4
