"""The critic's checklist: a table of senseless strategies, ours and from outside."""

import copy
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autopilot.strategy.critic import CODES, Verdict, review
from autopilot.strategy.schema import Strategy
from memory.policies.text import flaws
from tests.autopilot.strategy.generate import PATIENT, Json, strategies, strategy_json
from tests.autopilot.strategy.samples import STOP, TARGET, ending, parsed, plan, weighing

pytestmark = pytest.mark.spec("A6")

SIGNAL: Json = {"side": "long", "entry": 100, "stop_loss": 95, "take_profit": 110}
FILTERS, WEIGHTS = "contradictory_filters", "missing_weights"
UP, DOWN = {"type": "trend_ma", "direction": "up"}, {"type": "trend_ma", "direction": "down"}


def signal(**changes: Any) -> Json:
    """Return a strategy from outside that carries prices, with some of them changed."""
    return {**SIGNAL, **changes}


def filtered(*filters: Json, **changes: Any) -> Json:
    """Return our plain strategy as JSON with these filters."""
    return plan(filters=list(filters), **changes)


@pytest.mark.parametrize(
    ("value", "flaw"),
    [
        (signal(), None),
        (signal(stop_loss=105), "inverted_stop_loss"),
        (signal(stop_loss=100), "inverted_stop_loss"),
        (signal(take_profit=90), "inverted_take_profit"),
        (signal(take_profit=100), "inverted_take_profit"),
        (signal(stop_loss=105, take_profit=90), "inverted_stop_loss"),
        (signal(side="short"), "inverted_stop_loss"),
        (signal(side="short", stop_loss=105, take_profit=90), None),
        (signal(side="short", stop_loss=105), "inverted_take_profit"),
        (signal(side="SELL", stop_loss=105), "inverted_take_profit"),
        (signal(side="buy", stop_loss="105.5"), "inverted_stop_loss"),
        (signal(side=None, direction="short"), "inverted_stop_loss"),
        (signal(stop_loss=Decimal("100.01")), "inverted_stop_loss"),
        (signal(take_profit=[105, 110]), None),
        (signal(take_profit=[105, 99]), "inverted_take_profit"),
        (signal(take_profit=[{"price": 105}, {"price": 99}]), "inverted_take_profit"),
        (signal(take_profit=None, tp=99), "inverted_take_profit"),
        (signal(stop_loss=None, exits={"stop_loss": 101}), "inverted_stop_loss"),
        (signal(stop_loss={"price": 101}), "inverted_stop_loss"),
        (signal(side="both"), None),
        (signal(side="both", stop_loss=105, take_profit=90), None),
        (signal(side="both", stop_loss=105), "inverted_stop_loss"),
        (signal(side="both", stop_loss=95, take_profit=90), "inverted_stop_loss"),
        (signal(side="both", take_profit=None), None),
        (signal(entry=None, stop_loss=5, take_profit=2, foundations=weighing(1)), None),
        (signal(stop_loss="none"), None),
        (signal(stop_loss=float("nan")), None),
        (signal(stop_loss=True), None),
        (signal(stop_loss=10**400), None),
    ],
)
def test_prices_on_the_wrong_side_of_the_entry_are_found(value: Json, flaw: str | None) -> None:
    assert review(value).critical_flaw == flaw


@pytest.mark.parametrize(
    ("exits", "flaw"),
    [
        ({"stop": {"type": "stop_pct", "pct": -2}}, "inverted_stop_loss"),
        ({"stop": {"type": "stop_atr", "mult": 0}}, "inverted_stop_loss"),
        ({"take_profit": {"type": "tp_r", "r": -1}}, "inverted_take_profit"),
        (
            {"partials": [{"target": {"type": "tp_pct", "pct": "-1"}, "fraction": 0.5}]},
            "inverted_take_profit",
        ),
        ({"stop": {"type": "stop_swing", "buffer_atr": 0}}, None),
    ],
)
def test_distances_that_point_the_wrong_way_are_found(exits: Json, flaw: str | None) -> None:
    value = plan(exits={"stop": STOP, "take_profit": TARGET, **exits})
    assert review(value).critical_flaw == flaw


