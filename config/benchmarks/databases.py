"""Databases of the benches' own, beside the project's, so that no bench touches anybody's data.

One holds a loaded history and is kept for the next run under the fingerprint of the schema; a
bench that writes works in a copy.
"""

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from copy import deepcopy
from typing import Any

import psycopg
from django.contrib.contenttypes.models import ContentType
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.utils import load_backend
from psycopg import sql

from config.benchmarks import bulk, loading

PREFIX = "tidebook_bench_"


def fingerprint(*also: object) -> str:
    """Return a digest of all migrations, of how histories are made, and of `also`."""
    loaders = inspect.getsource(loading) + inspect.getsource(bulk)
    return _digest(_schema(), loaders, repr(also))


def _schema() -> str:
    """Return all migrations with their source: one not yet released changes under its name."""
    migrations = MigrationLoader(None).disk_migrations
    return "".join(
        f"{key}{inspect.getsource(sys.modules[type(migrations[key]).__module__])}"
        for key in sorted(migrations)
    )


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def open_database(name: str, *, kept_open: bool = True) -> BaseDatabaseWrapper:
    """Return a Django connection to a database of the same server (made at its first use)."""
    settings: dict[str, Any] = deepcopy(connections["default"].settings_dict)
    settings |= {"NAME": name, "CONN_MAX_AGE": None if kept_open else 0, "TIME_ZONE": None}
    settings["OPTIONS"].pop("pool", None)
    wrapper: BaseDatabaseWrapper = load_backend(settings["ENGINE"]).DatabaseWrapper(
        settings, "default"
    )
    return wrapper


@contextmanager
def as_default(wrapper: BaseDatabaseWrapper) -> Iterator[None]:
    """Let this thread's `default` connection be `wrapper` for a while; others see no change."""
    before = connections["default"]
    connections["default"] = wrapper
    # Ids of content types are remembered per alias, not per database.
    ContentType.objects.clear_cache()
    try:
        yield
    finally:
        connections["default"] = before
        ContentType.objects.clear_cache()


@contextmanager
def using(name: str) -> Iterator[None]:
    """Let `default` lead to the database `name` for a while, and close its connection after."""
    wrapper = open_database(name)
    with as_default(wrapper):
        try:
            yield
        finally:
            wrapper.close()


@contextmanager
def server(work: str) -> Iterator[psycopg.Connection[Any]]:
    """Give a connection that may make and drop databases; one run of `work` at a time gets it."""
    parameters = connections["default"].get_connection_params()
    for djangos_own in ("cursor_factory", "context", "pool"):
        parameters.pop(djangos_own, None)
    with closing(_connect(parameters)) as session:
        session.execute("SELECT pg_advisory_lock(hashtext(%s))", [PREFIX + work])
        yield session


def _connect(parameters: dict[str, Any]) -> psycopg.Connection[Any]:
    # Advisory locks are a database's own, so all runs should meet in the same one.
    try:
        return psycopg.connect(**{**parameters, "dbname": "postgres"}, autocommit=True)
    except psycopg.OperationalError:
        return psycopg.connect(**parameters, autocommit=True)


def prepared(
    session: psycopg.Connection[Any], name: str, *, key: str, fill: Callable[[], None]
) -> str:
    """Return the name of a migrated database filled by `fill`: the kept one, or a new one."""
    whole = PREFIX + name

    def make() -> None:
        _create(session, whole, like=_empty(session))
        with using(whole):
            fill()
            with connection.cursor() as cursor:
                cursor.execute("VACUUM (ANALYZE, FREEZE)")

    _keep(session, whole, key=key, make=make)
    return whole


def _empty(session: psycopg.Connection[Any]) -> str:
    """Return a migrated database without rows: migrating takes seconds, copying it none."""
    whole = PREFIX + "empty"

    def make() -> None:
        _create(session, whole)
        with using(whole):
            call_command("migrate", interactive=False, verbosity=0)

    session.execute("SELECT pg_advisory_lock(hashtext(%s))", [whole])
    try:
        _keep(session, whole, key=_digest(_schema()), make=make)
    finally:
        session.execute("SELECT pg_advisory_unlock(hashtext(%s))", [whole])
    return whole


def _keep(
    session: psycopg.Connection[Any], whole: str, *, key: str, make: Callable[[], None]
) -> None:
    """Make the database unless one is there under this key."""
    found = session.execute(
        "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s", [whole]
    ).fetchone()
    if found is not None and found[0] == key:
        return
    drop(session, whole)
    make()
    # The mark comes last: a load that was killed leaves none, and is done again.
    session.execute(
        sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(whole), sql.Literal(key))
    )


@contextmanager
def copy_of(session: psycopg.Connection[Any], name: str, *, suffix: str = "copy") -> Iterator[str]:
    """Give a copy of a database to write to, and drop it after."""
    copy = f"{name}_{suffix}"
    drop(session, copy)
    _create(session, copy, like=name)
    try:
        yield copy
    finally:
        drop(session, copy)


def drop(session: psycopg.Connection[Any], name: str) -> None:
    """Drop a bench's database if it is there."""
    if not name.startswith(PREFIX):
        msg = f"{name} is no database of a bench"
        raise ValueError(msg)
    session.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _create(session: psycopg.Connection[Any], name: str, *, like: str = "template1") -> None:
    try:
        session.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                sql.Identifier(name), sql.Identifier(like)
            )
        )
    except psycopg.errors.InsufficientPrivilege as error:
        msg = "A bench makes a database of its own: the user of DATABASE_URL needs CREATEDB."
        raise CommandError(msg) from error
