"""The site of the staff admin."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from django.contrib import admin
from django.core.exceptions import BadRequest
from django.http import HttpRequest

ORDER = ("memory", "trading", "review", "autopilot", "auth", "django_q", "axes")
"""Apps as the index lists them: what the desk works with, then people, then machinery."""


class StaffSite(admin.AdminSite):
    """Django's site under our name, its apps by how often they are wanted."""

    site_header = "Tidebook"
    site_title = "Tidebook"
    index_title = "Staff admin"

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Any:  # noqa: FBT002 - Django's own
        """Wrap a view as Django does, and refuse a query that no database could be asked."""

        def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if any("\0" in value for values in request.GET.lists() for value in values[1]):
                raise BadRequest("a NUL character is in the query")
            return view(request, *args, **kwargs)

        return super().admin_view(update_wrapper(asked, view), cacheable)

    def get_app_list(
        self, request: HttpRequest, app_label: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the apps in `ORDER`; one that is not in it comes last."""
        apps: list[dict[str, Any]] = super().get_app_list(request, app_label)
        place = {label: number for number, label in enumerate(ORDER)}
        return sorted(apps, key=lambda app: place.get(app["app_label"], len(ORDER)))
