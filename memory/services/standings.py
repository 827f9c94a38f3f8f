"""Standings: made with their record, moved by compare-and-set, each time with a ledger line."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from psycopg.types.json import Jsonb

from memory.errors import Conflict, NotFound
from memory.models import Standing, StandingChange
from memory.policies import standing as policy
from memory.policies.standing import Line, Moving, Terms
from memory.policies.text import settled
from memory.policies.vocabulary import TIERS

TRIES = 50
"""How often a move is tried again after somebody else moved the standing meanwhile."""

# In the order of ids, as all do who hold several: else the key of `merged_into` would hold a member
# before its survivor.
POINT = """
SELECT record_id FROM memory_standing
WHERE agent_id = %(agent)s AND record_id IN (%(record)s, %(merged_into)s)
ORDER BY record_id FOR NO KEY UPDATE
"""
MOVE = """
WITH moved AS (
    UPDATE memory_standing SET tags = %(tags)s, confidence = %(confidence)s,
        validated_count = %(validated_count)s, relevance_score = %(relevance_score)s,
        visibility = %(visibility)s, community_confirmations = %(community_confirmations)s,
        expires_at = %(expires_at)s, merged_into_id = %(merged_into)s, revision = %(revision)s
    WHERE agent_id = %(agent)s AND record_id = %(record)s AND revision = %(revision)s - 1
    RETURNING record_id
)
INSERT INTO memory_standing_change (agent_id, record_id, revision, event, before, after,
    cause_kind, cause_id, detail, at)
SELECT %(agent)s, record_id, %(revision)s, %(event)s, %(before)s, %(after)s, %(cause_kind)s,
    %(cause_id)s, %(detail)s, %(now)s
FROM moved
"""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a standing moves: `backtest`, `run`, `user`, `import`, …, and which one."""

    kind: str
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a standing is made with and keeps."""

    type: str
    symbol: str | None = None
    strategy_type: str | None = None
    outcome: str | None = None
    config: dict[str, Any] | None = None
    metrics: dict[str, Any] = field(default_factory=dict)
    source_node_uuid: UUID | None = None
    author_id: int | None = None


@dataclass(frozen=True, slots=True)
class NewStanding:
    """A standing to make with its record: the facts that stay, and where it begins."""

    facts: Facts
    begins: Moving


class StandingMoved(Conflict):
    """Others moved the standing faster than this move could be made."""

    code = "standing_moved"


def terms() -> Terms:
    """Return the terms of this installation."""
    return Terms(**settings.STANDING_TERMS)


def beginning(
    facts: Facts,
    *,
    tags: list[str],
    created_at: datetime,
    confidence: Decimal | None = None,
    validated_count: int = 1,
) -> Moving:
    """Return where a standing begins, with what nobody said by its tier's terms (SPEC M1, M2)."""
    return Moving(
        tags=tuple(tags),
        confidence=policy.confidence_of(type_=facts.type) if confidence is None else confidence,
        validated_count=validated_count,
        relevance_score=policy.relevance_of(type_=facts.type, outcome=facts.outcome),
        expires_at=policy.expires_at(
            type_=facts.type, outcome=facts.outcome, created_at=created_at, terms=terms()
        ),
    )


def by_default(
    type_: str, *, tags: list[str], instruments: list[str], now: datetime
) -> NewStanding | None:
    """Return the standing of a record that came without one; None where a type has none.

    The sole instrument is the symbol.
    """
    if type_ not in TIERS:
        return None
    sole = instruments[0] if type_ != "rule" and len(instruments) == 1 else None
    facts = Facts(type=type_, symbol=sole)
    return NewStanding(facts, beginning(facts, tags=tags, created_at=now))


