"""Streamable HTTP at /mcp, with static bearers (SPEC B2, B7)."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from django.conf import settings
from django.db import DatabaseError, connection
from mcp.server.auth.routes import build_resource_metadata_url, create_protected_resource_routes
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_bridge.identity import SCOPE_KEY, identified
from mcp_bridge.orm import run_orm
from memory.errors import InvalidToken, NotAuthenticated

PATH = "/mcp"
BODY_SECONDS = 30.0
"""How long a request may take to arrive whole."""


def build_app(server: MCPServer, *, address: str) -> ASGIApp:
    """Return the ASGI app of a server that is reached at `address` (host:port)."""
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        # No session lives in a process, so processes can be added. Plain answers stay plain JSON.
        stateless_http=True,
        json_response=False,
        max_request_body_size=settings.MAX_REQUEST_BYTES,
        transport_security=TransportSecuritySettings(
            allowed_hosts=settings.MCP_ALLOWED_HOSTS, allowed_origins=settings.MCP_ALLOWED_ORIGINS
        ),
    )
    return Gate(app, metadata=_publish_metadata(app, address))


def _publish_metadata(app: Starlette, address: str) -> AnyHttpUrl | None:
    """Add the well-known document where an authorization server is set; return its URL."""
    if not settings.MCP_AUTHORIZATION_SERVER:
        return None
    resource = AnyHttpUrl(settings.MCP_PUBLIC_URL or f"http://{address}{PATH}")
    issuer = AnyHttpUrl(settings.MCP_AUTHORIZATION_SERVER)
    app.router.routes.extend(create_protected_resource_routes(resource, [issuer]))
    return build_resource_metadata_url(resource)


class Gate:
    """Lets nobody without a good token through to /mcp, and answers all other paths itself.

    Without an authorization server the well-known paths are JSON 404s: hosts that probe them
    first would otherwise take this server for one that needs a login.
    """

    def __init__(self, app: ASGIApp, *, metadata: AnyHttpUrl | None) -> None:
        self.app = app
        self.metadata = metadata
        self.routes: dict[str, Callable[[Scope], Awaitable[Response | None]]] = {
            PATH: self._enter,
            "/health/live": _live,
            "/health/ready": _ready,
        }
        if metadata is not None:
            self.routes[metadata.path or ""] = _open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        route = self.routes.get(scope["path"].rstrip("/"), _missing)
        response = await route(scope)
        if response is not None:
            await response(scope, receive, send)
            return
        path = scope["path"].rstrip("/")
        await self.app({**scope, "path": path, "raw_path": path.encode()}, timely(receive), send)

    async def _enter(self, scope: Scope) -> Response | None:
        token = _bearer(scope) if settings.MCP_AUTH else settings.MCP_MEMORY_TOKEN
        who = await identified(token)
        if isinstance(who, NotAuthenticated):
            return self._refusal(who)
        # A run that has ended, or a database that does not answer: the call's own answer says so.
        scope[SCOPE_KEY] = who
        return None

    def _refusal(self, error: NotAuthenticated) -> Response:
        challenge = ['realm="tidebook"']
        if isinstance(error, InvalidToken):
            challenge.append('error="invalid_token"')
        if self.metadata is not None:
            challenge.append(f'resource_metadata="{self.metadata}"')
        return JSONResponse(
            {"error": error.message, "code": error.code},
            status_code=401,
            headers={"WWW-Authenticate": "Bearer " + ", ".join(challenge)},
        )


def _bearer(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, token = value.decode("latin-1").partition(" ")
            return token.strip() if scheme.lower() == "bearer" else ""
    return ""


async def _open(scope: Scope) -> None:
    """Let anybody through."""
    del scope


async def _missing(scope: Scope) -> Response:
    del scope
    return JSONResponse({"error": "there is nothing here", "code": "not_found"}, status_code=404)


async def _live(scope: Scope) -> Response:
    """Tell that the process answers."""
    del scope
    return JSONResponse({"status": "ok"})


async def _ready(scope: Scope) -> Response:
    """Tell whether the database answers."""
    del scope
    try:
        await run_orm(_ask_database)
    except DatabaseError:
        checks, status = {"database": "does not answer"}, 503
    else:
        checks, status = {"database": "ok"}, 200
    return JSONResponse(
        {"status": "ok" if status == 200 else "unready", "checks": checks},  # noqa: PLR2004
        status_code=status,
    )


def _ask_database() -> Any:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        return cursor.fetchone()


def timely(receive: Receive) -> Receive:
    """Wrap `receive`: a body that does not arrive in time is as good as a lost connection."""
    whole = False

    async def bounded() -> Message:
        nonlocal whole
        if whole:
            return await receive()
        with anyio.move_on_after(BODY_SECONDS):
            message = await receive()
            whole = not message.get("more_body", False)
            return message
        return {"type": "http.disconnect"}

    return bounded
