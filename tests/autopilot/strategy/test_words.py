"""A strategy as a trader reads it."""

import pytest
from hypothesis import given

from autopilot.strategy.blocks import BLOCKS
from autopilot.strategy.schema import Strategy
from autopilot.strategy.words import WORDS, describe, plain
from tests.autopilot.strategy.generate import PATIENT, Json, strategies
from tests.autopilot.strategy.samples import STOP, TARGET, parsed, weighing

pytestmark = pytest.mark.spec("A5")


def test_every_block_type_has_words() -> None:
    assert list(WORDS) == list(BLOCKS)


def test_a_plain_strategy_reads_in_one_line() -> None:
    assert describe(parsed(timeframe="1d", side="long")) == (
        "long, 1d: EMA 12 crosses above EMA 48; stop 2.5 ATR, target 2 R; "
        "risk 1 %, leverage up to 3x"
    )


def test_a_full_strategy_reads_in_one_line() -> None:
    strategy = parsed(
        timeframe="15m",
        side="short",
        foundations=[
            {"weight": 0.5, "block": {"type": "rsi_reversal"}},
            {"weight": 0.5, "block": {"type": "volume_spike", "body_atr": 0}},
        ],
        filters=[
            {"type": "natr", "max_pct": 3},
            {"type": "session", "sessions": ["new_york", "london"], "weekdays": [0, 4]},
        ],
        exits={
            "stop": {"type": "stop_swing"},
            "take_profit": {"type": "tp_atr", "length": 20},
            "partials": [{"target": {"type": "tp_r", "r": 1.5}, "fraction": 0.35}],
            "manage": [{"type": "trail_atr"}, {"type": "breakeven"}, {"type": "time_exit"}],
        },
    )
    assert describe(strategy) == (
        "short, 15m: RSI 14 turns back below 70 and volume is 2x its 48-bar mean, "
        "if ATR is at most 3 % of the close and the bar closed in London or New York hours on "
        "Mon, Fri; stop at the 10-bar swing + 0.25 ATR, 35 % at 1.5 R, target 4 ATR(20), "
        "trail 3 ATR from 1 R, breakeven + 0.05 % at 1 R, out after 96 bars; "
        "risk 1 %, leverage up to 3x"
    )


@pytest.mark.parametrize(
    ("weights", "threshold", "entry"),
    [
        ([1, 2], 1, "EMA 12 crosses EMA 48 or EMA 12 crosses EMA 48"),
        ([0.7, 0.1], 0.8, "EMA 12 crosses EMA 48 and EMA 12 crosses EMA 48"),
        ([1, 0.5], 1, "1 of: EMA 12 crosses EMA 48 (1) + EMA 12 crosses EMA 48 (0.5)"),
    ],
)
def test_weights_are_told_only_where_they_matter(
    weights: list[float], threshold: float, entry: str
) -> None:
    strategy = parsed(foundations=weighing(*weights), entry_threshold=threshold)
    assert describe(strategy).startswith(f"long or short, 4h: {entry}; stop")


@pytest.mark.parametrize(
    ("side", "level", "beyond"),
    [
        ("long", "high", "above"),
        ("short", "low", "below"),
        ("both", "high or low", "on the trade's side of"),
    ],
)
def test_words_follow_the_side(side: str, level: str, beyond: str) -> None:
    broken: list[Json] = [{"weight": 1, "block": {"type": "donchian_break"}}]
    line = describe(parsed(side=side, foundations=broken, filters=[{"type": "trend_ma"}]))
    assert f"close breaks the 48-bar {level}, if close is {beyond} its 200-bar average;" in line


@pytest.mark.parametrize(
    ("number", "text"),
    [(2.0, "2"), (100.0, "100"), (0.05, "0.05"), (1e-05, "0.00001"), (0.0, "0"), (12, "12")],
)
def test_numbers_are_written_as_people_do(number: float, text: str) -> None:
    assert plain(number) == text


@PATIENT
@given(strategies())
def test_any_strategy_reads_in_one_line_without_its_name(strategy: Strategy) -> None:
    line = describe(strategy)
    assert line == describe(strategy.model_copy(update={"name": "another"}))
    assert line.isprintable()
    assert "{" not in line
    assert "None" not in line
    assert len(line) < 1500


def test_what_stops_and_targets_are_measured_in_is_told() -> None:
    exits = {"stop": STOP, "partials": [{"target": TARGET, "fraction": 0.29}]}
    assert "stop 2.5 ATR, 29 % at 2 R; risk" in describe(parsed(exits=exits))
