"""What a context is made of, from heads: research by lane, and corrections (SPEC C1, C6, C8, C13).

A lane of research is (instrument or agent-wide, analysis producer, type), one of corrections
(instrument or agent-wide, analysis producer, set of originals). `history` gives the same without
heads; tests and `verify_memory` hold one against the other.
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
    """The identity of a lane's newest record; content and metadata are fetched apart.

    `originals` are what it corrects, in the order of its links; research corrects nothing. What is
    not `listed` is there for the corrections that rest on it. Imported history may have no run.
    """

    id: UUID
    seq: int
    type: str
    scope: str
    timeframe: str | None
    created_at: datetime
    stale_after: datetime | None
    expiry_policy: str | None
    instruments: list[str]
    originals: list[UUID]
    producer_id: UUID
    producer_name: str
    producer_role: str
    producer_enabled: bool
    withdrawn: bool
    run_id: UUID | None
    run_schedule: str | None
    run_boundary: datetime | None
    run_status: str | None
    listed: bool


@dataclass(frozen=True, slots=True)
class Chosen:
    """The newest records of all lanes that a context reads.

    `lanes` are in order of `seq`; `more_corrections` tells of corrections past their deadline
    beyond those that are listed. Unless `complete`, some chains of corrections were not followed to
    their ends.
    """

    lanes: list[Lane]
    more_corrections: bool
    complete: bool


@dataclass(frozen=True, slots=True)
class Body:
    """What a fresh record says: content, metadata, tags, and (target, type) of its links."""

    content: str
    metadata: dict[str, Any]
    tags: list[str]
    links: list[tuple[UUID, str]]


_CHOSEN = """
live AS (
    SELECT c.record_id FROM {corrections} c
    WHERE c.agent_id = %(agent)s AND c.instrument_id IN ('', %(instrument)s)
      AND c.stale_after > %(now)s
),
-- One more than are listed tells whether there are others.
past AS (
    SELECT c.record_id, row_number() OVER (ORDER BY c.created_at DESC, c.record_id DESC) AS place
    FROM unnest(ARRAY['', %(instrument)s]) AS side(instrument_id) CROSS JOIN LATERAL (
        SELECT c.record_id, c.created_at FROM {corrections} c
        WHERE c.agent_id = %(agent)s AND c.instrument_id = side.instrument_id
          AND c.stale_after <= %(now)s AND c.stale_after > '-infinity'
        ORDER BY c.created_at DESC, c.record_id DESC LIMIT %(past)s + 1) c
    ORDER BY place LIMIT %(past)s + 1
),
placed AS MATERIALIZED (
    SELECT record_id, 0 AS place FROM live UNION ALL SELECT record_id, place FROM past
),
-- What they correct, as far as that are corrections themselves: whether a correction is superseded
-- rests on all of these.
direct AS MATERIALIZED (
    SELECT original.record_id FROM placed
    CROSS JOIN LATERAL ({links} placed.record_id OFFSET 0) l
    CROSS JOIN LATERAL ({original}) original
    WHERE placed.place <= %(past)s
),
walked AS (
    SELECT record_id FROM direct
    UNION
    SELECT original.record_id FROM walked
    CROSS JOIN LATERAL ({links} walked.record_id OFFSET 0) l
    CROSS JOIN LATERAL ({original}) original
),
-- Level by level, and no further than there is room: no more of a recursive query is worked out
-- than is taken of it.
room AS (SELECT (SELECT count(*) FROM direct) + %(reach)s::int AS rows),
reached AS MATERIALIZED (SELECT record_id FROM walked LIMIT (SELECT rows FROM room)),
lane AS (
    SELECT record_id, 0 AS place FROM research
    UNION ALL
    SELECT record_id, placed.place FROM reached FULL JOIN placed USING (record_id)
)
SELECT r.id, r.seq, r.type, r.scope, r.timeframe, r.created_at, r.stale_after, r.expiry_policy,
    ARRAY(SELECT t.instrument_id FROM memory_target t
          WHERE t.agent_id = r.agent_id AND t.record_id = r.id ORDER BY t.ord),
    CASE WHEN r.originals_hash IS NULL THEN '{{}}' ELSE
        ARRAY(SELECT l.target_id FROM memory_link l
              WHERE l.agent_id = r.agent_id AND l.source_id = r.id AND l.link_type = 'corrects'
              ORDER BY l.ord) END,
    p.id, p.name, p.role,
    EXISTS (SELECT 1 FROM memory_producer_enablement e
            WHERE e.agent_id = r.agent_id AND e.producer_id = r.producer_id
              AND e.enabled_at <= %(now)s AND (e.disabled_at IS NULL OR e.disabled_at > %(now)s)),
    EXISTS (SELECT 1 FROM memory_withdrawal w
            WHERE w.agent_id = r.agent_id AND w.record_id = r.id AND w.withdrawn_at <= %(now)s
              AND (w.restored_at IS NULL OR w.restored_at > %(now)s)),
    r.run_id, run.schedule, run.evidence_boundary, run.status,
    coalesce(lane.place <= %(past)s, false), coalesce(lane.place > %(past)s, false),
    coalesce((SELECT count(*) FROM reached) >= (SELECT rows FROM room), false)
