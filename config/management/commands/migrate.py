"""`manage.py migrate`: Django's, with a limit on how long it waits for a table (SPEC U7).

A change of a table waits for whoever uses it, and everybody else waits behind the change: without a
limit one long transaction would bring the previous release, which still runs, to a stand.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from psycopg.errors import LockNotAvailable


class PatientEditor(DatabaseSchemaEditor):
    """Changes the schema, and waits no longer for a lock than it may."""

    def __enter__(self) -> Self:
        """Set the limit for the migration's transaction, else until it ends."""
        super().__enter__()
        if not self.collect_sql:
            local = "LOCAL " if self.atomic_migration else ""
            self.execute(f"SET {local}lock_timeout = {_milliseconds()}")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the limit with the migration."""
        super().__exit__(kind, error, trace)
        if not self.atomic_migration and not self.collect_sql:
            self.execute("RESET lock_timeout")


class Command(migrate.Command):
    """Migrate, and give up on a table that stays locked."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate; each migration is done whole or not at all."""
        try:
            with _patient(connections[options["database"]]):
                super().handle(*args, **options)
        except OperationalError as error:
            if not isinstance(error.__cause__, LockNotAvailable):
                raise
            raise CommandError(
                f"a table was in use for longer than {settings.MIGRATION_LOCK_SECONDS:g} s, so its "
                "migration was not made, and none after it; the release that runs goes on. Run "
                "migrate again, when no long transaction is at work, or set "
                "MIGRATION_LOCK_SECONDS."
            ) from error


@contextmanager
def _patient(connection: BaseDatabaseWrapper) -> Iterator[None]:
    before = connection.SchemaEditorClass
    connection.SchemaEditorClass = PatientEditor
    try:
        yield
    finally:
        connection.SchemaEditorClass = before


def _milliseconds() -> int:
    return round(settings.MIGRATION_LOCK_SECONDS * 1000)
