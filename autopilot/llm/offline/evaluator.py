"""The offline evaluator: a rule is applied when the strategy has all that the rule names.

One that says what to leave is applied when a strategy of its type has none of that.
"""

from collections.abc import Mapping
from typing import Any

from autopilot.llm.offline.features import AVOID, KNOWN_WORDS, features_of
from memory.policies.vocabulary import STRATEGY_TYPES


def applied(material: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ids of the rules whose tags, as far as they speak of strategies, are all met.

    A rule of another strategy type, or one whose tags name nothing of a strategy, is not applied.
    """
    met = features_of(material["strategy"]) | {material["strategy_type"]}
    met |= set(material["strategy_tags"])
    ids = [rule["id"] for rule in material["memories"] if _is_met(rule, met)]
    return {"applied_rule_ids": ids}


def _is_met(rule: Mapping[str, Any], met: set[str]) -> bool:
    named = set(rule["tags"]) & KNOWN_WORDS
    kind = set() if rule["strategy_type"] is None else {rule["strategy_type"]}
    if AVOID in rule["tags"]:
        left = named - set(STRATEGY_TYPES)
        return bool(left) and kind <= met and not left & met
    return bool(named | kind) and named | kind <= met
