"""Starting and finishing runs (SPEC R5, F8)."""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from memory.errors import InvalidEvidenceBoundary, RunFinished, RunOpen
from memory.models import Producer, Run, Token
from memory.policies.freshness import RunClock
from memory.policies.timeframes import is_boundary, latest_boundary
from memory.services.setup import once
from memory.services.tokens import issue_token


def clock_for(schedule: str | None, *, asked: datetime | None = None, now: datetime) -> RunClock:
    """Freeze a schedule, with its latest boundary or the one asked for.

    InvalidEvidenceBoundary: `asked` is no boundary of it, is in the future, or there is none.
    """
    if schedule is None:
        if asked is not None:
            raise InvalidEvidenceBoundary("an unscheduled run takes no evidence_boundary")
        return RunClock(schedule=None, boundary=None)
    if asked is None:
        return RunClock(schedule=schedule, boundary=latest_boundary(schedule, at=now))
    if not is_boundary(schedule, asked):
        raise InvalidEvidenceBoundary(f"evidence_boundary is not a boundary of {schedule} in UTC")
    if asked > now:
        raise InvalidEvidenceBoundary("evidence_boundary lies in the future")
    return RunClock(schedule=schedule, boundary=asked)


def start_run(
    *,
    producer: Producer,
    now: datetime,
    evidence_boundary: datetime | None = None,
    bound_token_id: UUID | None = None,
) -> Run:
    """Open a run of `producer` with its schedule frozen.

    With `bound_token_id` the writes of that bearer belong to the run while it is open; RunOpen
    when the token has one already. InvalidEvidenceBoundary: see `clock_for`.
    """
    clock = clock_for(producer.schedule, asked=evidence_boundary, now=now)
    with once("run_bound_once", RunOpen("this token has an open run; finish it first")):
        return Run.objects.create(
            agent_id=producer.agent_id,
            producer=producer,
            schedule=clock.schedule,
            evidence_boundary=clock.boundary,
            started_at=now,
            status="running",
            bound_token_id=bound_token_id,
        )


def start_run_with_token(
    *,
    producer: Producer,
    now: datetime,
    life: timedelta,
    evidence_boundary: datetime | None = None,
) -> tuple[Run, Token, str]:
    """Open a run and issue its token, together or not at all."""
    with transaction.atomic():
        run = start_run(producer=producer, now=now, evidence_boundary=evidence_boundary)
        token, clear = issue_token(producer=producer, run=run, now=now, expires_at=now + life)
    return run, token, clear


def finish_run(*, run: Run, status: str, error: str, now: datetime) -> Run:
    """Close a run as `succeeded` or `failed`. RunFinished: it has ended already.

    Its records stay (SPEC C4). A write under way is before the end or is refused: both take the
    run's row lock.
    """
    ended = Run.objects.filter(agent_id=run.agent_id, id=run.id, status="running").update(
        status=status, error=error, ended_at=now
    )
    if not ended:
        raise RunFinished("this run has ended already")
    run.status, run.error, run.ended_at = status, error, now
    return run
