"""Each due boundary of a producer with the built-in analyst has one run (SPEC J1, A12)."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_q.exceptions import TimeoutException
from django_q.models import OrmQ

from autopilot import tasks
from autopilot.crew import dispatch
from autopilot.crew.lenses import LENSES, Reading
from memory.models import Instrument, JobRun, Producer, Record, Run
from memory.services import setup
from memory.services.runners import choose_runner
from memory.services.runs import start_run, time_out
from tests.autopilot.built_in import built_in, queued, run_of, told_of, work
from tests.autopilot.session.bench import Clock, in_own_connection, store_bars
from tests.desk import LEAD, Desk, make_desk, make_instrument
from trading.models import IndicatorRun

MINUTE = timedelta(minutes=1)
BOUNDARY = datetime(2026, 9, 30, 12, 0, tzinfo=UTC)
"""Of the world's `now`, which is 67 seconds later."""


def dispatched(*, now: datetime) -> dict[str, int]:
    return dispatch.dispatch(now=now)


@pytest.mark.spec("J1", "A12", "F8", "F2", "H3")
def test_a_due_boundary_is_run_once_for_each_selected_instrument(desk: Desk, now: datetime) -> None:
    producer = built_in(desk, now=now)
    for name in ("BTC", "ETH"):
        store_bars(now=now, instrument=name, timeframe="5m")
    assert dispatched(now=now) == {"started": 1, "failed": 0}
    run = run_of(producer, at=now)
    assert (run.status, run.schedule, run.started_at) == ("running", "5m", now)
    assert queued() == [str(run.id)]
    assert work(now=now) == ["succeeded"]
    run.refresh_from_db()
    assert (run.status, run.error) == ("succeeded", "")
    assert told_of(run) == ["BTC", "ETH"]
    for record in Record.objects.filter(run_id=run.id):
        assert record.type == "trend_setup"
        assert record.metadata["evidence_boundary"] == "2026-09-30T12:00:00Z"
        assert record.stale_after == BOUNDARY + 10 * MINUTE
        assert now < record.created_at < now + MINUTE
        [source] = record.metadata["sources"]
        stored = IndicatorRun.objects.get(id=UUID(source["indicator_run_id"]))
        assert stored.run_id == run.id
        assert source["closed_at"] == "2026-09-30T12:00:00Z"
    # The boundary has had its run.
    for later in (now, now + MINUTE, now + 3 * MINUTE):
        assert dispatched(now=later) == {"started": 0, "failed": 0}
    assert dispatched(now=now + 4 * MINUTE)["started"] == 1


@pytest.mark.spec("J1", "J2")
def test_the_minutes_job_queues_what_a_worker_then_does(desk: Desk, now: datetime) -> None:
    producer = built_in(desk, now=now)
    minute = now.replace(second=0).isoformat()
    assert tasks.dispatch_analysis(intended=minute) == "succeeded"
    assert tasks.dispatch_analysis(intended=minute) == "skipped"
    assert JobRun.objects.get(name="analysis_dispatcher").result == {"started": 1, "failed": 0}
    row = OrmQ.objects.get().task
    assert (row["func"], list(row["kwargs"])) == ("autopilot.tasks.run_analysis", ["run_id"])
    assert tasks.run_analysis(**row["kwargs"]) == "succeeded"
    assert tasks.run_analysis(**row["kwargs"]) == "over"
    assert told_of(run_of(producer, at=now)) == ["BTC", "ETH"]


@pytest.mark.spec("J1", "A12")
def test_the_chosen_timeframe_and_lens_are_read(desk: Desk, now: datetime) -> None:
    built_in(desk, now=now, lens="reversion", timeframe="1h")
    store_bars(now=now, instrument="ETH", timeframe="1h")
    dispatched(now=now)
    work(now=now)
    record = Record.objects.get(type="reversion_setup", targets__instrument_id="ETH")
    assert record.timeframe == "1h"
    assert "indicator_run_id" in record.metadata["sources"][0]


