"""Processes that outlive the command that starts them, known by a file with their pid.

One of each kind per TIDEBOOK_HOME: what `demo` and `up` run. A pid is only believed, and only
ended, when its command line is of that kind.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from config.pgstate import default_home
from config.ps import command_of

__all__ = ["command_of"]

ROOT = Path(__file__).resolve().parents[1]
LOOPBACK = "127.0.0.1"
PORTS = 50
START_SECONDS, STOP_SECONDS, PAUSE_SECONDS = 60.0, 15.0, 0.1
READY_PATH = "/health/ready"


class ProcessError(Exception):
    """A process did not come to answer, or did not end."""


@dataclass(frozen=True, slots=True)
class Running:
    """A process that was started, alive or not; `port` is None where it listens on none."""

    pid: int
    port: int | None = None

    @property
    def url(self) -> str:
        """Return its address, without a last slash (ProcessError: it has none)."""
        if self.port is None:
            raise ProcessError(f"process {self.pid} listens nowhere")
        return f"http://{LOOPBACK}:{self.port}"


@dataclass(frozen=True, slots=True)
class Kind:
    """What a process is called, how it is told apart, and how long its end may take."""

    name: str
    mark: str
    stop_seconds: float = STOP_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Service(Kind):
    """A kind that is started here: by which words, on a port from which on, and when it answers.

    `port_before` is what the last one had: it is taken again if it is free.
    """

    words: Callable[[int | None], list[str]]
    answers: Callable[[Running], bool]
    first_port: int | None = None
    port_before: int | None = None


def answers_over_http(process: Running) -> bool:
    """Tell whether it says that it is ready."""
    import httpx  # noqa: PLC0415 - settings import this module; only a start needs a client

    try:
        answer = httpx.get(f"{process.url}{READY_PATH}", timeout=5)
    except httpx.TransportError:
        return False
    return answer.status_code == httpx.codes.OK


def works(process: Running) -> bool:
    """Tell whether one of its workers has done something for the queue."""
    from memory.models import Cluster  # noqa: PLC0415 - settings import this module

    mine = Cluster.objects.filter(supervisor=process.pid, host=socket.gethostname())
    return mine.filter(ended_at__isnull=True, progress_at__isnull=False).exists()


WEB = Service(
    name="web",
    mark="config.asgi:application",
    first_port=8000,
    words=lambda port: [
        *("-m", "uvicorn", "config.asgi:application", "--host", LOOPBACK, "--port", str(port)),
        *("--timeout-graceful-shutdown", "3", "--log-level", "warning"),
        # Otherwise any local caller could name the address that its failed logins count for.
        "--no-proxy-headers",
    ],
    answers=answers_over_http,
)
BRIDGE = Service(
    name="bridge",
    mark="mcp_bridge --http",
    first_port=8101,
    words=lambda port: ["manage.py", "mcp_bridge", "--http", f"{LOOPBACK}:{port}"],
    answers=answers_over_http,
)
WORKER = Service(
    name="worker",
    mark="manage.py worker",
    # It gives its tasks 25 seconds.
    stop_seconds=40.0,
    words=lambda port: ["manage.py", "worker"],  # noqa: ARG005 - it has none
    answers=works,
)
LINES = Kind(name="bridge-lines", mark=BRIDGE.mark)
"""The bridge's second way in: its file keeps the port."""
UP = Kind(name="up", mark="manage.py up", stop_seconds=60.0)
"""Runs the others as its children; started by a person."""


def file_of(kind: Kind, home: Path | None) -> Path:
    """Return the file that names a home's process of that kind."""
    return (home or default_home()) / f"{kind.name}.json"


def last(kind: Kind, home: Path | None) -> Running | None:
    """Return the process written down, alive or not; None without one."""
    try:
        return Running(**json.loads(file_of(kind, home).read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError, PermissionError, ValueError, TypeError):
        return None


def last_url(kind: Service, home: Path | None) -> str:
    """Return the address of the process written down, else where its kind begins to look."""
    process = last(kind, home) or Running(pid=0, port=kind.first_port)
    return process.url


def running(kind: Kind, home: Path | None = None) -> Running | None:
    """Return the home's process of that kind when it is alive and ours."""
    process = last(kind, home)
    return process if process and kind.mark in command_of(process.pid) else None


def write_down(kind: Kind, process: Running, home: Path | None = None) -> None:
    """Name the home's process of that kind, so that other commands find it."""
    file = file_of(kind, home)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"pid": process.pid, "port": process.port}), encoding="utf-8")


