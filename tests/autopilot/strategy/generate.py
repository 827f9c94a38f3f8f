"""Random valid strategies for property tests: every block type in every place it may stand."""

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from autopilot.strategy.base import TIMEFRAMES
from autopilot.strategy.blocks import FILTERS, FOUNDATIONS, MANAGE, STOPS, TARGETS
from autopilot.strategy.schema import Strategy, exact_sum

Json = dict[str, Any]
Drawn = st.SearchStrategy[Any]

PATIENT = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
"""For tests that draw strategies: how long a draw takes depends on who else is computing."""


def numbers(low: float, high: float) -> Drawn:
    """Draw numbers as people write them: at most two decimals, both ends among them."""
    return st.integers(round(low * 100), round(high * 100)).map(lambda cents: cents / 100)


def optional(drawn: Drawn) -> Drawn:
    """Draw, or leave out."""
    return st.none() | drawn


def whole(low: int, high: int) -> Drawn:
    """Draw whole numbers, small ones first."""
    return st.integers(low, high)


def parameters(longest: int) -> dict[str, dict[str, Drawn]]:
    """Return block type → parameter → what to draw; lengths go up to `longest`."""
    length = whole(2, longest)
    pct, mult, ratio = numbers(0.01, 50), numbers(0.01, 20), numbers(0.01, 50)
    buffer = numbers(0, 3)
    return {
        "ema_cross": {"fast": length, "slow": length},
        "macd_cross": {"fast": length, "slow": length, "signal": length},
        "roc_momentum": {"length": length, "min_pct": pct},
        "donchian_break": {"length": length, "buffer_atr": buffer},
        "squeeze_break": {"length": length, "bb_mult": mult, "kc_mult": mult},
        "retest_level": {"lookback": length, "tolerance_atr": buffer},
        "rsi_reversal": {"length": length, "low": numbers(1, 49), "high": numbers(50, 99)},
        "band_reversal": {"length": length, "mult": mult},
        "volume_spike": {"length": length, "multiple": numbers(1.01, 20), "body_atr": buffer},
        "trend_ma": {"length": length, "slope_bars": whole(0, longest)},
        "htf_trend": {"timeframe": st.sampled_from(["1h", "4h", "1d"]), "length": length},
        "adx": {"length": length, "min": numbers(0.01, 99)},
        "natr": {
            "length": length,
            "min_pct": optional(numbers(0.01, 5)),
            "max_pct": optional(numbers(5.01, 50)),
        },
        "rel_volume": {"length": length, "min": mult},
        "session": {
            "sessions": st.lists(
                st.sampled_from(["asia", "london", "new_york"]), min_size=1, max_size=3
            ),
            "weekdays": st.lists(whole(0, 6), min_size=1, max_size=7),
        },
        "funding": {"max_abs_bps_8h": numbers(0.01, 1000)},
        "stop_pct": {"pct": pct},
        "stop_atr": {"length": length, "mult": mult},
        "stop_swing": {"lookback": length, "buffer_atr": buffer},
        "tp_r": {"r": ratio},
        "tp_pct": {"pct": pct},
        "tp_atr": {"length": length, "mult": ratio},
        "trail_atr": {"length": length, "mult": mult, "activate_r": numbers(0, 50)},
        "breakeven": {"at_r": ratio, "offset_pct": numbers(0, 50)},
        "time_exit": {"bars": whole(1, 5000)},
    }


@st.composite
def blocks(draw: st.DrawFn, type_: str, *, longest: int = 60) -> Json:
    """Draw a valid block of a type, as JSON with all its parameters."""
    drawn = {name: draw(part) for name, part in parameters(longest)[type_].items()}
    if {"fast", "slow"} <= drawn.keys():
        drawn["slow"] = max(drawn["slow"], drawn["fast"]) + 1
    if type_ == "natr" and drawn["min_pct"] is None and drawn["max_pct"] is None:
        drawn["min_pct"] = 0.5
    return {"type": type_, **drawn}


def any_of(types: list[str], *, longest: int) -> Drawn:
    """Draw a block of one of the types."""
    return st.sampled_from(types).flatmap(lambda type_: blocks(type_, longest=longest))


@st.composite
def exits(draw: st.DrawFn, *, longest: int) -> Json:
    """Draw how a position ends; partial fractions add up to 1 at the most."""
    target = any_of(list(TARGETS), longest=longest)
    shares = draw(st.lists(whole(1, 25), max_size=4))
    ends: Json = {
        "stop": draw(any_of(list(STOPS), longest=longest)),
        "take_profit": draw(optional(target)),
        "partials": [{"target": draw(target), "fraction": share / 100} for share in shares],
        "manage": draw(st.lists(any_of(list(MANAGE), longest=longest), max_size=3)),
    }
    others = {block["type"] for block in ends["manage"]} - {"breakeven"}
    if ends["take_profit"] is None and not shares and not others:
        ends["take_profit"] = draw(target)
    return ends


@st.composite
def strategy_json(
    draw: st.DrawFn, *, timeframe: str | None = None, side: str | None = None, longest: int = 60
) -> Json:
    """Draw a strategy as JSON that parses; some blocks may be restricted on its timeframe."""
    frame = timeframe or draw(st.sampled_from(TIMEFRAMES))
    weights = draw(st.lists(numbers(0.01, 10), min_size=1, max_size=5))
    highest = int(exact_sum(weights) * 100)
    filters = draw(st.lists(any_of(list(FILTERS), longest=longest), max_size=6))
    for block in filters:
        if block["type"] == "htf_trend" and frame == "1h" and block["timeframe"] == "1h":
            block["timeframe"] = "4h"
    return {
        "name": draw(st.text("abc ÄÖ🌐-", max_size=20).map(lambda text: f"s{text}")),
        "timeframe": frame,
        "side": side or draw(st.sampled_from(["long", "short", "both"])),
        "foundations": [
            {"weight": weight, "block": draw(any_of(list(FOUNDATIONS), longest=longest))}
            for weight in weights
        ],
        "entry_threshold": draw(whole(1, highest)) / 100,
        "filters": filters,
        "exits": draw(exits(longest=longest)),
        "sizing": {"risk_pct": draw(numbers(0.01, 5)), "max_leverage": draw(numbers(0.01, 50))},
    }


def strategies(
    *, timeframe: str | None = None, side: str | None = None, longest: int = 60
) -> st.SearchStrategy[Strategy]:
    """Draw valid strategies. Lengths of indicators go up to `longest` bars."""
    drawn = strategy_json(timeframe=timeframe, side=side, longest=longest)
    return drawn.map(Strategy.parse)
