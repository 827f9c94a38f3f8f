"""Status and metrics: who may ask, what turns red, and what they never tell (SPEC E6, J4)."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django_q.models import OrmQ, Schedule, Task
from rest_framework.test import APIClient

from config import schedules
from config.supervisor import registry
from memory.models import Cluster, JobRun, QueueClaim, WriteFault
from memory.queue import enqueue
from memory.services import faults, jobs, setup
from memory.services.runners import choose_runner
from tests.autopilot.built_in import built_in
from tests.autopilot.session.bench import store_bars
from tests.desk import LEAD, Desk, note

PATHS = ["/health/status", "/health/status/", "/metrics", "/metrics/"]
BACKEND = "django.contrib.auth.backends.ModelBackend"


def cluster(now: datetime, *, progress: timedelta | None = timedelta(0)) -> Cluster:
    """Enter a living cluster that made progress so long ago, with all jobs scheduled."""
    schedules.sync(now=now)
    return Cluster.objects.create(
        host="here",
        supervisor=1,
        started_at=now - LEAD,
        seen_at=now,
        progress_at=None if progress is None else now - progress,
    )


def staff() -> APIClient:
    """Return a browser of staff."""
    client = APIClient()
    client.force_login(User.objects.create_user("chief", is_staff=True), backend=BACKEND)
    return client


def figures(client: APIClient) -> dict[str, float]:
    """Return Tidebook's own metrics: name with labels → value."""
    text = client.get("/metrics").content.decode()
    lines = [line.rpartition(" ") for line in text.splitlines() if line.startswith("tidebook_")]
    return {name: float(value) for name, _, value in lines}


