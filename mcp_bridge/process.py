"""One process that serves one server object over the ways in that were asked for (SPEC B1, B2)."""

import errno
import ipaddress
import os
import resource
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import anyio
import uvicorn
from anyio.abc import Listener, SocketAttribute, SocketStream, TaskStatus
from django.conf import settings
from mcp.server.mcpserver import MCPServer

from mcp_bridge.orm import drain
from mcp_bridge.server import build_server
from mcp_bridge.transports.http import PATH, build_app
from mcp_bridge.transports.stdio import serve_stdio
from mcp_bridge.transports.tcp import Limits, TcpServer
from mcp_bridge.transports.uvicorn import http_server
from memory.errors import BadRequest, TidebookError

BACKLOG = 1024
OPEN_FILES = 8192
WAYS = {"http": "MCP_HTTP_PORT", "tcp": "MCP_MEMORY_PORT"}
"""Way in → the setting of its port."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where to listen. Port 0 lets the system pick one."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str, *, host: str, port: int) -> "Address":
        """Read HOST:PORT, [IPv6]:PORT or :PORT; what is left out is the default (BadRequest)."""
        if not text:
            return cls(host, port)
        name, _, number = text.rpartition(":")
        if not (number.isascii() and number.isdigit() and int(number) < 2**16):
            raise BadRequest(f"{text} is no address; write HOST:PORT")
        return cls(name.strip("[]") or host, int(number))

    @property
    def is_loopback(self) -> bool:
        """Tell whether only this machine can reach it. A name other than localhost is not."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def with_port(self, port: int | str) -> str:
        """Return HOST:PORT, or [IPv6]:PORT, with another port or a word in its place."""
        return f"[{self.host}]:{port}" if ":" in self.host else f"{self.host}:{port}"

    def __str__(self) -> str:
        return self.with_port(self.port)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The ways in to serve."""

    http: Address | None = None
    tcp: Address | None = None
    stdio: bool = False

    def check(self) -> None:
        """Refuse what would let strangers in, or nobody (BadRequest)."""
        open_doors = [one for one in (self.http, self.tcp) if one is not None]
        if not settings.MCP_AUTH:
            for address in open_doors:
                if not address.is_loopback:
                    raise BadRequest(f"MCP_AUTH is off: {address} must be a loopback address")
        if (self.stdio or not settings.MCP_AUTH) and not settings.MCP_MEMORY_TOKEN:
            raise BadRequest("MCP_MEMORY_TOKEN is needed over stdio, and where MCP_AUTH is off")


type Announce = Callable[[str], None]
type Lines = Listener[SocketStream]


class CannotListen(TidebookError):
    """A way in could not be opened: its port is taken, or its address is not this machine's."""

    code = "cannot_listen"


@contextmanager
def _opening(address: Address, way: str) -> Iterator[None]:
    """Make a refusal to bind a sentence with the way out (CannotListen)."""
    try:
        yield
    except OSError as error:
        name, setting = way.upper(), WAYS[way]
        reason = (
            f"port {address.port} of {address.host} is taken ({name})"
            if error.errno == errno.EADDRINUSE
            else f"cannot listen at {address} ({name}): {error.strerror or error}"
        )
        raise CannotListen(
            f"{reason}; choose another with --{way} {address.with_port('PORT')} or {setting}"
        ) from error


async def serve(plan: Plan, *, announce: Announce) -> None:
    """Serve until SIGTERM, SIGINT or the end of standard input; tell each way in when it is open.

    Calls under way get MCP_STOP_SECONDS to end. CannotListen: before anything is served.
    """
    server = build_server()
    _allow_many_files()
    stop = anyio.Event()
    async with (
        _http_listener(plan.http) as web,
        _tcp_listener(plan.tcp) as lines,
        anyio.create_task_group() as group,
    ):
        group.start_soon(_stop_on_signal, stop)
        if plan.stdio:
            group.start_soon(_stdio, server, stop)
        async with anyio.create_task_group() as ways:
            if plan.http is not None and web is not None:
                await ways.start(_http, server, (plan.http.host, web), stop, announce)
            if plan.tcp is not None and lines is not None:
                await ways.start(_tcp, server, (plan.tcp.host, lines), stop, announce)
            if plan.stdio:
                announce("stdio")
            await stop.wait()
        await anyio.to_thread.run_sync(drain)
        if plan.stdio:
            _leave_stdin()
        group.cancel_scope.cancel()


@asynccontextmanager
async def _http_listener(address: Address | None) -> AsyncIterator[socket.socket | None]:
    if address is None:
        yield None
        return
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    with _opening(address, "http"):
        listener = socket.create_server(
            (address.host, address.port), family=family, backlog=BACKLOG
        )
    with listener:
        yield listener


@asynccontextmanager
async def _tcp_listener(address: Address | None) -> AsyncIterator[Lines | None]:
    if address is None:
        yield None
        return
    with _opening(address, "tcp"):
        listener = await anyio.create_tcp_listener(
            local_host=address.host, local_port=address.port, backlog=BACKLOG
        )
    async with listener:
        yield listener


async def _stop_on_signal(stop: anyio.Event) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            stop.set()


async def _stdio(server: MCPServer, stop: anyio.Event) -> None:
    await serve_stdio(server, token=settings.MCP_MEMORY_TOKEN)
    stop.set()


async def _http(
    server: MCPServer,
    door: tuple[str, socket.socket],
    stop: anyio.Event,
    announce: Announce,
    *,
    task_status: TaskStatus[None],
) -> None:
    host, listener = door
    bound = Address(host, listener.getsockname()[1])
    web = http_server(build_app(server, address=str(bound)))
    async with anyio.create_task_group() as group:
        group.start_soon(_exit_when, stop, web)
        announce(f"http http://{bound}{PATH}")
        task_status.started()
        await web.serve(sockets=[listener])
        # It ends by itself when its start-up failed.
        stop.set()


async def _exit_when(stop: anyio.Event, web: uvicorn.Server) -> None:
    await stop.wait()
    web.should_exit = True


async def _tcp(
    server: MCPServer,
    door: tuple[str, Lines],
    stop: anyio.Event,
    announce: Announce,
    *,
    task_status: TaskStatus[None],
) -> None:
    limits = Limits(
        connections=settings.MCP_MAX_CONNECTIONS,
        hello=settings.MCP_HELLO_SECONDS,
        idle=settings.MCP_IDLE_SECONDS,
        line=settings.MAX_REQUEST_BYTES,
    )
    lines = TcpServer(server._lowlevel_server, limits=limits, stopping=stop)  # noqa: SLF001 - the SDK's own client does the same
    host, listener = door
    port = listener.extra(SocketAttribute.local_port)  # noqa: S610 - no queryset
    announce(f"tcp {Address(host, port)}")
    task_status.started()
    await lines.serve(listener, grace=settings.MCP_STOP_SECONDS)


def _allow_many_files() -> None:
    """Raise the soft limit of open files: a thousand connections are no reason to fail."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _leave_stdin() -> None:
    """End the process: the SDK reads standard input in a thread that only its end would free."""
    sys.stderr.flush()
    os._exit(0)
