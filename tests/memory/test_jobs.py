"""Scheduled jobs: once for each intended time, one copy at a time, the outcome kept (SPEC J2)."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import Error, connection, transaction
from django_q.exceptions import TimeoutException

from memory import queue, tasks
from memory.errors import NotFound
from memory.models import Cluster, JobRun, WriteFault
from memory.services import jobs
from memory.tasks import Job, job

LEASE = timedelta(seconds=30)
MINUTE = timedelta(minutes=1)


def claim(
    now: datetime, *, name: str = "sweep", at: datetime | None = None, task: UUID | None = None
) -> jobs.Claim:
    return jobs.claim_run(name=name, intended_at=at or now, lease=LEASE, task=task, now=now)


def done_by(work: Callable[..., Any]) -> Job:
    return job("sweep", seconds=30)(work)


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("J2")
def test_of_eight_workers_one_gets_the_run(now: datetime) -> None:
    def try_it(_: int) -> str:
        try:
            claim(now)
        except (jobs.JobDone, jobs.JobUnderWay):
            return "refused"
        else:
            return "claimed"
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(try_it, range(8)))
    assert sorted(outcomes) == ["claimed", *["refused"] * 7]
    assert JobRun.objects.get().attempts == 1


@pytest.mark.django_db
@pytest.mark.spec("J2")
def test_an_intended_time_is_never_done_twice(now: datetime) -> None:
    jobs.end_run(claim=claim(now), now=now, result={"swept": 1})
    with pytest.raises(jobs.JobDone):
        claim(now + MINUTE, at=now)
    jobs.end_run(claim=claim(now, name="other"), now=now, error="refused: no")
    with pytest.raises(jobs.JobDone):
        claim(now + MINUTE, name="other", at=now)


@pytest.mark.django_db
@pytest.mark.spec("J2")
def test_while_a_copy_runs_the_next_time_is_skipped(now: datetime) -> None:
    first = claim(now)
    with pytest.raises(jobs.JobUnderWay):
        claim(now + timedelta(seconds=29), at=now + MINUTE)
    assert claim(now, name="other", at=now + MINUTE).attempt == 1
    jobs.end_run(claim=first, now=now)
    assert claim(now + MINUTE).attempt == 1


@pytest.mark.django_db
@pytest.mark.spec("J2")
def test_a_run_whose_lease_is_over_is_lost_and_may_be_tried_again(now: datetime) -> None:
    first = claim(now)
    late = now + LEASE
    assert claim(late, at=now + MINUTE).attempt == 1
    lost = JobRun.objects.get(id=first.id)
    assert (lost.status, lost.finished_at) == ("lost", late)
    with pytest.raises(jobs.JobUnderWay):
        claim(late, at=now)
    JobRun.objects.filter(intended_at=now + MINUTE).update(status="failed", finished_at=late)
    assert claim(late, at=now).attempt == 2
    # The first worker was not dead: what it says now counts for nothing.
    assert jobs.end_run(claim=first, now=late) is False
    assert JobRun.objects.get(id=first.id).status == "running"


@pytest.mark.django_db
@pytest.mark.spec("J2", "J4")
def test_a_task_that_is_called_again_takes_its_own_run_over_at_once(now: datetime) -> None:
    task = uuid4()
    first = claim(now, task=task)
    with pytest.raises(jobs.JobDone):
        claim(now, task=uuid4())
    again = claim(now, task=task)
    assert (again.id, again.attempt) == (first.id, 2)
    assert jobs.end_run(claim=again, now=now) is True
    with pytest.raises(jobs.JobDone):
        claim(now, task=task)


@pytest.mark.django_db
@pytest.mark.spec("J2")
def test_a_jobs_result_is_stored_and_shown(now: datetime) -> None:
    seen: list[tuple[datetime, datetime]] = []

    def sweep(*, now: datetime, intended_at: datetime) -> dict[str, Any]:
        seen.append((now, intended_at))
        assert JobRun.objects.get().status == "running"
        return {"swept": 3}

    intended = (now - MINUTE).isoformat()
    assert done_by(sweep)(intended=intended) == "succeeded"
    assert seen == [(now, now - MINUTE)]
    run = JobRun.objects.get()
    assert (run.status, run.result, run.error) == ("succeeded", {"swept": 3}, "")
    assert run.lease_until == now + timedelta(seconds=30) + tasks.SPARE
    assert done_by(sweep)(intended=intended) == "skipped"
    assert len(seen) == 1


@pytest.mark.django_db
@pytest.mark.spec("J2")
def test_an_anticipated_failure_is_stored_by_code_and_without_a_traceback(
    now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    def sweep(**_: object) -> None:
        raise NotFound("there is no broom")

    assert done_by(sweep)(intended=now.isoformat()) == "failed"
    run = JobRun.objects.get()
    assert (run.status, run.error) == ("failed", "not_found: there is no broom")
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "Traceback" not in caplog.text


@pytest.mark.django_db
@pytest.mark.spec("J2")
def test_an_unexpected_failure_is_stored_by_class_and_logged_whole(
    now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    def sweep(**_: object) -> None:
        raise ZeroDivisionError("a secret")

    with caplog.at_level(logging.ERROR):
        assert done_by(sweep)(intended=now.isoformat()) == "failed"
    run = JobRun.objects.get()
    assert (run.status, run.error) == ("failed", "ZeroDivisionError")
    (record,) = caplog.records
    assert record.exc_info


@pytest.mark.django_db
@pytest.mark.spec("J2")
def test_a_job_that_takes_too_long_is_stored_as_failed_and_ends_its_worker(now: datetime) -> None:
    def sweep(**_: object) -> None:
        raise TimeoutException("Task exceeded maximum timeout value (30 seconds)")

    with pytest.raises(TimeoutException):
        done_by(sweep)(intended=now.isoformat())
    assert JobRun.objects.get().error == "it took longer than 30 s"


@pytest.mark.django_db
@pytest.mark.spec("J2")
def test_a_job_knows_the_task_that_calls_it(now: datetime) -> None:
    task = uuid4()
    queue.set_current_task(task)
    try:
        assert done_by(lambda **_: None)(intended=now.isoformat()) == "succeeded"
    finally:
        queue.set_current_task(None)
    assert JobRun.objects.get().task == task


@pytest.mark.django_db
@pytest.mark.spec("J4")
def test_the_heartbeat_tells_how_late_it_is(now: datetime) -> None:
    intended = now.replace(second=0)
    assert tasks.heartbeat(intended=intended.isoformat()) == "succeeded"
    assert JobRun.objects.get().result == {"seconds_late": 7.0}


@pytest.mark.django_db
@pytest.mark.spec("J2", "J5")
def test_the_janitor_marks_the_lost_and_forgets_the_old_but_each_jobs_newest(
    now: datetime, settings: Any
) -> None:
    old = now - timedelta(days=settings.JOB_DAYS + 1)
    for name, at in (("a", old), ("a", old + MINUTE), ("b", old), ("b", now - MINUTE)):
        jobs.end_run(claim=claim(at, name=name), now=at)
    claim(now - LEASE, name="c")
    Cluster.objects.create(host="h", supervisor=1, started_at=old, seen_at=old, ended_at=old)
    WriteFault.objects.create(minute=old, count=1)
    assert tasks.janitor(intended=now.isoformat()) == "succeeded"
    kept = JobRun.objects.order_by("name", "intended_at").values_list("name", "status")
    assert list(kept) == [
        *(("a", "succeeded"), ("b", "succeeded"), ("c", "lost")),
        ("janitor", "succeeded"),
    ]
    assert JobRun.objects.get(name="a").intended_at == old + MINUTE
    assert JobRun.objects.get(name="janitor").result == {
        "lost": 1,
        "forgotten": 4,
        "failures_forgotten": 0,
        "counts_forgotten": 0,
    }


@pytest.mark.django_db
@pytest.mark.spec("J2")
@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ("name = 'b'", "job_run_alone"),
        (
            "intended_at = (SELECT max(intended_at) FROM memory_jobrun WHERE name = 'a')",
            "job_run_once",
        ),
        ("status = 'succeeded'", "job_run_end_matches_status"),
        ("finished_at = started_at", "job_run_end_matches_status"),
        ("status = 'unknown', finished_at = started_at", "job_run_end_matches_status"),
        ("lease_until = started_at", "job_run_counts_forward"),
        ("attempts = 0", "job_run_counts_forward"),
    ],
)
def test_a_run_that_contradicts_itself_or_another_is_refused(
    change: str, constraint: str, now: datetime
) -> None:
    claim(now, name="b")
    jobs.end_run(claim=claim(now + MINUTE, name="a"), now=now)
    first = claim(now, name="a")
    # Of another intended time, so that only one rule is broken by its name.
    JobRun.objects.filter(name="b").update(intended_at=now + 9 * MINUTE)
    sql = f"UPDATE memory_jobrun SET {change} WHERE id = %s"
    with pytest.raises(Error) as refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, [first.id])
    assert isinstance(refused.value.__cause__, psycopg.Error)
    assert refused.value.__cause__.diag.constraint_name == constraint
