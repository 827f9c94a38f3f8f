"""Every error has one shape and every answer an id, whichever layer it comes from (SPEC E2, E8)."""

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client
from django.urls import URLResolver, get_resolver
from rest_framework.test import APIClient

from memory.schemas.answers import ErrorOut
from tests.desk import Desk, bearer, make_desk, note


def problem(response: Any, status: int, code: str) -> dict[str, Any]:
    """Hold an error against the shape that all have, and return its body."""
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == "application/json"
    assert UUID(response.headers["X-Request-ID"]).version == 4
    body: dict[str, Any] = response.json()
    ErrorOut.model_validate(body, strict=True)
    assert body["code"] == code
    # Only the generic fault repeats the id in its body.
    assert ("request_id" in body) == (status == 500)
    return body


@pytest.mark.spec("E2", "R9")
@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"{", "invalid"),
        (b"\xff", "invalid"),
        (b"[" * 100_000, "invalid"),
        (b'{"a": NaN}', "invalid"),
        (b"[]", "validation_error"),
        (b"", "validation_error"),
    ],
)
def test_a_malformed_body_is_a_400(desk: Desk, raw: bytes, code: str) -> None:
    response = desk.client().generic(
        "POST",
        desk.path("memories/"),
        raw,  # type: ignore[arg-type]  # the stubs know text alone
        content_type="application/json",
    )
    problem(response, 400, code)


@pytest.mark.spec("E2", "R9")
def test_validation_names_every_wrong_place(desk: Desk) -> None:
    link = {"target_memory_id": "1", "link_type": "likes"}
    response = desk.client().post(desk.path("memories/"), note(content=" ", links=[link]))
    fields = problem(response, 400, "validation_error")["fields"]
    assert set(fields) == {"content", "links[0].target_memory_id", "links[0].link_type"}
    assert all(isinstance(text, str) for texts in fields.values() for text in texts)


@pytest.mark.spec("E2", "E1")
@pytest.mark.parametrize("credentials", ["", "Bearer", "Bearer ", "Bearer x", "Bearer x.y"])
def test_a_401_carries_a_challenge(desk: Desk, credentials: str) -> None:
    client = APIClient()
    client.credentials(**({"HTTP_AUTHORIZATION": credentials} if credentials else {}))
    response = client.get(desk.path("memories/"))
    problem(response, 401, "invalid_token" if credentials else "not_authenticated")
    assert response.headers["WWW-Authenticate"].startswith("Bearer ")


@pytest.mark.spec("E2", "E1")
def test_a_session_without_its_csrf_token_writes_nothing(desk: Desk) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(desk.user, backend="django.contrib.auth.backends.ModelBackend")
    problem(client.post(desk.path("runs/"), {}), 403, "forbidden")


@pytest.mark.spec("E2")
@pytest.mark.parametrize(
    "path", ["/api/v1/nothing", "/api/v1/agents/1/memories", "/health/", "/api/", "/health/what"]
)
def test_no_such_route_and_a_malformed_id_are_a_json_404(path: str) -> None:
    problem(Client().get(path), 404, "not_found")


@pytest.mark.spec("E2", "E4")
@pytest.mark.parametrize("method", ["put", "patch", "delete", "options", "trace"])
def test_a_method_that_a_route_has_not_is_a_405(desk: Desk, method: str) -> None:
    response = desk.client().generic(method.upper(), desk.path("memories/"))
    body = problem(response, 405, "method_not_allowed")
    assert body["allowed"] == ["GET", "POST"]
    assert body["error"] == "this route takes GET, POST"
    assert {"GET", "POST"} <= set(response.headers["Allow"].split(", "))


@pytest.mark.spec("E2")
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_body_that_is_not_json_is_a_415(desk: Desk, kind: str) -> None:
    response = desk.client().generic("POST", desk.path("memories/"), "a=1", content_type=kind)
    problem(response, 415, "unsupported_media_type")


@pytest.mark.spec("E2", "R10")
def test_a_body_over_the_limit_is_a_413_that_names_the_limit(desk: Desk, settings: Any) -> None:
    body = note(content="x" * settings.MAX_REQUEST_BYTES)
    response = desk.client().post(desk.path("memories/"), body)
    found = problem(response, 413, "request_too_large")
    assert found["limit_bytes"] == settings.MAX_REQUEST_BYTES


@pytest.mark.spec("E2", "R9")
@pytest.mark.django_db(transaction=True)
def test_what_nobody_foresaw_is_a_500_with_the_id_and_no_cause(now: Any) -> None:
    desk = make_desk("ours", now=now)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE memory_head RENAME TO memory_head_gone")
    try:
        client = bearer(desk.tokens["analysis"])
        client.raise_request_exception = False
        response = client.post(desk.path("memories/"), note(instruments=["ETH"]))
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE memory_head_gone RENAME TO memory_head")
    body = problem(response, 500, "server_error")
    assert body["request_id"] == response.headers["X-Request-ID"]
    assert set(body) == {"error", "code", "request_id"}
    assert "head" not in body["error"]


@pytest.mark.spec("E2")
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/static/tidebook/admin.css", 200),
        ("/static/tidebook/none.css", 404),
        ("/admin/login/", 200),
        ("/admin/", 302),
        ("/admin", 301),
        ("/nothing/", 404),
        ("/api/v1/openapi.json", 200),
        ("/health/live", 200),
        ("/api/v1/nothing/", 404),
    ],
)
@pytest.mark.django_db
def test_every_answer_carries_an_id_of_its_own(path: str, status: int) -> None:
    sent = str(uuid4())
    first, second = (Client(headers={"x-request-id": sent}).get(path) for _ in range(2))
    assert (first.status_code, second.status_code) == (status, status)
    for response in (first, second):
        response.close()  # a static file is open until it is sent
    ids = {response.headers["X-Request-ID"] for response in (first, second)}
    # What a caller sends is not believed: the log's ids are the server's.
    assert len(ids - {sent}) == 2


@pytest.mark.spec("E2")
def test_a_host_that_is_not_ours_is_a_400_with_an_id() -> None:
    response = Client(headers={"host": "elsewhere.test"}).get("/api/v1/openapi.json")
    problem(response, 400, "invalid")


def paths(resolver: Any, prefix: str = "/") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from paths(pattern, path)
        elif path.startswith(("/api/", "/health/")):
            yield path


@pytest.mark.spec("E8")
@pytest.mark.parametrize("route", sorted(paths(get_resolver())))
def test_each_route_answers_alike_with_and_without_a_slash(route: str, desk: Desk) -> None:
    assert route.endswith("/")
    path = route.replace("<uuid:agent>", str(desk.agent.id)).replace("<path:instrument>", "ETH")
    path = re.sub(r"<uuid:\w+>", str(uuid4()), path)
    for method in ("get", "post", "put", "delete"):
        call = getattr(desk.client(), method)
        call(path)
        slashed, bare = call(path), call(path.rstrip("/"))
        assert slashed.status_code == bare.status_code, (method, path)
        assert slashed.status_code not in {301, 302, 307, 308}
        if slashed.status_code != 201:  # a started run is another each time
            assert slashed.content == bare.content
