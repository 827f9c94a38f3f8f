"""Sharing over REST: the flag from its version, copies made and withdrawn (SPEC M8, E4, E6, E7)."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from memory.models import Agent, SharedMemory, StandingChange
from memory.services import setup
from tests.community import figures, judged, let_share, proven, shared
from tests.desk import Desk

SWITCH = "/api/v1/ai/memories/community-sharing/"


def path(record_id: object) -> str:
    return f"/api/v1/ai/memories/{record_id}/share/"


def put(client: APIClient, *, enabled: Any, etag: str | None = "*", at: str = SWITCH) -> Any:
    headers = {} if etag is None else {"If-Match": etag}
    return client.put(at, {"enabled": enabled}, headers=headers)


@pytest.mark.spec("M8", "E4", "E6")
def test_the_flag_is_read_with_its_etag_and_changed_from_that_version(desk: Desk) -> None:
    person = desk.browser()
    read = person.get(SWITCH)
    etag = read.headers["ETag"]
    node = str(Agent.objects.get(id=desk.agent.id).node_uuid)
    assert read.json() == {"enabled": False, "source_node_uuid": node, "etag": etag}
    on = put(person, enabled=True, etag=etag)
    assert (on.status_code, on.json()["enabled"]) == (200, True)
    assert on.headers["ETag"] == on.json()["etag"] != etag
    stale = put(person, enabled=False, etag=etag)
    assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed")
    assert stale.json()["etag"] == on.headers["ETag"]
    assert put(person, enabled=True, etag=on.headers["ETag"]).headers["ETag"] == on.headers["ETag"]
    off = put(person, enabled=False)
    assert off.headers["ETag"] not in {etag, on.headers["ETag"]}


@pytest.mark.spec("M8", "E4", "E2")
@pytest.mark.parametrize("enabled", ["true", 1, None])
def test_a_malformed_change_of_the_flag_is_a_400(desk: Desk, enabled: Any) -> None:
    person = desk.browser()
    assert put(person, enabled=enabled).status_code == 400
    for etag in (None, "unquoted", ""):
        refused = put(person, enabled=True, etag=etag)
        assert refused.status_code == 400
        assert "If-Match" in refused.json()["fields"]
    wrong: list[Any] = [{}, {"enabled": True, "agent": str(desk.agent.id)}, []]
    for body in wrong:
        assert person.put(SWITCH, body, headers={"If-Match": "*"}).status_code == 400
    assert person.put(f"{SWITCH}?x=1", {"enabled": True}).status_code == 400
    assert not Agent.objects.get(id=desk.agent.id).share_community_memories


@pytest.mark.spec("M8", "B4", "E7")
def test_only_people_change_the_flag_and_trading_does_not_read_it(desk: Desk) -> None:
    for role, may_read in (
        ("autopilot", 200),
        ("analysis", 200),
        ("review", 200),
        ("trading", 403),
    ):
        client = desk.client(role)
        assert client.get(SWITCH).status_code == may_read
        refused = put(client, enabled=True)
        assert (refused.status_code, refused.json()["code"]) == (403, "not_this_role")
    assert not Agent.objects.get(id=desk.agent.id).share_community_memories


@pytest.mark.spec("E7")
def test_a_person_with_two_agents_names_one(desk: Desk, now: datetime) -> None:
    second = setup.create_agent(owner=desk.user, name="second", now=now)
    person = desk.browser()
    for answer in (person.get(SWITCH), put(person, enabled=True)):
        assert (answer.status_code, answer.json()["code"]) == (400, "agent_required")
    assert put(person, enabled=True, at=f"{SWITCH}?agent={second.id}").status_code == 200
    flags = Agent.objects.filter(owner=desk.user).values_list("name", "share_community_memories")
    assert dict(flags) == {"ours": False, "second": True}
    # An id is of one agent.
    let_share(desk.agent)
    record = proven(desk, now=now)
    assert person.post(f"{path(record)}?agent={second.id}").status_code == 404
    assert person.post(path(record)).status_code == 201
    assert person.delete(f"{path(record)}?agent={desk.agent.id}").status_code == 204


@pytest.mark.spec("M8", "E6")
def test_sharing_is_a_201_then_a_200_and_withdrawing_a_204_then_a_404(
    desk: Desk, other: Desk, now: datetime
) -> None:
    let_share(desk.agent)
    record = proven(desk, "volume leads", now=now, tags=["volume"])
    client = desk.client("autopilot")
    first = client.post(path(record))
    assert first.status_code == 201
    copy = SharedMemory.objects.get()
    ends = (now + timedelta(days=90)).isoformat().replace("+00:00", "Z")
    assert first.json() == {
        "shared_id": str(copy.id),
        "memory_id": str(record),
        "source_node_uuid": str(copy.source_node_uuid),
        "type": "strategy_insight",
        "symbol": "ETH",
        "strategy_type": "breakout",
        "outcome": "success",
        "tags": ["volume"],
        "content": "volume leads",
        "confidence": "0.8000",
        "validated_count": 1,
        "community_confirmations": 0,
        "evidence": {"trades": 30, "days": 28, "timeframe": "15m"},
        "shared_at": now.isoformat().replace("+00:00", "Z"),
        "expires_at": ends,
    }
    judged(copy.id, other, "confirms", now=now)
    again = client.post(path(record))
    assert again.status_code == 200
    assert again.json()["shared_id"] == str(copy.id)
    assert again.json()["community_confirmations"] == 1
    assert client.delete(path(record)).status_code == 204
    gone = client.delete(path(record))
    assert (gone.status_code, gone.json()["code"]) == (404, "not_found")
    causes = StandingChange.objects.filter(record_id=record).order_by("revision")
    assert [line.cause_kind for line in causes][1:] == ["token", "token"]


@pytest.mark.spec("M8", "E2")
def test_each_refusal_says_what_is_missing(desk: Desk, now: datetime) -> None:
    record = proven(desk, now=now, metrics=figures(trades=(20, 9)))
    client = desk.client("autopilot")
    off = client.post(path(record))
    assert (off.status_code, off.json()["code"]) == (409, "sharing_off")
    let_share(desk.agent)
    gate = client.post(path(record))
    assert gate.status_code == 422
    assert gate.json() == {
        "error": "sharing takes a success with at least 30 trades over at least 28 days; it is "
        "short of: trades",
        "code": "community_gate",
        "missing": ["trades"],
        "trades": 29,
        "days": 28,
        "min_trades": 30,
        "min_days": 28,
    }
    ended = proven(desk, now=now - timedelta(days=90))
    over = client.post(path(ended))
    assert (over.status_code, over.json()["code"]) == (409, "memory_ended")
    note = desk.write(now=now)
    for unknown in (note.id, uuid4(), "no-id"):
        assert client.post(path(unknown)).status_code == 404
        assert client.delete(path(unknown)).status_code == 404


@pytest.mark.spec("M8", "R12")
@pytest.mark.parametrize("role", ["analysis", "review", "trading"])
def test_other_roles_share_and_withdraw_nothing(desk: Desk, now: datetime, role: str) -> None:
    let_share(desk.agent)
    record, kept = proven(desk, now=now), proven(desk, now=now)
    shared(desk, kept, now=now)
    client = desk.client(role)
    for answer in (client.post(path(record)), client.delete(path(kept))):
        assert (answer.status_code, answer.json()["code"]) == (403, "not_this_role")
    assert SharedMemory.objects.get().source_id == kept


@pytest.mark.spec("M8", "X1")
@pytest.mark.parametrize("is_on", [True, False])
def test_anothers_id_costs_what_an_unknown_one_does(
    desk: Desk, other: Desk, now: datetime, is_on: bool
) -> None:
    let_share(other.agent)
    let_share(desk.agent, enabled=is_on)
    theirs = [proven(other, now=now), proven(other, now=now)]
    shared(other, theirs[1], now=now)
    for client in (desk.client("autopilot"), desk.browser()):
        client.get(SWITCH)
        seen = set()
        for record in (*theirs, uuid4()):
            for method in (client.post, client.delete):
                with CaptureQueriesContext(connection) as queries:
                    answer = method(path(record))
                seen.add((answer.status_code, answer.content, len(queries)))
        assert len(seen) == 1
        assert {status for status, *_ in seen} == {404}
    assert SharedMemory.objects.count() == 1


@pytest.mark.spec("M8", "O5")
def test_staff_switch_any_agents_sharing(desk: Desk, other: Desk) -> None:
    other.user.is_staff = True
    other.user.save()
    at = f"{SWITCH}?agent={desk.agent.id}"
    assert put(other.browser(), enabled=True, at=at).status_code == 200
    assert Agent.objects.get(id=desk.agent.id).share_community_memories