@pytest.mark.parametrize(
    ("value", "flaw"),
    [
        (plan(), None),
        (plan(foundations=[]), WEIGHTS),
        (plan(foundations=None), WEIGHTS),
        (plan(foundations=[{"block": {"type": "ema_cross"}}]), WEIGHTS),
        (plan(foundations=weighing(1, 0)), WEIGHTS),
        (plan(foundations=weighing(-1)), WEIGHTS),
        (plan(foundations=[{"weight": "heavy", "block": {}}]), WEIGHTS),
        (plan(foundations=[{"weight": float("nan"), "block": {}}]), WEIGHTS),
        (plan(foundations=weighing(0.4, 0.5)), WEIGHTS),
        (plan(foundations=weighing(0.7, 0.1), entry_threshold=0.8), None),
        (plan(foundations=["ema_cross"]), WEIGHTS),
        ({}, WEIGHTS),
        (signal(foundations=[]), WEIGHTS),
    ],
)
def test_missing_and_zero_weights_are_found(value: Json, flaw: str | None) -> None:
    assert review(value).critical_flaw == flaw


@pytest.mark.parametrize(
    ("value", "contradictory"),
    [
        (filtered(DOWN, side="long"), True),
        (filtered(UP, side="long"), False),
        (filtered(UP, side="short"), True),
        (filtered(DOWN, side="short"), False),
        (filtered(DOWN), False),
        (filtered(UP, DOWN), True),
        (filtered({"type": "downtrend_only"}, side="long"), True),
        (filtered({"type": "ema", "condition": "below"}, side="long"), True),
        (filtered({"type": "rsi", "condition": "below"}, side="long"), False),
        (filtered({"type": "htf_trend", "regime": "bearish"}, side="long", timeframe="1h"), True),
        (filtered({"type": "natr", "min_pct": 3, "max_pct": 2}), True),
        (filtered({"type": "natr", "min_pct": 2, "max_pct": 2}), True),
        (filtered({"type": "natr", "min_pct": 2, "max_pct": 3}), False),
        (filtered({"type": "natr", "min_pct": 3}, {"type": "natr", "max_pct": 2}), True),
        (filtered({"type": "natr", "max_pct": 2}, {"type": "natr", "min_pct": 3}), True),
        (filtered({"type": "natr", "min_pct": 2}, {"type": "natr", "max_pct": 3}), False),
        (filtered({"type": "natr", "min_pct": 2}, {"type": "natr", "max_pct": 2}), False),
        (
            filtered({"type": "natr", "min_pct": 3}, {"type": "natr", "max_pct": 2, "length": 50}),
            False,
        ),
        (filtered({"type": "natr", "min_pct": 3}, {"type": "other", "max_pct": 2}), False),
        (filtered({"type": "htf_trend", "timeframe": "1h"}, timeframe="1h"), True),
        (filtered({"type": "htf_trend", "timeframe": "4h"}, timeframe="1d"), True),
        (filtered({"type": "htf_trend", "timeframe": "4h"}, timeframe="1h"), False),
        (filtered({"type": "adx", "timeframe": "1h"}, timeframe="1h"), False),
    ],
)
def test_filters_that_cannot_pass_are_found(value: Json, *, contradictory: bool) -> None:
    assert review(value).critical_flaw == (FILTERS if contradictory else None)


@pytest.mark.parametrize(
    ("first", "second", "contradictory"),
    [
        ({"sessions": ["asia"]}, {"sessions": ["new_york"]}, True),
        ({"sessions": ["asia"]}, {"sessions": ["london"]}, False),
        ({"sessions": ["asia"]}, {"sessions": ["asia", "new_york"]}, False),
        ({"weekdays": [0, 1]}, {"weekdays": [2]}, True),
        ({"weekdays": [0, 1]}, {"weekdays": [1]}, False),
        ({"weekdays": [0, 1]}, {"weekdays": []}, False),
        ({"sessions": ["moon"]}, {"weekdays": ["monday"]}, False),
    ],
)
def test_sessions_that_never_meet_are_found(
    first: Json, second: Json, *, contradictory: bool
) -> None:
    value = filtered({"type": "session", **first}, {"type": "session", **second})
    assert review(value).critical_flaw == (FILTERS if contradictory else None)


@pytest.mark.parametrize(
    "block",
    [
        {"type": "rsi_reversal", "low": 70, "high": 30},
        {"type": "rsi", "oversold": 70, "overbought": 30},
        {"type": "ema_cross", "fast": 50, "slow": 20},
    ],
)
def test_bounds_that_cross_are_found_in_foundations_too(block: Json) -> None:
    verdict = review(plan(foundations=[{"weight": 1, "block": block}]))
    assert verdict.critical_flaw == FILTERS
    assert verdict.reason.startswith("foundations[0].block: ")


