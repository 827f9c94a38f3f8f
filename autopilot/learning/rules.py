"""The write of a rule that insights support, at once or after a person approved it (SPEC M6)."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q

from autopilot.learning.support import Support
from memory.models import Standing
from memory.policies.lifecycle import rule_confidence
from memory.policies.ownership import TokenActor
from memory.schemas.answers import WrittenRecordOut
from memory.schemas.records import RecordDraft
from memory.schemas.strategies import StandingDraft
from memory.services.standings import Cause
from memory.services.strategies import publish_strategy

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


def one_at_a_time(agent_id: UUID, strategy_type: str) -> None:
    """Wait for others that make a rule of the type: until the commit, what is read stays true."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK, [f"synthesis {agent_id} {strategy_type}"])


def live_rules(agent_id: UUID, strategy_type: str, *, now: datetime) -> list[tuple[UUID, str]]:
    """Return the agent's live rules of the type as they are now, oldest first, with their texts.

    A prompt showed the rules of its session's start: what became of one since is the holdouts'
    doing (SPEC A9).
    """
    live = Standing.objects.filter(
        Q(expires_at__isnull=True) | Q(expires_at__gt=now),
        agent_id=agent_id,
        type="rule",
        strategy_type=strategy_type,
        merged_into__isnull=True,
    )
    return list(
        live.order_by("created_at", "record_id").values_list("record_id", "record__content")
    )


def begins_at(support: Support) -> Decimal:
    """Return the confidence that a rule with this support begins with."""
    return rule_confidence(held=not support.is_met)


def told_support(support: Support, opposed: Sequence[str]) -> dict[str, Any]:
    """Return a rule's support as JSON; it names what is opposed to it only where something is."""
    return support.as_json() | ({"opposed": list(opposed)} if opposed else {})


def publish_rule(
    *,
    actor: TokenActor,
    draft: RecordDraft,
    strategy_type: str,
    support: Support,
    windows: Sequence[dict[str, Any]],
    opposed: Sequence[str] = (),
    cause: Cause | None = None,
    now: datetime,
) -> WrittenRecordOut:
    """Store a rule with what it rests on, in the caller's transaction.

    `windows`: later sessions leave it out, or say so, where these bars are their holdout (SPEC A9).
    `opposed`: the insights that say the opposite of what it rests on. `cause` is told by its ledger
    in place of the run. Errors as `publish_strategy`.
    """
    standing = {
        "strategy_type": strategy_type,
        "confidence": begins_at(support),
        "metrics": {"support": told_support(support, opposed), "windows": list(windows)},
    }
    return publish_strategy(
        actor=actor, draft=draft, standing=StandingDraft.parse(standing), cause=cause, now=now
    )
