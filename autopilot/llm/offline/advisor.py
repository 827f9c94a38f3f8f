"""The offline advisor: Thompson sampling over what memory returned (SPEC L2).

Each turn draws from the Beta of each arm. Even iterations propose the best draw of each dimension;
odd ones change one dimension of the best configuration so far. Without memory every draw is
uniform: the same code is then a plain explorer. What the request names, the first iteration keeps
to; later ones keep to its sides and filters, and lean to its foundations.
"""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

from autopilot.errors import InvalidStrategy
from autopilot.llm.offline.evidence import Arm, Evidence
from autopilot.llm.offline.request import Wishes, wishes_of
from autopilot.llm.offline.space import (
    DIMENSIONS,
    Pick,
    Space,
    picked,
    space_of,
    tags_of_foundation,
    values_in,
)
from autopilot.llm.offline.words import OFFLINE_ADVISOR, listed, plural
from autopilot.strategy.identity import config_hash
from autopilot.strategy.schema import Strategy
from autopilot.strategy.words import describe

DRAWS = 40
"""So many draws may be of what was tried; after them the whole space is gone through."""
IDS_SHOWN, NAME_MAX = 30, 80


@dataclass(frozen=True, slots=True)
class Proposal:
    """A configuration that was not tried yet, and how it came about."""

    strategy: Strategy
    changed: str | None
    """The one dimension that differs from the best so far; None: drawn as a whole."""


def choose_tags(material: Mapping[str, Any], rng: Random) -> dict[str, Any]:
    """Turn 0: the tags of the foundation and of the filters with the best draws."""
    whole = space_of(material)
    evidence = Evidence(whole, material["memories"])
    space, _ = _asked(material, whole, evidence)
    foundation = _best_value(space, evidence, "foundation", rng)
    filters = _best_value(space, evidence, "filters", rng)
    kinds = sorted(tags_of_foundation(foundation))
    tags = [material["symbol"].lower(), foundation, *kinds, *space.values["filters"][filters]]
    return {"tags": list(dict.fromkeys(tags))[:8], "symbol": material["symbol"]}


def advise(material: Mapping[str, Any], rng: Random) -> dict[str, Any]:
    """Turn 1: a strategy, why, and the memories that it rests on."""
    whole = space_of(material)
    evidence = Evidence(whole, material["memories"])
    space, wishes = _asked(material, whole, evidence)
    # A session may go on when all that was asked for is tried.
    proposal = propose(material, space, evidence, rng) or propose(material, whole, evidence, rng)
    if proposal is None:
        text = f"{OFFLINE_ADVISOR} Every configuration of its templates was tried."
        return {"recommendation": text, "strategy": None, "used_ids": []}
    used = evidence.supporters(_arms(proposal.strategy))[:IDS_SHOWN]
    return {
        "recommendation": _text(material, proposal, used, wishes),
        "strategy": proposal.strategy.model_dump(mode="json"),
        "used_ids": used,
    }


def _asked(material: Mapping[str, Any], whole: Space, evidence: Evidence) -> tuple[Space, Wishes]:
    """Return the space that the request leaves, and what it asks for; weigh that."""
    wishes, first = wishes_of(material, whole), material["iteration"] == 1
    wishes.weigh(evidence, first=first)
    return wishes.space(whole, first=first), wishes


def propose(
    material: Mapping[str, Any], space: Space, evidence: Evidence, rng: Random
) -> Proposal | None:
    """Return the first candidate that is valid and untried; None when there is none left."""
    tried = set(material["tried"])
    for pick, changed in _candidates(material, space, evidence, rng):
        strategy = _strategy(material, pick, changed)
        if strategy is not None and config_hash(strategy) not in tried:
            return Proposal(strategy, changed)
    return None


def _candidates(
    material: Mapping[str, Any], space: Space, evidence: Evidence, rng: Random
) -> Iterator[tuple[Pick, str | None]]:
    best = material["best"]
    for _ in range(DRAWS):
        if best and material["iteration"] % 2:
            yield _mutation(best[0]["strategy"], space, evidence, rng)
        else:
            yield {name: _draw(space, evidence, name, rng) for name in DIMENSIONS}, None
    yield from ((pick, None) for pick in _everything(space, rng))


