"""Export and import: the same bytes after a round trip, whatever is in an agent's history."""

import io
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from memory.ids import new_id
from memory.models import (
    Agent,
    AgentTail,
    Instrument,
    Producer,
    Record,
    Run,
    Standing,
    Withdrawal,
)
from memory.schemas.records import RecordDraft
from memory.selectors.heads import chosen
from memory.selectors.history import chosen_from_history
from memory.services import imports, postings, publish, runs, setup, standings, tokens
from memory.services.exports import export
from memory.services.imports import import_lines
from memory.services.incoming import BadLine
from memory.services.standings import Cause
from tests.desk import Desk, make_desk, note
from tests.memory.history import (
    MINUTE,
    bring,
    elsewhere,
    life,
    lines_of,
    move,
    plain,
    records_of,
    whole,
)
from tests.strategies import remember


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
