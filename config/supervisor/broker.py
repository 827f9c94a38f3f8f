"""The queue as a cluster's processes see it: rows are taken with a claim that names the cluster."""

import os
import time
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
import structlog
from django.db import Error, close_old_connections, connection
from django.db.models import QuerySet
from django.utils import timezone
from django_q import worker
from django_q.brokers.orm import ORM
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.signals import post_execute_in_worker, pre_execute

from config.supervisor import registry
from config.supervisor.returns import AWAY, Returns, Taken
from memory.live import CHANNEL
from memory.queue import set_current_task

log = structlog.get_logger(__name__)

PAUSE_SECONDS = 0.5
"""Between two looks whether the database is back."""


class ClaimingBroker(ORM):  # type: ignore[misc]  # untyped base
    """django-q2's own broker, but for who has which row, and for a database that goes away."""

    def __init__(self, cluster: UUID) -> None:
        self.cluster = cluster
        self._listening: psycopg.Connection[Any] | None = None
        self._doubtful: list[datetime] = []
        self._is_away = False
        super().__init__()

    @staticmethod
    def get_connection(list_key: str | None = None) -> QuerySet[OrmQ]:
        """Close a connection that is dead or old; unlike the stock broker, ask no server."""
        del list_key
        if not connection.in_atomic_block:
            close_old_connections()
        rows: QuerySet[OrmQ] = OrmQ.objects.all()
        return rows

    @staticmethod
    def get_cache() -> None:
        """Keep no statistics of the cluster in a cache: the registry has what is needed."""

    def dequeue(self) -> list[tuple[Taken, str]] | None:
        """Take what is due; when there is nothing, wait a little or until a session goes on."""
        now = timezone.now()
        until = registry.taken_until(now)
        try:
            self.get_connection()
            self._listen()
            self._put_back_doubtful(now)
            # Without an answer we cannot know whether rows were taken, and nobody has them then.
            self._doubtful.append(until)
            rows = registry.take(self.cluster, most=Conf.BULK, now=now)
            self._doubtful.clear()
        except Error as error:
            # The stock broker would end its process here, and begin again ten seconds later.
            self._wait_for_database(error)
            return None
        if self._is_away:
            self._is_away = False
            log.info("queue_reachable")
        if not rows:
            self._wait()
            return None
        return [(Taken(row, until), payload) for row, payload in rows]

    def _put_back_doubtful(self, now: datetime) -> None:
        for until in self._doubtful:
            registry.put_back(self.cluster, taken_until=until, now=now)
        self._doubtful.clear()

    def _wait_for_database(self, error: Error) -> None:
        if not self._is_away:
            self._is_away = True
            log.warning("queue_unreachable", error=type(error).__name__)
        connection.close()
        time.sleep(PAUSE_SECONDS)

    def _listen(self) -> None:
        """Be told, on this connection, when a step is stored: the next one is due then.

        Between polls a lone session would wait longer than it works.
        """
        connection.ensure_connection()
        if connection.connection is not self._listening:
            with connection.cursor() as cursor:
                cursor.execute(f"LISTEN {CHANNEL}")
            self._listening = connection.connection

    def _wait(self) -> None:
        try:
            # What was told since the last look is kept, and ends this at once.
            for _ in connection.connection.notifies(timeout=Conf.POLL, stop_after=1):
                pass
        except psycopg.Error:
            connection.close()

    def acknowledge(self, task_id: Taken) -> None:
        """Remove the row of a task that is done, once the database answers."""
        while True:
            try:
                self.get_connection()
                registry.remove(task_id.row)
            except AWAY:
                connection.close()
                time.sleep(PAUSE_SECONDS)
            except Error:
                connection.close()
                log.exception("queue_row_kept", row=task_id.row)
                return
            else:
                return

    def fail(self, task_id: Taken) -> None:
        """Remove a row that cannot be read."""
        self.acknowledge(task_id)


def report_to_registry(cluster: UUID) -> Returns:
    """Have each worker that is forked from here on tell the registry what it is at.

    Returns what tells of rows that come back.
    """
    returns = Returns()
    # The one place where django-q2 shows the error itself; a setting would need a package for it.
    worker.error_reporter = returns

    def begins(sender: str, func: Any, task: dict[str, Any], **_: Any) -> None:
        del sender, func
        set_current_task(UUID(task["id"]))
        _tell(registry.begin, task, cluster=cluster, worker=os.getpid(), now=timezone.now())

    def ends(sender: str, func: Any, task: dict[str, Any], **_: Any) -> None:
        del sender, func
        set_current_task(None)
        if not task["success"] and returns.tell(task["ack_id"]):
            # Somebody may have the row soon: the failure is noted, but is no reason to remove it.
            task["ack_id"] = None
            return
        _tell(registry.finish, task, cluster=cluster, now=timezone.now())

    pre_execute.connect(begins, weak=False, dispatch_uid="registry")
    post_execute_in_worker.connect(ends, weak=False, dispatch_uid="registry")
    return returns


def _tell(what: Any, task: dict[str, Any], **known: UUID | int | datetime) -> None:
    """Store it, or log that it could not be: the task itself is what matters."""
    try:
        what(task["ack_id"].row, **known)
    except Error as error:
        log.warning("registry_unreachable", error=type(error).__name__)
        connection.close()
