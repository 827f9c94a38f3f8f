"""Many requests with one key at once: one record, and no deadlock (SPEC R13)."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction

from memory.models import IdempotencyKey, Record
from memory.schemas.records import RecordDraft
from memory.services.once import publish_once
from tests.concurrency.test_publish import in_own_connection, until_it_waits
from tests.desk import Desk, make_desk, note

pytestmark = pytest.mark.django_db(transaction=True)
KEY = UUID("01990000-0000-7000-8000-00000000beef")
MANY = 16


@pytest.fixture
def desk(transactional_db: None, now: datetime) -> Desk:  # noqa: ARG001 - opens the database first
    return make_desk("ours", now=now)


def sending(desk: Desk, now: datetime, **body: Any) -> Callable[[], tuple[Any, bool]]:
    """Return a write of the key."""
    actor = desk.actor(now=now)
    draft = RecordDraft.parse(note(**body))
    return in_own_connection(lambda: publish_once(actor=actor, draft=draft, key=KEY, now=now))


def at_once(works: list[Callable[[], Any]]) -> list[Any]:
    """Return what each returns, all begun at the same moment."""
    barrier = threading.Barrier(len(works))

    def begin(work: Callable[[], Any]) -> Any:
        barrier.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return [done.result() for done in [pool.submit(begin, work) for work in works]]


@pytest.mark.spec("R13", "R6")
def test_sixteen_identical_requests_at_once_make_one_record(desk: Desk) -> None:
    path, headers = desk.path("memories/"), {"Idempotency-Key": str(KEY)}

    def request() -> tuple[int, str]:
        answer = desk.client().post(path, note(instruments=["ETH"]), headers=headers)
        return answer.status_code, answer.json().get("id")

    answers = at_once([in_own_connection(request)] * MANY)
    assert Counter(status for status, _ in answers) == {201: 1, 200: MANY - 1}
    assert len({id_ for _, id_ in answers}) == 1
    assert Record.objects.count() == IdempotencyKey.objects.count() == 1


@pytest.mark.spec("R13")
def test_of_two_bodies_under_one_key_at_once_one_wins_and_the_other_conflicts(
    desk: Desk, now: datetime
) -> None:
    def tried(content: str) -> Callable[[], str]:
        send = sending(desk, now, content=content)

        def work() -> str:
            try:
                return f"{content} {send()[1]}"
            except Exception as error:  # noqa: BLE001 - counted below
                return f"{content} {getattr(error, 'code', error)}"

        return work

    answers = Counter(at_once([tried("a") for _ in range(8)] + [tried("b") for _ in range(8)]))
    won = "a" if answers["a True"] else "b"
    lost = "b" if won == "a" else "a"
    assert answers == {f"{won} True": 1, f"{won} False": 7, f"{lost} idempotency_conflict": 8}
    assert Record.objects.get().content == won


@pytest.mark.spec("R13", "R6")
def test_who_waits_for_a_write_that_comes_to_nothing_makes_it(desk: Desk, now: datetime) -> None:
    actor = desk.actor(now=now)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            publish_once(actor=actor, draft=RecordDraft.parse(note()), key=KEY, now=now)
            late = pool.submit(sending(desk, now))
            until_it_waits(late)
            transaction.set_rollback(True)
        written, is_new = late.result()
    assert is_new
    assert Record.objects.get().id == written.id


@pytest.mark.spec("R13", "R7")
def test_an_erasure_meanwhile_only_makes_the_first_try_again_and_the_others_find_it(
    desk: Desk, now: datetime
) -> None:
    works = [sending(desk, now) for _ in range(4)]
    with ThreadPoolExecutor(len(works)) as pool:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "UPDATE memory_agent_tail SET erasures = erasures + 1 WHERE agent_id = %s",
                [desk.agent.id],
            )
            waiting = [pool.submit(work) for work in works]
            until_it_waits(waiting[0])
        found = [one.result() for one in waiting]
    assert sorted(is_new for _, is_new in found) == [False, False, False, True]
    assert {written.id for written, _ in found} == {Record.objects.get().id}


@pytest.mark.spec("R13", "R17")
def test_a_retry_that_waits_for_the_erasure_of_its_record_brings_nothing_back(
    desk: Desk, now: datetime
) -> None:
    send = sending(desk, now)
    written, _ = send()
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        desk.erase(written.id, now=now)
        # It reads, and waits for nobody: the record is still there for it.
        assert pool.submit(send).result()[0].id == written.id
    with pytest.raises(Exception, match="erased") as refused:
        send()
    assert getattr(refused.value, "code", None) == "idempotency_conflict"
