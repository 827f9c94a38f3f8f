"""The database goes away, clients are killed: whole records or none, and work goes on (SPEC B6)."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection, transaction
from psycopg import sql

from memory.models import AgentTail, Record, RecordTarget, Run
from tests.desk import Desk, note
from tests.live import ROOT, database_url
from tests.mcp_bridge.bridge import (
    BOTH,
    PATIENCE,
    Bridge,
    Line,
    bridge,
    calling,
    end_backends,
    environment,
    hello,
    request,
)
from tests.mcp_bridge.test_http import ask

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def empty_database(transactional_db: None) -> Iterator[str]:
    """Return the URL of a database of its own, without a table."""
    del transactional_db
    server = database_url().rpartition("/")[0]
    name = sql.Identifier(unmigrated := f"tidebook_unmigrated_{os.getpid()}")
    with psycopg.connect(database_url(), autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(name))
        try:
            yield f"{server}/{unmigrated}"
        finally:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


@pytest.mark.spec("B6", "R9")
def test_connections_that_the_database_has_ended_are_nobodys_failure(
    running: Bridge, live: Desk
) -> None:
    with Line(running.tcp_port) as line, ThreadPoolExecutor(4) as pool:
        line.ask("initialize", hello(live.tokens["analysis"]))

        def read_and_write(number: int) -> None:
            for name, arguments in (("list_memories", {}), ("write_memory", note())):
                answer = ask(running, live.tokens["analysis"], calling(name, arguments))
                assert '"isError":true' not in answer.text.replace(" ", ""), number

        for _ in range(2):
            # All of the bridge's threads have one first.
            list(pool.map(read_and_write, range(4)))
            assert end_backends() > 0
            answer = line.ask("tools/call", calling("write_memory", note()), id=3)
            assert "structuredContent" in answer["result"]
            list(pool.map(read_and_write, range(4)))
    assert Record.objects.count() == 2 + 2 * 8


@contextmanager
def outage() -> Iterator[None]:
    """Keep all but this connection out of the database, as if it were down."""
    options = {**connection.get_connection_params(), "dbname": "postgres"}
    name = sql.Identifier(str(connection.settings_dict["NAME"]))
    options.pop("cursor_factory", None)
    options.pop("context", None)
    # A database cannot be closed from inside.
    with psycopg.connect(**options, autocommit=True) as outside:
        outside.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS false").format(name))
        try:
            end_backends()
            yield
        finally:
            outside.execute(sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS true").format(name))


@pytest.mark.spec("B6", "R9")
def test_calls_during_an_outage_get_a_tool_error_and_work_again_after_it(
    running: Bridge, live: Desk
) -> None:
    write = calling("write_memory", note())
    with Line(running.tcp_port) as line:
        line.ask("initialize", hello(live.tokens["analysis"]))
        assert "structuredContent" in line.ask("tools/call", write, id=2)["result"]
        with outage():
            result = line.ask("tools/call", write, id=3)["result"]
            told = json.loads(result["content"][0]["text"])
            assert (result["isError"], told["code"]) == (True, "server_error")
            assert told["request_id"] in running.log.read_text(errors="replace")
            over_http = ask(running, live.tokens["analysis"], write)
            assert over_http.status_code == 200
            assert "server_error" in over_http.text
            assert "not currently accepting" not in json.dumps(result) + over_http.text
            assert line.ask("ping", id=4)["result"] == {}
        assert "structuredContent" in line.ask("tools/call", write, id=5)["result"]
        assert "structuredContent" in ask(running, live.tokens["analysis"], write).text
    assert Record.objects.count() == 3


def until_somebody_waits() -> None:
    """Return once another session waits for a lock that this one holds."""
    with connection.cursor() as cursor:
        found = False
        while not found:
            cursor.execute(
                "SELECT EXISTS (SELECT 1 FROM pg_locks"
                " WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))"
            )
            [found] = cursor.fetchone()


def until_nobody_works() -> None:
    """Return once no other session is in the middle of anything."""
    with connection.cursor() as cursor:
        busy = True
        while busy:
            cursor.execute(
                "SELECT EXISTS (SELECT 1 FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                " AND backend_type = 'client backend' AND state <> 'idle')"
            )
            [busy] = cursor.fetchone()


def assert_whole_or_nothing(desk: Desk) -> int:
    """Hold that each stored record has all that belongs to it; return how many there are."""
    count = Record.objects.count()
    assert RecordTarget.objects.count() == 2 * count
    assert Run.objects.filter(status="succeeded").count() == Run.objects.count() == count
    assert AgentTail.objects.get(agent=desk.agent).last_seq == count
    return count


WRITE = note(instruments=["ETH", "BTC"])


@pytest.mark.spec("B6", "R6")
def test_a_client_killed_in_the_middle_of_a_write_leaves_one_whole_record_or_none(
    running: Bridge, live: Desk
) -> None:
    for _ in range(5):
        with transaction.atomic():
            AgentTail.objects.select_for_update().get(agent=live.agent)
            line = Line(running.tcp_port)
            line.ask("initialize", hello(live.tokens["analysis"]))
            line.send(request("tools/call", calling("write_memory", WRITE), id=2))
            until_somebody_waits()
            line.reset()
        until_nobody_works()
    assert assert_whole_or_nothing(live) <= 5
    assert (
        "structuredContent"
        in ask(running, live.tokens["analysis"], calling("write_memory", WRITE)).text
    )
    assert_whole_or_nothing(live)


@pytest.mark.spec("B6", "R6", "B2")
def test_a_bridge_killed_in_the_middle_of_a_write_leaves_one_whole_record_or_none(
    live: Desk,
) -> None:
    command = [sys.executable, "manage.py", "mcp_bridge", "--stdio"]
    with (
        subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment(MCP_MEMORY_TOKEN=live.tokens["analysis"]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process,
        transaction.atomic(),
    ):
        assert process.stdin
        assert process.stdout
        AgentTail.objects.select_for_update().get(agent=live.agent)
        process.stdin.write(request("initialize", hello()))
        process.stdin.write(request("tools/call", calling("write_memory", WRITE), id=2))
        process.stdin.flush()
        assert b"serverInfo" in process.stdout.readline()
        until_somebody_waits()
        process.kill()
    until_nobody_works()
    assert assert_whole_or_nothing(live) <= 1


@pytest.mark.spec("B1", "B6")
def test_a_bridge_that_is_told_to_stop_answers_what_is_under_way_first(
    live: Desk, tmp_path: Path
) -> None:
    with bridge(tmp_path / "bridge.log", variables={"MCP_STOP_SECONDS": "60"}) as process:
        with Line(process.tcp_port) as line:
            line.ask("initialize", hello(live.tokens["analysis"]))
            with transaction.atomic():
                AgentTail.objects.select_for_update().get(agent=live.agent)
                line.send(request("tools/call", calling("write_memory", WRITE), id=2))
                until_somebody_waits()
                process.process.send_signal(signal.SIGTERM)
                until_it_refuses(process.tcp_port)
            answer: Any = json.loads(line.file.readline())
            assert "structuredContent" in answer["result"]
            assert line.rest() == b""
        assert process.process.wait(timeout=60) == 0
    assert assert_whole_or_nothing(live) == 1


def until_it_refuses(port: int) -> None:
    while True:
        try:
            Line(port).socket.close()
        except ConnectionResetError:
            # It was in the queue when the door closed.
            continue
        except ConnectionRefusedError:
            return


@pytest.mark.spec("B2")
@pytest.mark.parametrize(
    ("arguments", "variables", "says"),
    [
        (("--tcp", "0.0.0.0:0"), {"MCP_AUTH": "false", "MCP_MEMORY_TOKEN": "x"}, "loopback"),
        (("--http", "[::]:0"), {"MCP_AUTH": "false", "MCP_MEMORY_TOKEN": "x"}, "loopback"),
        (("--http", "mcp.example:0"), {"MCP_AUTH": "false", "MCP_MEMORY_TOKEN": "x"}, "loopback"),
        (BOTH, {"MCP_AUTH": "false"}, "MCP_MEMORY_TOKEN"),
        (("--stdio",), {}, "MCP_MEMORY_TOKEN"),
        (("--tcp", "nowhere"), {}, "HOST:PORT"),
    ],
)
def test_a_start_that_would_let_strangers_in_is_refused(
    arguments: tuple[str, ...], variables: dict[str, str], says: str, capsys: Any, settings: Any
) -> None:
    from django.core.management import CommandError, call_command  # noqa: PLC0415 - only here

    settings.MCP_AUTH = variables.get("MCP_AUTH") != "false"
    settings.MCP_MEMORY_TOKEN = variables.get("MCP_MEMORY_TOKEN", "")
    with pytest.raises(CommandError, match=says):
        call_command("mcp_bridge", *arguments)
    assert capsys.readouterr().out == ""


@pytest.mark.spec("B2", "U2", "R9")
@pytest.mark.parametrize("way", [(), ("--http", "127.0.0.1:0"), ("--tcp", ":0"), ("--stdio",)])
def test_over_a_database_that_is_not_migrated_it_ends_with_the_line_of_other_commands(
    empty_database: str, way: tuple[str, ...]
) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "mcp_bridge", *way],
        cwd=ROOT,
        env=environment(DATABASE_URL=empty_database, MCP_MEMORY_TOKEN="x"),  # noqa: S106 - nobody's
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "manage.py: the database is not migrated: run manage.py migrate (make setup does)"
    ]


@pytest.mark.spec("B2", "R9")
@pytest.mark.parametrize(
    ("way", "setting"), [("http", "MCP_HTTP_PORT"), ("tcp", "MCP_MEMORY_PORT")]
)
def test_a_port_that_is_taken_is_named_in_one_line_with_the_way_out(way: str, setting: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        places = {"--http": "127.0.0.1:0", "--tcp": "127.0.0.1:0", f"--{way}": f"127.0.0.1:{port}"}
        words = [word for pair in places.items() for word in pair]
        done = subprocess.run(
            [sys.executable, "manage.py", "mcp_bridge", *words],
            cwd=ROOT,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == (
        f"CommandError: port {port} of 127.0.0.1 is taken ({way.upper()}); "
        f"choose another with --{way} 127.0.0.1:PORT or {setting}"
    )
    assert "Traceback" not in done.stderr