@pytest.mark.spec("A12", "H1", "C1")
@pytest.mark.parametrize(("age", "is_read"), [(2, True), (3, False), (72, False)])
def test_a_market_is_not_read_from_bars_that_are_not_current(
    desk: Desk, now: datetime, age: int, is_read: bool
) -> None:
    built_in(desk, now=now, timeframe="1h")
    store_bars(now=now - age * 60 * MINUTE, instrument="ETH", timeframe="1h")
    dispatched(now=now)
    assert work(now=now) == ["succeeded"]
    record = Record.objects.get(type="trend_setup", targets__instrument_id="ETH")
    view, (source,) = record.metadata["interpretation"], record.metadata["sources"]
    assert ("indicator_run_id" in source) is is_read
    if not is_read:
        closed = BOUNDARY - age * 60 * MINUTE
        assert f"no reading, the newest bar closed at {closed:%Y-%m-%d %H:%M} UTC" in record.content
        assert view == {"bias": "unknown", "setup_status": "unavailable"}


@pytest.mark.spec("J1", "C5")
def test_a_producer_with_a_caller_of_its_own_is_left_alone(desk: Desk, now: datetime) -> None:
    # The desk's own is enabled, scheduled and due.
    assert dispatched(now=now) == {"started": 0, "failed": 0}
    start_run(producer=desk.producers["analysis"], now=now)
    mine = built_in(desk, now=now)
    # What a caller does with the server's producer is the caller's affair.
    start_run(producer=mine, now=now)
    assert dispatched(now=now)["started"] == 1


@pytest.mark.spec("J1", "F3")
@pytest.mark.parametrize(
    ("story", "runs"),
    [
        ([], True),
        ([("disable", -1)], False),
        ([("disable", 0)], False),
        ([("disable", 1)], False),
        ([("disable", -2), ("enable", -1)], True),
        ([("disable", -2), ("enable", 0)], True),
        ([("disable", -2), ("enable", 0.5)], False),
        ([("disable", 0.2), ("enable", 0.5)], True),
        ([("caller", 0.5)], False),
        ([("caller", -2), ("built_in", -1)], True),
        ([("caller", -2), ("built_in", 0)], True),
        # Its caller may have run that boundary.
        ([("caller", -2), ("built_in", 0.5)], False),
    ],
)
def test_it_has_to_be_the_servers_and_enabled_at_the_boundary_and_still(
    desk: Desk, now: datetime, story: list[tuple[str, float]], runs: bool
) -> None:
    producer = built_in(desk, now=now)
    for what, minutes in story:
        at = BOUNDARY + minutes * MINUTE
        if what == "disable":
            setup.disable_producer(producer=producer, now=at)
        elif what == "enable":
            setup.enable_producer(producer=producer, now=at)
        else:
            lens = "trend" if what == "built_in" else None
            choose_runner(producer=producer, runner=what, lens=lens, timeframe=None, now=at)
    assert dispatched(now=now) == {"started": int(runs), "failed": 0}


@pytest.mark.spec("J1", "J3", "A12")
def test_after_downtime_the_latest_due_boundary_is_run_alone_and_once(
    desk: Desk, now: datetime
) -> None:
    producer = built_in(desk, now=now)
    daily = built_in(desk, "daily", now=now, schedule="1d")
    dispatched(now=now)
    back = now + timedelta(minutes=32)
    assert dispatched(now=back)["started"] == 1
    assert dispatched(now=back + MINUTE)["started"] == 0
    found = Run.objects.filter(producer=producer).order_by("evidence_boundary")
    assert [run.evidence_boundary for run in found] == [BOUNDARY, BOUNDARY + 30 * MINUTE]
    assert Run.objects.get(producer=daily).evidence_boundary == BOUNDARY.replace(hour=0)


