"""What makes two strategies the same, and what kind of strategy one is."""

import hashlib
import json
from typing import Any

from autopilot.strategy.exits import TimeExit
from autopilot.strategy.schema import Strategy

SCALPING_TIMEFRAME, SCALPING_BARS = "5m", 24
"""A strategy of this timeframe that is out after so many bars at the latest is scalping."""


def config_of(strategy: Strategy) -> dict[str, Any]:
    """Return a strategy as JSON without its name: what its hash is taken over."""
    return strategy.model_dump(mode="json", exclude={"name"})


def config_hash(strategy: Strategy) -> str:
    """Return SHA-256 over the configuration, 64 hexadecimal digits (SPEC M2)."""
    text = json.dumps(
        config_of(strategy), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    return hashlib.sha256(text.encode()).hexdigest()


def strategy_type_of(strategy: Strategy) -> str:
    """Return the kind that block names tell: of the heaviest foundation, the first of equals (M7).

    It is `scalping` instead for a 5m strategy that leaves within 24 bars.
    """
    if strategy.timeframe == SCALPING_TIMEFRAME and any(
        isinstance(block, TimeExit) and block.bars <= SCALPING_BARS
        for block in strategy.exits.manage
    ):
        return "scalping"
    heaviest = max(strategy.foundations, key=lambda foundation: foundation.weight)
    return heaviest.block.strategy_type or "momentum"


def block_types(strategy: Strategy) -> list[str]:
    """Return the type of each block, in reading order, each once."""
    return list(dict.fromkeys(block.type for _, block in strategy.blocks()))


def tags_of(strategy: Strategy) -> list[str]:
    """Return the tags that the blocks carry, in reading order, each once."""
    return list(dict.fromkeys(tag for _, block in strategy.blocks() for tag in block.tags))