def _mutation(
    base: Mapping[str, Any], space: Space, evidence: Evidence, rng: Random
) -> tuple[Pick, str]:
    """Return the best so far with one dimension changed to the best other draw."""
    pick = copy.deepcopy(picked(flat(base)))
    changed = rng.choice(DIMENSIONS)
    pick[changed] = _draw(space, evidence, changed, rng, but=values_in(pick, changed))
    return pick, changed


def flat(strategy: Mapping[str, Any]) -> dict[str, Any]:
    """Return a dumped strategy as memories tell theirs."""
    return {
        "side": strategy["side"],
        "foundations": [one["block"] for one in strategy["foundations"]],
        "filters": strategy["filters"],
        "stop": strategy["exits"]["stop"],
        "take_profit": strategy["exits"]["take_profit"],
    }


def _best_value(
    space: Space, evidence: Evidence, dimension: str, rng: Random, but: list[str] | None = None
) -> str:
    values = space.values[dimension]
    draws = {value: evidence.draw((dimension, value), rng) for value in values}
    others = {value: draw for value, draw in draws.items() if value not in (but or [])} or draws
    return max(others, key=others.__getitem__)


def _draw(
    space: Space, evidence: Evidence, dimension: str, rng: Random, but: list[str] | None = None
) -> list[dict[str, Any]]:
    """Return the blocks of the value with the best draw, each in its setting with the best draw."""
    blocks = []
    for type_ in space.values[dimension][_best_value(space, evidence, dimension, rng, but)]:
        settings = space.settings[dimension, type_]
        draws = [evidence.draw((dimension, type_, place), rng) for place in range(len(settings))]
        blocks.append(settings[draws.index(max(draws))])
    return blocks


def _everything(space: Space, rng: Random) -> Iterator[Pick]:
    """Yield the whole space, each dimension in a drawn order."""
    choices = []
    for dimension in DIMENSIONS:
        every = [
            list(blocks)
            for types in space.values[dimension].values()
            for blocks in product(*(space.settings[dimension, type_] for type_ in types))
        ]
        rng.shuffle(every)
        choices.append(every)
    for picks in product(*choices):
        yield dict(zip(DIMENSIONS, picks, strict=True))


def _strategy(material: Mapping[str, Any], pick: Pick, changed: str | None) -> Strategy | None:
    """Return the strategy of a pick; a changed one keeps the rest of the best so far."""
    base = material["best"][0]["strategy"] if changed is not None else {}
    target = pick["target"][0] if pick["target"] else None
    foundations = (
        base["foundations"]
        if base and changed != "foundation"
        else [{"weight": 1.0, "block": block} for block in pick["foundation"]]
    )
    built = {
        **base,
        "name": _name(pick),
        "timeframe": material["timeframe"],
        "side": pick["side"][0]["type"],
        "foundations": foundations,
        "filters": pick["filters"],
        "exits": {**base.get("exits", {}), "stop": pick["stop"][0], "take_profit": target},
    }
    if changed == "foundation":
        built["entry_threshold"] = 1.0
    try:
        return Strategy.parse(built)
    except InvalidStrategy:
        return None


def _name(pick: Pick) -> str:
    entry = " + ".join(block["type"] for block in [*pick["foundation"], *pick["filters"]])
    ends = ", ".join(block["type"] for block in [*pick["stop"], *pick["target"]])
    return f"{entry}; {ends}; {pick['side'][0]['type']}"[:NAME_MAX]


def _arms(strategy: Strategy) -> list[Arm]:
    pick = picked(flat(strategy.model_dump(mode="json")))
    return [(name, value) for name in DIMENSIONS for value in values_in(pick, name)]


def _text(material: Mapping[str, Any], proposal: Proposal, used: list[str], wishes: Wishes) -> str:
    insights = [one for one in material["memories"] if one["type"] == "strategy_insight"]
    rules = len(material["memories"]) - len(insights)
    won = sum(one["outcome"] == "success" for one in insights)
    how = (
        "Each part is the best draw over what memory returned"
        if proposal.changed is None
        else f"The best configuration so far with another {proposal.changed}"
    )
    weighed = f"{plural(len(insights), 'insight')} ({won} of success) and {plural(rules, 'rule')}"
    rests = f"Rests on {listed(used)}." if used else "No memory speaks for it: it explores."
    again = " Avoids what was refused." if material.get("feedback") else ""
    return (
        f"{OFFLINE_ADVISOR} {describe(proposal.strategy)}. {wishes.describe()}"
        f"{how}: {weighed} were weighed.{again} {rests}"
    )
