"""Shared copies and grants for tests, made without the gate: any memory, at any moment."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from memory.ids import id_at
from memory.models import Agent, Grant, SharedChange, SharedMemory, Standing
from memory.policies.standing import Moving
from memory.services import standings
from memory.services.standings import Cause
from tests.desk import Desk

KEYS = ("confidence", "validated_count", "community_confirmations", "expires_at")


def switch(agent: Agent, *, on: bool) -> None:
    """Let an agent read and share, or not."""
    found = Agent.objects.get(id=agent.id)
    if found.share_community_memories != on:
        found.share_community_memories = on
        found.sharing_revision += 1
        found.save()


def told(moving: Moving) -> dict[str, Any]:
    """Return a copy's state as its lines tell it."""
    whole = moving.as_json()
    return {key: whole[key] for key in KEYS}


def _visible(record_id: UUID, visibility: str, *, now: datetime) -> Moving:
    standing = Standing.objects.get(record_id=record_id)
    return standings.move(
        agent_id=standing.agent_id,
        record_id=record_id,
        event="shared" if visibility == "community" else "unshared",
        cause=Cause("test"),
        step=lambda was: replace(was, visibility=visibility),
        now=now,
    )


def copy(
    record_id: UUID, *, windows: Sequence[dict[str, Any]] = (), now: datetime, **facts: Any
) -> UUID:
    """Share a memory and return the copy's id; its author's agent shares from now on."""
    with transaction.atomic():
        standing = Standing.objects.select_related("agent", "record").get(record_id=record_id)
        switch(standing.agent, on=True)
        begins = replace(_visible(record_id, "community", now=now), **facts)
        made = SharedMemory.objects.create(
            id=id_at(now),
            agent_id=standing.agent_id,
            source_id=record_id,
            source_node_uuid=standing.agent.node_uuid,
            type=standing.type,
            symbol_id=standing.symbol_id,
            strategy_type=standing.strategy_type,
            outcome=standing.outcome,
            tags=list(begins.tags),
            content=standing.record.content,
            confidence=begins.confidence,
            validated_count=begins.validated_count,
            relevance_score=begins.relevance_score,
            evidence={"trades": 30, "days": 28, "timeframe": "15m"},
            windows=list(windows),
            shared_at=now,
            expires_at=begins.expires_at,
        )
        SharedChange.objects.create(
            shared=made, revision=1, event="shared", after=told(begins), at=now
        )
    return made.id


def withdraw(copy_id: UUID, *, now: datetime) -> None:
    """Take a copy back, as its author may."""
    with transaction.atomic():
        found = SharedMemory.objects.get(id=copy_id)
        _visible(found.source_id, "private", now=now)
        found.delete()


def state_of(found: SharedMemory) -> Moving:
    """Return where a copy stands."""
    return Moving(
        tags=tuple(found.tags),
        confidence=found.confidence,
        validated_count=found.validated_count,
        relevance_score=found.relevance_score,
        visibility="community",
        community_confirmations=found.community_confirmations,
        expires_at=found.expires_at,
    )


def move_copy(
    copy_id: UUID,
    *,
    by: Agent,
    event: str = "confirmed",
    window: dict[str, Any] | None = None,
    now: datetime,
    **facts: Any,
) -> None:
    """Let a backtest of another agent move a copy."""
    with transaction.atomic():
        found = SharedMemory.objects.get(id=copy_id)
        before = state_of(found)
        after = replace(before, **facts)
        for key in KEYS:
            setattr(found, key, getattr(after, key))
        found.revision += 1
        found.save()
        SharedChange.objects.create(
            shared=found,
            revision=found.revision,
            event=event,
            agent=by,
            backtest_id=uuid4(),
            before=told(before),
            after=told(after),
            at=now,
            window=window,
        )


def let_read(reader: Desk | Agent, source: Desk | Agent, *, now: datetime) -> Grant:
    """Let an agent read another of its owner."""
    first, second = (one.agent if isinstance(one, Desk) else one for one in (reader, source))
    return Grant.objects.create(
        id=id_at(now), reader=first, source=second, granted_at=now, granted_by_id=first.owner_id
    )
