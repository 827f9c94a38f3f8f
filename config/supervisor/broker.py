"""The queue as a cluster's processes see it: rows are taken with a claim that names the cluster."""

import os
import time
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
import structlog
from django.db import Error, connection
from django.utils import timezone
from django_q.brokers.orm import ORM
from django_q.conf import Conf
from django_q.signals import post_execute_in_worker, pre_execute

from config.supervisor import registry
from memory.live import CHANNEL
from memory.queue import set_current_task

log = structlog.get_logger(__name__)

PATIENCE = 30
"""Seconds for which a finished task's row is tried to be removed while the database is away."""


class ClaimingBroker(ORM):  # type: ignore[misc]  # untyped base
    """django-q2's own broker, but for who has which row, and for a database that goes away."""

    def __init__(self, cluster: UUID) -> None:
        self.cluster = cluster
        self._listening: psycopg.Connection[Any] | None = None
        super().__init__()

    @staticmethod
    def get_cache() -> None:
        """Keep no statistics of the cluster in a cache: the registry has what is needed."""

    def dequeue(self) -> list[tuple[int, str]] | None:
        """Take what is due; when there is nothing, wait a little or until a session goes on."""
        self.get_connection()
        try:
            self._listen()
            rows = registry.take(self.cluster, most=Conf.BULK, now=timezone.now())
        except Error as error:
            # The stock broker would end its process here, and begin again ten seconds later.
            log.warning("queue_unreachable", error=type(error).__name__)
            connection.close()
            time.sleep(1)
            return None
        if not rows:
            self._wait()
            return None
        return rows

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

    def acknowledge(self, task_id: int) -> None:
        """Remove the row of a task that is done, once the database answers."""
        for _ in range(PATIENCE):
            try:
                self.get_connection()
                registry.remove(task_id)
            except Error:
                connection.close()
                time.sleep(1)
            else:
                return
        log.error("queue_row_kept", row=task_id)


def report_to_registry(cluster: UUID) -> None:
    """Have each worker that is forked from here on tell the registry what it is at."""

    def begins(sender: str, func: Any, task: dict[str, Any], **_: Any) -> None:
        del sender, func
        set_current_task(UUID(task["id"]))
        _tell(registry.begin, task, cluster=cluster, worker=os.getpid(), now=timezone.now())

    def ends(sender: str, func: Any, task: dict[str, Any], **_: Any) -> None:
        del sender, func
        set_current_task(None)
        _tell(registry.finish, task, cluster=cluster, now=timezone.now())

    pre_execute.connect(begins, weak=False, dispatch_uid="registry")
    post_execute_in_worker.connect(ends, weak=False, dispatch_uid="registry")


def _tell(what: Any, task: dict[str, Any], **known: UUID | int | datetime) -> None:
    """Store it, or log that it could not be: the task itself is what matters."""
    try:
        what(task["ack_id"], **known)
    except Error as error:
        log.warning("registry_unreachable", error=type(error).__name__)
        connection.close()
