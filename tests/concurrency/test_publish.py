"""Many writers at once: heads, sequence and run ends come out as if one after the other."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.db import connection, connections, transaction

from memory.errors import RunFinished
from memory.models import Record, Run
from memory.policies.ownership import TokenActor
from memory.schemas.records import RecordDraft
from memory.selectors.heads import chosen
from memory.selectors.history import chosen_from_history
from memory.services import publish, tokens
from memory.services.runs import finish_run, start_run_with_token
from tests.desk import Desk, make_desk, note

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(transactional_db: None, now: datetime) -> Desk:  # noqa: ARG001 - opens the database first
    return make_desk("ours", now=now)


def in_own_connection(work: Callable[[], Any]) -> Callable[[], Any]:
    """Wrap `work` so that a thread's connection is closed when it ends."""

    def closing() -> Any:
        try:
            return work()
        finally:
            connections.close_all()

    return closing


def somebody_waits_for_me() -> bool:
    """Tell whether another session waits for a lock that this one holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_locks"
            " WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))"
        )
        found: bool = cursor.fetchone()[0]
    return found


def until_it_waits(work: Future[Any]) -> None:
    """Return once `work` waits for a lock: the interleaving is then certain."""
    while not somebody_waits_for_me():
        assert not work.done(), f"it never waited: {work.exception() or work.result()}"


@pytest.mark.spec("R6", "C1", "C13")
def test_sixteen_writers_with_out_of_order_times_leave_the_oracles_heads_and_no_gap(
    desk: Desk, now: datetime
) -> None:
    actor = desk.actor(now=now)
    rng = random.Random(16)
    plans = [
        [
            (rng.randrange(-500, 500), rng.choice([[], ["ETH"], ["BTC", "ETH"], ["ETH", "BTC"]]))
            for _ in range(12)
        ]
        for _ in range(16)
    ]
    barrier = threading.Barrier(len(plans))

    def writer(plan: list[tuple[int, list[str]]]) -> Callable[[], None]:
        def work() -> None:
            barrier.wait()
            for seconds, instruments in plan:
                body = note(type="setup", instruments=instruments)
                publish.publish(
                    actor=actor,
                    draft=RecordDraft.parse(body),
                    now=now + timedelta(seconds=seconds),
                )

        return work

    with ThreadPoolExecutor(len(plans)) as pool:
        for done in [pool.submit(in_own_connection(writer(plan))) for plan in plans]:
            done.result()

    written = sum(len(plan) for plan in plans)
    assert list(Record.objects.order_by("seq").values_list("seq", flat=True)) == list(
        range(1, written + 1)
    )
    for instrument in ("ETH", "BTC"):
        found = chosen(desk.agent.id, instrument=instrument, past=20, now=now)
        assert found == chosen_from_history(desk.agent.id, instrument=instrument, past=20, now=now)
        assert len(found.lanes) == 2


@pytest.mark.spec("R5", "R6")
def test_a_write_that_waits_for_the_end_of_its_run_is_refused(desk: Desk, now: datetime) -> None:
    run, _, clear = start_run_with_token(
        producer=desk.producers["analysis"], now=now, life=timedelta(hours=1)
    )
    actor = tokens.authenticate(clear, now=now)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            finish_run(run=run, status="succeeded", error="", now=now)
            late = pool.submit(in_own_connection(lambda: write(actor, now)))
            until_it_waits(late)
        with pytest.raises(RunFinished):
            late.result()
    assert not Record.objects.exists()


@pytest.mark.spec("R5")
def test_the_end_of_a_run_waits_for_a_write_under_way(desk: Desk, now: datetime) -> None:
    run, _, clear = start_run_with_token(
        producer=desk.producers["analysis"], now=now, life=timedelta(hours=1)
    )
    actor = tokens.authenticate(clear, now=now)

    def finish() -> Run:
        return finish_run(run=run, status="succeeded", error="", now=now)

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            write(actor, now)
            end = pool.submit(in_own_connection(finish))
            until_it_waits(end)
            assert Run.objects.get(id=run.id).status == "running"
        assert end.result().status == "succeeded"
    assert Record.objects.count() == 1


@pytest.mark.spec("R7")
def test_a_link_to_a_record_erased_while_the_write_waits_is_refused(
    desk: Desk, now: datetime
) -> None:
    target = desk.write(now=now)
    actor = desk.actor(now=now)
    link = {"target_memory_id": str(target.id), "link_type": "evidence"}
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            desk.erase(target.id, now=now)
            late = pool.submit(in_own_connection(lambda: write(actor, now, links=[link])))
            until_it_waits(late)
        error = late.exception()
    assert getattr(error, "code", None) == "invalid_memory_link"
    assert Record.objects.count() == 1


@pytest.mark.spec("R6")
def test_an_unrelated_erasure_meanwhile_only_makes_the_write_try_again(
    desk: Desk, now: datetime
) -> None:
    actor = desk.actor(now=now)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "UPDATE memory_agent_tail SET erasures = erasures + 1 WHERE agent_id = %s",
                [desk.agent.id],
            )
            late = pool.submit(in_own_connection(lambda: write(actor, now)))
            until_it_waits(late)
        assert late.result().seq == 1


@pytest.mark.spec("R6")
def test_writers_of_different_agents_do_not_wait_for_each_other(desk: Desk, now: datetime) -> None:
    other = make_desk("theirs", now=now)
    theirs = other.actor(now=now)
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        desk.write(now=now, instruments=["ETH"])
        written = pool.submit(
            in_own_connection(lambda: write(theirs, now, instruments=["ETH"]))
        ).result()
    assert written.seq == 1


@pytest.mark.spec("R6")
def test_a_failure_inside_the_statement_leaves_nothing(desk: Desk, now: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE memory_head ADD CONSTRAINT broken CHECK (type <> 'broken')")
    try:
        with pytest.raises(Exception, match="broken") as failure:
            desk.write(now=now, type="broken", instruments=["ETH"])
        assert isinstance(failure.value.__cause__, psycopg.errors.CheckViolation)
        assert not Record.objects.exists()
        assert not Run.objects.exists()
        assert desk.write(now=now, instruments=["ETH"]).seq == 1
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE memory_head DROP CONSTRAINT broken")


def write(actor: TokenActor, now: datetime, **body: Any) -> Any:
    """Publish as `actor`."""
    return publish.publish(actor=actor, draft=RecordDraft.parse(note(**body)), now=now)
