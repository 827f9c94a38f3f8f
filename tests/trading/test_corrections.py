"""Corrections in a context: which are listed, how long they hold, what they hide (SPEC C6-C8)."""

import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.ids import new_id
from memory.models import CorrectionHead, Producer
from memory.policies.freshness import iso
from memory.policies.text import canonical
from memory.schemas.answers import WrittenRecordOut
from memory.schemas.records import RecordDraft
from memory.selectors.heads import chosen
from memory.selectors.history import chosen_from_history
from memory.services import publish, setup, tokens
from tests.desk import Desk, note
from tests.memory.history import plain, take
from trading.context import graded, read_context
from trading.schemas import ContextOut

MINUTE = timedelta(minutes=1)
BODY = {"content", "metadata", "tags", "links"}


def context(desk: Desk, instrument: str = "ETH", *, at: datetime) -> ContextOut:
    """Return a context, after holding the heads against history."""
    asked: dict[str, Any] = {"instrument": instrument, "past": 20, "now": at}
    assert chosen(desk.agent.id, **asked) == chosen_from_history(desk.agent.id, **asked)
    return read_context(agent_id=desk.agent.id, instrument=instrument, now=at, learnings_limit=0)


def statuses(desk: Desk, instrument: str = "ETH", *, at: datetime) -> dict[UUID, str]:
    """Return id → status of a context's evidence."""
    return {one.memory_id: one.status for one in context(desk, instrument, at=at).evidence}


def served(desk: Desk, *, at: datetime, **query: Any) -> dict[str, Any]:
    """Return ETH's context as the trading role gets it over REST."""
    with time_machine.travel(at, tick=False):
        response = desk.client("trading").get(desk.path("context/ETH/"), query)
    assert response.status_code == 200, response.content
    answer: dict[str, Any] = response.json()
    return answer


def analyst(desk: Desk, name: str, *, now: datetime, schedule: str | None = None) -> Producer:
    """Stand up another analysis producer."""
    return setup.create_producer(
        agent=desk.agent, role="analysis", name=name, schedule=schedule, now=now - 9 * MINUTE
    )


def write_as(
    producer: Producer, *, now: datetime, corrects: tuple[UUID, ...] = (), **body: Any
) -> WrittenRecordOut:
    """Publish as a bearer of `producer`."""
    _, clear = tokens.issue_token(producer=producer, now=now)
    links = [{"target_memory_id": str(one), "link_type": "corrects"} for one in corrects]
    draft = RecordDraft.parse(note(**{"links": links, **body}))
    return publish.publish(actor=tokens.authenticate(clear, now=now), draft=draft, now=now)


@pytest.mark.spec("C6", "C7", "C2")
def test_a_correction_is_served_whole_with_what_it_corrects_and_its_capped_deadline(
    desk: Desk, now: datetime
) -> None:
    original = desk.write(now=now, instruments=["ETH"], tags=["momentum"])
    slow = analyst(desk, "slow", now=now, schedule="1h")
    correction = write_as(
        slow, now=now + MINUTE, corrects=(original.id,), type="fix", instruments=["ETH"]
    )
    assert original.expires_at is not None
    assert correction.expires_at is not None
    assert original.expires_at < correction.expires_at
    first, second = served(desk, at=now + MINUTE)["evidence"]
    assert first == {
        "memory_id": str(correction.id),
        "status": "fresh",
        "type": "fix",
        "scope": "instruments",
        "instruments": ["ETH"],
        "producer": json.loads(correction.model_dump_json())["producer"],
        "run": json.loads(correction.model_dump_json())["run"],
        "timeframe": None,
        "created_at": "2026-09-30T12:02:07Z",
        "expires_at": "2026-09-30T12:10:00Z",
        "expiry_policy": "analysis_schedule_v2",
        "correction_target_ids": [str(original.id)],
        "content": "a quiet market",
        "metadata": correction.metadata,
        "tags": [],
        "links": [{"target_memory_id": str(original.id), "link_type": "corrects"}],
    }
    assert (second["memory_id"], second["status"]) == (str(original.id), "fresh")
    assert second["tags"] == ["momentum"]


