"""Schedules are declared in code; syncing runs nothing at once and nothing twice (SPEC J3)."""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils.module_loading import import_string
from django_q.models import OrmQ, Schedule
from django_q.scheduler import scheduler
from hypothesis import given
from hypothesis import strategies as st

from config import checks, schedules
from memory import schedules as declared
from memory.models import JobRun
from memory.schedules import EPOCH, Every
from tests.desk import LEAD

HEARTBEAT = "memory.tasks.heartbeat"


def declare(monkeypatch: pytest.MonkeyPatch, *what: Every) -> None:
    """Have the code declare these for the store, and nothing else."""
    for app in ("memory", "autopilot"):
        monkeypatch.setattr(f"{app}.schedules.SCHEDULES", what if app == "memory" else ())


def stored() -> dict[str, Any]:
    return {row.name: row for row in Schedule.objects.all()}


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("J3")
def test_a_new_schedule_is_due_at_its_next_time_and_not_at_once(now: datetime) -> None:
    done = schedules.sync(now=now)
    assert {"heartbeat", "janitor", "session_janitor", "purge"} <= set(done.created)
    rows = stored()
    assert rows["heartbeat"].next_run == datetime(2026, 9, 30, 12, 2, tzinfo=UTC)
    assert rows["purge"].next_run == datetime(2026, 9, 30, 12, 5, tzinfo=UTC)
    for every, job in schedules.declared():
        assert rows[job.name].next_run == every.next_after(now)
        assert rows[job.name].intended_date_kwarg == "intended"
    scheduler()
    assert OrmQ.objects.count() == 0


@pytest.mark.django_db
@pytest.mark.spec("J3")
def test_syncing_again_changes_nothing(now: datetime) -> None:
    created = schedules.sync(now=now).created
    before = list(Schedule.objects.order_by("id").values())
    again = schedules.sync(now=now + timedelta(days=3))
    assert (again.created, again.changed, again.removed) == ([], [], [])
    assert again.kept == created
    assert list(Schedule.objects.order_by("id").values()) == before


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("J3", "J2")
def test_one_that_is_due_is_not_lost_by_a_sync_nor_caught_up_twice(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(monkeypatch, Every(HEARTBEAT, minutes=1))
    schedules.sync(now=now - timedelta(minutes=10))
    for _ in range(2):
        schedules.sync(now=now)
        # It passed ten of its times; one is done, under the time that was meant.
        scheduler()
    (row,) = OrmQ.objects.all()
    assert row.task["kwargs"] == {"intended": "2026-09-30T11:52:00+00:00"}
    assert stored()["heartbeat"].next_run == datetime(2026, 9, 30, 12, 2, tzinfo=UTC)


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("J3", "J2")
def test_what_the_scheduler_queues_calls_the_job_under_its_time_limit(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(monkeypatch, Every(HEARTBEAT, minutes=1))
    schedules.sync(now=now - timedelta(minutes=1))
    scheduler()
    task = OrmQ.objects.get().task
    assert (task["func"], task["timeout"]) == (HEARTBEAT, 30)
    job = import_string(task["func"])
    assert job(**task["kwargs"]) == "succeeded"
    # The queue calls at least once.
    assert job(**task["kwargs"]) == "skipped"
    assert JobRun.objects.get().intended_at == datetime(2026, 9, 30, 12, 1, tzinfo=UTC)


@pytest.mark.django_db
@pytest.mark.spec("J3")
def test_what_is_no_longer_declared_goes_and_what_changed_is_due_anew(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedules.sync(now=now)
    Schedule.objects.create(name="by hand", func="os.getpid", next_run=now)
    Schedule.objects.create(name="heartbeat", func=HEARTBEAT, next_run=now)
    declare(monkeypatch, Every(HEARTBEAT, minutes=60, offset=15))
    done = schedules.sync(now=now)
    assert done.changed == ["heartbeat"]
    assert {"by hand", "janitor"} <= set(done.removed)
    (row,) = Schedule.objects.all()
    assert (row.minutes, row.next_run) == (60, datetime(2026, 9, 30, 12, 15, tzinfo=UTC))


@pytest.mark.django_db
@pytest.mark.spec("J3", "U6")
def test_the_command_says_what_it_did(now: datetime) -> None:
    del now
    out = StringIO()
    call_command("schedules", "sync", "--json", stdout=out)
    assert "heartbeat" in json.loads(out.getvalue())["created"]
    again = StringIO()
    call_command("schedules", "sync", stdout=again)
    assert again.getvalue().startswith("kept: heartbeat")


@pytest.mark.spec("J3")
@given(
    minutes=st.integers(1, 2_000),
    offset=st.integers(0, 2_000),
    seconds=st.integers(0, 10**9),
)
def test_due_times_are_a_period_apart_from_midnight_utc(
    minutes: int, offset: int, seconds: int
) -> None:
    every = Every(HEARTBEAT, minutes=minutes, offset=offset)
    moment = EPOCH + LEAD + timedelta(seconds=seconds)
    due = every.next_after(moment)
    assert moment < due <= moment + timedelta(minutes=minutes)
    assert ((due - EPOCH) / timedelta(minutes=1) - offset) % minutes == 0
    assert every.is_due_at(due)
    assert every.next_after(due) == due + timedelta(minutes=minutes)
    assert every.is_due_at(moment) is (every.next_after(moment - timedelta(seconds=1)) == moment)


@pytest.mark.spec("J2")
def test_time_limits_are_below_the_time_of_the_next_try(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert checks.jobs_end_before_they_are_tried_again() == []
    settings.Q_CLUSTER = settings.Q_CLUSTER | {"retry": 149}
    (found,) = checks.jobs_end_before_they_are_tried_again()
    assert (found.id, "120 s" in found.msg, "149 s" in found.msg) == ("tidebook.E001", True, True)
    settings.Q_CLUSTER = settings.Q_CLUSTER | {"retry": 600}
    settings.QUEUE_STALL_SECONDS = 120
    (found,) = checks.jobs_end_before_they_are_tried_again()
    assert found.id == "tidebook.W001"
    settings.QUEUE_STALL_SECONDS = 180
    for wrong, code in (
        ("memory.tasks.ping", "tidebook.E002"),
        ("memory.tasks.none", "tidebook.E002"),
        (HEARTBEAT, "tidebook.E003"),
    ):
        declare(monkeypatch, *declared.SCHEDULES[:1], Every(wrong, minutes=1))
        (found,) = checks.jobs_end_before_they_are_tried_again()
        assert found.id == code