@pytest.mark.spec("J1", "J3")
def test_what_was_queued_before_downtime_is_passed_over_once_a_later_boundary_is_due(
    desk: Desk, now: datetime
) -> None:
    producer = built_in(desk, now=now)
    dispatched(now=now)
    back = now + timedelta(minutes=33)
    dispatched(now=back)
    assert work(now=back) == ["failed", "succeeded"]
    old = run_of(producer, at=now)
    assert old.error == "passed_over: when somebody came to it, 2026-09-30 12:30 was due"
    assert told_of(old) == []
    assert told_of(run_of(producer, at=back)) == ["BTC", "ETH"]


@pytest.mark.spec("J1", "R3")
def test_what_was_not_selected_at_the_boundary_or_is_not_any_more_is_left_out(
    desk: Desk, now: datetime
) -> None:
    producer = built_in(desk, now=now)
    for name in ("DOGE", "GONE", "LATE", "SOL", "XRP"):
        make_instrument(name, now=now - LEAD)
        at = now - LEAD if name != "LATE" else BOUNDARY + timedelta(seconds=1)
        setup.select_instrument(agent=desk.agent, name=name, now=at)
    # DOGE goes before the boundary, XRP after it, SOL goes and comes again between.
    setup.deselect_instrument(agent=desk.agent, name="DOGE", now=BOUNDARY)
    setup.deselect_instrument(agent=desk.agent, name="XRP", now=BOUNDARY + timedelta(seconds=9))
    setup.deselect_instrument(agent=desk.agent, name="SOL", now=BOUNDARY - 2 * MINUTE)
    setup.select_instrument(agent=desk.agent, name="SOL", now=BOUNDARY - MINUTE)
    Instrument.objects.filter(id="GONE").update(is_active=False)
    dispatched(now=now)
    # And this one after the dispatch.
    setup.deselect_instrument(agent=desk.agent, name="BTC", now=now)
    assert work(now=now) == ["succeeded"]
    assert told_of(run_of(producer, at=now)) == ["ETH", "SOL"]


@pytest.mark.spec("J1")
def test_an_agent_without_instruments_has_a_run_that_says_nothing(
    desk: Desk, now: datetime
) -> None:
    producer = built_in(desk, now=now)
    for name in ("BTC", "ETH"):
        setup.deselect_instrument(agent=desk.agent, name=name, now=BOUNDARY - MINUTE)
    dispatched(now=now)
    assert work(now=now) == ["succeeded"]
    assert told_of(run_of(producer, at=now)) == []


@pytest.mark.spec("J1", "X1")
def test_each_agent_is_served_with_its_own_instruments(
    desk: Desk, other: Desk, now: datetime
) -> None:
    setup.deselect_instrument(agent=other.agent, name="BTC", now=now - LEAD / 2)
    mine, theirs = built_in(desk, now=now), built_in(other, now=now)
    assert dispatched(now=now)["started"] == 2
    assert work(now=now) == ["succeeded", "succeeded"]
    for producer, names in ((mine, ["BTC", "ETH"]), (theirs, ["ETH"])):
        run = run_of(producer, at=now)
        assert told_of(run) == names
        records = Record.objects.filter(run_id=run.id)
        assert set(records.values_list("agent_id", flat=True)) == {producer.agent_id}


REFUSE_BTC = """
CREATE FUNCTION test_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'no room for this one'; END $$;
CREATE TRIGGER test_refuse BEFORE INSERT ON memory_target FOR EACH ROW
    WHEN (NEW.instrument_id = 'BTC') EXECUTE FUNCTION test_refuse();
"""


