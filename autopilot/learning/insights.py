"""What a backtest is remembered as: an insight, and at the end of a session an optimization.

Texts, tags and metadata hold nothing of the holdout (SPEC A9). A standing's metrics hold both
windows: they are for the rules of learning and for people, and are in no prompt or search answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Protocol
from uuid import UUID

from autopilot.errors import SymbolNotSelected
from autopilot.learning.figures import tally, window_of
from autopilot.models import Backtest
from autopilot.strategy.identity import config_of
from autopilot.strategy.schema import Strategy
from autopilot.strategy.words import describe
from memory.errors import InvalidMemoryTarget
from memory.models import Record, Standing
from memory.policies.lifecycle import contradicts_insight, insight_confidence
from memory.policies.ownership import TokenActor
from memory.schemas.answers import WrittenRecordOut
from memory.schemas.records import RecordDraft
from memory.schemas.strategies import StandingDraft
from memory.services.publish import bounds
from memory.services.strategies import publish_strategy

PROVENANCE = {
    "role": "role",
    "prompt_version": "prompt_version",
    "sha256": "prompt_sha256",
    "provider": "provider",
    "model": "model",
    "offline": "offline",
}
"""Key of `produced_by` → key of a call's note."""


class Tagged(Protocol):
    """What a tagger said of a backtest. `confidence` is of the in-sample window, clamped (M7)."""

    @property
    def strategy_type(self) -> str:
        """One of the known strategy types."""
        ...

    @property
    def tags(self) -> Sequence[str]:
        """What to find it by."""
        ...

    @property
    def confidence(self) -> Decimal:
        """0…1."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """A stored insight or optimization.

    `doubted` tells that the holdout contradicts it: no prompt or event that a model reads may say
    so within the session.
    """

    record: WrittenRecordOut
    outcome: str
    strategy_type: str
    confidence: Decimal
    in_sample_confidence: Decimal
    doubted: bool

    @property
    def id(self) -> UUID:
        """The record's id."""
        return self.record.id


def publish_insight(
    *,
    actor: TokenActor,
    backtest: Backtest,
    tagging: Tagged,
    call: Mapping[str, Any],
    now: datetime,
) -> Learned:
    """Store what a backtest teaches as a `strategy_insight` of its instrument.

    The outcome is the backtest's, whatever the tagger said (SPEC M7). `call` is the note of the
    tagger's call as JSON. Works within the caller's transaction.
    SymbolNotSelected: the instrument was deselected or delisted meanwhile, and nothing was stored.
    Else as `publish_strategy`: RunFinished, ValidationFailed.
    """
    return _publish(
        "strategy_insight",
        tell(backtest),
        actor=actor,
        backtest=backtest,
        tagging=tagging,
        call=call,
        links=[],
        now=now,
    )


def publish_optimization(
    *,
    actor: TokenActor,
    backtest: Backtest,
    insight_id: UUID | None,
    tried: int,
    call: Mapping[str, Any] | None,
    now: datetime,
) -> Learned:
    """Store the best of a session's `tried` backtests as an `optimization` (SPEC A8).

    It has the tags and the trust of its insight, and is `derived_from` it while that is there; a
    backtest that came to none before its session's time was over has its strategy type alone.
    `call` is the note of the call that proposed the strategy. Errors as `publish_insight`.
    """
    known = [] if insight_id is None else [insight_id]
    insight = Standing.objects.filter(agent_id=actor.agent_id, record_id__in=known).first()
    links = living(actor.agent_id, known)
    return _publish(
        "optimization",
        f"Best of {tried} {'backtest' if tried == 1 else 'backtests'}. {tell(backtest)}",
        actor=actor,
        backtest=backtest,
        tagging=_Kept.of(backtest, insight),
        call=call,
        links=links,
        now=now,
    )


@dataclass(frozen=True, slots=True)
class _Kept:
    """A tagging as an insight keeps it."""

    strategy_type: str
    tags: Sequence[str]
    confidence: Decimal

    @classmethod
    def of(cls, backtest: Backtest, insight: Standing | None) -> "_Kept":
        if insight is None:  # never made, or deleted while its session was still running
            return cls(backtest.strategy_type, [backtest.strategy_type], Decimal("0.5"))
        told = insight.metrics.get("in_sample_confidence", insight.confidence)
        type_ = insight.strategy_type or backtest.strategy_type
        return cls(type_, insight.tags, Decimal(told))


