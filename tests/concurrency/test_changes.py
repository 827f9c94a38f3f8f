"""Erasing, withdrawing and correcting at the same time as others write (SPEC R7, R15, R17, C14)."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction

from memory.errors import AlreadyErased, AlreadyWithdrawn, InvalidMemoryLink, NotFound
from memory.models import CorrectionHead, Record, RecordChange, RecordLink
from memory.schemas.records import RecordDraft
from memory.selectors.heads import chosen
from memory.selectors.history import chosen_from_history
from memory.services import publish
from tests.concurrency.test_publish import in_own_connection, until_it_waits
from tests.desk import Desk, make_desk, note
from trading.context import read_context

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)


@pytest.fixture
def desk(transactional_db: None, now: datetime) -> Desk:  # noqa: ARG001 - opens the database first
    return make_desk("ours", now=now)


def statuses(desk: Desk, *, at: datetime) -> dict[UUID, str]:
    """Return ETH's evidence, after holding the heads against history."""
    asked: dict[str, Any] = {"instrument": "ETH", "past": 20, "now": at}
    assert chosen(desk.agent.id, **asked) == chosen_from_history(desk.agent.id, **asked)
    found = read_context(agent_id=desk.agent.id, instrument="ETH", now=at, learnings_limit=0)
    return {one.memory_id: one.status for one in found.evidence}


def until_there_wait(sessions: int) -> None:
    """Return once that many sessions wait for a lock."""
    with connection.cursor() as cursor:
        waiting = 0
        while waiting < sessions:
            cursor.execute("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted")
            (waiting,) = cursor.fetchone()


@pytest.mark.spec("R7", "R17", "C14")
def test_a_correction_that_waits_for_the_erasing_of_its_original_is_a_422(
    desk: Desk, now: datetime
) -> None:
    first, second = desk.write(now=now), desk.write(now=now, instruments=["ETH"])
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            desk.erase(second.id, now=now)
            late = pool.submit(
                in_own_connection(
                    lambda: desk.correct(first.id, second.id, now=now, instruments=["ETH"])
                )
            )
            until_it_waits(late)
        error = late.exception()
    assert isinstance(error, InvalidMemoryLink)
    assert error.fields == {"link_index": 1}
    assert not RecordLink.objects.exists()
    assert not CorrectionHead.objects.exists()
    assert statuses(desk, at=now) == {first.id: "fresh"}


@pytest.mark.spec("R7", "R17", "C14")
def test_an_erasing_that_waits_for_a_correction_comes_after_it(desk: Desk, now: datetime) -> None:
    original = desk.write(now=now, instruments=["ETH"])
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            written = desk.correct(original.id, now=now, instruments=["ETH"])
            erasing = pool.submit(in_own_connection(lambda: desk.erase(original.id, now=now)))
            until_it_waits(erasing)
            assert Record.objects.get(id=original.id).purged_at is None
        erasing.result()
    assert RecordLink.objects.get().source_id == written.id
    assert statuses(desk, at=now) == {written.id: "superseded"}


@pytest.mark.spec("R17", "C14")
def test_an_erasing_that_waits_for_a_newer_record_leaves_its_lane_to_that(
    desk: Desk, now: datetime
) -> None:
    older = desk.write(now=now, type="setup", instruments=["ETH"])
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            newer = desk.write(now=now + MINUTE, type="setup", instruments=["ETH"])
            erasing = pool.submit(in_own_connection(lambda: desk.erase(older.id, now=now)))
            until_it_waits(erasing)
        erasing.result()
    assert statuses(desk, at=now + MINUTE) == {newer.id: "fresh"}


@pytest.mark.spec("R17", "C14", "R6")
def test_a_newer_record_that_waits_for_an_erasing_takes_the_lane(desk: Desk, now: datetime) -> None:
    older = desk.write(now=now, type="setup", instruments=["ETH"])
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            desk.erase(older.id, now=now)
            late = pool.submit(
                in_own_connection(
                    lambda: desk.write(now=now + MINUTE, type="setup", instruments=["ETH"])
                )
            )
            until_it_waits(late)
        newer = late.result()
    assert newer.seq == 2
    assert statuses(desk, at=now + MINUTE) == {newer.id: "fresh"}


