"""MCP bridges as processes of a bench's own: started, called in each way, and timed."""

import ctypes
import itertools
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import httpx
from django.core.management.base import CommandError

from config.benchmarks.databases import open_database
from config.settings.environment import ROOT
from mcp_bridge.identity import TOKEN_META

READY_SECONDS = 90.0
PAUSE_SECONDS = 0.1
PATIENCE = 120.0
HTTP = re.compile(r"mcp_bridge serves http (http://\S+)")
TCP = re.compile(r"mcp_bridge serves tcp 127\.0\.0\.1:(\d+)")
WAYS = ("modern", "legacy", "tcp")
MODERN, LEGACY = "2026-07-28", "2025-06-18"
LINES = "2025-03-26"
ME = {"name": "bench", "version": "1"}
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": ME,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass(frozen=True, slots=True)
class Bridge:
    """A running bridge: where it answers, and the clock of its CPU time."""

    url: str
    tcp_port: int
    clock: int

    def cpu(self) -> float:
        """Return the seconds that all its threads have worked so far, user and system."""
        return time.clock_gettime(self.clock)


@contextmanager
def bridges(database: str, *, count: int) -> Iterator[list[Bridge]]:
    """Run some bridges over `database` on ports that the system picks, until the block ends."""
    with ExitStack() as started:
        begun = [started.enter_context(_begun(database)) for _ in range(count)]
        yield [_ready(process, log) for process, log in begun]


@contextmanager
def _begun(database: str) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """Start a bridge, and end it after: its own process, by its own number."""
    command = [sys.executable, "manage.py", "mcp_bridge"]
    command += ["--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0"]
    variables = {**os.environ, "DATABASE_URL": url_of(database), "MCP_AUTH": "true"}
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with (
            log.open("wb") as out,
            subprocess.Popen(  # noqa: S603 - this project's own command
                command, cwd=ROOT, env=variables, stdout=out, stderr=out
            ) as process,
        ):
            try:
                yield process, log
            finally:
                process.terminate()
                try:
                    process.wait(timeout=20)
                except subprocess.TimeoutExpired:
                    process.kill()


def url_of(database: str) -> str:
    """Return the URL of a bench's database: that of the project with another name."""
    found = open_database(database).settings_dict
    user, password, host = (quote(found[name], safe="") for name in ("USER", "PASSWORD", "HOST"))
    login = f"{user}:{password}" if password else user
    options = urlencode(found["OPTIONS"], quote_via=quote)
    return f"postgresql://{login}@{host}:{found['PORT']}/{quote(database, safe='')}?{options}"


def clock_of(pid: int = 0) -> int:
    """Return the clock of a process's CPU time, 0: its own (CommandError: this system has none).

    It counts by the nanosecond; the ticks of /proc/<pid>/stat are longer than a call.
    """
    clock = ctypes.c_int()
    ask = getattr(ctypes.CDLL(None), "clock_getcpuclockid", None)
    if ask is None or ask(pid, ctypes.byref(clock)) != 0:
        msg = "This system does not tell the CPU time of another process; run the bench on Linux."
        raise CommandError(msg)
    return clock.value


def milliseconds(clock: Callable[[], float], act: Callable[[], object], *, times: int) -> float:
    """Return how many milliseconds of a clock one of `times` acts takes."""
    began = clock()
    for _ in range(times):
        act()
    return (clock() - began) * 1000 / times


def _ready(process: subprocess.Popen[bytes], log: Path) -> Bridge:
    for _ in range(int(READY_SECONDS / PAUSE_SECONDS)):
        time.sleep(PAUSE_SECONDS)
        text = log.read_text(encoding="utf-8", errors="replace")
        http, tcp = HTTP.search(text), TCP.search(text)
        if http and tcp:
            return Bridge(http[1], int(tcp[1]), clock_of(process.pid))
        if process.poll() is not None:
            break
    raise CommandError(f"the bridge is not up:\n{log.read_text(errors='replace')[-4000:]}")


class Way:
    """One connection to a bridge, over which one bearer calls tools."""

    def __init__(self) -> None:
        self.numbers = itertools.count(1)

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return a tool's structured answer (CommandError: it was refused)."""
        params = {"name": name, "arguments": arguments}
        answer = self.ask("tools/call", params)
        result = answer.get("result", {})
        if "structuredContent" not in result or result.get("isError"):
            raise CommandError(f"{name} was answered {json.dumps(answer)[:500]}")
        content: dict[str, Any] = result["structuredContent"]
        return content

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send one request and return its answer."""
        raise NotImplementedError

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return a JSON-RPC request with an id of its own."""
        return {"jsonrpc": "2.0", "id": next(self.numbers), "method": method, "params": params}


class Web(Way):
    """Streamable HTTP in the form of `version`, without a session."""

    def __init__(self, client: httpx.Client, url: str, *, version: str) -> None:
        super().__init__()
        self.client, self.url, self.version = client, url, version

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Post one request; its answer is JSON, or the one event of a stream."""
        headers = {"MCP-Protocol-Version": self.version}
        if self.version == MODERN:
            headers |= {"Mcp-Method": method, "Mcp-Name": params["name"]}
            params = {**params, "_meta": META}
        said = self.client.post(self.url, headers=headers, json=self.request(method, params))
        if said.status_code != httpx.codes.OK:
            raise CommandError(f"the bridge answered {said.status_code}: {said.text[:500]}")
        text = said.text
        if said.headers["content-type"].startswith("text/event-stream"):
            text = text.partition("data: ")[2].partition("\n")[0]
        answer: dict[str, Any] = json.loads(text)
        return answer


class Line(Way):
    """JSON-RPC lines over one TCP connection, whose first request has shown the token."""

    def __init__(self, connected: socket.socket, *, token: str) -> None:
        super().__init__()
        self.socket, self.file = connected, connected.makefile("rb")
        hello = {"protocolVersion": LINES, "capabilities": {}, "clientInfo": ME}
        self.ask("initialize", {**hello, "_meta": {TOKEN_META: token}})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send one line and read the next."""
        self.socket.sendall(json.dumps(self.request(method, params)).encode() + b"\n")
        answer: dict[str, Any] = json.loads(self.file.readline())
        return answer


@contextmanager
def ways(of: Bridge, *, token: str) -> Iterator[dict[str, Way]]:
    """Connect the bearer of `token` in each way."""
    with ExitStack() as opened:
        headers = {
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {token}",
        }
        # Shorter than the server keeps a silent connection: it is never closed under a request.
        kept = httpx.Limits(keepalive_expiry=2)
        client = opened.enter_context(httpx.Client(headers=headers, timeout=PATIENCE, limits=kept))
        connected = opened.enter_context(
            socket.create_connection(("127.0.0.1", of.tcp_port), timeout=PATIENCE)
        )
        found = (
            Web(client, of.url, version=MODERN),
            Web(client, of.url, version=LEGACY),
            Line(connected, token=token),
        )
        yield dict(zip(WAYS, found, strict=True))
