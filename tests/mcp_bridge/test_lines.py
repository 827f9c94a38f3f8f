"""What a hostile or broken peer of the TCP port does to itself alone (SPEC B2, B6)."""

import json
import socket
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any

import pytest

from memory.models import Record
from tests.desk import Desk, note
from tests.mcp_bridge.bridge import Bridge, Line, calling, hello, request

pytestmark = pytest.mark.django_db(transaction=True)

PARSE_ERROR = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "Parse error"}}
NOT_JSON_RPC: dict[str, bytes] = {
    "words": b"hello\n",
    "an object of another kind": b'{"foo": 1}\n',
    "a batch": b"[" + request("ping").strip() + b"]\n",
    "a number": b"7\n",
    "half a fraction of an id": request("ping", id=1.5),
    "no id where one is said to be": request("ping", id=None),
    "a truth as id": request("ping", id=True),
    "a list as id": request("ping", id=[1]),
    "not a number": request("ping", {"a": float("nan")}),
    "no UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xff"}\n',
    "a lone surrogate": b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}\n',
    "bottomless nesting": b"[" * 100_000 + b"\n",
    "another version": b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n',
    "a TLS greeting": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n",
}


def assert_served(running: Bridge, live: Desk) -> None:
    """Hold that a well-behaved stranger is served."""
    with Line(running.tcp_port) as line:
        line.ask("initialize", hello(live.tokens["review"]))
        answer = line.ask("tools/call", calling("get_learnings", {}), id=2)
        assert answer["result"]["structuredContent"]["results"] == []


@pytest.mark.spec("B2", "B6")
@pytest.mark.parametrize("data", NOT_JSON_RPC.values(), ids=NOT_JSON_RPC)
def test_the_first_line_that_is_not_json_rpc_is_answered_once_and_ends_the_connection(
    running: Bridge, live: Desk, data: bytes
) -> None:
    write = request("tools/call", calling("write_memory", note(), token=live.tokens["analysis"]))
    with Line(running.tcp_port) as line:
        line.send(data + write)
        said = line.rest()
    assert said is not None
    assert json.loads(said) == PARSE_ERROR
    assert not Record.objects.exists()
    assert_served(running, live)


@pytest.mark.spec("B2", "B6")
def test_a_web_page_that_posts_to_the_port_runs_nothing(running: Bridge, live: Desk) -> None:
    body = request("initialize", hello(live.tokens["analysis"]))
    body += request("tools/call", calling("write_memory", note()), id=2)
    head = f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    with Line(running.tcp_port) as line:
        line.send(head.encode() + body)
        assert json.loads(line.rest() or b"") == PARSE_ERROR
    assert not Record.objects.exists()


@pytest.mark.spec("B6")
def test_ten_mebibytes_without_an_end_of_line_are_cut_off(running: Bridge, live: Desk) -> None:
    with Line(running.tcp_port) as line:
        line.send(b"x" * 10 * 1_048_576)
        said = line.rest()
        # With that much unread the answer may be lost in the reset of the connection.
        assert not said or json.loads(said) == PARSE_ERROR
    assert_served(running, live)


@pytest.mark.spec("B6")
@pytest.mark.parametrize(
    "data",
    [b"", b'{"jsonrpc":', request("ping"), request("initialize", hello())],
    ids=["silence", "half a line", "pings alone", "no token"],
)
def test_a_peer_that_shows_no_token_in_time_is_hung_up_on(
    running: Bridge, live: Desk, data: bytes
) -> None:
    with Line(running.tcp_port) as line:
        line.send(data)
        assert_served(running, live)
        said = line.rest()
    assert said is not None
    assert said.count(b"\n") == data.count(b"\n")


@pytest.mark.spec("B6", "B2")
def test_a_peer_that_has_shown_its_token_may_be_quiet_for_longer(
    running: Bridge, live: Desk
) -> None:
    with Line(running.tcp_port) as line:
        line.ask("initialize", hello(live.tokens["review"]))
        with Line(running.tcp_port) as silent:
            # Its end is the time at which the first would have been hung up on.
            assert silent.rest() == b""
        answer = line.ask("tools/call", calling("get_learnings", {}), id=2)
        assert answer["result"]["structuredContent"]["results"] == []


