"""The offline evaluator: a rule is applied when the strategy has all that the rule names."""

from collections.abc import Mapping
from typing import Any

from autopilot.llm.offline.features import KNOWN_WORDS, features_of


def applied(material: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ids of the rules whose tags, as far as they speak of strategies, are all met.

    A rule of another strategy type, or one whose tags name nothing of a strategy, is not applied.
    """
    met = features_of(material["strategy"]) | {material["strategy_type"]}
    met |= set(material["strategy_tags"])
    ids = []
    for rule in material["memories"]:
        named = set(rule["tags"]) & KNOWN_WORDS
        if rule["strategy_type"] is not None:
            named.add(rule["strategy_type"])
        if named and named <= met:
            ids.append(rule["id"])
    return {"applied_rule_ids": ids}
