"""`GET /metrics`: figures for Prometheus. No label carries the id of an agent or a record (E6)."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, QuerySet, Sum
from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from rest_framework.request import Request
from rest_framework.views import APIView

from autopilot.models import Session
from autopilot.models.sessions import OPEN
from config.health import figures
from config.health.status import StaffOrToken
from memory.models import Agent, AgentTail
from memory.policies.ownership import as_actor
from memory.selectors.access import agents_for
from memory.services import faults, purge


class Tidebook(Collector):
    """Reads figures at the moment of a scrape; those of agents only for agents of the caller."""

    def __init__(self, agents: QuerySet[Agent], *, now: datetime) -> None:
        self.agents = agents
        self.now = now

    def collect(self) -> Iterator[Metric]:
        """Return all families."""
        yield from self._queue()
        yield from self._jobs()
        yield from self._work()

    def _queue(self) -> Iterator[Metric]:
        queue = figures.read_queue(now=self.now)
        rows = GaugeMetricFamily("tidebook_queue_rows", "Rows of the queue.", labels=["state"])
        for state in ("due", "held", "later"):
            rows.add_metric([state], getattr(queue, state))
        yield rows
        yield _gauge(
            "queue_oldest_due_seconds", "Age of the oldest row due.", queue.oldest_due_seconds
        )
        yield _gauge(
            "queue_progress_seconds",
            "Time since a worker last showed that it works. Absent when none ever did.",
            queue.progress_seconds,
        )
        yield _gauge("queue_unattended_rows", "Held rows that nobody is at.", queue.unattended)
        yield _gauge("queue_clusters", "Groups of workers alive.", queue.clusters)

    def _jobs(self) -> Iterator[Metric]:
        late = GaugeMetricFamily(
            "tidebook_schedule_lag_seconds", "How late a schedule is.", labels=["job"]
        )
        for job in figures.read_jobs(now=self.now):
            late.add_metric([job.name], job.seconds_late)
        yield late
        runs = GaugeMetricFamily(
            "tidebook_job_failures_last_day", "Failed and lost runs.", labels=["status"]
        )
        for status, number in figures.failures(now=self.now).items():
            runs.add_metric([status], number)
        yield runs

    def _work(self) -> Iterator[Metric]:
        failed = figures.recent_write_faults(now=self.now)
        yield _gauge("failed_writes_last_5_minutes", "In all processes.", failed)
        failures = CounterMetricFamily(
            "tidebook_process_failed_writes", "Since this process began."
        )
        failures.add_metric([], faults.process_total())
        yield failures
        tails = AgentTail.objects.filter(agent__in=self.agents)
        published = CounterMetricFamily(
            "tidebook_records_published", "Records of the caller's agents; of all, for staff."
        )
        published.add_metric([], tails.aggregate(n=Sum("last_seq"))["n"] or 0)
        yield published
        open_ = Session.objects.filter(agent__in=self.agents, status__in=OPEN)
        sessions = GaugeMetricFamily(
            "tidebook_sessions", "Open sessions of the caller's agents.", labels=["status"]
        )
        counted = dict(open_.order_by("status").values_list("status").annotate(Count("id")))
        for status in OPEN:
            sessions.add_metric([status], counted.get(status, 0))
        yield sessions
        number, oldest = purge.waiting(
            agents=list(self.agents.values_list("id", flat=True)), now=self.now
        )
        yield _gauge(
            "purge_due",
            "Memories of the caller's agents that the next purge finds; 10000 at the most.",
            number,
        )
        age = (self.now - oldest).total_seconds() if oldest else None
        yield _gauge("purge_oldest_seconds", "How long the oldest of them has been over.", age)


class Metrics(APIView):
    """Figures in Prometheus's text format."""

    permission_classes = [StaffOrToken]

    @extend_schema(operation_id="metrics", responses={(200, "text/plain"): str})
    def get(self, request: Request) -> HttpResponse:
        """Read the figures of this moment."""
        registry = CollectorRegistry()
        registry.register(Tidebook(agents_for(as_actor(request.user)), now=timezone.now()))
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _gauge(name: str, help_text: str, value: float | None) -> Metric:
    family = GaugeMetricFamily(f"tidebook_{name}", help_text)
    if value is not None:
        family.add_metric([], value)
    return family
