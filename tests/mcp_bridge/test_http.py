"""What an HTTP client gets before any tool: who it must be, what is not there (SPEC B6, B7)."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from memory.models import Record
from memory.services.runs import start_run_with_token
from tests.desk import Desk, note
from tests.mcp_bridge.bridge import PATIENCE, Bridge, bridge, calling, hello

pytestmark = pytest.mark.django_db(transaction=True)

WELL_KNOWN = (
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration",
)
ACCEPT = {"Accept": "application/json, text/event-stream"}


def ask(
    running: Bridge, token: str | None, params: dict[str, Any], **headers: str
) -> httpx.Response:
    """Post one tool call in the handshake era, without the SDK."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    sent = {**ACCEPT, "MCP-Protocol-Version": "2025-03-26", **headers}
    return httpx.post(running.url, json=body, headers=sent, timeout=PATIENCE)


@pytest.mark.spec("B4", "B7", "X2")
@pytest.mark.parametrize("header", [None, "", "x", "x.y", "\xe9.\xe9", "a" * 10_000])
def test_nobody_gets_in_without_a_good_token(
    running: Bridge, live: Desk, header: str | None
) -> None:
    del live
    name, sent = b"Authorization", f"Bearer {header or ''}".strip().encode("latin-1")
    headers = [] if header is None else [(name, sent)]
    response = httpx.post(running.url, headers=headers, json={}, timeout=PATIENCE)
    assert response.status_code == 401
    assert response.json()["code"] in {"invalid_token", "not_authenticated"}
    challenge = response.headers["WWW-Authenticate"]
    assert challenge.startswith("Bearer ")
    assert ('error="invalid_token"' in challenge) is bool(header)
    assert "resource_metadata" not in challenge


@pytest.mark.spec("B4", "B2")
def test_on_http_the_bearer_header_alone_says_who_is_calling(running: Bridge, live: Desk) -> None:
    params = calling("write_memory", note(), token=live.tokens["analysis"])
    assert ask(running, None, params).status_code == 401
    refused = ask(running, live.tokens["review"], params)
    assert "reserved_memory_type" in refused.text
    assert not Record.objects.exists()


@pytest.mark.spec("B4", "R5")
def test_a_run_token_that_has_had_its_run_is_told_so_by_the_call(
    running: Bridge, live: Desk
) -> None:
    now = datetime.now(UTC)
    run, _, token = start_run_with_token(
        producer=live.producers["analysis"], now=now, life=timedelta(hours=1)
    )
    assert str(run.id) in ask(running, token, calling("write_memory", note())).text
    ended = ask(running, token, calling("finish_run", {"status": "succeeded"}))
    assert str(run.id) in ended.text
    late = ask(running, token, calling("write_memory", note()))
    assert late.status_code == 200
    assert "run_finished" in late.text
    assert Record.objects.count() == 1


@pytest.mark.spec("B7")
@pytest.mark.parametrize("path", WELL_KNOWN)
def test_without_an_authorization_server_the_well_known_paths_are_json_404s(
    running: Bridge, path: str
) -> None:
    response = httpx.get(f"{running.root}{path}", timeout=PATIENCE)
    assert response.status_code == 404
    assert response.json()["code"] == "not_found"


@pytest.fixture(scope="module")
def resource(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bridge]:
    """Return a bridge that names an authorization server, and whose tokens are those of all."""
    del django_db_setup
    log: Path = tmp_path_factory.mktemp("resource") / "bridge.log"
    variables = {
        "MCP_AUTHORIZATION_SERVER": "https://login.example.com",
        "MCP_PUBLIC_URL": "https://memory.example.com/mcp",
    }
    with bridge(log, arguments=("--http", "127.0.0.1:0"), variables=variables) as process:
        yield process


@pytest.mark.spec("B7")
def test_with_an_authorization_server_the_metadata_is_public_and_named_in_the_challenge(
    resource: Bridge, live: Desk
) -> None:
    path = "/.well-known/oauth-protected-resource/mcp"
    document = httpx.get(f"{resource.root}{path}", timeout=PATIENCE).json()
    assert document["resource"] == "https://memory.example.com/mcp"
    assert document["authorization_servers"] == ["https://login.example.com/"]
    refused = httpx.post(resource.url, json={}, timeout=PATIENCE)
    assert refused.status_code == 401
    url = f"https://memory.example.com{path}"
    assert f'resource_metadata="{url}"' in refused.headers["WWW-Authenticate"]
    other = httpx.get(f"{resource.root}/.well-known/openid-configuration", timeout=PATIENCE)
    assert other.status_code == 404
    assert ask(resource, live.tokens["review"], calling("get_learnings", {})).status_code == 200


@pytest.mark.spec("B6", "B2")
@pytest.mark.parametrize(
    ("headers", "content", "status"),
    [
        ({}, b"nonsense", 400),
        ({}, b"[" * 100_000, 400),
        ({}, b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400),
        ({}, b"x" * 10 * 1_048_576, 413),
        ({"Content-Type": "text/plain"}, b"{}", 400),
        ({"Host": "evil.example.com"}, b"{}", 421),
        ({"Origin": "https://evil.example.com"}, b"{}", 403),
    ],
    ids=["nonsense", "nesting", "batch", "10 MiB", "text", "foreign host", "foreign page"],
)
def test_what_is_no_request_is_refused_and_runs_nothing(
    running: Bridge, live: Desk, headers: dict[str, str], content: bytes, status: int
) -> None:
    token = live.tokens["analysis"]
    sent = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": "2025-03-26",
        **ACCEPT,
        **headers,
    }
    response = httpx.post(running.url, headers=sent, content=content, timeout=PATIENCE)
    assert response.status_code == status
    assert ask(running, token, calling("get_learnings", {})).status_code == 200


@pytest.mark.spec("B6")
def test_a_thousand_silent_connections_are_nobody_elses_trouble(
    running: Bridge, live: Desk
) -> None:
    place = urlsplit(running.root)
    address = (place.hostname, place.port)
    with ExitStack() as stack:
        silent = [
            stack.enter_context(socket.create_connection(address, timeout=PATIENCE))
            for _ in range(1_000)
        ]
        silent[0].sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: ")
        answer = ask(running, live.tokens["review"], calling("get_learnings", {}))
        assert answer.status_code == 200
        assert [one.recv(1) for one in (silent[0], silent[-1])] == [b"", b""]


@pytest.mark.spec("B1", "B2")
def test_health_needs_no_token_and_tells_nothing_else(running: Bridge, live: Desk) -> None:
    del live
    for path, checks in (("live", None), ("ready", {"database": "ok"})):
        response = httpx.get(f"{running.root}/health/{path}", timeout=PATIENCE)
        assert (response.status_code, response.json()["status"]) == (200, "ok")
        assert response.json().get("checks") == checks
    for path in ("/", "/admin/", "/sse", "/messages/", "/mcpx"):
        assert httpx.get(f"{running.root}{path}", timeout=PATIENCE).json()["code"] == "not_found"


@pytest.mark.spec("B2")
def test_the_path_is_served_with_and_without_its_last_slash(running: Bridge, live: Desk) -> None:
    headers = {**ACCEPT, "Authorization": f"Bearer {live.tokens['review']}"}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello()}
    for url in (running.url, f"{running.url}/"):
        response = httpx.post(url, json=body, headers=headers, timeout=PATIENCE)
        assert response.status_code == 200
        assert '"protocolVersion":"2025-03-26"' in response.text.replace(" ", "")
