"""Who is calling: told by a token alone, asked for at every request (SPEC B4, B2).

HTTP: the bearer header, read by `transports.http`. TCP: `_meta` of the request, else of the
connection's `initialize`. stdio: the environment. What a client says of itself is no identity.
"""

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import structlog
from django.conf import settings
from django.utils import timezone
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from starlette.requests import Request

from mcp_bridge.errors import protocol_error
from mcp_bridge.orm import run_orm
from memory.errors import NotAuthenticated, RunFinished
from memory.policies.ownership import TokenActor
from memory.services.tokens import authenticate

TOKEN_META = "org.tidebook/token"  # noqa: S105 - the name of a key
SCOPE_KEY = "tidebook.caller"
OPENING = frozenset({"initialize", "server/discover"})
"""Requests that tell nothing but the server's name: they need no token, and take none but a good
one."""
TOLD_LATER = OPENING | {"tools/list"}

local_token: ContextVar[str] = ContextVar("local_token", default="")
"""The token of whoever speaks over stdio, or from inside this process."""

_caller: ContextVar[TokenActor | Exception | None] = ContextVar("caller", default=None)
request_id: ContextVar[str] = ContextVar("request_id", default="")


@dataclass
class Peer:
    """The other end of a TCP connection. `known` once it has shown a good token."""

    token: str = ""
    known: bool = False


def caller() -> TokenActor:
    """Return who makes this call (NotAuthenticated; RunFinished; or the fault of asking)."""
    who = _caller.get()
    if isinstance(who, TokenActor):
        return who
    raise who or NotAuthenticated("this call has no token")


def bearer() -> TokenActor | None:
    """Return who makes this request; None when the run of its token has ended."""
    who = _caller.get()
    return who if isinstance(who, TokenActor) else None


async def identified(token: str) -> TokenActor | Exception:
    """Return the bearer of `token`, or why there is none."""
    if not token:
        return NotAuthenticated("send the token of a producer or a run")
    try:
        return await run_orm(_authenticate, token)
    except Exception as error:  # noqa: BLE001 - whatever it is, it becomes the call's answer
        return error


def _authenticate(token: str) -> TokenActor:
    return authenticate(token, now=timezone.now())


async def identify(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Refuse a request without a good token; let the handler see who calls (middleware)."""
    if ctx.request_id is None or ctx.method == "ping":
        return await call_next(ctx)
    number = str(uuid4())
    with structlog.contextvars.bound_contextvars(request_id=number):
        token = _token_of(ctx)
        if ctx.method in OPENING and not token and not isinstance(ctx.request, Request):
            return await call_next(ctx)
        who = await _who(ctx, token)
        _refuse(who, ctx.method, number)
        resets = _caller.set(who), request_id.set(number)
        try:
            result = await call_next(ctx)
        finally:
            _caller.reset(resets[0])
            request_id.reset(resets[1])
        if isinstance(ctx.request, Peer):
            _remember(ctx.request, token, who, opening=ctx.method == "initialize")
        return result


def _token_of(ctx: ServerRequestContext[Any, Any]) -> str:
    """Return the token that came with the request; on HTTP the bearer header alone counts."""
    if isinstance(ctx.request, Request):
        return ""
    if not isinstance(ctx.request, Peer):
        return local_token.get()
    if not settings.MCP_AUTH:
        return str(settings.MCP_MEMORY_TOKEN)
    meta = (ctx.params or {}).get("_meta")
    own = meta.get(TOKEN_META) if isinstance(meta, dict) else None
    return own if isinstance(own, str) else ctx.request.token


async def _who(ctx: ServerRequestContext[Any, Any], token: str) -> TokenActor | Exception:
    if isinstance(ctx.request, Request):
        who: TokenActor | Exception | None = ctx.request.scope.get(SCOPE_KEY)
        return who or NotAuthenticated("send Authorization: Bearer <key>.<secret>")
    if not token and isinstance(ctx.request, Peer):
        return NotAuthenticated(
            f'send the token of a producer or a run as _meta["{TOKEN_META}"], in the params of '
            "initialize or of each request"
        )
    return await identified(token)


def _refuse(who: TokenActor | Exception, method: str, number: str) -> None:
    """Refuse what has no bearer (MCPError).

    A tool call is answered by a tool error when its run has ended or asking failed. A client whose
    run has ended may connect to be told so: some list the tools after a call that failed.
    """
    if isinstance(who, TokenActor):
        return
    if method == "tools/call" and not isinstance(who, NotAuthenticated):
        return
    if method in TOLD_LATER and isinstance(who, RunFinished):
        return
    raise protocol_error(who, request_id=number)


def _remember(peer: Peer, token: str, who: TokenActor | Exception, *, opening: bool) -> None:
    if isinstance(who, TokenActor):
        peer.known = True
    if opening and not peer.token:
        # The first one stays: a connection never changes hands.
        peer.token = token
