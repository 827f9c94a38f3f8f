"""Heads against history: the newest of each lane, found by sorting all there is (SPEC C1, C6)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from memory.services.postings import LOCK
from memory.services.verification.faults import Fault

# stale_after as text: an infinity cannot be loaded.
_COMPARED = """
WITH newest AS (
    SELECT DISTINCT ON (lane.instrument_id, lane.producer_id, lane.key) lane.instrument_id,
        lane.producer_id, lane.key, lane.record_id, lane.created_at
    FROM (
        SELECT t.instrument_id, t.producer_id, t.{key} AS key, t.record_id, t.created_at
        FROM memory_target t
        WHERE t.agent_id = %(agent)s AND t.originals_hash IS {which}
        UNION ALL
        SELECT '', r.producer_id, r.{key}, r.id, r.created_at
        FROM memory_record r
        WHERE r.agent_id = %(agent)s AND r.scope = 'agent' AND r.originals_hash IS {which}) lane
    JOIN memory_producer p ON p.agent_id = %(agent)s AND p.id = lane.producer_id
        AND p.role = 'analysis'
    ORDER BY lane.instrument_id, lane.producer_id, lane.key, lane.created_at DESC,
        lane.record_id DESC
),
lane AS (
    SELECT n.*, CASE WHEN r.purged_at IS NULL THEN coalesce(r.stale_after, 'infinity')
        ELSE '-infinity' END AS stale_after
    FROM newest n JOIN memory_record r ON r.agent_id = %(agent)s AND r.id = n.record_id
),
head AS (
    SELECT instrument_id, producer_id, {key} AS key, record_id, created_at, stale_after
    FROM {table} WHERE agent_id = %(agent)s
)
SELECT instrument_id, producer_id, key, lane.record_id, lane.created_at, lane.stale_after::text,
    head.record_id
FROM lane FULL JOIN head USING (instrument_id, producer_id, key)
WHERE (lane.record_id, lane.created_at, lane.stale_after)
    IS DISTINCT FROM (head.record_id, head.created_at, head.stale_after)
ORDER BY instrument_id, producer_id, key
"""
_PUT = """
INSERT INTO {table} AS h (agent_id, instrument_id, producer_id, {key}, record_id, created_at,
    stale_after)
VALUES (%(agent)s, %(instrument)s, %(producer)s, %(key)s, %(record)s, %(created_at)s,
    %(stale_after)s::timestamptz)
ON CONFLICT (agent_id, instrument_id, producer_id, {key}) DO UPDATE
SET record_id = excluded.record_id, created_at = excluded.created_at,
    stale_after = excluded.stale_after
"""
_REMOVE = """
DELETE FROM {table} WHERE agent_id = %(agent)s AND instrument_id = %(instrument)s
    AND producer_id = %(producer)s AND {key} = %(key)s
"""


@dataclass(frozen=True, slots=True)
class Kind:
    """Research or corrections: their table, and what names a lane within a producer's."""

    name: str
    table: str
    key: str
    which: str

    def sql(self, statement: str) -> str:
        """Return a statement about this kind."""
        return statement.format(table=self.table, key=self.key, which=self.which)


KINDS = (
    Kind("research", "memory_head", "type", "NULL"),
    Kind("corrections", "memory_correction_head", "originals_hash", "NOT NULL"),
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A lane whose head is not its newest record. `record` None: there is no such lane."""

    kind: Kind
    values: dict[str, Any]
    record: UUID | None
    head: UUID | None

    @property
    def what(self) -> str:
        """Say it for a person."""
        key = self.values["key"]
        lane = f"{self.kind.name} of {self.values['instrument'] or 'the agent'}, producer "
        lane += (
            f"{self.values['producer']}, {key if isinstance(key, str) else bytes(key).hex()[:16]}"
        )
        if self.record is None:
            return f"there is no lane {lane}, and it has a head"
        if self.head is None:
            return f"the lane {lane} has no head"
        if self.head == self.record:
            return f"the head of {lane} has another time or deadline than its record"
        return f"the head of {lane} is {self.head}, which is not the newest"


def faults(agent_id: UUID) -> Iterator[Fault]:
    """Yield lanes whose heads are not what history says."""
    for one in differences(agent_id):
        yield Fault("heads", agent_id, one.record, one.what)


def repair(agent_id: UUID) -> list[Fault]:
    """Put heads right, and return what was wrong. Writers of the agent wait meanwhile."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(LOCK, {"agent": agent_id})
        found = list(differences(agent_id))
        for one in found:
            statement = _REMOVE if one.record is None else _PUT
            cursor.execute(one.kind.sql(statement), one.values)
    return [Fault("heads", agent_id, one.record, one.what, repaired=True) for one in found]


def differences(agent_id: UUID) -> Iterator[Difference]:
    """Yield what the heads of an agent and its history do not agree on."""
    for kind in KINDS:
        with connection.cursor() as cursor:
            cursor.execute(kind.sql(_COMPARED), {"agent": agent_id})
            rows = cursor.fetchall()
        for instrument, producer, key, record, created_at, stale_after, head in rows:
            values = {
                "agent": agent_id,
                "instrument": instrument,
                "producer": producer,
                "key": key,
                "record": record,
                "created_at": created_at,
                "stale_after": stale_after,
            }
            yield Difference(kind, values, record, head)
