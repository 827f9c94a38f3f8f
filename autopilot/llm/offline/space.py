"""The space that the offline advisor searches: five dimensions, each with values and settings."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from autopilot.llm.offline.templates import FILTER_SETS, NO_FILTER, SIDES, templates
from autopilot.strategy.blocks import FOUNDATIONS

DIMENSIONS = ("foundation", "filters", "stop", "target", "side")
type Pick = dict[str, list[dict[str, Any]]]
"""Dimension → the blocks chosen for it. `side` holds {"type": side}; no filter is []."""


@dataclass(frozen=True, slots=True)
class Space:
    """What may be chosen. `values`: dimension → value → the block types that it is made of.

    `settings`: (dimension, type) → blocks to choose from.
    """

    values: dict[str, dict[str, tuple[str, ...]]]
    settings: dict[tuple[str, str], list[dict[str, Any]]]


def space_of(material: Mapping[str, Any]) -> Space:
    """Return the space that the material's timeframe, its blocks on offer and feedback leave."""
    known = templates(material["timeframe"])
    banned = {str(one.get("type")) for one in material.get("feedback", ())}
    offered = {
        group: [block["type"] for block in material["blocks"][group]]
        for group in ("foundations", "filters", "stop", "target")
    }
    groups = {
        "foundation": (known.foundations, offered["foundations"]),
        "filters": (known.filters, offered["filters"]),
        "stop": (known.stops, offered["stop"]),
        "target": (known.targets, offered["target"]),
    }
    settings = {
        (dimension, type_): blocks
        for dimension, (all_blocks, allowed) in groups.items()
        for type_, blocks in _left(dimension, all_blocks, allowed, banned).items()
    }
    values: dict[str, dict[str, tuple[str, ...]]] = {
        dimension: {type_: (type_,) for place, type_ in settings if place == dimension}
        for dimension in ("foundation", "stop", "target")
    }
    values["filters"] = {
        name_of(types): types
        for types in FILTER_SETS
        if all(("filters", type_) in settings for type_ in types)
    }
    values["side"] = {side: (side,) for side in SIDES}
    settings |= {("side", side): [{"type": side}] for side in SIDES}
    return Space(values, settings)


def _left(
    dimension: str,
    blocks: Mapping[str, list[dict[str, Any]]],
    allowed: list[str],
    banned: set[str],
) -> dict[str, list[dict[str, Any]]]:
    """Return what is on offer and not refused; no strategy can do without all but filters."""
    on_offer = {type_: some for type_, some in blocks.items() if type_ in allowed}
    left = {type_: some for type_, some in on_offer.items() if type_ not in banned}
    return left if left or dimension == "filters" else on_offer


def name_of(types: Iterable[str]) -> str:
    """Return the name of a set of filters."""
    return "+".join(sorted(types)) or NO_FILTER


def picked(blocks: Mapping[str, Any]) -> Pick:
    """Return what a memory's or a strategy's blocks chose in each dimension."""
    target = blocks.get("take_profit")
    return {
        "foundation": list(blocks["foundations"]),
        "filters": list(blocks["filters"]),
        "stop": [blocks["stop"]],
        "target": [] if target is None else [target],
        "side": [{"type": blocks["side"]}],
    }


def values_in(pick: Pick, dimension: str) -> list[str]:
    """Return the values of a dimension that were chosen: one, but for several foundations."""
    types = [block["type"] for block in pick[dimension]]
    return [name_of(types)] if dimension == "filters" else types


def nearest(block: Mapping[str, Any], settings: list[dict[str, Any]]) -> int:
    """Return which of the settings is most like a block of their type."""
    return min(range(len(settings)), key=lambda place: _distance(block, settings[place]))


def _distance(block: Mapping[str, Any], setting: Mapping[str, Any]) -> float:
    total = 0.0
    for name, value in setting.items():
        other = block.get(name)
        if isinstance(value, int | float) and isinstance(other, int | float):
            size = abs(value) + abs(other)
            total += abs(value - other) / size if size else 0.0
        else:
            total += value != other
    return total


def tags_of_foundation(type_: str) -> set[str]:
    """Return the words that speak of a foundation without naming it."""
    block = FOUNDATIONS[type_]
    return {*block.tags, block.strategy_type or ""}
