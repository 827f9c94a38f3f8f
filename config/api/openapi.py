"""The API's own description: every route names every status it can answer (SPEC E1)."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from pydantic import BaseModel, ConfigDict
from rest_framework.permissions import AllowAny


class ErrorOut(BaseModel):
    """The shape of every error. Further named fields depend on the code."""

    model_config = ConfigDict(extra="allow")

    error: str
    code: str


class ValidationErrorOut(ErrorOut):
    """A 400 that names the wrong places."""

    fields: dict[str, list[str]] | None = None


class FaultOut(ErrorOut):
    """The generic 500. `request_id` is in the server's log, with the cause."""

    request_id: str | None


ALWAYS: dict[str, type[BaseModel]] = {"400": ValidationErrorOut, "500": FaultOut}
KNOWN_CALLER: dict[str, type[BaseModel]] = {"401": ErrorOut, "403": ErrorOut, "409": ErrorOut}
WITH_BODY: dict[str, type[BaseModel]] = {"413": ErrorOut, "415": ErrorOut}


class Schema(AutoSchema):
    """drf-spectacular's view of a route, with the errors that all routes share."""

    def get_response_serializers(self) -> Any:
        """Return the route's declared answers, and the common errors beside them."""
        declared: Any = super().get_response_serializers()
        answers = dict(declared) if isinstance(declared, dict) else {200: declared}
        common: dict[str, type[BaseModel]] = dict(ALWAYS)
        if AllowAny not in self.view.permission_classes:
            common |= KNOWN_CALLER
        if "{" in self.path:
            common["404"] = ErrorOut
        if self.method in {"POST", "PUT", "PATCH"}:
            common |= WITH_BODY
        present = {str(code) for code in answers}
        return answers | {code: body for code, body in common.items() if code not in present}


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