@pytest.mark.spec("C7", "C2", "C3")
def test_a_correction_whose_originals_left_is_superseded_without_its_body(
    desk: Desk, now: datetime
) -> None:
    original = desk.write(now=now, type="setup", instruments=["ETH"])
    correction = desk.correct(original.id, now=now + MINUTE, type="fix", instruments=["ETH"])
    newer = desk.write(now=now + 2 * MINUTE, type="setup", instruments=["ETH"])
    first, second = served(desk, at=now + 2 * MINUTE)["evidence"]
    assert first["memory_id"] == str(newer.id)
    assert second["memory_id"] == str(correction.id)
    assert second["status"] == "superseded"
    assert second["correction_target_ids"] == [str(original.id)]
    assert set(first) - set(second) == BODY


@pytest.mark.spec("C6")
def test_the_latest_of_a_producer_a_scope_and_a_set_of_originals_is_listed_whatever_its_type(
    desk: Desk, now: datetime
) -> None:
    one = desk.write(now=now, type="one", instruments=["ETH"])
    two = desk.write(now=now, type="two", instruments=["ETH"])
    first = desk.correct(one.id, two.id, now=now + MINUTE, type="fix", instruments=["ETH"])
    same = desk.correct(two.id, one.id, now=now + 2 * MINUTE, type="other", instruments=["ETH"])
    part = desk.correct(one.id, now=now + 2 * MINUTE, type="fix", instruments=["ETH"])
    wide = desk.correct(one.id, two.id, now=now + 2 * MINUTE, type="fix")
    theirs = write_as(
        analyst(desk, "second", now=now),
        now=now + 3 * MINUTE,
        corrects=(one.id, two.id),
        instruments=["ETH"],
    )
    found = context(desk, at=now + 3 * MINUTE).evidence
    assert [one.memory_id for one in found[:1]] == [theirs.id]
    assert {one.memory_id for one in found} == {
        *(one.id, two.id, same.id, part.id, wide.id, theirs.id)
    }
    assert first.id not in {one.memory_id for one in found}
    ids = {one.memory_id: one.correction_target_ids for one in found}
    assert ids[same.id] == [two.id, one.id]
    assert ids[part.id] == [one.id]
    assert {one.status for one in found} == {"fresh"}


@pytest.mark.spec("C6", "C9")
def test_a_correction_never_takes_the_lane_of_the_type_it_is_called_by(
    desk: Desk, now: datetime
) -> None:
    original = desk.write(now=now, type="setup", instruments=["ETH"])
    correction = desk.correct(original.id, now=now + MINUTE, type="setup", instruments=["ETH"])
    assert statuses(desk, at=now + MINUTE) == {original.id: "fresh", correction.id: "fresh"}


@pytest.mark.spec("C17")
def test_words_make_no_correction(desk: Desk, now: datetime) -> None:
    original = desk.write(now=now, type="setup", instruments=["ETH"])
    legacy = desk.write(
        now=now + MINUTE,
        type="setup_correction",
        instruments=["ETH"],
        content=f"Corrects {original.id}: the stop was wrong.",
        metadata={"corrects": str(original.id)},
        links=[{"target_memory_id": str(original.id), "link_type": "contradicts"}],
    )
    found = {one.memory_id: one for one in context(desk, at=now + MINUTE).evidence}
    assert found[legacy.id].correction_target_ids == []
    assert found[legacy.id].expires_at == legacy.expires_at
    desk.write(now=now + 2 * MINUTE, type="setup", instruments=["ETH"])
    assert statuses(desk, at=now + 2 * MINUTE)[legacy.id] == "fresh"


@pytest.mark.spec("C7", "R12")
@pytest.mark.parametrize(
    ("role", "type_"),
    [("trading", "trading_decision"), ("review", "agent_learnings"), ("autopilot", "rule")],
)
def test_a_correction_of_what_is_not_research_is_superseded_at_once(
    desk: Desk, now: datetime, role: str, type_: str
) -> None:
    other = desk.write(role, now=now, type=type_)
    correction = desk.correct(other.id, now=now, type="fix")
    assert statuses(desk, at=now) == {correction.id: "superseded"}
    research = desk.write(now=now, type="setup")
    both = desk.correct(other.id, research.id, now=now, type="fix")
    assert statuses(desk, at=now)[both.id] == "fresh"


