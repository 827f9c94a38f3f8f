"""The official client in its three modes, over each way in to a real process (SPEC B2)."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client
from mcp.client.stdio import stdio_client

from mcp_bridge.errors import UNAUTHENTICATED
from memory.models import Record, Run, Token
from memory.services.tokens import revoke_token
from tests.desk import Desk, note
from tests.live import ROOT
from tests.mcp_bridge.bridge import (
    PATIENCE,
    PAUSE_SECONDS,
    Bridge,
    Line,
    calling,
    environment,
    hello,
    request,
    stdio_parameters,
)
from tests.mcp_bridge.clients import MODES, over_http, over_tcp, refusal, told

pytestmark = pytest.mark.django_db(transaction=True)

WAYS = ("http", "tcp")


def way_in(running: Bridge, way: str, token: str, mode: str) -> AbstractAsyncContextManager[Client]:
    if way == "http":
        return over_http(running.url, token, mode=mode)
    return over_tcp(running.tcp_port, token, mode=mode)


async def look_around(client: Client) -> dict[str, Any]:
    """Return what a bearer of the review role can find out, times left out."""
    listed = await client.list_tools()
    memories = told(await client.call_tool("list_memories", {}))
    refused = told(await client.call_tool("get_memory", {"memory_id": "x"}))
    wrong = told(await client.call_tool("write_memory", {"agent_id": "x", **note()}))
    return {
        "tools": [tool.model_dump(mode="json", by_alias=True) for tool in listed.tools],
        "memories": memories,
        "refused": refused,
        "wrong": wrong,
    }


@pytest.mark.spec("B1", "B2", "B3")
def test_every_way_in_and_every_mode_serve_the_same(running: Bridge, live: Desk) -> None:
    live.write(now=datetime.now(UTC), instruments=["ETH"], content="seen")
    token = live.tokens["review"]
    found: dict[str, dict[str, Any]] = {}

    async def over_stdio(mode: str) -> None:
        transport = stdio_client(stdio_parameters(token), errlog=sys.stderr)
        async with Client(transport, mode=mode) as client:
            found[f"stdio {mode}"] = await look_around(client)

    async def all_of_them() -> None:
        async with anyio.create_task_group() as group:
            for mode in MODES:
                group.start_soon(over_stdio, mode)
            for way in WAYS:
                for mode in MODES:
                    async with way_in(running, way, token, mode) as client:
                        found[f"{way} {mode}"] = await look_around(client)

    anyio.run(all_of_them)
    assert len(found) == 9
    first = found["http auto"]
    assert [one["content"] for one in first["memories"].data["results"]] == ["seen"]
    assert list(first["wrong"].body["fields"]) == ["agent_id"]
    for name, answers in found.items():
        assert answers == first, name


@pytest.mark.spec("B2", "B3", "R5", "B4")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", MODES)
def test_a_static_bearer_is_enough_to_start_a_run_write_and_finish(
    running: Bridge, live: Desk, way: str, mode: str
) -> None:
    async def work() -> list[Any]:
        async with way_in(running, way, live.tokens["analysis"], mode) as client:
            return [
                told(await client.call_tool("start_run", {})).data["id"],
                told(await client.call_tool("write_memory", note())).data["run"]["id"],
                told(await client.call_tool("finish_run", {"status": "succeeded"})).data["id"],
            ]

    assert len(set(anyio.run(work))) == 1
    assert Run.objects.get().status == "succeeded"
    assert Record.objects.count() == 1


@pytest.mark.spec("B4")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", MODES)
def test_a_revoked_token_is_refused_at_the_next_call_of_an_open_connection(
    running: Bridge, live: Desk, way: str, mode: str
) -> None:
    async def work() -> BaseException:
        async with way_in(running, way, live.tokens["analysis"], mode) as client:
            assert not told(await client.call_tool("write_memory", note())).body
            await anyio.to_thread.run_sync(revoke)
            with pytest.raises(BaseException) as caught:  # noqa: PT011 - looked at below
                await client.call_tool("write_memory", note())
            return caught.value

    error = anyio.run(work)
    if way == "tcp":
        refused = refusal(error).error
        assert (refused.code, refused.data["code"]) == (UNAUTHENTICATED, "invalid_token")
    assert Record.objects.count() == 1


def revoke() -> None:
    from django.db import connection  # noqa: PLC0415 - this thread's own

    token = Token.objects.get(producer__role="analysis")
    revoke_token(token=token, now=datetime.now(UTC))
    connection.close()


@pytest.mark.spec("B2", "B4")
def test_over_tcp_a_token_is_shown_once_in_initialize_or_in_each_call(
    running: Bridge, live: Desk
) -> None:
    ours, writers = live.tokens["review"], live.tokens["analysis"]
    with Line(running.tcp_port) as line:
        started = line.ask("initialize", hello(ours))
        assert started["result"]["protocolVersion"] == "2025-03-26"
        names = [tool["name"] for tool in line.ask("tools/list", id=2)["result"]["tools"]]
        assert "list_memories" in names
        # A call may speak for another producer, which leaves the connection as it was.
        answer = line.ask("tools/call", calling("write_memory", note(), token=writers), id=3)
        assert answer["result"]["structuredContent"]["producer"]["role"] == "analysis"
        answer = line.ask("tools/call", calling("write_memory", note()), id=4)
        assert "reserved_memory_type" in answer["result"]["content"][0]["text"]
        again = line.ask("initialize", hello(writers), id=5)
        answer = line.ask("tools/call", calling("write_memory", note()), id=6)
        assert "reserved_memory_type" in answer["result"]["content"][0]["text"], again
    with Line(running.tcp_port) as line:
        assert line.ask("initialize", hello())["result"]["serverInfo"]["name"] == "tidebook"
        assert line.ask("tools/list", id=2)["error"]["code"] == UNAUTHENTICATED
        answer = line.ask("tools/call", calling("list_memories", {}, token=ours), id=3)
        assert len(answer["result"]["structuredContent"]["results"]) == 1
        refused = line.ask("tools/list", id=4)["error"]
        assert refused["data"]["code"] == "not_authenticated"
        assert '_meta["org.tidebook/token"]' in refused["message"]
    with Line(running.tcp_port) as line:
        assert line.ask("initialize", hello("x"))["error"]["data"]["code"] == "invalid_token"
        assert line.ask("ping", id=2)["result"] == {}


@pytest.mark.spec("B2", "B6")
def test_over_stdio_what_is_not_json_rpc_is_answered_and_the_rest_is_served(live: Desk) -> None:
    parameters = stdio_parameters(live.tokens["review"])
    with subprocess.Popen(
        [parameters.command, *parameters.args],
        cwd=parameters.cwd,
        env=parameters.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        sent = [b"hello\n", b"x" * 10 * 1_048_576 + b"\n", request("initialize", hello(), id=1)]
        sent.append(request("tools/call", calling("get_learnings", {}), id=2))
        out, _ = process.communicate(b"".join(sent), timeout=PATIENCE)
    answers = [json.loads(line) for line in out.splitlines()]
    assert [one["id"] for one in answers] == [None, None, 1, 2]
    assert [one["error"]["code"] for one in answers[:2]] == [-32700, -32700]
    assert process.returncode == 0


@pytest.mark.spec("B1", "B2")
def test_several_workers_serve_the_same_app(live: Desk, tmp_path: Path) -> None:
    log = tmp_path / "workers.log"
    command = ["-m", "uvicorn", "mcp_bridge.asgi:app", "--workers", "2"]
    with workers(log, command) as url:

        async def work() -> list[str]:
            found = []
            for mode in MODES:
                async with over_http(url, live.tokens["analysis"], mode=mode) as client:
                    found.append(told(await client.call_tool("write_memory", note())).data["id"])
            return found

        assert len(set(anyio.run(work))) == 3
    assert Record.objects.count() == 3


@contextmanager
def workers(log: Path, command: list[str]) -> Iterator[str]:
    """Run uvicorn's supervisor over the app, on a port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with (
        log.open("wb") as out,
        subprocess.Popen(
            [sys.executable, *command, "--port", str(port)],
            cwd=ROOT,
            env=environment(),
            stdout=out,
            stderr=out,
        ) as process,
    ):
        try:
            root = f"http://127.0.0.1:{port}"
            while not answers_at(root):
                with suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=PAUSE_SECONDS)
                assert process.poll() is None, log.read_text(errors="replace")[-2_000:]
            yield f"{root}/mcp"
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE)


def answers_at(root: str) -> bool:
    try:
        return httpx.get(f"{root}/health/ready", timeout=PATIENCE).status_code == 200
    except httpx.TransportError:
        return False
