"""Export and import: the same bytes after a round trip, whatever is in an agent's history."""

import io
import json
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections, transaction

from memory.ids import id_at, new_id
from memory.models import (
    Agent,
    AgentTail,
    Instrument,
    Producer,
    Record,
    Run,
    Standing,
    StandingChange,
    Withdrawal,
)
from memory.policies.freshness import STAMPABLE, iso
from memory.policies.standing import Moving
from memory.schemas.records import RecordDraft
from memory.selectors.heads import chosen
from memory.selectors.history import chosen_from_history
from memory.services import erase, imports, postings, publish, runs, setup, standings, tokens
from memory.services.exports import export
from memory.services.imports import import_lines
from memory.services.incoming import BadLine
from memory.services.standings import Cause
from tests.desk import BECAUSE, Desk, make_desk, note
from tests.strategies import forget, remember

MINUTE = timedelta(minutes=1)


def whole(agent: Agent, **which: Any) -> bytes:
    return b"".join(some.lines for some in export(agent, **which))


def lines_of(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def records_of(data: bytes) -> list[dict[str, Any]]:
    return [line for line in lines_of(data) if line["kind"] == "record"]


def elsewhere(build: Callable[[Desk], None], *, now: datetime) -> bytes:
    """Return the export of a desk that is gone afterwards, as in another database."""
    with transaction.atomic():
        desk = make_desk("elsewhere", now=now)
        build(desk)
        data = whole(desk.agent)
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        transaction.set_rollback(True)
    return data


def bring(agent: Agent, data: bytes, *, now: datetime, **how: Any) -> imports.ImportReport:
    return import_lines(agent=agent, lines=io.BytesIO(data), now=now, **how)


def life(desk: Desk, *, now: datetime) -> None:
    """Let a desk write, correct, withdraw, erase, learn, forget and merge."""
    at = iter(now - 90 * MINUTE + n * MINUTE for n in range(80))
    first = desk.write(
        now=next(at) + timedelta(microseconds=123_456),
        instruments=["ETH", "BTC"],
        timeframe="1h",
        content="Ünïcode ✓ \u2028 and\n\ttabs",
        metadata={"handoff_version": 1, "x": 1e22, "n": [0.1, -0.0, None, {"a": "b"}]},
        tags=["b", "a"],
    )
    second = desk.write(now=next(at), type="market_context", instruments=["BTC"])
    desk.correct(first.id, second.id, now=next(at), instruments=["ETH", "BTC"])
    chain = desk.correct(first.id, now=next(at), content="agent-wide")
    desk.correct(chain.id, now=next(at), content="again")
    for moment in (next(at), next(at)):
        desk.withdraw(second.id, now=moment)
        desk.restore(second.id, now=moment + timedelta(seconds=1))
    desk.withdraw(first.id, now=next(at))
    gone = desk.write(now=next(at), type="doomed", content="to be erased", instruments=["ETH"])
    evidence = [{"target_memory_id": str(gone.id), "link_type": "evidence"}]
    desk.write("trading", now=next(at), type="trading_decision", links=evidence)
    desk.write("review", now=next(at), type="review", metadata={"valid_for_seconds": 60})
    desk.erase(gone.id, now=next(at))
    rule = remember(desk, "old rule", now=next(at), type="rule", tags=["momentum"])
    insight = remember(
        desk,
        "an insight",
        now=next(at),
        symbol="ETH",
        strategy_type="breakout",
        outcome="success",
        confidence="0.62",
        config={"b": [1.5, 1e30], "a": {"c": None}},
        metrics={"pnl": 3.25, "trades": 12},
    )
    better = remember(desk, "a better rule", now=next(at), type="rule")
    for into in (better, None, better):
        move(desk, rule, now=next(at), merged_into=into)
    move(desk, insight, now=next(at), tags=("moved",))
    lost = remember(desk, "lost", now=next(at), type="optimization")
    forget(lost, now=next(at))


def move(desk: Desk, record_id: UUID, *, now: datetime, **to: Any) -> None:
    def step(moving: Moving) -> Moving:
        return replace(moving, **to)

    standings.move(
        agent_id=desk.agent.id,
        record_id=record_id,
        event="moved",
        cause=Cause("user", "7"),
        step=step,
        detail={"note": "ok"},
        now=now,
    )


@pytest.fixture
def empty(db: None, now: datetime) -> Agent:  # noqa: ARG001 - opens the database first
    """Return an agent with nothing: no producer, no selection, no record."""
    owner = make_desk("owner", now=now).user
    return setup.create_agent(owner=owner, name="empty", now=now)


@pytest.fixture
def lived(db: None, now: datetime) -> bytes:  # noqa: ARG001 - as above
    """Return what a desk that is gone has exported."""
    return elsewhere(lambda desk: life(desk, now=now), now=now)


@pytest.mark.spec("U3")
@pytest.mark.parametrize("batch", [1, 3, 500])
def test_a_round_trip_gives_the_same_bytes(
    empty: Agent, lived: bytes, now: datetime, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "BATCH_LINES", batch)
    report = bring(empty, lived, now=now)
    assert whole(empty) == lived
    assert report.created == len(records_of(lived)) == Record.objects.filter(agent=empty).count()
    assert (report.unchanged, report.moved) == (0, 0)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.mark.spec("U3", "M5", "S3")
def test_what_rests_on_records_is_as_if_they_had_been_written_here(
    empty: Agent, lived: bytes, now: datetime
) -> None:
    bring(empty, lived, now=now)
    for name in ("BTC", "ETH"):
        asked: dict[str, Any] = {"instrument": name, "past": 20, "now": now}
        assert chosen(empty.id, **asked) == chosen_from_history(empty.id, **asked)
        assert chosen(empty.id, **asked).lanes
    for standing in Standing.objects.filter(agent=empty):
        assert standings.replayed(empty.id, standing.pk) == standings.moving_of(standing)
    counted = "last_seq", "text_records", "text_length"
    before = AgentTail.objects.filter(agent=empty).values(*counted).get()
    assert before["last_seq"] == len(records_of(lived))
    postings.rebuild(empty.id)
    assert AgentTail.objects.filter(agent=empty).values(*counted).get() == before
    assert Withdrawal.objects.filter(agent=empty, restored_at=None).count() == 1


@pytest.mark.spec("U3")
def test_history_keeps_who_wrote_it_and_in_which_run(
    empty: Agent, lived: bytes, now: datetime
) -> None:
    bring(empty, lived, now=now)
    for record, told in zip(
        Record.objects.filter(agent=empty).order_by("seq"), records_of(lived), strict=True
    ):
        assert (str(record.id), str(record.producer_id)) == (told["id"], told["producer"])
        assert record.imported_at is None
        run = Run.objects.get(id=told["run"]["id"], agent=empty, producer=record.producer_id)
        assert (run.id, run.status, run.implicit) == (record.run_id, "succeeded", True)
    assert not Instrument.objects.filter(source="import", is_active=True).exists()


@pytest.mark.spec("U3", "F3", "J1")
def test_runs_come_with_their_records_and_an_open_one_is_failed_at_the_next_look(
    empty: Agent, now: datetime
) -> None:
    boundary = now.replace(second=0) - 6 * MINUTE

    def build(desk: Desk) -> None:
        producer = desk.producers["analysis"]
        server = runs.start_built_in_run(
            producer=producer, schedule="5m", boundary=boundary, now=now - MINUTE
        )
        for run in (server, runs.start_run(producer=producer, now=now)):
            writer = tokens.built_in_writer(agent=desk.agent, producer=producer, run=run)
            for content in ("one", "two"):
                draft = RecordDraft.parse(note(content=content))
                publish.publish(actor=writer, draft=draft, now=now)
        runs.finish_run(run=server, status="failed", error="it\nbroke", now=now)

    data = elsewhere(build, now=now)
    bring(empty, data, now=now)
    assert whole(empty) == data
    ended, left = Run.objects.filter(agent=empty).order_by("-built_in")
    assert (ended.status, ended.error, ended.evidence_boundary) == ("failed", "it\nbroke", boundary)
    assert (left.status, left.deadline_at) == ("running", now)
    assert runs.time_out(now=now) == 1
    assert bring(empty, data, now=now).unchanged == 4
    again = lines_of(whole(empty))[-1]
    assert again["run"]["status"] == "failed"


@pytest.mark.spec("U3")
def test_a_producer_of_the_same_name_and_role_goes_on_with_the_history(
    lived: bytes, now: datetime, empty: Agent
) -> None:
    mine = setup.create_producer(
        agent=empty, role="analysis", name="elsewhere-analysis", schedule="1h", now=now
    )
    bring(empty, lived, now=now)
    kept = Producer.objects.filter(agent=empty, role="analysis")
    assert list(kept.values_list("id", "schedule")) == [(mine.id, "1h")]
    assert Record.objects.filter(agent=empty, producer=mine).count() == 6
    again = whole(empty)
    assert bring(empty, lived, now=now).created == 0
    assert whole(empty) == again


@pytest.mark.spec("U3")
def test_a_second_run_continues_where_the_first_was_cut(
    empty: Agent, lived: bytes, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "BATCH_LINES", 2)
    lines = lived.splitlines(keepends=True)
    for end in (5, 8, 14, 17):
        with pytest.raises(BadLine) as refusal:
            bring(empty, b"".join(lines[:end]) + lines[end][:-20], now=now)
        assert str(refusal.value).startswith(f"line {end + 1}: is not a JSON object in UTF-8")
        stored = end - end % 2
        assert refusal.value.fields == {"line": end + 1, "stored": stored}
        assert f"lines 1 to {stored} are stored: " in str(refusal.value)
        assert Record.objects.filter(agent=empty).count() == len(
            records_of(b"".join(lines[:stored]))
        )
    report = bring(empty, lived, now=now)
    assert whole(empty) == lived
    assert report.created + report.unchanged == len(records_of(lived))


@pytest.mark.spec("U3", "M5")
def test_a_standing_that_did_not_move_here_follows_its_ledger_on(
    empty: Agent, now: datetime
) -> None:
    saved: list[bytes] = []

    def build(desk: Desk) -> None:
        rule = remember(desk, "a rule", now=now - 9 * MINUTE, type="rule")
        other = remember(desk, "another", now=now - 8 * MINUTE, type="rule")
        saved.append(whole(desk.agent))
        move(desk, rule, now=now - 7 * MINUTE, tags=("moved",))
        move(desk, other, now=now - 6 * MINUTE, merged_into=rule)

    later = elsewhere(build, now=now)
    bring(empty, saved[0], now=now)
    report = bring(empty, later, now=now)
    assert (report.created, report.unchanged, report.moved) == (0, 2, 2)
    assert whole(empty) == later
    assert bring(empty, later, now=now).moved == 0


@pytest.mark.spec("U3", "M5")
def test_a_standing_that_moved_here_keeps_its_own_history(empty: Agent, now: datetime) -> None:
    saved: list[bytes] = []

    def build(desk: Desk) -> None:
        rule = remember(desk, "a rule", now=now - 9 * MINUTE, type="rule")
        saved.append(whole(desk.agent))
        move(desk, rule, now=now - 7 * MINUTE, tags=("there",))

    later = elsewhere(build, now=now)
    bring(empty, saved[0], now=now)
    standing = Standing.objects.get(agent=empty)
    standings.move(
        agent_id=empty.id,
        record_id=standing.pk,
        event="moved",
        cause=Cause("user"),
        step=lambda moving: replace(moving, tags=("here",)),
        now=now,
    )
    assert bring(empty, later, now=now).moved == 0
    assert Standing.objects.get(agent=empty).tags == ["here"]


@pytest.mark.spec("U3")
def test_a_dry_run_says_the_same_and_leaves_nothing(
    empty: Agent, lived: bytes, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "BATCH_LINES", 4)
    report = bring(empty, lived, now=now, dry_run=True)
    assert report.created == len(records_of(lived))
    assert not Record.objects.filter(agent=empty).exists()
    assert not Producer.objects.filter(agent=empty).exists()
    assert AgentTail.objects.get(agent=empty).last_seq == 0
    cut = lived[: len(lived) - 30]
    with pytest.raises(BadLine) as refusal:
        bring(empty, cut, now=now, dry_run=True)
    assert refusal.value.fields["stored"] == 0
    assert bring(empty, lived, now=now) == report


@pytest.mark.spec("U3")
def test_an_export_can_be_of_some_types_and_times(desk: Desk, now: datetime) -> None:
    life(desk, now=now)
    every = records_of(whole(desk.agent))
    rules = records_of(whole(desk.agent, types=["rule", "review"]))
    assert rules == [one for one in every if one["type"] in ("rule", "review")]
    since = now - 85 * MINUTE
    late = records_of(whole(desk.agent, since=since))
    assert late == [one for one in every if datetime.fromisoformat(one["created_at"]) >= since]
    assert 0 < len(late) < len(every)


def plain(**more: Any) -> dict[str, Any]:
    """Return a line of history from elsewhere with `more` over it; ... leaves a key out."""
    told = {
        "id": str(id_at(datetime(2026, 9, 1, tzinfo=UTC))),
        "type": "market_context",
        "instruments": ["ETH"],
        "content": "a note of old",
        "created_at": "2026-09-01T08:00:00.000001Z",
        **more,
    }
    return {key: value for key, value in told.items() if value is not ...}


def take(desk: Desk, *told: dict[str, Any], now: datetime) -> Record:
    """Import lines and return the record of the last one."""
    bring(desk.agent, b"\n".join(json.dumps(one).encode() for one in told), now=now)
    return Record.objects.get(id=told[-1]["id"])


WRITTEN = datetime(2026, 9, 1, 8, 0, 0, 1, tzinfo=UTC)
RUN = {"id": str(new_id())}


@pytest.mark.spec("F5")
@pytest.mark.parametrize(
    ("more", "life_"),
    [
        ({"timeframe": "15m", "run": RUN}, timedelta(minutes=30)),
        ({"timeframe": "1h", "run": RUN}, timedelta(hours=2)),
        ({"timeframe": "1d", "run": RUN}, timedelta(hours=48)),
        ({"timeframe": "4h", "run": RUN}, timedelta(minutes=30)),
        ({"timeframe": "5m", "run": RUN}, timedelta(minutes=30)),
        ({"run": RUN}, timedelta(minutes=30)),
        ({"timeframe": "1d"}, None),
        ({"run": RUN, "type": "review"}, None),
        ({"run": RUN, "type": "trading_decision", "timeframe": "1h"}, None),
        ({"run": RUN, "metadata": {"valid_for_seconds": 90}}, timedelta(seconds=90)),
        ({"metadata": {"valid_for_seconds": 90}}, timedelta(seconds=90)),
        (
            {
                "run": RUN,
                "metadata": {"stale_after": "2026-09-01T11:00:00.000001+02:00"}
                | {"valid_for_seconds": 5},
            },
            timedelta(hours=1),
        ),
        ({"run": RUN, "expires_at": None, "timeframe": "1d"}, None),
        ({"run": RUN, "expires_at": "2026-09-01T08:00:07.000001Z"}, timedelta(seconds=7)),
        ({"run": RUN, "producer": "ours-analysis", "timeframe": "1h"}, timedelta(hours=2)),
        ({"run": RUN, "producer": "ours-review", "type": "review"}, None),
    ],
)
def test_imported_history_keeps_the_deadline_it_has(
    desk: Desk, now: datetime, more: dict[str, Any], life_: timedelta | None
) -> None:
    record = take(desk, plain(**more), now=now)
    assert record.stale_after == (None if life_ is None else WRITTEN + life_)
    assert (record.expiry_policy, record.imported_at) == (None, now)
    assert record.metadata == more.get("metadata", {})


@pytest.mark.spec("F5", "F4")
def test_the_first_policy_is_read_and_never_stamped(desk: Desk, now: datetime) -> None:
    stamped = {"stale_after": "2026-09-01T09:00:00Z", "expiry_policy": "analysis_schedule_v1"}
    record = take(desk, plain(metadata=stamped, run=RUN), now=now)
    assert record.expiry_policy == "analysis_schedule_v1"
    assert record.stale_after == datetime(2026, 9, 1, 9, tzinfo=UTC)
    assert record.metadata == stamped
    (told,) = records_of(whole(desk.agent))
    assert (told["expiry_policy"], told["expires_at"]) == (
        "analysis_schedule_v1",
        "2026-09-01T09:00:00Z",
    )
    assert "analysis_schedule_v1" not in STAMPABLE


@pytest.mark.spec("F5", "C1")
def test_imported_research_takes_its_lane_only_when_it_is_the_newest(
    desk: Desk, now: datetime
) -> None:
    newer = desk.write(now=now, type="market_context", instruments=["ETH"])
    old = plain(producer="ours-analysis", run=RUN, timeframe="1d")
    take(desk, old, now=now)
    alone = plain(
        id=str(new_id()), producer=str(desk.producers["analysis"].id), type="setup", run=RUN
    )
    nobody = plain(id=str(new_id()), type="unattributed", run=RUN)
    take(desk, alone, nobody, now=now)
    lanes = chosen(desk.agent.id, instrument="ETH", past=20, now=now).lanes
    assert {lane.id for lane in lanes} == {newer.id, UUID(alone["id"])}


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"kind": "memory"}, "kind: must be one of header, instrument, producer, record"),
    ({"kind": None}, "kind: must be one of header, instrument, producer, record"),
    ({"kind": "header", "format": "tidebook-memory", "version": 2}, "version: is 2; this release"),
    ({"kind": "header", "format": "other", "version": 1}, "format: "),
    ({"kind": "instrument", "id": "ETH", "market": "future"}, "market: "),
    ({"kind": "instrument", "id": "a\x00", "market": "spot"}, "id: holds a NUL character"),
    (plain(instruments=["ETH", "NOPE"]), "instruments[1]: is the canonical name of no instrument"),
    (plain(scope="agent"), "instruments must be empty when scope is agent"),
    (plain(scope="community"), "scope: "),
    (plain(colour="red"), "colour: is not a key of this body"),
    (plain(agent="x"), "agent: is not a key of this body"),
    (plain(seq=4), "seq: is not a key of this body"),
    (plain(id="7"), "id: is not a UUID"),
    (plain(timeframe="2d"), "timeframe: "),
    (plain(metadata=[]), "metadata: "),
    (plain(metadata={"a": "\x00"}), "metadata.a: holds a NUL character"),
    (plain(metadata={"valid_for_seconds": 0}), "metadata.valid_for_seconds: must be a whole"),
    (plain(metadata={"stale_after": "soon"}), "metadata.stale_after: must be an ISO 8601 time"),
    (plain(expires_at="soon"), "expires_at: "),
    (plain(expiry_policy="analysis_schedule_v9"), "expiry_policy: "),
    (plain(created_at="2099-01-01T00:00:00Z"), "created_at: lies in the future"),
    (plain(links=[{"target_memory_id": "x", "link_type": "evidence"}]), "links[0].target_memory"),
    (
        plain(links=[{"target_memory_id": str(new_id()), "link_type": "likes"}]),
        "links[0].link_type",
    ),
    (plain(producer="nobody"), "producer: is none of this agent's"),
    (plain(producer="ours-trading"), "type: the role trading may not write market_context"),
    (
        plain(producer="ours-analysis", type="review"),
        "type: the role analysis may not write review",
    ),
    (plain(run={"id": RUN["id"], "status": "running"}), "run: started_at is missing"),
    (plain(run={"id": RUN["id"], "schedule": "5m"}), "run: tell the run whole"),
    (
        plain(run={**RUN, "status": "running", "started_at": "2026-09-01T08:00:00Z"}),
        "producer: is missing, and a run is of one",
    ),
    (plain(ledger=[{}]), "ledger[0]"),
    (plain(standing={}), "standing and ledger are of strategy memory alone"),
    (plain(kind="record", type="rule"), "strategy memory comes with its standing and its ledger"),
    (plain(purged_at="2026-09-02T00:00:00Z"), "purged_at and content_digest belong together"),
    (
        plain(purged_at="2026-09-02T00:00:00Z", content_digest="0" * 64),
        "content, metadata, tags and standing are empty in what was erased",
    ),
    (
        plain(purged_at="2026-09-02T00:00:00Z", content_digest="0" * 64, content=...),
        "purged_at is the time of the erasure that changes tell of",
    ),
    (
        plain(
            changes=[
                {
                    "event": "restored",
                    "reason": "x",
                    "cause": {"kind": "user"},
                    "at": "2026-09-02T00:00:00Z",
                }
            ]
        ),
        "changes[0] does not follow from the one before",
    ),
]


