"""What makes two configurations the same, and what kind of strategy the blocks tell of."""

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from autopilot.errors import InvalidStrategy
from autopilot.strategy.blocks import BLOCKS
from autopilot.strategy.identity import (
    block_types,
    config_hash,
    config_of,
    strategy_type_of,
    tags_of,
)
from autopilot.strategy.schema import Strategy
from memory.policies import standing
from tests.autopilot.strategy.generate import PATIENT, Json, strategies, strategy_json
from tests.autopilot.strategy.samples import STOP, TARGET, ending, parsed, plan

VECTOR = "a87fdcfb11163e96dde89eacfaadbb349263893646d30270f93501ae18af1463"


def digest(value: Json) -> str:
    """Return the hash of a strategy given as JSON."""
    return config_hash(Strategy.parse(value))


def as_floats(value: Any) -> Any:
    """Return JSON with each whole number written as a float."""
    if isinstance(value, dict):
        return {key: as_floats(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [as_floats(inner) for inner in value]
    return float(value) if isinstance(value, int) else value


def as_integers(value: Any) -> Any:
    """Return JSON with each float that is whole written as an integer."""
    if isinstance(value, dict):
        return {key: as_integers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [as_integers(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def numbers_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of each number inside JSON."""
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        return [found for key, part in inner for found in numbers_in(part, (*path, key))]
    return [path] if isinstance(value, int | float) and not isinstance(value, bool) else []


@pytest.mark.spec("M2", "A5")
def test_the_hash_has_its_published_value() -> None:
    assert digest(plan()) == VECTOR


@pytest.mark.spec("M2")
def test_the_name_is_no_part_of_a_configuration() -> None:
    assert digest(plan(name="another")) == VECTOR
    assert "name" not in config_of(parsed())


@pytest.mark.spec("M2")
@PATIENT
@given(strategy_json())
def test_1_and_1_0_are_the_same_configuration(value: Json) -> None:
    assert digest(as_floats(value)) == digest(as_integers(value)) == digest(value)


@pytest.mark.spec("M2")
@PATIENT
@given(strategies())
def test_a_stored_configuration_has_the_hash_that_the_store_computes(strategy: Strategy) -> None:
    stored = json.loads(json.dumps(config_of(strategy)))
    assert standing.config_hash(stored).hex() == config_hash(strategy)
    assert digest({**stored, "name": "from the store"}) == config_hash(strategy)


@pytest.mark.spec("M2")
@PATIENT
@given(strategy_json(), st.randoms(use_true_random=False))
def test_neither_the_order_of_keys_nor_leaving_out_a_default_changes_the_hash(
    value: Json, chosen: Any
) -> None:
    def rewritten(part: Any) -> Any:
        if isinstance(part, list):
            return [rewritten(inner) for inner in part]
        if not isinstance(part, dict):
            return part
        fields = BLOCKS[part["type"]].model_fields if "type" in part else {}
        kept = [
            key
            for key in part
            if key == "type" or key not in fields or part[key] != fields[key].default
        ]
        chosen.shuffle(kept)
        return {key: rewritten(part[key]) for key in kept}

    assert digest(rewritten(value)) == digest(value)


@pytest.mark.spec("M2")
@PATIENT
@given(strategies(), st.data())
def test_any_other_number_is_another_configuration(strategy: Strategy, data: st.DataObject) -> None:
    changed = strategy.model_dump(mode="json")
    path = data.draw(st.sampled_from(numbers_in(changed)))
    part: Any = changed
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] += data.draw(st.sampled_from([1, -1, 0.01, -0.01]))
    try:
        other = Strategy.parse(changed)
    except InvalidStrategy:
        assume(False)  # noqa: FBT003 - hypothesis has it so
    assert config_hash(other) != config_hash(strategy)


@pytest.mark.spec("M2")
def test_minus_nothing_is_nothing() -> None:
    block = {"type": "donchian_break", "buffer_atr": -0.0}
    foundation = {"weight": 1, "block": block}
    same = {"weight": 1, "block": {"type": "donchian_break"}}
    assert digest(plan(foundations=[foundation])) == digest(plan(foundations=[same]))


@pytest.mark.spec("M2")
def test_the_order_in_which_sessions_are_named_means_nothing() -> None:
    one = [{"type": "session", "sessions": ["london", "asia"], "weekdays": [1, 0]}]
    two = [{"type": "session", "sessions": ["asia", "london", "asia"], "weekdays": [0, 1]}]
    assert digest(plan(timeframe="1h", filters=one)) == digest(plan(timeframe="1h", filters=two))


def weighed(*parts: tuple[float, str]) -> list[Json]:
    """Return foundations of these weights and block types."""
    return [{"weight": weight, "block": {"type": type_}} for weight, type_ in parts]


@pytest.mark.spec("M7")
@pytest.mark.parametrize(
    ("parts", "kind"),
    [
        ([(1, "ema_cross")], "trend_following"),
        ([(1, "macd_cross")], "momentum"),
        ([(1, "roc_momentum")], "momentum"),
        ([(1, "donchian_break")], "breakout"),
        ([(1, "squeeze_break")], "breakout"),
        ([(1, "retest_level")], "breakout"),
        ([(1, "volume_spike")], "breakout"),
        ([(1, "rsi_reversal")], "mean_reversion"),
        ([(1, "band_reversal")], "mean_reversion"),
        ([(1, "ema_cross"), (2, "rsi_reversal")], "mean_reversion"),
        ([(1, "ema_cross"), (1, "rsi_reversal")], "trend_following"),
    ],
)
def test_the_heaviest_foundation_tells_the_kind_of_a_strategy(
    parts: list[tuple[float, str]], kind: str
) -> None:
    assert strategy_type_of(parsed(foundations=weighed(*parts))) == kind


@pytest.mark.spec("M7")
@pytest.mark.parametrize(
    ("timeframe", "manage", "kind"),
    [
        ("5m", [{"type": "time_exit", "bars": 24}], "scalping"),
        ("5m", [{"type": "breakeven"}, {"type": "time_exit", "bars": 1}], "scalping"),
        ("5m", [{"type": "time_exit", "bars": 25}], "trend_following"),
        ("15m", [{"type": "time_exit", "bars": 24}], "trend_following"),
        ("5m", [], "trend_following"),
    ],
)
def test_a_5m_strategy_that_leaves_within_24_bars_is_scalping(
    timeframe: str, manage: list[Json], kind: str
) -> None:
    value = {**ending(take_profit=TARGET, manage=manage), "timeframe": timeframe}
    assert strategy_type_of(Strategy.parse(value)) == kind


@pytest.mark.spec("M7")
def test_types_and_tags_come_in_reading_order_each_once() -> None:
    strategy = parsed(
        timeframe="1h",
        foundations=weighed((1, "macd_cross"), (1, "ema_cross"), (1, "macd_cross")),
        filters=[{"type": "htf_trend"}, {"type": "trend_ma"}],
        exits={
            "stop": STOP,
            "partials": [{"target": TARGET, "fraction": 0.5}],
            "manage": [{"type": "time_exit"}],
        },
    )
    assert block_types(strategy) == [
        *("macd_cross", "ema_cross", "htf_trend", "trend_ma", "stop_atr", "tp_r", "time_exit")
    ]
    assert tags_of(strategy) == ["momentum", "trend", "trend_filter", "mtf"]
