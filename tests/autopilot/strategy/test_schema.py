"""From untrusted JSON to a strategy: what is refused, where, and in which words."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from autopilot.errors import InvalidStrategy
from autopilot.strategy.base import TIMEFRAMES
from autopilot.strategy.blocks import BLOCKS, FILTERS, FOUNDATIONS, MANAGE, STOPS, TARGETS
from autopilot.strategy.schema import Strategy
from memory.errors import BadRequest, ValidationFailed
from memory.policies.text import flaws
from tests.autopilot.strategy.generate import PATIENT, Json, strategies, strategy_json
from tests.autopilot.strategy.samples import (
    SESSION,
    STOP,
    TARGET,
    ending,
    founded_on,
    parsed,
    plan,
    problems,
    weighing,
)

pytestmark = pytest.mark.spec("A5")

SCHEMA_BYTES = 16_500
TRAIL, TIME, BREAKEVEN = ({"type": kind} for kind in ("trail_atr", "time_exit", "breakeven"))


def partial(fraction: object, **target: Any) -> Json:
    """Return a partial exit."""
    return {"target": target or TARGET, "fraction": fraction}


def test_what_is_left_out_has_its_documented_default() -> None:
    strategy = parsed()
    assert (strategy.schema_version, strategy.side, strategy.entry_threshold) == (1, "both", 1.0)
    assert (strategy.sizing.risk_pct, strategy.sizing.max_leverage) == (1.0, 3.0)
    assert (strategy.filters, strategy.exits.partials, strategy.exits.manage) == ((), (), ())


def test_a_strategy_is_frozen_and_can_be_a_key() -> None:
    strategy = parsed()
    assert {strategy: 1}[parsed()] == 1
    with pytest.raises(ValidationError):
        strategy.name = "y"  # type: ignore[misc]  # the point


def test_a_parsed_strategy_is_returned_as_it_is() -> None:
    strategy = parsed()
    assert Strategy.parse(strategy) is strategy


@PATIENT
@given(strategies())
def test_a_strategy_survives_the_way_through_json(strategy: Strategy) -> None:
    told = json.loads(json.dumps(strategy.model_dump(mode="json"), allow_nan=False))
    assert Strategy.parse(told) == strategy
    assert not list(flaws(told, path=""))


@PATIENT
@given(strategies())
def test_every_block_is_walked_by_a_path_that_leads_to_it(strategy: Strategy) -> None:
    told = strategy.model_dump(mode="json")
    for path, block in strategy.blocks():
        found: Any = told
        for step in path.replace("[", ".").replace("]", "").split("."):
            found = found[int(step)] if step.isdigit() else found[step]
        assert found == block.model_dump(mode="json")
    assert json.dumps(told).count('"type"') == len(list(strategy.blocks()))


def test_the_json_schema_fits_into_a_prompt_and_names_every_type() -> None:
    text = json.dumps(Strategy.model_json_schema(), separators=(",", ":"))
    assert len(text) < SCHEMA_BYTES
    assert all(f'"const":"{type_}"' in text for type_ in BLOCKS)


def test_the_json_schema_demands_the_type_of_each_block_and_shows_its_bounds() -> None:
    parts = Strategy.model_json_schema()["$defs"]
    assert parts["EmaCross"]["required"] == ["type"]
    assert parts["Session"]["required"] == ["type", "sessions"]
    fast = {"default": 12, "minimum": 2, "maximum": 500, "type": "integer"}
    assert parts["EmaCross"]["properties"]["fast"] == fast
    assert parts["TpR"]["properties"]["r"]["exclusiveMinimum"] == 0


@pytest.mark.parametrize(
    ("value", "place", "allowed"),
    [
        (founded_on(type="rsi"), "foundations[0].block.type", FOUNDATIONS),
        (founded_on(type="adx"), "foundations[0].block.type", FOUNDATIONS),
        (founded_on(), "foundations[0].block.type", FOUNDATIONS),
        (founded_on(type=None), "foundations[0].block.type", FOUNDATIONS),
        (founded_on(type=["ema_cross"]), "foundations[0].block.type", FOUNDATIONS),
        (plan(filters=[SESSION, {"type": "ema_cross"}]), "filters[1].type", FILTERS),
        (plan(exits={"stop": TARGET, "take_profit": TARGET}), "exits.stop.type", STOPS),
        (ending(take_profit=STOP), "exits.take_profit.type", TARGETS),
        (ending(partials=[partial(0.5, type="x")]), "exits.partials[0].target.type", TARGETS),
        (ending(take_profit=TARGET, manage=[STOP]), "exits.manage[0].type", MANAGE),
    ],
)
def test_an_unknown_block_is_told_by_its_place_and_the_types_allowed_there(
    value: Json, place: str, allowed: dict[str, object]
) -> None:
    found = problems(value)
    assert list(found) == [place]
    [message] = found[place]
    assert message.endswith("allowed: " + ", ".join(allowed))


@pytest.mark.parametrize("word", ["\ud800", "\x00", "x" * 5000, "{what}", "\n"])
def test_an_unknown_type_is_quoted_in_a_message_that_can_be_stored(word: str) -> None:
    [message] = problems(founded_on(type=word))["foundations[0].block.type"]
    assert len(message) < 400
    assert not list(flaws(message, path=""))
    assert "\n" not in message


@pytest.mark.parametrize(
    ("weights", "threshold", "fits"),
    [
        ([1], 1, True),
        ([1], 1.01, False),
        ([0.5], None, False),
        ([0.7, 0.1], 0.8, True),  # 0.7999999999999999 as floats
        ([0.1, 0.2], 0.3, True),
        ([0.1, 0.2], 0.30000001, False),
        ([10] * 5, 50, True),
    ],
)
def test_a_threshold_above_the_sum_of_the_weights_is_refused(
    weights: list[float], threshold: float | None, *, fits: bool
) -> None:
    value = plan(foundations=weighing(*weights))
    if threshold is not None:
        value["entry_threshold"] = threshold
    if fits:
        Strategy.parse(value)
    else:
        [message] = problems(value)["entry_threshold"]
        assert "above the sum of the weights" in message


def test_weights_reach_the_threshold_as_they_are_written() -> None:
    strategy = parsed(foundations=weighing(0.7, 0.1, 5), entry_threshold=0.8)
    assert strategy.enters(fired=[0, 1])
    assert strategy.enters(fired=[2])
    assert not strategy.enters(fired=[0])
    assert not strategy.enters(fired=[1, 1, 1, 1, 1, 1, 1, 1])
    assert not strategy.enters(fired=[])


@pytest.mark.parametrize(
    ("fractions", "fits"),
    [
        ([0.5, 0.5], True),
        ([0.7, 0.2, 0.1], True),
        ([0.6, 0.3, 0.1], True),
        ([0.5, 0.51], False),
        ([0.4, 0.4, 0.4], False),
    ],
)
def test_partial_exits_close_no_more_than_there_is(fractions: list[float], *, fits: bool) -> None:
    value = ending(partials=[partial(fraction) for fraction in fractions])
    if fits:
        Strategy.parse(value)
    else:
        [message] = problems(value)["exits.partials"]
        assert "exceed 1" in message


@pytest.mark.parametrize("fraction", [0, 1, -0.1, "0.5", None, True])
def test_a_fraction_lies_between_nothing_and_all(fraction: object) -> None:
    assert list(problems(ending(partials=[partial(fraction)]))) == ["exits.partials[0].fraction"]


@pytest.mark.parametrize("manage", [[], [BREAKEVEN]])
def test_a_strategy_that_only_ends_by_its_stop_is_refused(manage: list[Json]) -> None:
    [message] = problems(ending(manage=manage))["exits.take_profit"]
    assert "nothing but the stop" in message


@pytest.mark.parametrize(
    "exits",
    [
        {"take_profit": TARGET},
        {"partials": [partial(0.5)]},
        {"manage": [TRAIL]},
        {"manage": [BREAKEVEN, TIME]},
    ],
)
def test_any_way_of_ending_beside_the_stop_will_do(exits: Json) -> None:
    Strategy.parse(ending(**exits))


@pytest.mark.parametrize("weight", [0, -1, 10.1, None, "1", True])
def test_a_weight_is_a_number_above_0_and_up_to_10(weight: object) -> None:
    value = plan(foundations=[{"weight": weight, "block": {"type": "ema_cross"}}])
    assert list(problems(value)) == ["foundations[0].weight"]


def test_a_missing_weight_is_told_by_its_place() -> None:
    value = plan(foundations=[{"block": {"type": "ema_cross"}}])
    assert problems(value) == {"foundations[0].weight": ["is missing"]}


@pytest.mark.parametrize("timeframe", TIMEFRAMES)
@pytest.mark.parametrize("higher", ["1h", "4h", "1d"])
def test_a_higher_timeframe_is_higher_where_the_block_may_stand(
    timeframe: str, higher: str
) -> None:
    value = plan(timeframe=timeframe, filters=[{"type": "htf_trend", "timeframe": higher}])
    if timeframe == higher == "1h":
        [message] = problems(value)["filters[0].timeframe"]
        assert message == "is 1h, not above the strategy's 1h"
    else:
        Strategy.parse(value)  # on 4h and 1d the restrictions name the block


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"schema_version": 2}, "schema_version"),
        ({"schema_version": True}, "schema_version"),
        ({"schema_version": "1"}, "schema_version"),
        ({"name": ""}, "name"),
        ({"name": "   "}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"name": 5}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"name": "a\u2028b"}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": "a\ud800b"}, "name"),
        ({"timeframe": "1w"}, "timeframe"),
        ({"timeframe": ["1h"]}, "timeframe"),
        ({"side": "up"}, "side"),
        ({"foundations": []}, "foundations"),
        ({"foundations": weighing(*[1] * 6)}, "foundations"),
        ({"foundations": {}}, "foundations"),
        ({"filters": [{"type": "adx"}] * 7}, "filters"),
        ({"filters": None}, "filters"),
        ({"entry_threshold": 0}, "entry_threshold"),
        ({"entry_threshold": 10**400}, "entry_threshold"),
        ({"exits": {"take_profit": TARGET}}, "exits.stop"),
        ({"exits": {"stop": None, "take_profit": TARGET}}, "exits.stop"),
        ({"exits": None}, "exits"),
        ({"sizing": {"risk_pct": 5.1}}, "sizing.risk_pct"),
        ({"sizing": {"risk_pct": 0}}, "sizing.risk_pct"),
        ({"sizing": {"max_leverage": 51}}, "sizing.max_leverage"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_is_outside_the_schema_is_refused_by_its_place(changes: Json, place: str) -> None:
    assert list(problems(plan(**changes))) == [place]


def test_lists_are_bounded() -> None:
    four = [partial(0.1) for _ in range(4)]
    Strategy.parse(ending(partials=four, manage=[TRAIL, TIME, BREAKEVEN]))
    assert list(problems(ending(partials=[*four, partial(0.1)]))) == ["exits.partials"]
    assert list(problems(ending(manage=[TIME] * 4))) == ["exits.manage"]


def test_messages_speak_of_json() -> None:
    assert problems(plan(foundations={}, exits=[], filters=[{"type": "adx"}] * 7)) == {
        "foundations": ["must be a list"],
        "filters": ["holds more than 6"],
        "exits": ["must be an object"],
    }
    assert problems(plan(foundations=[])) == {"foundations": ["holds fewer than 1"]}
    assert problems(founded_on(type="ema_cross", colour=1)) == {
        "foundations[0].block.colour": ["is not a key of this part; leave it out"]
    }


def test_every_problem_is_told_and_the_list_of_them_is_bounded() -> None:
    value = plan(timeframe="2h", side="up", foundations=[{"weight": 0, "block": {"type": "rsi"}}])
    assert list(problems(value)) == [
        *("timeframe", "side", "foundations[0].weight", "foundations[0].block.type")
    ]
    many = problems(plan(**{f"key{i}": i for i in range(1000)}))
    assert len(many) == 21
    assert many[""] == ["and 980 more problems"]


def test_a_list_whose_items_are_wrong_is_not_called_too_short() -> None:
    value = plan(foundations=[{"weight": 1, "block": {"type": "rsi"}}])
    assert list(problems(value)) == ["foundations[0].block.type"]


@pytest.mark.parametrize("value", [None, 1, "{}", [], [plan()], b"{}", True])
def test_a_strategy_is_an_object(value: object) -> None:
    assert problems(value) == {"": ["a strategy must be a JSON object"]}


def test_the_refusal_is_of_the_family_of_bad_requests() -> None:
    with pytest.raises(ValidationFailed) as caught:
        Strategy.parse({})
    assert isinstance(caught.value, BadRequest)
    assert caught.value.message == "name: is missing"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.sampled_from([*BLOCKS, *TIMEFRAMES, "long"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "block", "weight", "stop", "target", "length"])
            | st.text(st.characters(), max_size=4),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


def refused_or_parsed(value: object) -> None:
    """Parse; a refusal tells places and messages that can be stored."""
    try:
        Strategy.parse(value)
    except InvalidStrategy as error:
        assert error.errors
        assert not list(flaws(json.loads(json.dumps(error.errors)), path=""))


@PATIENT
@given(JSON)
def test_garbage_is_refused_and_raises_nothing_else(value: object) -> None:
    refused_or_parsed(value)
    refused_or_parsed(plan(foundations=[{"weight": 1, "block": value}]))
    refused_or_parsed(plan(filters=value))
    refused_or_parsed(dict.fromkeys(plan(), value))


@PATIENT
@given(strategy_json(), JSON, st.randoms(use_true_random=False))
def test_a_strategy_with_one_part_replaced_by_garbage_raises_nothing_else(
    value: Json, garbage: object, chosen: Any
) -> None:
    broken: Any = copy.deepcopy(value)
    part = broken
    while True:
        keys = list(range(len(part)) if isinstance(part, list) else part)
        key = chosen.choice(keys)
        if not isinstance(part[key], dict | list) or not part[key] or chosen.random() < 0.3:
            part[key] = garbage
            break
        part = part[key]
    refused_or_parsed(broken)


def test_depth_and_width_cost_nothing() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"block": deep}
    assert "foundations" in problems(plan(foundations=deep))
    assert problems(founded_on(type="ema_cross", fast=deep)) == {
        "foundations[0].block.fast": ["Input should be a valid integer"]
    }
