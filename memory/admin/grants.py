"""Pages of grants: which agents may read which others of their owner (SPEC M10)."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from memory.admin.base import ConditionFilter, StaffAdmin, utc, visible
from memory.admin.operations import Operation, operate
from memory.models import Grant
from memory.services import grants


class OpenFilter(ConditionFilter):
    """Grants that hold, or are revoked."""

    def conditions(self, *, now: datetime) -> dict[str, Q]:
        """By whether there is an end."""
        del now
        return {"open": Q(revoked_at=None), "revoked": Q(revoked_at__isnull=False)}


class GrantForm(ModelForm[Grant]):
    """Who reads whom; what the service would refuse is said at its field."""

    class Meta:
        help_texts = {
            "reader": "Its searches and its researcher find the other's live rules and insights "
            "from now on.",
            "source": "Another agent of the same owner. Nothing of it changes, and it reads "
            "nothing of the reader.",
        }

    def clean(self) -> dict[str, Any]:
        """Refuse an agent that is its own source, and agents of different owners."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        reader, source = data.get("reader"), data.get("source")
        if reader is None or source is None:
            return data
        if reader == source:
            self.add_error(
                "source", "This is the reader itself, which reads its own memory anyway."
            )
        elif reader.owner_id != source.owner_id:
            self.add_error(
                "source",
                f"{visible(source.name)} is of another owner than {visible(reader.name)}: an agent "
                "reads agents of its own owner alone.",
            )
        return data


@admin.register(Grant)
class GrantAdmin(StaffAdmin[Grant]):
    """Let an agent read another of its owner, or end that by the action. Rows are history."""

    form = GrantForm
    list_display = (
        *("reader", "source", utc("granted_at"), "granted_by"),
        *(utc("revoked_at"), "revoked_by"),
    )
    list_filter = (OpenFilter, "granted_at", "reader")
    list_select_related = ("reader", "source", "granted_by", "revoked_by")
    search_fields = ("reader__name", "source__name")
    search_help_text = "A part of an agent's name, or an id."
    autocomplete_fields = ("reader", "source")
    ordering = ("-granted_at", "-id")
    readonly_fields = ("id", utc("granted_at"), "granted_by", utc("revoked_at"), "revoked_by")
    actions = ("revoke",)

    def get_fields(self, request: HttpRequest, obj: Grant | None = None) -> list[Any]:
        """Ask for the two agents alone."""
        del request
        asked = ["reader", "source"]
        return asked if obj is None else [*asked, *self.readonly_fields]

    def has_change_permission(self, request: HttpRequest, obj: Grant | None = None) -> bool:
        """Nobody: a grant is history."""
        del request, obj
        return False

    def in_words(self, grant: Grant) -> str:
        """Who reads whom."""
        return visible(f"{grant.reader.name} reads {grant.source.name}")

    def save_model(self, request: HttpRequest, obj: Grant, form: Any, change: bool) -> None:
        """Grant through the service; one that is open stays as it is."""
        del form, change
        made, _ = grants.grant(
            reader=obj.reader, source=obj.source, by_id=_person(request), now=timezone.now()
        )
        obj.pk, obj.granted_at, obj.granted_by_id = made.pk, made.granted_at, made.granted_by_id

    @admin.action(description="Revoke…", permissions=["operate"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Grant]) -> HttpResponse | None:
        """Ask, then revoke the chosen grants."""
        by_id = _person(request)
        operation = Operation[Grant](
            name="revoke",
            title="Revoke grants",
            consequence="From now on the reader finds nothing of the other agent. It can be "
            "granted anew.",
            done="revoked",
            only="Only grants that are open are revoked",
            due=lambda rows: rows.filter(revoked_at__isnull=True),
            apply=lambda grant, now: grants.revoke(grant=grant, by_id=by_id, now=now),
        )
        return operate(self, request, queryset, operation)


def _person(request: HttpRequest) -> int:
    """Return who is at the page: the admin lets nobody else in."""
    return int(request.user.pk or 0)
