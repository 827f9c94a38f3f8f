"""The tagger: what an insight is filed under, and how far it is trusted at first (SPEC M7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from autopilot.crew.material import figures, parts, tags_from
from autopilot.llm.answers import Tagging
from autopilot.llm.port import CallNote, Provider, attempt
from autopilot.llm.prompts import ask
from autopilot.strategy.identity import strategy_type_of
from autopilot.strategy.schema import Strategy
from memory.policies.standing import exact

TAGS_MAX, POOL_SHOWN = 4, 60
MIDDLE, PER_TRADE = Decimal("0.5"), Decimal("0.02")
LEAST, MOST, LEEWAY = Decimal("0.1"), Decimal("0.9"), Decimal("0.2")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagged:
    """What an insight is filed under. `outcome` is the backtest's, whatever the model said."""

    strategy_type: str
    tags: tuple[str, ...]
    outcome: str
    confidence: Decimal
    fell_back: bool
    call: CallNote


def tag(
    *,
    provider: Provider,
    strategy: Strategy,
    symbol: str,
    outcome: str,
    pnl: Decimal,
    trades: int,
    in_sample: Mapping[str, Any],
    pool: Sequence[str],
    seed: str,
) -> Tagged:
    """Return how to file an insight; `pnl` and `trades` are those of the in-sample run."""
    material: dict[str, Any] = {
        "symbol": symbol,
        "outcome": outcome,
        "trades": trades,
        "pnl_sign": _sign(pnl),
        "figures": figures(in_sample),
        "strategy": parts(strategy),
        "strategy_type": strategy_type_of(strategy),
        "known_tags": list(pool[:POOL_SHOWN]),
        "memories": [],
    }
    answer, call = attempt(
        provider, ask(role="tagger", material=material, answer=Tagging, seed=f"{seed}|tag")
    )
    tags = () if answer is None else tags_from(answer.tags, most=TAGS_MAX)
    if answer is None or not tags:
        return Tagged(
            strategy_type=strategy_type_of(strategy),
            tags=fallback_tags(strategy, symbol=symbol),
            outcome=outcome,
            confidence=measured_confidence(pnl=pnl, trades=trades),
            fell_back=True,
            call=call,
        )
    return Tagged(
        strategy_type=answer.strategy_type,
        tags=tags,
        outcome=outcome,
        confidence=clamped_confidence(answer.confidence, pnl=pnl, trades=trades),
        fell_back=False,
        call=call,
    )


def fallback_tags(strategy: Strategy, *, symbol: str) -> tuple[str, ...]:
    """Return `[symbol, strategy_type, filter types…]`, at most TAGS_MAX."""
    filters = [block.type for block in strategy.filters]
    tags = [symbol.lower(), strategy_type_of(strategy), *filters]
    return tuple(dict.fromkeys(tags))[:TAGS_MAX]


def measured_confidence(*, pnl: Decimal, trades: int) -> Decimal:
    """Return clamp(0.5 + 0.02 · trades · sign(PnL), 0.1, 0.9), exact."""
    return min(max(MIDDLE + PER_TRADE * trades * _sign(pnl), LEAST), MOST)


def clamped_confidence(said: Decimal, *, pnl: Decimal, trades: int) -> Decimal:
    """Return a model's confidence, held within 0.2 of the measured one, as it is stored."""
    measured = measured_confidence(pnl=pnl, trades=trades)
    return exact(min(max(said, measured - LEEWAY), measured + LEEWAY))


def _sign(pnl: Decimal) -> int:
    return (pnl > 0) - (pnl < 0)