@pytest.mark.spec("R6", "R17")
def test_a_write_that_meets_one_erasing_after_another_is_stored(desk: Desk, now: datetime) -> None:
    first, second = desk.write(now=now), desk.write(now=now)
    erased, waited_for = threading.Event(), threading.Event()

    def erase_slowly() -> None:
        with transaction.atomic():
            desk.erase(second.id, now=now)
            erased.set()
            assert waited_for.wait(timeout=60)

    with ThreadPoolExecutor(2) as pool:
        with transaction.atomic():
            desk.erase(first.id, now=now)
            late = pool.submit(in_own_connection(lambda: desk.write(now=now)))
            until_it_waits(late)
            slow = pool.submit(in_own_connection(erase_slowly))
            until_there_wait(2)
        # The write has tried once by now, or still stands behind the second.
        assert erased.wait(timeout=60)
        until_there_wait(1)
        waited_for.set()
        slow.result()
        assert late.result().seq == 3


@pytest.mark.spec("R17")
def test_of_two_who_erase_the_second_is_told_so(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            desk.erase(written.id, now=now)
            second = pool.submit(in_own_connection(lambda: desk.erase(written.id, now=now)))
            until_it_waits(second)
        assert isinstance(second.exception(), AlreadyErased)
    assert RecordChange.objects.count() == 1


@pytest.mark.spec("R15")
def test_of_two_who_withdraw_the_second_is_told_so(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            desk.withdraw(written.id, now=now)
            second = pool.submit(in_own_connection(lambda: desk.withdraw(written.id, now=now)))
            until_it_waits(second)
        assert isinstance(second.exception(), AlreadyWithdrawn)
    assert RecordChange.objects.count() == 1


@pytest.mark.spec("R15", "R17")
def test_a_withdrawing_that_waits_for_an_erasing_finds_nothing(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            desk.erase(written.id, now=now)
            late = pool.submit(in_own_connection(lambda: desk.withdraw(written.id, now=now)))
            until_it_waits(late)
        assert isinstance(late.exception(), NotFound)


@pytest.mark.spec("R15", "R6")
def test_a_withdrawing_lets_others_write_and_link_meanwhile(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now, instruments=["ETH"])
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        desk.withdraw(written.id, now=now)
        other = pool.submit(
            in_own_connection(lambda: desk.correct(written.id, now=now, instruments=["ETH"]))
        ).result()
    assert statuses(desk, at=now) == {written.id: "withdrawn", other.id: "superseded"}


@pytest.mark.spec("C6", "C8", "C13", "R17")
def test_writers_who_correct_what_others_erase_leave_the_heads_of_the_oracle(
    desk: Desk, now: datetime
) -> None:
    actor = desk.actor(now=now)
    originals = [
        desk.write(now=now, type=f"t{i}", instruments=["ETH"] if i % 2 else []).id for i in range(6)
    ]
    barrier = threading.Barrier(8)
    lost: list[UUID] = []

    def writer(seed: int) -> Callable[[], None]:
        rng = random.Random(seed)

        def work() -> None:
            mine = list(originals)
            barrier.wait()
            for _ in range(10):
                links = [
                    {"target_memory_id": str(one), "link_type": "corrects"}
                    for one in rng.sample(mine, rng.choice([1, 1, 2]))
                ]
                body = note(
                    type="fix", links=links, instruments=rng.choice([[], ["ETH"], ["BTC", "ETH"]])
                )
                at = now + timedelta(seconds=rng.randrange(-300, 300))
                try:
                    written = publish.publish(actor=actor, draft=RecordDraft.parse(body), now=at)
                except InvalidMemoryLink as refusal:
                    index: Any = refusal.fields["link_index"]
                    lost.append(UUID(links[index]["target_memory_id"]))
                    mine.remove(lost[-1])
                else:
                    mine.append(written.id)

        return work

    def eraser() -> None:
        barrier.wait()
        for one in originals[:3]:
            desk.erase(one, now=now)

    with ThreadPoolExecutor(8) as pool:
        tasks = [pool.submit(in_own_connection(writer(seed))) for seed in range(7)]
        tasks.append(pool.submit(in_own_connection(eraser)))
        for task in tasks:
            task.result()
    assert set(lost) <= set(originals[:3])
    seqs = list(Record.objects.order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))
    for minutes in (0, 8, 30, 600):
        found = statuses(desk, at=now + minutes * MINUTE)
        assert not set(originals[:3]) & set(found)
