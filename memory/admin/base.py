"""What all admin pages share: read-only history, capped counts, and safe text.

Records are written by models and by strangers' programs: everything of theirs is escaped, and
characters that hide or reorder text are shown as their code (SPEC X3).
"""

import functools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Exists, ForeignKey, Model, Q, QuerySet
from django.forms import ModelChoiceField
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from memory.errors import TidebookError

NOTHING = "-"
SAID_CHARS = 80
"""So much of a text tells which one it is."""
COUNT_LIMIT = 10_000
"""A longer list is counted and paged up to here; filters lead to the rest."""

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls but tab and line feed
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Bidi and other controls, zero-width and blank characters, tags and variation selectors."""


def visible(text: str) -> str:
    """Return `text` with each character that hides or reorders text shown as `⟦U+202E⟧`."""
    return HIDDEN.sub(lambda found: f"⟦U+{ord(found[0]):04X}⟧", text)


def cut(text: str, chars: int) -> str:
    """Return the beginning of a text in one line, for a page."""
    return visible(" ".join(text[:chars].split())) + ("…" if len(text) > chars else "")


def words(*told: object, said: str = "") -> str:
    """Return what tells a row from others: names, and how its text begins (`SAID_CHARS`)."""
    names = ", ".join(visible(str(one)) for one in told if one)
    return f"{names}: “{cut(said, SAID_CHARS)}”" if said else names


def block(text: str) -> SafeString:
    """Return text as it was written, for a page."""
    return (
        format_html('<pre class="said" tabindex="0">{}</pre>', visible(text))
        if text
        else SafeString(NOTHING)
    )


def json_block(value: Any) -> SafeString:
    """Return a JSON value, indented, for a page."""
    return block(json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True))


def moment(value: datetime | None) -> str:
    """Return a time in UTC to the second, or a dash."""
    return NOTHING if value is None else f"{value:%Y-%m-%d %H:%M:%S}"


@functools.cache
def utc(field: str) -> Any:  # a callable, which the stubs know for list_display alone
    """Return a column of a time, to the second and in UTC (Django's own stops at minutes)."""

    @admin.display(description=f"{field.replace('_', ' ')} (UTC)", ordering=field)
    def column(row: Model) -> str:
        return moment(getattr(row, field))

    column.__name__ = field
    return column


def link_to(model: type[Model], pk: object, text: str) -> SafeString:
    """Return a link to the admin page of a row."""
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}_change"  # noqa: SLF001 - public
    return format_html('<a href="{}">{}</a>', reverse(name, args=[pk]), visible(text))


def link_to_list(model: type[Model], text: str, **filters: object) -> SafeString:
    """Return a link to the admin's list of a model under filters."""
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"  # noqa: SLF001 - public
    return format_html(
        '<a href="{}?{}">{}</a>',
        reverse(name),
        urlencode({key: str(value) for key, value in filters.items()}),
        text,
    )


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> SafeString:
    """Return a small table for a page, escaped, or a dash when there are no rows."""
    body = [(format_html_join("", "<td>{}</td>", ((cell,) for cell in cells)),) for cells in rows]
    if not body:
        return SafeString(NOTHING)
    return format_html(
        '<table class="side"><thead><tr>{}</tr></thead><tbody>{}</tbody></table>',
        format_html_join("", '<th scope="col">{}</th>', ((title,) for title in head)),
        format_html_join("", "<tr>{}</tr>", body),
    )


class CappedPaginator(Paginator[Any]):
    """Counts up to `COUNT_LIMIT` rows and no further, over bare keys."""

    @cached_property
    def count(self) -> int:
        """The number of rows, at most the limit."""
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment]  # the admin's is one
        return int(rows.order_by().values("pk")[:COUNT_LIMIT].count())

    @property
    def is_capped(self) -> bool:
        """Whether there may be more rows than it counted."""
        return self.count >= COUNT_LIMIT


class ConditionFilter(admin.SimpleListFilter):
    """A filter whose choices are named conditions."""

    title = "state"
    parameter_name = "state"

    def conditions(self, *, now: datetime) -> Mapping[str, Q | Exists]:
        """Return choice → condition."""
        raise NotImplementedError

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Name the choices."""
        del request, model_admin
        return [(name, name) for name in self.conditions(now=timezone.now())]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep the rows of the chosen condition."""
        del request
        chosen = self.conditions(now=timezone.now()).get(self.value() or "")
        return queryset if chosen is None else queryset.filter(chosen)


class Chooser(AutocompleteSelect):
    """The widget that finds a row; a value that is no key is an error of the form, not a fault."""

    def optgroups(
        self, name: str, value: Sequence[str], attrs: dict[str, Any] | None = None
    ) -> list[Any]:
        """Show the chosen row, if there can be one."""
        try:
            return super().optgroups(name, value, attrs)
        except (ValidationError, ValueError):
            return super().optgroups(name, [], attrs)


class StaffAdmin[M: Model](admin.ModelAdmin[M]):
    """A model's pages: nothing is deleted by hand, refusals become messages."""

    paginator = CappedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # each would count the whole table
    list_per_page = 50

    def in_words(self, row: M) -> str:
        """What a row is, for a page that asks whether something shall be done to it."""
        return visible(str(row))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[M], search_term: str
    ) -> tuple[QuerySet[M], bool]:
        """Find an id by its key alone; anything else as `search_fields` say."""
        try:
            wanted = UUID(search_term.strip())
        except ValueError:
            return super().get_search_results(request, queryset, search_term)
        return queryset.filter(pk=wanted), False

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        """Use the widget above where rows are looked for."""
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs["widget"] = Chooser(db_field, self.admin_site)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show or save; what the store refuses at the last moment is a message on the form."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except TidebookError as refusal:
            self.message_user(request, refusal.message, messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[M], *args: Any, **kwargs: Any
    ) -> HttpResponse | None:
        """Run an action; a forged key among the chosen rows is a message, not a fault."""
        try:
            return super().response_action(request, queryset, *args, **kwargs)
        except (ValidationError, ValueError):
            self.message_user(request, "A chosen row has no valid key.", messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Nothing: history refers to it."""
        del request, obj
        return False

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Whether the person may run this model's actions: whoever may change its rows."""
        meta = self.model._meta  # noqa: SLF001 - public
        return bool(request.user.has_perm(f"{meta.app_label}.change_{meta.model_name}"))


class ReadOnly[M: Model](StaffAdmin[M]):
    """Pages of history: looked at, never edited."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody."""
        del request
        return False

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        """Nobody."""
        del request, obj
        return False
