"""The official Python client, in this process and over each way in."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2
import jsonschema  # type: ignore[import-untyped]  # it comes with mcp, its stubs do not
from anyio.streams.buffered import BufferedByteReceiveStream
from asgiref.sync import async_to_sync
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import CallToolResult, TextContent, Tool, jsonrpc_message_adapter

from mcp_bridge.errors import ERROR_META
from mcp_bridge.identity import TOKEN_META, local_token
from mcp_bridge.server import build_server

MODES = ("auto", "legacy", "2026-07-28")


@dataclass(frozen=True)
class Told:
    """A call's answer: `data` when it succeeded, else the error's `body`."""

    text: str
    data: dict[str, Any]
    body: dict[str, Any]

    @property
    def lines(self) -> list[str]:
        """Return the lines of the text."""
        return self.text.split("\n")


def told(result: CallToolResult) -> Told:
    """Return a result, after checking that its parts say the same."""
    [content] = result.content
    assert isinstance(content, TextContent)
    if not result.is_error:
        assert result.structured_content is not None
        return Told(content.text, result.structured_content, {})
    # Some clients hold structured content against the output schema even then.
    assert result.structured_content is None
    body = json.loads(content.text)
    assert (result.meta or {})[ERROR_META] == body
    return Told(content.text, {}, body)


def inside[T](token: str, work: Callable[[Client], Awaitable[T]], *, mode: str = "2026-07-28") -> T:
    """Return what `work` makes of a client of the server in this process."""

    async def connected() -> T:
        local_token.set(token)
        async with Client(build_server(), mode=mode) as client:
            return await work(client)

    return async_to_sync(connected)()


def call(token: str, name: str, arguments: Mapping[str, Any] | None = None) -> Told:
    """Call a tool in this process; a good answer is held against the tool's output schema."""

    async def work(client: Client) -> Told:
        schemas = {one.name: one.output_schema for one in (await client.list_tools()).tools}
        result = told(await client.call_tool(name, dict(arguments or {})))
        if result.data:
            jsonschema.validate(result.data, schemas[name])
        return result

    return inside(token, work)


def listed(token: str) -> list[Tool]:
    """Return the tools that a bearer sees."""

    async def work(client: Client) -> list[Tool]:
        return (await client.list_tools()).tools

    return inside(token, work)


def refusal(error: BaseException) -> MCPError:
    """Return the one protocol error inside what a client raised."""
    while isinstance(error, BaseExceptionGroup):
        [error] = error.exceptions
    assert isinstance(error, MCPError), repr(error)
    return error


@asynccontextmanager
async def over_http(url: str, token: str, *, mode: str = "auto") -> AsyncIterator[Client]:
    """Connect to a bridge's /mcp."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def over_tcp(port: int, token: str, *, mode: str = "auto") -> AsyncIterator[Client]:
    """Connect to a bridge's TCP port, with the token in each request's `_meta`."""
    async with Client(_lines(port, token), mode=mode) as client:
        yield client


@asynccontextmanager
async def _lines(port: int, token: str) -> AsyncIterator[Any]:
    """Carry JSON-RPC objects as lines: all that a client of the TCP port has to do."""
    socket = await anyio.connect_tcp("127.0.0.1", port)
    received, inbound = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outbound, to_send = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        buffer = BufferedByteReceiveStream(socket)
        async with received:
            try:
                while True:
                    line = await buffer.receive_until(b"\n", 10_000_000)
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                    await received.send(SessionMessage(message))
            except (anyio.IncompleteRead, anyio.EndOfStream, anyio.ClosedResourceError):
                return

    async def write() -> None:
        async with to_send:
            async for item in to_send:
                message = item.message.model_dump(by_alias=True, exclude_unset=True, mode="json")
                if "id" in message and "method" in message:
                    meta = message.setdefault("params", {}).setdefault("_meta", {})
                    meta[TOKEN_META] = token
                await socket.send(json.dumps(message).encode() + b"\n")

    async with socket, anyio.create_task_group() as group:
        group.start_soon(read)
        group.start_soon(write)
        try:
            yield inbound, outbound
        finally:
            inbound.close()
            outbound.close()
            group.cancel_scope.cancel()
