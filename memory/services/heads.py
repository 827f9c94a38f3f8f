"""Heads after the fact: moved on by records that were imported (SPEC C1, C6)."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connection

# As publish moves them on with each write.
_NEWEST = """
SELECT DISTINCT ON (lane.instrument_id, r.producer_id, {key}) r.agent_id, lane.instrument_id,
    r.producer_id, {key}, r.id, r.created_at,
    CASE WHEN r.purged_at IS NULL THEN coalesce(r.stale_after, 'infinity') ELSE '-infinity' END
FROM memory_record r
JOIN memory_producer p ON p.agent_id = r.agent_id AND p.id = r.producer_id AND p.role = 'analysis'
CROSS JOIN LATERAL (
    SELECT t.instrument_id FROM memory_target t
    WHERE t.agent_id = r.agent_id AND t.record_id = r.id
    UNION ALL SELECT '' WHERE r.scope = 'agent') lane
WHERE r.agent_id = %(agent)s AND r.id = ANY(%(ids)s) AND r.originals_hash IS {which}
ORDER BY lane.instrument_id, r.producer_id, {key}, r.created_at DESC, r.id DESC
"""
_MOVE = """
INSERT INTO {table} AS h (agent_id, instrument_id, producer_id, {name}, record_id, created_at,
    stale_after)
{newest}
ON CONFLICT (agent_id, instrument_id, producer_id, {name}) DO UPDATE
SET record_id = excluded.record_id, created_at = excluded.created_at,
    stale_after = excluded.stale_after
WHERE (excluded.created_at, excluded.record_id) > (h.created_at, h.record_id)
"""
_RESEARCH = _MOVE.format(
    table="memory_head", name="type", newest=_NEWEST.format(key="r.type", which="NULL")
)
_CORRECTIONS = _MOVE.format(
    table="memory_correction_head",
    name="originals_hash",
    newest=_NEWEST.format(key="r.originals_hash", which="NOT NULL"),
)


def move_on(agent_id: UUID, ids: Sequence[UUID]) -> None:
    """Move heads on to these records where they are the newest of their lanes.

    The caller holds the agent's tail row, as a write does.
    """
    values: dict[str, Any] = {"agent": agent_id, "ids": list(ids)}
    with connection.cursor() as cursor:
        cursor.execute(_RESEARCH, values)
        cursor.execute(_CORRECTIONS, values)
