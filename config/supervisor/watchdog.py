"""`manage.py worker`: a cluster of workers that is started anew when it makes no progress.

SIGKILL of an idle worker freezes django-q2 for good: the dead process holds the lock of the queue
between the processes, and all others wait for it and look alive. So it is not asked whether
processes live but whether tasks get done: those of the queue, and when there are none, one that
does nothing and is for this cluster alone (SPEC J4).
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

import structlog
from django.db import Error, connection
from django.utils import timezone

from config import ps
from config.processes import ROOT
from config.supervisor import registry
from memory.ids import new_id

log = structlog.get_logger(__name__)

LOOK_SECONDS = 0.5
PINGS = 6
"""How many pings a cluster is sent in the time after which it counts as stalled."""
PING_SECONDS_MOST = 30.0
OTHERS_SECONDS = 10.0
WINDOW_SECONDS = 600.0
BACKOFF_MOST = 30.0
KILL_SECONDS = 5.0
START_SECONDS = 60.0
"""How much longer a cluster may take to begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How patient the watchdog is: seconds, and restarts within ten minutes."""

    stall: float
    stop: float
    restarts: int

    @property
    def ping(self) -> float:
        """After this long without progress the cluster is sent a task that does nothing."""
        return min(self.stall / PINGS, PING_SECONDS_MOST)


@dataclass(slots=True)
class Group:
    """A cluster's processes: the first one, our end of its leash, and when it last moved."""

    cluster: UUID
    process: subprocess.Popen[bytes]
    leash: int
    progress: datetime | None = None
    moved: float = 0.0
    looked: float = 0.0


class Watchdog:
    """Runs a cluster until it is told to stop."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.stopping = threading.Event()
        self.restarts: deque[float] = deque()
        self.unsettled: dict[UUID, str] = {}
        self.connected = 0.0
        self.others_at = 0.0

    def run(self) -> int:
        """Keep a cluster running; return 0 when it was told to stop, 1 when it gives up."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self.stopping.set())
        while self._database_answers():
            try:
                group = self._start()
            except Error:
                connection.close()
                continue
            ending = self._watch(group)
            self._end(group, ending)
            if ending == "stopped":
                return 0
            if not self._may_restart():
                log.critical("worker_given_up", restarts=self.limits.restarts)
                return 1
            self.stopping.wait(min(2.0 ** len(self.restarts) / 2, BACKOFF_MOST))
        return 0

    def _database_answers(self) -> bool:
        """Wait for the database, and settle what it was away for; False when told to stop.

        Started without a database, a cluster would be a dead one that looks alive.
        """
        told = False
        while not self.stopping.is_set():
            if self._ask(self._give_up_others):
                return True
            if not told:
                log.warning("waiting_for_the_database")
                told = True
            self.stopping.wait(1)
        return False

    def _start(self) -> Group:
        cluster = new_id()
        registry.register(cluster, now=timezone.now())
        end_of_cluster, ours = os.pipe()
        words = ("worker", "--cluster", str(cluster), "--leash", str(end_of_cluster))
        process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, str(ROOT / "manage.py"), *words],
            cwd=ROOT,
            env={**os.environ, "TIDEBOOK_PROCESS": "worker"},
            stdin=subprocess.DEVNULL,
            pass_fds=(end_of_cluster,),
            # Its own group, so that all of it can be signalled and none of us.
            start_new_session=True,
        )
        os.close(end_of_cluster)
        self._ask(partial(registry.note_group, cluster, group=process.pid))
        log.info("cluster_started", cluster=str(cluster), group=process.pid)
        return Group(
            cluster=cluster,
            process=process,
            leash=ours,
            moved=(began := time.monotonic()),
            looked=began,
        )

    def _watch(self, group: Group) -> str:
        """Return once the cluster has to end: `stopped`, `died` or `stalled`."""
        while not self.stopping.wait(LOOK_SECONDS):
            if group.process.poll() is not None:
                log.error("cluster_died", status=group.process.returncode)
                return "died"
            if self._is_stalled(group):
                log.error("cluster_stalled", seconds=self.limits.stall)
                return "stalled"
        return "stopped"

    def _is_stalled(self, group: Group) -> bool:
        now = time.monotonic()

        def look() -> None:
            progress = registry.progress_of(group.cluster)
            if progress != group.progress:
                group.progress, group.moved = progress, now
            elif progress is None or now - group.moved >= self.limits.ping:
                registry.ping(group.cluster, now=timezone.now())

        slept = now - group.looked > self.limits.stall
        group.looked = now
        if slept or not self._ask(look):
            # This process was stopped, or the machine, or the database: nobody had a chance.
            group.moved = now
        if now - self.others_at >= OTHERS_SECONDS:
            self.others_at = now
            self._ask(partial(self._give_up_others, group.cluster))
        spare = START_SECONDS if group.progress is None else 0.0
        return now - group.moved > self.limits.stall + spare

    def _give_up_others(self, mine: UUID | None = None) -> None:
        """Have given back what clusters hold that died with their supervisors.

        One of this machine can be seen to be dead. One of another is taken for dead when it is
        silent, and the database has been there for us as long.
        """
        dead = registry.dead_here()
        since = time.monotonic() - (self.connected or time.monotonic())
        if since >= registry.SILENCE.total_seconds():
            dead += registry.silent(now=timezone.now())
        # Our own may have its first process stopped: it is ended as stalled, or not at all.
        self.unsettled |= {cluster: "died" for cluster in dead if cluster != mine}
        self._settle()

    def _end(self, group: Group, ending: str) -> None:
        """End every process of the cluster, and have its rows given back."""
        if ending == "stopped":
            # To the first process alone: it lets the workers end what they are at.
            group.process.terminate()
        elif ending == "stalled":
            ps.signal_group(group.process.pid, signal.SIGTERM)
        if ending != "died":
            self._until_gone(group, self.limits.stop)
        ps.signal_group(group.process.pid, signal.SIGKILL)
        self._until_gone(group, KILL_SECONDS)
        os.close(group.leash)
        self.unsettled[group.cluster] = ending
        self._ask(self._settle)

    def _until_gone(self, group: Group, seconds: float) -> None:
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            group.process.poll()
            if not ps.group_is_alive(group.process.pid):
                return
            time.sleep(0.1)

    def _settle(self) -> None:
        """Close the clusters that have ended, once the database can be told."""
        for cluster, ending in list(self.unsettled.items()):
            freed = registry.end(cluster, ending=ending, now=timezone.now())
            log.info("cluster_ended", cluster=str(cluster), ending=ending, rows_freed=freed)
            del self.unsettled[cluster]

    def _may_restart(self) -> bool:
        now = time.monotonic()
        while self.restarts and now - self.restarts[0] > WINDOW_SECONDS:
            self.restarts.popleft()
        if len(self.restarts) >= self.limits.restarts:
            return False
        self.restarts.append(now)
        return True

    def _ask(self, what: Callable[[], None]) -> bool:
        """Do something with the database; False when it does not answer."""
        try:
            what()
        except Error as error:
            log.debug("database_unreachable", error=str(error))
            self.connected = 0.0
            connection.close()
            return False
        self.connected = self.connected or time.monotonic()
        return True
