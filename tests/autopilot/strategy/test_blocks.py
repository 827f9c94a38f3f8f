"""Every block type: what the specification's table says of it, and the numbers it takes."""

from typing import Any

import pytest

from autopilot.strategy.base import DATA, TIMEFRAMES
from autopilot.strategy.blocks import BLOCKS, FILTERS, FOUNDATIONS, MANAGE, STOPS, TARGETS
from autopilot.strategy.schema import Strategy
from memory.policies.vocabulary import STRATEGY_TYPES
from tests.autopilot.strategy.generate import parameters
from tests.autopilot.strategy.samples import NEEDED, STOP, TARGET, plan, problems

pytestmark = pytest.mark.spec("A5")

DEFAULTS: dict[str, dict[str, Any]] = {
    "ema_cross": {"fast": 12, "slow": 48},
    "macd_cross": {"fast": 12, "slow": 26, "signal": 9},
    "roc_momentum": {"length": 24, "min_pct": 2.0},
    "donchian_break": {"length": 48, "buffer_atr": 0.0},
    "squeeze_break": {"length": 20, "bb_mult": 2.0, "kc_mult": 1.5},
    "retest_level": {"lookback": 48, "tolerance_atr": 0.5},
    "rsi_reversal": {"length": 14, "low": 30.0, "high": 70.0},
    "band_reversal": {"length": 20, "mult": 2.0},
    "volume_spike": {"length": 48, "multiple": 2.0, "body_atr": 0.5},
    "trend_ma": {"length": 200, "slope_bars": 0},
    "htf_trend": {"timeframe": "4h", "length": 50},
    "adx": {"length": 14, "min": 25.0},
    "natr": {"length": 14, "min_pct": 1.0, "max_pct": None},
    "rel_volume": {"length": 24, "min": 1.5},
    "session": {"sessions": ("asia",), "weekdays": (0, 1, 2, 3, 4, 5, 6)},
    "funding": {"max_abs_bps_8h": 5.0},
    "stop_pct": {"pct": 2.0},
    "stop_atr": {"length": 14, "mult": 2.5},
    "stop_swing": {"lookback": 10, "buffer_atr": 0.25},
    "tp_r": {"r": 2.0},
    "tp_pct": {"pct": 4.0},
    "tp_atr": {"length": 14, "mult": 4.0},
    "trail_atr": {"length": 14, "mult": 3.0, "activate_r": 1.0},
    "breakeven": {"at_r": 1.0, "offset_pct": 0.05},
    "time_exit": {"bars": 96},
}
TAGS = {
    "ema_cross": ("momentum", "trend"),
    "macd_cross": ("momentum",),
    "roc_momentum": ("momentum",),
    "donchian_break": ("breakout",),
    "squeeze_break": ("breakout", "volatility"),
    "retest_level": ("breakout", "retest"),
    "rsi_reversal": ("mean_reversion",),
    "band_reversal": ("mean_reversion",),
    "volume_spike": ("volume",),
    "trend_ma": ("trend_filter",),
    "htf_trend": ("trend_filter", "mtf"),
    "adx": ("trend_strength",),
    "natr": ("volatility_filter",),
    "rel_volume": ("volume_filter",),
    "session": ("session",),
    "funding": ("funding",),
}
KINDS = {
    "ema_cross": "trend_following",
    "macd_cross": "momentum",
    "roc_momentum": "momentum",
    "donchian_break": "breakout",
    "squeeze_break": "breakout",
    "retest_level": "breakout",
    "volume_spike": "breakout",
    "rsi_reversal": "mean_reversion",
    "band_reversal": "mean_reversion",
}


