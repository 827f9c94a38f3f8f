"""Filters that can never pass together, or never for the side that is traded (SPEC A6)."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import combinations
from typing import Any

from autopilot.strategy import raw
from autopilot.strategy.filters import EVERY_DAY, SESSION_HOURS
from memory.policies.timeframes import TIMEFRAMES

Filter = tuple[str, Mapping[Any, Any]]

ORDERED = (
    ("fast", "slow"),
    ("low", "high"),
    ("oversold", "overbought"),
    ("min_pct", "max_pct"),
    ("min", "max"),
)
"""Parameters of one block, the first of which must be the lower one."""
BOUNDS = (("min_pct", "max_pct"), ("min", "max"))
LEANING_KEYS = ("direction", "side", "trend", "bias", "regime", "require", "condition")
"""Where outside JSON says that a filter passes one kind of market only; ours are symmetric."""


def contradictions(value: Mapping[Any, Any], *, side: int) -> Iterator[str]:
    """Yield a sentence for each contradiction; `side` is 1 for long only, -1 for short only."""
    filters = [(path, block) for path, block in raw.parts(value) if path.startswith("filters")]
    yield from _crossed(raw.parts(value))
    yield from _against_the_side(filters, side=side)
    yield from _not_higher(filters, timeframe=value.get("timeframe"))
    yield from _apart(filters)
    yield from _never_open(filters)


def _crossed(blocks: Iterator[Filter]) -> Iterator[str]:
    for path, block in blocks:
        for low, high in ORDERED:
            least, most = raw.number(block.get(low)), raw.number(block.get(high))
            if least is not None and most is not None and least >= most:
                yield f"{path}: {low} is not below {high}"


def _leaning(block: Mapping[Any, Any]) -> int:
    """Return 1 for a filter that only passes uptrends, -1 for downtrends, 0 for one of neither."""
    kind = raw.type_of(block)
    trending = "trend" in kind or kind in ("ma", "ema", "sma")
    for key in LEANING_KEYS:
        # "below" is a downtrend of an average, and says nothing of that sort of an oscillator.
        if key in ("require", "condition") and not trending:
            continue
        if leaning := raw.direction_of(block.get(key)):
            return leaning
    return raw.direction_of(kind)


def _against_the_side(filters: list[Filter], *, side: int) -> Iterator[str]:
    leanings = [(path, _leaning(block)) for path, block in filters]
    for path, leaning in leanings:
        if side and leaning == -side:
            trend, only = ("downtrends", "long") if side > 0 else ("uptrends", "short")
            yield f"{path} only passes {trend}, and the strategy is {only} only"
    ways = {leaning: path for path, leaning in leanings if leaning}
    if len(ways) > 1:
        yield f"{ways[1]} only passes uptrends, and {ways[-1]} only downtrends"


def _not_higher(filters: list[Filter], *, timeframe: object) -> Iterator[str]:
    base = TIMEFRAMES.get(timeframe) if isinstance(timeframe, str) else None
    for path, block in filters:
        named = block.get("timeframe")
        higher = TIMEFRAMES.get(named) if isinstance(named, str) else None
        if raw.type_of(block).startswith("htf") and base and higher and higher <= base:
            yield f"{path}: its timeframe is not above the strategy's"


def _apart(filters: list[Filter]) -> Iterator[str]:
    """Yield pairs of one type and the same parameters whose ranges have nothing in common."""
    for (path, block), (other_path, other) in combinations(filters, 2):
        if not raw.type_of(block) or raw.type_of(block) != raw.type_of(other):
            continue
        if raw.number(block.get("length")) != raw.number(other.get("length")):
            continue
        for low, high in BOUNDS:
            if _above(block, other, low, high) or _above(other, block, low, high):
                yield f"{path} and {other_path}: their ranges have nothing in common"


def _above(block: Mapping[Any, Any], other: Mapping[Any, Any], low: str, high: str) -> bool:
    least: Decimal | None = raw.number(block.get(low))
    most: Decimal | None = raw.number(other.get(high))
    return least is not None and most is not None and least > most


def _never_open(filters: list[Filter]) -> Iterator[str]:
    """Yield the session filters that leave no hour of any day together."""
    sessions = [(path, block) for path, block in filters if raw.type_of(block) == "session"]
    hours, days = set(range(24)), set(EVERY_DAY)
    for _, block in sessions:
        named = [name for name in raw.items(block.get("sessions")) if isinstance(name, str)]
        spans = [span for name, span in SESSION_HOURS.items() if name in named]
        if spans:
            hours &= {hour for start, end in spans for hour in range(start, end)}
        kept = {raw.number(day) for day in raw.items(block.get("weekdays"))} - {None}
        if kept:
            days &= {day for day in EVERY_DAY if day in kept}
    if sessions and not (hours and days):
        together = " and ".join(path for path, _ in sessions)
        yield f"{together}: there is no hour of any day that they pass"
