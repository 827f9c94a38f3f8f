"""Pages of standings: what is thought of strategy records today, and how it came to that."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString

from memory.admin.base import (
    NOTHING,
    SAID_CHARS,
    ConditionFilter,
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
from memory.admin.standing_actions import StandingActions
from memory.models import Record, Standing, StandingChange

OPENING_CHARS = 48
LINES_SHOWN = 200
MOVING = (
    "confidence",
    "validated_count",
    "relevance_score",
    "visibility",
    "community_confirmations",
    "expires_at",
    "merged_into",
    "tags",
)


class LifeFilter(ConditionFilter):
    """Standings that search may find, and those that it may not."""

    title = "life"
    parameter_name = "life"

    def conditions(self, *, now: datetime) -> dict[str, Q]:
        """By what ended it."""
        expired = Q(expires_at__isnull=False, expires_at__lte=now)
        return {
            "live": Q(merged_into=None) & ~expired,
            "expired": expired,
            "merged": Q(merged_into__isnull=False),
        }


@admin.register(Standing)
class StandingAdmin(StandingActions):
    """Standings, newest first, each with its ledger. Services alone move them."""

    list_display = (
        *(utc("created_at"), "kind", "life", "opening", "subject"),
        *("trust", "agent"),
    )
    list_filter = ("type", LifeFilter, "strategy_type", "outcome", "visibility", "agent")
    list_select_related = ("agent", "symbol")
    search_fields = ("record__content", "strategy_type")
    search_help_text = "Words of the content, a strategy type, or an id."
    # Ids are in order of time, and no index holds all agents' times.
    ordering = ("-record_id",)
    sortable_by = ()
    fieldsets = (
        (
            None,
            {
                "fields": (
                    *("content_text", "record_link", "agent", "type", "symbol"),
                    *("strategy_type", "outcome"),
                )
            },
        ),
        (
            "Where it stands",
            {
                "fields": (
                    *("confidence", "validated_count", "relevance_score", "tag_list"),
                    *("visibility", "community_confirmations", utc("expires_at"), "survivor"),
                    "absorbed_list",
                )
            },
        ),
        ("How it came to that", {"fields": ("revision", "ledger")}),
        (
            "What it was made with",
            {
                "fields": (
                    *("config_text", "config_digest", "metrics_text"),
                    *("source_node_uuid", "author", utc("created_at")),
                )
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Standing]:
        """Fetch the beginning of the content with the row."""
        opening = Left("record__content", SAID_CHARS + 1)
        return super().get_queryset(request).annotate(opening=opening)

    def in_words(self, standing: Standing) -> str:
        """Type, instrument, life and agent, and how its text begins."""
        told = (self.kind(standing), standing.symbol_id, life_of(standing, now=timezone.now()))
        return words(*told, f"agent {standing.agent.name}", said=_opening(standing))

    @admin.display(description="content")
    def opening(self, standing: Standing) -> str:
        """The beginning of the record's text."""
        return cut(_opening(standing), OPENING_CHARS)

    @admin.display(description="type")
    def kind(self, standing: Standing) -> str:
        """Its tier, and how it came out: a column of its own would push out the last."""
        return ", ".join(filter(None, (standing.type, standing.outcome)))

    @admin.display(description="life (UTC)")
    def life(self, standing: Standing) -> str:
        """Whether it is live, and until when, or what ended it, and when."""
        told, end = life_of(standing, now=timezone.now()), standing.expires_at
        if end is None or told == "merged":
            return told
        until = " until" if told == "live" else ""
        return f"{told}{until} {end:%Y-%m-%d}"

    @admin.display(description="about")
    def subject(self, standing: Standing) -> str:
        """What it is about, and of which strategy type."""
        told = (standing.symbol_id, standing.strategy_type)
        return ", ".join(visible(one) for one in told if one) or NOTHING

    @admin.display(description="confidence, count")
    def trust(self, standing: Standing) -> str:
        """Its confidence, and how often it was confirmed, less contradictions."""
        return f"{standing.confidence}, {standing.validated_count}"

    @admin.display(description="content")
    def content_text(self, standing: Standing) -> SafeString:
        """What its record says."""
        return block(standing.record.content)

    @admin.display(description="record")
    def record_link(self, standing: Standing) -> SafeString:
        """Link to what is thought about."""
        return link_to(Record, standing.pk, str(standing.pk))

    @admin.display(description="tags")
    def tag_list(self, standing: Standing) -> str:
        """Its tags."""
        return ", ".join(visible(tag) for tag in standing.tags) or NOTHING

    @admin.display(description="merged into")
    def survivor(self, standing: Standing) -> SafeString | str:
        """Link to what stands for it."""
        into = standing.merged_into_id
        return NOTHING if into is None else link_to(Standing, into, str(into))

    @admin.display(description="config")
    def config_text(self, standing: Standing) -> SafeString | str:
        """The strategy's configuration."""
        return NOTHING if standing.config is None else json_block(standing.config)

    @admin.display(description="SHA-256 of the config")
    def config_digest(self, standing: Standing) -> str:
        """Equal configurations have an equal one."""
        return NOTHING if standing.config_hash is None else bytes(standing.config_hash).hex()

    @admin.display(description="metrics")
    def metrics_text(self, standing: Standing) -> SafeString:
        """What the backtest said."""
        return json_block(standing.metrics)

    @admin.display(description="ledger")
    def ledger(self, standing: Standing) -> SafeString:
        """Each move, newest first, with what it changed, and why where a person said so."""
        lines = StandingChange.objects.filter(agent_id=standing.agent_id, record_id=standing.pk)
        rows = (
            (
                line.revision,
                moment(line.at),
                line.event,
                _moved(line),
                visible(str(line.detail.get("reason", ""))) or NOTHING,
                _cause(line),
            )
            for line in lines.order_by("-revision")[:LINES_SHOWN]
        )
        return table(("line", "when (UTC)", "event", "moved", "reason", "cause"), rows)


def life_of(standing: Standing, *, now: datetime) -> str:
    """Return `live`, or what ended it. A rule has no term: it ends by being deprecated alone."""
    if standing.merged_into_id is not None:
        return "merged"
    if standing.expires_at is None or standing.expires_at > now:
        return "live"
    return "deprecated" if standing.type == "rule" else "expired"


def _opening(standing: Standing) -> str:
    text: str = standing.opening  # type: ignore[attr-defined]  # annotated in get_queryset
    return text


def _moved(line: StandingChange) -> str:
    before: dict[str, Any] = line.before or {}
    after: dict[str, Any] = line.after or {}
    moves = (
        f"{name}: {_said(after.get(name))}"
        if line.before is None
        else f"{name}: {_said(before.get(name))} → {_said(after.get(name))}"
        for name in MOVING
        if before.get(name) != after.get(name)
    )
    return "; ".join(moves) or NOTHING


def _said(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(visible(one) for one in value) or NOTHING
    return NOTHING if value is None else visible(str(value))


def _cause(line: StandingChange) -> str:
    return visible(f"{line.cause_kind} {line.cause_id}".strip())