def placed(type_: str, **parameters: Any) -> dict[str, Any]:
    """Return a strategy with a block of this type where such blocks stand."""
    block = {"type": type_, **NEEDED.get(type_, {}), **parameters}
    exits: dict[str, Any] = {"stop": STOP, "take_profit": TARGET}
    if type_ in FOUNDATIONS:
        return plan(foundations=[{"weight": 1, "block": block}])
    if type_ in FILTERS:
        return plan(filters=[block])
    if type_ in STOPS:
        return plan(exits={**exits, "stop": block})
    if type_ in TARGETS:
        return plan(exits={**exits, "take_profit": block})
    return plan(exits={**exits, "manage": [block]})


def block_of(type_: str, **parameters: Any) -> Any:
    """Return a block of this type, parsed inside a strategy."""
    blocks = Strategy.parse(placed(type_, **parameters)).blocks()
    return next(block for _, block in blocks if block.type == type_)


def complaint(type_: str, **parameters: Any) -> str:
    """Return the place of the one thing that is wrong with a block."""
    [place] = problems(placed(type_, **parameters))
    return place.rpartition(".")[2]


def test_there_are_25_types_in_five_places() -> None:
    assert [len(group) for group in (FOUNDATIONS, FILTERS, STOPS, TARGETS, MANAGE)] == [
        *(9, 7, 3, 3, 3)
    ]
    assert set(BLOCKS) == set(DEFAULTS)
    assert set(parameters(60)) == set(BLOCKS), "the generator draws every type"


@pytest.mark.parametrize("type_", BLOCKS)
def test_a_block_has_its_documented_parameters_and_defaults(type_: str) -> None:
    block = block_of(type_)
    assert block == BLOCKS[type_](type=type_, **NEEDED.get(type_, {}))
    assert {name: value for name, value in block if name != "type"} == DEFAULTS[type_]


@pytest.mark.parametrize("type_", BLOCKS)
def test_a_block_class_says_what_the_table_says(type_: str) -> None:
    block = BLOCKS[type_]
    assert block.pro_only == (type_ in {"squeeze_break", "funding", "trail_atr"})
    intraday = type_ in {"htf_trend", "session"}
    assert block.timeframes == ({"5m", "15m", "1h"} if intraday else None)
    volume, funding = type_ in {"volume_spike", "rel_volume"}, type_ == "funding"
    assert block.needs == ({"volume"} if volume else {"funding"} if funding else set())
    assert block.needs <= DATA
    assert block.tags == TAGS.get(type_, ())
    assert block.strategy_type == KINDS.get(type_)
    assert (type_ in FOUNDATIONS) == (block.strategy_type in STRATEGY_TYPES)
    assert block.__doc__


@pytest.mark.parametrize("type_", BLOCKS)
@pytest.mark.parametrize("timeframe", TIMEFRAMES)
def test_a_warm_up_covers_the_longest_look_back(type_: str, timeframe: str) -> None:
    block = block_of(type_)
    warmup = block.warmup(timeframe=timeframe)
    lengths = ("length", "lookback", "slow", "signal", "slope_bars")
    assert warmup >= max(DEFAULTS[type_].get(name, 0) for name in lengths)


@pytest.mark.parametrize(
    ("type_", "parameters", "timeframe", "bars"),
    [
        ("ema_cross", {"slow": 48}, "4h", 144),
        ("macd_cross", {}, "4h", 105),
        ("donchian_break", {"length": 20}, "4h", 20),
        ("donchian_break", {"length": 20, "buffer_atr": 1}, "4h", 42),
        ("retest_level", {"lookback": 48}, "4h", 96),
        ("trend_ma", {"length": 200, "slope_bars": 5}, "4h", 205),
        ("htf_trend", {"timeframe": "4h", "length": 50}, "1h", 204),
        ("htf_trend", {"timeframe": "1d", "length": 10}, "5m", 3168),
        ("stop_swing", {"buffer_atr": 0}, "4h", 10),
        ("time_exit", {}, "4h", 0),
    ],
)
def test_a_warm_up_is_counted_in_bars_of_the_strategy(
    type_: str, parameters: dict[str, Any], timeframe: str, bars: int
) -> None:
    assert block_of(type_, **parameters).warmup(timeframe=timeframe) == bars


