"""The first process of a cluster: it begins the workers, says that they live, and ends them.

Its supervisor holds the other end of a pipe, the leash. When that one dies, however it does, the
leash is cut and so are the workers: none is ever left without somebody who watches it, and their
rows can be given to others.
"""

import os
import select
import signal
import time
from uuid import UUID

import structlog
from django.db import Error, connection, connections
from django.utils import timezone
from django_q.cluster import Cluster

from config import ps
from config.supervisor import registry
from config.supervisor.broker import ClaimingBroker, report_to_registry
from config.supervisor.returns import Taken

log = structlog.get_logger(__name__)

BEAT = 1.0
TOUCH_EVERY = 5.0


def run(cluster: UUID, *, leash: int) -> int:
    """Run the workers of a registered cluster until they are told to end; return a status.

    1 when the process that guards them died. `leash` is the reading end of the pipe.
    """
    returns = report_to_registry(cluster)
    workers = Cluster(broker=ClaimingBroker(cluster))
    # What is open would be shared with every process that is forked.
    connections.close_all()
    workers.start()
    touched = -TOUCH_EVERY
    lost: set[Taken] = set()
    is_away = False
    while workers.sentinel.is_alive():
        if _cut(leash):
            log.critical("supervisor_gone")
            os.killpg(os.getpgrp(), signal.SIGKILL)
        lost |= returns.told()
        try:
            _free_dead(cluster)
            _put_back(cluster, lost)
            if time.monotonic() - touched >= TOUCH_EVERY:
                _say_alive(cluster)
                touched = time.monotonic()
            is_away = False
        except Error as error:
            if not is_away:
                log.warning("registry_unreachable", error=type(error).__name__)
            is_away = True
            connection.close()
    return 0 if workers.has_stopped else 1


def _cut(leash: int) -> bool:
    """Wait for a beat; tell whether the supervisor has died."""
    readable, _, _ = select.select([leash], [], [], BEAT)
    return bool(readable)


def _say_alive(cluster: UUID) -> None:
    if registry.touch(cluster, now=timezone.now()):
        return
    # Others were given its rows: whatever still runs here would do them twice.
    log.critical("cluster_was_given_up")
    os.killpg(os.getpgrp(), signal.SIGKILL)


def _free_dead(cluster: UUID) -> None:
    """Put back the rows of workers that were killed, and kill workers that were stopped for long.

    django-q2 ends a task at its time limit by an alarm and a SIGTERM. A process that is stopped
    (SIGSTOP) heeds neither.
    """
    now = timezone.now()
    for row, worker, until in registry.workers_at_work(cluster):
        state = ps.state_of(worker)
        if state is None:
            if registry.give_back(row, cluster=cluster, worker=worker, now=now):
                log.warning("worker_died_at_work", worker=worker)
        elif state == ps.STOPPED and until is not None and now >= until:
            log.error("worker_stopped_for_long", worker=worker)
            os.kill(worker, signal.SIGKILL)


def _put_back(cluster: UUID, lost: set[Taken]) -> None:
    """Put back the rows of tasks that failed because the database was away."""
    for taken in sorted(lost):
        now = timezone.now()
        if registry.put_back(cluster, row=taken.row, taken_until=taken.until, now=now):
            log.info("row_put_back", row=taken.row)
        lost.discard(taken)