@pytest.mark.spec("U3", "R4", "R10", "R12")
@pytest.mark.parametrize(
    ("line", "says"), WRONG, ids=[f"{i}-{says[:24]}" for i, (_, says) in enumerate(WRONG)]
)
def test_a_line_that_is_wrong_is_named_with_the_place(
    desk: Desk, now: datetime, line: dict[str, Any], says: str
) -> None:
    with pytest.raises(BadLine) as refusal:
        take(desk, plain(id=str(new_id())), line, now=now)
    assert str(refusal.value).startswith("line 2: ")
    assert says in str(refusal.value)
    assert not Record.objects.exists()


@pytest.mark.spec("U3", "R4", "R7", "X1")
def test_links_lead_to_earlier_records_of_the_agent_alone(
    desk: Desk, other: Desk, now: datetime
) -> None:
    mine, theirs = desk.write(now=now).id, other.write(now=now).id
    texts = set()
    for target in (theirs, new_id()):
        links = [
            {"target_memory_id": str(mine), "link_type": "evidence"},
            {"target_memory_id": str(target), "link_type": "corrects"},
        ]
        with pytest.raises(BadLine) as refusal:
            take(desk, plain(links=links), now=now)
        texts.add(str(refusal.value))
    where = "is no earlier record of this agent, here or on a line before"
    assert texts == {f"line 1: links[1].target_memory_id: {where}"}
    later = plain(id=str(new_id()))
    early = plain(links=[{"target_memory_id": later["id"], "link_type": "evidence"}])
    with pytest.raises(BadLine, match=r"^line 1: links\[0\]"):
        take(desk, early, later, now=now)
    assert take(desk, later, early, now=now).links.count() == 1


