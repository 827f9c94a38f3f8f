"""Telling those who watch that there is something new (SPEC O2, A10).

A notification is a wake-up and carries nothing but an id: what is new is read from the tables, from
each watcher's own cursor. So a lost one costs time, never an event. One connection per process
listens for all of its watchers. It is outside Django's pool, and there only while somebody watches.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

import psycopg
import structlog
from django.db import connection

CHANNEL = "tidebook"
APPLICATION = "tidebook-live"
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.2, 5.0

log = structlog.get_logger(__name__)


def notify(subject: UUID) -> None:
    """Wake whoever watches `subject`, once the caller's transaction commits.

    Inside a transaction PostgreSQL folds repeated calls into one, and sends nothing when it is
    rolled back. Its commits wait for one another: for steps of sessions, not for every record.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [CHANNEL, str(subject)])


class Hub:
    """The watchers of one event loop, and the connection that listens for them."""

    def __init__(self) -> None:
        self._watchers: dict[str, set[asyncio.Event]] = {}
        self._task: asyncio.Task[None] | None = None
        self.listening = False

    @contextmanager
    def watching(self, subject: UUID) -> Iterator[asyncio.Event]:
        """Give an event that is set whenever there may be something new about `subject`.

        The watcher clears it before it reads, and reads at once the first time: what came before
        the connection listens is told by a wake-up of all.
        """
        news = asyncio.Event()
        self._watchers.setdefault(str(subject), set()).add(news)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._listen(), name="tidebook live")
        try:
            yield news
        finally:
            ours = self._watchers[str(subject)]
            ours.discard(news)
            if not ours:
                del self._watchers[str(subject)]
            if not self._watchers and self._task is not None:
                self._task.cancel()
                self._task = None

    @property
    def watchers(self) -> int:
        """How many watch."""
        return sum(len(ours) for ours in self._watchers.values())

    async def _listen(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                async with await _connect() as listener:
                    await listener.execute(f"LISTEN {CHANNEL}")
                    self.listening, pause = True, FIRST_PAUSE_SECONDS
                    # What was told meanwhile was told to nobody.
                    self._wake(*self._watchers)
                    async for note in listener.notifies():
                        self._wake(note.payload)
            except (psycopg.Error, OSError) as error:
                log.warning("listener_lost", error=type(error).__name__)
            finally:
                self.listening = False
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    def _wake(self, *subjects: str) -> None:
        for subject in subjects:
            for news in self._watchers.get(subject, ()):
                news.set()


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def hub() -> Hub:
    """Return the running event loop's hub."""
    return _hubs.setdefault(asyncio.get_running_loop(), Hub())


async def _connect() -> psycopg.AsyncConnection[Any]:
    """Open a connection to Django's database (psycopg.Error)."""
    parameters = connection.get_connection_params()
    # They serve Django's own statements.
    for name in ("context", "cursor_factory"):
        parameters.pop(name, None)
    parameters |= {"application_name": APPLICATION, "autocommit": True}
    return await psycopg.AsyncConnection.connect(**parameters)
