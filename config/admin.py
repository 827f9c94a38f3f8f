"""The site of the staff admin."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

ORDER = ("memory", "trading", "review", "autopilot", "auth", "django_q", "axes")
"""Apps as the index lists them: what the desk works with, then people, then machinery."""


class StaffSite(admin.AdminSite):
    """Django's site under our name, its apps by how often they are wanted."""

    site_header = "Tidebook"
    site_title = "Tidebook"
    index_title = "Staff admin"

    def get_app_list(
        self, request: HttpRequest, app_label: str | None = None
    ) -> list[dict[str, Any]]:
        """Return the apps in `ORDER`; one that is not in it comes last."""
        apps: list[dict[str, Any]] = super().get_app_list(request, app_label)
        place = {label: number for number, label in enumerate(ORDER)}
        return sorted(apps, key=lambda app: place.get(app["app_label"], len(ORDER)))
