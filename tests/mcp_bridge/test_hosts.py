"""What `setup_agent` prints for MCP hosts works with an official client, as it is (SPEC U3, B7)."""

import json
import shlex
import sys
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import anyio
import httpx
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from memory.models import Record
from tests.desk import make_instrument, note
from tests.live import ROOT
from tests.mcp_bridge.bridge import PATIENCE, Bridge, environment
from tests.mcp_bridge.clients import over_http, told
from tests.mcp_bridge.test_http import WELL_KNOWN

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.spec("U3", "B2", "B7", "R5")]


@pytest.fixture
def printed(transactional_db: None, running: Bridge, monkeypatch: Any) -> dict[str, str]:
    """Return title → line of a new agent's set-up."""
    del transactional_db
    make_instrument("ETH", now=datetime.now(UTC))
    User.objects.create_user("ann")
    monkeypatch.setattr(sys, "argv", [str(ROOT / "manage.py")])
    out = StringIO()
    words = ("setup_agent", "ours", "--user", "ann", "--instruments", "ETH", "--json")
    call_command(*words, "--mcp-url", running.url, stdout=out)
    lines: dict[str, str] = json.loads(out.getvalue())["lines"]
    return lines


async def write(client: Client) -> str:
    """Write a memory with nothing but what the host was given; return its content."""
    body = note(instruments=["ETH"], content="by a host")
    return str(told(await client.call_tool("write_memory", body)).data["content"])


def test_the_command_for_claude_code_names_a_server_that_takes_a_write(
    printed: dict[str, str],
) -> None:
    words = shlex.split(printed["add to Claude Code, as analysis"])
    assert words[:6] == ["claude", "mcp", "add", "--transport", "http", "tidebook-analysis"]
    url, flag, header = words[6:]
    assert flag == "--header"
    token = header.removeprefix("Authorization: Bearer ")

    async def connected() -> str:
        async with over_http(url, token) as client:
            return await write(client)

    assert anyio.run(connected) == "by a host"
    assert Record.objects.count() == 1


def test_every_server_of_the_http_file_lists_the_tools_of_its_role(
    printed: dict[str, str],
) -> None:
    file = json.loads(printed["mcp.json (the bridge runs: manage.py mcp_bridge)"])
    tools: dict[str, set[str]] = {}

    async def connected() -> None:
        for name, entry in file["mcpServers"].items():
            assert entry["type"] == "http"
            token = entry["headers"]["Authorization"].removeprefix("Bearer ")
            async with over_http(entry["url"], token) as client:
                tools[name] = {tool.name for tool in (await client.list_tools()).tools}

    anyio.run(connected)
    assert set(tools) == {
        f"tidebook-{role}" for role in ("analysis", "trading", "review", "autopilot")
    }
    assert "list_memories" in tools["tidebook-analysis"]
    assert "list_memories" not in tools["tidebook-trading"]


def test_the_stdio_file_starts_a_bridge_that_takes_a_write(printed: dict[str, str]) -> None:
    file = json.loads(printed["mcp.json (the host starts the bridge)"])
    entry = file["mcpServers"]["tidebook-analysis"]
    # A host gives its own environment: here that of the test database.
    given = {**entry["env"], "DATABASE_URL": environment()["DATABASE_URL"]}
    parameters = StdioServerParameters(
        command=entry["command"], args=entry["args"], env=environment(**given)
    )

    async def connected() -> str:
        async with Client(stdio_client(parameters, errlog=sys.stderr), mode="auto") as client:
            return await write(client)

    assert anyio.run(connected) == "by a host"


def test_a_host_that_looks_for_a_login_first_finds_none_and_works_with_its_bearer(
    printed: dict[str, str], running: Bridge
) -> None:
    file = json.loads(printed["mcp.json (the bridge runs: manage.py mcp_bridge)"])
    entry = file["mcpServers"]["tidebook-analysis"]
    refused = httpx.post(entry["url"], json={}, timeout=PATIENCE)
    assert refused.status_code == 401
    assert "resource_metadata" not in refused.headers["WWW-Authenticate"]
    for path in WELL_KNOWN:
        probed = httpx.get(f"{running.root}{path}", timeout=PATIENCE)
        assert (probed.status_code, probed.json()["code"]) == (404, "not_found")

    async def connected() -> str:
        token = entry["headers"]["Authorization"].removeprefix("Bearer ")
        async with over_http(entry["url"], token) as client:
            return await write(client)

    assert anyio.run(connected) == "by a host"
