"""A session's successes are queued to be shared, in the transaction that stores them (M8, J1)."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from django_q.models import OrmQ

from autopilot.llm.offline.provider import OfflineProvider
from autopilot.models import Session
from autopilot.session.steps import STEPS
from memory.models import SharedMemory, Standing
from memory.tasks import promote
from tests.autopilot.session.bench import Clock, begin, store_bars, take
from tests.community import let_share
from tests.desk import Desk


def session_of(desk: Desk, *, now: datetime) -> Session:
    """Take a session to its end."""
    clock = Clock(now)
    store_bars(now=now)
    session = begin(desk, now=clock(), max_iterations=4)
    take(session.id, clock=clock, steps=STEPS, provider=OfflineProvider())
    return Session.objects.get(id=session.id)


def promotions() -> list[dict[str, Any]]:
    """Return what the queue has to promote."""
    return [
        row.task["kwargs"] for row in OrmQ.objects.all() if row.task["func"].endswith(".promote")
    ]


@pytest.fixture(autouse=True)
def lenient(settings: Any) -> None:
    """Take any backtest that trades for a success."""
    easy = {"success_pnl_above": Decimal(-100), "success_min_trades": 1}
    settings.STANDING_TERMS = settings.STANDING_TERMS | easy


@pytest.mark.spec("M8", "J1", "A11")
def test_each_success_of_an_agent_that_shares_is_queued_once_and_shared_by_the_gate(
    desk: Desk, now: datetime, settings: Any
) -> None:
    let_share(desk.agent)
    session = session_of(desk, now=now)
    assert session.status == "succeeded"
    insights = Standing.objects.filter(type="strategy_insight")
    won = {str(one.pk) for one in insights.filter(outcome="success")}
    assert won
    queued = promotions()
    assert sorted(one["memory_id"] for one in queued) == sorted(won)
    assert {one["agent_id"] for one in queued} == {str(desk.agent.id)}
    assert not SharedMemory.objects.exists()
    # 600 hourly bars are less than four weeks.
    assert {promote(**one) for one in queued} == {"community_gate"}
    settings.COMMUNITY_GATE = {"min_trades": 1, "min_days": 20}
    assert {promote(**one) for one in queued} == {"shared"}
    assert {str(copy.source_id) for copy in SharedMemory.objects.all()} == won


@pytest.mark.spec("M8")
def test_nothing_is_queued_for_an_agent_that_does_not_share(desk: Desk, now: datetime) -> None:
    session_of(desk, now=now)
    assert Standing.objects.filter(outcome="success").exists()
    assert promotions() == []
