"""Strategy memory for tests: written, merged and forgotten through the services."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.models import Standing
from memory.schemas.records import RecordDraft
from memory.schemas.strategies import StandingDraft
from memory.services import standings
from memory.services.forget import forget as forget_for_good
from memory.services.standings import Cause
from memory.services.strategies import publish_strategy
from tests.desk import Desk, note


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
    gone = forget_for_good(
        agent_id=standing.agent_id, record_ids=[record_id], by=Cause("test"), now=now
    )
    assert record_id in gone


def merge(record_id: UUID, into: UUID | None, *, now: datetime) -> None:
    """Let a memory stand for another, or by itself again; nothing else moves."""
    standings.move(
        agent_id=Standing.objects.get(record_id=record_id).agent_id,
        record_id=record_id,
        event="merged",
        cause=Cause("test"),
        step=lambda was: replace(was, merged_into=into),
        now=now,
    )


def end(record_id: UUID, *, now: datetime) -> None:
    """Let a memory's life be over at a moment."""
    standings.move(
        agent_id=Standing.objects.get(record_id=record_id).agent_id,
        record_id=record_id,
        event="ended",
        cause=Cause("test"),
        step=lambda was: replace(was, expires_at=now),
        now=now,
    )
