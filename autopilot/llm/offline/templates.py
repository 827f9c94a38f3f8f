"""What the offline advisor makes strategies of: for each block type a few sensible settings.

Distances in percent are scaled by timeframe: what a market moves in a day is not what it moves in
five minutes.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

from autopilot.strategy.blocks import BLOCKS

SCALE = {"5m": 0.35, "15m": 0.6, "1h": 1.0, "4h": 2.0, "1d": 3.5}
"""Timeframe → what a move counts of one within an hour."""
SIDES = ("both", "long", "short")
NO_FILTER = "none"
FILTER_SETS = (
    (),
    ("trend_ma",),
    ("adx",),
    ("natr",),
    ("rel_volume",),
    ("session",),
    ("htf_trend",),
    ("funding",),
    ("trend_ma", "adx"),
    ("adx", "natr"),
    ("adx", "rel_volume"),
    ("htf_trend", "adx"),
)
HIGHER = {"5m": "1h", "15m": "4h", "1h": "4h"}


@dataclass(frozen=True, slots=True)
class Templates:
    """Type → its settings, each a whole block as JSON, for one timeframe."""

    foundations: dict[str, list[dict[str, Any]]]
    filters: dict[str, list[dict[str, Any]]]
    stops: dict[str, list[dict[str, Any]]]
    targets: dict[str, list[dict[str, Any]]]


@cache
def templates(timeframe: str) -> Templates:
    """Return the settings for a timeframe; not to be changed."""
    scale = SCALE[timeframe]
    return Templates(
        foundations=_foundations(scale),
        filters=_filters(timeframe, scale),
        stops={
            "stop_atr": _settings("stop_atr", {"mult": 2.5}, {"mult": 1.5}, {"mult": 4.0}),
            "stop_pct": _settings("stop_pct", *_percents("pct", scale, 2.0, 3.5)),
            "stop_swing": _settings(
                "stop_swing", {"lookback": 10}, {"lookback": 20, "buffer_atr": 0.5}
            ),
        },
        targets={
            "tp_r": _settings("tp_r", {"r": 2.0}, {"r": 1.2}, {"r": 3.0}),
            "tp_pct": _settings("tp_pct", *_percents("pct", scale, 4.0, 7.0)),
            "tp_atr": _settings("tp_atr", {"mult": 4.0}, {"mult": 2.5}, {"mult": 7.0}),
        },
    )


def _foundations(scale: float) -> dict[str, list[dict[str, Any]]]:
    return {
        "ema_cross": _settings("ema_cross", {}, {"fast": 8, "slow": 21}, {"fast": 20, "slow": 80}),
        "macd_cross": _settings("macd_cross", {}, {"fast": 8, "slow": 21, "signal": 5}),
        "roc_momentum": _settings(
            "roc_momentum",
            *({"length": 24, **one} for one in _percents("min_pct", scale, 2.0)),
            *({"length": 12, **one} for one in _percents("min_pct", scale, 1.5)),
        ),
        "donchian_break": _settings(
            "donchian_break", {"length": 48}, {"length": 20}, {"length": 80, "buffer_atr": 0.25}
        ),
        "squeeze_break": _settings("squeeze_break", {}, {"length": 20, "kc_mult": 2.0}),
        "retest_level": _settings("retest_level", {}, {"lookback": 24}),
        "rsi_reversal": _settings("rsi_reversal", {}, {"length": 7, "low": 25.0, "high": 75.0}),
        "band_reversal": _settings("band_reversal", {}, {"length": 30, "mult": 2.5}),
        "volume_spike": _settings(
            "volume_spike", {}, {"length": 24, "multiple": 1.5, "body_atr": 0.25}
        ),
    }


def _filters(timeframe: str, scale: float) -> dict[str, list[dict[str, Any]]]:
    filters = {
        "trend_ma": _settings("trend_ma", {"length": 100}, {"length": 50, "slope_bars": 5}),
        "adx": _settings("adx", {"min": 20.0}, {"min": 25.0}),
        "natr": _settings(
            "natr", *_percents("max_pct", scale, 2.0), *_percents("min_pct", scale, 0.5)
        ),
        "rel_volume": _settings("rel_volume", {"min": 1.2}, {"min": 1.5}),
        "session": _settings(
            "session", {"sessions": ["london", "new_york"]}, {"sessions": ["asia"]}
        ),
        "funding": _settings("funding", {}, {"max_abs_bps_8h": 2.0}),
    }
    if higher := HIGHER.get(timeframe):
        filters["htf_trend"] = _settings("htf_trend", {"timeframe": higher, "length": 20})
    return filters


def _settings(type_: str, *settings: dict[str, Any]) -> list[dict[str, Any]]:
    return [BLOCKS[type_](type=type_, **one).model_dump(mode="json") for one in settings]


def _percents(name: str, scale: float, *values: float) -> list[dict[str, Any]]:
    return [{name: round(value * scale, 2)} for value in values]
