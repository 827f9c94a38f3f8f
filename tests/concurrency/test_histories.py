"""Histories go forward, however writers wait for one another and whatever their clocks say."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db import transaction

from memory.models import ProducerEnablement, RecordChange, Selection, Withdrawal
from memory.policies.versions import Condition
from memory.schemas.setup import ProducerChange
from memory.selectors.setup import producers_of
from memory.services import producers, runs, setup
from tests.concurrency.test_publish import in_own_connection, until_it_waits
from tests.desk import Desk, make_desk, make_instrument

pytestmark = pytest.mark.django_db(transaction=True)

SECOND = timedelta(seconds=1)
NEXT = timedelta(microseconds=1)
ANY = Condition(None)

type Intervals = list[tuple[datetime, datetime | None]]


@pytest.fixture
def desk(transactional_db: None, now: datetime) -> Desk:  # noqa: ARG001 - opens the database first
    return make_desk("ours", now=now)


def switching(desk: Desk, *, enabled: bool, now: datetime) -> Callable[[], Any]:
    producer = producers_of(desk.agent.id).get(id=desk.producers["analysis"].id)
    to = ProducerChange.parse({"enabled": enabled})
    return lambda: producers.change(producer=producer, to=to, condition=ANY, now=now)


def enabled(desk: Desk) -> Intervals:
    rows = ProducerEnablement.objects.filter(producer=desk.producers["analysis"])
    return list(rows.order_by("enabled_at").values_list("enabled_at", "disabled_at"))


def selected(desk: Desk, name: str) -> Intervals:
    rows = Selection.objects.filter(agent=desk.agent, instrument_id=name)
    return list(rows.order_by("selected_at").values_list("selected_at", "deselected_at"))


def follow(intervals: Intervals) -> bool:
    return all(end is not None and end <= begin for (_, end), (begin, _) in pairwise(intervals))


def all_at_once(works: Iterable[Callable[[], Any]], *, threads: int) -> list[Any]:
    with ThreadPoolExecutor(threads) as pool:
        tries = [pool.submit(in_own_connection(work)) for work in works]
        return [one.result() for one in tries]


@pytest.mark.spec("U3", "C11", "E4")
def test_a_change_that_waited_for_later_ones_comes_after_them(desk: Desk, now: datetime) -> None:
    (begin, _), *_ = enabled(desk)
    with ThreadPoolExecutor(1) as pool:
        late = switching(desk, enabled=False, now=now)
        with transaction.atomic():
            switching(desk, enabled=False, now=now + SECOND)()
            switching(desk, enabled=True, now=now + 2 * SECOND)()
            waiting = pool.submit(in_own_connection(late))
            until_it_waits(waiting)
        waiting.result()
    end = now + 2 * SECOND + NEXT
    assert enabled(desk) == [(begin, now + SECOND), (now + 2 * SECOND, end)]


@pytest.mark.spec("U3", "C11", "R3")
def test_a_selection_that_waited_for_its_end_begins_after_it(desk: Desk, now: datetime) -> None:
    (begin, _), *_ = selected(desk, "ETH")
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            assert setup.deselect_instrument(agent=desk.agent, name="ETH", now=now + SECOND)
            waiting = pool.submit(
                in_own_connection(
                    lambda: setup.choose_instrument(agent=desk.agent, name="ETH", now=now)
                )
            )
            until_it_waits(waiting)
        assert waiting.result()[1]
    assert selected(desk, "ETH") == [(begin, now + SECOND), (now + SECOND, None)]


@pytest.mark.spec("U3", "E4")
def test_many_who_switch_a_producer_with_clocks_apart_make_intervals_that_follow(
    desk: Desk, now: datetime
) -> None:
    works = (
        switching(desk, enabled=bool(n % 2), now=now + (n * 7 % 24 - 12) * SECOND)
        for n in range(24)
    )
    all_at_once(list(works), threads=8)
    assert follow(enabled(desk))


@pytest.mark.spec("E2", "E6", "R3")
def test_thirty_who_select_and_deselect_at_once_are_answered_without_a_fault(
    desk: Desk, now: datetime
) -> None:
    make_instrument("SOL", now=now)
    path = desk.path("selections/")

    def choose() -> int:
        return int(desk.browser().post(path, {"instrument": "SOL"}, format="json").status_code)

    def end() -> int:
        return int(desk.browser().delete(f"{path}SOL/").status_code)

    statuses = all_at_once([choose, end] * 15, threads=10)
    assert set(statuses) <= {200, 201, 204, 404}
    assert 201 in statuses
    assert follow(selected(desk, "SOL"))


@pytest.mark.spec("R3", "E6")
def test_what_another_clock_selected_or_enabled_in_the_future_is_ended(
    desk: Desk, now: datetime
) -> None:
    make_instrument("SOL", now=now)
    ahead = now + 5 * SECOND
    setup.select_instrument(agent=desk.agent, name="SOL", now=ahead)
    assert desk.browser().delete(desk.path("selections/SOL/")).status_code == 204
    assert setup.choose_instrument(agent=desk.agent, name="SOL", now=now)[1]
    assert setup.deselect_instrument(agent=desk.agent, name="SOL", now=now)
    first, second = selected(desk, "SOL")
    assert first[0] == ahead
    assert second == (first[1], (first[1] or now) + NEXT)
    switching(desk, enabled=False, now=now)()
    switching(desk, enabled=True, now=ahead)()
    switching(desk, enabled=False, now=now)()
    assert enabled(desk)[-1] == (ahead, ahead + NEXT)


@pytest.mark.spec("R15", "R17", "U3")
def test_what_is_done_to_a_record_by_a_clock_behind_comes_after_what_was_done(
    desk: Desk, now: datetime
) -> None:
    written = desk.write(now=now)
    desk.withdraw(written.id, now=now - 5 * SECOND)
    desk.restore(written.id, now=now - 10 * SECOND)
    desk.withdraw(written.id, now=now + 5 * SECOND)
    desk.erase(written.id, now=now)
    lines = RecordChange.objects.order_by("number").values_list("event", "at")
    assert list(lines) == [
        ("withdrawn", now),
        ("restored", now + NEXT),
        ("withdrawn", now + 5 * SECOND),
        ("erased", now + 5 * SECOND + NEXT),
    ]
    intervals = Withdrawal.objects.order_by("withdrawn_at")
    assert list(intervals.values_list("withdrawn_at", "restored_at")) == [
        (now, now + NEXT),
        (now + 5 * SECOND, None),
    ]


@pytest.mark.spec("R15")
def test_a_restoring_that_waited_for_others_comes_after_them(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            desk.withdraw(written.id, now=now + 3 * SECOND)
            waiting = pool.submit(in_own_connection(lambda: desk.restore(written.id, now=now)))
            until_it_waits(waiting)
        waiting.result()
    interval = Withdrawal.objects.values_list("withdrawn_at", "restored_at").get()
    assert interval == (now + 3 * SECOND, now + 3 * SECOND + NEXT)


@pytest.mark.spec("R5", "U3")
def test_a_run_that_a_clock_behind_finishes_ends_when_it_began(desk: Desk, now: datetime) -> None:
    run = runs.start_run(producer=desk.producers["analysis"], now=now)
    ended = runs.finish_run(run=run, status="succeeded", error="", now=now - 5 * SECOND)
    run.refresh_from_db()
    assert (ended.ended_at, run.ended_at) == (now, now)
