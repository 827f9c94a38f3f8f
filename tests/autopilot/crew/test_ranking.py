"""How well a backtest did beside others."""

import math
from collections.abc import Sequence
from itertools import combinations
from statistics import mean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autopilot.crew.material import figures
from autopilot.llm.offline.ranking import LEAST, advantage, grade, ranked

SHARPES = st.lists(st.floats(-5, 5), min_size=1, max_size=5, unique=True)


def told(sharpe: float | None) -> dict[str, object]:
    return {"figures": {} if sharpe is None else {"sharpe": sharpe}}


def wins(ones: Sequence[float], others: Sequence[float]) -> int:
    return sum(one > other for one in ones for other in others)


@pytest.mark.spec("M6", "L2")
@given(values=st.lists(st.floats(-5, 5), min_size=2, max_size=9, unique=True), data=st.data())
def test_an_advantage_is_that_over_all_ways_to_deal_out_the_same_figures(
    values: list[float], data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, len(values) - 1))
    ones, others = values[:size], values[size:]
    dealt = [
        wins(chosen, [value for value in values if value not in chosen])
        for chosen in combinations(values, size)
    ]
    expected = (wins(ones, others) - mean(dealt)) / pstdev(dealt)
    assert advantage(ones, others) == pytest.approx(expected)


@pytest.mark.spec("L2")
@given(ones=SHARPES, others=SHARPES)
def test_an_advantage_turns_with_its_sides_and_is_none_without_others(
    ones: list[float], others: list[float]
) -> None:
    assert advantage(ones, others) == pytest.approx(-advantage(others, ones))
    assert advantage(ones, []) == advantage([], others) == 0
    assert advantage(ones, ones) == pytest.approx(0)
    assert math.isfinite(advantage([1.0] * 9, [1.0] * 9))


@pytest.mark.spec("L2")
@given(sharpes=SHARPES)
def test_grades_are_in_the_order_of_the_figures_and_reach_from_half_to_whole(
    sharpes: list[float],
) -> None:
    among = ranked([told(sharpe) for sharpe in reversed(sharpes)])
    grades = [grade(told(sharpe), among) for sharpe in among]
    assert among == sorted(sharpes)
    assert grades == sorted(set(grades))
    assert grades[-1] == 1
    assert grades[0] == (LEAST if len(sharpes) > 1 else 1)


@pytest.mark.spec("L2")
def test_a_success_with_nothing_to_be_held_against_is_one_outright() -> None:
    assert grade(told(None), [1.0, 2.0]) == 1
    assert grade(told(1.0), [1.0]) == 1
    assert grade(told(1.0), []) == 1
    # Figures above all of the others', as where only older ones are ranked.
    assert grade(told(9.0), [1.0, 2.0]) == 1
    assert ranked([told(None), told(2.0), {}]) == [2.0]


@pytest.mark.spec("A9", "X5")
@pytest.mark.parametrize("told", [10**400, -(10**400), math.nan, math.inf, True, "1.5", None, [1]])
def test_a_figure_that_nobody_can_reckon_with_is_shown_to_nobody(told: object) -> None:
    assert figures({"sharpe": told, "trades": 7, "calmar": 1.23456}) == {
        "trades": 7,
        "calmar": 1.2346,
    }
