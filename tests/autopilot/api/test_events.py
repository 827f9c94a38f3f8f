"""What a session told, in pages and as a stream (SPEC A10, E3). Open streams: tests/faults."""

import json
from datetime import datetime
from typing import Any

import pytest
from rest_framework.test import APIClient

from autopilot.models import Session
from tests.autopilot.sessions import make_session, tell, texts_of
from tests.desk import Desk

STREAM = "text/event-stream"
TEXTS = [f"event {number}" for number in range(1, 11)]


@pytest.fixture
def session(desk: Desk, now: datetime) -> Session:
    """Return an open session that has told ten events."""
    return tell(make_session(desk, now=now), *TEXTS, now=now)


def path(session: Session, query: str = "") -> str:
    return f"/api/v1/ai/autopilot/{session.id}/events/{query}"


def page_of(client: APIClient, url: str) -> dict[str, Any]:
    answer = client.get(url)
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    assert list(body) == ["next", "previous", "results"]
    return body


@pytest.mark.spec("A10", "E3")
def test_events_are_told_in_order_with_all_that_is_known_of_them(
    desk: Desk, session: Session, now: datetime
) -> None:
    events = page_of(desk.client(), path(session))["results"]
    assert [event["seq"] for event in events] == list(range(1, 11))
    assert events[0] == {
        "seq": 1,
        "kind": "noted",
        "step": "research",
        "iteration": 0,
        "text": "event 1",
        "data": {"length": 7},
        "at": now.isoformat().replace("+00:00", "Z"),
    }


@pytest.mark.spec("A10", "E3")
@pytest.mark.parametrize("limit", [1, 3, 10, 200])
def test_pages_join_to_the_whole_and_end_with_the_session(
    desk: Desk, session: Session, now: datetime, limit: int
) -> None:
    tell(session, "the end", now=now, end="succeeded")
    found, url, sizes = [], path(session, f"?limit={limit}"), []
    while url:
        page = page_of(desk.client(), url)
        found += texts_of(page["results"])
        sizes.append(len(page["results"]))
        url = page["next"]
    assert found == [*TEXTS, "the end"]
    assert all(size == limit for size in sizes[:-1])


@pytest.mark.spec("A10", "E3")
def test_next_of_an_open_session_leads_to_what_is_still_to_come(
    desk: Desk, session: Session, now: datetime
) -> None:
    client = desk.client()
    page = page_of(client, path(session))
    page = page_of(client, page["next"])
    assert page["results"] == []
    tell(session, "more", now=now)
    page = page_of(client, page["next"])
    assert texts_of(page["results"]) == ["more"]
    tell(session, "the end", now=now, end="cancelled")
    page = page_of(client, page["next"])
    assert (texts_of(page["results"]), page["next"]) == (["the end"], None)


@pytest.mark.spec("A10", "E3")
def test_previous_leads_back_without_repeating_anything(desk: Desk, session: Session) -> None:
    client = desk.client()
    page = page_of(client, path(session, "?after=7&limit=3"))
    found: list[str] = []
    while True:
        found = texts_of(page["results"]) + found
        if page["previous"] is None:
            break
        page = page_of(client, page["previous"])
    assert found == TEXTS


@pytest.mark.spec("E3", "R9")
@pytest.mark.parametrize(
    "query", ["after=-1", "after=x", "after=", "limit=0", "limit=201", "limit=1.5", "seq=1"]
)
def test_a_wrong_parameter_is_named(desk: Desk, session: Session, query: str) -> None:
    answer = desk.client().get(path(session, f"?{query}"))
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == [query.partition("=")[0]]


@pytest.mark.spec("A10", "E3")
def test_the_last_event_id_wins_and_must_be_one(desk: Desk, session: Session) -> None:
    def read(last: str) -> Any:
        return desk.client().get(path(session, "?after=2"), headers={"Last-Event-ID": last})

    assert texts_of(read("8").json()["results"]) == TEXTS[8:]
    for wrong in ("x", "-1", "", "9" * 30):
        assert read(wrong).status_code == 400
        assert list(read(wrong).json()["fields"]) == ["Last-Event-ID"]


@pytest.mark.spec("A10")
@pytest.mark.parametrize(
    ("accept", "streams"),
    [
        (STREAM, True),
        (f"{STREAM}, application/json;q=0.5", True),
        (f"{STREAM};q=0.5, application/json", False),
        (f"application/json, {STREAM};q=0", False),
        ("*/*", False),
        ("text/*", True),
        ("application/json", False),
        ("text/html", False),
    ],
)
def test_a_stream_is_for_those_who_prefer_one(
    desk: Desk, session: Session, now: datetime, accept: str, streams: bool
) -> None:
    tell(session, now=now, end="succeeded")
    answer = desk.client().get(path(session), headers={"Accept": accept})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == (STREAM if streams else "application/json")
    assert "Accept" in answer.headers["Vary"]


@pytest.mark.spec("A10", "O2")
def test_the_stream_of_an_ended_session_is_whole_and_then_over(
    desk: Desk, session: Session, now: datetime
) -> None:
    tell(session, 'line\nbreaks\r\u2028\x85, "quotes" and ⟦x⟧', now=now, end="succeeded")
    client = desk.client()
    answer = client.get(path(session, "?after=9"), headers={"Accept": STREAM})
    assert answer.headers["Cache-Control"] == "no-cache, no-transform"
    assert answer.headers["X-Accel-Buffering"] == "no"
    hello, *blocks, rest = answer.content.decode().split("\n\n")
    assert hello == "retry: 1000\n: connected"
    assert rest == ""
    assert answer.content.decode().splitlines() == answer.content.decode()[:-1].split("\n")
    assert [block.partition("\n")[0] for block in blocks] == ["id: 10", "id: 11"]
    events = [json.loads(block.partition("\ndata: ")[2]) for block in blocks]
    assert events == page_of(client, path(session, "?after=9"))["results"]
    over = client.get(path(session), headers={"Accept": STREAM, "Last-Event-ID": "11"})
    assert (over.status_code, over.content) == (204, b"")


@pytest.mark.spec("A10")
def test_the_head_of_a_stream_never_streams(desk: Desk, session: Session) -> None:
    answer = desk.client().head(path(session), headers={"Accept": STREAM})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"


@pytest.mark.spec("A10", "X1", "C10", "E2")
@pytest.mark.parametrize("accept", [STREAM, "application/json"])
def test_errors_are_the_same_json_in_both_forms(
    desk: Desk, other: Desk, session: Session, accept: str
) -> None:
    for client, status, code in (
        (desk.client("trading"), 403, "not_this_role"),
        (other.client(), 404, "not_found"),
        (other.client("trading"), 404, "not_found"),
        (APIClient(), 401, "not_authenticated"),
    ):
        answer = client.get(path(session), headers={"Accept": accept})
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert answer.headers["Content-Type"] == "application/json"


@pytest.mark.spec("E8")
def test_both_spellings_of_the_path_answer_alike(desk: Desk, session: Session) -> None:
    slashed = desk.client().get(path(session)).json()
    assert desk.client().get(path(session).removesuffix("/")).json() == slashed
