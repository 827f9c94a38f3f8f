"""Processes that outlive the command that starts them, known by a file with their pid.

One of each kind per TIDEBOOK_HOME: the web process and the bridge that `demo` leaves running. A
pid is only believed, and only ended, when its command line is of that kind.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from config.pgstate import default_home

ROOT = Path(__file__).resolve().parents[1]
LOOPBACK = "127.0.0.1"
PORTS = 50
START_SECONDS, STOP_SECONDS, PAUSE_SECONDS = 60.0, 15.0, 0.1
READY_PATH = "/health/ready"


class ProcessError(Exception):
    """A process did not come to answer, or did not end."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a process is called, how it is told apart, and how it is started on a port."""

    name: str
    mark: str
    first_port: int
    words: Callable[[int], list[str]]


@dataclass(frozen=True, slots=True)
class Running:
    """A process that was started, alive or not."""

    pid: int
    port: int

    @property
    def url(self) -> str:
        """Return its address, without a last slash."""
        return f"http://{LOOPBACK}:{self.port}"


WEB = Kind(
    name="web",
    mark="config.asgi:application",
    first_port=8000,
    words=lambda port: [
        *("-m", "uvicorn", "config.asgi:application", "--host", LOOPBACK, "--port", str(port)),
        *("--timeout-graceful-shutdown", "3", "--log-level", "warning"),
        # Otherwise any local caller could name the address that its failed logins count for.
        "--no-proxy-headers",
    ],
)
BRIDGE = Kind(
    name="bridge",
    mark="mcp_bridge --http",
    first_port=8101,
    words=lambda port: ["manage.py", "mcp_bridge", "--http", f"{LOOPBACK}:{port}"],
)


def file_of(kind: Kind, home: Path | None) -> Path:
    """Return the file that names a home's process of that kind."""
    return (home or default_home()) / f"{kind.name}.json"


def last(kind: Kind, home: Path | None) -> Running | None:
    """Return the process written down, alive or not; None without one."""
    try:
        return Running(**json.loads(file_of(kind, home).read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError, PermissionError, ValueError, TypeError):
        return None


def last_url(kind: Kind, home: Path | None) -> str:
    """Return the address of the process written down, else where its kind begins to look."""
    process = last(kind, home) or Running(pid=0, port=kind.first_port)
    return process.url


def running(kind: Kind, home: Path | None = None) -> Running | None:
    """Return the home's process of that kind when it is alive and ours."""
    process = last(kind, home)
    return process if process and kind.mark in command_of(process.pid) else None


def start(
    kind: Kind, home: Path | None = None, *, environment: Mapping[str, str] | None = None
) -> Running:
    """Start a process in place of this home's last one, on the first free port of its kind.

    ProcessError: it ended or does not answer; the message holds its last lines.
    """
    stop(kind, home)
    port = _free_port(kind)
    file = file_of(kind, home)
    file.parent.mkdir(parents=True, exist_ok=True)
    log = file.with_suffix(".log")
    settings = os.environ.get("DJANGO_SETTINGS_MODULE", "config.settings.development")
    with log.open("wb") as out:
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
    file.write_text(json.dumps({"pid": process.pid, "port": port}), encoding="utf-8")
    _wait_until_it_answers(kind, child, process, log)
    return process


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


def command_of(pid: int) -> str:
    """Return a process's command line, '' when there is none or it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8").replace("\0", " ")
    except (FileNotFoundError, ProcessLookupError):
        if Path("/proc/self").exists():
            return ""
    found = subprocess.run(  # noqa: S603 - systems without /proc
        ["/bin/ps", "-p", str(pid), "-o", "command="], capture_output=True, text=True, check=False
    )
    return found.stdout


def _free_port(kind: Kind) -> int:
    for port in range(kind.first_port, kind.first_port + PORTS):
        with socket.socket() as probe, suppress(OSError):
            probe.bind((LOOPBACK, port))
            return port
    raise ProcessError(f"no free port from {kind.first_port} to {kind.first_port + PORTS - 1}")


def _end(kind: Kind, pid: int, number: signal.Signals) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
    for _ in range(int(STOP_SECONDS / PAUSE_SECONDS)):
        # Our own child stays a zombie, with an empty command line, until it is waited for.
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        if kind.mark not in command_of(pid):
            return True
        time.sleep(PAUSE_SECONDS)
    return False


def _wait_until_it_answers(
    kind: Kind, child: subprocess.Popen[bytes], process: Running, log: Path
) -> None:
    import httpx  # noqa: PLC0415 - settings import this module; only a start needs a client

    for _ in range(int(START_SECONDS / PAUSE_SECONDS)):
        if child.poll() is not None:
            break
        with suppress(httpx.TransportError):
            answer = httpx.get(f"{process.url}{READY_PATH}", timeout=5)
            if answer.status_code == httpx.codes.OK:
                return
        time.sleep(PAUSE_SECONDS)
    ended = child.poll()
    reason = f"waited {START_SECONDS:.0f} s" if ended is None else f"it ended with status {ended}"
    tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:])
    end = f"the end of {log}:\n{tail}" if tail else f"{log} is empty"
    raise ProcessError(f"the {kind.name} process does not answer ({reason}); {end}")
