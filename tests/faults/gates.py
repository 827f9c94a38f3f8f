"""Locks that real processes wait at, so that a test knows where each is, and may kill it there.

Nothing in the product knows of them: they are rows and tables that it reads and writes anyway.
"""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from django.db import connection

LOGIN = ("host", "port", "user", "password", "dbname")
WAITS = """
SELECT l.pid FROM pg_locks l
WHERE NOT l.granted AND %(holder)s = ANY (pg_blocking_pids(l.pid)) AND l.pid <> ALL (%(not)s)
LIMIT 1
"""
IS_THERE = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE pid = %s)"
IS_QUEUED = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND pid = %s)"


def connect() -> psycopg.Connection[Any]:
    """Open a connection of its own to the tests' database."""
    options = connection.get_connection_params()
    return psycopg.connect(**{key: options[key] for key in LOGIN})


def leave(left: psycopg.Connection[Any]) -> None:
    """Close a connection, and return when the server has let go of all that it held."""
    if left.closed:
        return
    pid = left.info.backend_pid
    left.close()
    while ask(IS_THERE, [pid]):
        pass


def ask(sql: str, values: Any) -> int | None:
    """Return the number that answers a question, None for no row."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        row = cursor.fetchone()
    return row[0] if row else None


class Hold:
    """A lock that is taken as soon as whoever has it lets go: `taken` is done by then."""

    def __init__(self, sql: str, values: Any, *, pool: ThreadPoolExecutor) -> None:
        self._connection = connect()
        self.pid = self._connection.info.backend_pid
        self.taken: Future[Any] = pool.submit(self._connection.execute, sql, values)

    def waiter(self) -> int | None:
        """Return the server's process of somebody who waits for it."""
        return ask(WAITS, {"holder": self.pid, "not": [self.pid]})

    def release(self) -> None:
        """Let go of it, or of waiting for it."""
        self._connection.cancel_safe()
        leave(self._connection)


class Gate:
    """A table that is written to by one transaction at a time, and only when it is let through.

    Two connections hold its lock in turn: the one queues behind the transaction that waits, before
    the other lets go. So nobody slips through.
    """

    def __init__(self, table: str, *, pool: ThreadPoolExecutor) -> None:
        # SHARE: reading goes on.
        self._sql = f"LOCK TABLE {table} IN SHARE MODE"
        self._pool = pool
        self._holder, self._next = connect(), connect()
        self._holder.execute(self._sql)

    def waiter(self) -> int | None:
        """Return the server's process of a transaction that waits at the gate."""
        ours = [one.info.backend_pid for one in (self._holder, self._next)]
        return ask(WAITS, {"holder": self._holder.info.backend_pid, "not": ours})

    def let_one_through(self) -> None:
        """Let who waits go on, and return when that transaction is over; the gate is shut again.

        Of a process that is dead by now nothing is committed: the server finds nobody to answer.
        """
        shut = self._pool.submit(self._next.execute, self._sql)
        while not ask(IS_QUEUED, [self._next.info.backend_pid]):
            assert not shut.done(), "nobody waited at the gate"
        self._holder.rollback()
        shut.result(timeout=60)
        self._holder, self._next = self._next, self._holder

    def close(self) -> None:
        """Take the gate away."""
        for one in (self._holder, self._next):
            leave(one)


@dataclass
class Locks:
    """A gate, and what else is held; all of it is let go of when its block ends."""

    gate: Gate
    pool: ThreadPoolExecutor
    holds: list[Hold] = field(default_factory=list)

    def hold(self, sql: str, values: Any = ()) -> Hold:
        """Take a lock, now or as soon as those before let go."""
        self.holds.append(Hold(sql, values, pool=self.pool))
        return self.holds[-1]


@contextmanager
def gated(table: str) -> Iterator[Locks]:
    """Put a gate before a table until the block ends."""
    with ThreadPoolExecutor(4) as pool:
        locks = Locks(Gate(table, pool=pool), pool)
        try:
            yield locks
        finally:
            locks.gate.close()
            for hold in locks.holds:
                hold.release()
