"""Erasing: what a record says is destroyed in place, for good (SPEC R17, C14; DESIGN "Erasing").

A tombstone stays: links, `seq` and the seals stay whole, and no older record takes its place
in a context.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from memory.errors import AlreadyErased, NotFound, StrategyMemory
from memory.models import Record
from memory.policies.vocabulary import TIERS
from memory.services import postings
from memory.services.changes import moment_of, reasoned, tell
from memory.services.standings import Cause

# Waits for writes under way, and makes those that wait behind it look again: a write that found its
# link's target alive before this count moved stores nothing (publish.sql).
BEGIN = "UPDATE memory_agent_tail SET erasures = erasures + 1 WHERE agent_id = %(agent)s"
EMPTY = """
UPDATE memory_record SET content = '', metadata = '{}', tags = '{}', content_salt = NULL,
    purged_at = %(now)s
WHERE agent_id = %(agent)s AND id = %(record)s
"""
# The lanes keep their places and show nothing. A head that has moved on names another record.
UNHEAD = """
UPDATE memory_head h SET stale_after = '-infinity'
FROM memory_record r
WHERE r.agent_id = %(agent)s AND r.id = %(record)s
  AND h.agent_id = r.agent_id AND h.producer_id = r.producer_id AND h.type = r.type
  AND h.record_id = r.id AND h.instrument_id IN (
      SELECT t.instrument_id FROM memory_target t
      WHERE t.agent_id = %(agent)s AND t.record_id = %(record)s UNION ALL SELECT '')
"""
UNHEAD_CORRECTION = """
UPDATE memory_correction_head SET stale_after = '-infinity'
WHERE agent_id = %(agent)s AND record_id = %(record)s
"""


def erase(*, agent_id: UUID, record_id: UUID, by: Cause, reason: str, now: datetime) -> None:
    """Destroy what a record says, and tell so in its ledger.

    NotFound: no such record. AlreadyErased. StrategyMemory: it is forgotten by its standing.
    ValidationFailed: no reason.
    """
    why = reasoned(reason)
    key: dict[str, Any] = {"agent": agent_id, "record": record_id}
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(BEGIN, key)
        at = moment_of(_checked(agent_id, record_id), now=now)
        # While the words are there: they are found by the text itself.
        postings.unpost(agent_id, [record_id])
        with connection.cursor() as cursor:
            for statement in (EMPTY, UNHEAD, UNHEAD_CORRECTION):
                cursor.execute(statement, {**key, "now": at})
        tell("erased", agent_id=agent_id, record_id=record_id, by=by, reason=why, at=at)


def refuse_strategy_memory(record: Record) -> None:
    """Refuse what has a standing, and is forgotten by it (StrategyMemory)."""
    if record.type in TIERS:
        raise StrategyMemory(
            f"{record.pk} is strategy memory: it is forgotten by its standing, and not erased"
        )


def _checked(agent_id: UUID, record_id: UUID) -> Record:
    """Return what may be erased; the lock keeps it from changing until the commit."""
    records = Record.objects.select_for_update(no_key=True)
    records = records.only("id", "agent_id", "type", "created_at", "purged_at")
    record = records.filter(agent_id=agent_id, id=record_id).first()
    if record is None:
        raise NotFound("there is no such record")
    refuse_strategy_memory(record)
    if record.purged_at is not None:
        raise AlreadyErased("this record is erased already")
    return record
