"""Deadlines: stamped for analysis, explicit for the others (SPEC F1-F4, F6-F8)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.models import Record
from memory.policies.freshness import RunClock, explicit_deadline, iso, schedule_v2, schedule_v3
from memory.policies.timeframes import EPOCH, SCHEDULES, is_boundary, latest_boundary
from memory.services import setup
from memory.services.runs import finish_run, start_run_with_token
from tests.desk import Desk, bearer, note

MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis adds the zone
CYCLES = {"5m": timedelta(minutes=10), "15m": timedelta(minutes=30), "4h": timedelta(hours=8)}


def after(moment: datetime, text: str) -> timedelta:
    return datetime.fromisoformat(text) - moment


@pytest.mark.spec("F8")
@given(schedule=st.sampled_from(list(SCHEDULES)), at=MOMENTS)
def test_the_latest_boundary_is_a_multiple_since_the_epoch(schedule: str, at: datetime) -> None:
    boundary = latest_boundary(schedule, at=at)
    seconds = int(SCHEDULES[schedule].total_seconds())
    assert int((boundary - EPOCH).total_seconds()) % seconds == 0
    assert timedelta(0) <= at - boundary < SCHEDULES[schedule]
    assert is_boundary(schedule, boundary)
    assert not is_boundary(schedule, boundary + timedelta(microseconds=1))


@pytest.mark.spec("F2")
@given(schedule=st.sampled_from(list(SCHEDULES)), created_at=MOMENTS, late=st.integers(0, 10**6))
def test_v2_depends_on_the_boundary_alone_however_late_the_record(
    schedule: str, created_at: datetime, late: int
) -> None:
    run = RunClock(schedule=schedule, boundary=latest_boundary(schedule, at=created_at))
    assert run.boundary is not None
    deadline = schedule_v2(run, created_at=created_at + timedelta(seconds=late))
    assert deadline - run.boundary == 2 * SCHEDULES[schedule]


@pytest.mark.spec("F4")
def test_v3_counts_from_the_writing() -> None:
    run = RunClock(schedule="4h", boundary=datetime(2026, 9, 30, 12, tzinfo=UTC))
    written = datetime(2026, 9, 30, 13, 7, tzinfo=UTC)
    assert schedule_v3(run, created_at=written) == written + timedelta(hours=8)


@pytest.mark.spec("F1", "F2")
@pytest.mark.parametrize(("schedule", "life"), CYCLES.items())
def test_an_analysis_record_expires_two_cycles_after_its_runs_boundary(
    desk: Desk, now: datetime, schedule: str, life: timedelta
) -> None:
    producer = setup.create_producer(
        agent=desk.agent, role="analysis", name=schedule, schedule=schedule, now=now
    )
    _, _, clear = start_run_with_token(producer=producer, now=now, life=timedelta(hours=1))
    body = bearer(clear).post(desk.path("memories/"), note(timeframe="1d")).json()
    boundary = datetime.fromisoformat(body["run"]["evidence_boundary"])
    assert after(boundary, body["expires_at"]) == life
    assert body["metadata"]["stale_after"] == body["expires_at"]
    assert body["metadata"]["expiry_policy"] == body["expiry_policy"] == "analysis_schedule_v2"


@pytest.mark.spec("F2")
def test_an_unscheduled_producer_gives_half_an_hour_from_publication(
    desk: Desk, now: datetime
) -> None:
    setup.change_schedule(producer=desk.producers["analysis"], schedule=None)
    written = desk.write(now=now)
    assert written.expires_at == now + timedelta(minutes=30)
    assert written.run is not None
    assert written.run.evidence_boundary is None


@pytest.mark.spec("F2")
def test_a_late_record_is_stale_on_arrival_and_accepted(desk: Desk, now: datetime) -> None:
    run, _, clear = start_run_with_token(
        producer=desk.producers["analysis"],
        now=now,
        life=timedelta(hours=1),
        evidence_boundary=now.replace(minute=0, second=0) - timedelta(days=1),
    )
    response = bearer(clear).post(desk.path("memories/"), note())
    assert response.status_code == 201
    assert response.json()["status"] == "stale"
    assert response.json()["run"]["id"] == str(run.id)


@pytest.mark.spec("F1")
@pytest.mark.parametrize(
    "controls",
    [
        {"stale_after": "2099-01-01T00:00:00Z", "expiry_policy": "mine", "valid_for_seconds": 5},
        {"stale_after": "soon", "expiry_policy": 7, "valid_for_seconds": "long"},
        {"stale_after": {"a": [1]}, "valid_for_seconds": None},
        {"stale_after": "\x00", "valid_for_seconds": 10**400},
        {"valid_for_seconds": "y" * 70_000},
    ],
)
def test_analysis_cannot_choose_its_expiry_even_by_malformed_values(
    desk: Desk, now: datetime, controls: dict[str, Any]
) -> None:
    written = desk.write(now=now, metadata={"handoff_version": 1, **controls})
    assert written.metadata == {
        "handoff_version": 1,
        "stale_after": "2026-09-30T12:10:00Z",
        "expiry_policy": "analysis_schedule_v2",
    }
    assert Record.objects.get(id=written.id).metadata == written.metadata


@pytest.mark.spec("F1", "R10")
def test_a_control_nested_too_deep_is_replaced_before_the_bounds_are_checked(
    desk: Desk, now: datetime
) -> None:
    deep: Any = "x"
    for _ in range(60):
        deep = [deep]
    assert (
        "valid_for_seconds"
        not in desk.write(now=now, metadata={"valid_for_seconds": deep}).metadata
    )


@pytest.mark.spec("F3", "F4")
def test_changing_or_disabling_a_schedule_changes_no_earlier_run_or_record(
    desk: Desk, now: datetime
) -> None:
    producer = desk.producers["analysis"]
    run, _, clear = start_run_with_token(producer=producer, now=now, life=timedelta(hours=1))
    before = desk.write(now=now)
    setup.change_schedule(producer=producer, schedule="4h")
    setup.disable_producer(producer=producer, now=now + timedelta(seconds=1))
    desk.agent.expiry_policy = "analysis_schedule_v3"
    desk.agent.save()
    run.refresh_from_db()
    stored = Record.objects.get(id=before.id)
    assert run.schedule == "5m"
    assert (stored.stale_after, stored.expiry_policy) == (before.expires_at, before.expiry_policy)
    late = bearer(clear).post(desk.path("memories/"), note()).json()
    assert late["run"]["schedule"] == "5m"
    assert late["expiry_policy"] == "analysis_schedule_v3"


@pytest.mark.spec("F4")
def test_an_agent_may_choose_v3(desk: Desk, now: datetime) -> None:
    desk.agent.expiry_policy = "analysis_schedule_v3"
    desk.agent.save()
    written = desk.write(now=now)
    assert written.expires_at == now + timedelta(minutes=10)
    assert written.metadata["expiry_policy"] == "analysis_schedule_v3"


@pytest.mark.spec("F6")
@pytest.mark.parametrize(
    ("metadata", "life"),
    [
        ({}, None),
        ({"valid_for_seconds": 60}, timedelta(seconds=60)),
        ({"valid_for_seconds": 31_536_000}, timedelta(days=365)),
        ({"stale_after": "2026-09-30T16:01:07+02:00"}, timedelta(hours=2)),
        ({"stale_after": "2026-09-30T14:01:07Z", "valid_for_seconds": 60}, timedelta(hours=2)),
    ],
)
def test_other_roles_keep_explicit_validity_as_given(
    desk: Desk, now: datetime, metadata: dict[str, Any], life: timedelta | None
) -> None:
    written = desk.write("trading", now=now, type="trading_decision", metadata=metadata)
    assert written.expires_at == (None if life is None else now + life)
    assert written.metadata == metadata
    assert written.expiry_policy is None
    assert Record.objects.get(id=written.id).stale_after == written.expires_at


@pytest.mark.spec("F6", "R9")
@pytest.mark.parametrize(
    "metadata",
    [
        {"valid_for_seconds": 0},
        {"valid_for_seconds": 31_536_001},
        {"valid_for_seconds": 1.5},
        {"valid_for_seconds": True},
        {"valid_for_seconds": "60"},
        {"valid_for_seconds": None},
        {"stale_after": "2099-01-01T00:00:00"},
        {"stale_after": "2026-01-01T00:00:00Z"},
        {"stale_after": "0001-01-01T00:00:00+14:00"},
        {"stale_after": 7},
        {"stale_after": None},
        {"stale_after": "2099-01-01T00:00:00Z", "valid_for_seconds": "x"},
    ],
)
def test_malformed_validity_of_other_roles_is_a_400_that_names_it(
    desk: Desk, metadata: dict[str, Any]
) -> None:
    body = note(type="trading_decision", metadata=metadata)
    response = desk.client("trading").post(desk.path("memories/"), body)
    assert response.status_code == 400
    assert next(iter(response.json()["fields"])).startswith("metadata.")
    assert not Record.objects.exists()


@pytest.mark.spec("F7")
def test_dates_in_prose_have_no_effect(desk: Desk, now: datetime) -> None:
    plain = desk.write(now=now)
    prose = desk.write(now=now, content="valid until 2099-01-01T00:00:00Z; stale_after 2099")
    assert prose.expires_at == plain.expires_at


@pytest.mark.spec("F6")
@given(offset=st.integers(-14 * 60, 14 * 60), ahead=st.integers(1, 10**8))
def test_an_explicit_moment_is_the_same_in_every_zone(offset: int, ahead: int) -> None:
    now = datetime(2026, 9, 30, 12, tzinfo=UTC)
    moment = now + timedelta(seconds=ahead)
    sign, minutes = ("-" if offset < 0 else "+"), abs(offset)
    local = (moment + timedelta(minutes=offset)).replace(tzinfo=None).isoformat()
    text = f"{local}{sign}{minutes // 60:02}:{minutes % 60:02}"
    assert explicit_deadline({"stale_after": text}, now=now) == moment


@pytest.mark.spec("C4")
def test_a_record_of_a_run_that_later_fails_stays(desk: Desk, now: datetime) -> None:
    run, _, clear = start_run_with_token(
        producer=desk.producers["analysis"], now=now, life=timedelta(hours=1)
    )
    body = bearer(clear).post(desk.path("memories/"), note(instruments=["ETH"])).json()
    finish_run(run=run, status="failed", error="lost the feed", now=now + timedelta(seconds=1))
    context = desk.client("trading").get(desk.path("context/ETH/")).json()
    assert [one["memory_id"] for one in context["evidence"]] == [body["id"]]
    assert context["evidence"][0]["run"]["status"] == "failed"


@pytest.mark.spec("F2")
def test_times_are_written_in_utc_with_a_z() -> None:
    assert iso(datetime(2026, 9, 30, 12, 10, tzinfo=UTC)) == "2026-09-30T12:10:00Z"
