"""Workers are killed and stopped, and tasks get done all the same (SPEC J4).

Real clusters of django-q2, each with its supervisor; the times after which it acts are short.
"""

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import httpx
import pytest
from django.core.management import call_command
from django.db import connection
from django_q.models import OrmQ

from config import ps
from memory.models import Cluster, QueueClaim
from tests.desk import Desk, make_desk, note
from tests.faults.tasks import BEGAN, ENDED, hold, times
from tests.faults.workers import Worker, held, queue, working
from tests.live import Server

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def worker(transactional_db: None, tmp_path: Path) -> Iterator[Worker]:
    del transactional_db
    with working(tmp_path / "worker.log") as started:
        yield started


def done(name: str) -> bool:
    return times(ENDED, name) == 1 and not OrmQ.objects.filter(key="tidebook").exists()


def busy(name: str) -> bool:
    return times(BEGAN, name) == 1


@dataclass
class Writer:
    """An agent that writes over REST while workers are dead."""

    server: Server
    desk: Desk = field(default_factory=lambda: make_desk("ours", now=datetime.now(UTC)))
    statuses: set[int] = field(default_factory=set)

    def write(self) -> None:
        response = httpx.post(
            f"{self.server.url}{self.desk.path('memories/')}",
            json=note(),
            headers={"Authorization": f"Bearer {self.desk.tokens['analysis']}"},
            timeout=30,
        )
        self.statuses.add(response.status_code)


@pytest.mark.spec("J4")
def test_an_idle_worker_killed_or_stopped_freezes_the_cluster_and_the_watchdog_heals_it(
    worker: Worker, served: Server
) -> None:
    writer = Writer(served)

    def healed(name: str) -> bool:
        writer.write()
        return done(name)

    for number in (signal.SIGKILL, signal.SIGSTOP):
        frozen, pid = worker.cluster(), worker.worker_idle_just_now()
        os.kill(pid, number)
        queue(number.name)
        worker.until(partial(healed, number.name))
        assert Cluster.objects.get(id=frozen.id).ending == "stalled"
        assert ps.state_of(pid) is None
    assert writer.statuses == {201}


@pytest.mark.spec("J4", "J2")
def test_what_a_killed_worker_or_a_killed_cluster_was_at_is_done_again_at_once(
    worker: Worker,
) -> None:
    # The queue itself would try it again after ten minutes.
    first = worker.cluster()
    with held() as release:
        queue("begun thrice", task=hold)
        queue("waiting behind")
        worker.until(lambda: times(BEGAN, "begun thrice") == 1)
        os.kill(worker.workers()[-1], signal.SIGKILL)
        worker.until(lambda: times(BEGAN, "begun thrice") == 2)
        assert Cluster.objects.get().ended_at is None
        assert first.group
        os.killpg(first.group, signal.SIGKILL)
        worker.until(lambda: times(BEGAN, "begun thrice") == 3)
        release()
        worker.until(lambda: done("begun thrice") and done("waiting behind"))
    assert Cluster.objects.get(id=first.id).ending == "died"


@pytest.mark.spec("J4", "J2")
def test_workers_die_with_their_supervisor_and_the_next_one_gives_their_rows_back(
    worker: Worker, tmp_path: Path
) -> None:
    first = worker.cluster()
    with held() as release:
        queue("twice begun", task=hold)
        worker.until(lambda: busy("twice begun"))
        assert first.group
        group = first.group
        worker.process.kill()
        worker.until(lambda: not ps.group_is_alive(group), alive=False)
        assert QueueClaim.objects.filter(cluster_id=first.id).count() == 1
        release()
        with working(tmp_path / "second.log") as second:
            second.until(lambda: done("twice begun"))
    assert Cluster.objects.get(id=first.id).ending == "died"


@pytest.mark.spec("J4")
def test_a_busy_row_of_a_living_cluster_is_left_to_it_whatever_others_do(
    transactional_db: None, tmp_path: Path
) -> None:
    del transactional_db
    with held() as release, working(tmp_path / "1.log", QUEUE_STALL_SECONDS="60") as worker:
        first = worker.cluster()
        queue("begun once", task=hold)
        worker.until(lambda: busy("begun once"))
        with working(tmp_path / "2.log") as second:
            # It looks for what the dead have left before its own cluster begins.
            second.cluster()
            call_command("queue", "unstick")
            assert QueueClaim.objects.get().cluster_id == first.id
        release()
        worker.until(lambda: done("begun once"))
    assert times(BEGAN, "begun once") == 1


@pytest.mark.spec("J4", "U2")
def test_cut_connections_cost_nothing_and_sigterm_lets_a_task_end(worker: Worker) -> None:
    first = worker.cluster()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'tidebook-worker'"
        )
        assert cursor.fetchone()[0] >= 2
    with held() as release:
        queue("ends in peace", task=hold)
        worker.until(lambda: busy("ends in peace"))
        worker.process.terminate()
        worker.until(lambda: "stopping cluster processes" in worker.tail())
        release()
        assert worker.process.wait(timeout=30) == 0
    assert done("ends in peace")
    assert times(BEGAN, "ends in peace") == 1
    assert Cluster.objects.get().ending == "stopped"
    assert first.group
    assert not ps.group_is_alive(first.group)


@pytest.mark.spec("J4")
def test_after_too_many_restarts_it_ends_with_status_1(
    transactional_db: None, tmp_path: Path
) -> None:
    del transactional_db
    with working(tmp_path / "worker.log", QUEUE_RESTARTS="1") as worker:
        for _ in range(2):
            group = worker.cluster().group
            assert group
            os.killpg(group, signal.SIGKILL)
            closed = Cluster.objects.filter(ended_at__isnull=False, group=group)
            worker.until(closed.all().exists, alive=False)
        assert worker.process.wait(timeout=30) == 1
    assert set(Cluster.objects.values_list("ending", flat=True)) == {"died"}
