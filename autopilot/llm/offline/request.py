"""What a request asks for, in words that the offline advisor knows: no model reads it.

A word names families of foundations, filters or a side. What is denied ("no breakouts") is asked
for as little as what is not named.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autopilot.llm.offline.evidence import Evidence
from autopilot.llm.offline.space import Space, tags_of_foundation
from autopilot.llm.offline.words import listed
from autopilot.strategy.blocks import FOUNDATIONS

WEIGHT = 3.0
"""What a foundation's being asked for counts, in successes, once the first one was tried."""
WORD = re.compile(r"[a-z0-9]+")
DENIALS = frozenset({"no", "not", "without", "avoid", "except", "never", "non"})
SAME = {
    "breakout": ("break out", "breaking out", "breakout"),
    "trend": ("trend", "trend following", "trending", "trend follower"),
    "momentum": ("momentum",),
    "mean reversion": (
        *("mean reversion", "mean reverting", "reversion", "reversal"),
        *("oversold", "overbought"),
    ),
    "volume": ("volume", "volume spike"),
    "retest": ("retest", "retest level"),
    "squeeze": ("squeeze", "squeeze break"),
    "donchian": ("donchian", "donchian break", "channel break"),
    "rsi": ("rsi", "rsi reversal"),
    "bollinger": ("bollinger", "bollinger band", "band reversal"),
    "macd": ("macd", "macd cross"),
    "roc": ("roc", "rate of change", "roc momentum"),
    "ema cross": ("ema", "ema cross", "ema crossover", "moving average cross", "crossover"),
    "trend strength": ("trend strength", "strong trend", "adx"),
    "trend filter": ("trend filter", "trend ma"),
    "higher timeframe": ("higher timeframe", "htf trend", "mtf"),
    "volatility": ("volatility", "volatility filter", "natr"),
    "funding": ("funding", "funding rate"),
    "trading hours": ("trading hour", "london", "new york", "asia"),
    "long only": ("long only", "only long", "long side", "buy only", "only buy", "go long"),
    "short only": ("short only", "only short", "short side", "sell only", "go short", "shorting"),
    "both sides": ("both side", "long and short", "long or short", "both direction"),
}
"""What is asked for → the phrases that ask for it, in lower case and the singular."""
FAMILIES = {"mean reversion": "mean_reversion"}
"""What is asked for → the tag or strategy type of its foundations, where they differ."""
ENTRIES = {
    "squeeze": {"squeeze_break"},
    "donchian": {"donchian_break"},
    "rsi": {"rsi_reversal"},
    "bollinger": {"band_reversal"},
    "macd": {"macd_cross"},
    "roc": {"roc_momentum"},
    "ema cross": {"ema_cross"},
    "volatility": set[str](),
}
"""What is asked for → its foundations, where no tag tells them."""
FILTERING = {
    "volume": {"rel_volume"},
    "trend strength": {"adx"},
    "trend filter": {"trend_ma"},
    "higher timeframe": {"htf_trend"},
    "volatility": {"natr"},
    "funding": {"funding"},
    "trading hours": {"session"},
}
SIDE = {"long only": "long", "short only": "short", "both sides": "both"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a request asks for. Dimension → values of a space; a dimension without any is free.

    `missing` are words for what this market, plan or timeframe does not offer.
    """

    words: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    values: Mapping[str, Sequence[str]]

    def space(self, whole: Space, *, first: bool) -> Space:
        """Return what is left to choose from: the first try also begins as it is asked to."""
        kept = {
            dimension: values
            for dimension, values in self.values.items()
            if first or dimension != "foundation"
        }
        if not kept:
            return whole
        left = {
            dimension: {value: values[value] for value in kept.get(dimension, values)}
            for dimension, values in whole.values.items()
        }
        return replace(whole, values=left)

    def weigh(self, evidence: Evidence, *, first: bool) -> None:
        """Let later tries lean to what is asked for, without keeping them to it."""
        if not first:
            for value in self.values.get("foundation", ()):
                evidence.lean(("foundation", value), WEIGHT)

    def describe(self) -> str:
        """Return a sentence on what was understood; "" where the request names nothing."""
        if not self.words:
            return ""
        missing = f" (not on offer here: {', '.join(self.missing)})" if self.missing else ""
        return f"The prompt asks for {listed(self.words)}{missing}. "


def wishes_of(material: Mapping[str, Any], space: Space) -> Wishes:
    """Return what the material's request asks for, of what is on offer."""
    words = _named(material["request"])
    entries = {word: _entries(word) & set(space.values["foundation"]) for word in words}
    known = {type_ for place, type_ in space.settings if place == "filters"}
    filters = {type_ for word in words for type_ in FILTERING.get(word, set()) & known}
    sides = {SIDE[word] for word in words if word in SIDE}
    values = {
        "foundation": _foundations(entries),
        "filters": _sets_with(filters, space.values["filters"]),
        "side": sorted(sides) if len(sides) == 1 else [],
    }
    return Wishes(
        words=words,
        missing=tuple(
            word
            for word in words
            if word not in SIDE and not entries[word] and not FILTERING.get(word, set()) & known
        ),
        values={dimension: some for dimension, some in values.items() if some},
    )


def _named(request: str) -> tuple[str, ...]:
    """Return what a request names, in its order; the longest phrase at a place counts."""
    said = [_singular(word) for word in WORD.findall(request.casefold())]
    found, place = [], 0
    while place < len(said):
        length, meant = max(
            (
                (len(phrase), meant)
                for phrase, meant in PHRASES
                if tuple(said[place : place + len(phrase)]) == phrase
            ),
            default=(1, None),
        )
        if meant is not None and not DENIALS & set(said[max(place - 1, 0) : place]):
            found.append(meant)
        place += length
    return tuple(dict.fromkeys(found))


def _singular(word: str) -> str:
    if word.endswith("sses"):
        return word.removesuffix("es")
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word  # noqa: PLR2004 - "is", "gas"


PHRASES = tuple(
    (tuple(_singular(word) for word in phrase.split()), meant)
    for meant, phrases in SAME.items()
    for phrase in phrases
)


def _entries(word: str) -> set[str]:
    """Return the foundations that a word asks for."""
    if word in ENTRIES:
        return ENTRIES[word]
    tag = FAMILIES.get(word, word)
    return {type_ for type_ in FOUNDATIONS if tag in tags_of_foundation(type_)}


def _foundations(entries: Mapping[str, set[str]]) -> list[str]:
    """Return those that all words ask for, or else any of them; in a fixed order.

    A word that names a filter too names no foundation beside another that does.
    """
    named = {word: types for word, types in entries.items() if types}
    plain = [types for word, types in named.items() if word not in FILTERING]
    wanted = plain or list(named.values())
    if not wanted:
        return []
    together = set.intersection(*wanted) or set.union(*wanted)
    return [type_ for type_ in FOUNDATIONS if type_ in together]


def _sets_with(filters: set[str], sets: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the sets that have all of the filters, or else any of them."""
    if not filters:
        return []
    whole = [name for name, types in sets.items() if filters <= set(types)]
    return whole or [name for name, types in sets.items() if filters & set(types)]
