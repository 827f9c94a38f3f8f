"""What `heads.chosen` answers, read from history alone: the oracle of the heads (SPEC C1, C6).

Research by loose index scans: the distinct lanes first, then the newest row of each by one index
probe. Corrections one by one: each may well be a lane. A lane whose newest record is erased keeps
its place and shows nothing.
"""

from datetime import datetime
from uuid import UUID

from memory.selectors.heads import Chosen, select, statement

_FROM_HISTORY = statement(
    """
targeted AS (
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
analyst AS MATERIALIZED (
    SELECT id FROM memory_producer WHERE agent_id = %(agent)s AND role = 'analysis'
),
research AS MATERIALIZED (
    SELECT top.record_id FROM targeted
    JOIN analyst a ON a.id = targeted.producer_id
    CROSS JOIN LATERAL (
        SELECT t.record_id FROM memory_target t
        WHERE t.agent_id = %(agent)s AND t.instrument_id = %(instrument)s
          AND t.originals_hash IS NULL AND t.producer_id = targeted.producer_id
          AND t.type = targeted.type
        ORDER BY t.created_at DESC, t.record_id DESC LIMIT 1) top
    UNION ALL
    SELECT top.id FROM agent_wide
    JOIN analyst a ON a.id = agent_wide.producer_id
    CROSS JOIN LATERAL (
        SELECT r.id FROM memory_record r
        WHERE r.agent_id = %(agent)s AND r.scope = 'agent' AND r.originals_hash IS NULL
          AND r.producer_id = agent_wide.producer_id AND r.type = agent_wide.type
        ORDER BY r.created_at DESC, r.id DESC LIMIT 1) top
),
newest AS (
    (SELECT DISTINCT ON (t.producer_id, t.originals_hash) t.instrument_id, t.record_id
     FROM memory_target t
     WHERE t.agent_id = %(agent)s AND t.instrument_id = %(instrument)s
       AND t.originals_hash IS NOT NULL
     ORDER BY t.producer_id, t.originals_hash, t.created_at DESC, t.record_id DESC)
    UNION ALL
    (SELECT DISTINCT ON (r.producer_id, r.originals_hash) '', r.id
     FROM memory_record r
     WHERE r.agent_id = %(agent)s AND r.scope = 'agent' AND r.originals_hash IS NOT NULL
     ORDER BY r.producer_id, r.originals_hash, r.created_at DESC, r.id DESC)
),
correction AS MATERIALIZED (
    SELECT r.agent_id, newest.instrument_id, newest.record_id, r.created_at,
        coalesce(r.stale_after, 'infinity') AS stale_after
    FROM newest
    JOIN memory_record r ON r.agent_id = %(agent)s AND r.id = newest.record_id
    JOIN analyst a ON a.id = r.producer_id
    WHERE r.purged_at IS NULL
)""",
    corrections="correction",
)


def chosen_from_history(agent_id: UUID, *, instrument: str, past: int, now: datetime) -> Chosen:
    """Return the same as `heads.chosen`, without reading heads.

    The cost grows with the number of corrections.
    """
    return select(_FROM_HISTORY, agent_id, instrument=instrument, past=past, reach=None, now=now)
