"""Wake-ups: sent with the commit alone, heard by those they are for, whatever is cut (O2, A10)."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
import pytest
from asgiref.sync import sync_to_async
from django.db import connection, transaction

from memory.ids import new_id
from memory.live import APPLICATION, CHANNEL, Hub, hub, notify
from tests.live import database_url

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = 60
LISTENING = "FROM pg_stat_activity WHERE datname = current_database() AND application_name = %s"


@contextmanager
def ear() -> Iterator[Callable[[], list[str]]]:
    """Give what returns the wake-ups that a connection of ours has heard so far."""
    with psycopg.connect(database_url(), autocommit=True) as listener:
        listener.execute(f"LISTEN {CHANNEL}")

        def heard() -> list[str]:
            # A statement of our own comes back after all that was sent before it.
            listener.execute("SELECT 1")
            return [note.payload for note in listener.notifies(timeout=0)]

        yield heard


def work(awaitable: Awaitable[Any]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(awaitable, PATIENCE)

    asyncio.run(limited())


async def apart[T](do: Callable[[], T]) -> T:
    """Do it on a thread and a connection of its own, which is closed again."""

    def once() -> T:
        try:
            return do()
        finally:
            connection.close()

    return await sync_to_async(once, thread_sensitive=False)()


async def tell(subject: UUID) -> None:
    await apart(lambda: notify(subject))


@pytest.mark.spec("A10")
def test_a_wake_up_leaves_with_the_commit_and_once() -> None:
    first, second = new_id(), new_id()
    with ear() as heard:
        with transaction.atomic():
            notify(first)
            notify(first)
            notify(second)
            assert heard() == []
        assert sorted(heard()) == sorted([str(first), str(second)])


@pytest.mark.spec("A10")
def test_what_is_rolled_back_wakes_nobody() -> None:
    with ear() as heard:
        with transaction.atomic():
            notify(new_id())
            transaction.set_rollback(True)
        kept = new_id()
        notify(kept)
        assert heard() == [str(kept)]


@pytest.mark.spec("A10", "O2")
def test_only_those_who_watch_a_subject_are_woken() -> None:
    async def watch() -> None:
        ours, theirs = new_id(), new_id()
        with hub().watching(ours) as one, hub().watching(ours) as two:
            with hub().watching(theirs) as other:
                # The connection begins to listen, which wakes all.
                for news in (one, two, other):
                    await news.wait()
                    news.clear()
                await tell(ours)
                await one.wait()
                await two.wait()
                assert not other.is_set()
                assert hub().watchers == 3
            assert hub().watchers == 2
        assert hub().watchers == 0

    work(watch())


def ours(what: str) -> int:
    """Return an aggregate over the listening sessions of this database."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {what} {LISTENING}", [APPLICATION])
        return int(cursor.fetchone()[0])


def cut_off() -> int:
    return ours("count(pg_terminate_backend(pid))")


def listening() -> int:
    return ours("count(*)")


@pytest.mark.spec("A10", "O2")
def test_who_watches_is_woken_when_the_connection_is_back() -> None:
    async def watch() -> None:
        subject = new_id()
        with hub().watching(subject) as news:
            await news.wait()
            assert hub().listening
            news.clear()
            assert await apart(cut_off) == 1
            await news.wait()
            assert hub().listening
            news.clear()
            await tell(subject)
            await news.wait()

    work(watch())


@pytest.mark.spec("A10", "U2")
def test_the_connection_is_there_only_while_somebody_watches() -> None:
    async def watch() -> None:
        for _ in range(3):
            subject = new_id()
            with hub().watching(subject) as news:
                await news.wait()
            assert not hub().watchers

    work(watch())
    # A backend outlives its client's farewell by a moment.
    assert any(listening() == 0 for _ in range(10_000))


@pytest.mark.spec("O2")
def test_each_event_loop_has_one_hub_of_its_own() -> None:
    found: list[Hub] = []

    async def look() -> None:
        assert hub() is hub()
        found.append(hub())

    work(look())
    work(look())
    assert found[0] is not found[1]
