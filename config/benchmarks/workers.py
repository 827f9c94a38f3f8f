"""The queue's workers as processes of a bench's own, over databases of its own."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError

from config.benchmarks.bridges import url_of
from config.benchmarks.databases import using
from config.benchmarks.patient.apps import FILE
from config.settings.environment import ROOT
from memory.models import Cluster

READY_SECONDS = 90.0
STOP_SECONDS = 40.0
PAUSE_SECONDS = 0.1
GROUP, TIMES = 2, slice(11, 15)
"""Where /proc/<pid>/stat has them, counted from the state: own and children's CPU time in ticks."""


@dataclass(frozen=True, slots=True)
class Crew:
    """Workers to start: over which database, and how many."""

    database: str
    count: int


type Patience = Callable[[float], None]
"""Says from now on how many seconds a model takes to answer."""


@contextmanager
def at_work(crews: list[Crew]) -> Iterator[Patience]:
    """Run the workers of all crews, ready before the block begins, until it ends."""
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        patience = folder / "patience"
        patience.write_text("0", encoding="ascii")
        logs = [folder / f"{place}.log" for place in range(len(crews))]
        processes = [_begun(crew, log, patience) for crew, log in zip(crews, logs, strict=True)]
        opened.callback(_end, processes)
        for crew, process, log in zip(crews, processes, logs, strict=True):
            with using(crew.database):
                _until(_works, process, log)
        yield lambda seconds: _set(patience, seconds)


def _set(patience: Path, seconds: float) -> None:
    patience.write_text(str(seconds), encoding="ascii")


def until_done(is_open: Callable[[], bool], *, seconds: float) -> None:
    """Wait until nothing is open (CommandError: not within `seconds`)."""
    limit = time.monotonic() + seconds
    while is_open():
        if time.monotonic() > limit:
            raise CommandError(f"sessions are not done after {seconds:g} s")
        time.sleep(PAUSE_SECONDS)


def cpu_seconds() -> float:
    """Return the CPU time, user and system, of all processes of this database's clusters.

    Children that have ended count as well: workers are replaced now and then.
    """
    open_ = Cluster.objects.filter(ended_at__isnull=True, group__isnull=False)
    groups = set(map(str, open_.values_list("group", flat=True)))
    found = (_stat(entry) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    ticks = sum(sum(map(int, stat[TIMES])) for stat in found if stat and stat[GROUP] in groups)
    return ticks / os.sysconf("SC_CLK_TCK")


def _stat(process: Path) -> list[str]:
    """Return what /proc tells after a process's name; nothing when it has ended."""
    try:
        text = (process / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return []
    return text.rpartition(")")[2].split()


def _begun(crew: Crew, log: Path, patience: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as out:
        return subprocess.Popen(
            [sys.executable, "manage.py", "worker"],
            cwd=ROOT,
            env={
                **os.environ,
                "DJANGO_SETTINGS_MODULE": "config.settings.bench",
                "DATABASE_URL": url_of(crew.database),
                "SECRET_KEY": settings.SECRET_KEY,
                "QUEUE_WORKERS": str(crew.count),
                FILE: str(patience),
            },
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )


def _works() -> bool:
    return Cluster.objects.filter(progress_at__isnull=False).exists()


def _until(ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(int(READY_SECONDS / PAUSE_SECONDS)):
        if ready():
            return
        if process.poll() is not None:
            break
        time.sleep(PAUSE_SECONDS)
    raise CommandError(f"the workers are not up:\n{log.read_text(errors='replace')[-4000:]}")


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    """End them by their own numbers, all at once: each ends its workers."""
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
