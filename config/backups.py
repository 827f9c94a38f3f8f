"""Backups of the whole database in pg_dump's custom format, and their way back (SPEC U3)."""

from __future__ import annotations

import errno
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import OperationalError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from psycopg.conninfo import make_conninfo
from psycopg.errors import DeadlockDetected, LockNotAvailable

from config import pgclients
from config.drafts import draft_of
from memory.errors import BadRequest, Conflict

if TYPE_CHECKING:
    from config.pgbinaries import Programs
    from memory.management.progress import Progress

MAGIC = b"PGDMP"
SHOWN = 5
LOCK_WAIT_SECONDS = 10
DUMPED_FROM = re.compile(r"Dumped from database version: (\d+)")
OWN_TABLES = frozenset(
    {
        "django_migrations",
        "django_content_type",
        "auth_permission",
        "django_q_ormq",
        "django_q_schedule",
        "django_q_task",
        "memory_cluster",
        "memory_jobrun",
        "memory_queue_claim",
        "memory_write_fault",
    }
)
"""What a database holds that nobody has used: of migrations, and of workers without work."""

_TABLES = """
SELECT c.relname, quote_ident(c.relname) FROM pg_class c
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1
"""
_OTHERS = """
SELECT DISTINCT coalesce(nullif(application_name, ''), 'a client without a name')
FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
ORDER BY 1
"""
_EMPTY = """
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT c.oid::regclass AS name FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'S' LOOP
        EXECUTE format('DROP SEQUENCE IF EXISTS %s CASCADE', one.name);
    END LOOP;
    FOR one IN SELECT p.oid::regprocedure AS name FROM pg_proc p
        WHERE p.pronamespace = current_schema()::regnamespace AND NOT EXISTS (
            SELECT 1 FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e') LOOP
        EXECUTE format('DROP ROUTINE IF EXISTS %s CASCADE', one.name);
    END LOOP;
END $$
"""


class NotEmpty(Conflict):
    """The database holds something, and a backup is restored into an empty one."""

    code = "database_not_empty"


class InUse(Conflict):
    """Somebody else is connected to the database."""

    code = "database_in_use"


class NoBackup(BadRequest):
    """The file cannot be restored: it is none, is cut off, or is of a newer release."""

    code = "no_backup"


class IsThere(Conflict):
    """A file of that name is there, and nobody said that it may be replaced."""

    code = "file_exists"


def backup(path: Path, *, overwrite: bool, progress: Progress) -> int:
    """Write the database into a file, which takes its name when it is whole; return its bytes.

    The file is its owner's alone. Everything in it is as of one moment, and writers go on
    meanwhile. Whether the file can be written is tried first. IsThere: it is there, and is not to
    be overwritten. ClientsMissing; ProgramFailed; OSError.
    """
    _refuse_to_overwrite(path, overwrite=overwrite)
    programs = pgclients.clients()
    with draft_of(path) as draft:
        progress.stage("tables dumped", len(_tables()))
        arguments = ["--format=custom", "--no-owner", "--no-privileges", "--verbose"]
        pgclients.run(
            programs,
            "pg_dump",
            *arguments,
            f"--file={draft}",
            told=lambda line: progress.advance() if "dumping contents of table" in line else None,
        )
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        # It may have come meanwhile.
        _refuse_to_overwrite(path, overwrite=overwrite)
        draft.replace(path)
    return path.stat().st_size


def _refuse_to_overwrite(path: Path, *, overwrite: bool) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not overwrite:
        raise IsThere(f"{path} is there; name another file, or replace it with --overwrite")


def restore(path: Path, *, progress: Progress) -> bool:
    """Put a backup into the database, which must be empty; migrating it forward is the caller's.

    Return whether it is of a server of this major version: of another, postings are to be made
    anew, since each has its own way with words. Everything of the file is read before the database
    is touched; a failure leaves it empty. What somebody writes meanwhile is found, and refused as
    what was there before.

    NoBackup; NotEmpty; InUse; ClientsMissing; ProgramFailed.
    """
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise NoBackup(f"{path} is no backup: `backup FILE` writes one")
    programs = pgclients.clients()
    _refuse_what_is_there()
    listed = _listed(path, programs)
    number = listed.count(" TABLE DATA ")
    progress.stage("tables checked", number)
    _check(path, programs, progress=progress)
    _empty()
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version')")
        (version,) = cursor.fetchone()
    database = make_conninfo(dbname=connection.get_connection_params()["dbname"])
    connection.close()
    progress.stage("tables restored", number)
    arguments = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]
    try:
        pgclients.run(
            programs,
            "pg_restore",
            *arguments,
            "--verbose",
            f"--dbname={database}",
            path,
            told=lambda line: progress.advance() if "processing data for table" in line else None,
        )
    except pgclients.ProgramFailed as error:
        raise pgclients.ProgramFailed(
            f"nothing was restored, and the database is empty: {error.message}"
        ) from error
    progress.stage("statistics")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    progress.advance()
    dumped = DUMPED_FROM.search(listed)
    return dumped is not None and dumped.group(1) == version.partition(".")[0]


