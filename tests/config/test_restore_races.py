"""`restore` beside others who write: what they were told is stored is never dropped (SPEC U3)."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command

from config import backups
from memory.models import Instrument, Record
from tests.config.test_backups import another_database, run
from tests.desk import Desk
from tests.faults.gates import connect

WRITE = """
INSERT INTO memory_instrument
    (id, kind, dex, sz_decimals, only_isolated, is_active, source, seen_at)
VALUES ('ETH', 'perpetual', '', 0, false, true, 'late', now())
"""
SOMEBODY_WAITS_FOR = """
SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND %s = ANY (pg_blocking_pids(pid))
"""
LAST_LOCKED = "trading_indicator_run"

pytestmark = pytest.mark.django_db(transaction=True)


class Meanwhile:
    """A progress that does something when a restore has looked, and begins to read its file."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self.act = act

    def stage(self, what: str, total: int | None = 1) -> None:
        """Act at the stage in which the file is read."""
        del total
        if what == "tables checked":
            self.act()

    def advance(self, steps: int = 1) -> None:
        """Ignore it."""
        del steps


@pytest.fixture
def file(desk: Desk, tmp_path: Path) -> Path:
    """Return a backup that holds a record."""
    del desk
    path = tmp_path / "all.backup"
    run("backup", path)
    return path


def until_waited_for(pid: int, watcher: psycopg.Connection[Any]) -> None:
    """Return once somebody waits for a lock of that process."""
    while not (watcher.execute(SOMEBODY_WAITS_FOR, [pid]).fetchone() or [False])[0]:
        watcher.rollback()


def is_as_it_was() -> bool:
    return Instrument.objects.get().source == "late" and not Record.objects.exists()


@pytest.mark.spec("U3")
def test_what_is_written_while_the_file_is_read_makes_a_restore_refuse(file: Path) -> None:
    def write() -> None:
        with closing(connect()) as writer, writer:
            writer.execute(WRITE)

    with another_database():
        call_command("migrate", verbosity=0)
        with pytest.raises(backups.NotEmpty, match=r"memory_instrument \(1\)"):
            backups.restore(file, progress=Meanwhile(write))
        assert is_as_it_was()


@pytest.mark.spec("U3")
def test_a_restore_waits_for_a_writer_and_then_finds_what_is_written(file: Path) -> None:
    def finish(writer: psycopg.Connection[Any], watcher: psycopg.Connection[Any]) -> None:
        with closing(writer), closing(watcher):
            until_waited_for(writer.info.backend_pid, watcher)
            writer.commit()

    with another_database(), ThreadPoolExecutor(1) as pool:
        call_command("migrate", verbosity=0)
        finished: list[Future[None]] = []

        def begin() -> None:
            writer = connect()
            writer.execute(WRITE)
            finished.append(pool.submit(finish, writer, connect()))

        with pytest.raises(backups.NotEmpty, match=r"memory_instrument \(1\)"):
            backups.restore(file, progress=Meanwhile(begin))
        finished[0].result()
        assert is_as_it_was()


@pytest.mark.spec("U3")
def test_a_writer_who_waits_for_a_restore_makes_it_refuse_and_goes_on(file: Path) -> None:
    def write_late(reader: psycopg.Connection[Any], writer: psycopg.Connection[Any]) -> None:
        with closing(connect_like(writer)) as watcher, ThreadPoolExecutor(1) as pool:
            until_waited_for(reader.info.backend_pid, watcher)
            # The restore holds all tables before this one.
            written = pool.submit(writer.execute, WRITE)
            while not is_queued(writer.info.backend_pid, watcher):
                assert not written.done()
            reader.close()
            written.result()
            writer.commit()
            writer.close()

    with another_database(), ThreadPoolExecutor(1) as pool:
        call_command("migrate", verbosity=0)
        done: list[Future[None]] = []

        def begin() -> None:
            reader = connect()
            reader.execute(f"LOCK TABLE {LAST_LOCKED} IN ACCESS SHARE MODE")
            done.append(pool.submit(write_late, reader, connect()))

        with pytest.raises(backups.InUse):
            backups.restore(file, progress=Meanwhile(begin))
        done[0].result()
        assert is_as_it_was()


@pytest.mark.spec("U3")
def test_a_table_that_somebody_does_not_let_go_of_is_waited_for_so_long_and_no_longer(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "LOCK_WAIT_SECONDS", 0.05)
    held: list[psycopg.Connection[Any]] = []

    def hold() -> None:
        held.append(connect())
        held[0].execute(WRITE)

    with another_database():
        call_command("migrate", verbosity=0)
        with pytest.raises(backups.InUse, match="others use the tables"):
            backups.restore(file, progress=Meanwhile(hold))
        held[0].commit()
        held[0].close()
        assert is_as_it_was()


def connect_like(other: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """Open another connection to the same database, from whatever thread."""
    return psycopg.connect(other.info.dsn, password=other.info.password)


def is_queued(pid: int, watcher: psycopg.Connection[Any]) -> bool:
    found = watcher.execute(
        "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND pid = %s", [pid]
    ).fetchone()
    watcher.rollback()
    return bool(found and found[0])
