"""Do all ways of writing leave the same? A fast write that stores less would prove nothing."""

from collections.abc import Iterable
from typing import Any

from django.db import connection

from config.benchmarks.loading import END, World
from memory.selectors.heads import chosen
from memory.selectors.history import chosen_from_history

PAST = 20

COUNTED = """
SELECT DISTINCT c.table_name FROM information_schema.columns c
JOIN information_schema.tables t USING (table_schema, table_name)
WHERE c.table_schema = current_schema() AND c.column_name = 'agent_id'
  AND c.table_name LIKE 'memory_%%' AND t.table_type = 'BASE TABLE'
ORDER BY 1
"""
SEQUENCE = """
SELECT count(*), min(r.seq), max(r.seq), max(t.last_seq)
FROM memory_record r JOIN memory_agent_tail t ON t.agent_id = r.agent_id
WHERE r.agent_id = %s
"""
HEADS = """
SELECT h.instrument_id, p.name, h.type, h.created_at, h.stale_after::text, r.content
FROM memory_head h
JOIN memory_producer p ON p.agent_id = h.agent_id AND p.id = h.producer_id
JOIN memory_record r ON r.agent_id = h.agent_id AND r.id = h.record_id
WHERE h.agent_id = %s ORDER BY 1, 2, 3
"""


def check_agreement(worlds: list[World], *, instruments: Iterable[str]) -> None:
    """Raise AssertionError unless all worlds hold the same, whole, with right heads."""
    for world in worlds:
        _check_sequence(world)
        for instrument in instruments:
            _check_heads(world, instrument)
    first, *others = (_state(world) for world in worlds)
    for world, state in zip(worlds[1:], others, strict=True):
        different = [name for name, value in state.items() if value != first[name]]
        if different:
            raise AssertionError(
                f"{worlds[0].agent.name} and {world.agent.name} differ in {', '.join(different)}"
            )


def _check_sequence(world: World) -> None:
    ((stored, low, high, tail),) = _rows(SEQUENCE, world)
    if not (low == 1 and stored == high == tail):
        raise AssertionError(f"{world.agent.name}: {stored} records in {low}..{high}, tail {tail}")


def _check_heads(world: World, instrument: str) -> None:
    by_heads = chosen(world.agent.id, instrument=instrument, past=PAST, now=END)
    if by_heads != chosen_from_history(world.agent.id, instrument=instrument, past=PAST, now=END):
        raise AssertionError(f"{world.agent.name}: heads of {instrument} differ from history")


def _state(world: World) -> dict[str, Any]:
    """Return what must be equal: the rows of each table of the store, and the heads."""
    with connection.cursor() as cursor:
        cursor.execute(COUNTED, [])
        tables = [row[0] for row in cursor.fetchall()]
    state: dict[str, Any] = {
        # The names come from the catalogue.
        table: _rows(f"SELECT count(*) FROM {table} WHERE agent_id = %s", world)  # noqa: S608
        for table in tables
    }
    return {**state, "heads": _rows(HEADS, world)}


def _rows(sql: str, world: World) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, [world.agent.id])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows
