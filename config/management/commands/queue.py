"""`manage.py queue`: how the queue is, and giving back what dead workers hold."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from config import schedules
from config.health import figures
from config.health.status import schedules_check
from config.supervisor import registry
from memory.management.base import TidebookCommand


class Command(TidebookCommand):
    """Tell about the queue, or unstick it."""

    help = (
        "status: rows, progress and jobs. unstick: give back rows that dead workers hold, without "
        "waiting for the queue's own retry; what living workers are at is left alone."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the action and `--json`."""
        parser.add_argument("action", choices=["status", "unstick"])
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do the action."""
        del args
        report, lines = _status() if options["action"] == "status" else _unstick()
        if options["json"]:
            self.stdout.write(json.dumps(report, cls=DjangoJSONEncoder))
        else:
            self.stdout.write("\n".join(lines))


def _status() -> tuple[dict[str, Any], list[str]]:
    now = timezone.now()
    queue, jobs = figures.read_queue(now=now), figures.read_jobs(now=now)
    unstored = schedules.unstored()
    report = {
        "alive": not queue.is_stalled,
        "queue": asdict(queue),
        "jobs": [asdict(job) for job in jobs],
        "jobs_not_stored": unstored,
        "failures": figures.failures(now=now),
    }
    age = queue.progress_seconds
    progress = "never" if age is None else f"{age:.0f} s ago"
    lines = [
        "The queue makes no progress." if queue.is_stalled else "The queue is alive.",
        f"rows      {queue.due} due, {queue.held} held by workers, {queue.later} for later"
        + (f"; no worker is at {queue.unattended} of those held" if queue.unattended else ""),
        f"progress  {progress}, {queue.clusters} clusters of workers alive",
        *(_line(job) for job in jobs),
        *([f"jobs      {schedules_check(unstored)}"] if unstored else []),
    ]
    return report, lines


def _line(job: figures.JobState) -> str:
    error = f" ({job.error})" if job.error else ""
    due = f", next {job.next_at:%H:%M} UTC" if job.next_at else ""
    return f"job       {job.name}: {job.status or 'has not run'}{error}{due}"


def _unstick() -> tuple[dict[str, Any], list[str]]:
    now = timezone.now()
    dead = [*registry.dead_here(), *registry.silent(now=now)]
    freed = sum(registry.end(cluster, ending="unstuck", now=now) for cluster in dict.fromkeys(dead))
    freed += registry.free_unclaimed(now=now)
    report = {"clusters_ended": len(set(dead)), "rows_freed": freed}
    return report, [f"{len(set(dead))} dead clusters closed, {freed} rows given back."]
