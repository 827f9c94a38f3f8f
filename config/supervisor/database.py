"""The embedded database server is started again when it was killed under `manage.py up` (U2).

A server that ends by itself, or by `manage.py db stop`, removes its pid file: it is left alone. One
that was killed leaves it, with the pid of no process or of a stranger. While a start fails there is
no such file either, and it is tried on: a `db stop` in that time changes nothing.
"""

import threading
import time
from pathlib import Path

import psycopg

from config import embedded, pgstate, ps
from config.pgbinaries import EmbeddedError
from config.processes import Kind
from config.supervisor.together import BACKOFF_LEAST, BACKOFF_MOST, SETTLED_SECONDS, Say

LOOK_SECONDS = 1.0
DATABASE = Kind(name="database", mark="postgres")
TROUBLE = (EmbeddedError, OSError, psycopg.Error)


class Keeper:
    """Looks after a home's server. `say` is told what happens to it."""

    def __init__(self, home: Path | None, *, say: Say) -> None:
        self.home = (home or pgstate.default_home()).resolve()
        self.say = say
        self.is_down = False
        self.deaths = 0
        self.started = self.due = 0.0

    def run(self, stopping: threading.Event) -> None:
        """Look each second until told to stop."""
        while not stopping.wait(LOOK_SECONDS):
            self.look(time.monotonic())

    def look(self, now: float) -> None:
        """Start the server when it was killed and the wait is over; `now` is monotonic."""
        if not self.is_down:
            if not was_killed(self.home):
                return
            self.is_down = True
            self._wait(now, settled=now - self.started >= SETTLED_SECONDS, what="ended")
        if now >= self.due:
            self._start(now)

    def _start(self, now: float) -> None:
        before = embedded.stored_url(self.home)
        try:
            after = embedded.ensure(self.home)
        except TROUBLE as error:
            self._wait(now, settled=False, what="failed", why=f"{str(error).splitlines()[0]} ")
            return
        self.is_down, self.started = False, now
        # All others were told the address when they began.
        moved = "" if after == before else "on another port: end `up` and start it again"
        self.say("restarted", DATABASE, None, moved)

    def _wait(self, now: float, *, settled: bool, what: str, why: str = "") -> None:
        self.deaths = 1 if settled else self.deaths + 1
        wait = min(BACKOFF_LEAST * 2 ** (self.deaths - 1), BACKOFF_MOST)
        self.due = now + wait
        self.say(what, DATABASE, None, f"{why or 'a kill; '}again in {wait:g} s")


def was_killed(home: Path) -> bool:
    """Tell whether a home's server is gone without having ended by itself."""
    try:
        cluster = pgstate.load(home)
        lines = cluster.pid_file() if cluster else []
        pid = int(lines[0]) if lines else 0
    except (*TROUBLE, ValueError):
        return False
    if cluster is None or pid <= 0:
        return False
    if ps.state_of(pid) is None:
        return True
    try:
        # A server's working folder is its data folder; the pid may be another's by now.
        return Path(f"/proc/{pid}/cwd").readlink() != cluster.data.resolve()
    except OSError:
        return False
