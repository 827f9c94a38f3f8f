"""The types that an agent's records have, with counts, in a window of time (SPEC E6, O1).

A loose scan: from each type to the next one by the index, and no further into each than the count
that is shown.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memory.policies.vocabulary import TIERS
from memory.policies.windows import Window
from memory.schemas.answers import TypeCountOut

COUNTED = 1_000
"""Above it a count is said to be more, and how much more is not read."""

# The rows of a recursive query come as it makes them, and no more are made than the limit takes.
# Of strategy memory what is over or merged is not counted; in all else nothing is looked up.
_TYPES = """
WITH RECURSIVE walked AS (
    (SELECT r.type FROM memory_record r
     WHERE r.agent_id = %(agent)s AND r.purged_at IS NULL {begin}
     ORDER BY r.type {order} LIMIT 1)
    UNION ALL
    SELECT n.type FROM walked w CROSS JOIN LATERAL (
        SELECT r.type FROM memory_record r
        WHERE r.agent_id = %(agent)s AND r.purged_at IS NULL AND r.type {beyond} w.type
        ORDER BY r.type {order} LIMIT 1) n
)
SELECT w.type, c.records FROM walked w CROSS JOIN LATERAL (
    SELECT count(*) AS records FROM (
        SELECT 1 FROM memory_record r
        WHERE r.agent_id = %(agent)s AND r.type = w.type AND r.purged_at IS NULL
          AND r.created_at >= %(start)s AND r.created_at < %(end)s
          AND (r.type <> ALL (%(tiers)s) OR (
            SELECT coalesce(s.expires_at, 'infinity') > %(now)s FROM memory_standing s
            WHERE s.agent_id = %(agent)s AND s.record_id = r.id AND s.merged_into_id IS NULL))
        LIMIT %(counted)s + 1) capped
) c
WHERE c.records > 0 LIMIT %(count)s
"""


@dataclass(frozen=True, slots=True)
class TypesInUse:
    """The types of an agent's records in a window, by name; a list that finds its own rows."""

    agent_id: UUID
    window: Window | None
    now: datetime

    def rows(
        self, *, place: tuple[Any, ...] | None, backwards: bool, count: int
    ) -> list[TypeCountOut]:
        """Return the first types after a place; backwards, the first before it, nearest first."""
        beyond, order = ("<", "DESC") if backwards else (">", "ASC")
        statement = _TYPES.format(
            begin="" if place is None else f"AND r.type {beyond} %(place)s",
            beyond=beyond,
            order=order,
        )
        values: dict[str, Any] = {
            "agent": self.agent_id,
            "place": place and place[0],
            "start": self.window.start if self.window else "-infinity",
            "end": (self.window.end if self.window else None) or "infinity",
            "tiers": list(TIERS),
            "now": self.now,
            "counted": COUNTED,
            "count": count,
        }
        with connection.cursor() as cursor:
            cursor.execute(statement, values)
            found = cursor.fetchall()
        return [
            TypeCountOut(type=type_, count=min(records, COUNTED), more=records > COUNTED)
            for type_, records in found
        ]
