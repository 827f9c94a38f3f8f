"""Pages of instruments, and of which agent has chosen them since when."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.safestring import SafeString

from memory.admin.base import (
    ConditionFilter,
    ReadOnly,
    StaffAdmin,
    link_to_list,
    moment,
    utc,
    words,
)
from memory.admin.operations import Operation, operate
from memory.models import Instrument, Selection
from memory.services import setup


@admin.register(Instrument)
class InstrumentAdmin(ReadOnly[Instrument]):
    """What the exchange lists; `sync_instruments` keeps it."""

    list_display = ("id", "kind", "dex", "asset_id", "max_leverage", "is_active", utc("seen_at"))
    list_filter = ("is_active", "kind", "only_isolated")
    search_fields = ("id", "dex")
    search_help_text = "A part of the canonical name, or a dex."
    ordering = ("id",)
    fields = (
        *("id", "kind", "dex", "asset_id", "sz_decimals", "max_leverage", "only_isolated"),
        *("is_active", "source", utc("seen_at"), "selections"),
    )
    readonly_fields = (utc("seen_at"), "selections")

    @admin.display(description="chosen by")
    def selections(self, instrument: Instrument) -> SafeString:
        """Link to the selections of it."""
        return link_to_list(Selection, "selections", instrument__id__exact=instrument.pk)


class OpenFilter(ConditionFilter):
    """Selections that still hold, or have ended."""

    def conditions(self, *, now: datetime) -> dict[str, Q]:
        """By whether there is an end."""
        del now
        return {"selected": Q(deselected_at=None), "ended": Q(deselected_at__isnull=False)}


def _deselect(selection: Selection, now: datetime) -> bool:
    return setup.deselect_instrument(agent=selection.agent, name=selection.instrument_id, now=now)


DESELECT = Operation[Selection](
    name="deselect",
    title="Deselect instruments",
    consequence="From now on no record can be about them and no context is served for them. "
    "Records that are there keep their targets.",
    done="ended",
    only="Only what is selected now is ended",
    due=lambda rows: rows.filter(deselected_at__isnull=True),
    apply=_deselect,
)


@admin.register(Selection)
class SelectionAdmin(StaffAdmin[Selection]):
    """Choose an instrument for an agent, or end that by the action. Intervals never change."""

    list_display = ("name", "agent", utc("selected_at"), utc("deselected_at"))
    list_filter = (OpenFilter, "selected_at", "agent")
    list_select_related = ("agent",)
    search_fields = ("instrument__id", "agent__name")
    search_help_text = "A part of an instrument's or agent's name, or an id."
    autocomplete_fields = ("agent", "instrument")
    ordering = ("-id",)
    readonly_fields = ("id", utc("selected_at"), utc("deselected_at"))
    actions = ("deselect",)

    @admin.display(description="instrument", ordering="instrument_id")
    def name(self, selection: Selection) -> str:
        """Its canonical name, which is its key: no join."""
        return selection.instrument_id

    def in_words(self, selection: Selection) -> str:
        """Which instrument of which agent, and since when."""
        since = f"since {moment(selection.selected_at)}"
        return words(selection.instrument_id, f"agent {selection.agent.name}", since)

    def get_fields(self, request: HttpRequest, obj: Selection | None = None) -> list[Any]:
        """Ask for agent and instrument alone."""
        del request
        asked = ["agent", "instrument"]
        return asked if obj is None else [*asked, *self.readonly_fields]

    def has_change_permission(self, request: HttpRequest, obj: Selection | None = None) -> bool:
        """Nobody: an interval is history."""
        del request, obj
        return False

    def save_model(self, request: HttpRequest, obj: Selection, form: Any, change: bool) -> None:
        """Choose through the service; what is chosen already stays as it is."""
        del request, form, change
        made = setup.select_instrument(agent=obj.agent, name=obj.instrument_id, now=timezone.now())
        obj.pk, obj.selected_at = made.pk, made.selected_at

    @admin.action(description="Deselect…", permissions=["operate"])
    def deselect(self, request: HttpRequest, queryset: QuerySet[Selection]) -> HttpResponse | None:
        """Ask, then end the chosen selections."""
        return operate(self, request, queryset, DESELECT)
