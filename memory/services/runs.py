"""Starting and finishing runs, and failing those that nobody finishes (SPEC R5, F8, J1)."""

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Greatest

from memory.errors import Conflict, InvalidEvidenceBoundary, RunFinished, RunOpen
from memory.ids import id_at
from memory.models import Producer, Run, Token
from memory.policies.freshness import RunClock, iso
from memory.policies.runners import built_in_deadline, run_deadline
from memory.policies.timeframes import EPOCH, is_boundary, latest_boundary
from memory.policies.times import not_before
from memory.services.setup import once
from memory.services.tokens import issue_token

TIMED_OUT = "timed_out: nobody ended it by its deadline"
BATCH = 500


class BoundaryRun(Conflict):
    """The server has run the producer for this boundary already, or is at it."""

    code = "boundary_run"


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
        near = min(
            latest_boundary(schedule, at=max(asked, EPOCH)), latest_boundary(schedule, at=now)
        )
        raise InvalidEvidenceBoundary(
            f"evidence_boundary is not a boundary of {schedule} in UTC; {iso(near)} is one"
        )
    if asked > now:
        raise InvalidEvidenceBoundary("evidence_boundary lies in the future")
    return RunClock(schedule=schedule, boundary=asked)


def start_run(
    *,
    producer: Producer,
    now: datetime,
    evidence_boundary: datetime | None = None,
    bound_token_id: UUID | None = None,
    times_out: bool = True,
) -> Run:
    """Open a run of `producer` with its schedule frozen.

    With `bound_token_id` the writes of that bearer belong to the run while it is open; RunOpen
    when the token has one already. One that `times_out` is failed when it is left open for too
    long; any other is ended by whoever starts it, whatever happens. InvalidEvidenceBoundary: see
    `clock_for`.
    """
    clock = clock_for(producer.schedule, asked=evidence_boundary, now=now)
    least = timedelta(minutes=settings.RUN_TIMEOUT_MINUTES)
    deadline = run_deadline(schedule=clock.schedule, started_at=now, least=least)
    with once("run_bound_once", RunOpen("this token has an open run; finish it first")):
        return Run.objects.create(
            agent_id=producer.agent_id,
            producer=producer,
            schedule=clock.schedule,
            evidence_boundary=clock.boundary,
            started_at=now,
            status="running",
            bound_token_id=bound_token_id,
            deadline_at=deadline if times_out else None,
        )


def start_built_in_run(
    *, producer: Producer, schedule: str, boundary: datetime, now: datetime
) -> Run:
    """Open the server's own run of a producer for a boundary (BoundaryRun: there is one)."""
    with once("run_built_in_once", BoundaryRun("the producer was run for this boundary")):
        return Run.objects.create(
            id=id_at(now),
            agent_id=producer.agent_id,
            producer=producer,
            schedule=schedule,
            evidence_boundary=boundary,
            started_at=now,
            status="running",
            built_in=True,
            deadline_at=built_in_deadline(schedule=schedule, boundary=boundary, started_at=now),
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

    It ends no earlier than it began. Its records stay (SPEC C4). A write under way is before the
    end or is refused: both take the run's row lock.
    """
    ended = Run.objects.filter(agent_id=run.agent_id, id=run.id, status="running").update(
        status=status, error=error, ended_at=not_before(now, run.started_at)
    )
    if not ended:
        raise RunFinished("this run has ended already")
    run.status, run.error, run.ended_at = status, error, not_before(now, run.started_at)
    return run


def time_out(*, now: datetime, most: int = BATCH) -> int:
    """Fail runs that are open past their deadlines, the longest overdue first; return how many.

    A run that is being written in just now is left for the next time. Records stay (SPEC C4).
    """
    with transaction.atomic():
        overdue = list(
            Run.objects.select_for_update(skip_locked=True, no_key=True)
            .filter(status="running", deadline_at__lte=now)
            .order_by("deadline_at", "id")
            .values_list("id", flat=True)[:most]
        )
        return Run.objects.filter(id__in=overdue).update(
            status="failed", error=TIMED_OUT, ended_at=Greatest("started_at", Value(now))
        )