@pytest.mark.spec("J1", "C4", "C5", "R6")
def test_one_instrument_that_fails_keeps_none_of_the_others(desk: Desk, now: datetime) -> None:
    producer = built_in(desk, now=now)
    for name in ("BTC", "ETH"):
        store_bars(now=now, instrument=name, timeframe="5m")
    dispatched(now=now)
    with connection.cursor() as cursor:
        cursor.execute(REFUSE_BTC)
    assert work(now=now) == ["failed"]
    run = run_of(producer, at=now)
    assert run.error == "instruments_failed: 1 of 2: BTC (ProgrammingError)"
    assert told_of(run) == ["ETH"]
    # Nothing is left of the one that failed, and what was published is served.
    assert IndicatorRun.objects.get().instrument_id == "ETH"
    context = desk.client("trading").get(desk.path("context/ETH/")).json()
    assert [one["type"] for one in context["evidence"]] == ["trend_setup"]
    assert dispatched(now=now + 5 * MINUTE)["started"] == 1


REFUSE_RUN = """
CREATE FUNCTION test_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'no run for this one'; END $$;
CREATE TRIGGER test_refuse BEFORE INSERT ON memory_run FOR EACH ROW
    WHEN (NEW.producer_id = '{producer}') EXECUTE FUNCTION test_refuse();
"""


@pytest.mark.spec("J1", "C5")
def test_a_producer_whose_run_cannot_be_started_keeps_no_other_from_it(
    desk: Desk, now: datetime
) -> None:
    found = [built_in(desk, f"p{number}", now=now) for number in range(3)]
    found.sort(key=lambda one: one.id)
    with connection.cursor() as cursor:
        cursor.execute(REFUSE_RUN.format(producer=found[1].id))
    assert dispatched(now=now) == {"started": 2, "failed": 1}
    assert len(queued()) == 2


