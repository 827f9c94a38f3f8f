"""A lab for tests of learning: sessions, backtests and insights, as a session leaves them."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import connections, transaction

from autopilot.learning import evidence, insights, synthesis
from autopilot.learning.evidence import Evidence
from autopilot.learning.figures import tally
from autopilot.learning.insights import Learned
from autopilot.learning.lifecycle import Judged, judge
from autopilot.learning.synthesis import Claim, Settled
from autopilot.models import Backtest, Session
from autopilot.session.steps.common import view_of
from autopilot.strategy.identity import config_hash, strategy_type_of
from autopilot.strategy.schema import Strategy
from memory.ids import id_at
from memory.policies.lifecycle import verdict_of
from memory.policies.standing import outcome_of
from memory.services.runs import start_run
from memory.services.standings import terms
from tests.desk import Desk, make_instrument

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
TYPE = "trend_following"
CALL = {
    "role": "tagger",
    "prompt_version": 1,
    "prompt_sha256": "ab" * 32,
    "provider": "offline",
    "model": "none",
    "offline": True,
    "usage": {"requests": 0},
    "fallback": None,
}


@dataclass(frozen=True)
class Tags:
    """What a tagger might say."""

    confidence: Decimal = Decimal("0.62")
    strategy_type: str = TYPE
    tags: Sequence[str] = ("trend", "adx")


def strategy(variant: int = 0, **changes: Any) -> Strategy:
    """Return one of many strategies that differ in one number."""
    return Strategy.parse(
        {
            "name": "a cross",
            "timeframe": "4h",
            "foundations": [
                {"weight": 1, "block": {"type": "ema_cross", "fast": 12, "slow": 48 + variant}}
            ],
            "exits": {"stop": {"type": "stop_atr"}, "take_profit": {"type": "tp_r", "r": 2}},
            **changes,
        }
    )


def kpis(pnl: str, trades: int) -> dict[str, Any]:
    """Return the figures of a window as an engine tells them."""
    return {
        "trades": trades,
        "total_pnl_pct": float(pnl),
        "max_drawdown_pct": 4.125,
        "calmar": None if trades < 5 else 1.5,
        "win_rate": 0.5,
        # A t-statistic of 3.7, where there is a profit.
        "sharpe": 9.0 if float(pnl) > 0 else -1.0,
        "days": 62.0,
    }


def make_session(desk: Desk, *, now: datetime, **fields: Any) -> Session:
    """Return a session of the desk's autopilot that has ended, so that many fit side by side."""
    run = start_run(producer=desk.producers["autopilot"], now=now)
    given: dict[str, Any] = {
        "id": id_at(now),
        "agent": desk.agent,
        "run_id": run.id,
        "prompt": "trends",
        "symbol_id": "ETH",
        "timeframe": "4h",
        "max_iterations": 30,
        "plan": "free",
        "critic_mode": "off",
        "promotion": "three_insights",
        "provider": "offline",
        "status": "succeeded",
        "created_at": now,
        "deadline_at": now + timedelta(hours=1),
        "ended_at": now,
    }
    return Session.objects.create(**given | fields)


def make_backtest(
    session: Session,
    *,
    now: datetime,
    variant: int = 0,
    iteration: int = 1,
    in_sample: tuple[str, int] = ("12.345", 20),
    holdout: tuple[str, int] = ("3.5", 6),
    symbol: str = "ETH",
    **fields: Any,
) -> Backtest:
    """Return a stored backtest of a variant; `in_sample` and `holdout` are (PnL %, trades)."""
    make_instrument(symbol, now=now)
    tried = strategy(variant)
    inside, outside = kpis(*in_sample), kpis(*holdout)
    given: dict[str, Any] = {
        "id": id_at(now),
        "agent_id": session.agent_id,
        "session": session,
        "iteration": iteration,
        "instrument_id": symbol,
        "timeframe": "4h",
        "window_start": datetime(2026, 1, 1, tzinfo=now.tzinfo),
        "window_split": datetime(2026, 7, 1, tzinfo=now.tzinfo),
        "window_end": datetime(2026, 9, 1, tzinfo=now.tzinfo),
        "strategy": tried.model_dump(mode="json"),
        "strategy_type": strategy_type_of(tried),
        "config_hash": bytes.fromhex(config_hash(tried)),
        "data_hash": bytes(32),
        "data_source": "made for a test",
        "engine": "tidebook-bars",
        "engine_version": "1",
        "in_sample": inside,
        "holdout": outside,
        "outcome": outcome_of(pnl=tally(inside).pnl, trades=tally(inside).trades, terms=terms()),
        "verdict": verdict_of(in_sample=tally(inside), holdout=tally(outside), terms=terms()),
        "created_at": now,
    }
    return Backtest.objects.create(**given | fields)


def learn(desk: Desk, backtest: Backtest, *, now: datetime, tags: Tags = Tags()) -> Learned:
    """Publish the insight of a backtest."""
    return insights.publish_insight(
        actor=desk.actor("autopilot", now=now),
        backtest=backtest,
        tagging=tags,
        call=CALL,
        now=now,
    )


def learn_many(
    desk: Desk, session: Session, count: int, *, now: datetime, first: int = 1, **backtest: Any
) -> list[Learned]:
    """Publish insights of so many variants in a session, a minute apart."""
    found = []
    for number in range(first, first + count):
        moment = now + number * MINUTE
        test = make_backtest(session, now=moment, variant=number, iteration=number, **backtest)
        found.append(learn(desk, test, now=moment))
    return found


def due(session: Session, *, now: datetime, strategy_type: str = TYPE) -> Evidence | None:
    """Return what a session should make a rule from."""
    return evidence.due(
        view=view_of(session), strategy_type=strategy_type, session_id=session.id, now=now
    )


def claimed(session: Session, *, now: datetime) -> Claim:
    """Return the claim of what is due."""
    found = due(session, now=now)
    assert found is not None
    held = synthesis.claim(evidence=found, now=now)
    assert held is not None
    return held


def settle(
    desk: Desk,
    claim: Claim,
    rule: str = "Cross with the trend",
    *,
    now: datetime,
    promotion: str = "three_insights",
    tags: Sequence[str] = ("trend",),
    fallback: str | None = None,
    reason: str = "",
    review: bool = False,
) -> Settled:
    """Settle a claim in a transaction, as the end of a step does."""
    with transaction.atomic():
        return synthesis.settle(
            claim=claim,
            actor=desk.actor("autopilot", now=now),
            rule=rule,
            tags=tags,
            promotion=promotion,
            call={**CALL, "role": "synthesizer", "fallback": fallback},
            reason=reason,
            review=review,
            now=now,
        )


def make_rule(desk: Desk, session: Session, *, now: datetime) -> UUID:
    """Return the rule that is made of what is due."""
    settled = settle(desk, claimed(session, now=now), now=now)
    assert settled.rule_id is not None
    return settled.rule_id


def judged(backtest: Backtest, *rules: UUID, now: datetime, **named: Any) -> Judged:
    """Let a backtest judge rules that were all offered and applied."""
    with transaction.atomic():
        return judge(
            agent_id=backtest.agent_id,
            backtest=backtest,
            **{"applied": rules, "offered": rules, **named},
            now=now,
        )


def at_once[A](works: Sequence[Callable[[], A]]) -> list[A]:
    """Do all works at once, each with a connection of its own, and return what they return."""

    def closing(work: Callable[[], A]) -> A:
        try:
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(works)) as pool:
        return [done.result() for done in [pool.submit(closing, work) for work in works]]
