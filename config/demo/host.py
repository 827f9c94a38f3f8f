"""The demo's MCP host: the official client, with a static bearer and nothing else."""

import json
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent


class HostError(Exception):
    """A tool answered with an error."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What the host saw: its tools, the record it wrote, a context, and what search found."""

    tools: list[str]
    written: dict[str, Any]
    context: dict[str, Any]
    found: str
    items: list[dict[str, Any]]


def talk(*, url: str, token: str, instrument: str, strategy_type: str) -> Heard:
    """Write an observation, read the context and search memory for one instrument (HostError)."""
    return anyio.run(_talk, url, token, instrument, strategy_type)


async def _talk(url: str, token: str, instrument: str, strategy_type: str) -> Heard:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        tools = sorted(tool.name for tool in (await client.list_tools()).tools)
        observation = {
            "type": "observation",
            "scope": "instruments",
            "instruments": [instrument],
            "content": f"{instrument}: noted by an MCP host in the demo.",
        }
        written = _data(await client.call_tool("write_memory", observation))
        asked = {"instrument": instrument}
        context = _data(await client.call_tool("get_instrument_context", asked))
        search = await client.call_tool(
            "search_agent_memory", {"symbol": instrument, "strategy_type": strategy_type}
        )
        return Heard(tools, written, context, _text(search), _data(search)["items"])


def _text(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


def _data(result: CallToolResult) -> dict[str, Any]:
    if result.is_error or result.structured_content is None:
        raise HostError(_text(result))
    data: dict[str, Any] = json.loads(json.dumps(result.structured_content))
    return data
