"""Schedules as the code declares them, and django-q2's table made to agree (SPEC J3)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from django.apps import apps
from django.db import connection, transaction
from django.utils.module_loading import import_string
from django_q.models import Schedule

from memory.schedules import Every
from memory.tasks import Job

LOCK = 0x7469_6465
"""Key of the advisory lock: one sync at a time."""


@dataclass(slots=True)
class Synced:
    """What a sync did, by names of jobs."""

    created: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


def declared() -> Iterator[tuple[Every, Job]]:
    """Return what the apps' `schedules` modules declare, with the jobs meant.

    Raises ImportError for a path that leads nowhere, TypeError for one that leads to no Job.
    """
    for app in apps.get_app_configs():
        if find_spec(f"{app.name}.schedules") is None or app.name.startswith("django"):
            continue
        for schedule in getattr(import_module(f"{app.name}.schedules"), "SCHEDULES", ()):
            job = import_string(schedule.task)
            if not isinstance(job, Job):
                raise TypeError(f"{schedule.task} is no job: it would be done twice")
            yield schedule, job


def unstored() -> list[str]:
    """Return the names of the jobs that the code declares and nobody stored, by name.

    They never run: no worker knows of them until `sync`.
    """
    stored = set(Schedule.objects.values_list("name", flat=True))
    return sorted(job.name for _, job in declared() if job.name not in stored)


@transaction.atomic
def sync(*, now: datetime) -> Synced:
    """Make the table agree with the code; doing it again changes nothing.

    A new or changed schedule is next due at its first time after `now`: nothing runs at once. One
    that is as it was keeps its next time, even one that is past: it is due once, as it would have
    been without the sync, and by its intended time it is not done twice.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
    done = Synced()
    stored: dict[str, Any] = {}
    # Locked against a cluster that moves `next_run` just now.
    for row in Schedule.objects.select_for_update().order_by("id"):
        if row.name in stored:
            row.delete()
        else:
            stored[row.name] = row
    for schedule, job in declared():
        _agree(stored.pop(job.name, None), schedule, job, done, now=now)
    for name, row in stored.items():
        row.delete()
        done.removed.append(name)
    return done


def _agree(row: Any, schedule: Every, job: Job, done: Synced, *, now: datetime) -> None:
    wanted = {
        "func": schedule.task,
        "args": None,
        # django-q2 reads it as a literal, and takes what it cannot read for no arguments.
        "kwargs": repr({"q_options": {"timeout": job.seconds}}),
        "schedule_type": Schedule.MINUTES,
        "minutes": schedule.minutes,
        "repeats": -1,
        "cron": None,
        "cluster": None,
        "intended_date_kwarg": "intended",
    }
    if row is None:
        row = Schedule(name=job.name)
        done.created.append(job.name)
    elif all(getattr(row, name) == value for name, value in wanted.items()) and (
        row.next_run is not None and schedule.is_due_at(row.next_run)
    ):
        done.kept.append(job.name)
        return
    else:
        done.changed.append(job.name)
    for name, value in wanted.items():
        setattr(row, name, value)
    row.next_run = schedule.next_after(now)
    row.full_clean()
    row.save()
