"""The bridge as a real process over the test database.

The fixtures are in conftest.py. Tests that use them are marked `django_db(transaction=True)`: the
process sees what is committed alone.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from django.db import connection
from mcp import StdioServerParameters

from mcp_bridge.identity import TOKEN_META
from tests.live import ROOT, database_url

READY_SECONDS = 90.0
PAUSE_SECONDS = 0.1
HTTP = re.compile(r"mcp_bridge serves http (http://127\.0\.0\.1:\d+)/mcp")
TCP = re.compile(r"mcp_bridge serves tcp 127\.0\.0\.1:(\d+)")
BOTH = ("--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0")
PATIENCE = 120.0
"""How long a socket of a test may wait before the test fails: never reached by a good server."""


@dataclass(frozen=True)
class Bridge:
    """A running bridge: where it answers, its process, and what it has logged."""

    root: str
    tcp_port: int
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def url(self) -> str:
        """Return the URL that MCP hosts are given."""
        return f"{self.root}/mcp"

    def stop(self) -> int:
        """Ask it to end, and return its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE)


def environment(**extra: str) -> dict[str, str]:
    """Return the environment of a bridge over the test database."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
        "DATABASE_URL": database_url(),
        **extra,
    }


@contextmanager
def bridge(
    log: Path, *, arguments: tuple[str, ...] = BOTH, variables: Mapping[str, str] | None = None
) -> Iterator[Bridge]:
    """Run a bridge on ports that the system picks, until the block ends (RuntimeError)."""
    command = [sys.executable, "manage.py", "mcp_bridge", *arguments]
    with (
        log.open("wb") as out,
        subprocess.Popen(
            command, cwd=ROOT, env=environment(**(variables or {})), stdout=out, stderr=out
        ) as process,
    ):
        try:
            root, port = _ready(process, log, arguments)
            yield Bridge(root=root, tcp_port=port, process=process, log=log)
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()


def _ready(
    process: subprocess.Popen[bytes], log: Path, arguments: tuple[str, ...]
) -> tuple[str, int]:
    for _ in range(int(READY_SECONDS / PAUSE_SECONDS)):
        try:
            process.wait(timeout=PAUSE_SECONDS)
            break
        except subprocess.TimeoutExpired:
            text = log.read_text(encoding="utf-8", errors="replace")
        http, tcp = HTTP.search(text), TCP.search(text)
        if bool(http) == ("--http" in arguments) and bool(tcp) == ("--tcp" in arguments):
            return http[1] if http else "", int(tcp[1]) if tcp else 0
    raise RuntimeError(f"the bridge is not up:\n{log.read_text(errors='replace')[-4000:]}")


def stdio_parameters(token: str) -> StdioServerParameters:
    """Return how a host starts the bridge as its child."""
    return StdioServerParameters(
        command=sys.executable,
        args=["manage.py", "mcp_bridge", "--stdio"],
        env=environment(MCP_MEMORY_TOKEN=token),
        cwd=ROOT,
    )


class Line:
    """A raw socket to the TCP port."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.file = self.socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Send bytes; a server that has hung up already is none of our business."""
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            return

    def rest(self) -> bytes | None:
        """Return all that comes until the server closes; None when it resets the connection."""
        try:
            return self.file.read()
        except ConnectionResetError:
            return None

    def ask(self, method: str, params: dict[str, Any] | None = None, *, id: int = 1) -> Any:
        """Send one request and return its answer, the next line."""
        self.send(request(method, params, id=id))
        return json.loads(self.file.readline())

    def reset(self) -> None:
        """Vanish, as a killed process with unread bytes does."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.file.close()
        self.socket.close()


def request(method: str, params: dict[str, Any] | None = None, *, id: object = 1) -> bytes:
    """Return one request as a line."""
    body = {"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}
    return json.dumps(body).encode() + b"\n"


def hello(token: str = "") -> dict[str, Any]:
    """Return the parameters of `initialize`, in S3's protocol version."""
    return {
        "protocolVersion": "2025-03-26",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
        **({"_meta": {TOKEN_META: token}} if token else {}),
    }


def calling(name: str, arguments: dict[str, Any], *, token: str = "") -> dict[str, Any]:
    """Return the parameters of `tools/call`."""
    meta = {"_meta": {TOKEN_META: token}} if token else {}
    return {"name": name, "arguments": arguments, **meta}


def others() -> list[int]:
    """Return the backends of this database that are not this connection's."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        return [row[0] for row in cursor.fetchall()]


def end_backends() -> int:
    """End all other connections to this database, as its restart would; return how many."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(pg_terminate_backend(pid)) FROM unnest(%s) pid", [others()])
        count: int = cursor.fetchone()[0]
    while others():
        pass
    return count
