"""A session's successes are queued to be shared, in the transaction that stores them (M8, J1)."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django_q.models import OrmQ

from autopilot.models import Event, Session
from memory.models import SharedMemory, Standing
from memory.policies.lifecycle import DOUBTED_AT
from memory.services.community import share
from memory.services.standings import Cause
from memory.tasks import promote
from tests.autopilot.session.bench import Clock, store_bars
from tests.autopilot.session.whole import advising, proposal, whole
from tests.community import let_share
from tests.desk import Desk

HOUR = timedelta(hours=1)


TRIED = ("donchian_break", "macd_cross", "rsi_reversal")
"""What is tried is written down, and so is what comes of it: the second one's holdout loses."""


def session_of(desk: Desk, *, now: datetime) -> Session:
    """Take a session to its end."""
    store_bars(now=now)
    model = advising(
        *(proposal(foundations=[{"weight": 1, "block": {"type": type_}}]) for type_ in TRIED)
    )
    return whole(desk, Clock(now), model, max_iterations=len(TRIED))


def doubted(session: Session) -> set[str]:
    """Return the insights of a session that their own holdouts contradict."""
    told = Event.objects.filter(session=session, kind="learned")
    return {event.data["memory_id"] for event in told if event.data["doubted"]}


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
    won = {str(one.pk) for one in insights.filter(outcome="success")} - doubted(session)
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


@pytest.mark.spec("M8", "A9")
def test_a_success_that_its_holdout_contradicts_is_left_to_a_person_to_share(
    desk: Desk, now: datetime, settings: Any
) -> None:
    settings.COMMUNITY_GATE = {"min_trades": 1, "min_days": 20}
    let_share(desk.agent)
    session = session_of(desk, now=now)
    (contradicted,) = doubted(session)
    standing = Standing.objects.get(record_id=contradicted)
    assert standing.outcome == "success"
    assert standing.confidence <= DOUBTED_AT
    queued = {one["memory_id"] for one in promotions()}
    assert queued
    assert contradicted not in queued
    _, is_new = share(
        agent_id=desk.agent.id, record_id=standing.pk, by=Cause("user"), now=now + HOUR
    )
    assert is_new
