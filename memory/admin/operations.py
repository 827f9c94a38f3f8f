"""Actions on chosen rows: a page that counts first, then one service call per row."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils import timezone

from memory.admin.base import COUNT_LIMIT, StaffAdmin
from memory.errors import TidebookError
from memory.models.changes import REASON_MAX_CHARS
from memory.services.changes import reasoned

CONFIRMED = "confirmed"
REASON = "reason"
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Operation[M: Model]:
    """What an action does. `due` narrows rows to those that it would change, as `only` says.

    With `asks_reason` the page asks why as well, and `said_reason` tells what was answered.
    """

    name: str
    title: str
    consequence: str
    done: str
    due: Callable[[QuerySet[M]], QuerySet[M]]
    only: str
    apply: Callable[[M, datetime], bool]
    asks_reason: bool = False


def operate[M: Model](
    page: StaffAdmin[M], request: HttpRequest, rows: QuerySet[M], operation: Operation[M]
) -> TemplateResponse | None:
    """Ask with a count; once confirmed, do it and return to the list.

    A row that somebody else was faster with is left alone: the services compare and set.
    """
    due = operation.due(rows)
    if CONFIRMED not in request.POST or not _answered(page, request, operation):
        return _question(page, request, rows, due=due, operation=operation)
    now, changed, refused = timezone.now(), 0, 0
    for row in due[:COUNT_LIMIT]:
        try:
            applied = operation.apply(row, now)
        except TidebookError as refusal:
            page.message_user(request, f"{page.in_words(row)}: {refusal.message}", messages.ERROR)
            refused += 1
            continue
        if applied:
            changed += 1
            page.log_change(request, row, f"{operation.done.capitalize()}.")
    level = messages.SUCCESS if changed else messages.WARNING
    why = "" if changed or refused else f" {operation.only}."
    page.message_user(request, f"{_count(page, changed)} {operation.done}.{why}", level)
    return None


def said_reason(request: HttpRequest) -> str:
    """Return what was answered to the question why."""
    return str(request.POST.get(REASON, ""))


def _answered[M: Model](
    page: admin.ModelAdmin[M], request: HttpRequest, operation: Operation[M]
) -> bool:
    """Tell whether a reason was given where one is asked for, and say what is wrong with it."""
    if not operation.asks_reason:
        return True
    try:
        reasoned(said_reason(request))
    except TidebookError as refusal:
        page.message_user(request, refusal.message, messages.ERROR)
        return False
    return True


def _question[M: Model](
    page: StaffAdmin[M],
    request: HttpRequest,
    rows: QuerySet[M],
    *,
    due: QuerySet[M],
    operation: Operation[M],
) -> TemplateResponse:
    chosen = rows.order_by().values("pk")[:COUNT_LIMIT].count()
    number = due.order_by().values("pk")[:COUNT_LIMIT].count()
    fewer = number < chosen
    context: dict[str, Any] = {
        **page.admin_site.each_context(request),
        "title": operation.title,
        "opts": page.model._meta,  # noqa: SLF001 - public
        "operation": operation,
        "chosen": _count(page, chosen),
        "number": number,
        "shown": _shown(page, due),
        "hidden_number": max(0, number - SHOWN),
        "left": _shown(page, rows.exclude(pk__in=due.order_by().values("pk"))) if fewer else [],
        "hidden_left": max(0, chosen - number - SHOWN),
        "selected": request.POST.getlist(helpers.ACTION_CHECKBOX_NAME),
        "select_across": request.POST.get("select_across", "0"),
        "checkbox": helpers.ACTION_CHECKBOX_NAME,
        "confirmed": CONFIRMED,
        "reason_name": REASON,
        "reason": said_reason(request),
        "reason_max_chars": REASON_MAX_CHARS,
    }
    return TemplateResponse(request, "admin/tidebook/confirm.html", context)


def _shown[M: Model](page: StaffAdmin[M], rows: QuerySet[M]) -> list[tuple[Any, str]]:
    """Return keys of rows with what each is in words."""
    return [(row.pk, page.in_words(row)) for row in rows[:SHOWN]]


def _count(page: admin.ModelAdmin[Any], number: int) -> str:
    meta = page.model._meta  # noqa: SLF001 - public
    return f"{number} {meta.verbose_name if number == 1 else meta.verbose_name_plural}"