@pytest.mark.spec("U3", "X1")
def test_ids_of_another_agent_are_refused_like_any_that_are_taken(
    desk: Desk, other: Desk, now: datetime
) -> None:
    mine, theirs = desk.write(now=now), other.write(now=now)
    assert theirs.run is not None
    texts = set()
    for taken in (mine.id, theirs.id):
        with pytest.raises(BadLine) as refusal:
            take(desk, plain(id=str(taken)), now=now)
        texts.add(str(refusal.value))
    assert texts == {"line 1: id: is taken; another memory has it"}
    with pytest.raises(BadLine, match=r"run\.id: is taken; another run has it$"):
        take(desk, plain(producer="ours-analysis", run={"id": str(theirs.run.id)}), now=now)
    line = next(one for one in lines_of(whole(other.agent)) if one["kind"] == "producer")
    with pytest.raises(BadLine, match=r"id: is taken; another producer has it$"):
        take(desk, line, plain(), now=now)
    line |= {"id": str(new_id()), "name": "ours-trading", "role": "analysis"}
    with pytest.raises(BadLine, match=r"role: the producer ours-trading is here, as trad"):
        take(desk, line, plain(), now=now)


@pytest.mark.spec("U3")
def test_another_record_under_an_id_of_the_agents_own_is_refused(
    empty: Agent, lived: bytes, now: datetime
) -> None:
    bring(empty, lived, now=now)
    told = records_of(lived)[0]
    changes: list[dict[str, Any]] = [
        {"content": "altered"},
        {"metadata": {}},
        {"tags": ["a", "b"]},
        {"created_at": iso(now)},
        {"expires_at": None},
        {"instruments": ["BTC", "ETH"]},
        {"producer": None, "run": None},
    ]
    for change in changes:
        with pytest.raises(BadLine, match=r"^line 1: id: is taken; another memory has it"):
            bring(empty, json.dumps({**told, **change}).encode(), now=now)
    assert bring(empty, json.dumps(told).encode(), now=now).unchanged == 1


