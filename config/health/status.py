"""`GET /health/status`: what works, for those who run the place or bear a token (SPEC E6, J4)."""

from dataclasses import asdict
from datetime import datetime
from uuid import UUID

from django.db import Error, connection, transaction
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from pydantic import BaseModel
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from autopilot.crew.starved import starved_producers
from config import schedules
from config.health import figures
from memory.models import WriteFault
from memory.policies.ownership import TokenActor, UserActor, as_actor, may_browse
from memory.policies.timeframes import EPOCH
from memory.selectors.access import agents_for
from memory.selectors.silence import silent_producers
from memory.services import faults

PROBE_MILLISECONDS = 5_000


class QueueOut(BaseModel):
    """The queue; ages in seconds. See `status` for whether it is alive.

    `unattended` rows are held, and nobody is at them.
    """

    due: int
    held: int
    later: int
    unattended: int
    oldest_due_seconds: float | None
    progress_seconds: float | None
    clusters: int


class JobOut(BaseModel):
    """A background job's latest run, and when it is due again."""

    name: str
    status: str | None
    intended_at: datetime | None
    finished_at: datetime | None
    error: str
    next_at: datetime | None
    seconds_late: float


class SilentProducerOut(BaseModel):
    """A producer of the caller's agents that did not run for two cycles."""

    agent: UUID
    id: UUID
    name: str
    schedule: str


class UnreadOut(BaseModel):
    """An instrument whose newest stored bar is too old, or (null) that has none."""

    instrument: str
    newest_closed_at: datetime | None


class StarvedProducerOut(BaseModel):
    """A producer of the built-in analyst that cannot read these instruments (20 at the most).

    Their candles of the timeframe are not current: `manage.py sync_candles` brings them.
    """

    agent: UUID
    id: UUID
    name: str
    timeframe: str
    instruments: list[UnreadOut]


class StatusOut(BaseModel):
    """`ok`, or `red` when a check is not `ok`."""

    status: str
    checks: dict[str, str]
    queue: QueueOut
    jobs: list[JobOut]
    failures: dict[str, int]
    failed_writes: int
    silent_producers: list[SilentProducerOut]
    producers_without_candles: list[StarvedProducerOut]


class RedOut(StatusOut):
    """The same as an error: `error` names what is wrong."""

    error: str
    code: str


class StaffOrToken(BasePermission):
    """Staff in a browser, or a bearer of any role."""

    message = "this is for staff, and for bearers of a token"

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Tell whether the caller is one of them."""
        del view
        caller = request.user
        return isinstance(caller, TokenActor) or (isinstance(caller, UserActor) and caller.is_staff)


class Status(APIView):
    """Queue, jobs and writes."""

    permission_classes = [StaffOrToken]

    @extend_schema(operation_id="health_status", responses={200: StatusOut, 503: RedOut})
    def get(self, request: Request) -> Response:
        """Answer 503 when the queue stands still, jobs are not scheduled or writes fail."""
        now = timezone.now()
        faults.store_waiting()
        told = read(now=now)
        actor = as_actor(request.user)
        if may_browse(actor):
            silent = silent_producers(agents_for(actor), now=now)
            told.silent_producers = [SilentProducerOut(**asdict(one)) for one in silent]
            starved = starved_producers(agents_for(actor), now=now)
            told.producers_without_candles = [StarvedProducerOut(**asdict(one)) for one in starved]
        if told.status == "ok":
            return Response(told)
        wrong = "; ".join(f"{name}: {how}" for name, how in told.checks.items() if how != "ok")
        return Response(RedOut(**dict(told), error=wrong, code="status_red"), status=503)


def read(*, now: datetime) -> StatusOut:
    """Read everything that is not about an agent."""
    queue, failed = figures.read_queue(now=now), figures.recent_write_faults(now=now)
    checks = {
        "queue": queue_check(queue),
        "schedules": schedules_check(schedules.unstored()),
        "writes": writes_check(failed),
    }
    return StatusOut(
        status="ok" if set(checks.values()) == {"ok"} else "red",
        checks=checks,
        queue=QueueOut(**asdict(queue)),
        jobs=[JobOut(**asdict(job)) for job in figures.read_jobs(now=now)],
        failures=figures.failures(now=now),
        failed_writes=failed,
        silent_producers=[],
        producers_without_candles=[],
    )


def queue_check(queue: figures.Queue) -> str:
    """Tell whether the queue makes progress, with all that it holds."""
    if not queue.is_stalled:
        rows = queue.unattended
        return f"{rows} rows are held and no worker is at them" if rows else "ok"
    if queue.progress_seconds is None:
        return "no worker has done anything yet"
    return f"no progress for {queue.progress_seconds:.0f} s"


def schedules_check(unstored: list[str]) -> str:
    """Tell whether every job that the code declares is ever due."""
    if not unstored:
        return "ok"
    return f"not stored, so never due: {', '.join(unstored)}; run manage.py schedules sync"


def writes_check(failed: int) -> str:
    """Tell whether writes work: by those that were tried, and by one that is taken back."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL statement_timeout = {PROBE_MILLISECONDS}")
            WriteFault.objects.create(minute=EPOCH, count=1)
            transaction.set_rollback(True)
    except Error:
        return "a write fails"
    minutes = figures.RECENT.total_seconds() / 60
    return f"{failed} failed in the last {minutes:.0f} minutes" if failed else "ok"
