"""The blocks that a strategy may be made of, as a model is told them."""

from functools import cache
from typing import Any

from autopilot.strategy.base import Block
from autopilot.strategy.blocks import FILTERS, FOUNDATIONS, MANAGE, STOPS, TARGETS

GROUPS = {
    "foundations": FOUNDATIONS,
    "filters": FILTERS,
    "stop": STOPS,
    "target": TARGETS,
    "manage": MANAGE,
}
BOUNDS = {
    "minimum": "min",
    "exclusiveMinimum": "above",
    "maximum": "max",
    "exclusiveMaximum": "below",
    "enum": "one_of",
    "default": "default",
    "type": "type",
}
"""What of a parameter's JSON schema is told, and under which name."""


@cache
def catalogue(
    *, timeframe: str, pro: bool, available: frozenset[str]
) -> dict[str, list[dict[str, Any]]]:
    """Return group → blocks that this plan, timeframe and data allow; not to be changed."""
    return {
        group: [
            _told(block)
            for block in blocks.values()
            if is_allowed(block, timeframe=timeframe, pro=pro, available=available)
        ]
        for group, blocks in GROUPS.items()
    }


def is_allowed(block: type[Block], *, timeframe: str, pro: bool, available: frozenset[str]) -> bool:
    """Tell whether a block may be used."""
    return (
        (pro or not block.pro_only)
        and (block.timeframes is None or timeframe in block.timeframes)
        and block.needs <= available
    )


def _told(block: type[Block]) -> dict[str, Any]:
    parameters = {
        name: _bounds(schema)
        for name, schema in block.model_json_schema()["properties"].items()
        if name != "type"
    }
    told: dict[str, Any] = {
        "type": block.model_fields["type"].default,
        "says": " ".join((block.__doc__ or "").split()),
        "parameters": parameters,
    }
    if block.tags:
        told["tags"] = list(block.tags)
    if block.strategy_type is not None:
        told["strategy_type"] = block.strategy_type
    return told


def _bounds(schema: dict[str, Any]) -> dict[str, Any]:
    choices = [one for one in schema.get("anyOf", []) if one.get("type") != "null"]
    whole = {**schema, **(choices[0] if choices else {})}
    bounds = {told: whole[key] for key, told in BOUNDS.items() if key in whole}
    if "items" in whole:
        bounds["items"] = _bounds(whole["items"])
    return bounds
