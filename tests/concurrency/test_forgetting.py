"""Strategy memory deleted while others judge, link, merge, purge or delete it (E6, M3, R7)."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError, connection, transaction

from autopilot.models import Session
from autopilot.session.steps import STEPS
from memory.errors import InvalidMemoryLink, NotFound, PreconditionFailed, StandingMerged
from memory.management.progress import Lines
from memory.models import Record, RecordLink, Standing, StandingChange
from memory.policies.versions import Condition
from memory.schemas.standings import ForgetQuery, etag_of_standing
from memory.services import endings, forgetting, verification
from memory.services.forget import forget
from memory.services.purge import purge
from memory.services.standings import Cause
from tests.autopilot.learning.lab import at_once, judged, make_backtest
from tests.autopilot.session.bench import Clock, begin, store_bars, take
from tests.autopilot.session.whole import trends
from tests.concurrency.test_publish import in_own_connection, until_it_waits
from tests.desk import BECAUSE, Desk, make_desk
from tests.faults.gates import WAITS, ask, connect, leave
from tests.memory.library import move
from tests.strategies import end, merge, remember

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)
BY = Cause("test")


@pytest.fixture
def desk(transactional_db: None, now: datetime) -> Desk:  # noqa: ARG001 - opens the database first
    return make_desk("ours", now=now)


def deleting(id_: UUID, *, now: datetime, condition: Condition | None = None) -> Callable[[], None]:
    """Return the deletion of one memory."""

    def work() -> None:
        record = Record.objects.get(id=id_)
        forgetting.forget_one(record=record, by=BY, condition=condition, now=now)

    return work


def clearing(desk: Desk, *, now: datetime, **asked: str) -> Callable[[], int]:
    """Return the deletion of all that matches."""
    query = ForgetQuery.parse(asked)
    return lambda: forgetting.forget_matching(agent_id=desk.agent.id, asked=query, by=BY, now=now)


def after(first: Callable[[], Any], second: Callable[[], Any]) -> BaseException | None:
    """Do `first` in a transaction that ends when `second` waits for it; return what that raised."""
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first()
            late = pool.submit(in_own_connection(second))
            until_it_waits(late)
        return late.exception(timeout=60)


def left() -> set[UUID]:
    return set(Standing.objects.values_list("record_id", flat=True))


def is_whole(desk: Desk) -> None:
    """Nothing is half forgotten, and each that is forgotten was so once."""
    assert [*verification.verify(desk.agent, progress=Lines(StringIO()))] == []
    purged = StandingChange.objects.filter(event="purged").values_list("record_id", flat=True)
    assert len(purged) == len(set(purged)) == Record.objects.exclude(purged_at=None).count()


@pytest.mark.spec("E6", "M3")
def test_of_two_that_delete_the_same_memory_the_second_finds_nothing(
    desk: Desk, now: datetime
) -> None:
    mine = remember(desk, now=now)
    error = after(deleting(mine, now=now), deleting(mine, now=now))
    assert isinstance(error, NotFound)
    is_whole(desk)


@pytest.mark.spec("E6", "M3", "R7")
def test_a_link_that_is_written_first_leads_to_a_tombstone(desk: Desk, now: datetime) -> None:
    mine = remember(desk, now=now)
    link = {"target_memory_id": str(mine), "link_type": "derived_from"}
    written: list[UUID] = []

    def linking() -> None:
        written.append(desk.write("analysis", now=now, links=[link]).id)

    assert after(linking, deleting(mine, now=now)) is None
    assert left() == set()
    assert RecordLink.objects.get().source_id == written[0]
    is_whole(desk)


@pytest.mark.spec("E6", "M3", "R7")
def test_a_link_that_comes_second_is_refused(desk: Desk, now: datetime) -> None:
    mine = remember(desk, now=now)
    link = {"target_memory_id": str(mine), "link_type": "derived_from"}
    error = after(deleting(mine, now=now), lambda: desk.write(now=now, links=[link]))
    assert isinstance(error, InvalidMemoryLink)
    assert not RecordLink.objects.exists()
    is_whole(desk)


@pytest.mark.spec("E4", "E6")
def test_a_deletion_that_waited_for_a_move_sees_that_it_moved(desk: Desk, now: datetime) -> None:
    mine = remember(desk, now=now)
    seen = Condition(frozenset({etag_of_standing(id=mine, revision=1)}))
    error = after(
        lambda: move(mine, now=now, tags=("moved",)), deleting(mine, now=now, condition=seen)
    )
    assert isinstance(error, PreconditionFailed)
    assert left() == {mine}
    assert after(lambda: move(mine, now=now, tags=()), deleting(mine, now=now)) is None
    assert left() == set()
    is_whole(desk)


@pytest.mark.spec("E6", "M9")
def test_a_deletion_that_waited_for_a_merger_leaves_what_was_merged(
    desk: Desk, now: datetime
) -> None:
    mine, survivor = remember(desk, now=now), remember(desk, now=now)
    error = after(lambda: merge(mine, survivor, now=now), deleting(mine, now=now))
    assert isinstance(error, StandingMerged)
    assert left() == {mine, survivor}


@pytest.mark.spec("E6")
@pytest.mark.parametrize(
    ("asked", "to"),
    [
        ({"visibility": "private"}, {"visibility": "community"}),
        ({"tag": "calm"}, {"tags": ("wild",)}),
    ],
)
def test_what_leaves_the_filters_while_it_is_being_deleted_stays(
    desk: Desk, now: datetime, asked: dict[str, str], to: dict[str, Any]
) -> None:
    moved, other = (remember(desk, now=now, tags=["calm"]) for _ in range(2))
    work = clearing(desk, now=now, **asked)
    assert after(lambda: move(moved, now=now, **to), work) is None
    assert left() == {moved}
    assert other not in left()
    is_whole(desk)


@pytest.mark.spec("E6", "M4", "A11")
def test_a_rule_is_judged_before_its_deletion_or_has_ended(desk: Desk, now: datetime) -> None:
    first, second = (remember(desk, now=now - MINUTE, type="rule") for _ in range(2))
    store_bars(now=now)
    test = make_backtest(begin(desk, now=now), now=now)
    judging = {id_: partial(judged, test, id_, now=now) for id_ in (first, second)}
    assert after(judging[first], deleting(first, now=now)) is None
    told = list(
        StandingChange.objects.filter(record_id=first)
        .order_by("revision")
        .values_list("event", flat=True)
    )
    assert told == ["created", "confirmed", "purged"]
    assert after(deleting(second, now=now), judging[second]) is None
    assert StandingChange.objects.filter(record_id=second).count() == 2
    is_whole(desk)


@pytest.mark.spec("E6", "A11", "M3")
@pytest.mark.parametrize("every", [1, 3])
def test_a_session_whose_memory_is_deleted_under_it_goes_on_to_its_end(
    desk: Desk, now: datetime, every: int
) -> None:
    store_bars(now=now)
    for type_ in ("rule", "strategy_insight"):
        remember(desk, now=now - MINUTE, type=type_, tags=["trend"], strategy_type="momentum")
    clock = Clock(now)
    session = begin(desk, now=clock(), max_iterations=4)
    player, taken = trends(), 0
    while more := take(session.id, clock=clock, steps=STEPS, provider=player, at_most=every):
        taken += more
        clearing(desk, now=clock(), all="true")()
    session = Session.objects.get(id=session.id)
    assert session.status == "succeeded", session.error
    assert taken > 20
    is_whole(desk)


@pytest.mark.spec("E6", "M3", "M9")
@pytest.mark.parametrize("seed", range(3))
def test_eight_that_delete_and_purge_overlapping_groups_block_nobody(
    desk: Desk, now: datetime, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "BATCH", 3)
    ids = [remember(desk, now=now + n * MINUTE, tags=["calm"]) for n in range(-24, 0)]
    # A survivor stands before or after what is merged into it.
    for place in range(0, 24, 4):
        into, merged = (place, place + 2) if (place + seed) % 8 else (place + 2, place)
        merge(ids[merged], ids[into], now=now)
    alone = [id_ for n, id_ in enumerate(ids) if n % 2]
    for id_ in alone[::3]:
        end(id_, now=now - timedelta(days=30))
    barrier = threading.Barrier(8)

    def together(work: Callable[[], Any]) -> Callable[[], Any]:
        def waiting() -> Any:
            barrier.wait()
            return work()

        return waiting

    works: list[Callable[[], Any]] = [
        clearing(desk, now=now, all="true"),
        clearing(desk, now=now, tag="calm"),
        clearing(desk, now=now, type="strategy_insight"),
        lambda: purge(by=BY, now=now),
        lambda: forget(agent_id=desk.agent.id, record_ids=ids[::-1], by=BY, now=now),
        lambda: forget(agent_id=desk.agent.id, record_ids=ids[::2], by=BY, now=now),
        clearing(desk, now=now, visibility="private"),
        clearing(desk, now=now, all="true"),
    ]
    at_once([together(work) for work in works])
    assert left() == set()
    is_whole(desk)


@pytest.mark.spec("E6", "M3")
def test_a_kill_between_batches_leaves_each_memory_whole_and_the_rest_to_the_next_try(
    desk: Desk, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "BATCH", 2)
    ids = [remember(desk, now=now + n * MINUTE, tags=["calm"]) for n in range(-7, 0)]
    work = clearing(desk, now=now, tag="calm")
    held = connect()
    held.execute("SELECT 1 FROM memory_record WHERE id = %s FOR NO KEY UPDATE", [ids[2]])
    mine = held.info.backend_pid
    with ThreadPoolExecutor(1) as pool:
        killed = pool.submit(in_own_connection(work))
        # Two batches are committed, and the third stands where it empties what it has told of.
        while (victim := ask(WAITS, {"holder": mine, "not": [mine]})) is None:
            assert not killed.done()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(%s)", [victim])
        assert isinstance(killed.exception(timeout=60), OperationalError)
    leave(held)
    assert left() == set(ids[:3])
    is_whole(desk)
    assert work() == 3
    assert left() == set()
    is_whole(desk)


@pytest.mark.spec("O5", "M3")
def test_who_restores_what_is_being_purged_is_too_late_or_in_time(
    desk: Desk, now: datetime
) -> None:
    late, early = (remember(desk, now=now - MINUTE) for _ in range(2))
    for id_ in (late, early):
        end(id_, now=now)
    own: dict[str, Any] = {"agent_id": desk.agent.id}
    error = after(
        lambda: forget(record_ids=[late], by=BY, now=now, **own),
        lambda: endings.restore(record_id=late, now=now, **own, **BECAUSE),
    )
    assert isinstance(error, NotFound)
    with pytest.raises(NotFound):
        endings.restore(record_id=late, now=now, **own, **BECAUSE)
    # What is restored first lives on: a purge asks behind the lock whether it is over still.
    endings.restore(record_id=early, now=now, **own, **BECAUSE)
    purge(by=BY, now=now + timedelta(days=30))
    assert left() == {early}
    is_whole(desk)
