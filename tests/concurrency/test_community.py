"""Copies under many at once: each judgement counts, and what is withdrawn is gone (SPEC M8)."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from memory.errors import MemoryEnded, NotFound, SharingOff
from memory.models import SharedChange, SharedMemory, SharedTail, Standing, StandingChange
from memory.policies.community import CopyState, replay
from memory.policies.lifecycle import deprecate
from memory.services import community, standings
from memory.services.copies import state_of
from memory.services.forget import forget
from memory.services.standings import Cause
from tests.community import OWNER, judged, let_share, proven, ruled, shared
from tests.concurrency.test_publish import in_own_connection, until_it_waits
from tests.desk import Desk, make_desk
from tests.memory.test_verify_memory import verified

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(transactional_db: None, now: datetime) -> Desk:  # noqa: ARG001 - opens the database first
    made = make_desk("ours", now=now)
    let_share(made.agent)
    return made


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """Begin all works together, each on a connection of its own; return what came of each."""
    barrier = threading.Barrier(len(works))

    def one(work: Callable[[], Any]) -> Callable[[], Any]:
        def begun() -> Any:
            barrier.wait()
            return work()

        return in_own_connection(begun)

    with ThreadPoolExecutor(len(works)) as pool:
        futures = [pool.submit(one(work)) for work in works]
    return [future.exception() or future.result() for future in futures]


def late(pool: ThreadPoolExecutor, work: Callable[[], Any]) -> Future[Any]:
    """Begin a work that has to wait for this connection; return once it does."""
    future = pool.submit(in_own_connection(work))
    until_it_waits(future)
    return future


def told_of(copy_id: UUID) -> CopyState | None:
    """Return what the lines of a copy come to."""
    lines = SharedChange.objects.filter(shared_id=copy_id).order_by("revision")
    return replay([(line.revision, line.before, line.after) for line in lines])


@pytest.mark.spec("M8", "M4")
def test_eight_agents_that_judge_at_once_count_once_each(desk: Desk, now: datetime) -> None:
    rule = ruled(desk, [proven(desk, now=now)], now=now, confidence="0.1")
    copy = shared(desk, rule, now=now)
    before = standings.moving_of(Standing.objects.get(record_id=rule))
    others = [make_desk(f"other {number}", now=now) for number in range(8)]
    backtests = {other.agent.id: uuid4() for other in others}
    # Each tries twice: a step whose worker died is done again.
    works = [
        lambda one=other: judged(
            copy.id, one, "confirms", backtest=backtests[one.agent.id], now=now
        )
        for other in others * 2
    ]
    came = at_once(*works)
    assert came.count("already") == 8
    moved = [one for one in came if one != "already"]
    assert sorted(one.after.confidence for one in moved) == [
        Decimal(tenths) / 10 for tenths in range(2, 10)
    ]
    stored = SharedMemory.objects.get(id=copy.id)
    assert stored.confidence == Decimal("0.9")
    assert (stored.validated_count, stored.community_confirmations) == (9, 8)
    assert stored.revision == 9
    assert told_of(copy.id) == state_of(stored)
    assert standings.moving_of(Standing.objects.get(record_id=rule)) == before


@pytest.mark.spec("M8", "M4")
def test_a_copy_that_many_contradict_ends_once(desk: Desk, now: datetime) -> None:
    copy = shared(desk, ruled(desk, [proven(desk, now=now)], now=now, confidence="0.35"), now=now)
    others = [make_desk(f"other {number}", now=now) for number in range(8)]
    came = at_once(
        *[lambda one=other: judged(copy.id, one, "contradicts", now=now) for other in others]
    )
    assert came.count("ended") == 5
    events = SharedChange.objects.filter(shared_id=copy.id).order_by("revision")
    assert [line.event for line in events] == [
        *("shared", "contradicted", "contradicted", "deprecated")
    ]
    assert SharedMemory.objects.get(id=copy.id).expires_at == now


@pytest.mark.spec("M8")
def test_one_of_many_that_share_at_once_makes_the_copy(desk: Desk, now: datetime) -> None:
    record = proven(desk, now=now)
    came = at_once(
        *[
            lambda: community.share(agent_id=desk.agent.id, record_id=record, by=OWNER, now=now)
            for _ in range(6)
        ],
        lambda: community.promote(agent_id=desk.agent.id, record_id=record, now=now),
    )
    assert (
        sum(is_new for _, is_new in came[:6])
        + (StandingChange.objects.filter(cause_kind="promotion").count())
        == 1
    )
    assert {copy.id for copy, _ in came[:6]} == {SharedMemory.objects.get().id}
    assert StandingChange.objects.filter(record_id=record, event="shared").count() == 1
    assert SharedTail.objects.get().text_records == 1


@pytest.mark.spec("M8")
def test_a_judgement_that_waits_for_a_withdrawal_finds_nothing(desk: Desk, now: datetime) -> None:
    record, other = proven(desk, now=now), make_desk("other", now=now)
    copy = shared(desk, record, now=now)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            community.unshare(agent_id=desk.agent.id, record_id=record, by=OWNER, now=now)
            judging = late(pool, lambda: judged(copy.id, other, "confirms", now=now))
        assert judging.result() == "ended"
    assert not SharedMemory.objects.exists()
    assert not SharedChange.objects.exists()


@pytest.mark.spec("M8")
def test_a_withdrawal_that_waits_for_a_judgement_tells_of_it_and_takes_it(
    desk: Desk, now: datetime
) -> None:
    record, other = proven(desk, now=now), make_desk("other", now=now)
    copy = shared(desk, record, now=now)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            judged(copy.id, other, "confirms", now=now)
            going = late(
                pool,
                lambda: community.unshare(
                    agent_id=desk.agent.id, record_id=record, by=OWNER, now=now
                ),
            )
            assert SharedMemory.objects.filter(id=copy.id).exists()
        going.result()
    assert not SharedChange.objects.exists()
    line = StandingChange.objects.get(record_id=record, event="unshared")
    assert line.detail["copy"]["community_confirmations"] == 1


@pytest.mark.spec("M8", "M3")
def test_a_judgement_that_waits_for_the_authors_deletion_finds_nothing(
    desk: Desk, now: datetime
) -> None:
    record, other = proven(desk, now=now), make_desk("other", now=now)
    copy = shared(desk, record, now=now)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            forget(agent_id=desk.agent.id, record_ids=[record], by=OWNER, now=now)
            judging = late(pool, lambda: judged(copy.id, other, "contradicts", now=now))
        assert judging.result() == "ended"
    assert not SharedMemory.objects.exists()
    assert verified()["ok"]


@pytest.mark.spec("M8", "M3")
def test_a_deletion_that_waits_for_a_judgement_takes_the_copy_all_the_same(
    desk: Desk, now: datetime
) -> None:
    record, other = proven(desk, now=now), make_desk("other", now=now)
    copy = shared(desk, record, now=now)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            judged(copy.id, other, "confirms", now=now)
            going = late(
                pool,
                lambda: forget(agent_id=desk.agent.id, record_ids=[record], by=OWNER, now=now),
            )
        assert going.result() == [record]
    assert not SharedMemory.objects.exists()
    assert verified()["ok"]


@pytest.mark.spec("M8", "M3")
def test_sharing_what_is_deleted_or_ended_meanwhile_is_refused(desk: Desk, now: datetime) -> None:
    gone, ended = proven(desk, now=now), proven(desk, now=now)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            forget(agent_id=desk.agent.id, record_ids=[gone], by=OWNER, now=now)
            first = late(pool, lambda: shared(desk, gone, now=now))
        assert isinstance(first.exception(), NotFound)
        with transaction.atomic():
            standings.move(
                agent_id=desk.agent.id,
                record_id=ended,
                event="deprecated",
                cause=Cause("test"),
                step=lambda was: deprecate(was, now=now),
                now=now,
            )
            second = late(pool, lambda: shared(desk, ended, now=now))
        assert isinstance(second.exception(), MemoryEnded)
    assert not SharedMemory.objects.exists()


@pytest.mark.spec("M8")
def test_what_waits_for_sharing_to_be_turned_off_is_not_shared(desk: Desk, now: datetime) -> None:
    record = proven(desk, now=now)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            let_share(desk.agent, enabled=False)
            sharing = late(pool, lambda: shared(desk, record, now=now))
        assert isinstance(sharing.exception(), SharingOff)
    assert not SharedMemory.objects.exists()


@pytest.mark.spec("M8")
def test_turning_off_waits_for_what_is_being_shared(desk: Desk, now: datetime) -> None:
    record = proven(desk, now=now)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            copy = shared(desk, record, now=now)
            turning = late(pool, lambda: let_share(desk.agent, enabled=False))
        turning.result()
    assert SharedMemory.objects.get() == copy


@pytest.mark.spec("M8", "M3")
def test_sharing_withdrawing_judging_and_deleting_at_once_leave_what_must_be(
    desk: Desk, now: datetime
) -> None:
    records = [proven(desk, f"memory {number}", now=now) for number in range(6)]
    copies = [shared(desk, record, now=now) for record in records[:4]]
    others = [make_desk(f"other {number}", now=now) for number in range(3)]

    def quietly(service: Callable[..., Any], record: UUID) -> Callable[[], Any]:
        def attempt() -> Any:
            try:
                return service(record_id=record, **ids)
            except NotFound as gone:
                return gone.code

        return attempt

    ids: dict[str, Any] = {"agent_id": desk.agent.id, "by": OWNER, "now": now}
    works = [
        *[
            lambda one=other, two=copy: judged(two.id, one, "contradicts", now=now)
            for other in others
            for copy in copies
        ],
        *[quietly(community.unshare, one) for one in records[:2]],
        *[quietly(community.share, one) for one in records],
        lambda: forget(record_ids=records[1:3], **ids),
        lambda: forget(record_ids=records[4:5], **ids),
    ]
    came = at_once(*works)
    assert [one for one in came if isinstance(one, Exception)] == []
    left = set(SharedMemory.objects.values_list("source_id", flat=True))
    assert left <= {records[0], records[3], records[5]}
    assert {records[3], records[5]} <= left
    assert SharedTail.objects.get().text_records == len(left)
    assert verified()["ok"]