def test_a_strategy_warms_up_as_long_as_its_slowest_block() -> None:
    plain = Strategy.parse(plan())
    assert plain.warmup() == 144
    slower = Strategy.parse(placed("trend_ma", length=500))
    assert slower.warmup() == 500


@pytest.mark.parametrize(
    ("type_", "name", "low", "high"),
    [
        ("ema_cross", "fast", 1, None),
        ("ema_cross", "slow", None, 501),
        ("roc_momentum", "min_pct", 0, 50.1),
        ("donchian_break", "buffer_atr", -0.1, 3.1),
        ("rsi_reversal", "low", 0, None),
        ("rsi_reversal", "high", None, 100),
        ("volume_spike", "multiple", 1, 20.1),
        ("stop_atr", "mult", 0, 20.1),
        ("stop_pct", "pct", -2, 51),
        ("tp_r", "r", 0, 50.1),
        ("tp_pct", "pct", 0, 51),
        ("trail_atr", "mult", 0, 21),
        ("trail_atr", "activate_r", -1, 51),
        ("breakeven", "at_r", 0, 51),
        ("time_exit", "bars", 0, 5001),
        ("natr", "min_pct", 0, 51),
        ("trend_ma", "slope_bars", -1, 501),
        ("adx", "min", 0, 100),
        ("funding", "max_abs_bps_8h", 0, 1001),
    ],
)
def test_a_parameter_out_of_its_range_is_refused_by_its_place(
    type_: str, name: str, low: float | None, high: float | None
) -> None:
    for value in (low, high):
        if value is not None:
            assert complaint(type_, **{name: value}) == name


@pytest.mark.parametrize(
    "value", [True, "2", None, [], {}, float("nan"), float("inf"), -float("inf"), 10**400, 1e300]
)
def test_what_is_no_number_is_refused_and_not_converted(value: object) -> None:
    assert complaint("stop_atr", mult=value) == "mult"
    assert complaint("stop_atr", length=value) == "length"


def test_half_a_bar_is_no_length() -> None:
    assert complaint("adx", length=14.5) == "length"


@pytest.mark.parametrize(
    ("type_", "parameters", "place"),
    [
        ("ema_cross", {"fast": 48, "slow": 48}, "slow"),
        ("ema_cross", {"fast": 60}, "slow"),
        ("macd_cross", {"fast": 30, "slow": 20}, "slow"),
        ("rsi_reversal", {"low": 70, "high": 30}, "high"),
        ("rsi_reversal", {"low": 50, "high": 50}, "high"),
        ("natr", {"min_pct": 2, "max_pct": 2}, "max_pct"),
        ("natr", {"min_pct": None}, "min_pct"),
        ("session", {"sessions": []}, "sessions"),
        ("session", {"weekdays": []}, "weekdays"),
        ("session", {"weekdays": [7]}, "weekdays[0]"),
        ("session", {"sessions": ["tokyo"]}, "sessions[0]"),
        ("htf_trend", {"timeframe": "15m"}, "timeframe"),
    ],
)
def test_parameters_that_contradict_each_other_are_refused(
    type_: str, parameters: dict[str, Any], place: str
) -> None:
    assert complaint(type_, **parameters) == place


def test_a_session_keeps_each_name_and_day_once_in_order() -> None:
    block = block_of("session", sessions=["new_york", "asia", "asia"], weekdays=[4, 0, 4.0])
    assert block.sessions == ("asia", "new_york")
    assert block.weekdays == (0, 4)


@pytest.mark.parametrize("type_", BLOCKS)
def test_a_block_refuses_a_key_that_it_does_not_know(type_: str) -> None:
    assert complaint(type_, colour="red") == "colour"
    assert complaint(type_, **{type_: 1}) == type_
