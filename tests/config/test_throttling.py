"""Whoever calls too often is told to wait, over REST and MCP alike (SPEC E5, E2)."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from memory.models import RateCount, Record
from memory.services.runs import start_run_with_token
from tests.autopilot.session.bench import store_bars
from tests.desk import Desk, bearer, note
from tests.mcp_bridge.clients import call, listed


@pytest.fixture(autouse=True)
def limits(settings: Any) -> Any:
    """Set limits that are soon reached, and let the bridge work in this thread."""
    settings.RATE_LIMITS = {
        "read": "3/min",
        "write": "2/min",
        "search": "1/min",
        "session": "1/min",
    }
    settings.MCP_ORM_THREADS = 0
    return settings


def statuses(number: int, send: Callable[[], Any]) -> list[int]:
    return [send().status_code for _ in range(number)]


@pytest.mark.spec("E5", "E2")
def test_one_write_too_many_is_told_when_to_come_again_and_is_then_let_in(
    desk: Desk, now: datetime
) -> None:
    client, path = desk.client(), desk.path("memories/")
    assert statuses(2, lambda: client.post(path, note())) == [201, 201]
    refused = client.post(path, note())
    assert refused.status_code == 429
    wait = int(refused.headers["Retry-After"])
    assert refused.json() == {
        "error": "this is more than 2/min calls of the kind write; wait for retry_after_seconds",
        "code": "rate_limited",
        "kind": "write",
        "limit": "2/min",
        "retry_after_seconds": wait,
    }
    assert refused.headers["X-Request-ID"]
    assert 60 <= wait <= 62
    assert Record.objects.count() == 2
    with time_machine.travel(now + timedelta(seconds=wait - 2), tick=False):
        early = client.post(path, note())
        assert (early.status_code, early.headers["Retry-After"]) == (429, "2")
    with time_machine.travel(now + timedelta(seconds=wait), tick=False):
        assert statuses(3, lambda: client.post(path, note())) == [201, 201, 429]


@pytest.mark.spec("E5")
def test_kinds_of_calls_have_limits_of_their_own(desk: Desk, now: datetime) -> None:
    store_bars(now=now)
    client = desk.client("autopilot")
    asked = {"prompt": "breakouts that hold", "symbol": "ETH"}
    sent: dict[str, Callable[[], Any]] = {
        "session": lambda: client.post("/api/v1/ai/autopilot/", asked),
        "search": lambda: client.get(desk.path("memories/?q=calm")),
        "write": lambda: client.post(desk.path("memories/"), note(type="rule")),
        "read": lambda: client.get(desk.path("memories/")),
    }
    for kind, send in sent.items():
        limit = {"session": 1, "search": 1, "write": 2, "read": 3}[kind]
        found = statuses(limit + 1, send)
        assert found[-1] == 429, kind
        assert 429 not in found[:-1], kind
        assert send().json()["kind"] == kind


@pytest.mark.spec("E5")
def test_what_is_malformed_counts_and_what_is_refused_for_its_number_does_not(
    desk: Desk, now: datetime
) -> None:
    client, path = desk.client(), desk.path("memories/")
    assert statuses(5, lambda: client.post(path, {"x": 1})) == [400, 400, 429, 429, 429]
    with time_machine.travel(now + timedelta(seconds=62), tick=False):
        assert client.post(path, note()).status_code == 201


@pytest.mark.spec("E5", "X1")
def test_nobody_uses_up_anothers_limit(desk: Desk, other: Desk) -> None:
    path = desk.path("memories/")
    assert statuses(4, lambda: other.client().get(path)) == [404, 404, 404, 429]
    assert statuses(4, lambda: desk.client().get(path)) == [200, 200, 200, 429]
    assert desk.client("review").get(path).status_code == 200


@pytest.mark.spec("E5")
def test_a_person_is_limited_as_a_person_whatever_the_browser(desk: Desk) -> None:
    chief = User.objects.create_superuser("chief")
    staff = [APIClient(), APIClient()]
    for client in staff:
        client.force_login(chief, backend="django.contrib.auth.backends.ModelBackend")
    path = desk.path("memories/")
    for clients in (staff, [desk.browser(), desk.browser()]):
        found = [clients[number % 2].get(path).status_code for number in range(4)]
        assert found == [200, 200, 200, 429]


@pytest.mark.spec("E5", "R5", "B4")
def test_run_tokens_of_a_producer_share_a_limit(desk: Desk, now: datetime) -> None:
    found = []
    for _ in range(4):
        _, _, clear = start_run_with_token(
            producer=desk.producers["analysis"], now=now, life=timedelta(hours=1)
        )
        found.append(bearer(clear).post(desk.path("memories/"), note()).status_code)
    assert found == [201, 201, 429, 429]
    assert desk.client().post(desk.path("memories/"), note()).status_code == 201


@pytest.mark.spec("E5")
def test_who_is_not_known_is_asked_who_they_are_however_often(desk: Desk) -> None:
    path = desk.path("memories/")
    assert statuses(9, lambda: APIClient().get(path)) == [401] * 9
    assert statuses(9, lambda: bearer("feed.feed").get(path)) == [401] * 9
    assert statuses(9, lambda: APIClient().get("/health/live")) == [200] * 9
    assert statuses(9, lambda: desk.client().get("/health/ready")) == [200] * 9
    assert not RateCount.objects.exists()


@pytest.mark.spec("E5", "B3")
def test_tools_and_routes_share_a_limit_and_refuse_alike(desk: Desk) -> None:
    token, path = desk.tokens["analysis"], desk.path("memories/")
    assert call(token, "write_memory", note()).data["content"] == "a quiet market"
    assert desk.client().post(path, note()).status_code == 201
    rest = desk.client().post(path, note())
    tool = call(token, "write_memory", note())
    assert (rest.status_code, tool.body) == (429, rest.json())
    assert call(token, "start_run", {}).body["code"] == "rate_limited"
    # It may still read, and see what there is to call.
    assert not call(token, "list_memories", {}).body
    assert len(listed(token)) > 3
    assert Record.objects.count() == 2


@pytest.mark.spec("E5", "B3", "S1")
def test_the_search_tool_is_limited_as_a_search(desk: Desk) -> None:
    token = desk.tokens["review"]
    assert not call(token, "search_agent_memory", {"tags": ["momentum"]}).body
    refused = call(token, "search_agent_memory", {"tags": ["momentum"]})
    assert (refused.body["code"], refused.body["kind"]) == ("rate_limited", "search")
    assert desk.client("review").get(desk.path("memories/?q=calm")).status_code == 429
    found = [call(token, "get_learnings", {}).body.get("kind") for _ in range(4)]
    assert found == [None, None, None, "read"]


@pytest.mark.spec("E5", "B3")
def test_a_list_that_is_searched_counts_as_a_search_over_every_interface(desk: Desk) -> None:
    token = desk.tokens["review"]
    # Left out or null it is a list like any other.
    assert not call(token, "list_memories", {"q": None}).body
    assert not call(token, "list_memories", {"q": "calm"}).body
    tool = call(token, "list_memories", {"q": "calm"}).body
    assert (tool["code"], tool["kind"]) == ("rate_limited", "search")
    rest = desk.client("review").get(desk.path("memories/?q=calm"))
    assert (rest.status_code, rest.json()["kind"]) == (429, "search")
    # What a caller without headers is told to wait by is in the body.
    assert "wait for retry_after_seconds" in tool["error"]
    assert tool["retry_after_seconds"] > 0


@pytest.mark.spec("E5")
def test_an_empty_setting_limits_nobody(desk: Desk, settings: Any) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "write": ""}
    client = desk.client()
    assert statuses(9, lambda: client.post(desk.path("memories/"), note())) == [201] * 9
    assert not RateCount.objects.exists()


@pytest.mark.spec("E5", "E1")
def test_every_route_of_a_known_caller_declares_that_it_may_be_limited() -> None:
    document = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # untyped library
    open_ = set()
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if "401" not in operation["responses"]:
                open_.add(path)
                assert "429" not in operation["responses"]
                continue
            answer = operation["responses"]["429"]
            assert answer["headers"]["Retry-After"]["schema"]["type"] == "integer", (path, method)
            assert answer["content"]["application/json"]["schema"]["$ref"].endswith("/ErrorOut")
    assert open_ == {"/health/live/", "/health/ready/"}
