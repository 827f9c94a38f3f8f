"""Bodies as they come over a real connection: framed in any way, of any size (SPEC R10, E2)."""

import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from memory.models import Record, Run
from tests import live
from tests.desk import Desk, make_desk, note
from tests.live import Server

pytestmark = pytest.mark.django_db(transaction=True)
MEBIBYTE = 1024 * 1024


@pytest.fixture
def desk(transactional_db: None) -> Desk:
    """Return a desk whose clock is the web process's own."""
    del transactional_db
    return make_desk("ours", now=datetime.now(tz=UTC))


def chunked(data: bytes) -> Iterator[bytes]:
    """Yield a body in pieces, so that it is sent without its length."""
    for start in range(0, len(data), 1000):
        yield data[start : start + 1000]


def post(server: Server, desk: Desk, route: str, data: Any, kind: str = "application/json") -> Any:
    headers = {"Authorization": f"Bearer {desk.tokens['analysis']}", "Content-Type": kind}
    return httpx.post(f"{server.url}{desk.path(route)}", content=data, headers=headers, timeout=60)


@pytest.mark.spec("E1", "R10")
def test_a_body_without_its_length_is_read_like_any_other(served: Server, desk: Desk) -> None:
    body = httpx.Request("POST", "http://x", json=note()).content
    assert post(served, desk, "memories/", chunked(body)).status_code == 201
    refused = post(served, desk, "runs/", chunked(b'{"nonsense": 1}'))
    assert refused.status_code == 400
    assert list(refused.json()["fields"]) == ["nonsense"]
    assert post(served, desk, "runs/", chunked(b"a=b"), "text/plain").status_code == 415
    assert Record.objects.count() == 1
    assert Run.objects.count() == 1


@pytest.mark.spec("R10", "E2")
@pytest.mark.parametrize("framed", [True, False], ids=["with its length", "chunked"])
def test_a_body_over_the_limit_is_a_413_either_way(
    served: Server, desk: Desk, framed: bool
) -> None:
    body = b'{"content": "' + b"x" * 2 * MEBIBYTE + b'"}'
    try:
        response = post(served, desk, "memories/", body if framed else chunked(body))
    except httpx.TransportError:
        # The server need not read on to answer, and the rest then finds a closed door.
        return
    assert response.status_code == 413
    assert response.json()["code"] == "request_too_large"
    assert response.headers["X-Request-ID"]


@pytest.mark.spec("R10")
def test_a_huge_announced_body_is_refused_before_any_of_it_is_kept(
    served: Server, desk: Desk
) -> None:
    port = int(served.url.rpartition(":")[2])
    head = (
        f"POST {desk.path('memories/')} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Content-Type: application/json\r\nContent-Length: {500 * MEBIBYTE}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        line.sendall(head.encode())
        answer = line.makefile("rb").read()
    assert b" 413 " in answer.splitlines()[0]
    assert b"request_too_large" in answer


@pytest.mark.spec("X7")
def test_a_caller_cannot_name_the_address_that_it_calls_from(tmp_path: Path, desk: Desk) -> None:
    del desk
    with live.serve(tmp_path / "web.log") as server, httpx.Client(base_url=server.url) as browser:
        form = {"username": "boss", "password": "wrong", "next": "/admin/"}
        for address in range(5):
            form["csrfmiddlewaretoken"] = browser.get("/admin/login/").cookies["csrftoken"]
            headers = {"X-Forwarded-For": f"10.9.8.{address}", "Referer": server.url}
            last = browser.post("/admin/login/", data=form, headers=headers)
    assert last.status_code == 429