@pytest.mark.spec("J1", "C4", "J2")
def test_a_run_that_was_cut_off_goes_on_where_it_was_and_doubles_nothing(
    desk: Desk, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    producer = built_in(desk, now=now)
    for name in ("BTC", "ETH"):
        store_bars(now=now, instrument=name, timeframe="5m")
    dispatched(now=now)
    [run_id] = queued()
    seen: list[float] = []

    def read(observations: Any) -> Reading:
        seen.append(observations["close"])
        if len(seen) == 2:
            # As the queue does it when a task takes too long.
            raise TimeoutException("Task exceeded maximum timeout value")
        return LENSES["reversion"].read(observations)

    cut_off = replace(LENSES["reversion"], read=read)
    monkeypatch.setitem(LENSES, "trend", cut_off)
    with pytest.raises(TimeoutException):
        dispatch.carry_out(run_id=UUID(run_id), clock=Clock(now))
    run = run_of(producer, at=now)
    assert (run.status, told_of(run)) == ("running", ["BTC"])
    # Whatever it would say of BTC by now, that is said.
    choose_runner(producer=producer, runner="built_in", lens="reversion", timeframe="1h", now=now)
    assert work(now=now + MINUTE) == ["succeeded"]
    assert told_of(run) == ["BTC", "ETH"]
    assert Run.objects.get(id=run.id).status == "succeeded"


@pytest.mark.spec("J1", "C4")
def test_a_run_that_nobody_comes_to_is_failed_in_the_next_cycle(desk: Desk, now: datetime) -> None:
    for schedule, minutes in (("5m", 10), ("4h", 245), ("1d", 24 * 60 + 5)):
        producer = built_in(desk, schedule, now=now, schedule=schedule)
        dispatched(now=now)
        run = run_of(producer, at=now)
        assert run.evidence_boundary is not None
        deadline = run.evidence_boundary + minutes * MINUTE
        assert time_out(now=deadline - timedelta(seconds=1)) == 0
        assert time_out(now=deadline) == 1
    assert work(now=now + timedelta(days=1)) == ["over"] * 3
    assert not Record.objects.exists()


@pytest.mark.spec("J1")
def test_a_producer_that_is_no_longer_the_servers_is_not_run(desk: Desk, now: datetime) -> None:
    first, second = built_in(desk, "first", now=now), built_in(desk, "second", now=now)
    dispatched(now=now)
    choose_runner(producer=first, runner="caller", lens=None, timeframe=None, now=now)
    setup.disable_producer(producer=second, now=now)
    assert work(now=now) == ["failed", "failed"]
    assert run_of(first, at=now).error.startswith("not_built_in: ")
    assert run_of(second, at=now).error.startswith("disabled: ")
    assert not Record.objects.exists()


@pytest.mark.spec("J1", "R5")
def test_a_run_that_somebody_has_finished_is_over(desk: Desk, now: datetime) -> None:
    producer = built_in(desk, now=now)
    dispatched(now=now)
    run = run_of(producer, at=now)
    ended = desk.browser().post(f"/api/v1/runs/{run.id}/finish/", {"status": "failed"})
    assert ended.status_code == 200
    assert work(now=now) == ["over"]
    assert told_of(run) == []


@pytest.mark.spec("J1")
def test_what_is_due_costs_one_statement(desk: Desk, now: datetime) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as said:
            list(dispatch.due(now=now))
        return len(said)

    for number, schedule in enumerate(("5m", "15m", "1h", "1d")):
        built_in(desk, f"p{number}", now=now, schedule=schedule)
    assert len(dispatch.due(now=now)) == 4
    assert cost() == 1


@pytest.fixture
def crowd(transactional_db: None, now: datetime) -> Desk:
    """Return a desk that threads see, with bars to read."""
    del transactional_db
    desk = make_desk("ours", now=now)
    for name in ("BTC", "ETH"):
        store_bars(now=now, instrument=name, timeframe="5m", count=200)
    return desk


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("J1", "J2")
def test_of_eight_dispatchers_at_once_each_boundary_has_one_run_and_one_row(
    crowd: Desk, now: datetime
) -> None:
    made = [built_in(crowd, f"p{number}", now=now) for number in range(5)]
    with ThreadPoolExecutor(8) as pool:
        one = in_own_connection(lambda: dispatched(now=now))
        counts = [done.result() for done in [pool.submit(one) for _ in range(8)]]
    assert sum(each["started"] for each in counts) == 5
    assert sum(each["failed"] for each in counts) == 0
    assert set(Run.objects.values_list("producer_id", flat=True)) == {one.id for one in made}
    assert sorted(queued()) == sorted(str(one) for one in Run.objects.values_list("id", flat=True))


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("J1", "J2", "C4")
def test_of_eight_workers_at_one_run_each_instrument_has_one_record(
    crowd: Desk, now: datetime
) -> None:
    producer = built_in(crowd, now=now)
    dispatched(now=now)
    [run_id] = queued()

    def one() -> str:
        return dispatch.carry_out(run_id=UUID(run_id), clock=Clock(now))

    with ThreadPoolExecutor(8) as pool:
        ended = [done.result() for done in [pool.submit(in_own_connection(one)) for _ in range(8)]]
    assert sorted(ended) == [*["over"] * 7, "succeeded"]
    run = run_of(producer, at=now)
    assert told_of(run) == ["BTC", "ETH"]
    assert IndicatorRun.objects.count() == 2


@pytest.mark.spec("J1", "J3")
def test_its_schedule_is_declared_for_each_minute(desk: Desk, now: datetime) -> None:
    del desk, now
    from django_q.models import Schedule  # noqa: PLC0415

    call_command("schedules", "sync")
    for name in ("analysis_dispatcher", "run_timeouts"):
        assert Schedule.objects.get(name=name).minutes == 1


@pytest.mark.spec("J1", "E6")
def test_a_producer_that_the_server_runs_is_not_silent(desk: Desk, now: datetime) -> None:
    built_in(desk, now=now)
    Producer.objects.filter(id=desk.producers["analysis"].id).update(schedule=None)
    client = desk.client("review")
    told = client.get("/health/status/").json()["silent_producers"]
    assert [one["name"] for one in told] == ["built-in"]
    dispatched(now=now)
    assert client.get("/health/status/").json()["silent_producers"] == []
