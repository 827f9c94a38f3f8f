"""Boundaries are analysed once by real clusters, however many there are and whoever dies (J1)."""

import os
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django_q.models import OrmQ

from config import ps
from memory.models import Cluster, JobRun, Producer, QueueClaim, Record, Run
from memory.queue import enqueue
from tests.autopilot.built_in import built_in, run_of, told_of
from tests.autopilot.session.bench import store_bars
from tests.desk import make_desk
from tests.faults.gates import gated
from tests.faults.workers import Worker, working
from trading.models import IndicatorRun

pytestmark = pytest.mark.django_db(transaction=True)

PATIENT = {"QUEUE_STALL_SECONDS": "300"}
"""Workers are held for long; the watchdog has tests of its own."""


@pytest.fixture
def producer(transactional_db: None) -> Producer:
    """Return a producer whose boundary is today's midnight, with bars of both instruments."""
    del transactional_db
    now = datetime.now(UTC)
    desk = make_desk("ours", now=now)
    for name in ("BTC", "ETH"):
        store_bars(now=now, instrument=name, timeframe="1d", count=200)
    return built_in(desk, now=now, schedule="1d")


def queue_dispatcher(*, copies: int, minutes: int) -> None:
    """Queue the minute's job several times for each of some minutes, as clusters might."""
    now = datetime.now(UTC)
    for minute in range(minutes):
        intended = now.replace(second=0, microsecond=0) - timedelta(minutes=minute)
        for _ in range(copies):
            task = "autopilot.tasks.dispatch_analysis"
            enqueue(task, now=now, intended=intended.isoformat())


def rows_of(task: str) -> list[int]:
    rows = OrmQ.objects.filter(key="tidebook")
    return [row.id for row in rows if row.task["func"] == task]


def is_over() -> bool:
    left = OrmQ.objects.filter(key="tidebook").exclude(id__in=rows_of("memory.tasks.ping"))
    open_ = Run.objects.filter(built_in=True, status="running")
    return Run.objects.filter(built_in=True).exists() and not (open_.exists() or left.exists())


def is_whole(producer: Producer) -> None:
    """The one run of the boundary succeeded, with one record and one source an instrument."""
    run = run_of(producer, at=datetime.now(UTC))
    assert Run.objects.filter(built_in=True).count() == 1
    assert (run.status, run.error) == ("succeeded", "")
    assert told_of(run) == ["BTC", "ETH"]
    quoted = [
        record.metadata["sources"][0]["indicator_run_id"]
        for record in Record.objects.filter(run_id=run.id)
    ]
    assert sorted(quoted) == sorted(map(str, IndicatorRun.objects.values_list("id", flat=True)))


@pytest.mark.spec("J1", "J2", "A12")
def test_two_clusters_run_a_due_boundary_once(producer: Producer, tmp_path: Path) -> None:
    with (
        working(tmp_path / "first.log", QUEUE_WORKERS="2", **PATIENT) as first,
        working(tmp_path / "second.log", QUEUE_WORKERS="2", **PATIENT) as second,
    ):
        first.cluster()
        second.cluster()
        queue_dispatcher(copies=3, minutes=4)
        first.until(is_over)
    is_whole(producer)
    assert not JobRun.objects.exclude(name="analysis_dispatcher", status="succeeded").exists()


def kill_worker(worker: Worker) -> None:
    """Kill the process that is at a task."""
    at_work = QueueClaim.objects.filter(worker__isnull=False)
    pid = worker.until(lambda: at_work.values_list("worker", flat=True).first())
    os.kill(pid or 0, signal.SIGKILL)


def kill_all(worker: Worker) -> None:
    """Kill the worker command with all that it started."""
    mine = Cluster.objects.filter(supervisor=worker.process.pid, group__isnull=False)
    groups = list(mine.values_list("group", flat=True))
    os.kill(worker.process.pid, signal.SIGKILL)
    for group in groups:
        ps.signal_group(group or 0, signal.SIGKILL)
    worker.process.wait()


@pytest.mark.spec("J1", "J2", "J4", "C4")
def test_a_run_whose_workers_are_killed_is_taken_over_and_doubles_nothing(
    producer: Producer, tmp_path: Path
) -> None:
    log = tmp_path / "worker.log"
    with gated("trading_indicator_run") as locks, working(log, **PATIENT) as worker:
        queue_dispatcher(copies=1, minutes=1)
        # In the transaction that stores the first instrument …
        worker.until(locks.gate.waiter)
        kill_worker(worker)
        locks.gate.let_one_through()
        assert not Record.objects.exists()
        # … and, by the worker after it, in that of the second.
        worker.until(locks.gate.waiter)
        locks.gate.let_one_through()
        worker.until(locks.gate.waiter)
        assert told_of(run_of(producer, at=datetime.now(UTC))) == ["BTC"]
        kill_all(worker)
        locks.gate.let_one_through()
        with working(log, **PATIENT) as another:
            another.until(locks.gate.waiter)
            locks.gate.let_one_through()
            another.until(is_over)
    is_whole(producer)


@pytest.mark.spec("J1", "J2", "J4")
def test_a_dispatcher_that_is_killed_at_a_runs_start_starts_it_when_it_is_tried_again(
    producer: Producer, tmp_path: Path
) -> None:
    with working(tmp_path / "log", **PATIENT) as worker:
        with gated("memory_run") as locks:
            queue_dispatcher(copies=2, minutes=1)
            worker.until(locks.gate.waiter)
            kill_worker(worker)
            locks.gate.let_one_through()
            assert not Run.objects.filter(built_in=True).exists()
            assert not rows_of("autopilot.tasks.run_analysis")
        worker.until(is_over)
    is_whole(producer)