@pytest.mark.spec("C6")
@pytest.mark.parametrize("role", ["trading", "review"])
def test_another_roles_correction_is_no_evidence(desk: Desk, now: datetime, role: str) -> None:
    original = desk.write(now=now, instruments=["ETH"])
    type_ = {"trading": "trading_decision", "review": "review"}[role]
    desk.correct(original.id, role=role, now=now, type=type_, instruments=["ETH"])
    assert statuses(desk, at=now) == {original.id: "fresh"}
    assert not CorrectionHead.objects.exists()


@pytest.mark.spec("C6", "C7")
def test_an_agent_wide_correction_lives_where_its_original_is_current(
    desk: Desk, now: datetime
) -> None:
    original = desk.write(now=now, instruments=["ETH"])
    wide = desk.correct(original.id, now=now, type="fix")
    assert statuses(desk, "ETH", at=now) == {original.id: "fresh", wide.id: "fresh"}
    assert statuses(desk, "BTC", at=now) == {wide.id: "superseded"}


@pytest.mark.spec("C6", "C7")
def test_a_correction_for_one_instrument_of_a_record_of_two(desk: Desk, now: datetime) -> None:
    original = desk.write(now=now, instruments=["BTC", "ETH"])
    correction = desk.correct(original.id, now=now, type="fix", instruments=["ETH"])
    assert statuses(desk, "ETH", at=now) == {original.id: "fresh", correction.id: "fresh"}
    assert statuses(desk, "BTC", at=now) == {original.id: "fresh"}
    # Its lane in ETH is taken, and so that of the other instrument does not help there.
    newer = desk.write(now=now + MINUTE, instruments=["ETH"])
    assert statuses(desk, "ETH", at=now) == {newer.id: "fresh", correction.id: "superseded"}


@pytest.mark.spec("C7", "C3")
def test_a_disabled_producers_original_still_carries_its_correction(
    desk: Desk, now: datetime
) -> None:
    original = desk.write(now=now, instruments=["ETH"])
    second = analyst(desk, "second", now=now)
    correction = write_as(second, now=now, corrects=(original.id,), instruments=["ETH"])
    setup.disable_producer(producer=desk.producers["analysis"], now=now)
    assert statuses(desk, at=now) == {original.id: "disabled", correction.id: "fresh"}
    setup.disable_producer(producer=second, now=now)
    assert statuses(desk, at=now)[correction.id] == "disabled"


@pytest.mark.spec("C8")
def test_supersession_travels_up_a_chain_of_corrections(desk: Desk, now: datetime) -> None:
    original = desk.write(now=now, type="setup", instruments=["ETH"])
    a = desk.correct(original.id, now=now + MINUTE, type="fix", instruments=["ETH"])
    b = desk.correct(a.id, now=now + 2 * MINUTE, type="fix", instruments=["ETH"])
    at = now + 3 * MINUTE
    assert statuses(desk, at=at) == {original.id: "fresh", a.id: "fresh", b.id: "fresh"}
    # Another type, the same original: it takes the lane of `a`.
    z = desk.correct(original.id, now=now + 3 * MINUTE, type="again", instruments=["ETH"])
    assert statuses(desk, at=at) == {original.id: "fresh", z.id: "fresh", b.id: "superseded"}
    newer = desk.write(now=now + 3 * MINUTE, type="setup", instruments=["ETH"])
    assert statuses(desk, at=at) == {newer.id: "fresh", z.id: "superseded", b.id: "superseded"}


@pytest.mark.spec("C8")
def test_a_late_correction_changes_no_lane(desk: Desk, now: datetime) -> None:
    original = desk.write(now=now, instruments=["ETH"])
    newer = desk.correct(original.id, now=now + 2 * MINUTE, type="fix", instruments=["ETH"])
    desk.correct(original.id, now=now + MINUTE, type="fix", instruments=["ETH"])
    assert set(statuses(desk, at=now + 2 * MINUTE)) == {original.id, newer.id}


