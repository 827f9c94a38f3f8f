"""The database goes away while workers are at work: with its return, work goes on (SPEC J4)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django_q.models import OrmQ

from memory.models import Cluster, QueueClaim
from tests import live
from tests.faults.proxy import Cut, Wire, wire
from tests.faults.tasks import BEGAN, ENDED, hold, times
from tests.faults.workers import Worker, held, queue, working

pytestmark = pytest.mark.django_db(transaction=True)

TAKES = b"memory_queue_claim"
BEHIND = ("second", "third")


@pytest.fixture
def line(transactional_db: None) -> Iterator[Wire]:
    """Return the wire over which the worker has its database."""
    del transactional_db
    options = connection.get_connection_params()
    with wire((options["host"], int(options["port"])), marker=TAKES) as made:
        yield made


@pytest.fixture
def worker(line: Wire, tmp_path: Path) -> Iterator[Worker]:
    port = connection.get_connection_params()["port"]
    url = live.database_url().replace(f":{port}/", f":{line.port}/")
    # Encrypted, the wire could not tell one statement from another.
    patient = {"QUEUE_STALL_SECONDS": "300", "DATABASE_URL": f"{url}?sslmode=disable"}
    with working(tmp_path / "worker.log", **patient) as started:
        yield started


def is_over() -> bool:
    return not OrmQ.objects.filter(key="tidebook").exists()


def said(worker: Worker, text: str) -> int:
    return worker.log.read_text(encoding="utf-8").count(text)


@pytest.mark.spec("J4", "J2")
def test_what_was_taken_before_is_done_as_soon_as_the_database_is_back(
    worker: Worker, line: Wire
) -> None:
    # The queue itself would try it again after ten minutes.
    cluster = worker.cluster()
    with held() as release:
        queue("first", task=hold)
        worker.until(lambda: times(BEGAN, "first") == 1)
        for name in BEHIND:
            queue(name)
        worker.until(lambda: QueueClaim.objects.count() == 1 + len(BEHIND))
        line.down()
        worker.until(lambda: said(worker, "Failed '") == 1 + len(BEHIND))
        worker.until(lambda: said(worker, "queue_unreachable"))
        # Nobody else took them, and they are not due: only their own cluster can tell.
        assert QueueClaim.objects.filter(cluster_id=cluster.id).count() == 1 + len(BEHIND)
        line.up()
        worker.until(lambda: times(BEGAN, "first") == 2)
        release()
        worker.until(is_over)
    assert [times(ENDED, name) for name in ("first", *BEHIND)] == [1, 1, 1]
    assert Cluster.objects.get().ended_at is None
    assert said(worker, "queue_unreachable") == said(worker, "queue_reachable") == 1
    assert not said(worker, "Failed to pull task")


@pytest.mark.spec("J4", "J2")
def test_a_row_whose_taking_was_not_answered_is_put_back(worker: Worker, line: Wire) -> None:
    worker.cluster()
    line.cut(Cut.AFTER)
    queue("once")
    worker.until(is_over)
    assert times(ENDED, "once") == 1
