"""Which rules claim the same, whatever figures they came with."""

import pytest

from autopilot.learning.claims import claimed_by

LIVE = "For breakout, prefer filter adx, long only."


@pytest.mark.spec("M6")
@pytest.mark.parametrize(
    "said",
    [
        f"{LIVE} Offline, no model.",
        f"{LIVE} 7 of 10 backtests in-sample won on BTC, ETH, median +14 %. Offline, no model.",
        f"{LIVE} 1 of 3 backtests in-sample won on A. Only failures had adx. Offline, no model.",
        "FOR BREAKOUT \u2014 prefer filter: ADX; long only!",
        "  for breakout,\nprefer filter adx,\tlong only ",
        f"{LIVE[:-1]} (won 7 of 10 trades)",
        f"{LIVE[:-1]}, 7 of 10 backtests won.",
        f"{LIVE[:-1]}: won 7 of 10, median 3 %",
    ],
)
def test_a_claim_is_the_same_in_any_dress(said: str) -> None:
    assert claimed_by(said) == claimed_by(LIVE) == "for breakout prefer filter adx long only"


@pytest.mark.spec("M6")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Enter when ADX is above 25.", "Enter when ADX is above 20."),
        ("Enter when ADX > 25", "Enter when ADX < 25"),
        ("Stop at 2.5 ATR", "Stop at 25 ATR"),
        ("Stop at 2 %", "Stop at 2"),
        ("Prefer shifts of -2", "Prefer shifts of 2"),
        ("Enter by a break. Leave after 20 bars.", "Enter by a break. Leave after 30 bars."),
        ("Enter by a break. Do so when 2 of 3 filters agree.", "Enter by a break."),
        ("Prefer long", "Prefer short"),
        ("\u0915\u093f", "\u0915\u0940"),
    ],
)
def test_what_a_rule_says_to_do_counts_with_its_numbers(one: str, other: str) -> None:
    assert claimed_by(one) != claimed_by(other)


@pytest.mark.spec("M6")
def test_a_text_without_a_claim_is_one_of_its_own() -> None:
    assert claimed_by("7 of 10 backtests won.") == "7 of 10 backtests won"
    assert claimed_by(" ... ") == ""
