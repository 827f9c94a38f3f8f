"""What memory says of each arm: successes and failures, as the two numbers of a Beta.

Only memories that were returned count. An insight counts for what its configuration chose, with its
confidence, less with each newer one; a success that did worse than others is one in part, and for
the rest a failure. A rule counts for what its tags name, with its confidence times how often it was
validated. Below nothing, or where the rule says what to leave, that is evidence against.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from autopilot.llm.offline.features import AVOID, KNOWN_WORDS
from autopilot.llm.offline.ranking import grade, ranked
from autopilot.llm.offline.space import (
    DIMENSIONS,
    Space,
    nearest,
    picked,
    tags_of_foundation,
    values_in,
)
from memory.policies.vocabulary import STRATEGY_TYPES

AGE = 0.98
"""What is left of an insight's weight for each newer one."""
type Arm = tuple[str, str] | tuple[str, str, int]
"""(dimension, value), and (dimension, block type, place of the setting)."""


@dataclass(slots=True)
class Tally:
    """Weights for and against an arm, and the memories that spoke for it."""

    successes: float = 0.0
    failures: float = 0.0
    ids: list[str] = field(default_factory=list)


class Evidence:
    """The tallies of all arms that memory says something of."""

    def __init__(self, space: Space, memories: Sequence[Mapping[str, Any]]) -> None:
        self.space = space
        self.tallies: dict[Arm, Tally] = {}
        insights = [one for one in memories if one["type"] == "strategy_insight"]
        # ISO 8601 in UTC: as text they are in order of time.
        insights.sort(key=lambda one: (one["created_at"], one["id"]), reverse=True)
        won = ranked([one for one in insights if one["outcome"] == "success"])
        for rank, insight in enumerate(insights):
            self._weigh_insight(insight, AGE**rank, won)
        for rule in memories:
            if rule["type"] == "rule":
                weight = float(rule["confidence"]) * rule["validated_count"]
                tags = set(rule["tags"])
                if AVOID in tags:
                    weight = -weight
                    # Of a kind whose blocks it names, it leaves these alone.
                    tags = (tags & KNOWN_WORDS) - set(STRATEGY_TYPES) or tags
                self._weigh(self._named(tags), weight, rule["id"])

    def _weigh_insight(
        self, insight: Mapping[str, Any], share: float, won: Sequence[float]
    ) -> None:
        if insight["outcome"] is None:
            return
        good = grade(insight, won) if insight["outcome"] == "success" else 0.0
        blocks = insight.get("blocks")
        arms = self._named(insight["tags"]) if blocks is None else self._chosen(blocks)
        weight = share * float(insight["confidence"])
        for part in (good * weight, -(1 - good) * weight):
            if part:
                self._weigh(arms, part, insight["id"])

    def _weigh(self, arms: Iterable[Arm], weight: float, id_: str) -> None:
        for arm in arms:
            tally = self.tallies.setdefault(arm, Tally())
            if weight > 0:
                tally.successes += weight
                tally.ids.append(id_)
            else:
                tally.failures -= weight

    def _chosen(self, blocks: Mapping[str, Any]) -> list[Arm]:
        """Return the arms of a configuration; what is not on offer here is none."""
        pick = picked(blocks)
        arms: list[Arm] = []
        for dimension in DIMENSIONS:
            arms += [
                (dimension, value)
                for value in values_in(pick, dimension)
                if value in self.space.values[dimension]
            ]
            for block in pick[dimension]:
                settings = self.space.settings.get((dimension, block["type"]))
                if settings is not None:
                    arms.append((dimension, block["type"], nearest(block, settings)))
        return arms

    def _named(self, tags: Iterable[str]) -> list[Arm]:
        """Return the arms that tags name; a foundation by its kind where none is named."""
        words, values = set(tags), self.space.values
        arms: list[Arm] = [
            (dimension, value)
            for dimension in ("foundation", "stop", "target", "side")
            for value in values[dimension]
            if value in words
        ]
        if not any(arm[0] == "foundation" for arm in arms):
            arms += [
                ("foundation", type_)
                for type_ in values["foundation"]
                if words & tags_of_foundation(type_)
            ]
        filters = words & {type_ for place, type_ in self.space.settings if place == "filters"}
        if filters:
            arms += [
                ("filters", name)
                for name, types in values["filters"].items()
                if filters <= set(types)
            ]
        return arms

    def lean(self, arm: Arm, weight: float) -> None:
        """Count for an arm what no memory said: nobody is quoted for it."""
        self.tallies.setdefault(arm, Tally()).successes += weight

    def draw(self, arm: Arm, rng: Random) -> float:
        """Return one draw from the Beta of an arm; uniform where memory says nothing of it."""
        tally = self.tallies.get(arm)
        if tally is None:
            return rng.betavariate(1.0, 1.0)
        return rng.betavariate(1.0 + tally.successes, 1.0 + tally.failures)

    def supporters(self, arms: Iterable[Arm]) -> list[str]:
        """Return the ids of the memories that spoke for one of the arms, each once."""
        ids = (id_ for arm in arms if arm in self.tallies for id_ in self.tallies[arm].ids)
        return list(dict.fromkeys(ids))
