"""What a record rests on and what rests on it: its links, followed both ways (SPEC B3, E6, O3).

Nearest first, in bounded steps: a record that a million others rest on costs no more than one that
a few hundred do. Erased records keep their places, by identity.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db import connection
from django.db.models import OuterRef, Subquery

from memory.models import Record, Standing
from memory.policies.vocabulary import LINK_TYPES
from memory.schemas.answers import LineageLeftOut, LineageNodeOut, LineageOut
from memory.schemas.browsing import LineageQuery
from memory.selectors import timeline

type Relation = Literal["ancestor", "descendant"]

# Ids are UUIDv7, so that those of one distance come newest first. A record has few links of its
# own, but any number of others may link to it: of each type the newest are read, and so many that
# enough are left when all that were met before are among them. What is merged rests on what stands
# for it (SPEC M9): its links stay, and lead on to its survivor.
_STEP: dict[Relation, str] = {
    "ancestor": """
SELECT DISTINCT n.id FROM (
    SELECT l.target_id AS id FROM memory_link l
    WHERE l.agent_id = %(agent)s AND l.source_id = ANY (%(from)s)
    UNION ALL
    SELECT s.merged_into_id FROM memory_standing s
    WHERE s.agent_id = %(agent)s AND s.record_id = ANY (%(from)s)
        AND s.merged_into_id IS NOT NULL) n
WHERE n.id <> ALL (%(met)s)
ORDER BY id DESC LIMIT %(room)s + 1
""",
    "descendant": """
SELECT DISTINCT n.id FROM (
    SELECT o.source_id AS id
    FROM unnest(%(from)s::uuid[]) f(id) CROSS JOIN unnest(%(kinds)s::text[]) k(kind)
    CROSS JOIN LATERAL (
        SELECT l.source_id FROM memory_link l
        WHERE l.agent_id = %(agent)s AND l.target_id = f.id AND l.link_type = k.kind
        ORDER BY l.source_id DESC LIMIT %(room)s + 1 + cardinality(%(met)s::uuid[])) o
    UNION ALL
    SELECT o.record_id
    FROM unnest(%(from)s::uuid[]) f(id)
    CROSS JOIN LATERAL (
        SELECT s.record_id FROM memory_standing s
        WHERE s.agent_id = %(agent)s AND s.merged_into_id = f.id
        ORDER BY s.record_id DESC LIMIT %(room)s + 1 + cardinality(%(met)s::uuid[])) o) n
WHERE n.id <> ALL (%(met)s)
ORDER BY id DESC LIMIT %(room)s + 1
""",
}


@dataclass(frozen=True, slots=True)
class Walked:
    """What was met in one direction, nearest first, with its distance; `more`: there is more."""

    found: Sequence[tuple[UUID, int]]
    more: bool

    def first(self, count: int) -> "Walked":
        """Return the nearest of it."""
        return Walked(self.found[:count], self.more or count < len(self.found))


def trace(*, agent_id: UUID, record_id: UUID, asked: LineageQuery, now: datetime) -> LineageOut:
    """Return the graph around a record of the agent, within the bounds that are asked for.

    Where there is not room for all, each direction gets half, or what the other leaves.
    """
    room = asked.limit - 1
    above, below = (
        _walk(agent_id, record_id, direction, depth=asked.depth, room=room)
        for direction in ("ancestor", "descendant")
    )
    share = max(room // 2, room - len(below.found))
    above = above.first(share)
    below = below.first(room - len(above.found))
    places: dict[UUID, tuple[Relation | Literal["self"], int]] = {record_id: ("self", 0)}
    places |= {id_: ("ancestor", distance) for id_, distance in above.found}
    places |= {id_: ("descendant", distance) for id_, distance in below.found}
    standing = Standing.objects.filter(agent_id=OuterRef("agent_id"), record_id=OuterRef("id"))
    records = timeline.with_erased(agent_id, now=now).defer("content", "metadata", "tags")
    merged = records.annotate(merged_into=Subquery(standing.values("merged_into_id")[:1]))
    known = merged.in_bulk(list(places))
    order = sorted(places, key=lambda id_: places[id_][1])
    return LineageOut(
        memory_id=record_id,
        nodes=[_node(known[id_], *places[id_], now=now) for id_ in order],
        left_out=LineageLeftOut(ancestors=above.more, descendants=below.more),
    )


def _walk(agent_id: UUID, root: UUID, direction: Relation, *, depth: int, room: int) -> Walked:
    """Go on from all records of a distance at once; look one step further, to tell of more."""
    found: list[tuple[UUID, int]] = []
    met, edge = [root], [root]
    for distance in range(1, depth + 2):
        left = room - len(found) if distance <= depth else 0
        values: dict[str, Any] = {
            "agent": agent_id,
            "from": edge,
            "met": met,
            "room": left,
            "kinds": list(LINK_TYPES),
        }
        with connection.cursor() as cursor:
            cursor.execute(_STEP[direction], values)
            edge = [row[0] for row in cursor.fetchall()]
        found += [(id_, distance) for id_ in edge[:left]]
        if len(edge) > left:
            return Walked(found, more=True)
        if not edge:
            break
        met += edge
    return Walked(found, more=False)


def _node(
    record: Record,
    relation: Relation | Literal["self"],
    distance: int,
    *,
    now: datetime,
) -> LineageNodeOut:
    erased = record.purged_at is not None
    return LineageNodeOut(
        id=record.id,
        relation=relation,
        distance=distance,
        erased=erased,
        seq=record.seq,
        type=record.type,
        scope=record.scope,
        instruments=[target.instrument_id for target in record.targets.all()],
        timeframe=record.timeframe,
        producer=timeline.producer_of(record),
        run=timeline.run_of(record),
        created_at=record.created_at,
        expires_at=record.stale_after,
        status=None if erased else timeline.status_of(record, now=now),
        merged_into=record.merged_into,  # type: ignore[attr-defined]  # annotated in trace
        links=timeline.links_of(record),
    )