def test_a_parsed_strategy_can_contradict_itself_too() -> None:
    asia = {"type": "session", "sessions": ["asia"]}
    new_york = {"type": "session", "sessions": ["new_york"]}
    strategy = parsed(timeframe="1h", filters=[asia, {"type": "adx"}, new_york])
    verdict = review(strategy)
    assert verdict.as_json() == {
        "approved": False,
        "reason": "filters[0] and filters[2]: there is no hour of any day that they pass",
        "critical_flaw": FILTERS,
    }


def test_of_several_flaws_the_worst_is_named_and_all_are_explained() -> None:
    value = signal(stop_loss=105, take_profit=90, foundations=weighing(0), filters=[UP, DOWN])
    verdict = review(value)
    assert (verdict.approved, verdict.critical_flaw) == (False, CODES[0])
    for part in ("stop of a long", "target of a long", "filters[1]", "foundations[0]"):
        assert part in verdict.reason


def test_missing_partial_exits_are_a_remark_and_no_refusal() -> None:
    verdict = review(parsed())
    assert verdict == Verdict(
        approved=True,
        reason="The checklist finds no flaw. Remark: no partial exits.",
        critical_flaw=None,
        remarks=("no partial exits",),
    )


@pytest.mark.parametrize(
    ("target", "remarks"),
    [
        ({"type": "tp_r", "r": 1}, ()),
        ({"type": "tp_pct", "pct": 50}, ()),
        (
            {"type": "tp_r", "r": 2},
            ("partials[0] lies at or beyond the take profit, so it never happens",),
        ),
    ],
)
def test_a_partial_exit_that_never_happens_is_a_remark(
    target: Json, remarks: tuple[str, ...]
) -> None:
    verdict = review(ending(take_profit=TARGET, partials=[{"target": target, "fraction": 0.5}]))
    assert verdict.approved
    assert verdict.remarks == remarks


def test_several_targets_are_partial_exits() -> None:
    assert review(signal(take_profit=[105, 110])).remarks == ()
    assert review(signal(partial_exits=[{"at": 105}])).remarks == ()


@PATIENT
@given(strategies())
def test_a_parsed_strategy_and_its_json_get_the_same_verdict(strategy: Strategy) -> None:
    verdict = review(strategy)
    assert verdict == review(strategy.model_dump(mode="json"))
    assert verdict.critical_flaw in (None, "contradictory_filters")


@PATIENT
@given(strategy_json(), st.data())
def test_breaking_a_sound_strategy_in_one_way_is_found_under_its_code(
    value: Json, data: st.DataObject
) -> None:
    sound = {**value, "filters": []}
    assert review(sound).approved
    flaw = data.draw(st.sampled_from(CODES))
    broken = copy.deepcopy(sound)
    if flaw == "inverted_stop_loss":
        broken["exits"]["stop"] = {"type": "stop_pct", "pct": -1}
    elif flaw == "inverted_take_profit":
        broken["exits"]["take_profit"] = {"type": "tp_r", "r": 0}
    elif flaw == FILTERS:
        broken["filters"] = [UP, DOWN]
    else:
        data.draw(st.sampled_from(broken["foundations"])).pop("weight")
    verdict = review(broken)
    assert (verdict.approved, verdict.critical_flaw) == (False, flaw)


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=6)
    | st.sampled_from(
        [*(10**400, "1e999999999999999999999", "9e999999", "sNaN", "-0", "short_long"), 1e308]
    ),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("type", "block", "weight", "side", "entry", "stop_loss", "take_profit"),
                    *("min", "max", "sessions", "weekdays", "timeframe", "target", "price", "r"),
                    *("foundations", "filters", "exits", "partials", "entry_threshold", "pct"),
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=30,
)


def test_a_number_longer_than_python_writes_is_no_price() -> None:
    assert review(signal(stop_loss=10**5000, take_profit=-(10**5000))).approved
    assert review({"entry": 10**5000}).critical_flaw == WEIGHTS


@PATIENT
@given(ANYTHING, st.sampled_from(list(plan())))
def test_any_json_gets_a_verdict_that_can_be_stored(value: Any, key: str) -> None:
    for told in (value, plan(**{key: value}), signal(stop_loss=value, filters=[value] * 2)):
        verdict = review(told).as_json()
        assert list(verdict) == ["approved", "reason", "critical_flaw"]
        assert verdict["approved"] == (verdict["critical_flaw"] is None)
        assert verdict["critical_flaw"] in (None, *CODES)
        assert not list(flaws(json.loads(json.dumps(verdict)), path=""))
