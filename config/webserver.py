"""The web process that `demo` leaves running, known by a file with its pid.

One per TIDEBOOK_HOME. A pid is only believed, and only ended, when its command line is ours.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import httpx

from config.webstate import WebServer, file_of, load, save

ROOT = Path(__file__).resolve().parents[1]
APPLICATION = "config.asgi:application"
FIRST_PORT, PORTS = 8000, 50
START_SECONDS, STOP_SECONDS, PAUSE_SECONDS = 60.0, 15.0, 0.1


class WebServerError(Exception):
    """The web process did not come to answer, or did not end."""


def running(home: Path | None = None) -> WebServer | None:
    """Return the web process of this home when it is alive and ours."""
    server = load(home)
    return server if server and APPLICATION in command_of(server.pid) else None


def start(home: Path | None = None, *, environment: Mapping[str, str] | None = None) -> WebServer:
    """Start a web process in place of this home's last one, on the first free port from 8000.

    WebServerError: it ended or does not answer; the message holds its last lines.
    """
    stop(home)
    port = _free_port()
    file = file_of(home)
    file.parent.mkdir(parents=True, exist_ok=True)
    log = file.with_suffix(".log")
    command = [sys.executable, "-m", "uvicorn", APPLICATION, "--host", "127.0.0.1"]
    command += ["--port", str(port), "--timeout-graceful-shutdown", "3", "--log-level", "warning"]
    # Otherwise any local caller could name the address that its failed logins are counted for.
    command += ["--no-proxy-headers"]
    with log.open("wb") as out:
        process = subprocess.Popen(  # noqa: S603 - our own command
            command,
            cwd=ROOT,
            env={**os.environ, "DJANGO_SETTINGS_MODULE": _settings(), **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            # It outlives this command and the terminal's Ctrl-C.
            start_new_session=True,
        )
    server = WebServer(pid=process.pid, port=port)
    save(server, home)
    _wait_until_it_answers(process, server, log)
    return server


def stop(home: Path | None = None) -> bool:
    """End this home's web process; False when there was none (WebServerError: it lives on)."""
    server = running(home)
    ended = False
    if server is not None:
        with suppress(ProcessLookupError):
            os.kill(server.pid, signal.SIGTERM)
        ended = _gone(server.pid)
        if not ended:
            with suppress(ProcessLookupError):
                os.kill(server.pid, signal.SIGKILL)
            ended = _gone(server.pid)
        if not ended:
            raise WebServerError(f"the web process {server.pid} does not end")
    file_of(home).unlink(missing_ok=True)
    return ended


def _settings() -> str:
    return os.environ.get("DJANGO_SETTINGS_MODULE", "config.settings.development")


def _free_port() -> int:
    for port in range(FIRST_PORT, FIRST_PORT + PORTS):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise WebServerError(f"no free port from {FIRST_PORT} to {FIRST_PORT + PORTS - 1}")


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


def _gone(pid: int) -> bool:
    for _ in range(int(STOP_SECONDS / PAUSE_SECONDS)):
        # Our own child stays a zombie, with an empty command line, until it is waited for.
        with suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        if APPLICATION not in command_of(pid):
            return True
        time.sleep(PAUSE_SECONDS)
    return False


def _wait_until_it_answers(process: subprocess.Popen[bytes], server: WebServer, log: Path) -> None:
    for _ in range(int(START_SECONDS / PAUSE_SECONDS)):
        if process.poll() is not None:
            break
        with suppress(httpx.TransportError):
            if httpx.get(f"{server.url}/health/ready/", timeout=5).status_code == httpx.codes.OK:
                return
        time.sleep(PAUSE_SECONDS)
    ended = process.poll()
    reason = f"waited {START_SECONDS:.0f} s" if ended is None else f"it ended with status {ended}"
    tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:])
    last = f"the end of {log}:\n{tail}" if tail else f"{log} is empty"
    raise WebServerError(f"the web process does not answer ({reason}); {last}")
