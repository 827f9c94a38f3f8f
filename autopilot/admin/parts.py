"""What the pages of sessions and backtests share."""

from typing import Any
from uuid import UUID

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from memory.admin.base import NOTHING, link_to, visible
from memory.models import Standing

SHORT, LONG = 8, 1e6


def figure(value: object) -> str:
    """Return a stored figure to six digits, or a dash for one that says nothing."""
    if value is None:
        return NOTHING
    if not isinstance(value, float):
        return visible(str(value))
    return f"{value:.0f}" if abs(value) >= LONG else f"{value:.6g}"


def percent(value: object) -> str:
    """Return a stored percentage with its sign, to two places."""
    return f"{value:+.2f} %" if isinstance(value, int | float) else NOTHING


def memories(ids: list[UUID] | tuple[UUID, ...]) -> SafeString | str:
    """Return links to strategy memories, each by the end of its id: the beginning is the time."""
    links = ((link_to(Standing, id_, f"…{str(id_)[-SHORT:]}"),) for id_ in ids)
    return format_html_join(", ", "{}", links) or NOTHING


def lines(told: Any) -> str:
    """Return a list of short texts in one line."""
    return ", ".join(visible(str(one)) for one in told) or NOTHING
