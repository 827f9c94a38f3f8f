"""The strategy that most tests start from, and ways to change it."""

from typing import Any

import pytest

from autopilot.errors import InvalidStrategy
from autopilot.strategy.schema import Strategy

Json = dict[str, Any]

STOP, TARGET = {"type": "stop_atr"}, {"type": "tp_r", "r": 2}
SESSION = {"type": "session", "sessions": ["asia"]}
NEEDED: dict[str, Json] = {"natr": {"min_pct": 1}, "session": {"sessions": ["asia"]}}
"""Block type → the parameters that have no default."""


def plan(**changes: Any) -> Json:
    """Return a plain strategy as JSON, with some of its keys changed."""
    return {
        "name": "x",
        "timeframe": "4h",
        "foundations": [{"weight": 1, "block": {"type": "ema_cross"}}],
        "exits": {"stop": STOP, "take_profit": TARGET},
        **changes,
    }


def parsed(**changes: Any) -> Strategy:
    """Return that strategy."""
    return Strategy.parse(plan(**changes))


def weighing(*weights: float) -> list[Json]:
    """Return one foundation for each weight."""
    return [{"weight": weight, "block": {"type": "ema_cross"}} for weight in weights]


def founded_on(**block: Any) -> Json:
    """Return the strategy with this block as its only foundation."""
    return plan(foundations=[{"weight": 1, "block": block}])


def ending(**exits: Any) -> Json:
    """Return the strategy with these exits beside its stop."""
    return plan(exits={"stop": STOP, **exits})


def problems(value: object) -> dict[str, list[str]]:
    """Return what is wrong with a strategy, by place; it must be wrong."""
    with pytest.raises(InvalidStrategy) as caught:
        Strategy.parse(value)
    assert caught.value.code == "invalid_strategy"
    return caught.value.errors