@pytest.mark.spec("B6")
def test_a_thousand_connections_are_nobody_elses_trouble(running: Bridge, live: Desk) -> None:
    with ExitStack() as stack, Line(running.tcp_port) as before:
        before.ask("initialize", hello(live.tokens["review"]))
        for _ in range(1_000):
            stack.enter_context(socket.create_connection(("127.0.0.1", running.tcp_port)))
        for number in range(2, 12):
            answer = before.ask("tools/call", calling("list_memories", {}), id=number)
            assert answer["result"]["structuredContent"]["results"] == []
        while True:
            # Full now, it hangs up at once; the silent ones lose their places in time.
            try:
                assert_served(running, live)
            except (json.JSONDecodeError, ConnectionResetError):
                continue
            break


@pytest.mark.spec("B6")
def test_a_peer_that_asks_and_never_reads_is_held_back_and_others_are_served(
    running: Bridge, live: Desk
) -> None:
    with Line(running.tcp_port) as line:
        line.ask("initialize", hello(live.tokens["review"]))
        line.socket.settimeout(0)
        asked = request("tools/list", {"_meta": {"filler": "x" * 10_000}}, id=2)
        sent = 0
        pending = b""
        for number in range(3, 30_000):
            pending = pending or asked.replace(b'"id": 2', b'"id": %d' % number)
            try:
                pending = pending[line.socket.send(pending) :]
                sent += not pending
            except BlockingIOError:
                break
        assert sent < 29_000
        assert_served(running, live)


@pytest.mark.spec("B6")
def test_cancelled_calls_give_their_places_back(running: Bridge, live: Desk) -> None:
    with Line(running.tcp_port) as line:
        line.ask("initialize", hello(live.tokens["review"]))
        for number in range(100, 160):
            line.send(request("tools/call", calling("list_memories", {}), id=number))
            cancel = {"method": "notifications/cancelled", "params": {"requestId": number}}
            line.send(json.dumps({"jsonrpc": "2.0", **cancel}).encode() + b"\n")
        line.send(request("tools/call", calling("get_learnings", {}), id=1_000))
        answered = 0
        while answered != 1_000:
            answered = json.loads(line.file.readline())["id"]


@pytest.mark.spec("B6")
def test_an_id_that_is_waited_for_is_not_given_twice(running: Bridge, live: Desk) -> None:
    with Line(running.tcp_port) as line:
        line.ask("initialize", hello(live.tokens["review"]))
        one = request("tools/call", calling("list_memories", {}), id=2)
        line.send(one + one)
        lines = [json.loads(said) for said in (line.rest() or b"").splitlines()]
    assert lines[-1] == PARSE_ERROR or lines[0] == PARSE_ERROR
    assert len(lines) <= 2


@pytest.mark.spec("B2", "B6")
def test_answers_to_pipelined_calls_are_whole_lines_matched_by_id(
    running: Bridge, live: Desk
) -> None:
    live.write(now=datetime.now(UTC), content="é" * 8_000)
    with Line(running.tcp_port) as line:
        line.ask("initialize", hello(live.tokens["review"]))
        lines = [request("tools/call", calling("list_memories", {}), id=n) for n in range(2, 42)]
        line.send(b"\n \n".join(lines))
        answers: list[Any] = [json.loads(line.file.readline()) for _ in lines]
    assert sorted(one["id"] for one in answers) == list(range(2, 42))
    assert all(len(one["result"]["structuredContent"]["results"]) == 1 for one in answers)


@pytest.mark.spec("B6")
def test_a_peer_that_has_said_all_still_gets_its_answers(running: Bridge, live: Desk) -> None:
    with Line(running.tcp_port) as line:
        line.send(request("initialize", hello(live.tokens["review"])))
        line.send(request("tools/call", calling("get_learnings", {}), id=2))
        line.socket.shutdown(socket.SHUT_WR)
        answers = [json.loads(said) for said in (line.rest() or b"").splitlines()]
    assert [one["id"] for one in answers] == [1, 2]
