"""Withdrawn records: named without what they say, restored as if nothing had been (SPEC R15)."""

import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import time_machine

from mcp_bridge.tools.records import get_memory, list_memories
from memory.errors import (
    AlreadyWithdrawn,
    NotFound,
    NotThisRole,
    NotWithdrawn,
    StrategyMemory,
    ValidationFailed,
)
from memory.models import Record, RecordChange, Withdrawal
from memory.policies.ownership import UserActor
from memory.selectors import access
from memory.services import changes
from memory.services.standings import Cause
from tests.desk import BECAUSE, Desk
from tests.strategies import remember
from trading.context import read_context

MINUTE = timedelta(minutes=1)
NEXT = timedelta(microseconds=1)
BODY = {"content", "metadata", "tags", "links"}


def statuses(desk: Desk, *, at: datetime) -> dict[UUID, str]:
    found = read_context(agent_id=desk.agent.id, instrument="ETH", now=at, learnings_limit=0)
    return {one.memory_id: one.status for one in found.evidence}


@pytest.mark.spec("R15", "C2", "C3")
def test_a_withdrawn_record_is_identity_alone_in_context_and_lists_and_keeps_its_lane(
    desk: Desk, now: datetime
) -> None:
    desk.write(now=now - MINUTE, instruments=["ETH"], content="the older view")
    written = desk.write(now=now, instruments=["ETH"], content="the view")
    desk.withdraw(written.id, now=now)
    [one] = desk.client("trading").get(desk.path("context/ETH/")).json()["evidence"]
    assert (one["memory_id"], one["status"]) == (str(written.id), "withdrawn")
    assert not BODY & set(one)
    newest, older = desk.client().get(desk.path("memories/")).json()["results"]
    assert (newest["id"], newest["status"]) == (str(written.id), "withdrawn")
    assert set(older) - set(newest) == BODY
    assert older["status"] == "fresh"


@pytest.mark.spec("R15", "C3")
def test_its_own_route_still_tells_what_it_says(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now, content="the view")
    desk.withdraw(written.id, now=now)
    told = desk.client().get(desk.path(f"memories/{written.id}/")).json()
    before = json.loads(written.model_dump_json(exclude={"handoff_warnings"}))
    assert told == {**before, "status": "withdrawn", "merged_into": None}


@pytest.mark.spec("R15", "B3", "B5")
def test_the_tools_of_the_bridge_show_it_alike(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now, content="the view")
    desk.withdraw(written.id, now=now)
    actor = desk.actor(now=now)
    listed = list_memories(actor, {}, now)
    line = json.loads(listed.text.splitlines()[0])
    assert (line["id"], line["status"]) == (str(written.id), "withdrawn")
    assert not BODY & set(line)
    assert "omitted" not in line
    assert "the view" in get_memory(actor, {"memory_id": str(written.id)}, now).text


@pytest.mark.spec("R15", "C7", "C8")
def test_as_an_original_it_is_not_current_until_it_is_restored(desk: Desk, now: datetime) -> None:
    original = desk.write(now=now, instruments=["ETH"])
    a = desk.correct(original.id, now=now, type="fix", instruments=["ETH"])
    b = desk.correct(a.id, now=now, type="fix", instruments=["ETH"])
    desk.withdraw(original.id, now=now + MINUTE)
    at = now + MINUTE
    assert statuses(desk, at=at) == {
        original.id: "withdrawn",
        a.id: "superseded",
        b.id: "superseded",
    }
    desk.withdraw(b.id, now=at)
    assert statuses(desk, at=at)[b.id] == "withdrawn"
    desk.restore(original.id, now=at + MINUTE)
    desk.restore(b.id, now=at + MINUTE)
    assert set(statuses(desk, at=at + MINUTE).values()) == {"fresh"}


@pytest.mark.spec("R15", "C3", "F3")
def test_withdrawn_goes_before_stale_and_disabled(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now - timedelta(hours=2), instruments=["ETH"])
    desk.withdraw(written.id, now=now)
    assert statuses(desk, at=now) == {written.id: "withdrawn"}
    desk.restore(written.id, now=now + MINUTE)
    assert statuses(desk, at=now + MINUTE) == {written.id: "stale"}


@pytest.mark.spec("R15", "V2")
def test_a_withdrawn_lesson_is_served_to_nobody(desk: Desk, now: datetime) -> None:
    for number in range(3):
        at = now - number * MINUTE
        desk.write("review", now=at, type="agent_learnings", content=f"lesson {number}")
    newest = Record.objects.get(content="lesson 0")
    desk.withdraw(newest.id, now=now)
    told = desk.client("trading").get(desk.path("context/ETH/")).json()["learnings"]
    assert [one["content"] for one in told] == ["lesson 1", "lesson 2"]


@pytest.mark.spec("R15", "C11")
def test_a_withdrawal_holds_from_its_moment_until_before_the_restoring(
    desk: Desk, now: datetime
) -> None:
    written = desk.write(now=now - MINUTE, instruments=["ETH"])
    desk.withdraw(written.id, now=now)
    desk.restore(written.id, now=now + 2 * MINUTE)
    moment = timedelta(microseconds=1)
    for at, status in (
        (now - moment, "fresh"),
        (now, "withdrawn"),
        (now + 2 * MINUTE - moment, "withdrawn"),
        (now + 2 * MINUTE, "fresh"),
    ):
        assert statuses(desk, at=at) == {written.id: status}


