"""Erased records: what they said is nowhere, and nothing takes their place (SPEC R17, C14)."""

import json
from datetime import datetime, timedelta
from io import StringIO
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from memory.errors import (
    AlreadyErased,
    InvalidMemoryLink,
    NotFound,
    StrategyMemory,
)
from memory.models import AgentTail, Posting, Record, RecordChange
from memory.selectors.heads import chosen
from memory.selectors.history import chosen_from_history
from memory.services import erase
from memory.services.standings import Cause
from tests.desk import BECAUSE, Desk
from tests.strategies import remember
from trading.context import read_context

MINUTE = timedelta(minutes=1)


def statuses(desk: Desk, instrument: str = "ETH", *, at: datetime) -> dict[UUID, str]:
    """Return a context's evidence, after holding the heads against history."""
    asked: dict[str, Any] = {"instrument": instrument, "past": 20, "now": at}
    assert chosen(desk.agent.id, **asked) == chosen_from_history(desk.agent.id, **asked)
    found = read_context(agent_id=desk.agent.id, instrument=instrument, now=at, learnings_limit=0)
    return {one.memory_id: one.status for one in found.evidence}


def postings_of(desk: Desk) -> tuple[int, int]:
    """Return the number and length of texts, after holding them against the postings."""
    tail = AgentTail.objects.get(agent=desk.agent)
    kept = Posting.objects.filter(agent_id=desk.agent.id)
    assert tail.text_length == sum(kept.values_list("tf", flat=True))
    return tail.text_records, tail.text_length


@pytest.mark.spec("R17", "M3", "U4")
def test_a_tombstone_keeps_all_but_what_the_record_said(desk: Desk, now: datetime) -> None:
    evidence = desk.write(now=now)
    link = {"target_memory_id": str(evidence.id), "link_type": "evidence"}
    written = desk.write(
        now=now, instruments=["BTC", "ETH"], tags=["a"], metadata={"a": 1}, links=[link]
    )
    before = Record.objects.filter(id=written.id).values().get()
    texts = postings_of(desk)
    desk.erase(written.id, now=now + MINUTE)
    after = Record.objects.filter(id=written.id).values().get()
    gone: dict[str, Any] = {"content": "", "metadata": {}, "tags": [], "content_salt": None}
    assert after == {**before, **gone, "purged_at": now + MINUTE}
    record = Record.objects.get(id=written.id)
    assert [target.instrument_id for target in record.targets.order_by("ord")] == ["BTC", "ETH"]
    assert [one.target_id for one in record.links.all()] == [evidence.id]
    assert not Posting.objects.filter(record_id=written.id).exists()
    assert postings_of(desk)[0] == texts[0] - 1
    assert AgentTail.objects.get(agent=desk.agent).erasures == 1


@pytest.mark.spec("R17", "X1")
def test_an_erased_record_is_shown_nowhere(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now, instruments=["ETH"], content="a heron")
    lesson = desk.write("review", now=now, type="agent_learnings", content="a lesson")
    for one in (written, lesson):
        desk.erase(one.id, now=now)
    missing = desk.client().get(desk.path(f"memories/{uuid4()}/"))
    response = desk.client().get(desk.path(f"memories/{written.id}/"))
    assert response.status_code == 404
    assert response.json() == missing.json()
    assert desk.client().get(desk.path("memories/")).json()["results"] == []
    context = desk.client("trading").get(desk.path("context/ETH/")).json()
    assert (context["evidence"], context["learnings"]) == ([], [])
    alone = desk.client("trading").get(desk.path("context/ETH/"), {"memory_id": str(written.id)})
    assert alone.status_code == 404


@pytest.mark.spec("R17", "C14", "M3")
def test_no_older_record_returns_in_its_place_and_a_newer_one_takes_it(
    desk: Desk, now: datetime
) -> None:
    desk.write(now=now - MINUTE, type="setup", instruments=["BTC", "ETH"])
    written = desk.write(now=now, type="setup", instruments=["ETH"])
    wide = desk.write(now=now, type="setup")
    for one in (written, wide):
        desk.erase(one.id, now=now)
    assert statuses(desk, at=now) == {}
    # Late, and older than what was erased.
    desk.write(now=now - timedelta(seconds=1), type="setup", instruments=["ETH"])
    desk.write(now=now - timedelta(seconds=1), type="setup")
    assert statuses(desk, at=now) == {}
    assert list(statuses(desk, "BTC", at=now).values()) == ["fresh"]
    newer = desk.write(now=now + MINUTE, type="setup", instruments=["ETH"])
    assert statuses(desk, at=now + MINUTE) == {newer.id: "fresh"}


