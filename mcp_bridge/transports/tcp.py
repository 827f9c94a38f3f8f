"""JSON-RPC over TCP, one object a line; each socket is one MCP connection (SPEC B2, B6).

The first line that is not JSON-RPC ends the connection. A peer that speaks something else learns
it at once, and a web page that posts to this port runs nothing.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
import structlog
from anyio.abc import Listener, SocketStream, TaskGroup
from anyio.streams.buffered import BufferedByteReceiveStream
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_dual_era_loop
from mcp.shared._context_streams import (
    ContextReceiveStream,
    ContextSendStream,
    create_context_streams,
)
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    RequestId,
    jsonrpc_message_adapter,
)
from mcp_types import JSONRPCResponse as JSONRPCAnswer
from pydantic_core import from_json

from mcp_bridge.identity import Peer

log = structlog.get_logger(__name__)

NOT_JSON_RPC = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}\n'
GONE = (
    anyio.EndOfStream,
    anyio.IncompleteRead,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
)
LINGER_SECONDS = 1.0
LINGER_BYTES = 1_048_576


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one peer may take, in connections, seconds, bytes of a line and calls in flight."""

    connections: int
    hello: float
    idle: float
    line: int
    calls: int = 16
    send: float = 10.0


def parse(line: bytes) -> JSONRPCMessage:
    """Return the message of a line (ValueError: it is not JSON-RPC)."""
    value = from_json(line, allow_inf_nan=False)
    message = jsonrpc_message_adapter.validate_python(value, by_name=False)
    if isinstance(message, JSONRPCNotification) and "id" in value:
        # The peer waits for an answer that a notification never gets.
        raise ValueError("id must be a string or an integer")
    return message


class InFlight:
    """The calls that a peer waits for."""

    def __init__(self, most: int) -> None:
        self.ids: set[RequestId] = set()
        self._slots = anyio.Semaphore(most)
        self._settled = anyio.Event()

    async def add(self, id: RequestId) -> None:
        """Count a call in, once there is room (ValueError: this id is waited for already)."""
        if id in self.ids:
            raise ValueError("this id is in flight")
        await self._slots.acquire()
        self.ids.add(id)

    async def settle(self, id: RequestId | None) -> None:
        """Count a call out: answered, or cancelled without an answer."""
        if id is not None and id in self.ids:
            self.ids.remove(id)
            self._slots.release()
            self._settled.set()

    async def wait_until_none(self) -> None:
        """Return when no call is in flight."""
        while self.ids:
            self._settled = anyio.Event()
            await self._settled.wait()


