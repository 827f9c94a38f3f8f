"""Standard input and output, for a host that starts the bridge as its child (SPEC B2)."""

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared._context_streams import ContextSendStream, create_context_streams
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError

from mcp_bridge.identity import local_token

NOT_JSON_RPC = SessionMessage(
    JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=PARSE_ERROR, message="Parse error"))
)


async def serve_stdio(server: MCPServer, *, token: str) -> None:
    """Serve whoever holds the other ends, as the bearer of `token`, until standard input ends."""
    local_token.set(token)
    lowlevel = server._lowlevel_server  # noqa: SLF001 - the SDK's own client does the same
    async with stdio_server() as (lines, answers), anyio.create_task_group() as group:
        to_server, inbound = create_context_streams[SessionMessage | Exception](0)
        group.start_soon(_relay, lines, to_server, answers)
        await lowlevel.run(inbound, answers, lowlevel.create_initialization_options())
        group.cancel_scope.cancel()


async def _relay(
    lines: ReadStream[SessionMessage | Exception],
    to_server: ContextSendStream[SessionMessage | Exception],
    answers: WriteStream[SessionMessage],
) -> None:
    """Pass messages on, and answer what is none: the SDK would drop it, and the host wait."""
    async with to_server:
        async for item in lines:
            if isinstance(item, Exception):
                await answers.send(NOT_JSON_RPC)
            else:
                await to_server.send(item)