@pytest.mark.spec("R17")
def test_erasing_what_is_no_head_changes_no_context(desk: Desk, now: datetime) -> None:
    older = desk.write(now=now - MINUTE, type="setup", instruments=["ETH"])
    newer = desk.write(now=now, type="setup", instruments=["ETH"])
    desk.erase(older.id, now=now)
    assert statuses(desk, at=now) == {newer.id: "fresh"}


@pytest.mark.spec("C14", "C7", "C8", "R17")
def test_corrections_of_what_was_erased_are_superseded(desk: Desk, now: datetime) -> None:
    original = desk.write(now=now, type="setup", instruments=["ETH"])
    beside = desk.write(now=now, type="bias", instruments=["ETH"])
    a = desk.correct(original.id, now=now, type="fix", instruments=["ETH"])
    b = desk.correct(a.id, now=now, type="fix", instruments=["ETH"])
    both = desk.correct(original.id, beside.id, now=now, type="fix", instruments=["ETH"])
    desk.erase(original.id, now=now)
    assert statuses(desk, at=now) == {
        beside.id: "fresh",
        a.id: "superseded",
        b.id: "superseded",
        both.id: "fresh",
    }
    served = desk.client("trading").get(desk.path("context/ETH/")).json()["evidence"]
    ids = {one["memory_id"]: one["correction_target_ids"] for one in served}
    assert ids[str(a.id)] == [str(original.id)]


@pytest.mark.spec("C14", "C8", "R17")
def test_an_erased_correction_leaves_its_lane_empty(desk: Desk, now: datetime) -> None:
    original = desk.write(now=now, type="setup", instruments=["ETH"])
    desk.correct(original.id, now=now - MINUTE, type="fix", instruments=["ETH"])
    a = desk.correct(original.id, now=now, type="fix", instruments=["ETH"])
    b = desk.correct(a.id, now=now, type="fix", instruments=["ETH"])
    desk.erase(a.id, now=now)
    assert statuses(desk, at=now) == {original.id: "fresh", b.id: "superseded"}


@pytest.mark.spec("C8", "R17")
def test_erased_corrections_take_no_place_among_those_that_are_listed(
    desk: Desk, now: datetime, settings: Any
) -> None:
    settings.CONTEXT_PAST_CORRECTIONS = 2
    then = now - timedelta(hours=2)
    original = desk.write(now=then, type="setup", instruments=["ETH"])
    past = [
        desk.correct(
            original.id, desk.write(now=then, type=f"t{i}").id, now=then + i * MINUTE, type="fix"
        ).id
        for i in range(5)
    ]
    for one in past[3:]:
        desk.erase(one, now=now)
    answer = desk.client("trading").get(desk.path("context/ETH/")).json()
    listed = [one["memory_id"] for one in answer["evidence"] if one["correction_target_ids"]]
    assert listed == [str(past[2]), str(past[1])]
    assert answer["more_corrections"] is True
    desk.erase(past[0], now=now)
    assert not desk.client("trading").get(desk.path("context/ETH/")).json()["more_corrections"]


@pytest.mark.spec("C14", "C1")
def test_a_context_outlives_the_rows_of_its_runs(desk: Desk, now: datetime) -> None:
    original = desk.write(now=now, instruments=["ETH"])
    correction = desk.correct(original.id, now=now, type="fix", instruments=["ETH"])
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM memory_run WHERE agent_id = %s", [desk.agent.id])
    assert statuses(desk, at=now) == {original.id: "fresh", correction.id: "fresh"}


@pytest.mark.spec("R7", "R17")
def test_what_was_erased_is_linked_to_no_more(desk: Desk, now: datetime) -> None:
    original = desk.write(now=now)
    desk.erase(original.id, now=now)
    with pytest.raises(InvalidMemoryLink) as refusal:
        desk.correct(original.id, now=now)
    assert refusal.value.fields == {"link_index": 0}


@pytest.mark.spec("R17")
def test_an_erasure_is_a_ledger_line_and_happens_once(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now)
    desk.withdraw(written.id, now=now)
    me: dict[str, Any] = {"agent_id": desk.agent.id, "record_id": written.id}
    erase.erase(**me, by=Cause("user", "7"), reason=" a person asked ", now=now + MINUTE)
    with pytest.raises(AlreadyErased):
        erase.erase(**me, **BECAUSE, now=now + 2 * MINUTE)
    [_, last] = RecordChange.objects.filter(record_id=written.id).order_by("number")
    assert (last.number, last.event, last.reason, last.cause_kind, last.cause_id, last.at) == (
        *(2, "erased", "a person asked", "user", "7"),
        now + MINUTE,
    )
    assert AgentTail.objects.get(agent=desk.agent).erasures == 1


