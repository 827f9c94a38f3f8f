"""Request bodies under ASGI: counted as they arrive, whole before the application runs.

Django spools a body of any length to disk before a view or a permission is asked, and REST
framework takes one without a Content-Length (chunked) for none. So the body is read here, up to
the limit, and handed on with its length (SPEC R10).
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from uuid import uuid4

type Message = Mapping[str, Any]
type Scope = dict[str, Any]
type Receive = Callable[[], Awaitable[Message]]
type Send = Callable[[Message], Awaitable[None]]
type Application = Callable[[Scope, Receive, Send], Awaitable[None]]

FRAMING = {b"content-length", b"transfer-encoding"}


def limited(application: Application, *, limit: int) -> Application:
    """Return `application` behind a 413 for every request body over `limit` bytes."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        body = None if _announced(scope) > limit else await _read(receive, limit=limit)
        if body is None:
            await _refuse(send, limit=limit)
            return
        headers = [pair for pair in scope["headers"] if pair[0] not in FRAMING]
        if body or _announced(scope) >= 0:
            headers.append((b"content-length", str(len(body)).encode()))
        await application({**scope, "headers": headers}, _replay(body, receive), send)

    return serve


def _announced(scope: Scope) -> int:
    """Return the Content-Length, -1 without one (the server has checked that it is a number)."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value)
    return -1


async def _read(receive: Receive, *, limit: int) -> bytes | None:
    """Return the body, None when it is longer than `limit` or the caller has gone."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        part = message.get("body", b"")
        size += len(part)
        if size > limit:
            return None
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body once, then what really comes (a disconnect)."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


async def _refuse(send: Send, *, limit: int) -> None:
    """Answer 413 in the shape of every error, and ask for the connection to be closed."""
    error = {
        "error": f"the request is larger than {limit} bytes",
        "code": "request_too_large",
        "limit_bytes": limit,
    }
    answer = json.dumps(error).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(answer)).encode()),
        (b"x-request-id", str(uuid4()).encode()),
        # What is left of the body is not read: the connection cannot be used again.
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": answer})
