"""What the crew shows to a model: plain JSON, in-sample figures alone (SPEC A9, X5).

All of a role's material is made here or in its module; a prompt shows nothing else. A figure of a
holdout has no way in: figures pass a list of names, and memories come without their holdouts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from autopilot.errors import InvalidStrategy
from autopilot.strategy.identity import config_hash
from autopilot.strategy.schema import Strategy
from memory.policies.freshness import iso
from memory.policies.layout import fold
from memory.policies.numbers import finite
from memory.selectors.recall import Recalled

FIGURES = (
    "total_pnl_pct",
    "max_drawdown_pct",
    "calmar",
    "sharpe",
    "win_rate",
    "profit_factor",
    "trades",
)
"""The KPIs of an in-sample run that a model is shown."""
CONTENT_MAX, PROMPT_MAX, SUMMARY_MAX, TAG_MAX = 600, 4_000, 4_000, 64
PLACES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What a session is asked for, and what a strategy of it may use.

    `available` is of `volume` and `funding`: what the candles' market has beside prices.
    """

    prompt: str
    symbol: str
    timeframe: str
    pro: bool
    available: frozenset[str]

    def as_json(self) -> dict[str, Any]:
        """Return it as a model is told it."""
        return {
            "request": cut(self.prompt, PROMPT_MAX),
            "symbol": self.symbol,
            "timeframe": self.timeframe,
            "plan": "pro" if self.pro else "free",
            "available": sorted(self.available),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A configuration that the session backtested, with its in-sample KPIs."""

    iteration: int
    strategy: Strategy
    outcome: str
    in_sample: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return it as a model is told it."""
        return {
            "iteration": self.iteration,
            "outcome": self.outcome,
            "figures": figures(self.in_sample),
            "config_hash": config_hash(self.strategy),
            "strategy": self.strategy.model_dump(mode="json"),
        }


def figures(in_sample: Mapping[str, Any]) -> dict[str, float | int | None]:
    """Return the figures of an in-sample run that a model is shown, rounded."""
    shown: dict[str, float | int | None] = {}
    for name in FIGURES:
        value = finite(in_sample.get(name))
        if value is not None:
            shown[name] = value if isinstance(value, int) else round(value, PLACES)
    return shown


def memory(recalled: Recalled) -> dict[str, Any]:
    """Return a memory with its provenance, as an item of the one array of memories."""
    item: dict[str, Any] = {
        "id": str(recalled.id),
        "type": recalled.type,
        "from": origin_of(recalled),
        "created_at": iso(recalled.created_at),
        "symbol": recalled.symbol,
        "strategy_type": recalled.strategy_type,
        "outcome": recalled.outcome,
        "tags": list(recalled.tags),
        "confidence": str(recalled.confidence),
        "validated_count": recalled.validated_count,
        "content": cut(recalled.content, CONTENT_MAX),
    }
    if known := figures(recalled.in_sample):
        item["figures"] = known
    if (blocks := blocks_of(recalled.config)) is not None:
        item["blocks"] = blocks
    return item


def origin_of(recalled: Recalled) -> str:
    """Return in words where a memory comes from; authors of what is shared have no name."""
    if recalled.own:
        return "this session"
    if recalled.origin == "community":
        return "the community"
    if recalled.granted_from is not None:
        return f"agent {fold(recalled.granted_from)}"
    return "an earlier session"


def memories(*groups: Iterable[Recalled]) -> list[dict[str, Any]]:
    """Return the memories of all groups, each once, in order."""
    once = {one.id: one for group in groups for one in group}
    return [memory(one) for one in once.values()]


def blocks_of(config: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return what a stored configuration was made of; None where it is no strategy of ours."""
    if config is None:
        return None
    try:
        return parts(Strategy.parse({"name": "stored", **config}))
    except InvalidStrategy:
        return None


def parts(strategy: Strategy) -> dict[str, Any]:
    """Return the blocks of a strategy, without its name and sizing."""
    whole = strategy.model_dump(mode="json")
    return {
        "timeframe": whole["timeframe"],
        "side": whole["side"],
        "foundations": [foundation["block"] for foundation in whole["foundations"]],
        "filters": whole["filters"],
        "stop": whole["exits"]["stop"],
        "take_profit": whole["exits"]["take_profit"],
        "manage": whole["exits"]["manage"],
    }


def cut(text: str, limit: int) -> str:
    """Return `text`, or its beginning with a mark that there was more."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def tags_from(told: Iterable[str], *, most: int) -> tuple[str, ...]:
    """Return a model's tags as records may carry them: folded to a line, lower-case, each once."""
    folded = (fold(tag).lower() for tag in told)
    return tuple(dict.fromkeys(tag for tag in folded if 0 < len(tag) <= TAG_MAX))[:most]


def offered(ids: Iterable[str], recalled: Sequence[Recalled]) -> tuple[list[UUID], list[str]]:
    """Return (ids of those memories, each once; what else a model named), in its order."""
    known = {str(one.id): one.id for one in recalled}
    told = list(dict.fromkeys(id_.strip().lower() for id_ in ids))
    return [known[id_] for id_ in told if id_ in known], [id_ for id_ in told if id_ not in known]