@pytest.mark.spec("R15")
def test_each_step_is_a_ledger_line_and_the_content_is_unchanged(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now)
    before = Record.objects.filter(id=written.id).values().get()
    me: dict[str, Any] = {"agent_id": desk.agent.id, "record_id": written.id}
    by = Cause("user", str(desk.user.pk))
    changes.withdraw(**me, by=by, reason="  a wrong feed ", now=now)
    changes.restore(**me, by=by, reason="the feed was right", now=now + MINUTE)
    changes.withdraw(**me, by=by, reason="it was not", now=now + MINUTE)
    lines = RecordChange.objects.filter(record_id=written.id).order_by("number")
    told = lines.values_list("number", "event", "reason", "cause_kind", "cause_id", "at")
    who = ("user", str(desk.user.pk))
    assert list(told) == [
        (1, "withdrawn", "a wrong feed", *who, now),
        (2, "restored", "the feed was right", *who, now + MINUTE),
        (3, "withdrawn", "it was not", *who, now + MINUTE + NEXT),
    ]
    assert Record.objects.filter(id=written.id).values().get() == before
    intervals = Withdrawal.objects.order_by("withdrawn_at")
    assert list(intervals.values_list("withdrawn_at", "restored_at")) == [
        (now, now + MINUTE),
        (now + MINUTE + NEXT, None),
    ]


@pytest.mark.spec("R15")
def test_a_second_withdrawal_or_restoring_is_refused_and_tells_nothing_twice(
    desk: Desk, now: datetime
) -> None:
    written = desk.write(now=now)
    with pytest.raises(NotWithdrawn):
        desk.restore(written.id, now=now)
    desk.withdraw(written.id, now=now)
    with pytest.raises(AlreadyWithdrawn):
        desk.withdraw(written.id, now=now + MINUTE)
    desk.restore(written.id, now=now + MINUTE)
    with pytest.raises(NotWithdrawn):
        desk.restore(written.id, now=now + MINUTE)
    assert RecordChange.objects.count() == 2


@pytest.mark.spec("R15")
@pytest.mark.parametrize("reason", ["", "  \n ", "x" * 501, "no\x00thing", "\ud800"])
def test_a_reason_is_needed(desk: Desk, now: datetime, reason: str) -> None:
    written = desk.write(now=now)
    with pytest.raises(ValidationFailed) as refusal:
        changes.withdraw(
            agent_id=desk.agent.id, record_id=written.id, by=Cause("test"), reason=reason, now=now
        )
    assert list(refusal.value.errors) == ["reason"]
    assert not Withdrawal.objects.exists()


@pytest.mark.spec("R15", "M3")
def test_strategy_memory_is_left_to_its_standing(desk: Desk, now: datetime) -> None:
    insight = remember(desk, now=now, outcome="success")
    with pytest.raises(StrategyMemory):
        desk.withdraw(insight, now=now)


@pytest.mark.spec("R15", "R17")
def test_an_erased_record_is_neither_withdrawn_nor_restored(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now)
    desk.withdraw(written.id, now=now)
    desk.erase(written.id, now=now + MINUTE)
    for act in (desk.withdraw, desk.restore):
        with pytest.raises(NotFound):
            act(written.id, now=now + 2 * MINUTE)


@pytest.mark.spec("R15", "X1")
def test_an_outsider_cannot_tell_a_foreign_record_from_none(
    desk: Desk, other: Desk, now: datetime
) -> None:
    theirs = other.write(now=now)
    other.withdraw(theirs.id, now=now)
    for act in (changes.withdraw, changes.restore):
        refusals = []
        for record_id in (theirs.id, uuid4()):
            with pytest.raises(NotFound) as refusal:
                act(agent_id=desk.agent.id, record_id=record_id, now=now + MINUTE, **BECAUSE)
            refusals.append((refusal.value.message, refusal.value.fields))
        assert refusals[0] == refusals[1]
    assert Withdrawal.objects.get().agent_id == other.agent.id


@pytest.mark.spec("R15", "R17", "X1")
def test_the_owner_and_staff_withdraw_staff_alone_erase_and_bearers_do_neither(
    desk: Desk, other: Desk, now: datetime
) -> None:
    owner = UserActor(user_id=desk.user.pk, is_staff=False)
    staff = UserActor(user_id=other.user.pk, is_staff=True)
    stranger = UserActor(user_id=other.user.pk, is_staff=False)
    ours = desk.agent.id
    for actor in (owner, staff):
        assert access.access_withdrawing(actor, ours) == desk.agent
    assert access.access_erasing(staff, ours) == desk.agent
    with pytest.raises(NotThisRole):
        access.access_erasing(owner, ours)
    for door in (access.access_withdrawing, access.access_erasing):
        for role in desk.tokens:
            with pytest.raises(NotThisRole):
                door(desk.actor(role, now=now), ours)
            with pytest.raises(NotFound):
                door(other.actor(role, now=now), ours)
        told = []
        for agent_id in (ours, uuid4()):
            with pytest.raises(NotFound) as refusal:
                door(stranger, agent_id)
            told.append(refusal.value.message)
        assert told[0] == told[1]


@pytest.mark.spec("R15", "X1")
def test_a_withdrawal_of_ours_changes_no_list_of_theirs(
    desk: Desk, other: Desk, now: datetime
) -> None:
    theirs = other.write(now=now)
    ours = desk.write(now=now)
    desk.withdraw(ours.id, now=now)
    with time_machine.travel(now + MINUTE, tick=False):
        [shown] = other.client().get(other.path("memories/")).json()["results"]
    assert (shown["id"], shown["status"]) == (str(theirs.id), "fresh")
