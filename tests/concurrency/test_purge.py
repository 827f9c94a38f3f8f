"""The purge beside readers, writers, movers and other purges: nobody waits for it (SPEC M3, R7)."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from io import StringIO
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, transaction

from memory.errors import InvalidMemoryLink, NotFound
from memory.management.progress import Lines
from memory.models import AgentTail, Record, SharedMemory, Standing, StandingChange
from memory.schemas.browsing import BrowseQuery
from memory.schemas.search import SearchQuery
from memory.selectors import browsing
from memory.selectors.search import search
from memory.services import endings, verification
from memory.services import purge as purging
from memory.services.forget import forget
from memory.services.purge import Purged, purge
from memory.services.standings import Cause
from tests.concurrency.test_publish import in_own_connection, until_it_waits
from tests.copies import copy
from tests.desk import BECAUSE, Desk, make_desk
from tests.faults.gates import WAITS, ask, connect, leave
from tests.live import ROOT, database_url
from tests.strategies import end, merge, remember
from trading.context import read_context

pytestmark = pytest.mark.django_db(transaction=True)

DAY = timedelta(days=1)
LONG_MILLISECONDS = 60_000
WAITING = "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted"
BY = Cause("test")


@pytest.fixture
def desk(transactional_db: None, now: datetime) -> Desk:  # noqa: ARG001 - opens the database first
    return make_desk("ours", now=now)


def over(desk: Desk, *, now: datetime, days: int = 8, **more: Any) -> UUID:
    """Write a memory that is over for days."""
    written = remember(desk, now=now - days * DAY - DAY, **more)
    end(written, now=now - days * DAY)
    return written


def left() -> set[UUID]:
    return set(Standing.objects.values_list("record_id", flat=True))


def is_whole(desk: Desk) -> None:
    """Nothing is half forgotten, and each that is forgotten was so once."""
    assert [*verification.verify(desk.agent, progress=Lines(StringIO()))] == []
    purged = StandingChange.objects.filter(event="purged").values_list("record_id", flat=True)
    assert len(purged) == len(set(purged)) == Record.objects.exclude(purged_at=None).count()


class Held:
    """A record that is kept from being emptied: a purge has done all else of it, and stands."""

    def __init__(self, record_id: UUID) -> None:
        self.connection = connect()
        # Links to the record, and lines of its ledger, may still be written.
        lock = "SELECT 1 FROM memory_record WHERE id = %s FOR NO KEY UPDATE"
        self.connection.execute(lock, [record_id])

    def stops(self, work: Future[Any] | subprocess.Popen[bytes]) -> None:
        """Return once somebody waits for it."""
        mine = self.connection.info.backend_pid
        while ask(WAITS, {"holder": mine, "not": [mine]}) is None:
            ended = work.done() if isinstance(work, Future) else work.poll() is not None
            assert not ended, "it never waited"

    def let_go(self) -> None:
        leave(self.connection)


@contextmanager
def stopped(
    record_id: UUID, work: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Future[Any]]:
    """Let `work` stand in the middle of a batch until the block ends, and then finish."""
    monkeypatch.setattr(purging, "LOCK_MILLISECONDS", LONG_MILLISECONDS)
    held = Held(record_id)
    with ThreadPoolExecutor(1) as pool:
        try:
            future = pool.submit(in_own_connection(work))
            held.stops(future)
            yield future
            assert not future.done(), "it did not stand until the end"
        finally:
            held.let_go()


@pytest.mark.spec("M3", "R7")
def test_readers_and_writers_go_on_while_a_batch_stands_in_its_middle(
    desk: Desk, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = over(desk, now=now, content="a heron")
    kept = remember(desk, "a heron", now=now, type="rule")
    desk.write(now=now, type="setup", instruments=["ETH"])
    with stopped(gone, lambda: purge(by=BY, now=now), monkeypatch) as purged:
        found = search(agent_id=desk.agent.id, asked=SearchQuery.parse({"query": "heron"}), now=now)
        assert [one.memory_id for one in found.items] == [kept]
        listed = browsing.matching(desk.agent.id, BrowseQuery.parse({}), now=now)
        assert len(listed.page(after=None, count=9)) == 2
        context = read_context(agent_id=desk.agent.id, instrument="ETH", now=now, learnings_limit=0)
        assert len(context.evidence) == 1
        # Even a link to what is being forgotten is written: it comes before the end of that.
        link = {"target_memory_id": str(gone), "link_type": "evidence"}
        written = desk.write(now=now, links=[link])
        assert remember(desk, now=now) in left()
        endings.deprecate(agent_id=desk.agent.id, record_id=kept, now=now, **BECAUSE)
        assert gone in left()
    assert purged.result() == Purged(rows=1, batches=1)
    assert gone not in left()
    assert [link.target_id for link in Record.objects.get(id=written.id).links.all()] == [gone]
    is_whole(desk)


@pytest.mark.spec("M3", "R7", "C14")
def test_a_write_that_waits_for_the_end_of_a_batch_does_not_link_to_what_went(
    desk: Desk, now: datetime
) -> None:
    gone = over(desk, now=now)
    link = {"target_memory_id": str(gone), "link_type": "evidence"}
    with ThreadPoolExecutor(2) as pool:
        with transaction.atomic():
            purge(by=BY, now=now)
            linking = pool.submit(in_own_connection(lambda: desk.write(now=now, links=[link])))
            until_it_waits(linking)
        error = linking.exception()
    assert isinstance(error, InvalidMemoryLink)
    assert error.fields == {"link_index": 0}
    with ThreadPoolExecutor(2) as pool:
        over(desk, now=now)
        with transaction.atomic():
            purge(by=BY, now=now)
            writing = pool.submit(in_own_connection(lambda: desk.write(now=now)))
            until_it_waits(writing)
        assert writing.result().seq == AgentTail.objects.get(agent=desk.agent).last_seq == 3
    is_whole(desk)


@pytest.mark.spec("M3", "J1")
def test_a_batch_that_would_have_to_wait_gives_way_and_the_next_purge_takes_it(
    desk: Desk, now: datetime
) -> None:
    ids = [over(desk, now=now) for _ in range(2)]
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        desk.write(now=now)
        done = pool.submit(in_own_connection(lambda: purge(by=BY, now=now))).result()
        assert done == Purged(given_way=1)
        assert left() == set(ids)
    is_whole(desk)
    assert purge(by=BY, now=now) == Purged(rows=2, batches=1)
    is_whole(desk)


@pytest.mark.spec("M3", "J1", "X1")
def test_an_agent_whose_writer_is_slow_keeps_no_other_from_being_purged(
    desk: Desk, now: datetime
) -> None:
    other = make_desk("theirs", now=now)
    ours, theirs = over(desk, now=now, days=9), over(other, now=now)
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        desk.write(now=now)
        done = pool.submit(in_own_connection(lambda: purge(by=BY, now=now))).result()
    assert (done.rows, done.given_way) == (1, 1)
    assert (ours in left(), theirs in left()) == (True, False)


@pytest.mark.spec("M3", "M8")
def test_a_purge_that_waits_keeps_nobody_from_sharing(
    desk: Desk, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(purging, "LOCK_MILLISECONDS", LONG_MILLISECONDS)
    other = make_desk("theirs", now=now)
    gone = over(desk, now=now, type="rule")
    theirs = remember(other, now=now, type="rule")
    copy(gone, now=now)
    with ThreadPoolExecutor(2) as pool:
        with transaction.atomic():
            desk.write(now=now)
            purged = pool.submit(in_own_connection(lambda: purge(by=BY, now=now)))
            until_it_waits(purged)
            shared = pool.submit(in_own_connection(lambda: copy(theirs, now=now)))
            shared.result(timeout=30)
        assert purged.result() == Purged(rows=1, batches=1)
    assert [one.source_id for one in SharedMemory.objects.all()] == [theirs]
    is_whole(desk)


@pytest.mark.spec("M3", "M5")
def test_what_somebody_moves_just_now_is_left_and_looked_at_again(
    desk: Desk, now: datetime
) -> None:
    restored, deprecated, idle = (over(desk, now=now, type="rule") for _ in range(3))
    asked: dict[str, Any] = {"agent_id": desk.agent.id, "now": now, **BECAUSE}
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        endings.restore(record_id=restored, **asked)
        end(deprecated, now=now - 10 * DAY)
        done = pool.submit(in_own_connection(lambda: purge(by=BY, now=now))).result()
        assert (done.rows, done.given_way) == (1, 0)
    assert left() == {restored, deprecated}
    assert purge(by=BY, now=now).rows == 1
    assert left() == {restored}
    assert idle not in left()
    is_whole(desk)


@pytest.mark.spec("M3", "M9")
def test_a_survivor_is_left_while_something_is_merged_into_it_or_moved_behind_it(
    desk: Desk, now: datetime
) -> None:
    survivor, merged = over(desk, now=now), over(desk, now=now)
    behind = over(desk, now=now, days=9)
    merge(behind, survivor, now=now)
    purging_now = in_own_connection(lambda: purge(by=BY, now=now))
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        merge(merged, survivor, now=now)
        assert pool.submit(purging_now).result().rows == 0
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        end(behind, now=now - 10 * DAY)
        assert pool.submit(purging_now).result().rows == 0
    assert purge(by=BY, now=now).rows == 3
    is_whole(desk)


@pytest.mark.spec("M3", "M9")
def test_nothing_is_merged_into_what_is_being_forgotten(
    desk: Desk, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, kept = over(desk, now=now), remember(desk, now=now)
    with (
        ThreadPoolExecutor(1) as pool,
        stopped(gone, lambda: purge(by=BY, now=now), monkeypatch),
    ):
        merging = pool.submit(in_own_connection(lambda: merge(kept, gone, now=now)))
        while ask(WAITING, []) != 2:
            assert not merging.done()
    assert isinstance(merging.exception(), IntegrityError)
    assert left() == {kept}
    is_whole(desk)


@pytest.mark.spec("M3", "J2")
def test_two_purges_and_a_deletion_take_each_memory_once(
    desk: Desk, now: datetime, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.PURGE_BATCH = 1
    first, *others = (over(desk, now=now, days=20 - n) for n in range(4))
    asked: dict[str, Any] = {"agent_id": desk.agent.id, "by": BY, "now": now}
    with (
        ThreadPoolExecutor(1) as pool,
        stopped(first, lambda: purge(by=BY, now=now), monkeypatch) as standing,
    ):
        done = pool.submit(in_own_connection(lambda: purge(by=BY, now=now))).result()
        assert (done.rows, left()) == (3, {first})
        deleting = pool.submit(
            in_own_connection(lambda: forget(record_ids=[first, *others], **asked))
        )
        # The one waits for the record, and the other for the one.
        while ask(WAITING, []) != 2:
            assert not deleting.done()
    assert standing.result().rows == 1
    assert deleting.result() == []
    assert left() == set()
    is_whole(desk)


@pytest.mark.spec("M3", "O5")
def test_restoring_what_is_being_forgotten_waits_and_finds_nothing(
    desk: Desk, now: datetime
) -> None:
    gone = over(desk, now=now, type="rule")
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            purge(by=BY, now=now)
            restoring = pool.submit(
                in_own_connection(
                    lambda: endings.restore(
                        agent_id=desk.agent.id, record_id=gone, now=now, **BECAUSE
                    )
                )
            )
            until_it_waits(restoring)
        assert isinstance(restoring.exception(), NotFound)


PATIENT_PURGE = f"""
import django
django.setup()
from django.core.management import call_command
from memory.services import purge
purge.LOCK_MILLISECONDS = {LONG_MILLISECONDS}
call_command("purge_memories")
"""


@pytest.mark.spec("M3", "J1")
def test_a_purge_that_is_killed_in_the_middle_of_a_batch_leaves_whole_memories_alone(
    desk: Desk, now: datetime
) -> None:
    ids = [over(desk, now=now, days=20 - n) for n in range(6)]
    merged = over(desk, now=now)
    merge(merged, ids[2], now=now)
    held = Held(ids[2])
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
        "DATABASE_URL": database_url(application_name="killed-purge"),
        "PURGE_BATCH": "2",
    }
    command = [sys.executable, "-c", PATIENT_PURGE]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            held.stops(process)
        finally:
            process.kill()
    held.let_go()
    # The server ends what it was at, finds nobody to answer, and takes the batch back.
    there = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'killed-purge'"
    while ask(there, []):
        pass
    assert left() == {*ids[2:], merged}
    is_whole(desk)
    assert purge(by=BY, now=now).rows == 5
    is_whole(desk)
