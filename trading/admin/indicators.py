"""Indicator runs, read-only."""

from django.contrib import admin
from django.utils.safestring import SafeString

from memory.admin.base import ReadOnly, json_block, utc
from trading.models import IndicatorRun


@admin.register(IndicatorRun)
class IndicatorRunAdmin(ReadOnly[IndicatorRun]):
    """Evidence that the analyst alone stores: newest first, and no change."""

    list_display = (
        *(utc("computed_at"), "instrument", "timeframe", "engine", "data_source", "agent"),
    )
    list_filter = ("timeframe", "computed_at", "agent")
    list_select_related = ("agent", "instrument")
    search_fields = ("=instrument__id",)
    search_help_text = "An instrument's whole name, or an id."
    ordering = ("-computed_at", "-id")
    sortable_by = ()
    fields = (
        *("id", "agent", "run", "instrument", "timeframe", utc("computed_at"), "engine"),
        *("data_source", "values_text", "bars_text", "indicators_text"),
    )
    readonly_fields = ("id", utc("computed_at"), "values_text", "bars_text", "indicators_text")

    @admin.display(description="values")
    def values_text(self, run: IndicatorRun) -> SafeString:
        """Name to number, at the last bar."""
        return json_block(run.values)

    @admin.display(description="bars")
    def bars_text(self, run: IndicatorRun) -> SafeString:
        """How many bars, the first of them and the last."""
        return json_block(run.bars)

    @admin.display(description="indicators")
    def indicators_text(self, run: IndicatorRun) -> SafeString:
        """Name, function and parameters of each."""
        return json_block(run.indicators)
