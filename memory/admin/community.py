"""Pages of what is shared: copies with what others' backtests made of them."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.safestring import SafeString

from memory.admin.base import (
    NOTHING,
    SAID_CHARS,
    ConditionFilter,
    ReadOnly,
    block,
    cut,
    json_block,
    link_to,
    moment,
    table,
    utc,
    visible,
    words,
)
from memory.admin.operations import Operation, operate, said_reason
from memory.models import SharedChange, SharedMemory, Standing
from memory.policies.ownership import UserActor
from memory.selectors import access
from memory.services import community
from memory.services.standings import Cause

OPENING_CHARS = 48
LINES_SHOWN = 200
MOVING = ("confidence", "validated_count", "community_confirmations", "expires_at")


class CopyLife(ConditionFilter):
    """Copies that others read, and those that are over."""

    title = "life"
    parameter_name = "life"

    def conditions(self, *, now: datetime) -> dict[str, Q]:
        """By their end."""
        over = Q(expires_at__isnull=False, expires_at__lte=now)
        return {"live": ~over, "over": over}


@admin.register(SharedMemory)
class SharedMemoryAdmin(ReadOnly[SharedMemory]):
    """Copies, the last shared first, each with its lines. Services alone move them."""

    list_display = (
        *(utc("shared_at"), "type", "life", "opening", "subject", "trust"),
        "agent",
    )
    list_filter = ("type", CopyLife, "strategy_type", "agent")
    list_select_related = ("agent", "symbol")
    search_fields = ("content", "strategy_type")
    search_help_text = "Words of the content, a strategy type, or an id."
    ordering = ("-shared_at", "-id")
    sortable_by = ()
    actions = ("withdraw",)
    fieldsets = (
        (None, {"fields": ("id", "agent", "source_link", "source_node_uuid", utc("shared_at"))}),
        (
            "What it says",
            {"fields": ("type", "symbol", "strategy_type", "outcome", "tag_list", "text")},
        ),
        (
            "Where it stands",
            {
                "fields": (
                    *("confidence", "validated_count", "relevance_score"),
                    *("community_confirmations", utc("expires_at")),
                )
            },
        ),
        ("How it came to that", {"fields": ("revision", "lines")}),
        ("What stands behind it", {"fields": ("evidence_text", "windows_text")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[SharedMemory]:
        """Fetch the beginning of the content with the row."""
        return super().get_queryset(request).annotate(said=Left("content", SAID_CHARS + 1))

    def in_words(self, copy: SharedMemory) -> str:
        """Type, instrument and author, and how its text begins."""
        told = (copy.type, copy.outcome, copy.symbol_id, f"agent {copy.agent.name}")
        return words(*told, said=_said(copy))

    @admin.action(description="Withdraw…", permissions=["operate"])
    def withdraw(
        self, request: HttpRequest, queryset: QuerySet[SharedMemory]
    ) -> HttpResponse | None:
        """Ask why, then take the chosen copies from the community."""
        return operate(self, request, queryset, withdrawing(request))

    @admin.display(description="life (UTC)")
    def life(self, copy: SharedMemory) -> str:
        """Whether others read it, and until when, or since when it is over."""
        end = copy.expires_at
        if end is None:
            return "live"
        told = "live until" if end > timezone.now() else "over"
        return f"{told} {end:%Y-%m-%d}"

    @admin.display(description="about")
    def subject(self, copy: SharedMemory) -> str:
        """What it is about, and of which strategy type."""
        told = (copy.symbol_id, copy.strategy_type)
        return ", ".join(visible(one) for one in told if one) or NOTHING

    @admin.display(description="confidence, count")
    def trust(self, copy: SharedMemory) -> str:
        """Its confidence, how often it was confirmed, less contradictions, and by others."""
        counted = f"{copy.validated_count} ({copy.community_confirmations} by others)"
        return f"{copy.confidence}, {counted}"

    @admin.display(description="content")
    def opening(self, copy: SharedMemory) -> str:
        """The beginning of its text."""
        return cut(_said(copy), OPENING_CHARS)

    @admin.display(description="content")
    def text(self, copy: SharedMemory) -> SafeString:
        """Its text, whole."""
        return block(copy.content)

    @admin.display(description="author's own")
    def source_link(self, copy: SharedMemory) -> SafeString:
        """Link to what it is a copy of."""
        return link_to(Standing, copy.source_id, str(copy.source_id))

    @admin.display(description="tags")
    def tag_list(self, copy: SharedMemory) -> str:
        """Its tags."""
        return ", ".join(visible(tag) for tag in copy.tags) or NOTHING

    @admin.display(description="evidence")
    def evidence_text(self, copy: SharedMemory) -> SafeString:
        """Trades, days and timeframe of what passed the gate."""
        return json_block(copy.evidence)

    @admin.display(description="windows")
    def windows_text(self, copy: SharedMemory) -> SafeString:
        """The bars that it was learned on."""
        return json_block(copy.windows)

    @admin.display(description="lines")
    def lines(self, copy: SharedMemory) -> SafeString:
        """Each move, newest first, and whose backtest made it."""
        told = SharedChange.objects.filter(shared_id=copy.pk).select_related("agent")
        rows = (
            (line.revision, moment(line.at), line.event, _moved(line), _judge(line))
            for line in told.order_by("-revision")[:LINES_SHOWN]
        )
        return table(("line", "when (UTC)", "event", "moved", "judged by"), rows)


def withdrawing(request: HttpRequest) -> Operation[SharedMemory]:
    """Return the action of who asks."""
    return Operation[SharedMemory](
        name="withdraw",
        title="Withdraw from the community",
        consequence="They are gone at once for all who read them, with what others' backtests made "
        "of them. The authors' own memories stay, and their ledgers tell why. An author who shares "
        "may share them again: turn the agent's sharing off to keep them back.",
        done="withdrawn",
        only="Only what is shared is withdrawn",
        due=lambda rows: rows,
        apply=_withdraw(request),
        asks_reason=True,
    )


def _withdraw(request: HttpRequest) -> Any:
    def apply(copy: SharedMemory, now: datetime) -> bool:
        # Nobody comes here without a login.
        who = UserActor(user_id=request.user.pk or 0, is_staff=request.user.is_staff)
        agent = access.access_agent(who, copy.agent_id)
        community.unshare(
            agent_id=agent.id,
            record_id=copy.source_id,
            by=Cause("user", str(who.user_id)),
            reason=said_reason(request),
            now=now,
        )
        return True

    return apply


def _said(copy: SharedMemory) -> str:
    text: str = copy.said  # type: ignore[attr-defined]  # annotated in get_queryset
    return text


def _moved(line: SharedChange) -> str:
    before: dict[str, Any] = line.before or {}
    moves = (
        f"{name}: {line.after[name]}"
        if line.before is None
        else f"{name}: {before[name]} → {line.after[name]}"
        for name in MOVING
        if before.get(name) != line.after[name]
    )
    return "; ".join(moves) or NOTHING


def _judge(line: SharedChange) -> str:
    return NOTHING if line.agent is None else f"{visible(line.agent.name)}, {line.backtest_id}"
