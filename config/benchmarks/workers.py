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
from config.benchmarks.patient.apps import SECONDS
from config.settings.environment import ROOT
from memory.models import Cluster

READY_SECONDS = 90.0
STOP_SECONDS = 40.0
PAUSE_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Crew:
    """Workers to start: how many, over which database, and how long their model takes."""

    database: str
    count: int
    model_seconds: float


@contextmanager
def at_work(crews: list[Crew]) -> Iterator[None]:
    """Run the workers of all crews, ready before the block begins, until it ends."""
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        logs = [folder / f"{place}.log" for place in range(len(crews))]
        processes = [_begun(crew, log) for crew, log in zip(crews, logs, strict=True)]
        opened.callback(_end, processes)
        for crew, process, log in zip(crews, processes, logs, strict=True):
            with using(crew.database):
                _until(_works, process, log)
        yield


def until_done(is_open: Callable[[], bool], *, seconds: float) -> None:
    """Wait until nothing is open (CommandError: not within `seconds`)."""
    limit = time.monotonic() + seconds
    while is_open():
        if time.monotonic() > limit:
            raise CommandError(f"sessions are not done after {seconds:g} s")
        time.sleep(PAUSE_SECONDS)


def _begun(crew: Crew, log: Path) -> subprocess.Popen[bytes]:
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
                SECONDS: str(crew.model_seconds),
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
