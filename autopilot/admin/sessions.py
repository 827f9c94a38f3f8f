"""Pages of sessions: what was asked, each step and iteration, what was told and learned."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString

from autopilot.admin.parts import lines, memories, percent
from autopilot.answers import IterationOut, SessionDetailOut
from autopilot.errors import SessionEnded
from autopilot.models import Backtest, Event, Session, Step, SynthesisClaim
from autopilot.models.sessions import OPEN
from autopilot.session import reading, services
from memory.admin.base import (
    NOTHING,
    ReadOnly,
    block,
    json_block,
    link_to,
    moment,
    table,
    utc,
    visible,
    words,
)
from memory.admin.operations import Operation, operate
from memory.models import Run

EVENTS_SHOWN = STEPS_SHOWN = 200


def _cancel(session: Session, now: datetime) -> bool:
    try:
        services.cancel(session=session, now=now)
    except SessionEnded:
        return False
    return True


CANCEL = Operation[Session](
    name="cancel",
    title="Cancel sessions",
    consequence="One that a worker is at ends with its present step, any other at once. What it "
    "has learned so far stays.",
    done="cancelled",
    only="Only open sessions are cancelled, each once",
    due=lambda rows: rows.filter(status__in=OPEN, cancel_requested_at=None),
    apply=_cancel,
)


@admin.register(Session)
class SessionAdmin(ReadOnly[Session]):
    """Sessions, newest first. The machine alone moves them; the action asks it to stop."""

    list_display = (
        *(utc("created_at"), "status", "symbol_name", "timeframe", "step", "progress"),
        *("provider_mark", "agent", utc("ended_at")),
    )
    list_filter = ("status", "timeframe", "until_profitable", "created_at", "agent")
    list_select_related = ("agent",)
    search_fields = ("prompt", "=symbol__id", "error")
    search_help_text = "Words of the prompt or of an error, an instrument's whole name, or an id."
    ordering = ("-id",)
    sortable_by = ()
    actions = ("cancel",)
    times = (
        *(utc("created_at"), utc("started_at"), utc("deadline_at")),
        *(utc("cancel_requested_at"), utc("ended_at")),
    )
    fieldsets = (
        (
            "What was asked",
            {
                "fields": (
                    *("id", "agent", "run", "started_by", "prompt_text", "symbol_name"),
                    *("timeframe", "length", "plan"),
                    *("critic_mode", "promotion", "provider_mark"),
                )
            },
        ),
        (
            "Where it is",
            {"fields": ("status", "step", "progress", *times, "error_code", "error_text")},
        ),
        (
            "What came of it",
            {"fields": ("window", "iterations", "best_link", "holdout_seen", "claims")},
        ),
        ("How it went", {"fields": ("steps", "events", "state_text")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Session]:
        """Fetch the name of the step with the row."""
        return reading.with_step(super().get_queryset(request))

    def in_words(self, session: Session) -> str:
        """Where it is, its instrument and agent, and what was asked."""
        told = (f"{session.status} session", session.symbol_id, f"agent {session.agent.name}")
        return words(*told, said=session.prompt)

    @admin.display(description="instrument")
    def symbol_name(self, session: Session) -> str:
        """Its canonical name."""
        return session.symbol_id or NOTHING

    @admin.display(description="step")
    def step(self, session: Session) -> str:
        """The step that is due, under way, or done last."""
        name: str | None = session.step_name  # type: ignore[attr-defined]  # annotated in get_queryset
        return f"{session.step_number}: {name or NOTHING}"

    @admin.display(description="iteration")
    def progress(self, session: Session) -> str:
        """How far the loop is."""
        return f"{session.iteration} of {session.max_iterations}"

    @admin.display(description="iterations at the most")
    def length(self, session: Session) -> str:
        """How long it may go on."""
        profitable = ", until the first success" if session.until_profitable else ""
        return f"{session.max_iterations}{profitable}"

    @admin.display(description="provider")
    def provider_mark(self, session: Session) -> str:
        """Who plays the model's roles."""
        provider = reading.provider_out(session.provider)
        return provider.mark or visible(provider.name)

    @admin.display(description="run")
    def run(self, session: Session) -> SafeString:
        """Link to the run that it is."""
        return link_to(Run, session.run_id, str(session.run_id))

    @admin.display(description="prompt")
    def prompt_text(self, session: Session) -> SafeString:
        """What it was asked, in the asker's words."""
        return block(session.prompt)

    @admin.display(description="error")
    def error_text(self, session: Session) -> SafeString:
        """Why it failed."""
        return block(session.error)

    @admin.display(description="window (UTC)")
    def window(self, session: Session) -> SafeString:
        """What advisors saw, and what was held out."""
        if session.window_start is None:
            return table((), ())
        start, split = moment(session.window_start), moment(session.window_split)
        rows = (("in sample", start, split), ("holdout", split, moment(session.window_end)))
        return table(("part", "from", "until before"), rows)

    @admin.display(description="iterations")
    def iterations(self, session: Session) -> SafeString:
        """Each strategy in words with its figures in both windows, and what it taught."""
        head = (
            *("no.", "strategy", "PnL in sample", "holdout", "drawdown in sample", "holdout"),
            *("outcome", "insight", "rules confirmed", "contradicted"),
        )
        return table(head, (_iteration(turn) for turn in _shown(session).iterations))

    @admin.display(description="best so far")
    def best_link(self, session: Session) -> SafeString | str:
        """Link to the backtest of the best strategy."""
        best = _shown(session).best
        if best is None:
            return NOTHING
        return link_to(Backtest, best.backtest, f"iteration {best.iteration}")

    @admin.display(description="memories that know a part of its holdout")
    def holdout_seen(self, session: Session) -> int:
        """How many it was shown."""
        return _shown(session).holdout_seen

    @admin.display(description="syntheses")
    def claims(self, session: Session) -> SafeString:
        """Evidence sets that it worked on, and what each came to."""
        rows = SynthesisClaim.objects.filter(agent_id=session.agent_id, session_id=session.pk)
        cells = (
            (
                moment(row.claimed_at),
                row.strategy_type,
                len(row.evidence),
                row.status,
                memories([row.rule_id] if row.rule_id else []),
                lines(_guards(row.support)),
                visible(row.reason) or NOTHING,
            )
            for row in rows.order_by("claimed_at", "strategy_type")
        )
        head = ("when (UTC)", "strategy type", "insights", "came to", "rule", "guards", "reason")
        return table(head, cells)

    @admin.display(description=f"steps, the newest {STEPS_SHOWN}")
    def steps(self, session: Session) -> SafeString:
        """Each step, with the model calls that it made."""
        rows = Step.objects.filter(session_id=session.pk).order_by("-number")[:STEPS_SHOWN]
        cells = (
            (
                *(row.number, row.name, row.iteration, row.status, row.tries),
                *(moment(row.started_at), moment(row.finished_at)),
                lines(_call(call) for call in row.calls),
            )
            for row in rows
        )
        head = ("no.", "step", "iteration", "status", "failed tries", "started (UTC)", "done (UTC)")
        return table((*head, "calls"), cells)

    @admin.display(description=f"events, the newest {EVENTS_SHOWN}")
    def events(self, session: Session) -> SafeString:
        """What it told."""
        rows = Event.objects.filter(session_id=session.pk).order_by("-seq")[:EVENTS_SHOWN]
        cells = (
            (
                row.seq,
                moment(row.at),
                row.step or NOTHING,
                row.iteration,
                row.kind,
                visible(row.text),
            )
            for row in rows
        )
        return table(("no.", "when (UTC)", "step", "iteration", "kind", "what"), cells)

    @admin.display(description="state")
    def state_text(self, session: Session) -> SafeString:
        """What later steps need of earlier ones."""
        return json_block(session.state)

    @admin.action(description="Cancel…", permissions=["operate"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Session]) -> HttpResponse | None:
        """Ask, then cancel the chosen sessions."""
        return operate(self, request, queryset, CANCEL)


