"""What a rule may be made from: the newest live insights of a strategy type (SPEC M6)."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from autopilot.learning.support import BEFORE_HOLDOUT, Fact, Support, weigh
from autopilot.models import SynthesisClaim
from memory.models import Standing
from memory.selectors.recall import Recalled

NEEDED = 3
"""So many insights make a rule, and so many new ones another try."""
NEWEST = 10
"""So many are shown to the synthesizer."""
SHARE = re.compile(r"0(\.\d{1,9})?|1(\.0{1,9})?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The insights that a rule is to be made from, newest first, and what they come to.

    They are as a prompt may show them: with the confidence of their in-sample windows (SPEC A9).
    `windows` says which bars they come from, for the rule to keep: it outlives them. `hash` is
    SHA-256 over the ids, sorted: the key that two workers at the same set meet at.
    """

    agent_id: UUID
    strategy_type: str
    session_id: UUID
    insights: tuple[Recalled, ...]
    facts: tuple[Fact, ...]
    windows: tuple[dict[str, Any], ...]
    hash: bytes
    support: Support

    @property
    def ids(self) -> list[UUID]:
        """The ids of the insights, newest first."""
        return [insight.id for insight in self.insights]

    def is_refused_anyway(self, *, promotion: str) -> bool:
        """Tell whether no rule could come of it, so that asking a model is in vain.

        Only guards count here that no holdout has a say in: which calls a session makes must not
        depend on its holdout (SPEC A9).
        """
        return promotion == "guarded" and bool(BEFORE_HOLDOUT & set(self.support.missing))

    def as_kept(self) -> dict[str, Any]:
        """Return what a claim keeps of it: it outlives the insights."""
        return {**self.support.as_json(), "facts": [fact.as_json() for fact in self.facts]}


def hash_of(ids: Sequence[UUID]) -> bytes:
    """Return SHA-256 over the sorted 16-byte ids."""
    return hashlib.sha256(b"".join(sorted(id_.bytes for id_ in ids))).digest()


def due(*, agent_id: UUID, strategy_type: str, session_id: UUID, now: datetime) -> Evidence | None:
    """Return the evidence that a session should make a rule from at `now`; None: nothing to do.

    That is the newest live insights of the type, of any symbol, when there are at least three and
    at least three of them were part of no synthesis before: one synthesis per new set, not one per
    insight. A set that this session claimed and never settled comes again as it was.
    """
    left = _left_open(agent_id, strategy_type, session_id, now=now)
    if left is not None:
        return left
    live = _live(agent_id, strategy_type, now=now).order_by("-created_at", "-record_id")
    ids = list(live.values_list("record_id", flat=True)[:NEWEST])
    in_work = Q(status="claimed", lease_until__gt=now) & ~Q(session_id=session_id)
    # Their ids say it: all else of them is read only when there is something to do.
    if len(ids) < NEEDED or len(fresh(agent_id, strategy_type, ids, also=in_work)) < NEEDED:
        return None
    insights = list(live.filter(record_id__in=ids))
    if len(insights) < len(ids):  # one was merged away meanwhile
        return None
    return _evidence(agent_id, strategy_type, session_id, insights, hash_of(ids))


def fresh(
    agent_id: UUID, strategy_type: str, ids: Sequence[UUID], *, also: Q | None = None
) -> set[UUID]:
    """Return those of the insights that no settled synthesis read, nor a claim that fits `also`."""
    settled = ~Q(status="claimed")
    read = SynthesisClaim.objects.filter(
        settled if also is None else settled | also,
        agent_id=agent_id,
        strategy_type=strategy_type,
        evidence__has_any_keys=[str(id_) for id_ in ids],
    ).values_list("evidence", flat=True)
    known = {told for evidence in read for told in evidence}
    return {id_ for id_ in ids if str(id_) not in known}


def _left_open(
    agent_id: UUID, strategy_type: str, session_id: UUID, *, now: datetime
) -> Evidence | None:
    claim = (
        SynthesisClaim.objects.filter(
            agent_id=agent_id, strategy_type=strategy_type, session_id=session_id, status="claimed"
        )
        .order_by("-claimed_at", "evidence_hash")
        .first()
    )
    if claim is None:
        return None
    live = _live(agent_id, strategy_type, now=now).filter(record_id__in=claim.evidence)
    insights = list(live.order_by("-created_at", "-record_id"))
    if len(insights) < NEEDED:
        return None
    return _evidence(agent_id, strategy_type, session_id, insights, bytes(claim.evidence_hash))


def _live(agent_id: UUID, strategy_type: str, *, now: datetime) -> QuerySet[Standing]:
    return Standing.objects.filter(
        Q(expires_at__isnull=True) | Q(expires_at__gt=now),
        agent_id=agent_id,
        type="strategy_insight",
        strategy_type=strategy_type,
        merged_into__isnull=True,
    ).select_related("record")


def _evidence(
    agent_id: UUID,
    strategy_type: str,
    session_id: UUID,
    insights: Sequence[Standing],
    hash_: bytes,
) -> Evidence:
    facts = tuple(Fact.of_insight(insight) for insight in insights)
    return Evidence(
        agent_id=agent_id,
        strategy_type=strategy_type,
        session_id=session_id,
        insights=tuple(_shown(insight, session_id) for insight in insights),
        facts=facts,
        windows=tuple(_windows(insights)),
        hash=hash_,
        support=weigh(agent_id, facts),
    )


def _windows(insights: Sequence[Standing]) -> Iterator[dict[str, Any]]:
    """Yield the windows that the insights name, each once; an import may name none."""
    seen = []
    for insight in insights:
        window = insight.metrics.get("window")
        if isinstance(window, dict) and window not in seen:
            seen.append(window)
            yield window


def _shown(insight: Standing, session_id: UUID) -> Recalled:
    in_sample = insight.metrics.get("in_sample")
    return Recalled(
        id=insight.record_id,
        type="strategy_insight",
        content=insight.record.content,
        symbol=insight.symbol_id,
        strategy_type=insight.strategy_type,
        outcome=insight.outcome,
        tags=tuple(insight.tags),
        confidence=in_sample_confidence(insight),
        validated_count=1,
        relevance_score=insight.relevance_score,
        created_at=insight.created_at,
        config=insight.config,
        in_sample=in_sample if isinstance(in_sample, dict) else {},
        own=insight.metrics.get("session") == str(session_id),
    )


def in_sample_confidence(insight: Standing) -> Decimal:
    """Return the confidence before a holdout had its say; the standing's where none is told."""
    told = insight.metrics.get("in_sample_confidence")  # an import may hold anything
    if isinstance(told, str) and SHARE.fullmatch(told):
        return Decimal(told)
    return insight.confidence