def _publish(
    type_: str,
    content: str,
    *,
    actor: TokenActor,
    backtest: Backtest,
    tagging: Tagged,
    call: Mapping[str, Any] | None,
    links: list[dict[str, str]],
    now: datetime,
) -> Learned:
    doubted = contradicts_insight(outcome=backtest.outcome, holdout=tally(backtest.holdout))
    confidence = insight_confidence(tagging.confidence, contradicted=doubted)
    draft = {
        "type": type_,
        "scope": "instruments",
        "instruments": [backtest.instrument_id],
        "timeframe": backtest.timeframe,
        "content": content[: bounds().content_max_chars],
        "metadata": {
            "produced_by": produced_by(call),
            "session": str(backtest.session_id),
            "backtest": str(backtest.id),
            "iteration": backtest.iteration,
        },
        "tags": _fitting(tagging.tags),
        "links": links[: bounds().max_links],
    }
    standing = {
        "symbol": backtest.instrument_id,
        "strategy_type": tagging.strategy_type,
        "outcome": backtest.outcome,
        "confidence": confidence,
        "config": config_of(Strategy.parse(backtest.strategy)),
        "metrics": metrics_of(backtest, in_sample_confidence=tagging.confidence),
    }
    try:
        record = publish_strategy(
            actor=actor,
            draft=RecordDraft.parse(draft, context=bounds()),
            standing=StandingDraft.parse(standing),
            now=now,
        )
    except InvalidMemoryTarget:
        symbol = backtest.instrument_id
        message = f"{symbol} is no longer an active instrument selected by this agent"
        raise SymbolNotSelected(message, symbol=symbol) from None
    return Learned(
        record=record,
        outcome=backtest.outcome,
        strategy_type=tagging.strategy_type,
        confidence=confidence,
        in_sample_confidence=tagging.confidence,
        doubted=doubted,
    )


def _fitting(tags: Sequence[str]) -> list[str]:
    """Return the tags that this installation's records have room for."""
    limits = bounds()
    return [tag for tag in tags if len(tag) <= limits.tag_max_chars][: limits.max_tags]


def metrics_of(backtest: Backtest, *, in_sample_confidence: Decimal) -> dict[str, Any]:
    """Return what the standing of an insight keeps of its backtest."""
    return {
        "in_sample": backtest.in_sample,
        "holdout": backtest.holdout,
        "window": window_of(backtest),
        "in_sample_confidence": str(in_sample_confidence),
        "session": str(backtest.session_id),
        "backtest": str(backtest.id),
    }


def tell(backtest: Backtest) -> str:
    """Return a backtest in a sentence for a person, of its in-sample window alone."""
    kpis = backtest.in_sample
    calmar, pnl = kpis.get("calmar"), _round(kpis["total_pnl_pct"])
    trades = int(kpis["trades"])
    figures = [
        f"PnL {'' if pnl.startswith(('-', '0.00')) else '+'}{pnl} %",
        f"max drawdown {_round(kpis['max_drawdown_pct'])} %",
        f"Calmar {'unknown' if calmar is None else _round(calmar)}",
        f"{trades} {'trade' if trades == 1 else 'trades'}",
    ]
    span = f"{backtest.window_start:%Y-%m-%d} to {backtest.window_split:%Y-%m-%d}"
    what = describe(Strategy.parse(backtest.strategy))
    where = f"{backtest.instrument_id}, {span}, in sample"
    return f"{what[:1].upper()}{what[1:]}. On {where}: {', '.join(figures)}."


def _round(value: Any) -> str:
    return f"{Decimal(str(value)).quantize(Decimal('0.01'), ROUND_HALF_UP):z.2f}"


def produced_by(call: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the provenance that a record carries of a model call, from the call's note (L5)."""
    if call is None:
        return {}
    told = {key: call.get(source) for key, source in PROVENANCE.items()}
    fallback = call.get("fallback")
    return told if fallback is None else {**told, "fallback": fallback}


def living(agent_id: UUID, ids: Sequence[UUID]) -> list[dict[str, str]]:
    """Return `derived_from` links to those of the records that are not erased, in order."""
    alive = set(
        Record.objects.filter(agent_id=agent_id, id__in=ids, purged_at__isnull=True).values_list(
            "id", flat=True
        )
    )
    return [
        {"target_memory_id": str(id_), "link_type": "derived_from"} for id_ in ids if id_ in alive
    ]
