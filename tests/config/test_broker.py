"""What a cluster takes from the queue, and when it looks (SPEC J1, J4)."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.db import connection, connections
from django_q.conf import Conf
from django_q.models import OrmQ, Task
from django_q.monitor import save_task

from config.supervisor import registry
from config.supervisor.broker import ClaimingBroker
from memory import live
from memory.ids import new_id
from memory.models import QueueClaim
from memory.queue import enqueue
from tests.autopilot.session.bench import in_own_connection

pytestmark = pytest.mark.django_db(transaction=True)
TASK = "memory.tasks.ping"


@pytest.fixture
def cluster() -> UUID:
    """Return a registered cluster."""
    cluster = new_id()
    registry.register(cluster, now=datetime.now(UTC))
    return cluster


@pytest.fixture
def queued(cluster: UUID) -> Iterator[list[int]]:
    """Return the ids of three rows that are due, oldest first."""
    del cluster
    now = datetime.now(UTC)
    for age in (1, 3, 2):
        enqueue(TASK, now=now - timedelta(seconds=age))
    yield list(OrmQ.objects.order_by("lock").values_list("id", flat=True))
    OrmQ.objects.all().delete()


def take(cluster: UUID, *, most: int = 1) -> list[int]:
    rows = registry.take(cluster, most=most, now=datetime.now(UTC))
    return [row for row, _ in rows]


@pytest.mark.spec("J1")
def test_rows_are_taken_oldest_first_and_once(cluster: UUID, queued: list[int]) -> None:
    other = new_id()
    registry.register(other, now=datetime.now(UTC))
    first, second, third = queued
    assert take(cluster) == [first]
    assert take(other, most=5) == [second, third]
    assert take(cluster, most=5) == []
    held = dict(QueueClaim.objects.values_list("row_id", "cluster_id"))
    assert held == {first: cluster, second: other, third: other}


@pytest.mark.spec("J4")
def test_a_cluster_that_was_given_up_takes_nothing(cluster: UUID, queued: list[int]) -> None:
    registry.end(cluster, ending="silent", now=datetime.now(UTC))
    assert take(cluster, most=5) == []
    assert OrmQ.objects.filter(lock__lt=datetime.now(UTC)).count() == len(queued)


@pytest.mark.spec("J4")
def test_a_row_that_comes_back_is_nobodys_until_a_worker_begins(
    cluster: UUID, queued: list[int]
) -> None:
    now = datetime.now(UTC)
    assert take(cluster) == queued[:1]
    registry.begin(queued[0], cluster=cluster, worker=7, now=now)
    assert registry.workers_at_work(cluster)[0][:2] == (queued[0], 7)
    assert registry.progress_of(cluster) == now
    OrmQ.objects.filter(id=queued[0]).update(lock=now - timedelta(seconds=60))
    assert take(cluster) == queued[:1]
    assert registry.workers_at_work(cluster) == []


@pytest.mark.spec("J4")
def test_the_bookkeeping_leaves_commits_of_others_as_they_are(
    cluster: UUID, queued: list[int]
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")
        before = cursor.fetchone()
        (row,) = take(cluster)
        registry.finish(row, cluster=cluster, now=datetime.now(UTC))
        cursor.execute("SHOW synchronous_commit")
        assert cursor.fetchone() == before
    assert row == queued[0]


@pytest.mark.spec("J1")
def test_a_stored_step_wakes_a_cluster_that_waits(
    cluster: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker = ClaimingBroker(cluster)
    # As in a worker: each look would open a connection of its own.
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 60)
    monkeypatch.setattr(Conf, "POLL", 0)
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(broker.dequeue).result() is None
        # Told between two looks, it is not forgotten.
        live.notify(new_id())
        monkeypatch.setattr(Conf, "POLL", 60)
        woken = thread.submit(in_own_connection(broker.dequeue))
        assert woken.result(timeout=30) is None


@pytest.mark.spec("J1")
@pytest.mark.parametrize("success", [True, False])
def test_of_tasks_only_failures_are_kept(
    cluster: UUID, queued: list[int], *, success: bool
) -> None:
    del queued
    broker = ClaimingBroker(cluster)
    task = OrmQ.objects.earliest("id").task
    save_task({**task, "success": success, "result": None, "stopped": datetime.now(UTC)}, broker)
    assert Task.objects.filter(success=False).count() == Task.objects.count() == (not success)
