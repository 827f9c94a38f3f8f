"""How the offline analyst looks at a market: each lens reads indicators and takes a position.

The rules are plain and fixed: a stop 2.5 ATR away and a target at twice that risk, or at the
middle band for a reversal. They are research to argue with, not advice.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from trading.market.indicators import IndicatorSpec

STOP_ATR = 2.5
REWARD = 2.0
TREND_ADX = 25.0
OVERSOLD, OVERBOUGHT = 30.0, 70.0
DIGITS = 6

Observations = Mapping[str, float]
Bias = Literal["bullish", "bearish", "neutral"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a lens makes of a market; `setup` is None when there is nothing to act on."""

    bias: Bias
    rationale: str
    confidence: Literal["low", "moderate"]
    invalidation: str
    setup: dict[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Lens:
    """A stable record type, the indicators it needs, and how it reads them."""

    name: str
    type: str
    tags: tuple[str, ...]
    specs: tuple[IndicatorSpec, ...]
    read: Callable[[Observations], Reading]


def levels(side: int, *, entry: float, atr: float, target: float | None = None) -> dict[str, float]:
    """Return entry, stop and target of a long (side 1) or short (side -1) position."""
    stop = entry - side * STOP_ATR * atr
    goal = target if target is not None else entry + side * REWARD * STOP_ATR * atr
    return {
        "entry": round(entry, DIGITS),
        "stop": round(stop, DIGITS),
        "target": round(goal, DIGITS),
    }


def read_trend(seen: Observations) -> Reading:
    """Follow the averages while the trend is strong and momentum agrees."""
    fast, slow = seen["ema_20"], seen["ema_50"]
    side = 1 if fast > slow else -1
    bias: Bias = "bullish" if side > 0 else "bearish"
    strong = seen["adx_14"] >= TREND_ADX
    agrees = seen["macd_12_26_9.histogram"] * side > 0
    order = "above" if side > 0 else "below"
    rationale = (
        f"EMA 20 {order} EMA 50, ADX {seen['adx_14']:.1f}, MACD histogram "
        f"{'agrees' if agrees else 'disagrees'}"
    )
    return Reading(
        bias=bias,
        rationale=rationale,
        confidence="moderate" if strong and agrees else "low",
        invalidation=f"A closed bar with EMA 20 no longer {order} EMA 50",
        setup=levels(side, entry=seen["close"], atr=seen["atr_14"]) if strong and agrees else None,
    )


def read_reversion(seen: Observations) -> Reading:
    """Expect a return to the middle band from an extreme beyond the outer ones."""
    close, rsi = seen["close"], seen["rsi_14"]
    lower, middle, upper = (seen[f"bbands_20_2.{band}"] for band in ("lower", "middle", "upper"))
    place = f"RSI {rsi:.1f}, close {close:g} between bands {lower:g} and {upper:g}"
    if rsi < OVERSOLD and close < lower:
        side, bias = 1, "bullish"
    elif rsi > OVERBOUGHT and close > upper:
        side, bias = -1, "bearish"
    else:
        return Reading(
            bias="neutral",
            rationale=place,
            confidence="low",
            invalidation="A close outside the bands with RSI beyond 30 or 70",
        )
    return Reading(
        bias="bullish" if bias == "bullish" else "bearish",
        rationale=place.replace("between", "outside"),
        confidence="moderate",
        invalidation="A further close beyond the band with RSI more extreme",
        setup=levels(side, entry=close, atr=seen["atr_14"], target=middle),
    )


def _spec(function: str, **parameters: Any) -> IndicatorSpec:
    return IndicatorSpec(function=function, parameters=parameters)


TREND = Lens(
    name="trend",
    type="trend_setup",
    tags=("trend_following",),
    specs=(
        _spec("EMA", length=20),
        _spec("EMA", length=50),
        _spec("ADX"),
        _spec("MACD"),
        _spec("ATR"),
    ),
    read=read_trend,
)
REVERSION = Lens(
    name="reversion",
    type="reversion_setup",
    tags=("mean_reversion",),
    specs=(_spec("RSI"), _spec("BBANDS"), _spec("ATR")),
    read=read_reversion,
)
LENSES = {lens.name: lens for lens in (TREND, REVERSION)}
