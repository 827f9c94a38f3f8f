"""Standard input and output, for a host that starts the bridge as its child (SPEC B2)."""

from mcp.server.mcpserver import MCPServer

from mcp_bridge.identity import local_token


async def serve_stdio(server: MCPServer, *, token: str) -> None:
    """Serve whoever holds the other ends, as the bearer of `token`, until standard input ends."""
    local_token.set(token)
    await server.run_stdio_async()
