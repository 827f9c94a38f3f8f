"""From typed errors to what a caller of the bridge is told: REST's codes and fields (SPEC B3)."""

import json
from typing import Any

import structlog
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, CallToolResult, TextContent

from memory import errors

log = structlog.get_logger(__name__)

UNAUTHENTICATED = -32010
"""JSON-RPC code of a refused caller. Clients of the SDKs use -32001 for time-outs of their own."""

TOLD = (
    errors.BadRequest,
    errors.NotAuthenticated,
    errors.NotThisRole,
    errors.NotFound,
    errors.Conflict,
    errors.PreconditionFailed,
    errors.TooLarge,
    errors.Refused,
    errors.RateLimited,
    errors.Unavailable,
)
"""The families a caller is told of; whatever else goes wrong is a server fault without details."""

GENERIC = {"error": "the server could not do this", "code": "server_error"}
ERROR_META = "org.tidebook/error"
REQUEST_META = "org.tidebook/request_id"


def body_of(error: BaseException, *, request_id: str) -> dict[str, Any]:
    """Return what the caller is told, and log it: a fault with its traceback."""
    if not isinstance(error, TOLD):
        log.error("unexpected_error", request_id=request_id, exc_info=error)
        return {**GENERIC, "request_id": request_id}
    log.info("refused", request_id=request_id, code=error.code)
    body: dict[str, Any] = {"error": error.message, "code": error.code, **error.fields}
    if isinstance(error, errors.ValidationFailed):
        body["fields"] = error.errors
    return body


def tool_error(error: BaseException, *, request_id: str) -> CallToolResult:
    """Return a failed call.

    The body is text and meta, never structured content: some clients hold that against the
    tool's output schema even when the call failed.
    """
    body = body_of(error, request_id=request_id)
    return CallToolResult(
        is_error=True,
        content=[TextContent(type="text", text=json.dumps(body, ensure_ascii=False))],
        _meta={ERROR_META: body, REQUEST_META: request_id},
    )


def protocol_error(error: BaseException, *, request_id: str) -> MCPError:
    """Return the JSON-RPC error of a request that is no tool call."""
    body = body_of(error, request_id=request_id)
    known = isinstance(error, TOLD)
    return MCPError(
        code=UNAUTHENTICATED if known else INTERNAL_ERROR, message=body["error"], data=body
    )
