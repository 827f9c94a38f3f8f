"""Indicator runs, read-only."""

from django.contrib import admin
from django.http import HttpRequest

from trading.models import IndicatorRun


@admin.register(IndicatorRun)
class IndicatorRunAdmin(admin.ModelAdmin[IndicatorRun]):
    """Newest first; no counts of the whole table, and no change."""

    list_display = ("computed_at", "agent", "instrument", "timeframe", "engine", "data_source")
    list_filter = ("timeframe",)
    list_select_related = ("agent", "instrument")
    search_fields = ("=id", "=instrument__id")
    ordering = ("-computed_at", "-id")
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        """Runs are stored by the analyst alone."""
        return False

    def has_change_permission(
        self,
        request: HttpRequest,  # noqa: ARG002 - Django's signature
        obj: IndicatorRun | None = None,  # noqa: ARG002
    ) -> bool:
        """Evidence does not change."""
        return False

    def has_delete_permission(
        self,
        request: HttpRequest,  # noqa: ARG002 - Django's signature
        obj: IndicatorRun | None = None,  # noqa: ARG002
    ) -> bool:
        """Evidence stays."""
        return False
