"""Blocks that a plan, a timeframe or a market's data do not allow, wherever they stand."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autopilot.strategy.base import DATA, TIMEFRAMES
from autopilot.strategy.blocks import BLOCKS
from autopilot.strategy.restrictions import violations
from autopilot.strategy.schema import Strategy
from tests.autopilot.strategy.generate import PATIENT, strategies
from tests.autopilot.strategy.samples import SESSION, STOP, TARGET, parsed

pytestmark = pytest.mark.spec("A5")

NOTHING: frozenset[str] = frozenset()


def reported(strategy: Strategy, *, pro: bool = True, available: frozenset[str] = DATA) -> Any:
    """Return the violations as JSON."""
    return [v.as_json() for v in violations(strategy, pro=pro, available=available)]


def everywhere() -> Strategy:
    """Return a strategy with a block in every place, two where several may stand."""
    partial = {"target": {"type": "tp_pct"}, "fraction": 0.3}
    return parsed(
        timeframe="1d",
        foundations=[
            {"weight": 1, "block": {"type": "ema_cross"}},
            {"weight": 1, "block": {"type": "squeeze_break"}},
        ],
        filters=[{"type": "adx"}, SESSION],
        exits={
            "stop": STOP,
            "take_profit": TARGET,
            "partials": [partial, {"target": {"type": "tp_atr"}, "fraction": 0.3}],
            "manage": [{"type": "breakeven"}, {"type": "trail_atr"}],
        },
    )


PLACES = {
    "foundations[0].block": "ema_cross",
    "foundations[1].block": "squeeze_break",
    "filters[0]": "adx",
    "filters[1]": "session",
    "exits.stop": "stop_atr",
    "exits.take_profit": "tp_r",
    "exits.partials[0].target": "tp_pct",
    "exits.partials[1].target": "tp_atr",
    "exits.manage[0]": "breakeven",
    "exits.manage[1]": "trail_atr",
}


def test_a_plain_strategy_violates_nothing() -> None:
    assert reported(parsed(), pro=False, available=NOTHING) == []


def test_a_block_outside_its_timeframes_is_named_with_those_it_works_on() -> None:
    assert reported(parsed(timeframe="4h", filters=[SESSION])) == [
        {
            "path": "filters[0]",
            "type": "session",
            "code": "kline_only",
            "allowed": ["5m", "15m", "1h"],
        }
    ]


@pytest.mark.parametrize("timeframe", TIMEFRAMES)
@pytest.mark.parametrize("block", [SESSION, {"type": "htf_trend", "timeframe": "1d"}])
def test_intraday_blocks_work_up_to_1h(timeframe: str, block: dict[str, Any]) -> None:
    found = reported(parsed(timeframe=timeframe, filters=[block]))
    assert [item["code"] for item in found] == ["kline_only"] * (timeframe in ("4h", "1d"))


@pytest.mark.parametrize("place", ["filters[0]", "foundations[0].block"])
def test_a_block_whose_data_are_missing_is_named_with_what_it_needs(place: str) -> None:
    spike, rel = {"type": "volume_spike"}, {"type": "rel_volume"}
    strategy = (
        parsed(filters=[rel])
        if place == "filters[0]"
        else parsed(foundations=[{"weight": 1, "block": spike}])
    )
    type_ = "rel_volume" if place == "filters[0]" else "volume_spike"
    expected = {"path": place, "type": type_, "code": "kline_only", "needs": ["volume"]}
    assert reported(strategy, available=frozenset({"funding"})) == [expected]
    assert reported(strategy, available=frozenset({"volume"})) == []


def test_a_block_that_violates_two_rules_is_named_for_each() -> None:
    strategy = parsed(filters=[{"type": "funding"}])
    assert reported(strategy, pro=False, available=frozenset({"volume"})) == [
        {"path": "filters[0]", "type": "funding", "code": "pro_only"},
        {"path": "filters[0]", "type": "funding", "code": "kline_only", "needs": ["funding"]},
    ]
    assert reported(strategy, pro=True) == []


@pytest.mark.parametrize(("place", "type_"), PLACES.items())
@pytest.mark.parametrize("code", ["pro_only", "timeframe", "data"])
def test_a_restricted_block_is_found_in_every_place_that_it_may_stand_in(
    place: str, type_: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for block in BLOCKS.values():  # so that what is found is found by its place alone
        monkeypatch.setattr(block, "pro_only", False)
        monkeypatch.setattr(block, "timeframes", None)
        monkeypatch.setattr(block, "needs", NOTHING)
    strategy = everywhere()
    assert reported(strategy, pro=False, available=NOTHING) == []
    restricted: dict[str, tuple[str, Any, dict[str, Any]]] = {
        "pro_only": ("pro_only", True, {"code": "pro_only"}),
        "timeframe": (
            "timeframes",
            frozenset({"5m"}),
            {"code": "kline_only", "allowed": ["5m"]},
        ),
        "data": ("needs", frozenset({"volume"}), {"code": "kline_only", "needs": ["volume"]}),
    }
    name, value, expected = restricted[code]
    monkeypatch.setattr(BLOCKS[type_], name, value)
    found = reported(strategy, pro=False, available=NOTHING)
    assert found == [{"path": place, "type": type_, **expected}]


@PATIENT
@given(strategies(), st.booleans(), st.frozensets(st.sampled_from(sorted(DATA))))
def test_what_is_reported_is_what_the_classes_say_block_by_block(
    strategy: Strategy, pro: bool, available: frozenset[str]
) -> None:
    expected: set[tuple[str, str, tuple[str, ...] | None]] = set()
    for path, block in strategy.blocks():
        if block.type in {"squeeze_break", "funding", "trail_atr"} and not pro:
            expected.add((path, "pro_only", None))
        if block.type in {"session", "htf_trend"} and strategy.timeframe in {"4h", "1d"}:
            expected.add((path, "kline_only", None))
        if block.type in {"volume_spike", "rel_volume"} and "volume" not in available:
            expected.add((path, "kline_only", ("volume",)))
        if block.type == "funding" and "funding" not in available:
            expected.add((path, "kline_only", ("funding",)))
    found = violations(strategy, pro=pro, available=available)
    assert {(v.path, v.code, v.needs) for v in found} == expected
    assert len(found) == len(expected)


def test_a_violation_reads_as_a_sentence_that_names_the_way_out() -> None:
    strategy = parsed(filters=[SESSION, {"type": "funding"}])
    assert [str(v) for v in violations(strategy, pro=False, available=NOTHING)] == [
        "filters[0]: session works on 5m, 15m, 1h only (kline_only)",
        "filters[1]: funding needs the agent's Pro plan (pro_only)",
        "filters[1]: funding needs funding, which this market's data lack (kline_only)",
    ]
