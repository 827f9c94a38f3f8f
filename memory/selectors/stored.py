"""Whole records in the order of their `seq`: what exports write down and verification checks.

Each with its targets, links and run, its standing with the ledger, and what was done to it later.
Read batch after batch, so that the length of a history costs no memory.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from memory.models import RecordChange, StandingChange

BATCH = 500

_RECORDS = """
SELECT r.id, r.seq, r.type, r.scope, r.timeframe, r.content, r.metadata::text AS metadata, r.tags,
    r.originals_hash, r.created_at, r.stale_after, r.expiry_policy, r.content_digest,
    r.content_salt, r.imported_at, r.purged_at, r.producer_id, r.run_id,
    ARRAY(SELECT t.instrument_id FROM memory_target t
          WHERE t.agent_id = r.agent_id AND t.record_id = r.id ORDER BY t.ord) AS instruments,
    ARRAY(SELECT l.target_id FROM memory_link l
          WHERE l.agent_id = r.agent_id AND l.source_id = r.id ORDER BY l.ord) AS link_ids,
    ARRAY(SELECT l.link_type FROM memory_link l
          WHERE l.agent_id = r.agent_id AND l.source_id = r.id ORDER BY l.ord) AS link_types,
    to_json(run)::text AS run, to_json(s)::text AS standing
FROM memory_record r
LEFT JOIN LATERAL (
    SELECT u.schedule, u.evidence_boundary, u.started_at, u.ended_at, u.status, u.error, u.implicit,
        u.built_in
    FROM memory_run u WHERE u.agent_id = r.agent_id AND u.id = r.run_id) run ON true
LEFT JOIN memory_standing s ON s.agent_id = r.agent_id AND s.record_id = r.id
WHERE r.agent_id = %(agent)s AND r.seq > %(after)s
    AND (%(types)s::text[] IS NULL OR r.type = ANY (%(types)s::text[]))
    AND (%(since)s::timestamptz IS NULL OR r.created_at >= %(since)s::timestamptz)
ORDER BY r.seq LIMIT %(limit)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecord:
    """A record as its rows tell it.

    `run` and `standing` are those rows with times as text, None where there is no such row.
    """

    id: UUID
    seq: int
    type: str
    scope: str
    timeframe: str | None
    content: str
    metadata: dict[str, Any]
    tags: list[str]
    originals_hash: bytes | None
    created_at: datetime
    stale_after: datetime | None
    expiry_policy: str | None
    content_digest: bytes
    content_salt: bytes | None
    imported_at: datetime | None
    purged_at: datetime | None
    producer_id: UUID | None
    run_id: UUID | None
    instruments: list[str]
    links: list[tuple[UUID, str]]
    run: dict[str, Any] | None
    standing: dict[str, Any] | None
    ledger: list[StandingChange] = field(default_factory=list)
    changes: list[RecordChange] = field(default_factory=list)


@contextmanager
def snapshot() -> Iterator[None]:
    """Read everything as of one moment, whatever others write meanwhile.

    Within another transaction, as that one reads.
    """
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def stored_records(
    agent_id: UUID, *, types: Sequence[str] | None = None, since: datetime | None = None
) -> Iterator[list[StoredRecord]]:
    """Yield the agent's records in batches, by `seq`: of these types, created at `since` or later.

    Call it within `snapshot`.
    """
    after = 0
    while batch := _batch(agent_id, after=after, types=types, since=since):
        yield batch
        after = batch[-1].seq


def _batch(
    agent_id: UUID, *, after: int, types: Sequence[str] | None, since: datetime | None
) -> list[StoredRecord]:
    values: dict[str, Any] = {
        "agent": agent_id,
        "after": after,
        "types": None if types is None else list(types),
        "since": since,
        "limit": BATCH,
    }
    with connection.cursor() as cursor:
        cursor.execute(_RECORDS, values)
        names = [column.name for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    ids = [row["id"] for row in rows]
    ledgers, changes = defaultdict(list), defaultdict(list)
    own = {"agent_id": agent_id, "record_id__in": ids}
    for line in StandingChange.objects.filter(**own).order_by("record_id", "revision"):
        ledgers[line.record_id].append(line)
    for change in RecordChange.objects.filter(**own).order_by("record_id", "number"):
        changes[change.record_id].append(change)
    return [_record(row, ledgers[row["id"]], changes[row["id"]]) for row in rows]


def _record(
    row: dict[str, Any], ledger: list[StandingChange], changes: list[RecordChange]
) -> StoredRecord:
    links = list(zip(row.pop("link_ids"), row.pop("link_types"), strict=True))
    for name in ("metadata", "run", "standing"):
        row[name] = None if row[name] is None else json.loads(row[name])
    for name in ("originals_hash", "content_digest", "content_salt"):
        row[name] = None if row[name] is None else bytes(row[name])
    return StoredRecord(**row, links=links, ledger=ledger, changes=changes)
