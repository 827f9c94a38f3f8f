"""What the pages of sessions and backtests share."""

from collections.abc import Iterable
from uuid import UUID

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from memory.admin.base import NOTHING, link_to, visible
from memory.models import Standing

SHORT, LONG = 8, 1e6
NO_BREAK = "\N{NO-BREAK SPACE}"


def figure(value: object) -> str:
    """Return a stored figure to six digits, or a dash for one that says nothing."""
    if value is None:
        return NOTHING
    if not isinstance(value, float):
        return visible(str(value))
    return f"{value:.0f}" if abs(value) >= LONG else f"{value:.6g}"


def percent(value: object, *, signed: bool = True) -> str:
    """Return a stored percentage to two places, which no line break cuts."""
    if not isinstance(value, int | float):
        return NOTHING
    return f"{value:+.2f}{NO_BREAK}%" if signed else f"{value:.2f}{NO_BREAK}%"


def memories(ids: Iterable[UUID]) -> SafeString | str:
    """Return links to strategy memories, each by the end of its id: the beginning is the time."""
    links = ((link_to(Standing, id_, short(id_)),) for id_ in ids)
    return format_html_join(", ", "{}", links) or NOTHING


def short(id_: UUID) -> str:
    """Return what tells an id from others of its time."""
    return str(id_)[-SHORT:]


def lines(told: Iterable[object]) -> str:
    """Return a list of short texts in one line."""
    return ", ".join(visible(str(one)) for one in told) or NOTHING
