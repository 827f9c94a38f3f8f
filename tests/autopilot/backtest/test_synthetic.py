"""Synthetic markets repeat, agree across timeframes, and reward what their regime is known for."""

import statistics
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autopilot.backtest.engine import BarEngine
from autopilot.backtest.port import Costs, Window
from autopilot.backtest.synthetic import (
    REGIMES,
    Regime,
    Stretch,
    SyntheticMarket,
    resample,
    synthetic_market,
)
from autopilot.strategy.schema import Strategy
from tests.autopilot.backtest.lively import random_bars
from trading.errors import UnknownTimeframe
from trading.market.bars import BarSeries, find_gaps, problem_of

DAY = 288  # bars of 5 minutes


@cache
def pure(regime: Regime, seed: int, *, days: int = 60) -> SyntheticMarket:
    bars = days * DAY
    return synthetic_market(seed=seed, bars=bars, stretches=[Stretch(regime, bars)])


@pytest.mark.spec("A13")
def test_the_same_arguments_give_the_same_bytes_and_another_seed_others() -> None:
    one, again, other = (synthetic_market(seed=seed, bars=2_000, gaps=3) for seed in (7, 7, 8))
    assert repr(one) == repr(again)
    assert one.bars.close != other.bars.close
    named = synthetic_market(seed=7, bars=2_000, gaps=3, instrument="OTHER")
    assert one.bars.close != named.bars.close


@pytest.mark.spec("A13")
def test_they_are_called_synthetic() -> None:
    market = synthetic_market(seed=1, bars=600)
    for timeframe in ("5m", "15m", "1h"):
        assert market.series(timeframe).sources == ("synthetic",)
        assert market.series(timeframe).instrument == "SYNTHETIC"


@pytest.mark.spec("A13")
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), price=st.sampled_from([0.02, 100.0, 60_000.0]))
def test_every_bar_is_one_that_a_market_could_have(seed: int, price: float) -> None:
    bars = synthetic_market(seed=seed, bars=500, price=price).bars
    assert [problem_of(bars.bar(place)) for place in range(len(bars))] == [None] * 500
    assert find_gaps(opened_at=bars.opened_at, timeframe="5m") == ()
    assert min(bars.volume) > 0


def of_time(bars: BarSeries, start: datetime, length: timedelta) -> Iterator[int]:
    return (at for at, opened in enumerate(bars.opened_at) if start <= opened < start + length)


@pytest.mark.spec("A13")
@pytest.mark.parametrize("timeframe", ["15m", "1h", "4h", "1d"])
def test_longer_bars_are_made_of_the_same_path(timeframe: str) -> None:
    base = synthetic_market(seed=3, bars=700, gaps=4).bars
    longer = resample(base, timeframe=timeframe)
    assert longer.closed_at(len(longer) - 1) <= base.closed_at(len(base) - 1)
    for place in range(len(longer)):
        bar = longer.bar(place)
        within = list(of_time(base, bar.opened_at, longer.length))
        assert (bar.open, bar.close) == (base.open[within[0]], base.close[within[-1]])
        assert bar.high == max(base.high[at] for at in within)
        assert bar.low == min(base.low[at] for at in within)
        assert bar.volume == pytest.approx(sum(base.volume[at] for at in within))


@pytest.mark.spec("A13")
def test_a_bar_that_has_not_closed_is_left_out() -> None:
    market = synthetic_market(seed=3, bars=25)
    assert [len(market.series(timeframe)) for timeframe in ("5m", "15m", "1h")] == [25, 8, 2]
    with pytest.raises(UnknownTimeframe):
        market.series("7m")
    assert len(resample(random_bars(1, count=9, gaps=False), timeframe="4h")) == 2


@pytest.mark.spec("A13")
def test_gaps_come_on_request() -> None:
    bars = synthetic_market(seed=5, bars=3_000, gaps=5).bars
    gaps = find_gaps(opened_at=bars.opened_at, timeframe="5m")
    assert 1 <= len(gaps) <= 5
    assert sum(gap.missing for gap in gaps) == 3_000 - len(bars)


@pytest.mark.spec("A13")
def test_regimes_change_and_cover_all_bars() -> None:
    market = synthetic_market(seed=5, bars=40_000)
    assert sum(stretch.bars for stretch in market.stretches) == 40_000
    assert {stretch.regime for stretch in market.stretches} == set(REGIMES)
    assert all(one.regime != other.regime for one, other in pairwise(market.stretches))
    asked = [Stretch("trend", 100), Stretch("chop", 100)]
    for bars, lengths in ((50, [50]), (150, [100, 50]), (900, [100, 800])):
        made = synthetic_market(seed=5, bars=bars, stretches=asked)
        assert [stretch.bars for stretch in made.stretches] == lengths


@pytest.mark.spec("A13")
def test_volume_goes_with_the_size_of_the_move() -> None:
    bars = synthetic_market(seed=2, bars=5_000).bars
    moves = [abs(later / earlier - 1) for earlier, later in pairwise(bars.close)]
    assert statistics.correlation(moves, bars.volume[1:]) > 0.5


def mean_r(regime: Regime, block: str, *, timeframe: str = "15m", stop: float = 2.5) -> float:
    strategy = Strategy.parse(
        {
            "name": f"{block} {stop}",
            "timeframe": timeframe,
            "foundations": [{"weight": 1, "block": {"type": block}}],
            "exits": {"stop": {"type": "stop_atr", "mult": stop}, "take_profit": {"type": "tp_r"}},
        }
    )
    found = []
    for seed in range(4):
        bars = pure(regime, seed).series(timeframe)
        window = Window(bars.opened_at[0], bars.closed_at(len(bars) - 1))
        figures = BarEngine().run(strategy, bars, costs=Costs(), window=window).kpis
        found.append(figures.avg_r or 0.0)
    return statistics.mean(found)


FOLLOWING, REVERTING = ("ema_cross", "donchian_break"), ("rsi_reversal", "band_reversal")


@pytest.mark.spec("A13")
def test_a_trend_rewards_following_and_punishes_reversals() -> None:
    assert min(mean_r("trend", block, timeframe="1h") for block in FOLLOWING) > 0.2
    assert max(mean_r("trend", block, timeframe="1h") for block in REVERTING) < 0


@pytest.mark.spec("A13")
def test_chop_rewards_reversals_and_punishes_following() -> None:
    assert min(mean_r("chop", block) for block in REVERTING) > 0.2
    assert max(mean_r("chop", block) for block in FOLLOWING) < 0


@pytest.mark.spec("A13")
def test_high_volatility_rewards_wide_stops() -> None:
    for block in FOLLOWING:
        tight, wide = (mean_r("high_volatility", block, stop=stop) for stop in (1, 5))
        assert tight < 0 < wide
