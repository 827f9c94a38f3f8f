"""The database's own rules: whether each is there, on, and held to by the rows."""

import re
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import connection, models
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import RunSQL, SeparateDatabaseAndState
from django.db.migrations.operations.base import Operation

from memory.services.verification.faults import Fault

APPS = ("memory", "trading", "review", "autopilot")
SHOWN = 10
"""How many rows that break one key are named."""

_CONSTRAINTS = """
SELECT conname, conrelid::regclass::text, contype::text, convalidated,
    coalesce((to_jsonb(c) ->> 'conenforced')::boolean, true), confrelid::regclass::text,
    ARRAY(SELECT a.attname::text FROM unnest(c.conkey) WITH ORDINALITY k(n, ord)
          JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.n ORDER BY k.ord),
    ARRAY(SELECT a.attname::text FROM unnest(c.confkey) WITH ORDINALITY k(n, ord)
          JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.n ORDER BY k.ord)
FROM pg_constraint c
WHERE c.connamespace = current_schema()::regnamespace AND c.conrelid <> 0
ORDER BY 2, 1
"""
# A key's own triggers are among them: they are what checks it.
_TRIGGERS = """
SELECT t.tgname, t.tgrelid::regclass::text, t.tgenabled::text, t.tgisinternal
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = current_schema()::regnamespace ORDER BY 2, 1
"""
_INDEXES = """
SELECT c.relname, i.indrelid::regclass::text, i.indisvalid
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = current_schema()::regnamespace ORDER BY 2, 1
"""
_MADE = {
    "constraint": re.compile(
        r"\bADD CONSTRAINT (\w+)|\bCONSTRAINT (\w+)\s+(?:CHECK|PRIMARY|UNIQUE|FOREIGN)"
    ),
    "trigger": re.compile(r"\bCREATE (?:CONSTRAINT )?TRIGGER (\w+)"),
    "index": re.compile(r"\bCREATE (?:UNIQUE )?INDEX (\w+)"),
}
_DROPPED = re.compile(r"\bDROP (?:CONSTRAINT|TRIGGER|INDEX) (?:IF EXISTS )?(\w+)")


def faults() -> Iterator[Fault]:
    """Yield rules that the migrations made and that are missing, and those that are off."""
    constraints, triggers, indexes = _rows(_CONSTRAINTS), _rows(_TRIGGERS), _rows(_INDEXES)
    for name, table, _, is_valid, is_enforced, *_ in constraints:
        if not is_valid or not is_enforced:
            yield _fault(f"the constraint {name} of {table} was never checked against its rows")
    for name, table, enabled, is_internal in triggers:
        if enabled not in ("O", "A"):
            what = "a trigger of its keys" if is_internal else f"the trigger {name}"
            yield _fault(f"{what} is off on {table}")
    for name, table, is_valid in indexes:
        if not is_valid:
            yield _fault(f"the index {name} of {table} is not valid")
    ((role,),) = _rows("SELECT current_setting('session_replication_role')")
    if role != "origin":
        yield _fault(f"session_replication_role is {role} by default: no rule is looked at")
    yield from _missing(
        {row[0] for row in (*constraints, *triggers, *indexes)},
        {(row[1], tuple(row[6])) for row in constraints if row[2] == "f"},
    )


def _missing(names: set[str], keys: set[tuple[str, tuple[str, ...]]]) -> Iterator[Fault]:
    """Hold the names and the foreign keys that there are against those that there must be."""
    executor = MigrationExecutor(connection)
    pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if pending:
        # The models speak of a later schema than this one.
        yield _fault(f"{len(pending)} migrations are not applied: run migrate, and verify again")
        return
    for name in sorted(promised() - names):
        yield _fault(f"{name}, which the migrations made, is not there")
    for table, columns in sorted(_keys() - keys):
        yield _fault(f"{table} has no foreign key on {', '.join(columns)}")


def strays(agent_id: UUID | None) -> Iterator[Fault]:
    """Yield rows that refer to nothing, or to another agent's, past a key of agents."""
    for name, table, kind, _, _, to, columns, to_columns in _rows(_CONSTRAINTS):
        if kind != "f" or "agent_id" not in columns:
            continue
        own = [f'a."{column}"' for column in columns]
        same = " AND ".join(
            f'b."{theirs}" = {ours}' for ours, theirs in zip(own, to_columns, strict=True)
        )
        whole = " AND ".join(f"{column} IS NOT NULL" for column in own)
        statement = (
            f"SELECT a.agent_id, {', '.join(f'{column}::text' for column in own)} FROM {table} a"  # noqa: S608 - names come from the catalogue
            f" WHERE {whole} AND (%(agent)s::uuid IS NULL OR a.agent_id = %(agent)s::uuid)"
            f" AND NOT EXISTS (SELECT 1 FROM {to} b WHERE {same}) LIMIT {SHOWN}"
        )
        for owner, *values in _rows(statement, {"agent": agent_id}):
            said = ", ".join(f"{key} {value}" for key, value in zip(columns, values, strict=True))
            what = f"a row of {table} breaks {name}: there is no {to} with {said}"
            yield Fault("ownership", owner, None, what)


def promised() -> set[str]:
    """Return the names of what the applied migrations and the models say is in the database."""
    loader = MigrationLoader(connection)
    names: set[str] = set()
    plan = loader.graph._generate_plan(loader.graph.leaf_nodes(), at_end=True)  # noqa: SLF001 - as the executor does
    for key in plan:
        if key[0] in APPS and key in loader.applied_migrations:
            for text in _statements(loader.graph.nodes[key].operations):
                for pattern in _MADE.values():
                    names |= {name for found in pattern.findall(text) for name in _words(found)}
                names -= set(_DROPPED.findall(text))
    for model in _models():
        meta = model._meta  # noqa: SLF001 - Django's documented way to ask a model
        names |= {one.name for one in (*meta.constraints, *meta.indexes)}
    return names


def _keys() -> set[tuple[str, tuple[str, ...]]]:
    """Return (table, column) of each foreign key that Django makes."""
    return {
        (meta.db_table, (field.column,))
        for meta in (model._meta for model in _models())  # noqa: SLF001 - as above
        for field in meta.local_fields
        if isinstance(field, models.ForeignKey) and getattr(field, "db_constraint", True)
    }


def _models() -> Iterator[type[models.Model]]:
    for label in APPS:
        yield from apps.get_app_config(label).get_models()


def _statements(operations: Iterable[Operation]) -> Iterator[str]:
    for operation in operations:
        if isinstance(operation, SeparateDatabaseAndState):
            yield from _statements(operation.database_operations)
        elif isinstance(operation, RunSQL):
            sql: Any = operation.sql
            yield sql if isinstance(sql, str) else "\n".join(str(part) for part in sql)


def _words(found: str | tuple[str, ...]) -> list[str]:
    return [found] if isinstance(found, str) else [name for name in found if name]


def _fault(what: str) -> Fault:
    return Fault("rules", None, None, what)


def _rows(statement: str, values: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