@pytest.fixture
def past(desk: Desk, now: datetime, settings: Any) -> list[UUID]:
    """Return five corrections past their deadline, newest first; a context lists three."""
    settings.CONTEXT_PAST_CORRECTIONS = 3
    then = now - timedelta(hours=2)
    originals = [desk.write(now=then, type=f"t{i}", instruments=["ETH"]) for i in range(5)]
    corrections = [
        # One of them is agent-wide: both sides are listed as one row.
        desk.correct(
            original.id, now=then + i * MINUTE, type="fix", instruments=[] if i == 3 else ["ETH"]
        )
        for i, original in enumerate(originals)
    ]
    return [one.id for one in reversed(corrections)]


@pytest.mark.spec("C8")
def test_the_newest_of_those_past_their_deadline_are_listed_and_others_told_of(
    desk: Desk, now: datetime, past: list[UUID], settings: Any
) -> None:
    answer = served(desk, at=now)
    listed = [UUID(one["memory_id"]) for one in answer["evidence"] if one["correction_target_ids"]]
    assert listed == past[:3]
    assert answer["more_corrections"] is True
    assert {one["status"] for one in answer["evidence"]} == {"stale"}
    settings.CONTEXT_PAST_CORRECTIONS = 5
    answer = served(desk, at=now)
    assert answer["more_corrections"] is False
    assert len(answer["evidence"]) == 10
    settings.CONTEXT_PAST_CORRECTIONS = 0
    answer = served(desk, at=now)
    assert answer["more_corrections"] is True
    assert len(answer["evidence"]) == 5


@pytest.mark.spec("C8")
def test_unexpired_corrections_are_all_listed(desk: Desk, now: datetime, past: list[UUID]) -> None:
    fresh = [
        desk.correct(desk.write(now=now, type=f"f{i}").id, now=now, type="fix").id for i in range(5)
    ]
    found = context(desk, at=now)
    assert set(fresh) | set(past[:3]) <= {one.memory_id for one in found.evidence}
    assert found.more_corrections is True


@pytest.mark.spec("C8", "C7")
def test_a_correction_rests_on_one_that_is_not_listed(
    desk: Desk, now: datetime, past: list[UUID]
) -> None:
    live = desk.correct(past[4], now=now, type="fix", instruments=["ETH"])
    found = {one.memory_id: one for one in context(desk, at=now).evidence}
    assert past[4] not in found
    # Its original is current and past its deadline.
    assert found[live.id].status == "stale"
    desk.write(now=now, type="t0", instruments=["ETH"])
    assert statuses(desk, at=now)[live.id] == "superseded"


@pytest.mark.spec("C8", "C13")
def test_a_long_chain_is_read_in_the_same_number_of_statements(desk: Desk, now: datetime) -> None:
    def statements() -> int:
        with CaptureQueriesContext(
            connection,
        ) as said:
            assert set(statuses(desk, at=now).values()) == {"fresh"}
        return len(said)

    last = desk.write(now=now, instruments=["ETH"])
    last = desk.correct(last.id, now=now, type="fix", instruments=["ETH"])
    few = statements()
    for _ in range(40):
        last = desk.correct(last.id, now=now, type="fix", instruments=["ETH"])
    assert statements() == few
    assert len(statuses(desk, at=now)) == 42


