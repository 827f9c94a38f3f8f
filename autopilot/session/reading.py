"""Sessions, and what they told, as readers see them (SPEC E6, A10)."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from autopilot.answers import (
    OFFLINE,
    BacktestOut,
    BestOut,
    EventOut,
    FailureOut,
    IterationOut,
    ProviderOut,
    SessionDetailOut,
    SessionOut,
    SuccessOut,
    WindowOut,
)
from autopilot.errors import InvalidStrategy, UnreadableState
from autopilot.models import Backtest, Event, Judgement, Session, Step, SynthesisClaim
from autopilot.models.sessions import OPEN
from autopilot.session.state import Past, State, Turn
from autopilot.strategy.schema import Strategy
from autopilot.strategy.words import describe

UNREADABLE = "a strategy that this release cannot read"


@dataclass(frozen=True, slots=True)
class Told:
    """Events in order, and whether that is all there will ever be."""

    events: list[EventOut]
    is_all: bool


def with_step(sessions: QuerySet[Session]) -> QuerySet[Session]:
    """Return sessions with the name of their step: ready to be answered, in one statement."""
    step = Step.objects.filter(session_id=OuterRef("id"), number=OuterRef("step_number"))
    return sessions.annotate(step_name=Subquery(step.values("name")))


def answers(sessions: Iterable[Session]) -> list[SessionOut]:
    """Return sessions of `with_step` as a list shows them."""
    return [
        SessionOut(**_summary(session, step=session.step_name))  # type: ignore[attr-defined]  # annotated by with_step
        for session in sessions
    ]


def answer(session: Session) -> SessionDetailOut:
    """Return a session, whole: four more statements."""
    step = Step.objects.filter(session_id=session.id, number=session.step_number)
    made = SynthesisClaim.objects.filter(
        agent_id=session.agent_id, session_id=session.id, status="made"
    )
    backtests = {
        test.id: test
        for test in Backtest.objects.filter(session_id=session.id).defer("trades", "equity")
    }
    state = _state(session, backtests.values())
    best = backtests.get(session.best_id) if session.best_id else None
    return SessionDetailOut(
        **_summary(session, step=step.values_list("name", flat=True).first()),
        plan=session.plan,
        critic_mode=session.critic_mode,
        rule_promotion=session.promotion,
        success=_success(state),
        window=_window(session),
        iterations=_iterations(session, state, backtests),
        best=BestOut(iteration=best.iteration, backtest=best.id) if best else None,
        rules_made=sorted(made.values_list("rule_id", flat=True)),
        holdout_seen=len(state.seen),
    )


def events_after(session_id: UUID, seq: int, *, limit: int) -> Told:
    """Return up to `limit` events after `seq`.

    The session is looked at first: all that an ended one told is there by then.
    """
    open_ = Session.objects.filter(id=session_id, status__in=OPEN).exists()
    rows = Event.objects.filter(session_id=session_id, seq__gt=seq).order_by("seq")
    events = [event_out(row) for row in rows[: limit + 1]]
    return Told(events=events[:limit], is_all=not open_ and len(events) <= limit)


def event_out(event: Event) -> EventOut:
    """Return an event as readers see it."""
    return EventOut(
        seq=event.seq,
        kind=event.kind,
        step=event.step,
        iteration=event.iteration,
        text=event.text,
        data=event.data,
        at=event.at,
    )


def in_words(strategy: dict[str, Any]) -> str:
    """Return a stored strategy in a line for people."""
    try:
        return describe(Strategy.parse(strategy))
    except InvalidStrategy:
        return UNREADABLE


def provider_out(name: str) -> ProviderOut:
    """Tell who plays the model's roles, and say so when it is no model."""
    offline = name == "offline"
    return ProviderOut(name=name, offline=offline, mark=OFFLINE if offline else "")


def _summary(session: Session, *, step: str | None) -> dict[str, Any]:
    failed = session.status == "failed"
    return {
        "id": session.id,
        "agent": session.agent_id,
        "run": session.run_id,
        "status": session.status,
        "step": step,
        "step_number": session.step_number,
        "iteration": session.iteration,
        "max_iterations": session.max_iterations,
        "until_profitable": session.until_profitable,
        "prompt": session.prompt,
        "symbol": session.symbol_id,
        "timeframe": session.timeframe,
        "provider": provider_out(session.provider),
        "last_event": session.last_event,
        "created_at": session.created_at,
        "started_at": session.started_at,
        "deadline_at": session.deadline_at,
        "cancel_requested_at": session.cancel_requested_at,
        "ended_at": session.ended_at,
        "failure": FailureOut(code=session.error_code, error=session.error) if failed else None,
    }


def _success(state: State) -> SuccessOut | None:
    known = state.success
    if known is None:
        return None
    return SuccessOut(pnl_above=Decimal(known.pnl_above), min_trades=known.min_trades)


def _window(session: Session) -> WindowOut | None:
    start, split, end = session.window_start, session.window_split, session.window_end
    if start is None or split is None or end is None:
        return None
    return WindowOut(start=start, split=split, end=end)


def _state(session: Session, backtests: Iterable[Backtest]) -> State:
    """Return a session's state; of one that cannot be read, what its backtests tell."""
    try:
        return State.read(session.state)
    except UnreadableState:
        tried = sorted(backtests, key=lambda test: test.iteration)
        return State(past=[Past(number=test.iteration, backtest=test.id) for test in tried])


def _iterations(
    session: Session, state: State, backtests: dict[UUID, Backtest]
) -> list[IterationOut]:
    judged = _judged(session, backtests)
    turns: list[Past | Turn] = [*state.past, *([state.turn] if state.turn else [])]
    found = []
    for turn in turns:
        test = backtests.get(turn.backtest) if turn.backtest else None
        verdicts = judged[test.id] if test else {}
        found.append(
            IterationOut(
                iteration=turn.number,
                reason=turn.reason if isinstance(turn, Past) else "",
                advice=turn.advice,
                backtest=_backtest(test) if test else None,
                insight=turn.insight,
                rules_confirmed=verdicts.get("confirmed", []),
                rules_contradicted=verdicts.get("contradicted", []),
            )
        )
    return found


def _judged(
    session: Session, backtests: Iterable[UUID]
) -> defaultdict[UUID, dict[str, list[UUID]]]:
    found: defaultdict[UUID, dict[str, list[UUID]]] = defaultdict(dict)
    rows = Judgement.objects.filter(agent_id=session.agent_id, backtest_id__in=list(backtests))
    for row in rows.order_by("rule_id"):
        found[row.backtest_id].setdefault(row.verdict, []).append(row.rule_id)
    return found


def _backtest(test: Backtest) -> BacktestOut:
    return BacktestOut(
        id=test.id,
        words=in_words(test.strategy),
        strategy=test.strategy,
        strategy_type=test.strategy_type,
        outcome=test.outcome,
        verdict=test.verdict,
        in_sample=test.in_sample,
        holdout=test.holdout,
        warnings=test.warnings,
        engine=test.engine,
        engine_version=test.engine_version,
        data_source=test.data_source,
        created_at=test.created_at,
    )
