"""Memories and strategies to ask about, and a model that says what a test lets it say."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from pydantic import BaseModel, ValidationError

from autopilot.crew.material import Assignment
from autopilot.llm.port import (
    Answer,
    Ask,
    ModelFailed,
    ModelNonsense,
    Role,
    Usage,
    note,
)
from autopilot.strategy.identity import config_of
from autopilot.strategy.schema import Strategy
from memory.selectors.recall import Recalled

THEN = datetime(2026, 9, 1, tzinfo=UTC)
ALL_DATA = frozenset({"volume", "funding"})
USAGE = Usage(requests=2, input_tokens=11, output_tokens=5)


@dataclass
class Scripted:
    """A model outside: it answers with `lines[role]`, fails with `failures[role]`.

    What does not fit the shape asked for is nonsense, as an adapter has it. `asked` keeps all.
    """

    lines: dict[Role, Any] = field(default_factory=dict)
    failures: dict[Role, ModelFailed] = field(default_factory=dict)
    asked: list[Ask[Any]] = field(default_factory=list)
    name: str = "scripted"
    offline: bool = False

    def model(self, role: Role) -> str:
        return f"{role}-model"

    def ask[A: BaseModel](self, ask: Ask[A]) -> Answer[A]:
        self.asked.append(ask)
        if ask.role in self.failures:
            raise self.failures[ask.role]
        try:
            value = ask.answer.model_validate(self.lines[ask.role])
        except ValidationError:
            raise ModelNonsense("not in the shape asked for", usage=USAGE) from None
        return Answer(value, note(self, ask.prompt, usage=USAGE))


def assignment(
    request: str = "find a profitable strategy",
    *,
    symbol: str = "ETH",
    timeframe: str = "1h",
    pro: bool = False,
    available: frozenset[str] = frozenset({"volume"}),
) -> Assignment:
    return Assignment(
        prompt=request, symbol=symbol, timeframe=timeframe, pro=pro, available=available
    )


def strategy(
    foundation: str | dict[str, Any] = "ema_cross", *filters: str, **parts: Any
) -> Strategy:
    """Return a strategy of one foundation, with the filters' defaults."""
    block = {"type": foundation} if isinstance(foundation, str) else foundation
    whole = {
        "name": "a strategy",
        "timeframe": "1h",
        "foundations": [{"weight": 1.0, "block": block}],
        "filters": [{"type": type_} for type_ in filters],
        "exits": {"stop": {"type": "stop_atr"}, "take_profit": {"type": "tp_r"}},
        **parts,
    }
    return Strategy.parse(whole)


def insight(
    number: int = 0,
    tried: Strategy | None = None,
    *,
    outcome: str | None = "success",
    **facts: Any,
) -> Recalled:
    """Return an insight; the greater its number, the newer it is."""
    whole = {
        "id": UUID(int=1_000 + number),
        "type": "strategy_insight",
        "content": f"insight {number}",
        "symbol": "ETH",
        "strategy_type": "trend_following",
        "outcome": outcome,
        "tags": ("eth", "trend_following"),
        "confidence": Decimal("0.8"),
        "validated_count": 1,
        "relevance_score": Decimal(1),
        "created_at": THEN + timedelta(hours=number),
        "config": None if tried is None else config_of(tried),
        "in_sample": {"trades": 20, "total_pnl_pct": 3.25},
        **facts,
    }
    return Recalled(**whole)


def rule(number: int = 0, *tags: str, **facts: Any) -> Recalled:
    """Return a rule with these tags."""
    whole = {
        "id": UUID(int=5_000 + number),
        "type": "rule",
        "content": f"rule {number}",
        "symbol": None,
        "tags": (*tags, "trend_following", "rule", "all_symbols"),
        "in_sample": {},
        **facts,
    }
    return insight(number, outcome=None, **whole)