def start(
    kind: Service, home: Path | None = None, *, environment: Mapping[str, str] | None = None
) -> Running:
    """Start a process in place of this home's last one: on its port, else the first free one.

    ProcessError: it ended or does not answer; the message holds its last lines.
    """
    kind = in_place_of_last(kind, home)
    log = file_of(kind, home).with_suffix(".log")
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as out:
        child, process = launch(kind, home, environment=environment, out=out)
    if reason := wait_for_answer(kind, child, process):
        tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:])
        end = f"the end of {log}:\n{tail}" if tail else f"{log} is empty"
        raise ProcessError(f"the {kind.name} process does not answer ({reason}); {end}")
    return process


def in_place_of_last(kind: Service, home: Path | None) -> Service:
    """End this home's last process of that kind; return the kind as it is to be started.

    Addresses that were handed out stay good (ProcessError: it lives).
    """
    before = last(kind, home)
    stop(kind, home)
    return replace(kind, port_before=before.port if before else None)


def launch(
    kind: Service,
    home: Path | None,
    *,
    port: int | None = None,
    environment: Mapping[str, str] | None = None,
    out: IO[bytes] | None = None,
) -> tuple[subprocess.Popen[bytes], Running]:
    """Start a process in a session of its own and write it down, without waiting for it.

    Its output goes to `out`, or to where ours goes. ProcessError: no port is free.
    """
    if port is None and kind.first_port is not None:
        port = free_port(kind.first_port, before=kind.port_before)
    settings = os.environ.get("DJANGO_SETTINGS_MODULE", "config.settings.development")
    child = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, *kind.words(port)],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": settings, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=out,
        # It outlives this command and the terminal's Ctrl-C.
        start_new_session=True,
    )
    process = Running(pid=child.pid, port=port)
    write_down(kind, process, home)
    return child, process


def stop(kind: Kind, home: Path | None = None) -> bool:
    """End this home's process of that kind; False when there was none (ProcessError: it lives)."""
    process = running(kind, home)
    ended = False
    if process is not None:
        ended = _end(kind, process.pid, signal.SIGTERM) or _end(kind, process.pid, signal.SIGKILL)
        if not ended:
            raise ProcessError(f"the {kind.name} process {process.pid} does not end")
    file_of(kind, home).unlink(missing_ok=True)
    return ended


def wait_for_answer(kind: Service, child: subprocess.Popen[bytes], process: Running) -> str | None:
    """Wait until a process answers; return why it does not, None when it does."""
    for _ in range(int(START_SECONDS / PAUSE_SECONDS)):
        ended = child.poll()
        if ended is not None:
            return f"it ended with status {ended}"
        if kind.answers(process):
            return None
        time.sleep(PAUSE_SECONDS)
    return f"waited {START_SECONDS:.0f} s"


def free_port(first: int, *, before: int | None = None, taken: Collection[int] = ()) -> int:
    """Return a port that nobody listens on (ProcessError: none is free).

    The one from `before`, where it is one of those from `first` on; else the first that is free.
    `taken` ones are given to others already.
    """
    ports = range(first, first + PORTS)
    for port in (before, *ports) if before in ports else ports:
        with socket.socket() as probe, suppress(OSError):
            # What is left of a server's connections does not keep its port from the next one.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((LOOPBACK, port))
            if port not in taken:
                return port
    raise ProcessError(f"no free port from {first} to {ports.stop - 1}")


def _end(kind: Kind, pid: int, number: signal.Signals) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
    for _ in range(int(kind.stop_seconds / PAUSE_SECONDS)):
        # Our own child stays a zombie, with an empty command line, until it is waited for.
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        if kind.mark not in command_of(pid):
            return True
        time.sleep(PAUSE_SECONDS)
    return False