FROM lane
JOIN memory_record r ON r.agent_id = %(agent)s AND r.id = lane.record_id
JOIN memory_producer p ON p.agent_id = %(agent)s AND p.id = r.producer_id
LEFT JOIN memory_run run ON run.agent_id = %(agent)s AND run.id = r.run_id
WHERE r.purged_at IS NULL
"""
# The offset and the limit keep it at one look into an index for each record and for each link.
_LINKS = """
        SELECT l.target_id FROM memory_link l
        WHERE l.agent_id = %(agent)s AND l.link_type = 'corrects' AND l.source_id ="""
_ORIGINAL = """
        SELECT c.record_id FROM {corrections} c
        WHERE c.agent_id = %(agent)s AND c.record_id = l.target_id
          AND c.instrument_id IN ('', %(instrument)s) AND c.stale_after > '-infinity'
        LIMIT 1"""


def statement(begin: str, *, corrections: str) -> str:
    """Return a statement for `select`, made of constant parts.

    `begin`: the queries that make `research` (record_id). `corrections`: a table like
    memory_correction_head, or a query of theirs.
    """
    original = _ORIGINAL.format(corrections=corrections)
    rest = _CHOSEN.format(corrections=corrections, links=_LINKS, original=original)
    return f"WITH RECURSIVE {begin},{rest}"


_FROM_HEADS = statement(
    """
research AS MATERIALIZED (
    SELECT record_id FROM memory_head
    WHERE agent_id = %(agent)s AND instrument_id IN ('', %(instrument)s)
      AND stale_after > '-infinity'
)""",
    corrections="memory_correction_head",
)

_BODIES = """
SELECT r.id, r.content, r.metadata::text, r.tags,
    ARRAY(SELECT l.target_id FROM memory_link l
          WHERE l.agent_id = r.agent_id AND l.source_id = r.id ORDER BY l.ord),
    ARRAY(SELECT l.link_type FROM memory_link l
          WHERE l.agent_id = r.agent_id AND l.source_id = r.id ORDER BY l.ord)
FROM memory_record r
WHERE r.agent_id = %(agent)s AND r.id = ANY(%(ids)s) AND r.purged_at IS NULL
"""


def chosen(
    agent_id: UUID, *, instrument: str, past: int, reach: int | None = None, now: datetime
) -> Chosen:
    """Return the newest of each lane of `instrument`, and of the agent-wide ones.

    All research, all corrections before their deadline and the newest `past` of the others, with
    the corrections that these correct; chains of such are followed over `reach` more at the most.
    The cost is the number of these, whatever the history (SPEC C13).
    """
    return select(_FROM_HEADS, agent_id, instrument=instrument, past=past, reach=reach, now=now)


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


def select(
    sql: str, agent_id: UUID, *, instrument: str, past: int, reach: int | None, now: datetime
) -> Chosen:
    """Run a statement of `statement`."""
    parameters: dict[str, Any] = {
        "agent": agent_id,
        "instrument": instrument,
        "past": past,
        "reach": reach,
        "now": now,
    }
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows = cursor.fetchall()
    return Chosen(
        lanes=sorted((Lane(*row[:-2]) for row in rows), key=lambda lane: lane.seq),
        more_corrections=any(more for *_, more, _ in rows),
        complete=not any(cut for *_, cut in rows),
    )
