"""Who holds several standings takes them in one order, whatever is done with them (M3, M8, M9)."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db import OperationalError, connection, transaction
from psycopg.errors import DeadlockDetected

from memory.errors import TidebookError
from memory.models import Record, SharedMemory, Standing
from memory.schemas.standings import ForgetQuery
from memory.services import community, duplicates, forgetting, standings
from memory.services.forget import forget
from memory.services.purge import purge
from memory.services.standings import Cause, moving_of, replayed
from memory.services.whole import TRIES, whole
from tests.community import judged, let_share, proven
from tests.concurrency.test_publish import in_own_connection
from tests.desk import Desk, make_desk
from tests.faults.gates import WAITS, ask, connect, leave
from tests.memory.test_verify_memory import verified
from tests.strategies import merge

pytestmark = pytest.mark.django_db(transaction=True)

BY = Cause("user", "1")
MINUTE = timedelta(minutes=1)
WAYS = (
    "Long breakouts on 1h work when volume is above {n}x its average.",
    "On 1h, buy the breakout with volume over {n}x its mean: it works.",
    "Volume greater than {n}x the average made long breakouts on 1h profitable.",
)
HOLD = "SELECT 1 FROM memory_standing WHERE record_id = %s FOR UPDATE"
FREE = "SELECT record_id FROM memory_standing WHERE record_id > %s FOR UPDATE SKIP LOCKED"


@pytest.fixture
def desk(transactional_db: None, now: datetime) -> Desk:  # noqa: ARG001 - opens the database first
    made = make_desk("ours", now=now)
    let_share(made.agent)
    return made


@pytest.fixture
def group(desk: Desk, now: datetime) -> list[UUID]:
    """An old member, merged into a younger one that is trusted more, and one yet to be merged."""
    old, best, more = (
        proven(desk, way.format(n=2), now=now + n * MINUTE, confidence=confidence)
        for n, (way, confidence) in enumerate(zip(WAYS, ("0.5", "0.7", "0.9"), strict=True))
    )
    merge(old, best, now=now + 5 * MINUTE)
    return [old, best, more]


def doing(desk: Desk, what: str, ids: list[UUID], *, now: datetime) -> Callable[[], Any]:
    """Return something that moves or takes several standings of the group."""
    own: dict[str, Any] = {"agent_id": desk.agent.id, "by": BY, "now": now}
    works: dict[str, Callable[[], Any]] = {
        "merge": lambda: duplicates.merge(**own),
        "undo": lambda: duplicates.undo(record_id=ids[-1], **own),
        "forget": lambda: forget(record_ids=[ids[-1]], **own),
        "forget one": lambda: forgetting.forget_one(
            record=Record.objects.get(id=ids[-1]), by=BY, condition=None, now=now
        ),
        "point": lambda: merge(ids[-1], ids[0], now=now),
    }
    return in_own_connection(works[what])


@pytest.mark.spec("M9", "M3")
@pytest.mark.parametrize("what", ["merge", "undo", "forget", "forget one", "point"])
def test_who_waits_for_the_first_of_several_holds_none_of_the_others(
    desk: Desk, group: list[UUID], now: datetime, what: str
) -> None:
    then = now + timedelta(hours=1)
    if what not in ("merge", "point"):
        duplicates.merge(agent_id=desk.agent.id, by=BY, now=then)
    held = connect()
    held.execute(HOLD, [group[0]])
    mine = held.info.backend_pid
    with ThreadPoolExecutor(1) as pool:
        try:
            late = pool.submit(doing(desk, what, group, now=then))
            while ask(WAITS, {"holder": mine, "not": [mine]}) is None:
                assert not late.done(), "it never waited"
            free = {row[0] for row in held.execute(FREE, [group[0]]).fetchall()}
            assert free == set(group[1:])
        finally:
            leave(held)
        if what == "point":
            # What stands for another is itself merged into none.
            assert late.exception(timeout=60) is not None
        else:
            late.result(timeout=60)
    assert verified()["ok"]


@pytest.mark.spec("M9", "M4")
def test_a_move_of_a_merged_member_waits_for_nobody_who_holds_its_survivor(
    desk: Desk, group: list[UUID], now: datetime
) -> None:
    old, best, _ = group
    held = connect()
    held.execute(HOLD, [best])
    try:
        standings.move(
            agent_id=desk.agent.id,
            record_id=old,
            event="confirmed",
            cause=BY,
            step=lambda was: replace(was, validated_count=was.validated_count + 1),
            now=now + timedelta(hours=1),
        )
    finally:
        leave(held)
    assert Standing.objects.get(record_id=old).validated_count == 2


@pytest.mark.spec("M9", "M3")
def test_what_is_merged_while_a_deletion_waits_is_locked_in_its_order_too(
    desk: Desk, now: datetime
) -> None:
    first, second, third = (proven(desk, f"memory {n}", now=now + n * MINUTE) for n in range(3))
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            merge(first, second, now=now + timedelta(hours=1))
            asked = [second, third]
            mine = ask("SELECT pg_backend_pid()", [])
            going = pool.submit(
                in_own_connection(
                    lambda: forget(agent_id=desk.agent.id, record_ids=asked, by=BY, now=now)
                )
            )
            while ask(WAITS, {"holder": mine, "not": [mine]}) is None:
                assert not going.done()
        assert going.result(timeout=60) == [first, second, third]
    assert verified()["ok"]


@pytest.mark.spec("M9", "R9")
def test_a_transaction_that_a_deadlock_takes_back_begins_anew_and_a_callers_does_not(
    desk: Desk, group: list[UUID], now: datetime
) -> None:
    del desk, now
    barrier = threading.Barrier(2, timeout=60)
    begun: list[int] = []

    def crossing(order: list[UUID], name: int) -> None:
        begun.append(name)
        with connection.cursor() as cursor:
            cursor.execute(HOLD, [order[0]])
            if begun.count(name) == 1:
                barrier.wait()
            cursor.execute(HOLD, [order[1]])

    def both(work: Callable[[list[UUID], int], None]) -> list[BaseException | None]:
        begun.clear()
        with ThreadPoolExecutor(2) as pool:
            futures = [
                pool.submit(in_own_connection(partial(work, order, n)))
                for n, order in enumerate((group[:2], group[1::-1]))
            ]
        return [future.exception() for future in futures]

    assert both(whole(crossing)) == [None, None]
    assert 3 <= len(begun) <= 2 * TRIES

    def within(order: list[UUID], name: int) -> None:
        with transaction.atomic():
            whole(crossing)(order, name)

    (error,) = [one for one in both(within) if one is not None]
    assert isinstance(error, OperationalError)
    assert isinstance(error.__cause__, DeadlockDetected)
    assert len(begun) == 2


class Busy:
    """What one of many does again and again to an agent's memories, by chance."""

    def __init__(self, desk: Desk, others: list[Desk], *, seed: int, now: datetime) -> None:
        self.chance = random.Random(seed)
        self.desk, self.others, self.now = desk, others, now
        self.own: dict[str, Any] = {"agent_id": desk.agent.id, "by": BY, "now": now}

    def __call__(self, what: str) -> int:
        """Do it some times; return how often it was not refused."""
        done = 0
        for _ in range(12):
            try:
                getattr(self, what)()
                done += 1
            except TidebookError:
                continue
            except Record.DoesNotExist:
                continue
        return done

    def one(self, **such: Any) -> UUID:
        """Return one of those that there are."""
        rows = Standing.objects.filter(agent=self.desk.agent, **such)
        ids = list(rows.values_list("record_id", flat=True))
        return self.chance.choice(ids) if ids else UUID(int=0)

    def write(self) -> None:
        """Write one that says what others say."""
        way, n = self.chance.choice(WAYS), self.chance.randint(2, 5)
        confidence = f"0.{self.chance.randint(4, 9)}"
        proven(self.desk, way.format(n=n), now=self.now, confidence=confidence)

    def merge(self) -> None:
        """Merge all that can be."""
        duplicates.merge(**self.own)

    def undo(self) -> None:
        """Undo a merge."""
        member = Standing.objects.filter(record_id=self.one(merged_into__isnull=False)).first()
        into = None if member is None else member.merged_into_id
        duplicates.undo(record_id=into or UUID(int=0), **self.own)

    def share(self) -> None:
        """Share one."""
        community.share(record_id=self.one(merged_into=None), **self.own)

    def withdraw(self) -> None:
        """Withdraw one."""
        community.unshare(record_id=self.one(visibility="community"), **self.own)

    def judge(self) -> None:
        """Let a backtest judge three copies in one transaction."""
        ids = list(SharedMemory.objects.order_by("id").values_list("id", flat=True))
        other = self.chance.choice(self.others)
        with transaction.atomic():
            for one in sorted(self.chance.sample(ids, min(3, len(ids)))):
                judged(one, other, "contradicts", now=self.now)

    def move(self) -> None:
        """Move one, merged or not."""
        standings.move(
            agent_id=self.desk.agent.id,
            record_id=self.one(),
            event="confirmed",
            cause=BY,
            step=lambda was: replace(was, validated_count=was.validated_count + 1),
            now=self.now,
        )

    def end(self) -> None:
        """End one."""
        standings.move(
            agent_id=self.desk.agent.id,
            record_id=self.one(),
            event="ended",
            cause=BY,
            step=lambda was: replace(was, expires_at=self.now),
            now=self.now,
        )

    def purge(self) -> None:
        """Purge what is over."""
        purge(by=BY, now=self.now, grace=timedelta(0))

    def forget(self) -> None:
        """Delete one."""
        record = Record.objects.get(id=self.one())
        forgetting.forget_one(record=record, by=BY, condition=None, now=self.now)

    def clear(self) -> None:
        """Delete all, now and then."""
        if self.chance.random() < 0.3:
            query = ForgetQuery.parse({"all": "true"})
            forgetting.forget_matching(asked=query, **self.own)