@pytest.mark.django_db
@pytest.mark.spec("E6", "E1", "X1")
@pytest.mark.parametrize("path", PATHS)
def test_without_credentials_nothing_is_told_and_no_work_done(path: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        response = APIClient().get(path)
    assert response.status_code == 401
    assert response.json()["code"] == "not_authenticated"
    assert "WWW-Authenticate" in response.headers
    assert len(queries) == 0


@pytest.mark.spec("E6", "X1")
@pytest.mark.parametrize("path", PATHS)
def test_a_person_who_is_not_staff_is_refused_and_staff_and_bearers_are_not(
    path: str, desk: Desk, now: datetime
) -> None:
    cluster(now)
    assert desk.browser().get(path).status_code == 403
    for client in (staff(), *(desk.client(role) for role in desk.tokens)):
        assert client.get(path).status_code == 200


@pytest.mark.spec("E6", "E2", "J4")
@pytest.mark.parametrize(
    ("progress", "told"),
    [
        (timedelta(seconds=180), "ok"),
        (timedelta(seconds=181), "no progress for 181 s"),
        (None, "no worker has done anything yet"),
    ],
)
def test_it_turns_red_when_the_queue_has_made_no_progress_for_three_minutes(
    progress: timedelta | None, told: str, desk: Desk, now: datetime
) -> None:
    cluster(now, progress=progress)
    response = desk.client().get("/health/status")
    body = response.json()
    assert body["checks"] == {"queue": told, "schedules": "ok", "writes": "ok"}
    assert body["queue"]["progress_seconds"] == (progress.total_seconds() if progress else None)
    if told == "ok":
        assert (response.status_code, body["status"]) == (200, "ok")
    else:
        assert (response.status_code, body["status"]) == (503, "red")
        assert (body["code"], body["error"]) == ("status_red", f"queue: {told}")


@pytest.mark.spec("J4")
@pytest.mark.parametrize("field", ["started_at", "finished_at"])
def test_a_job_that_began_or_ended_is_progress(field: str, desk: Desk, now: datetime) -> None:
    schedules.sync(now=now)
    then = now - LEAD
    times = {"started_at": then, "finished_at": then} | {field: now - timedelta(seconds=9)}
    JobRun.objects.create(
        name="any",
        intended_at=then,
        status="succeeded",
        lease_until=now + timedelta(minutes=1),
        **times,
    )
    told = desk.client().get("/health/status").json()
    assert (told["status"], told["queue"]["progress_seconds"]) == ("ok", 9)


@pytest.mark.spec("J3", "E6")
def test_declared_jobs_that_nobody_stored_turn_it_red_and_are_named(
    desk: Desk, now: datetime
) -> None:
    cluster(now)
    names = ["analysis_dispatcher", "run_timeouts"]
    Schedule.objects.filter(name__in=names).delete()
    response = desk.client().get("/health/status")
    assert response.status_code == 503
    told = response.json()
    assert told["checks"]["schedules"] == (
        "not stored, so never due: analysis_dispatcher, run_timeouts; run manage.py schedules sync"
    )
    assert "schedules: not stored" in told["error"]
    out = StringIO()
    call_command("queue", "status", stdout=out)
    assert "never due: analysis_dispatcher, run_timeouts" in out.getvalue()
    out = StringIO()
    call_command("queue", "status", "--json", stdout=out)
    assert json.loads(out.getvalue())["jobs_not_stored"] == names
    call_command("schedules", "sync", stdout=StringIO())
    assert desk.client().get("/health/status").status_code == 200


@pytest.mark.spec("E6", "A12", "X1")
def test_built_in_producers_without_current_candles_are_told_to_whom_they_are(
    desk: Desk, other: Desk, now: datetime
) -> None:
    cluster(now)
    producer = built_in(desk, now=now, timeframe="1h")
    store_bars(now=now, instrument="BTC", timeframe="1h", count=5)
    store_bars(now=now - timedelta(days=3), instrument="ETH", timeframe="1h", count=5)

    def told(one: Desk, role: str = "analysis") -> list[dict[str, Any]]:
        starved: list[dict[str, Any]] = (
            one.client(role).get("/health/status").json()["producers_without_candles"]
        )
        return starved

    assert told(desk) == [
        {
            "agent": str(desk.agent.id),
            "id": str(producer.id),
            "name": "built-in",
            "timeframe": "1h",
            "instruments": [{"instrument": "ETH", "newest_closed_at": "2026-09-27T12:00:00Z"}],
        }
    ]
    assert told(other) == told(desk, "trading") == []
    store_bars(now=now, instrument="ETH", timeframe="1h", count=5)
    assert told(desk) == []
    choose_runner(producer=producer, runner="built_in", lens="trend", timeframe="5m", now=now)
    assert [one["newest_closed_at"] for one in told(desk)[0]["instruments"]] == [None, None]
    setup.disable_producer(producer=producer, now=now)
    assert told(desk) == []


@pytest.mark.spec("E6")
def test_rows_are_told_apart_by_who_they_wait_for(desk: Desk, now: datetime) -> None:
    home = cluster(now)
    later = now + timedelta(minutes=10)
    enqueue("memory.tasks.ping", now=now - timedelta(seconds=30))
    enqueue("memory.tasks.ping", now=now, run_at=later)
    enqueue("memory.tasks.ping", now=now)
    held = OrmQ.objects.order_by("id").last()
    OrmQ.objects.filter(id=held.id).update(lock=later)
    QueueClaim.objects.create(row_id=held.id, cluster_id=home.id)
    told = desk.client().get("/health/status").json()["queue"]
    assert (told["due"], told["held"], told["later"], told["clusters"]) == (1, 1, 1, 1)
    assert told["oldest_due_seconds"] == 30
    metrics = figures(desk.client())
    assert metrics['tidebook_queue_rows{state="held"}'] == 1
    assert metrics["tidebook_queue_oldest_due_seconds"] == 30
    assert metrics["tidebook_queue_progress_seconds"] == 0


@pytest.mark.spec("E6", "J4")
@pytest.mark.parametrize("why", ["nobody", "just taken", "its cluster is busy", "it failed"])
def test_held_rows_that_nobody_is_at_turn_it_red(why: str, desk: Desk, now: datetime) -> None:
    home = cluster(now)
    for _ in range(2):
        enqueue("memory.tasks.ping", now=now)
    age = timedelta(seconds=0 if why == "just taken" else 31)
    OrmQ.objects.update(lock=registry.taken_until(now - age))
    for row in OrmQ.objects.order_by("id"):
        busy = why == "its cluster is busy" and not QueueClaim.objects.exists()
        QueueClaim.objects.create(row_id=row.id, cluster_id=home.id, worker=7 if busy else None)
        if why == "it failed":
            known = {"id": row.task["id"], "name": row.task["name"], "func": row.task["func"]}
            Task.objects.create(**known, started=now, stopped=now, success=False)
    told = desk.client().get("/health/status").json()
    assert told["queue"]["held"] == 2
    wrong = "2 rows are held and no worker is at them" if why == "nobody" else "ok"
    assert (told["checks"]["queue"], told["status"]) == (wrong, "ok" if wrong == "ok" else "red")
    assert figures(desk.client())["tidebook_queue_unattended_rows"] == told["queue"]["unattended"]


@pytest.mark.spec("E6", "J2")
def test_failed_and_lost_jobs_are_counted_and_told_by_code(desk: Desk, now: datetime) -> None:
    cluster(now)
    for number, name in enumerate(("broken", "lost", "late")):
        claim = jobs.claim_run(
            name=name,
            intended_at=now,
            lease=timedelta(seconds=number + 1),
            task=None,
            now=now - timedelta(seconds=2),
        )
        if name == "broken":
            jobs.end_run(claim=claim, now=now, error="refused: the agent of somebody")
    assert jobs.lose_runs(now=now) == 1
    told = desk.client().get("/health/status").json()
    assert told["failures"] == {"failed": 1, "lost": 1}
    assert figures(desk.client())['tidebook_job_failures_last_day{status="lost"}'] == 1
    assert "somebody" not in str(told)


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("E6")
def test_a_write_that_fails_turns_it_red_for_five_minutes(desk: Desk, now: datetime) -> None:
    cluster(now)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE memory_record ADD CONSTRAINT unforeseen CHECK (seq < 1)")
    try:
        before = faults.process_total()
        assert desk.client().post(desk.path("memories/"), note()).status_code == 500
        assert desk.client().get(desk.path("memories/?limit=no")).status_code == 400
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE memory_record DROP CONSTRAINT unforeseen")
    assert faults.process_total() == before + 1
    assert list(WriteFault.objects.values_list("count", flat=True)) == [1]
    told = desk.client().get("/health/status")
    assert told.status_code == 503
    assert told.json()["checks"]["writes"] == "1 failed in the last 5 minutes"
    WriteFault.objects.update(minute=now - timedelta(minutes=6))
    assert desk.client().get("/health/status").status_code == 200


@pytest.mark.django_db
@pytest.mark.spec("E6")
def test_a_fault_that_could_not_be_stored_waits_and_counts(now: datetime) -> None:
    def fail() -> None:
        # Inside a broken transaction no statement is taken.
        with connection.cursor() as cursor:
            with pytest.raises(Exception, match="division by zero"):
                cursor.execute("SELECT 1 / 0")
            faults.note_write_fault(now=now)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        transaction.atomic(fail)()
    assert not WriteFault.objects.exists()
    assert faults.waiting_since(now - timedelta(minutes=5)) == 1
    faults._not_before = 0.0  # noqa: SLF001 - the wait is over
    faults.note_write_fault(now=now)
    assert list(WriteFault.objects.values_list("count", flat=True)) == [2]
    assert faults.waiting_since(now - timedelta(minutes=5)) == 0


@pytest.mark.spec("E6")
def test_a_database_that_takes_no_writes_turns_it_red(desk: Desk, now: datetime) -> None:
    cluster(now)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE memory_write_fault ADD CONSTRAINT shut CHECK (count > 5)")
    told = desk.client().get("/health/status")
    assert told.json()["checks"]["writes"] == "a write fails"
    assert told.status_code == 503


@pytest.mark.spec("E6")
def test_the_probe_leaves_nothing(desk: Desk, now: datetime) -> None:
    cluster(now)
    assert desk.client().get("/health/status").status_code == 200
    assert not WriteFault.objects.exists()


@pytest.mark.spec("E6", "F2")
def test_a_producer_without_a_run_for_two_cycles_is_silent(desk: Desk, now: datetime) -> None:
    cluster(now)

    def silent() -> list[str]:
        told = desk.client().get("/health/status").json()
        return [one["name"] for one in told["silent_producers"]]

    assert silent() == ["ours-analysis"]
    desk.write(now=now - timedelta(minutes=11))
    assert silent() == ["ours-analysis"]
    desk.write(now=now - timedelta(minutes=9))
    assert silent() == []
    setup.disable_producer(producer=desk.producers["analysis"], now=now - timedelta(minutes=10))
    setup.enable_producer(producer=desk.producers["analysis"], now=now - timedelta(minutes=9))
    assert silent() == []


@pytest.mark.spec("E6")
def test_a_disabled_producer_and_one_without_a_schedule_are_not_silent(
    desk: Desk, now: datetime
) -> None:
    cluster(now)
    assert setup.disable_producer(producer=desk.producers["analysis"], now=now)
    assert desk.client().get("/health/status").json()["silent_producers"] == []


@pytest.mark.spec("X1", "E6")
@pytest.mark.parametrize("role", ["analysis", "trading"])
def test_what_another_agent_has_and_does_changes_nothing_that_a_bearer_is_told(
    role: str, desk: Desk, other: Desk, now: datetime
) -> None:
    cluster(now)

    def told() -> tuple[Any, dict[str, float]]:
        client = other.client(role)
        return client.get("/health/status").json(), figures(client)

    before = told()
    desk.write(now=now)
    setup.create_producer(
        agent=desk.agent, role="review", name="quiet", schedule="5m", now=now - LEAD
    )
    assert told() == before
    assert str(desk.agent.id) not in str(before)
    names = [one["name"] for one in before[0]["silent_producers"]]
    assert names == ([] if role == "trading" else ["theirs-analysis"])


@pytest.mark.spec("E6", "X1")
def test_metrics_count_the_records_of_the_callers_agents_and_staff_sees_all(
    desk: Desk, other: Desk, now: datetime
) -> None:
    for one, number in ((desk, 2), (other, 1)):
        for _ in range(number):
            one.write(now=now)
    clients = (desk.client(), other.client(), staff())
    totals = [figures(client)["tidebook_records_published_total"] for client in clients]
    assert totals == [2, 1, 3]


@pytest.mark.spec("E6")
def test_no_label_carries_the_id_of_an_agent_or_a_record(desk: Desk, now: datetime) -> None:
    record = desk.write(now=now)
    text = staff().get("/metrics").content.decode()
    for known in (desk.agent.id, record.id, *(one.id for one in desk.producers.values())):
        assert str(known) not in text
        assert known.hex not in text


@pytest.mark.spec("E6")
def test_its_cost_does_not_grow_with_rows(
    desk: Desk, now: datetime, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    cluster(now)
    for minute in range(20):
        enqueue("memory.tasks.ping", now=now)
        claim = jobs.claim_run(
            name="any",
            intended_at=now - timedelta(minutes=minute),
            lease=timedelta(minutes=1),
            task=None,
            now=now,
        )
        jobs.end_run(claim=claim, now=now)
    client = desk.client()
    client.get("/metrics")
    with django_assert_max_num_queries(18):
        assert client.get("/health/status").status_code == 200
    with django_assert_max_num_queries(14):
        assert client.get("/metrics").status_code == 200
