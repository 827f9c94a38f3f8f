"""Strategy memory for tests: written through the service, forgotten as the purge will."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from psycopg.types.json import Jsonb

from memory.models import Standing
from memory.schemas.records import RecordDraft
from memory.schemas.strategies import StandingDraft
from memory.services import postings
from memory.services.standings import moving_of
from memory.services.strategies import publish_strategy
from tests.desk import Desk, note

TOMBSTONE = """
UPDATE memory_record SET purged_at = %(now)s, content = '', metadata = '{}', tags = '{}',
    content_salt = NULL
WHERE id = %(record)s
"""
LAST_LINE = """
INSERT INTO memory_standing_change (agent_id, record_id, revision, event, before, after,
    cause_kind, cause_id, detail, at)
VALUES (%(agent)s, %(record)s, %(revision)s, 'purged', %(before)s, NULL, 'test', '', '{}', %(now)s)
"""


def remember(
    desk: Desk,
    content: str = "wait for the close",
    *,
    now: datetime,
    type: str = "strategy_insight",
    tags: Sequence[str] = (),
    **standing: Any,
) -> UUID:
    """Write a strategy memory of the desk's agent and return its id."""
    written = publish_strategy(
        actor=desk.actor("autopilot", now=now),
        draft=RecordDraft.parse(note(type=type, content=content, tags=list(tags))),
        standing=StandingDraft.parse(standing),
        now=now,
    )
    return written.id


def forget(record_id: UUID, *, now: datetime) -> None:
    """Leave a tombstone: the record emptied in place, its standing and postings gone."""
    standing = Standing.objects.get(record_id=record_id)
    values: dict[str, Any] = {
        "agent": standing.agent_id,
        "record": record_id,
        "revision": standing.revision + 1,
        "before": Jsonb(moving_of(standing).as_json()),
        "now": now,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        postings.unpost(standing.agent_id, [record_id])
        cursor.execute(LAST_LINE, values)
        cursor.execute("DELETE FROM memory_standing WHERE record_id = %(record)s", values)
        cursor.execute(TOMBSTONE, values)