@pytest.mark.spec("M9", "M8", "M3", "R7")
@pytest.mark.parametrize("seed", range(2))
def test_merges_undos_deletions_purges_moves_and_sharing_at_once_fail_nowhere(
    desk: Desk, now: datetime, seed: int
) -> None:
    others = [make_desk(f"other {n}", now=now) for n in range(2)]
    for n in range(12):
        proven(desk, WAYS[n % 3].format(n=2 + n // 3), now=now, confidence=f"0.{4 + n % 6}")
    kinds = "merge merge undo undo share withdraw judge move end purge forget clear write write"
    works = [
        (Busy(desk, others, seed=100 * seed + n, now=now), kind)
        for n, kind in enumerate(kinds.split())
    ]
    barrier = threading.Barrier(len(works))

    def together(work: Busy, kind: str) -> Callable[[], int]:
        def begun() -> int:
            barrier.wait()
            return work(kind)

        return in_own_connection(begun)

    with ThreadPoolExecutor(len(works)) as pool:
        futures = [pool.submit(together(*work)) for work in works]
    assert [future.exception() for future in futures if future.exception()] == []
    for row in Standing.objects.filter(agent=desk.agent):
        assert replayed(desk.agent.id, row.record_id) == moving_of(row)
    assert verified()["ok"]
