"""Sessions for tests, as the machine leaves them: rows, events and backtests, without a worker."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from autopilot.models import Backtest, Event, Session, Step
from autopilot.session.state import Past, State
from autopilot.strategy.identity import config_hash, strategy_type_of
from autopilot.strategy.schema import Strategy
from memory import live
from memory.ids import id_at
from memory.services import runs
from tests.desk import Desk

STRATEGY: dict[str, Any] = {
    "name": "retest of the range",
    "timeframe": "1h",
    "foundations": [{"weight": 1.0, "block": {"type": "donchian_break", "length": 20}}],
    "exits": {
        "stop": {"type": "stop_atr", "mult": 2.0},
        "take_profit": {"type": "tp_r", "r": 2.0},
    },
}
KPIS = {"trades": 12, "total_pnl_pct": 3.5, "calmar": 1.25, "win_rate": 0.5}
HOLDOUT = {"trades": 4, "total_pnl_pct": -1.5, "calmar": None, "win_rate": 0.25}


def make_session(desk: Desk, *, now: datetime, **fields: Any) -> Session:
    """Return a session of the desk's autopilot: queued, or as `fields` say."""
    run = runs.start_run(producer=desk.producers["autopilot"], now=now)
    given: dict[str, Any] = {
        "id": id_at(now),
        "agent": desk.agent,
        "run_id": run.id,
        "prompt": "breakouts that hold",
        "symbol_id": "ETH",
        "timeframe": "1h",
        "max_iterations": 5,
        "plan": "free",
        "critic_mode": "off",
        "promotion": "three_insights",
        "provider": "offline",
        "status": "queued",
        "created_at": now,
        "deadline_at": now + timedelta(hours=1),
    }
    session = Session.objects.create(**given | fields)
    Step.objects.create(
        agent=desk.agent,
        session=session,
        number=session.step_number,
        name="resolve",
        iteration=0,
        status="due",
        due_at=now,
    )
    return session


def tell(
    session: Session, *texts: str, now: datetime, end: str = "", silent: bool = False
) -> Session:
    """Append an event for each text as a step does, and end the session with the last one.

    `silent`: nobody is notified, as if the notification were lost.
    """
    with transaction.atomic():
        held = Session.objects.select_for_update(no_key=True).get(id=session.id)
        for text in texts:
            held.last_event += 1
            Event.objects.create(
                agent_id=held.agent_id,
                session_id=held.id,
                seq=held.last_event,
                kind="noted",
                step="research",
                iteration=0,
                text=text,
                data={"length": len(text)},
                at=now,
            )
        if end:
            held.status, held.ended_at = end, now
            if end == "failed":
                held.error_code, held.error = "unknown_symbol", "nobody knows it"
        held.save()
        if not silent:
            live.notify(held.id)
    return held


def try_out(
    session: Session, *, iteration: int, now: datetime, insight: UUID | None = None, **fields: Any
) -> Backtest:
    """Add a finished iteration with its backtest."""
    strategy = Strategy.parse(STRATEGY)
    given: dict[str, Any] = {
        "id": id_at(now),
        "agent_id": session.agent_id,
        "session_id": session.id,
        "iteration": iteration,
        "instrument_id": "ETH",
        "timeframe": "1h",
        "window_start": now - timedelta(days=100),
        "window_split": now - timedelta(days=30),
        "window_end": now,
        "strategy": strategy.model_dump(mode="json"),
        "strategy_type": strategy_type_of(strategy),
        "config_hash": bytes.fromhex(config_hash(strategy)),
        "data_hash": bytes(32),
        "data_source": "made for a test",
        "engine": "tidebook-bars",
        "engine_version": "1",
        "in_sample": KPIS,
        "holdout": HOLDOUT,
        "outcome": "success",
        "verdict": "neither",
        "created_at": now,
    }
    test = Backtest.objects.create(**given | fields)
    state = State.read(session.state)
    state.past.append(Past(number=iteration, advice="wait", backtest=test.id, insight=insight))
    session.state, session.iteration, session.best_id = state.as_json(), iteration, test.id
    session.save()
    return test


def texts_of(events: Iterable[dict[str, Any]]) -> list[str]:
    """Return what events say, in order."""
    return [event["text"] for event in events]
