"""A load without what only slows it: foreign keys, unique constraints, indexes, triggers."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.db import connection

# From the catalogue, so that a new index or key needs no change here. Unique keys come before the
# foreign keys that rest on them.
CONSTRAINTS = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype IN ('f', 'u') AND (conrelid::regclass::text = ANY(%(tables)s)
    OR confrelid::regclass::text = ANY(%(tables)s))
ORDER BY contype DESC, conname
"""
INDEXES = """
SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
WHERE indrelid::regclass::text = ANY(%(tables)s) AND NOT EXISTS (
    SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
"""


@contextmanager
def keys_made_after(tables: Iterable[str]) -> Iterator[None]:
    """Drop them for the time of a load, and make them after it, where they check all rows.

    Triggers are off meanwhile: a history is loaded with the targets that its records need.
    """
    named = {"tables": list(tables)}
    with connection.cursor() as cursor:
        cursor.execute(CONSTRAINTS, named)
        constraints = cursor.fetchall()
        cursor.execute(INDEXES, named)
        indexes = cursor.fetchall()
        # PostgreSQL drops what depends on a constraint only when told to: the last ones first.
        for table, name, _ in reversed(constraints):
            cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
        # Those of unique constraints are gone with them.
        for name, _ in indexes:
            cursor.execute(f"DROP INDEX {name}")
        for table in named["tables"]:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    yield
    with connection.cursor() as cursor:
        cursor.execute("SET maintenance_work_mem = '512MB'")
        for _, definition in indexes:
            cursor.execute(definition)
        for table, name, definition in constraints:
            cursor.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
        for table in named["tables"]:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
