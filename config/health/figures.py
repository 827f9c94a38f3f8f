"""What is known of the queue and its jobs, for the status, the metrics and `manage.py queue`.

All of it is read from the database: it is the same for every process that is asked.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, Subquery, Sum
from django_q.conf import Conf
from django_q.models import OrmQ, Schedule, Task

from config.supervisor.registry import SILENCE, taken_until
from memory.models import Cluster, JobRun, QueueClaim, WriteFault
from memory.services import faults

RECENT = timedelta(minutes=5)
DAY = timedelta(days=1)
HAND_OVER = timedelta(seconds=30)
"""A row that was taken is at a worker by then, unless all of its cluster's workers are busy."""
FEW = 100


@dataclass(frozen=True, slots=True)
class Queue:
    """The queue. Ages are seconds; None where there is nothing to be old.

    `due` rows wait for a worker, `held` ones were taken by one, `later` ones are not due yet.
    `unattended` ones (100 at the most) are held by a cluster that is at none of its rows, and do
    not wait for another try after a failure: they stand still, whatever else makes progress.
    `progress_seconds` is the age of the last heartbeat, or beginning or end of a task (SPEC J4).
    """

    due: int
    held: int
    later: int
    unattended: int
    oldest_due_seconds: float | None
    progress_seconds: float | None
    clusters: int

    @property
    def is_stalled(self) -> bool:
        """Tell whether it has made no progress for too long, or ever."""
        age = self.progress_seconds
        return age is None or age > settings.QUEUE_STALL_SECONDS


@dataclass(frozen=True, slots=True)
class JobState:
    """A job's latest run, and when it is due again; `error` is a code or a class."""

    name: str
    status: str | None
    intended_at: datetime | None
    finished_at: datetime | None
    error: str
    next_at: datetime | None
    seconds_late: float


def read_queue(*, now: datetime) -> Queue:
    """Read the state of the queue."""
    claimed = Exists(QueueClaim.objects.filter(row_id=OuterRef("id")))
    rows = OrmQ.objects.filter(key=Conf.CLUSTER_NAME).aggregate(
        due=Count("id", filter=Q(lock__lte=now)),
        held=Count("id", filter=Q(lock__gt=now) & Q(claimed)),
        later=Count("id", filter=Q(lock__gt=now) & ~Q(claimed)),
        oldest=Min("lock", filter=Q(lock__lte=now)),
    )
    alive = Cluster.objects.filter(ended_at__isnull=True, seen_at__gt=now - SILENCE)
    return Queue(
        due=rows["due"],
        held=rows["held"],
        later=rows["later"],
        unattended=_unattended(now),
        oldest_due_seconds=_age(rows["oldest"], now),
        progress_seconds=_age(last_progress(), now),
        clusters=alive.count(),
    )


def _unattended(now: datetime) -> int:
    claim = QueueClaim.objects.filter(row_id=OuterRef("id")).values("cluster_id")
    at_work = QueueClaim.objects.filter(cluster_id=OuterRef("cluster"), worker__isnull=False)
    rows = OrmQ.objects.filter(
        key=Conf.CLUSTER_NAME, lock__gt=now, lock__lte=taken_until(now) - HAND_OVER
    ).annotate(cluster=Subquery(claim))
    idle = rows.filter(~Exists(at_work), cluster__isnull=False).order_by("id")[:FEW]
    if not (tasks := {row.task["id"] for row in idle}):
        return 0
    failed: int = Task.objects.filter(id__in=tasks, success=False).count()
    return len(tasks) - failed


def last_progress() -> datetime | None:
    """Return when a worker last showed that it works."""
    runs = JobRun.objects.aggregate(started=Max("started_at"), finished=Max("finished_at"))
    tasks = Cluster.objects.aggregate(at=Max("progress_at"))
    moments = [moment for moment in (*runs.values(), *tasks.values()) if moment is not None]
    return max(moments, default=None)


def read_jobs(*, now: datetime) -> list[JobState]:
    """Read when each scheduled job is due, and its latest run, by name."""
    latest = JobRun.objects.filter(name=OuterRef("name")).order_by("-intended_at").values("id")[:1]
    due = list(
        Schedule.objects.annotate(latest=Subquery(latest))
        .order_by("name", "id")
        .values_list("name", "next_run", "latest")
    )
    runs = JobRun.objects.in_bulk([run for _, _, run in due if run is not None])
    return [_job(name, runs.get(run), next_at, now) for name, next_at, run in due]


def failures(*, now: datetime) -> dict[str, int]:
    """Count the runs of the last day that failed or were lost."""
    bad = JobRun.objects.filter(finished_at__gt=now - DAY, status__in=["failed", "lost"])
    return {"failed": 0, "lost": 0} | dict(
        bad.order_by("status").values_list("status").annotate(Count("id"))
    )


def recent_write_faults(*, now: datetime) -> int:
    """Count the writes that failed in the last minutes, in all processes that could tell."""
    since = now - RECENT
    stored: int | None = WriteFault.objects.filter(minute__gte=since).aggregate(n=Sum("count"))["n"]
    return (stored or 0) + faults.waiting_since(since)


def _job(name: str, run: JobRun | None, next_at: datetime | None, now: datetime) -> JobState:
    return JobState(
        name=name,
        status=run.status if run else None,
        intended_at=run.intended_at if run else None,
        finished_at=run.finished_at if run else None,
        error=run.error.partition(":")[0] if run else "",
        next_at=next_at,
        seconds_late=max(0.0, _age(next_at, now) or 0.0),
    )


def _age(moment: datetime | None, now: datetime) -> float | None:
    return None if moment is None else round((now - moment).total_seconds(), 3)
