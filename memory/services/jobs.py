"""Claiming, ending and losing runs of scheduled jobs (SPEC J2)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from memory.errors import Conflict
from memory.models import Cluster, JobRun, WriteFault
from memory.services.setup import once


class JobDone(Conflict):
    """The job was run for this intended time already, or another worker is at it."""

    code = "job_done"


class JobUnderWay(Conflict):
    """A run of this job for another intended time is not over."""

    code = "job_under_way"


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run a job for one intended time, until somebody else takes it over."""

    id: UUID
    attempt: int


def claim_run(
    *, name: str, intended_at: datetime, lease: timedelta, task: UUID | None, now: datetime
) -> Claim:
    """Take the run of `name` for `intended_at`, before any effect.

    A run that was lost is taken over, and one that this same task began before (its worker died,
    see `memory.queue.current_task`). JobDone, JobUnderWay: there is nothing to do.
    """
    lose_runs(now=now, name=name)
    again = Q(status="lost")
    if task is not None:
        again |= Q(status="running", task=task)
    with transaction.atomic(), once("job_run_alone", JobUnderWay(f"{name} is running")):
        held = JobRun.objects.select_for_update().filter(name=name, intended_at=intended_at)
        for run in held.filter(again):
            run.status, run.attempts, run.finished_at = "running", run.attempts + 1, None
            run.started_at, run.lease_until, run.task = now, now + lease, task
            run.result, run.error = None, ""
            run.save()
            return Claim(id=run.id, attempt=run.attempts)
        with once("job_run_once", JobDone(f"{name} of {intended_at:%Y-%m-%d %H:%M} was run")):
            run = JobRun.objects.create(
                name=name,
                intended_at=intended_at,
                status="running",
                task=task,
                started_at=now,
                lease_until=now + lease,
            )
        return Claim(id=run.id, attempt=run.attempts)


def end_run(
    *, claim: Claim, now: datetime, result: dict[str, Any] | None = None, error: str = ""
) -> bool:
    """Store how a run ended; False when it was lost or taken over meanwhile."""
    held = JobRun.objects.filter(id=claim.id, attempts=claim.attempt, status="running")
    return bool(
        held.update(
            status="failed" if error else "succeeded", finished_at=now, result=result, error=error
        )
    )


def lose_runs(*, now: datetime, name: str | None = None) -> int:
    """Mark runs lost whose lease has passed (of one job, or of all); return how many."""
    late = JobRun.objects.filter(status="running", lease_until__lte=now)
    if name is not None:
        late = late.filter(name=name)
    return late.update(
        status="lost", finished_at=now, error="it did not end within its time, or its worker died"
    )


def forget(*, before: datetime) -> int:
    """Delete what ended before a moment, but each job's newest run; return how many rows."""
    newer = JobRun.objects.filter(name=OuterRef("name"), intended_at__gt=OuterRef("intended_at"))
    runs, _ = JobRun.objects.filter(Exists(newer), finished_at__lt=before).delete()
    clusters, _ = Cluster.objects.filter(ended_at__lt=before).delete()
    faults, _ = WriteFault.objects.filter(minute__lt=before).delete()
    return runs + clusters + faults
