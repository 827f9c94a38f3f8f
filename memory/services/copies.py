"""What stands behind a memory that is to be shared, and the copy that is made of it (SPEC M8)."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q

from memory.errors import CommunityGate
from memory.ids import id_at
from memory.models import Agent, RecordLink, SharedChange, SharedMemory, Standing, StandingChange
from memory.policies.community import Backing, CopyState, Gate, best_of, is_shareable, windows_of

MOVING = ("confidence", "validated_count", "community_confirmations", "expires_at")
# As the database posts them when a copy is stored.
WORDS = """
words AS (
    SELECT c.id AS shared_id, l.lexeme, cardinality(l.positions) AS tf
    FROM memory_shared c
    CROSS JOIN LATERAL unnest(to_tsvector('english', memory_searchable(c.content, c.tags, '{}',
        c.symbol_id, c.strategy_type))) l
)
"""
# Until the commit nobody shares or withdraws.
LOCK = "LOCK TABLE memory_shared IN SHARE MODE"
CLEAR = "DELETE FROM memory_shared_term; DELETE FROM memory_shared_tail"
POST = f"""
WITH {WORDS},
posted AS (
    INSERT INTO memory_shared_term (lexeme, shared_id, tf, len)
    SELECT lexeme, shared_id, tf, sum(tf) OVER (PARTITION BY shared_id) FROM words
    RETURNING tf
)
INSERT INTO memory_shared_tail (id, text_records, text_length)
SELECT 1, (SELECT count(*) FROM memory_shared), (SELECT coalesce(sum(tf), 0) FROM posted)
"""  # noqa: S608 - WORDS is a constant


def gate() -> Gate:
    """Return what this installation asks of what is shared."""
    return Gate(**settings.COMMUNITY_GATE)


def passed(standing: Standing) -> Backing:
    """Return what stands behind a memory that passes the gate (CommunityGate)."""
    least = gate()
    wanted = {"min_trades": least.min_trades, "min_days": least.min_days}
    if not is_shareable(standing.type):
        raise CommunityGate("only rules and insights are shared", missing=["type"], **wanted)
    best = best_of(_backings(standing), least)
    if best is None:
        raise CommunityGate(
            "no insight that this rule was made from is stored any more",
            missing=["insight"],
            **wanted,
        )
    if missing := best.lacks(least):
        raise CommunityGate(
            f"sharing takes a success with at least {least.min_trades} trades over at least "
            f"{least.min_days} days; it is short of: {', '.join(missing)}",
            missing=list(missing),
            trades=best.trades,
            days=best.span.days,
            **wanted,
        )
    # To withdraw it and share it anew would make nothing of what others found.
    if _was_ended(standing):
        raise CommunityGate(
            "backtests of others have ended an earlier copy of it", missing=["community"], **wanted
        )
    return best


def _was_ended(standing: Standing) -> bool:
    """Tell whether others have ended a copy of it, or of what it stands for and says the same.

    The copy is withdrawn since, and the ledger tells of it; or it is there still.
    """
    lines = SharedChange.objects.filter(shared__source_id=standing.pk, event="deprecated")
    if lines.exists():
        return True
    own = {"agent_id": standing.agent_id}
    behind = Standing.objects.filter(**own, merged_into=standing.pk)
    for_these = [standing.pk, *behind.values_list("record_id", flat=True)]
    told = StandingChange.objects.filter(**own, record_id__in=for_these, event="unshared")
    return told.filter(detail__deprecated=True).exists()


def _backings(standing: Standing) -> list[Backing]:
    """Return what stands behind an insight, or behind each that a rule was made from.

    Those of a rule count while they are stored, live or not: that they were forgotten since says
    nothing against it.
    """
    if standing.type != "rule":
        return [Backing.of(outcome=standing.outcome, metrics=standing.metrics)]
    made_from = RecordLink.objects.filter(
        agent_id=standing.agent_id, source_id=standing.pk, link_type="derived_from"
    )
    insights = Standing.objects.filter(
        agent_id=standing.agent_id,
        record_id__in=made_from.values("target_id"),
        type="strategy_insight",
    )
    told = insights.order_by("record_id").values_list("outcome", "metrics")
    return [Backing.of(outcome=outcome, metrics=metrics) for outcome, metrics in told]


def copy_of(standing: Standing, agent: Agent, backing: Backing, *, now: datetime) -> SharedMemory:
    """Return the row of a new copy, not yet stored: nothing private, under an id of its own."""
    return SharedMemory(
        id=id_at(now),
        agent_id=agent.id,
        source_id=standing.pk,
        source_node_uuid=agent.node_uuid,
        type=standing.type,
        symbol_id=standing.symbol_id,
        strategy_type=standing.strategy_type,
        outcome=standing.outcome,
        tags=standing.tags,
        content=standing.record.content,
        confidence=standing.confidence,
        validated_count=standing.validated_count,
        relevance_score=standing.relevance_score,
        evidence=backing.as_evidence(),
        windows=windows_of(standing.metrics, _judged_on(standing)),
        shared_at=now,
        expires_at=standing.expires_at,
        revision=1,
    )


def _judged_on(standing: Standing) -> Sequence[Any]:
    lines = StandingChange.objects.filter(agent_id=standing.agent_id, record_id=standing.pk)
    told = lines.order_by("revision").values_list("detail__window", flat=True)
    return [window for window in told if window is not None]


def state_of(copy: SharedMemory) -> CopyState:
    """Return the part of a copy that moves."""
    return CopyState(
        confidence=copy.confidence,
        validated_count=copy.validated_count,
        community_confirmations=copy.community_confirmations,
        expires_at=copy.expires_at,
    )


def hold(agent_id: UUID, record_ids: Iterable[UUID]) -> None:
    """Lock the copies of memories until the commit, in the order in which a backtest judges."""
    held = SharedMemory.objects.select_for_update().filter(agent_id=agent_id)
    list(held.filter(source_id__in=list(record_ids)).order_by("id").values_list("id"))


def is_outlived(copy: SharedMemory, standing: Standing) -> bool:
    """Tell whether a copy ends before what it is a copy of."""
    if copy.expires_at is None:
        return False
    return standing.expires_at is None or standing.expires_at > copy.expires_at


def move_copy(copy: SharedMemory, after: CopyState, *, event: str, at: datetime, **by: Any) -> None:
    """Move a copy that the caller holds, by a line; `by` is whose backtest it was, and where."""
    before = state_of(copy)
    copy.confidence = after.confidence
    copy.validated_count = after.validated_count
    copy.community_confirmations = after.community_confirmations
    copy.expires_at = after.expires_at
    copy.revision += 1
    copy.save(update_fields=[*MOVING, "revision"])
    SharedChange.objects.create(
        shared_id=copy.id,
        revision=copy.revision,
        event=event,
        before=before.as_json(),
        after=after.as_json(),
        at=at,
        **by,
    )


def drop_untold(agent_id: UUID, record_ids: Sequence[UUID]) -> None:
    """Take away the copies of those memories that say by now that they are private, or merged."""
    untold = ~Q(source__visibility="community") | Q(source__merged_into__isnull=False)
    SharedMemory.objects.filter(untold, agent_id=agent_id, source_id__in=record_ids).delete()


def rebuild_postings() -> None:
    """Make the postings of all copies anew, as after a change of the text search configuration."""
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in (LOCK, CLEAR, POST):
            cursor.execute(statement)
