"""Which memories are opposed, looked up, against each pair compared."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.policies.duplicates import Memory
from memory.policies.opposition import is_opposed, opposed_to

THEN = datetime(2026, 9, 1, tzinfo=UTC)
SAID = (
    "Long breakouts on 1h work when volume is above 2x its average.",
    "Long breakouts on 1h fail when volume is above 2x its average.",
    "On 1h, buy the breakout with volume over 2x its mean: it works.",
    "Long breakouts on 1h work when volume is above 3x its average.",
    "Long breakouts on 1h do not work when volume is above 2x its average.",
    "Donchian breaks won 7 of 9 trades.",
    "Donchian breaks lost 7 of 9 trades.",
    "",
)
MEMORIES = st.lists(
    st.fixed_dictionaries(
        {
            "content": st.sampled_from(SAID),
            "symbol": st.sampled_from(["ETH", "BTC", None]),
            "strategy_type": st.sampled_from(["breakout", "momentum"]),
            "outcome": st.sampled_from(["success", "failure", None]),
            "timeframe": st.sampled_from(["1h", "4h", None]),
            "config": st.sampled_from([None, {"side": "long"}, {"side": "short"}]),
            "config_hash": st.sampled_from([None, b"one", b"two"]),
        }
    ),
    max_size=14,
)


def built(told: list[dict[str, Any]]) -> list[Memory]:
    return [
        Memory(id=UUID(int=number + 1), created_at=THEN + timedelta(minutes=number), **one)
        for number, one in enumerate(told)
    ]


@pytest.mark.spec("M6", "M9")
@given(told=MEMORIES, shown=st.integers(0, 14))
def test_what_is_looked_up_is_what_comparing_each_pair_finds(
    told: list[dict[str, Any]], shown: int
) -> None:
    known = built(told)
    ones = known[:shown]
    expected = {other.id for other in known if any(is_opposed(one, other) for one in ones)}
    assert opposed_to(ones, known) == expected


@pytest.mark.spec("M6", "M9")
def test_an_equal_insight_that_failed_is_opposed_and_another_market_is_not() -> None:
    won = {"content": SAID[0], "symbol": "ETH", "strategy_type": "breakout", "outcome": "success"}
    lost = {**won, "content": SAID[1], "outcome": "failure"}
    one, other, elsewhere = built([won, lost, {**lost, "symbol": "BTC"}])
    assert opposed_to([one], [one, other, elsewhere]) == {other.id}
    assert opposed_to([], [one, other]) == set()