@pytest.mark.spec("C8", "C13")
def test_a_chain_is_followed_as_far_as_there_is_room(desk: Desk, now: datetime) -> None:
    slow = analyst(desk, "slow", now=now, schedule="1d")
    then = now - timedelta(hours=2)
    last = write_as(slow, now=then, instruments=["ETH"]).id
    chain = []
    for i in range(12):
        last = desk.correct(last, now=then + i * MINUTE, type="fix", instruments=["ETH"]).id
        chain.append(last)
    live = desk.correct(last, now=now, type="fix", instruments=["ETH"]).id

    def told(reach: int | None) -> tuple[bool, dict[UUID, str]]:
        read = chosen(desk.agent.id, instrument="ETH", past=1, reach=reach, now=now)
        found = graded(read.lanes, complete=read.complete, now=now)
        return read.complete, {lane.id: grade.status for lane, grade in found}

    complete, whole = told(reach=None)
    assert complete
    assert (whole[chain[-1]], whole[live]) == ("stale", "stale")
    # The newest of the chain and the live one are listed, the one before is corrected directly.
    for reach, is_complete in ((20, True), (11, True), (10, False), (3, False), (0, False)):
        complete, short = told(reach=reach)
        assert complete is is_complete
        assert short == whole
    newer = write_as(slow, now=now, instruments=["ETH"]).id
    for reach in (20, 3, 0):
        _, short = told(reach=reach)
        assert short[newer] == "fresh"
        assert {short[chain[-1]], short[live]} <= {"superseded", "stale"}


@pytest.mark.spec("C12", "C10")
def test_corrections_count_for_a_budget_and_are_fetched_alone(desk: Desk, now: datetime) -> None:
    original = desk.write(now=now, instruments=["ETH"], content="a" * 1_000)
    correction = desk.correct(original.id, now=now + MINUTE, type="fix", content="b" * 1_000)
    at = now + MINUTE
    whole = served(desk, at=at)["evidence"]
    size = len(canonical(whole[0]).decode())
    first, second = served(desk, at=at, max_chars=size)["evidence"]
    assert first == whole[0]
    assert second["omitted"] is True
    omitted = served(desk, at=at, max_chars=size - 1)["evidence"][0]
    assert omitted["omitted"] is True
    assert omitted["correction_target_ids"] == [str(original.id)]
    assert omitted["expires_at"] == whole[0]["expires_at"]
    alone = served(desk, at=at, memory_id=str(correction.id))
    assert alone["evidence"] == whole[:1]


@pytest.mark.spec("C10", "C12", "X1")
def test_a_record_that_is_only_reached_is_not_in_the_context(
    desk: Desk, other: Desk, now: datetime, past: list[UUID]
) -> None:
    desk.correct(past[4], now=now, type="fix", instruments=["ETH"])
    theirs = other.write(now=now, instruments=["ETH"])
    for unknown in (past[4], theirs.id, uuid4()):
        path = desk.path(f"context/ETH/?memory_id={unknown}")
        response = desk.client("trading").get(path)
        assert (response.status_code, response.json()["code"]) == (404, "not_found")


@pytest.mark.spec("F5", "C1", "C6", "C7")
def test_imported_research_and_its_corrections_are_evidence_also_without_a_run(
    desk: Desk, now: datetime
) -> None:
    original = plain(producer="ours-analysis", expires_at=iso(now + 9 * MINUTE))
    link = {"target_memory_id": original["id"], "link_type": "corrects"}
    fix = plain(id=str(new_id()), producer="ours-analysis", links=[link])
    fix |= {"created_at": iso(now - MINUTE), "expires_at": None}
    take(desk, original, fix, now=now)
    first, second = served(desk, at=now)["evidence"]
    assert (first["memory_id"], second["memory_id"]) == (fix["id"], original["id"])
    assert (first["status"], second["status"]) == ("fresh", "fresh")
    assert (first["run"], second["run"]) == (None, None)
    assert first["correction_target_ids"] == [original["id"]]
    assert first["expires_at"] == second["expires_at"] == iso(now + 9 * MINUTE)
    assert context(desk, at=now + 9 * MINUTE).evidence[0].status == "stale"


@pytest.mark.spec("C6", "X1")
def test_corrections_of_another_agent_are_in_no_context_of_ours(
    desk: Desk, other: Desk, now: datetime
) -> None:
    for one in (desk, other):
        original = one.write(now=now, instruments=["ETH"])
        one.correct(original.id, now=now, instruments=["ETH"])
    ours = context(desk, at=now).evidence
    assert len(ours) == 2
    assert {one.producer.id for one in ours} == {desk.producers["analysis"].id}