def rows_of(
    *,
    agent_id: UUID,
    record_id: UUID,
    new: NewStanding,
    created_at: datetime,
    cause: Cause,
    event: str = "created",
    now: datetime,
) -> tuple[Standing, StandingChange]:
    """Return the rows of a new standing and of the first line of its ledger, not yet stored."""
    facts, begins = new.facts, new.begins
    config = None if facts.config is None else settled(facts.config)
    standing = Standing(
        record_id=record_id,
        agent_id=agent_id,
        type=facts.type,
        symbol_id=facts.symbol,
        strategy_type=facts.strategy_type,
        outcome=facts.outcome,
        tags=list(begins.tags),
        confidence=begins.confidence,
        validated_count=begins.validated_count,
        relevance_score=begins.relevance_score,
        config=config,
        config_hash=None if config is None else policy.config_hash(config),
        metrics=settled(facts.metrics),
        visibility=begins.visibility,
        source_node_uuid=facts.source_node_uuid,
        author_id=facts.author_id,
        community_confirmations=begins.community_confirmations,
        created_at=created_at,
        expires_at=begins.expires_at,
        merged_into_id=begins.merged_into,
        revision=1,
    )
    return standing, _first_line(standing, begins, cause=cause, event=event, now=now)


def _first_line(
    standing: Standing, begins: Moving, *, cause: Cause, event: str, now: datetime
) -> StandingChange:
    return StandingChange(
        agent_id=standing.agent_id,
        record_id=standing.record_id,
        revision=standing.revision,
        event=event,
        before=None,
        after=begins.as_json(),
        cause_kind=cause.kind,
        cause_id=cause.id,
        detail={},
        at=now,
    )


def store(rows: list[tuple[Standing, StandingChange]]) -> None:
    """Insert new standings and their first lines, in the transaction of their records."""
    Standing.objects.bulk_create(standing for standing, _ in rows)
    StandingChange.objects.bulk_create(line for _, line in rows)


def move(
    *,
    agent_id: UUID,
    record_id: UUID,
    event: str,
    cause: Cause,
    step: Callable[[Moving], Moving],
    detail: dict[str, Any] | None = None,
    now: datetime,
) -> Moving:
    """Move a standing by `step`, and tell so in its ledger; return where it stands then.

    `step` is a pure function and is called again on what others made of the standing meanwhile,
    so that no step is lost. A step that changes nothing writes nothing. NotFound; StandingMoved.
    """
    for _ in range(TRIES):
        standing = Standing.objects.filter(agent_id=agent_id, record_id=record_id).first()
        if standing is None:
            raise NotFound("there is no such standing for this agent")
        before = moving_of(standing)
        after = step(before)
        if after == before:
            return before
        if step_to(
            after,
            before=before,
            agent_id=agent_id,
            record_id=record_id,
            revision=standing.revision + 1,
            event=event,
            cause=cause,
            detail=detail or {},
            at=now,
        ):
            return after
    raise StandingMoved("the standing is being moved by others; try again")


def step_to(
    after: Moving,
    *,
    before: Moving,
    agent_id: UUID,
    record_id: UUID,
    revision: int,
    event: str,
    cause: Cause,
    detail: dict[str, Any],
    at: datetime,
) -> bool:
    """Make one move of a standing to `revision`, and tell so; False when it is not one before."""
    values = {
        **after.as_json(),
        "expires_at": after.expires_at,
        "before": Jsonb(before.as_json()),
        "after": Jsonb(after.as_json()),
        "agent": agent_id,
        "record": record_id,
        "revision": revision,
        "event": event,
        "cause_kind": cause.kind,
        "cause_id": cause.id,
        "detail": Jsonb(detail),
        "now": at,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        if after.merged_into not in (None, before.merged_into):
            cursor.execute(POINT, values)
        cursor.execute(MOVE, values)
        moved: int = cursor.rowcount
    return moved == 1


def moving_of(standing: Standing) -> Moving:
    """Return the moving part of a standing."""
    return Moving(
        tags=tuple(standing.tags),
        confidence=standing.confidence,
        validated_count=standing.validated_count,
        relevance_score=standing.relevance_score,
        visibility=standing.visibility,
        community_confirmations=standing.community_confirmations,
        expires_at=standing.expires_at,
        merged_into=standing.merged_into_id,
    )


def replayed(agent_id: UUID, record_id: UUID) -> Moving | None:
    """Return what the ledger of a record's standing comes to; it always equals the standing."""
    changes = StandingChange.objects.filter(agent_id=agent_id, record_id=record_id)
    return policy.replay(
        Line(
            revision=change.revision,
            event=change.event,
            before=None if change.before is None else Moving.from_json(change.before),
            after=None if change.after is None else Moving.from_json(change.after),
        )
        for change in changes.order_by("revision")
    )