def _tables() -> list[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute(_TABLES)
        found: list[tuple[str, str]] = cursor.fetchall()
    return found


def _refuse_what_is_there() -> None:
    with connection.cursor() as cursor:
        cursor.execute(_OTHERS)
        others = [name for (name,) in cursor.fetchall()]
        held = []
        for name, quoted in _tables():
            if name in OWN_TABLES:
                continue
            # The name comes from the catalogue, quoted by the server.
            cursor.execute(f"SELECT count(*) FROM (SELECT 1 FROM {quoted} LIMIT 1001) x")  # noqa: S608
            (number,) = cursor.fetchone()
            if number:
                held.append(f"{name} ({number if number <= 1000 else 'over 1000'})")  # noqa: PLR2004
    if held:
        more = f" and {len(held) - SHOWN} more tables" if len(held) > SHOWN else ""
        raise NotEmpty(
            f"the database holds rows: {', '.join(held[:SHOWN])}{more}; restore into an empty one "
            "(another TIDEBOOK_HOME, or a DATABASE_URL of its own)"
        )
    if others:
        raise InUse(f"others use the database: {', '.join(others)}; stop them first")


def _empty() -> None:
    """Drop all tables, if there is nothing in them still (NotEmpty, InUse).

    From the locks on, a writer has committed, and is seen, or waits
    and then finds no table: nothing that anybody was told is stored is lost.
    """
    try:
        with transaction.atomic(durable=True), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_WAIT_SECONDS}s'")
            locked: list[str] = []
            while (names := [quoted for _, quoted in _tables()]) != locked:
                cursor.execute(f"LOCK TABLE {', '.join(names)} IN ACCESS EXCLUSIVE MODE")
                locked = names
            _refuse_what_is_there()
            if locked:
                cursor.execute(f"DROP TABLE {', '.join(locked)} CASCADE")
            cursor.execute(_EMPTY)
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable | DeadlockDetected):
            raise InUse("others use the tables of the database: stop them first") from error
        raise


def _check(path: Path, programs: Programs, *, progress: Progress) -> None:
    """Read the whole file, and whether this release knows all that was done to its tables."""
    try:
        pgclients.run(
            programs,
            "pg_restore",
            "--verbose",
            "--file=/dev/null",
            path,
            told=lambda line: progress.advance() if "processing data for table" in line else None,
        )
        rows = pgclients.output_of(
            programs, "pg_restore", "--data-only", "--table=django_migrations", "--file=-", path
        )
    except pgclients.ProgramFailed as error:
        raise NoBackup(f"{path} cannot be read whole: {error.message}") from error
    unknown = sorted(_applied(rows) - set(MigrationLoader(None).disk_migrations))
    if unknown:
        names = ", ".join(".".join(key) for key in unknown[:SHOWN])
        raise NoBackup(
            f"{path} is of a newer release, whose changes this one does not know ({names}): "
            "restore it with that release"
        )


def _listed(path: Path, programs: Programs) -> str:
    """Return the archive's table of contents, with a head that tells where it is from."""
    try:
        return pgclients.output_of(programs, "pg_restore", "--list", path)
    except pgclients.ProgramFailed as error:
        newer = "unsupported version" in error.message
        why = f"a newer format than pg_restore {programs.version} reads" if newer else error.message
        raise NoBackup(f"{path} cannot be read: {why}") from error


def _applied(rows: str) -> set[tuple[str, str]]:
    """Return (app, name) of the migrations in pg_restore's rows of django_migrations."""
    found = set()
    for line in rows.splitlines():
        with suppress(ValueError):
            _, app, name, _ = line.split("\t")
            found.add((app, name))
    return found
