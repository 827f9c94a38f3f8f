"""A bar series holds closed bars in order, and knows what it lacks."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.policies.timeframes import TIMEFRAMES
from trading.errors import BadBars, UnknownTimeframe
from trading.market.bars import Bar, BarSeries, find_gaps, problem_of

START = datetime(2026, 9, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def bar(hours: int, **changes: Any) -> Bar:
    return Bar(START + hours * HOUR, 10.0, 12.0, 9.0, 11.0, 1.0)._replace(**changes)


def series(*hours: int) -> BarSeries:
    return BarSeries.of(instrument="BTC", timeframe="1h", bars=[bar(hour) for hour in hours])


def test_a_bar_closes_one_timeframe_after_it_opened() -> None:
    assert series(0, 1).closed_at(1) == START + 2 * HOUR


def test_a_series_gives_its_bars_back_and_its_newest_ones() -> None:
    whole = series(0, 1, 2)
    assert whole.bar(1) == bar(1)
    assert whole.last(2) == series(1, 2)
    assert whole.last(9) == whole
    assert len(whole.last(0)) == 0


@pytest.mark.parametrize("hours", [(1, 0), (0, 0)])
def test_bars_that_do_not_move_forward_in_time_are_no_series(hours: tuple[int, ...]) -> None:
    with pytest.raises(BadBars) as caught:
        series(*hours)
    assert caught.value.fields == {"bar_index": 1}


def test_columns_of_unequal_length_are_no_series() -> None:
    with pytest.raises(BadBars):
        BarSeries(
            instrument="BTC",
            timeframe="1h",
            opened_at=(START,),
            open=(1.0,),
            high=(1.0,),
            low=(1.0,),
            close=(1.0,),
            volume=(),
        )


def test_an_unknown_timeframe_is_no_series() -> None:
    with pytest.raises(UnknownTimeframe):
        BarSeries.of(instrument="BTC", timeframe="7m", bars=[])


def test_a_gap_counts_the_bars_between_its_neighbours() -> None:
    gaps = find_gaps(opened_at=series(0, 1, 4, 5).opened_at, timeframe="1h")
    assert gaps == ((START + 2 * HOUR, START + 4 * HOUR, 2),)


def test_a_gap_since_the_bar_before_the_series_counts_too() -> None:
    times = series(3, 4).opened_at
    assert find_gaps(opened_at=times, timeframe="1h", after=START)[0].missing == 2
    assert find_gaps(opened_at=times, timeframe="1h", after=START + 2 * HOUR) == ()


@given(
    st.sampled_from(sorted(TIMEFRAMES)),
    st.lists(st.integers(0, 300), min_size=1, max_size=60, unique=True),
)
def test_given_and_missing_bars_fill_the_grid(timeframe: str, steps: list[int]) -> None:
    times = tuple(START + step * TIMEFRAMES[timeframe] for step in sorted(steps))
    missing = sum(gap.missing for gap in find_gaps(opened_at=times, timeframe=timeframe))
    assert len(times) + missing == max(steps) - min(steps) + 1


@pytest.mark.parametrize(
    ("changes", "code", "column"),
    [
        ({"high": 10.5}, "impossible_bar", "high"),
        ({"low": 10.5}, "impossible_bar", "low"),
        ({"open": 13.0}, "impossible_bar", "high"),
        ({"close": 8.0}, "impossible_bar", "low"),
        ({"low": 0.0}, "impossible_bar", "low"),
        ({"low": -9.0}, "impossible_bar", "low"),
        ({"volume": -1.0}, "impossible_bar", "volume"),
        ({"open": float("nan")}, "not_a_number", "open"),
        ({"high": float("inf")}, "not_a_number", "high"),
        ({"volume": float("nan")}, "not_a_number", "volume"),
        ({"high": 1e308}, "out_of_range", "high"),
        ({"high": 1.001e12}, "out_of_range", "high"),
        ({"low": 5e-324}, "out_of_range", "low"),
        ({"low": 9e-13}, "out_of_range", "low"),
        ({"volume": 1.001e18}, "out_of_range", "volume"),
        ({"opened_at": datetime(1, 1, 1, tzinfo=UTC)}, "too_old", "opened_at"),
        ({"opened_at": datetime(1969, 12, 31, 23, tzinfo=UTC)}, "too_old", "opened_at"),
    ],
)
def test_an_impossible_bar_is_told_by_its_column(
    changes: dict[str, Any], code: str, column: str
) -> None:
    problem = problem_of(bar(0, **changes))
    assert problem is not None
    assert (problem.code, problem.column) == (code, column)


def test_a_bar_at_the_very_bounds_is_possible() -> None:
    dear = Bar(datetime(1970, 1, 1, tzinfo=UTC), 1e12, 1e12, 1e-12, 1e-12, 1e18)
    assert problem_of(dear) is None


def test_a_bar_without_trades_is_possible() -> None:
    assert problem_of(bar(0, volume=0.0)) is None
