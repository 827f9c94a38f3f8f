"""Pages of proposed rules: what each says and rests on, and the decision (SPEC M6, O5)."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin import helpers
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Left
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.safestring import SafeString

from autopilot.admin.parts import figure, lines, memories, percent, short
from autopilot.learning import approval
from autopilot.learning.support import facts_of, weigh
from autopilot.models import RuleProposal, Session, SynthesisClaim
from memory.admin.base import (
    NOTHING,
    ReadOnly,
    block,
    json_block,
    link_to,
    table,
    utc,
    visible,
    words,
)
from memory.admin.operations import Operation, operate, said_reason
from memory.models import Record, Standing

OPENING_CHARS = 64
DECISIONS = (("approve", "Approve…"), ("reject", "Reject…"))


@admin.register(RuleProposal)
class RuleProposalAdmin(ReadOnly[RuleProposal]):
    """Proposals, newest first: looked at, and decided on by the two actions."""

    list_display = (
        *(utc("proposed_at"), "status", "opening", "strategy_type", "insights"),
        *("agent", utc("decided_at")),
    )
    list_filter = ("status", "strategy_type", "proposed_at", "agent")
    list_select_related = ("agent",)
    search_fields = ("content", "reason")
    search_help_text = "Words of a rule that waits or was rejected, of a reason, or an id."
    ordering = ("-id",)
    sortable_by = ()
    actions = ("approve", "reject")
    fieldsets = (
        (None, {"fields": ("rule_text", "tag_list", "summary")}),
        ("What it rests on", {"fields": ("guards", "evidence", "windows_table")}),
        (
            "Where it comes from",
            {"fields": ("id", "agent", "strategy_type", "session_link", utc("proposed_at"))},
        ),
        (
            "What was decided",
            {"fields": ("status", "reason_text", "decided_by", utc("decided_at"), "rule_link")},
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[RuleProposal]:
        """Fetch with each row how it begins and how many insights it rests on.

        What was approved is the rule's text alone.
        """
        rules = Record.objects.filter(agent_id=OuterRef("agent_id"), id=OuterRef("rule_id"))
        claims = SynthesisClaim.objects.filter(
            agent_id=OuterRef("agent_id"),
            strategy_type=OuterRef("strategy_type"),
            evidence_hash=OuterRef("evidence_hash"),
        )
        return (
            super()
            .get_queryset(request)
            .annotate(
                said=Coalesce(Subquery(rules.values("content")[:1]), "content"),
                rests_on=Subquery(claims.values("evidence")[:1]),
            )
        )

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Show one with buttons to the pages that decide on it, while it waits."""
        found = self.get_object(request, object_id)
        may = (
            found is not None and found.status == "pending" and self.has_operate_permission(request)
        )
        told = {
            "decisions": DECISIONS if may else (),
            "checkbox": helpers.ACTION_CHECKBOX_NAME,
            **(extra_context or {}),
        }
        return super().change_view(request, object_id, form_url, told)

    def in_words(self, proposal: RuleProposal) -> str:
        """Whether it waits, its strategy type and agent, and how it begins."""
        told = (proposal.status, proposal.strategy_type, f"agent {proposal.agent.name}")
        return words(*told, said=_said(proposal))

    @admin.display(description="rule")
    def opening(self, proposal: RuleProposal) -> str:
        """The beginning of its text."""
        text = _said(proposal)
        return visible(text[:OPENING_CHARS]) + ("…" if len(text) > OPENING_CHARS else "")

    @admin.display(description="insights")
    def insights(self, proposal: RuleProposal) -> int:
        """How many it was made from."""
        return len(proposal.rests_on)  # type: ignore[attr-defined]  # annotated in get_queryset

    @admin.display(description="rule")
    def rule_text(self, proposal: RuleProposal) -> SafeString:
        """The text, as it was proposed; of a rule that was deleted nothing."""
        return block(_said(proposal))

    @admin.display(description="tags")
    def tag_list(self, proposal: RuleProposal) -> str:
        """Its tags."""
        return lines(proposal.tags)

    @admin.display(description="what its synthesizer says of it")
    def summary(self, proposal: RuleProposal) -> SafeString:
        """Provenance, and a summary of the evidence."""
        return json_block(proposal.metadata) if proposal.metadata else SafeString(NOTHING)

    @admin.display(description="guards of its promotion")
    def guards(self, proposal: RuleProposal) -> SafeString:
        """Each guard, with what the insights come to by now."""
        support = weigh(proposal.agent_id, facts_of(approval.claim_of(proposal))).as_json()
        rows = (
            (name.replace("_", " "), told["count"], told["needed"], "yes" if told["met"] else "no")
            for name, told in support.items()
            if isinstance(told, dict)
        )
        tried = ("configurations tried in all", support["variants_tried"], NOTHING, NOTHING)
        return table(("guard", "counted", "needed", "met"), (*rows, tried))

    @admin.display(description="insights")
    def evidence(self, proposal: RuleProposal) -> SafeString:
        """Each insight that it was made from, and whether it still lives."""
        ids = [UUID(told) for told in approval.claim_of(proposal).evidence]
        live = approval.live_evidence(proposal.agent_id, ids, now=timezone.now())
        rows = Standing.objects.filter(agent_id=proposal.agent_id).annotate(
            opening=Left("record__content", OPENING_CHARS)
        )
        found = rows.in_bulk(ids)
        cells = (_insight(id_, found.get(id_), live=id_ in live) for id_ in sorted(ids))
        head = ("insight", "says", "symbol", "outcome", "confidence", "PnL in sample", "holdout")
        return table((*head, "is"), cells)

    @admin.display(description="bars that it was learned on (UTC)")
    def windows_table(self, proposal: RuleProposal) -> SafeString:
        """Each window, with where its holdout begins."""
        names = ("instrument", "timeframe", "start", "split", "end")
        cells = (tuple(figure(window.get(name)) for name in names) for window in proposal.windows)
        return table(("instrument", "timeframe", "from", "holdout from", "until before"), cells)

    @admin.display(description="session")
    def session_link(self, proposal: RuleProposal) -> SafeString:
        """Link to the session that proposed it."""
        claim = approval.claim_of(proposal)
        return link_to(Session, claim.session_id, short(claim.session_id))

    @admin.display(description="reason")
    def reason_text(self, proposal: RuleProposal) -> str:
        """Why it was decided so."""
        return visible(proposal.reason) or NOTHING

    @admin.display(description="rule made of it")
    def rule_link(self, proposal: RuleProposal) -> SafeString | str:
        """Link to the rule."""
        return memories([proposal.rule_id] if proposal.rule_id else [])

    @admin.action(description="Approve…", permissions=["operate"])
    def approve(
        self, request: HttpRequest, queryset: QuerySet[RuleProposal]
    ) -> HttpResponse | None:
        """Ask why, then publish the chosen rules."""
        return operate(self, request, queryset, approving(request))

    @admin.action(description="Reject…", permissions=["operate"])
    def reject(self, request: HttpRequest, queryset: QuerySet[RuleProposal]) -> HttpResponse | None:
        """Ask why, then reject the chosen rules."""
        return operate(self, request, queryset, rejecting(request))


