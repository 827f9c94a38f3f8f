"""How django-axes counts failed logins by name, and what it answers once there were too many."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from axes.helpers import get_cool_off
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

NAME_MAX_CHARS = 255
"""As wide as the columns of axes; longer than any name that a user can have."""


def counted_name(request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> str | None:
    """Return the name that a failed login is counted under, cut to what the column holds."""
    name = (credentials or request.POST).get("username")
    return None if name is None else str(name)[:NAME_MAX_CHARS]


def locked_out(
    request: HttpRequest,
    original: HttpResponse | None = None,
    credentials: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """Return the page that says how long to wait, and the same in seconds for programs."""
    del original, credentials
    wait = get_cool_off(request)
    status = HTTPStatus.TOO_MANY_REQUESTS
    page = render(request, "429.html", {"cooloff_timedelta": wait}, status=status)
    if wait:
        # The whole wait: this very attempt has started it anew.
        page["Retry-After"] = str(round(wait.total_seconds()))
    return page
