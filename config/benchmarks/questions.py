"""Insights, and questions that ask for them in other words, to see whether they are found.

Made by hand from templates. What is asked for is one pair of an observation and a condition; each
has many relatives that share one half of it, and the words of a question are not all its own.
"""

from dataclasses import dataclass
from itertools import product

OBSERVATIONS = (
    ("Ascending triangle breakouts hold", "do breakouts from an ascending triangle last"),
    ("Bull flag continuations reach their target", "does a bull flag continue to its target"),
    ("Double bottoms at the weekly low reverse", "will a double bottom near the low turn around"),
    ("Failed breakdowns below the range squeeze shorts", "is a failed breakdown a short squeeze"),
    (
        "Mean reversion entries at the lower Bollinger band pay",
        "buying the lower band, does it pay",
    ),
    ("Momentum entries after the moving average cross fail", "why do moving average crosses fail"),
    ("Scalps against the opening drive lose", "scalping against the open drive, a losing idea"),
    ("Trend following stops under the swing low survive", "where do stops survive in a trend"),
    ("Short entries at the value area high work", "shorting the value area, does it work"),
    ("Head and shoulders tops complete", "how often does a head and shoulders top complete"),
    ("VWAP reclaims lead to new highs", "reclaiming VWAP, are new highs next"),
    ("Gap fills stall at the prior close", "does a gap fill stall at the close before"),
    ("Liquidation wicks are bought back", "are wicks from liquidations bought"),
    ("Inside bars break against the prior day", "which way does an inside bar break"),
    ("Channel tops reject on the second touch", "second touch of the channel, is it rejected"),
    ("Parabolic runs end with a blow-off candle", "how does a parabolic run end"),
    ("Pullbacks to the twenty day average continue", "is a pullback to the average continued"),
    ("Range midpoints give no edge", "any edge in the middle of a range"),
    ("Trailing exits beat fixed targets", "trailing an exit or a fixed target, which is better"),
    ("Partial exits at one and a half R cut drawdown", "do partial exits help with drawdown"),
)
CONDITIONS = (
    ("when volume doubles its average", "with twice the volume"),
    ("while ADX stays low", "in a market with a low ADX"),
    ("after funding turns negative", "if funding is negative"),
    ("during the Asian session", "in Asia hours"),
    ("with open interest falling", "as open interest falls"),
    ("on the four hour timeframe", "on four hour bars"),
    ("near a round number", "close to round numbers"),
    ("before macro news", "ahead of news"),
    ("once RSI diverges from price", "given an RSI divergence"),
    ("in the week of an options expiry", "around options expiry"),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """An insight, and a question that it answers."""

    insight: str
    question: str


def asked() -> list[Asked]:
    """Return all two hundred pairs, in a fixed order."""
    return [
        Asked(f"{observation} {condition}.", f"{question} {circumstance}?")
        for (observation, question), (condition, circumstance) in product(OBSERVATIONS, CONDITIONS)
    ]


def recall(found: list[list[str]], pairs: list[Asked], *, at: int) -> float:
    """Return the share of questions whose insight is among the first `at` texts found."""
    hits = sum(pair.insight in texts[:at] for texts, pair in zip(found, pairs, strict=True))
    return hits / len(pairs)
