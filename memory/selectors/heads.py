"""The newest research of each lane, from heads and, as the oracle, from history (SPEC C1, C13).

A lane is (instrument or agent-wide, analysis producer, type). Both ways answer the same; tests
and `verify_memory` hold one against the other.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

AGENT_WIDE = ""


@dataclass(frozen=True, slots=True)
class Lane:
    """The identity of a lane's newest record; content and metadata are fetched apart."""

    id: UUID
    type: str
    scope: str
    timeframe: str | None
    created_at: datetime
    stale_after: datetime | None
    expiry_policy: str | None
    instruments: list[str]
    producer_id: UUID
    producer_name: str
    producer_role: str
    producer_enabled: bool
    run_id: UUID
    run_schedule: str | None
    run_boundary: datetime | None
    run_status: str | None


@dataclass(frozen=True, slots=True)
class Body:
    """What a fresh record says: content, metadata, tags, and (target, type) of its links."""

    content: str
    metadata: dict[str, Any]
    tags: list[str]
    links: list[tuple[UUID, str]]


_IDENTITY = """
SELECT r.id, r.type, r.scope, r.timeframe, r.created_at, r.stale_after, r.expiry_policy,
    ARRAY(SELECT t.instrument_id FROM memory_target t
          WHERE t.agent_id = r.agent_id AND t.record_id = r.id ORDER BY t.ord),
    p.id, p.name, p.role,
    EXISTS (SELECT 1 FROM memory_producer_enablement e
            WHERE e.agent_id = r.agent_id AND e.producer_id = r.producer_id
              AND e.enabled_at <= %(now)s AND (e.disabled_at IS NULL OR e.disabled_at > %(now)s)),
    r.run_id, run.schedule, run.evidence_boundary, run.status
FROM lane
JOIN memory_record r ON r.agent_id = %(agent)s AND r.id = lane.record_id
JOIN memory_producer p ON p.agent_id = %(agent)s AND p.id = r.producer_id
LEFT JOIN memory_run run ON run.agent_id = %(agent)s AND run.id = r.run_id
WHERE r.purged_at IS NULL
"""

_FROM_HEADS = f"""
WITH lane AS MATERIALIZED (
    SELECT record_id FROM memory_head
    WHERE agent_id = %(agent)s AND instrument_id IN ('', %(instrument)s)
      AND stale_after > '-infinity'
)
{_IDENTITY}
"""  # noqa: S608 - both parts are constants

# Loose index scans: the distinct lanes first, then the newest row of each by one index probe.
# A lane whose newest record is erased keeps its place and shows nothing.
_FROM_HISTORY = f"""
WITH RECURSIVE targeted AS (
    (SELECT producer_id, type FROM memory_target
     WHERE agent_id = %(agent)s AND instrument_id = %(instrument)s AND originals_hash IS NULL
     ORDER BY producer_id, type LIMIT 1)
    UNION ALL
    SELECT n.producer_id, n.type FROM targeted p CROSS JOIN LATERAL (
        SELECT t.producer_id, t.type FROM memory_target t
        WHERE t.agent_id = %(agent)s AND t.instrument_id = %(instrument)s
          AND t.originals_hash IS NULL AND (t.producer_id, t.type) > (p.producer_id, p.type)
        ORDER BY t.producer_id, t.type LIMIT 1) n
),
agent_wide AS (
    (SELECT producer_id, type FROM memory_record
     WHERE agent_id = %(agent)s AND scope = 'agent' AND originals_hash IS NULL
     ORDER BY producer_id, type LIMIT 1)
    UNION ALL
    SELECT n.producer_id, n.type FROM agent_wide p CROSS JOIN LATERAL (
        SELECT r.producer_id, r.type FROM memory_record r
        WHERE r.agent_id = %(agent)s AND r.scope = 'agent' AND r.originals_hash IS NULL
          AND (r.producer_id, r.type) > (p.producer_id, p.type)
        ORDER BY r.producer_id, r.type LIMIT 1) n
),
lane AS (
    SELECT top.record_id FROM targeted
    JOIN memory_producer a ON a.agent_id = %(agent)s AND a.id = targeted.producer_id
        AND a.role = 'analysis'
    CROSS JOIN LATERAL (
        SELECT t.record_id FROM memory_target t
        WHERE t.agent_id = %(agent)s AND t.instrument_id = %(instrument)s
          AND t.originals_hash IS NULL AND t.producer_id = targeted.producer_id
          AND t.type = targeted.type
        ORDER BY t.created_at DESC, t.record_id DESC LIMIT 1) top
    UNION ALL
    SELECT top.id FROM agent_wide
    JOIN memory_producer a ON a.agent_id = %(agent)s AND a.id = agent_wide.producer_id
        AND a.role = 'analysis'
    CROSS JOIN LATERAL (
        SELECT r.id FROM memory_record r
        WHERE r.agent_id = %(agent)s AND r.scope = 'agent' AND r.originals_hash IS NULL
          AND r.producer_id = agent_wide.producer_id AND r.type = agent_wide.type
        ORDER BY r.created_at DESC, r.id DESC LIMIT 1) top
)
{_IDENTITY}
"""  # noqa: S608 - both parts are constants

_BODIES = """
SELECT r.id, r.content, r.metadata::text, r.tags,
    ARRAY(SELECT l.target_id FROM memory_link l
          WHERE l.agent_id = r.agent_id AND l.source_id = r.id ORDER BY l.ord),
    ARRAY(SELECT l.link_type FROM memory_link l
          WHERE l.agent_id = r.agent_id AND l.source_id = r.id ORDER BY l.ord)
FROM memory_record r
WHERE r.agent_id = %(agent)s AND r.id = ANY(%(ids)s) AND r.purged_at IS NULL
"""


def lanes(agent_id: UUID, *, instrument: str, now: datetime) -> list[Lane]:
    """Return the newest record of each research lane of `instrument`, and of the agent-wide ones.

    The cost is the number of lanes, whatever the history (SPEC C13). Order is not defined.
    """
    return _lanes(_FROM_HEADS, agent_id, instrument=instrument, now=now)


def lanes_from_history(agent_id: UUID, *, instrument: str, now: datetime) -> list[Lane]:
    """Return the same as `lanes`, without reading heads: the oracle."""
    return _lanes(_FROM_HISTORY, agent_id, instrument=instrument, now=now)


def bodies(agent_id: UUID, ids: Sequence[UUID]) -> dict[UUID, Body]:
    """Return what these records say; one that was erased meanwhile is missing."""
    if not ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_BODIES, {"agent": agent_id, "ids": list(ids)})
        return {
            row[0]: Body(row[1], json.loads(row[2]), row[3], list(zip(row[4], row[5], strict=True)))
            for row in cursor.fetchall()
        }


def _lanes(sql: str, agent_id: UUID, *, instrument: str, now: datetime) -> list[Lane]:
    parameters: dict[str, Any] = {"agent": agent_id, "instrument": instrument, "now": now}
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return [Lane(*row) for row in cursor.fetchall()]
