"""The words for what a configuration is made of: block types, and its side."""

from collections.abc import Mapping
from typing import Any

from autopilot.llm.offline.templates import SIDES
from autopilot.strategy.blocks import BLOCKS
from memory.policies.vocabulary import STRATEGY_TYPES

BLOCK_TAGS = frozenset(tag for block in BLOCKS.values() for tag in block.tags)
KNOWN_WORDS = frozenset({*BLOCKS, *SIDES, *STRATEGY_TYPES, *BLOCK_TAGS})
"""Tags that say something of a strategy; all others are names, or a person's own."""
AVOID = "avoid"
"""Among a rule's tags: it says what to leave."""


def features_of(blocks: Mapping[str, Any]) -> set[str]:
    """Return the types of a configuration's blocks, and its side."""
    whole = [*blocks["foundations"], *blocks["filters"], blocks["stop"], *blocks["manage"]]
    if blocks["take_profit"] is not None:
        whole.append(blocks["take_profit"])
    return {block["type"] for block in whole} | {blocks["side"]}
