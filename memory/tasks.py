"""Jobs of the store, and what makes a function a scheduled job (SPEC J1, J2)."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol
from uuid import UUID

import structlog
from django.conf import settings
from django.db import connection
from django.utils import timezone
from django_q.exceptions import TimeoutException

from memory.errors import TidebookError
from memory.queue import current_task, forget_failures
from memory.services import clock, community, jobs, purge, rates, runs, tidy
from memory.services.standings import Cause

log = structlog.get_logger(__name__)

BATCHES = 20
"""How many batches of rows a job takes at the most; the next one takes the rest."""
PURGED_MOST = 5_000
"""About so many memories a purge takes, and so many keys; the next one takes the rest."""
SPARE = timedelta(seconds=15)
"""What a lease has beyond the time limit: the worker is ended, and the end is stored, in it."""


class Work(Protocol):
    """What a job does. Its result is stored, and shown to staff."""

    def __call__(self, *, now: datetime, intended_at: datetime) -> dict[str, Any] | None:
        """Do it for one intended time."""


@dataclass(frozen=True, slots=True)
class Job:
    """A job that a schedule calls: claimed before any effect, done once for each intended time."""

    name: str
    seconds: int
    work: Work

    def __call__(self, *, intended: str) -> str:
        """Do the job for `intended` (ISO 8601) and return how that went.

        `succeeded`; `failed` is stored with its error and not tried again: the next time does its
        own. `skipped` when it was done already, or while another run of the job is not over. A task
        that is cut off by its time limit is stored as failed and ends the worker.
        """
        intended_at = datetime.fromisoformat(intended)
        with structlog.contextvars.bound_contextvars(job=self.name, intended=intended):
            try:
                claim = jobs.claim_run(
                    name=self.name,
                    intended_at=intended_at,
                    lease=timedelta(seconds=self.seconds) + SPARE,
                    task=current_task(),
                    now=timezone.now(),
                )
            except (jobs.JobDone, jobs.JobUnderWay) as reason:
                log.info("job_skipped", code=reason.code)
                return "skipped"
            return self._do(claim, intended_at)

    def _do(self, claim: jobs.Claim, intended_at: datetime) -> str:
        result, error = None, ""
        try:
            result = self.work(now=timezone.now(), intended_at=intended_at)
        except TidebookError as refusal:
            error = f"{refusal.code}: {refusal.message}"
            log.warning("job_refused", code=refusal.code)
        except Exception as fault:
            error = type(fault).__name__
            log.exception("job_failed")
            if not connection.in_atomic_block:
                # A broken one must not keep the failure from being stored.
                connection.close_if_unusable_or_obsolete()
        except TimeoutException:
            jobs.end_run(
                claim=claim, now=timezone.now(), error=f"it took longer than {self.seconds} s"
            )
            raise
        jobs.end_run(claim=claim, now=timezone.now(), result=result, error=error)
        return "failed" if error else "succeeded"


def job(name: str, *, seconds: int) -> Callable[[Work], Job]:
    """Make a function a job of that name, with a time limit."""
    return lambda work: Job(name=name, seconds=seconds, work=work)


@job("heartbeat", seconds=30)
def heartbeat(*, now: datetime, intended_at: datetime) -> dict[str, Any]:
    """Show that schedules lead to work, and how late."""
    return {"seconds_late": round((now - intended_at).total_seconds(), 1)}


@job("janitor", seconds=60)
def janitor(*, now: datetime, intended_at: datetime) -> dict[str, Any]:
    """Mark runs lost whose time is over, and forget what is old."""
    del intended_at
    lost = jobs.lose_runs(now=now)
    if lost:
        log.warning("jobs_lost", count=lost)
    old = now - timedelta(days=settings.JOB_DAYS)
    return {
        "lost": lost,
        "forgotten": jobs.forget(before=old),
        "failures_forgotten": forget_failures(before=old),
        "counts_forgotten": rates.forget(now=now),
    }


@job("run_timeouts", seconds=60)
def run_timeouts(*, now: datetime, intended_at: datetime) -> dict[str, Any]:
    """Fail runs that were left open (SPEC J1)."""
    del intended_at
    failed = 0
    for _ in range(BATCHES):
        batch = runs.time_out(now=now, most=runs.BATCH)
        failed += batch
        if batch < runs.BATCH:
            break
    if failed:
        log.warning("runs_timed_out", count=failed)
    return {"failed": failed}


@job("purge", seconds=90)
def purge_memories(*, now: datetime, intended_at: datetime) -> dict[str, Any]:
    """Forget strategy memory whose life is over, and what else is kept for a time alone (M3)."""
    del intended_at
    now = clock.no_later(now)
    done = purge.purge(by=Cause("job", "purge"), now=now, most=PURGED_MOST)
    keys_before = now - timedelta(days=settings.IDEMPOTENCY_DAYS)
    return {
        "rows": done.rows,
        "batches": done.batches,
        "given_way": done.given_way,
        "is_done": done.is_done,
        "keys_forgotten": tidy.forget_keys(before=keys_before, most=PURGED_MOST),
        "logins_forgotten": tidy.forget_logins(now=now),
    }


def promote(agent_id: str, memory_id: str) -> str:
    """Share a new insight of an agent that shares, if enough stands behind it (SPEC M8)."""
    came = community.promote(agent_id=UUID(agent_id), record_id=UUID(memory_id), now=timezone.now())
    log.info("promotion", memory=memory_id, code=came)
    return came


def ping() -> None:
    """Do nothing: a worker that begins and ends it has shown that it works."""
