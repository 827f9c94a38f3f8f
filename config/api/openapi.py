"""The API's own description: every route names every status it can answer (SPEC E1)."""

import inspect
import re
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from pydantic import BaseModel
from rest_framework.generics import GenericAPIView
from rest_framework.permissions import AllowAny

from memory.policies.wording import uncite
from memory.schemas.answers import ErrorOut


def without_citations(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Return the whole description without the requirements' numbers, which nobody outside has.

    A hook of drf-spectacular.
    """
    uncite(result)
    return result


class ValidationErrorOut(ErrorOut):
    """A 400 that names the wrong places."""

    fields: dict[str, list[str]] | None = None


class FaultOut(ErrorOut):
    """The generic 500. `request_id` is in the server's log, with the cause."""

    request_id: str | None


ALWAYS: dict[str, type[BaseModel]] = {"400": ValidationErrorOut, "500": FaultOut}
KNOWN_CALLER: dict[str, type[BaseModel]] = {
    "401": ErrorOut,
    "403": ErrorOut,
    "409": ErrorOut,
    "429": ErrorOut,
}
RETRY_AFTER = {
    "Retry-After": {
        "schema": {"type": "integer", "minimum": 1},
        "description": "In how many seconds to try again.",
        "required": True,
    }
}
WITH_BODY: dict[str, type[BaseModel]] = {"413": ErrorOut, "415": ErrorOut}


class Schema(AutoSchema):
    """drf-spectacular's view of a route, with the errors that all routes share."""

    def get_summary(self) -> str | None:
        """Return the first sentence of the method's docstring."""
        action = getattr(self.view, self.method.lower(), None)
        text = " ".join((inspect.getdoc(action) or "").split())
        return re.split(r"(?<=[.!?])\s", text)[0].rstrip(".") or None

    def get_tags(self) -> list[str]:
        """Return the route's app, or the module of a view of the project itself."""
        app, module, *_ = type(self.view).__module__.split(".")
        return [module if app == "config" else app]

    def _is_list_view(self, serializer: Any = None) -> bool:
        # Lists alone are generic views here: they need its pages and filters.
        del serializer
        return self.method == "GET" and isinstance(self.view, GenericAPIView)

    def _get_response_bodies(self, direction: Any = "response") -> dict[str, Any]:
        """Return the route's declared answers, and the common errors beside them.

        Not `get_response_serializers`: what a route declares by `extend_schema` replaces that.
        """
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        for code, body in self._common().items():
            if code not in bodies:
                bodies[code] = self._get_response_for_code(body, code, None, direction)  # type: ignore[no-untyped-call]  # untyped base
        return dict(sorted(bodies.items()))

    def _get_response_headers_for_code(
        self, status_code: str, direction: Any = "response"
    ) -> dict[str, Any]:
        """Return the headers that are declared of a status; each 429 says when to come again."""
        found: dict[str, Any] = super()._get_response_headers_for_code(status_code, direction)
        return found | RETRY_AFTER if status_code == "429" else found

    def _common(self) -> dict[str, type[BaseModel]]:
        common = dict(ALWAYS)
        if AllowAny not in self.view.permission_classes:
            common |= KNOWN_CALLER
        # A path that names something, or a parameter that names an agent: it may be another's.
        if "{" in self.path or any(
            getattr(one, "name", None) == "agent" for one in self.get_override_parameters()
        ):
            common["404"] = ErrorOut
        if self.method in {"POST", "PUT", "PATCH"}:
            common |= WITH_BODY
        return common


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # untyped base
    """`Authorization: Bearer <key>.<secret>`."""

    target_class = "config.api.authentication.BearerAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Describe the scheme."""
        del auto_schema
        return {"type": "http", "scheme": "bearer", "bearerFormat": "key.secret"}


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # untyped base
    """A browser session; writes need the CSRF token."""

    target_class = "config.api.authentication.BrowserAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Describe the scheme."""
        del auto_schema
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}