def _iteration(turn: IterationOut) -> tuple[object, ...]:
    test = turn.backtest
    if test is None:
        blank = (NOTHING,) * 4
        what = visible(turn.reason) or "no backtest yet"
        return (turn.iteration, what, *blank, NOTHING, NOTHING, NOTHING, NOTHING)
    seen, held = test.in_sample, test.holdout
    return (
        turn.iteration,
        link_to(Backtest, test.id, test.words),
        percent(seen.get("total_pnl_pct")),
        percent(held.get("total_pnl_pct")),
        percent(seen.get("max_drawdown_pct"), signed=False),
        percent(held.get("max_drawdown_pct"), signed=False),
        test.outcome,
        memories([turn.insight] if turn.insight else []),
        memories(turn.rules_confirmed),
        memories(turn.rules_contradicted),
    )


def _guards(support: dict[str, Any]) -> Iterator[str]:
    """Yield each guard of a rule's promotion, and whether it is met."""
    for name, guard in support.items():
        if isinstance(guard, dict) and "met" in guard:
            said = "met" if guard["met"] else "not met"
            yield f"{name} {guard.get('count')} of {guard.get('needed')}: {said}"


def _call(call: dict[str, Any]) -> str:
    who = "offline" if call.get("offline") else f"{call.get('provider')} {call.get('model')}"
    fallback = f", fell back: {call['fallback']}" if call.get("fallback") else ""
    return f"{call.get('role')} v{call.get('prompt_version')} ({who}{fallback})"


def _shown(session: Session) -> SessionDetailOut:
    """Return the session as readers see it, read once a page."""
    kept: dict[str, Any] = session.__dict__
    if "shown" not in kept:
        kept["shown"] = reading.answer(session)
    shown: SessionDetailOut = kept["shown"]
    return shown
