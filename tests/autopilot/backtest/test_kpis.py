"""Each figure against a value worked out by hand, and where it says nothing."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autopilot.backtest.kpis import kpis_of
from autopilot.backtest.port import Kpis, Trade
from tests.autopilot.backtest.hand import B0, B1, plan, traded

YEAR = 365.25


def trade(pnl: float, *, r: float = 0.0, fees: float = 0.0, funding: float = 0.0) -> Trade:
    (made,) = traded([B0, B1, (100, 101, 85, 90)], plan()).trades
    return replace(made, pnl=pnl, r=r, fees=fees, funding=funding)


def figures(
    equity: Sequence[float], *, pnls: Sequence[float] = (), days: float = YEAR, start: float = 100
) -> Kpis:
    trades = [trade(pnl) for pnl in pnls]
    return kpis_of(trades=trades, equity=equity, start_equity=start, days=days)


@pytest.mark.spec("A7")
def test_total_and_drawdown_are_percent_of_marked_equity() -> None:
    found = figures([110, 99, 120])
    assert found.total_pnl_pct == pytest.approx(20)
    assert found.max_drawdown_pct == pytest.approx(10)
    assert found.log_return == pytest.approx(math.log(1.2))


@pytest.mark.spec("A7")
def test_drawdown_counts_from_the_start_and_is_0_when_equity_never_falls() -> None:
    assert figures([90, 95]).max_drawdown_pct == pytest.approx(10)
    assert figures([100, 101, 101]).max_drawdown_pct == 0


@pytest.mark.spec("A7")
def test_cagr_is_the_growth_of_a_year_at_this_pace() -> None:
    assert figures([121], days=YEAR / 2).cagr == pytest.approx(1.21**2 - 1)
    assert figures([81], days=2 * YEAR).cagr == pytest.approx(-0.1)


@pytest.mark.spec("A7")
@pytest.mark.parametrize("last", [0.0, -5.0])
def test_an_account_that_is_gone_has_a_cagr_of_minus_1_and_no_log_return(last: float) -> None:
    found = figures([50, last])
    assert (found.cagr, found.log_return, found.sharpe, found.sortino) == (-1, None, None, None)
    assert found.max_drawdown_pct == pytest.approx(100 - last)


@pytest.mark.spec("A7")
def test_a_cagr_that_no_float_holds_is_none() -> None:
    found = figures([200], pnls=[1] * 5, days=1 / 24)
    assert (found.cagr, found.calmar) == (None, None)


@pytest.mark.spec("A7")
def test_calmar_is_cagr_over_the_drawdown() -> None:
    found = figures([110, 99, 121], pnls=[1] * 5, days=2 * YEAR)
    assert found.calmar == pytest.approx(0.1 / 0.1)


@pytest.mark.spec("A7")
def test_calmar_divides_by_half_a_percent_at_least() -> None:
    assert figures([101, 110], pnls=[1] * 5).calmar == pytest.approx(0.1 / 0.005)


@pytest.mark.spec("A7")
@pytest.mark.parametrize(("trades", "days"), [(4, YEAR), (5, 29.99), (0, YEAR)])
def test_calmar_is_none_with_few_trades_or_days(trades: int, days: float) -> None:
    assert figures([110], pnls=[1] * trades, days=days).calmar is None
    assert figures([110], pnls=[1] * 5, days=30).calmar is not None


@pytest.mark.spec("A7")
def test_sharpe_and_sortino_are_a_years_worth_of_bar_returns() -> None:
    # Returns 0.1, -0.1, 0.1; three bars in three years: one bar a year.
    found = figures([110, 99, 108.9], days=3 * YEAR)
    assert found.sharpe == pytest.approx(
        (0.1 / 3) / math.sqrt((2 * (0.2 / 3) ** 2 + (0.4 / 3) ** 2) / 2)
    )
    assert found.sortino == pytest.approx((0.1 / 3) / math.sqrt(0.01 / 2))
    daily = figures([110, 99, 108.9], days=3)
    assert daily.sortino == pytest.approx((0.1 / 3) / math.sqrt(0.01 / 2) * math.sqrt(YEAR))


@pytest.mark.spec("A7")
def test_sharpe_is_none_when_returns_do_not_vary_and_sortino_when_none_is_below_0() -> None:
    assert (figures([100, 100, 100]).sharpe, figures([100, 100, 100]).sortino) == (None, None)
    steady = figures([100 * 1.01**n for n in range(1, 50)])
    assert (steady.sharpe, steady.sortino) == (None, None)
    rising = figures([101, 103])
    assert rising.sharpe is not None
    assert rising.sortino is None
    assert figures([101]).sharpe is None


@pytest.mark.spec("A7")
def test_what_trades_won_and_lost() -> None:
    found = figures([100], pnls=[3, -1, -1, 0])
    assert (found.win_rate, found.profit_factor) == (0.25, 1.5)
    assert figures([100], pnls=[1, 2]).profit_factor is None
    nothing = figures([100])
    assert (nothing.trades, nothing.win_rate, nothing.profit_factor, nothing.avg_r) == (
        0,
        None,
        None,
        None,
    )


@pytest.mark.spec("A7")
def test_averages_and_sums_of_trades() -> None:
    trades = [trade(2, r=2, fees=0.5, funding=-0.1), trade(-1, r=-1, fees=0.25, funding=0.3)]
    found = kpis_of(trades=trades, equity=[101] * 10, start_equity=100, days=10)
    assert (found.avg_r, found.fees) == (0.5, 0.75)
    assert found.funding == pytest.approx(0.2)
    assert (found.trades, found.bars, found.days) == (2, 10, 10)


@pytest.mark.spec("A7")
def test_exposure_is_the_share_of_bars_in_a_position() -> None:
    stopped = traded([B0, B1, (100, 101, 85, 90), B1], plan())
    timed = traded([B0, B1, B1, B1], plan(time_exit=2))
    ended = traded([B0, B1, B1, B1], plan())
    shares = [
        kpis_of(trades=x.trades, equity=x.equity, start_equity=1_000, days=1).exposure
        for x in (stopped, timed, ended)
    ]
    assert shares == [0.5, 0.5, 0.75]  # a time exit is out at its bar's open


@pytest.mark.spec("A7")
def test_an_account_that_comes_back_from_next_to_nothing_has_no_ratios() -> None:
    found = figures([1e-300, 100], pnls=[1] * 5)
    assert (found.sharpe, found.sortino) == (None, None)
    assert found.max_drawdown_pct == 100


MONEY = st.floats(-1e12, 1e12)


@pytest.mark.spec("A7")
@given(
    equity=st.lists(MONEY, min_size=1, max_size=30),
    pnls=st.lists(MONEY, max_size=8),
    days=st.floats(0.003, 10_000),
)
def test_figures_are_finite_json_whatever_became_of_the_account(
    equity: list[float], pnls: list[float], days: float
) -> None:
    found = figures(equity, pnls=pnls, days=days, start=10_000)
    json.dumps(found.as_json(), allow_nan=False)
