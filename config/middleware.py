"""What every request passes: an id that answers and logs share, and one form of each path."""

from collections.abc import Callable
from uuid import uuid4

import structlog
from django.http import HttpRequest, HttpResponse

REQUEST_ID_HEADER = "X-Request-ID"
SLASHED = ("/api/", "/health/", "/metrics")

type Handler = Callable[[HttpRequest], HttpResponse]


class RequestIdMiddleware:
    """Give each request an id: on the request, on every log line and in the response (SPEC E2)."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Number the request and label the answer."""
        request.id = str(uuid4())  # type: ignore[attr-defined]  # read by config.api.errors
        with structlog.contextvars.bound_contextvars(request_id=request.id):  # type: ignore[attr-defined]  # set above
            response = self.get_response(request)
        response[REQUEST_ID_HEADER] = request.id  # type: ignore[attr-defined]  # set above
        return response


class SlashMiddleware:
    """Answer a path with and without its trailing slash alike, with no redirect (SPEC E8)."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Add the slash that the URL patterns end with."""
        if request.path_info.startswith(SLASHED) and not request.path_info.endswith("/"):
            request.path_info += "/"
            request.path += "/"
        return self.get_response(request)
