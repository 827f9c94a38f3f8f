"""`manage.py up`: web, worker and bridge as children of one process that restarts what dies."""

import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from config import processes, ps
from config.processes import Kind, Running, Service

LOOK_SECONDS = 0.2
BACKOFF_LEAST, BACKOFF_MOST = 0.5, 30.0
SETTLED_SECONDS = 60.0
"""A child that lived this long is restarted without delay again."""

type Say = Callable[[str, Kind, Running | None, str], None]


@dataclass(slots=True)
class Child:
    """A service and its process, if it has one just now."""

    service: Service
    process: subprocess.Popen[bytes] | None = None
    running: Running | None = None
    answered: bool = False
    started: float = 0.0
    due: float = 0.0
    deaths: int = 0


class Together:
    """Runs services until it is told to stop. `say` is told of what happens to each."""

    def __init__(self, services: Sequence[Service], *, home: Path | None, say: Say) -> None:
        self.children = [Child(service) for service in services]
        self.home = home
        self.say = say
        self.stopping = threading.Event()

    def run(self) -> None:
        """Start all, restart what dies, and end all at SIGTERM or Ctrl-C (ProcessError)."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: self.stopping.set())
        try:
            while True:
                for child in self.children:
                    self._tend(child, time.monotonic())
                if self.stopping.wait(LOOK_SECONDS):
                    break
        finally:
            self._end()

    def _tend(self, child: Child, now: float) -> None:
        if child.process is None:
            if now >= child.due:
                self._start(child, now)
            return
        status = child.process.poll()
        if status is not None:
            self._bury(child, now, status)
        elif not child.answered and child.running and child.service.answers(child.running):
            child.answered = True
            self.say("answers", child.service, child.running, "")

    def _start(self, child: Child, now: float) -> None:
        # The same port again, so that addresses that were handed out stay good.
        port = child.running.port if child.running else None
        child.process, child.running = processes.launch(child.service, self.home, port=port)
        child.started, child.answered = now, False

    def _bury(self, child: Child, now: float, status: int) -> None:
        # What it started itself must not outlive it: it would hold ports and queue rows.
        if child.running:
            ps.signal_group(child.running.pid, signal.SIGKILL)
        child.deaths = 1 if now - child.started >= SETTLED_SECONDS else child.deaths + 1
        wait = min(BACKOFF_LEAST * 2 ** (child.deaths - 1), BACKOFF_MOST)
        child.process, child.due = None, now + wait
        how = f"signal {-status}" if status < 0 else f"status {status}"
        self.say("ended", child.service, child.running, f"{how}; again in {wait:g} s")

    def _end(self) -> None:
        """End all at once, each within its time; then kill what is left."""
        living = [child for child in self.children if child.process is not None]
        for child in living:
            if child.process:
                child.process.terminate()
        for child in living:
            if child.process:
                try:
                    child.process.wait(timeout=child.service.stop_seconds)
                except subprocess.TimeoutExpired:
                    child.process.kill()
                    child.process.wait()
                ps.signal_group(child.process.pid, signal.SIGKILL)
            processes.file_of(child.service, self.home).unlink(missing_ok=True)
            self.say("stopped", child.service, child.running, "")