@pytest.mark.spec("U3", "R17")
def test_what_was_erased_here_stays_so(empty: Agent, lived: bytes, now: datetime) -> None:
    bring(empty, lived, now=now)
    told = records_of(lived)[1]
    erase.erase(agent_id=empty.id, record_id=UUID(told["id"]), now=now, **BECAUSE)
    assert bring(empty, lived, now=now).created == 0
    assert Record.objects.get(id=told["id"]).purged_at == now


@pytest.mark.spec("U3", "M5")
def test_a_ledger_that_does_not_hold_is_refused(empty: Agent, lived: bytes, now: datetime) -> None:
    told = next(one for one in records_of(lived) if one["type"] == "strategy_insight")
    first, last = told["ledger"]
    alone = {
        **told,
        "producer": None,
        "run": None,
        "standing": {**told["standing"], "symbol": None},
    }
    purged = {**last, "event": "purged", "after": None}
    stray = {**first, "after": {**first["after"], "merged_into": str(new_id())}}
    for ledger, says in (
        ([], "strategy memory comes with its standing and its ledger"),
        ([first, purged], "ledger[1] must be a purge exactly where it all ends"),
        ([purged, last], "ledger[0] must be a purge exactly where it all ends"),
        ([{**first, "event": "Not A Word"}], "ledger[0].event"),
        (
            [{**first, "after": {**first["after"], "tags": ["a", "a"]}}],
            "ledger[0].after: tags hold",
        ),
        ([{**first, "after": {**first["after"], "confidence": "1.2"}}], "ledger[0].after.confid"),
        ([stray], "ledger[0].after.merged_into: is no strategy memory of this agent"),
        ([first, stray], "ledger: merged_into: is no strategy memory of this agent"),
    ):
        with pytest.raises(BadLine) as refusal:
            bring(empty, json.dumps({**alone, "ledger": ledger}).encode(), now=now)
        assert says in str(refusal.value)
    # All but the move that led nowhere is stored, and the same line put right goes on.
    assert StandingChange.objects.filter(agent=empty).count() == 1
    assert bring(empty, json.dumps(alone).encode(), now=now).moved == 1