@pytest.mark.spec("R17", "M3")
@pytest.mark.parametrize("type_", ["rule", "strategy_insight", "optimization"])
def test_strategy_memory_is_not_erased_here(desk: Desk, now: datetime, type_: str) -> None:
    record_id = remember(desk, now=now, type=type_)
    with pytest.raises(StrategyMemory):
        desk.erase(record_id, now=now)
    assert Record.objects.get(id=record_id).purged_at is None


@pytest.mark.spec("R17", "X1")
def test_an_outsider_cannot_tell_a_foreign_record_from_none(
    desk: Desk, other: Desk, now: datetime
) -> None:
    theirs = other.write(now=now)
    told = []
    for record_id in (theirs.id, uuid4()):
        with pytest.raises(NotFound) as refusal:
            desk.erase(record_id, now=now)
        told.append((refusal.value.message, refusal.value.fields))
    assert told[0] == told[1]
    assert Record.objects.get(id=theirs.id).purged_at is None
    assert AgentTail.objects.get(agent=desk.agent).erasures == 0


def command(*ids: object, reason: str = "a person asked", **options: Any) -> str:
    out = StringIO()
    given = [argument for one in ids for argument in ("--id", str(one))]
    call_command("erase_memories", *given, reason=reason, stdout=out, stderr=out, **options)
    return out.getvalue()


@pytest.mark.spec("R17", "U3", "U6")
def test_the_command_erases_what_it_is_given_and_may_be_repeated(
    desk: Desk, other: Desk, now: datetime
) -> None:
    ours, theirs, kept = desk.write(now=now), other.write(now=now), desk.write(now=now)
    assert command(ours.id, theirs.id, ours.id, yes=True) == "2 erased, 0 erased before.\n"
    again = json.loads(command(ours.id, kept.id, yes=True, json=True))
    assert again == {"erased": [str(kept.id)], "erased_before": [str(ours.id)]}
    lines = RecordChange.objects.filter(record_id=ours.id)
    assert [(one.cause_kind, one.cause_id, one.reason) for one in lines] == [
        ("command", "erase_memories", "a person asked")
    ]
    assert {one.content for one in Record.objects.all()} == {""}


@pytest.mark.spec("R17", "U3")
def test_the_command_erases_nothing_when_it_may_not_erase_all(desk: Desk, now: datetime) -> None:
    written, unknown = desk.write(now=now), uuid4()
    insight = remember(desk, now=now)
    for ids, said in (
        ((written.id, unknown), f"there is no record {unknown}"),
        ((written.id, insight), f"{insight} is strategy memory"),
        ((written.id, "x"), "no id of a record"),
    ):
        with pytest.raises(CommandError, match=said):
            command(*ids, yes=True)
    with pytest.raises(CommandError, match="reason"):
        command(written.id, yes=True, reason=" ")
    assert not Record.objects.filter(purged_at__isnull=False).exists()
    assert not RecordChange.objects.exists()


class Terminal(StringIO):
    """A standard input at which somebody sits."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.mark.spec("R17", "U6")
@pytest.mark.parametrize(("answer", "erased"), [("yes\n", True), ("y\n", False), ("", False)])
def test_the_command_asks_first(
    desk: Desk, now: datetime, monkeypatch: pytest.MonkeyPatch, answer: str, erased: bool
) -> None:
    written = desk.write(now=now, content="a secret")
    monkeypatch.setattr("sys.stdin", Terminal(answer))
    if erased:
        said = command(written.id)
        assert str(written.id) in said
        assert "observation of ours" in said
        assert "a secret" not in said
    else:
        with pytest.raises(CommandError, match="Nothing was erased"):
            command(written.id)
    assert Record.objects.filter(purged_at__isnull=False).exists() is erased


@pytest.mark.spec("R17", "U6")
def test_where_nobody_can_be_asked_the_command_wants_a_yes(
    desk: Desk, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = desk.write(now=now)
    monkeypatch.setattr("sys.stdin", StringIO("yes\n"))
    with pytest.raises(CommandError, match="--yes"):
        command(written.id)
