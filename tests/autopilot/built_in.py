"""Producers that the built-in analyst runs, and what a worker does about them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django_q.models import OrmQ

from autopilot.crew import dispatch
from memory.models import Producer, RecordTarget, Run
from memory.policies.timeframes import latest_boundary
from memory.services import setup
from memory.services.runners import choose_runner
from tests.autopilot.session.bench import Clock
from tests.desk import LEAD, Desk


def built_in(
    desk: Desk, name: str = "built-in", *, now: datetime, schedule: str = "5m", **more: Any
) -> Producer:
    """Return a producer of the desk that the server has run since the desk was set up."""
    then = now - LEAD
    made = setup.create_producer(
        agent=desk.agent, role="analysis", name=name, schedule=schedule, now=then
    )
    asked: dict[str, Any] = {"runner": "built_in", "lens": "trend", "timeframe": None, **more}
    return choose_runner(producer=made, now=then, **asked)


def run_of(producer: Producer, *, at: datetime) -> Run:
    """Return the built-in run of the boundary at or before a moment."""
    boundary = latest_boundary(producer.schedule or "", at=at)
    return Run.objects.get(producer=producer, built_in=True, evidence_boundary=boundary)


def queued() -> list[str]:
    """Return the ids of the runs that are queued, in the order of the rows."""
    rows = [row.task for row in OrmQ.objects.order_by("id")]
    return [row["kwargs"]["run_id"] for row in rows if row["func"] == dispatch.RUN_ANALYSIS]


def work(*, now: datetime, clock: Callable[[], datetime] | None = None) -> list[str]:
    """Do what is queued, as a worker would; return how each run went."""
    found = [
        dispatch.carry_out(run_id=UUID(one), clock=clock or Clock(now + timedelta(seconds=1)))
        for one in queued()
    ]
    OrmQ.objects.all().delete()
    return found


def told_of(run: Run) -> list[str]:
    """Return the instruments of a run's records; one that has two is named twice."""
    targets = RecordTarget.objects.filter(record__run_id=run.id)
    return sorted(targets.values_list("instrument_id", flat=True))