def approving(request: HttpRequest) -> Operation[RuleProposal]:
    """Return the action of who asks."""
    return Operation[RuleProposal](
        name="approve",
        title="Approve rules",
        consequence="They are rules of their agents from now on: later sessions read them, and "
        "backtests judge them. One whose insights are gone, or that says what a live rule says, is "
        "left waiting.",
        done="approved",
        only="Only what waits is decided: each proposal once",
        due=_waiting,
        apply=_doing(approval.approve, request),
        asks_reason=True,
    )


def rejecting(request: HttpRequest) -> Operation[RuleProposal]:
    """Return the action of who asks."""
    return Operation[RuleProposal](
        name="reject",
        title="Reject rules",
        consequence="They are never rules, and the same insights are not made into one again.",
        done="rejected",
        only="Only what waits is decided: each proposal once",
        due=_waiting,
        apply=_doing(approval.reject, request),
        asks_reason=True,
    )


def _waiting(rows: QuerySet[RuleProposal]) -> QuerySet[RuleProposal]:
    return rows.filter(status="pending")


def _doing(
    decide: Callable[..., object], request: HttpRequest
) -> Callable[[RuleProposal, datetime], bool]:
    def apply(proposal: RuleProposal, now: datetime) -> bool:
        decide(
            agent_id=proposal.agent_id,
            proposal_id=proposal.pk,
            # Nobody comes here without a login.
            user_id=request.user.pk or 0,
            reason=said_reason(request),
            now=now,
        )
        return True

    return apply


def _said(proposal: RuleProposal) -> str:
    text: str = proposal.said  # type: ignore[attr-defined]  # annotated in get_queryset
    return text


def _insight(id_: UUID, standing: Standing | None, *, live: bool) -> tuple[object, ...]:
    if standing is None:
        return (str(id_), NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, "deleted")
    metrics: dict[str, Any] = standing.metrics
    ended = "merged, over" if standing.merged_into_id else "over"
    return (
        link_to(Standing, id_, short(id_)),
        visible(standing.opening),  # type: ignore[attr-defined]  # annotated by the caller
        standing.symbol_id or NOTHING,
        standing.outcome or NOTHING,
        standing.confidence,
        *(_pnl(metrics.get(window)) for window in ("in_sample", "holdout")),
        "live" if live else ended,
    )


def _pnl(kpis: Any) -> str:
    return percent(kpis.get("total_pnl_pct")) if isinstance(kpis, dict) else NOTHING