@pytest.mark.spec("U3")
def test_a_line_longer_than_any_memory_is_refused_unread(
    empty: Agent, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "LINE_BYTES", 100)
    lines = imports.bounded_lines(io.BytesIO(b"{}\n" + b"x" * 101 + b"\n"))
    assert next(lines) == b"{}\n"
    with pytest.raises(BadLine, match=r"^line 2: is longer than 100 bytes$"):
        next(lines)
    assert whole(empty).count(b"\n") == 1
    del now


@pytest.mark.spec("U3", "U6")
def test_the_commands_write_a_whole_file_and_read_it(
    empty: Agent, lived: bytes, now: datetime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(lived)
    out, err = StringIO(), StringIO()
    call_command("import_memories", str(source), "--agent", "empty", stdout=out, stderr=err)
    number = len(records_of(lived))
    assert out.getvalue() == f"empty: {number} memories stored, 0 were there.\n"
    assert err.getvalue() == f"{source}: bytes read\n"
    out = StringIO()
    call_command(
        "export_memories", str(target), "--agent", "empty", "--json", stdout=out, stderr=err
    )
    assert json.loads(out.getvalue()) == {
        "agent": str(empty.id),
        "file": str(target),
        "records": number,
    }
    assert target.read_bytes() == lived
    assert target.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl"]
    piped = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", piped)
    call_command("export_memories", "-", "--agent", "empty", "--type", "rule", stderr=err)
    piped.seek(0)
    told = records_of(piped.read().encode())
    assert [one["type"] for one in told] == ["rule", "rule"]
    monkeypatch.undo()
    out = StringIO()
    call_command(
        *("import_memories", str(source), "--agent", "empty", "--dry-run", "--json"),
        stdout=out,
        stderr=err,
    )
    assert json.loads(out.getvalue()) == {
        "agent": str(empty.id),
        "dry_run": True,
        "created": 0,
        "unchanged": number,
        "moved": 0,
    }
    with pytest.raises(CommandError, match=r"cannot be written: No such file or directory$"):
        call_command("export_memories", str(tmp_path / "no" / "file"), "--agent", "empty")
    with pytest.raises(CommandError, match=r"ISO 8601"):
        call_command("export_memories", "-", "--agent", "empty", "--since", "yesterday")
    del now


@pytest.mark.spec("U3")
@pytest.mark.django_db(transaction=True)
def test_an_export_is_of_one_moment_while_others_write_and_move(now: datetime) -> None:
    desk = make_desk("ours", now=now)
    rule = remember(desk, "a rule", now=now, type="rule")
    before = whole(desk.agent)

    def meanwhile() -> None:
        desk.write(now=now)
        move(desk, rule, now=now, tags=("moved",))
        connections.close_all()

    lines = export(desk.agent)
    got = next(lines).lines
    with ThreadPoolExecutor(1) as pool:
        pool.submit(meanwhile).result()
    assert got + b"".join(some.lines for some in lines) == before
    assert len(records_of(whole(desk.agent))) == 2


@pytest.mark.spec("U3", "R6")
@pytest.mark.django_db(transaction=True)
def test_batches_before_a_wrong_line_are_committed_and_writers_wait_for_one_batch_alone(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = make_desk("ours", now=now)
    monkeypatch.setattr(imports, "BATCH_LINES", 2)
    written: list[int] = []

    def write() -> None:
        written.append(desk.write(now=now).seq)
        connections.close_all()

    def told(size: int) -> None:
        del size
        with ThreadPoolExecutor(1) as pool:
            pool.submit(write).result()

    lines = [json.dumps(plain(id=str(new_id()))).encode() + b"\n" for _ in range(4)]
    with pytest.raises(BadLine) as refusal:
        import_lines(agent=desk.agent, lines=[*lines, b"nonsense"], now=now, told=told)
    assert refusal.value.fields == {"line": 5, "stored": 4}
    assert written == [3, 6]
    seqs = Record.objects.filter(agent=desk.agent).order_by("seq").values_list("seq", flat=True)
    assert list(seqs) == [1, 2, 3, 4, 5, 6]