class Connection:
    """One peer: its lines in, its lines out, and the SDK's own loop between them."""

    def __init__(self, socket: SocketStream, *, limits: Limits, stopping: anyio.Event) -> None:
        self.socket = socket
        self.limits = limits
        self.stopping = stopping
        self.peer = Peer()
        self.calls = InFlight(limits.calls)
        self._opened = anyio.current_time()
        self._sending = anyio.Lock()

    async def serve(self, server: Server[Any]) -> None:
        """Serve the peer until it leaves, is refused, or the process stops."""
        to_server, inbound = create_context_streams[SessionMessage | Exception](0)
        outbound, from_server = create_context_streams[SessionMessage](0)
        async with anyio.create_task_group() as group:
            group.start_soon(self._read, to_server)
            group.start_soon(self._write, from_server)
            group.start_soon(self._leave_when_stopping, group)
            await serve_dual_era_loop(
                server,
                inbound,
                outbound,
                lifespan_state=None,
                init_options=server.create_initialization_options(),
            )
            group.cancel_scope.cancel()

    async def _read(self, to_server: ContextSendStream[SessionMessage | Exception]) -> None:
        buffer = BufferedByteReceiveStream(self.socket)
        async with to_server:
            while True:
                try:
                    line = await self._next_line(buffer)
                    if line is None:
                        return
                    if not line.strip():
                        continue
                    message = parse(line)
                    if isinstance(message, JSONRPCRequest):
                        await self.calls.add(message.id)
                except GONE:
                    # It may have closed its own side alone, and wait for answers.
                    await self.calls.wait_until_none()
                    return
                except (anyio.DelimiterNotFound, ValueError):
                    await self._hang_up()
                    return
                await to_server.send(SessionMessage(message, metadata=self._metadata(message)))

    async def _next_line(self, buffer: BufferedByteReceiveStream) -> bytes | None:
        """Return a line; None when it did not arrive whole in time."""
        while True:
            known, patience = self.peer.known, self.limits.idle
            if not known:
                patience = max(0.0, self._opened + self.limits.hello - anyio.current_time())
            with anyio.move_on_after(patience):
                return await buffer.receive_until(b"\n", self.limits.line)
            working = bool(self.calls.ids)
            await self.calls.wait_until_none()
            # A call that was running, or one since the wait began, may have made it known.
            if not self.peer.known or (known and not working):
                return None

    def _metadata(self, message: JSONRPCMessage) -> ServerMessageMetadata:
        if not isinstance(message, JSONRPCRequest):
            return ServerMessageMetadata(request_context=self.peer)
        return ServerMessageMetadata(
            request_context=self.peer,
            on_request_unanswered=partial(self.calls.settle, message.id),
        )

    async def _write(self, from_server: ContextReceiveStream[SessionMessage]) -> None:
        async with from_server:
            async for item in from_server:
                message = item.message
                text = message.model_dump_json(by_alias=True, exclude_unset=True)
                await self._send(text.encode() + b"\n")
                if isinstance(message, JSONRPCAnswer | JSONRPCError):
                    await self.calls.settle(message.id)

    async def _send(self, data: bytes) -> None:
        """Send whole lines one after the other (TimeoutError: the peer does not read)."""
        async with self._sending:
            with anyio.fail_after(self.limits.send):
                await self.socket.send(data)

    async def _hang_up(self) -> None:
        """Say that this is not JSON-RPC, and end.

        What the peer still sends is read for a moment: closing over unread bytes would reset the
        connection, and the answer with it.
        """
        await self._send(NOT_JSON_RPC)
        await self.socket.send_eof()
        read = 0
        try:
            with anyio.move_on_after(LINGER_SECONDS):
                while read < LINGER_BYTES:
                    read += len(await self.socket.receive())
        except GONE:
            return

    async def _leave_when_stopping(self, group: TaskGroup) -> None:
        await self.stopping.wait()
        await self.calls.wait_until_none()
        group.cancel_scope.cancel()


class TcpServer:
    """Accepts peers up to the limit, until `stopping`: calls under way are answered first."""

    def __init__(self, server: Server[Any], *, limits: Limits, stopping: anyio.Event) -> None:
        self.server = server
        self.limits = limits
        self.stopping = stopping
        self.active = 0

    async def handle(self, socket: SocketStream) -> None:
        """Serve one socket; a peer's failure is nobody else's."""
        if self.active >= self.limits.connections:
            await socket.aclose()
            return
        self.active += 1
        try:
            async with socket:
                connection = Connection(socket, limits=self.limits, stopping=self.stopping)
                await connection.serve(self.server)
        except* (*GONE, TimeoutError, OSError):
            log.debug("tcp_peer_gone")
        except* Exception:
            log.exception("tcp_connection_failed")
        finally:
            self.active -= 1

    async def serve(self, listener: Listener[SocketStream], *, grace: float) -> None:
        """Accept until `stopping`; then give the calls under way `grace` seconds."""
        async with anyio.create_task_group() as peers:
            async with anyio.create_task_group() as accepting:
                accepting.start_soon(self._accept, listener, peers)
                await self.stopping.wait()
                accepting.cancel_scope.cancel()
            await listener.aclose()
            peers.cancel_scope.deadline = anyio.current_time() + grace

    async def _accept(self, listener: Listener[SocketStream], peers: TaskGroup) -> None:
        while True:
            try:
                await listener.serve(self.handle, peers)
            except OSError:
                # Out of file descriptors: those in use will be closed by their deadlines.
                log.warning("tcp_accept_failed", exc_info=True)
                await anyio.sleep(0.1)
