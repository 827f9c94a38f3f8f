"""Runs that nobody ends are failed, and what comes too late is told so (SPEC J1, R5)."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from autopilot.models import Session
from memory import tasks
from memory.models import JobRun, Record, Run
from memory.services import runs, setup
from memory.services.runs import TIMED_OUT, start_run, start_run_with_token, time_out
from tests.autopilot.session.bench import begin, store_bars
from tests.desk import Desk, bearer, make_desk, note
from tests.faults.gates import connect, leave
from tests.mcp_bridge.clients import call

HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def bridge_in_this_thread(settings: Any) -> None:
    """Let the bridge see what the test's transaction holds."""
    settings.MCP_ORM_THREADS = 0


@pytest.mark.spec("J1")
@pytest.mark.parametrize(
    ("schedule", "cycles"),
    [(None, HOUR), ("5m", HOUR), ("30m", HOUR), ("4h", 8 * HOUR), ("1d", 48 * HOUR)],
)
def test_a_run_is_failed_after_an_hour_and_not_before_two_cycles(
    desk: Desk, now: datetime, schedule: str | None, cycles: timedelta
) -> None:
    producer = desk.producers["analysis"]
    setup.change_schedule(producer=producer, schedule=schedule)
    producer.schedule = schedule
    run = start_run(producer=producer, now=now)
    assert run.deadline_at == now + cycles
    assert time_out(now=now + cycles - timedelta(microseconds=1)) == 0
    assert time_out(now=now + cycles) == 1
    ended = Run.objects.get(id=run.id)
    assert (ended.status, ended.error, ended.ended_at) == ("failed", TIMED_OUT, now + cycles)
    assert time_out(now=now + 2 * cycles) == 0


@pytest.mark.spec("J1")
def test_the_setting_says_how_long(desk: Desk, now: datetime, settings: Any) -> None:
    settings.RUN_TIMEOUT_MINUTES = 3
    run = start_run(producer=desk.producers["review"], now=now)
    assert run.deadline_at == now + timedelta(minutes=3)


@pytest.mark.spec("J1", "R5", "B4", "C4")
def test_a_write_with_the_token_of_a_timed_out_run_is_told_that_it_has_ended(
    desk: Desk, now: datetime
) -> None:
    long_ago = now - 2 * HOUR
    run, _, clear = start_run_with_token(
        producer=desk.producers["analysis"], now=long_ago, life=6 * HOUR
    )
    kept = bearer(clear).post(desk.path("memories/"), note())
    assert kept.status_code == 201
    assert tasks.run_timeouts(intended=now.replace(second=0).isoformat()) == "succeeded"
    assert JobRun.objects.get(name="run_timeouts").result == {"failed": 1}
    late = bearer(clear).post(desk.path("memories/"), note())
    assert (late.status_code, late.json()["code"]) == (409, "run_finished")
    assert call(clear, "write_memory", note()).body["code"] == "run_finished"
    finish = bearer(clear).post(f"/api/v1/runs/{run.id}/finish/", {"status": "succeeded"})
    assert (finish.status_code, finish.json()["code"]) == (409, "run_finished")
    assert list(Record.objects.values_list("id", flat=True)) == [
        Record.objects.get(id=kept.json()["id"]).id
    ]


@pytest.mark.spec("J1", "R5", "B3")
def test_a_bearer_whose_bound_run_timed_out_writes_with_none_open_and_may_start_another(
    desk: Desk, now: datetime
) -> None:
    actor = desk.actor(now=now)
    old = start_run(
        producer=desk.producers["analysis"], bound_token_id=actor.token_id, now=now - 2 * HOUR
    )
    token = desk.tokens["analysis"]
    assert call(token, "start_run", {}).body["code"] == "run_open"
    assert time_out(now=now) == 1
    written = call(token, "write_memory", note()).data
    assert written["run"]["id"] != str(old.id)
    assert call(token, "start_run", {}).data["status"] == "running"


@pytest.mark.spec("J1", "A14")
def test_the_run_of_a_live_session_is_never_failed(desk: Desk, now: datetime) -> None:
    store_bars(now=now)
    session = begin(desk, now=now)
    assert time_out(now=now + timedelta(days=365)) == 0
    assert Run.objects.get(id=session.run_id).status == "running"
    assert Session.objects.get(id=session.id).ended_at is None


@pytest.mark.spec("J1")
def test_they_are_failed_in_batches_the_longest_overdue_first(
    desk: Desk, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = [now - (9 - number) * HOUR for number in range(7)]
    found = [start_run(producer=desk.producers["review"], now=at).id for at in started]
    assert time_out(now=now, most=2) == 2
    assert set(Run.objects.filter(status="failed").values_list("id", flat=True)) == set(found[:2])
    monkeypatch.setattr(runs, "BATCH", 2)
    monkeypatch.setattr(tasks, "BATCHES", 2)
    assert tasks.run_timeouts(intended=now.replace(second=0).isoformat()) == "succeeded"
    assert JobRun.objects.get(name="run_timeouts").result == {"failed": 4}
    assert list(Run.objects.filter(status="running").values_list("id", flat=True)) == [found[6]]


@pytest.mark.spec("J1", "C5")
def test_an_ended_or_an_implicit_run_is_left_as_it_is(desk: Desk, now: datetime) -> None:
    run = start_run(producer=desk.producers["review"], now=now - 2 * HOUR)
    runs.finish_run(run=run, status="succeeded", error="", now=now)
    desk.write(now=now - 2 * HOUR)
    before = list(Run.objects.order_by("id").values())
    assert time_out(now=now + HOUR) == 0
    assert list(Run.objects.order_by("id").values()) == before


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("J1", "C5")
def test_a_run_that_is_being_written_in_is_left_for_the_next_time(
    transactional_db: None, now: datetime
) -> None:
    del transactional_db
    desk = make_desk("ours", now=now)
    run = start_run(producer=desk.producers["review"], now=now - 2 * HOUR)
    other = connect()
    try:
        # As a write does.
        other.execute("SELECT 1 FROM memory_run WHERE id = %s FOR SHARE", [run.id])
        assert time_out(now=now) == 0
    finally:
        leave(other)
    assert time_out(now=now) == 1
