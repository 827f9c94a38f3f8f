"""`manage.py worker` as a real process over the test database, for tests that kill parts of it.

Tests that use it are marked `django_db(transaction=True)`.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection

from config import ps
from memory.models import Cluster, QueueClaim
from memory.queue import enqueue
from tests.faults import tasks
from tests.live import ROOT, database_url

DEADLINE_SECONDS = 60.0
PAUSE_SECONDS = 0.05
STALL_SECONDS = "3"
READY = re.compile(r"ready for work at (\d+)")


@dataclass
class Worker:
    """A supervisor with its cluster."""

    process: subprocess.Popen[bytes]
    log: Path

    def until[T](self, found: Callable[[], T | None], *, alive: bool = True) -> T:
        """Return what is found as soon as it is something.

        AssertionError: the supervisor ended (where it has to be `alive`), or it took too long.
        """
        for _ in range(int(DEADLINE_SECONDS / PAUSE_SECONDS)):
            if value := found():
                return value
            try:
                self.process.wait(timeout=PAUSE_SECONDS)
            except subprocess.TimeoutExpired:
                continue
            assert not alive, f"it ended with {self.process.returncode}:\n{self.tail()}"
        raise AssertionError(f"it took too long:\n{self.tail()}")

    def tail(self) -> str:
        """Return the end of what it has logged."""
        return self.log.read_text(encoding="utf-8", errors="replace")[-6000:]

    def cluster(self) -> Cluster:
        """Return its cluster once a worker has done something, and none is at anything."""
        return self.until(self._idle)

    def workers(self) -> list[int]:
        """Return the pids of the living workers."""
        found = READY.findall(self.log.read_text(encoding="utf-8", errors="replace"))
        return [pid for pid in map(int, found) if ps.state_of(pid) is not None]

    def worker_idle_just_now(self) -> int:
        """Return a worker that has just ended a ping: the next one comes in a while."""
        before = self.cluster().progress_at

        def moved() -> Cluster | None:
            found = self._idle()
            return found if found and found.progress_at != before else None

        self.until(moved)
        return self.workers()[-1]

    def ended(self, cluster: Cluster, how: str) -> None:
        """Wait until a cluster is closed; it has to be for this reason."""

        def ending() -> str | None:
            return Cluster.objects.get(id=cluster.id).ending

        assert self.until(ending) == how, self.tail()

    def _idle(self) -> Cluster | None:
        mine = Cluster.objects.filter(supervisor=self.process.pid, ended_at__isnull=True)
        found = mine.filter(progress_at__isnull=False).order_by("-started_at").first()
        if found and not QueueClaim.objects.filter(cluster_id=found.id).exists():
            return found
        return None


@contextmanager
def working(log: Path, **settings: str) -> Iterator[Worker]:
    """Run a supervisor until the block ends; then nothing of it is left."""
    variables = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
        "DATABASE_URL": database_url(),
        "LOG_LEVEL": "INFO",
        "QUEUE_WORKERS": "1",
        "QUEUE_STALL_SECONDS": STALL_SECONDS,
        "QUEUE_STOP_SECONDS": "3",
        **settings,
    }
    command = [sys.executable, "manage.py", "worker"]
    with (
        log.open("ab") as out,
        subprocess.Popen(command, cwd=ROOT, env=variables, stdout=out, stderr=out) as process,
    ):
        worker = Worker(process, log)
        try:
            yield worker
        finally:
            ours = Cluster.objects.filter(supervisor=process.pid)
            groups = list(ours.values_list("group", flat=True))
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
            for group in groups:
                if group:
                    ps.signal_group(group, signal.SIGKILL)


def queue(name: str, *, task: Callable[..., Any] = tasks.mark) -> None:
    """Enqueue a task of these tests."""
    enqueue(f"tests.faults.tasks.{task.__name__}", now=datetime.now(UTC), name=name)


@contextmanager
def held() -> Iterator[Callable[[], None]]:
    """Have `tasks.hold` wait until the block ends or what it gives is called."""
    options = connection.get_connection_params()
    with psycopg.connect(
        autocommit=True,
        **{key: options[key] for key in ("host", "port", "user", "password", "dbname")},
    ) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [tasks.LOCK])

        def release() -> None:
            other.execute("SELECT pg_advisory_unlock_all()")

        yield release
