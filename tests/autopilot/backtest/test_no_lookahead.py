"""No block and no fill knows a later bar; the in-sample result knows none of the holdout."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from autopilot.backtest.engine import BarEngine
from autopilot.backtest.frame import Frame
from autopilot.backtest.plan import Order
from autopilot.backtest.planning import plan_of
from autopilot.backtest.port import BacktestResult, Costs, FundingSeries, Trade, Window
from autopilot.backtest.run import evaluate
from autopilot.backtest.signals import FILTERS as FILTER_RULES
from autopilot.backtest.signals import FOUNDATIONS as FOUNDATION_RULES
from autopilot.backtest.signals import sides_of
from autopilot.backtest.windows import split
from autopilot.strategy.blocks import BLOCKS, FILTERS, FOUNDATIONS
from autopilot.strategy.schema import Strategy
from tests.autopilot.backtest.lively import PARAMETERS, random_bars, random_funding, strategies
from trading.market.bars import Bar, BarSeries

BARS = 140
CUTS = st.integers(20, BARS - 2)
SEEDS = st.integers(0, 2**32)


def bytes_of(result: BacktestResult) -> str:
    return json.dumps(result.as_json(), allow_nan=False, sort_keys=True)


def altered(bars: BarSeries, *, after: int, seed: int) -> BarSeries:
    """Return the bars up to `after`, and behind it others, some of them missing."""
    chance = random.Random(seed)
    rows = [bars.bar(place) for place in range(after + 1)]
    for opened_at in bars.opened_at[after + 1 :]:
        if chance.random() < 0.1 and opened_at != bars.opened_at[-1]:
            continue
        price = bars.close[after] * chance.choice([0.01, 0.5, 1.0, 2.0, 100.0])
        width = price * chance.random() / 2
        rows.append(
            Bar(opened_at, price, price + width, price - width, price + width / 2, chance.random())
        )
    return BarSeries.of(instrument=bars.instrument, timeframe=bars.timeframe, bars=rows)


def funding_altered(funding: FundingSeries, *, bars: BarSeries, after: int) -> FundingSeries:
    known = bars.closed_at(after)
    return replace(
        funding,
        rate=tuple(
            rate if at <= known else 0.5 for at, rate in zip(funding.at, funding.rate, strict=True)
        ),
    )


def funding_cut(funding: FundingSeries, *, bars: BarSeries, after: int) -> FundingSeries:
    kept = sum(at <= bars.closed_at(after) for at in funding.at)
    return replace(funding, at=funding.at[:kept], rate=funding.rate[:kept])


def known_by(result: BacktestResult, index: int) -> list[Trade]:
    """Return the trades that the market has closed by the close of a bar."""
    return [
        trade
        for trade in result.trades
        if trade.exit_index <= index and trade.reason != "end_of_data"
    ]


def orders_by(
    strategy: Strategy, bars: BarSeries, funding: FundingSeries | None, index: int
) -> list[tuple[int, Order]]:
    plan = plan_of(strategy, Frame(bars, end=len(bars), funding=funding))
    return [(place, plan.order(place)) for place in plan.signals if place <= index]


def masks_by(
    strategy: Strategy, bars: BarSeries, funding: FundingSeries | None, index: int
) -> Sequence[object]:
    frame = Frame(bars, end=len(bars), funding=funding)
    blocks = [foundation.block for foundation in strategy.foundations]
    return [
        mask[: index + 1].tolist()
        for block in (*blocks, *strategy.filters)
        for mask in sides_of(block, frame)
    ]


@pytest.mark.spec("A7", "A9")
def test_every_block_type_has_a_rule_and_a_case_here() -> None:
    assert set(PARAMETERS) == set(BLOCKS)
    assert set(FOUNDATION_RULES) == set(FOUNDATIONS)
    assert set(FILTER_RULES) == set(FILTERS)


@pytest.mark.spec("A7", "A9")
@pytest.mark.parametrize("type_", PARAMETERS)
@settings(max_examples=6, deadline=None)
@given(data=st.data(), seed=SEEDS, cut=CUTS)
def test_later_bars_change_no_earlier_signal_and_no_closed_trade(
    type_: str, data: st.DataObject, seed: int, cut: int
) -> None:
    strategy = data.draw(strategies(with_type=type_))
    bars = random_bars(seed, count=BARS)
    funding = random_funding(seed, bars=bars)
    others = [
        (altered(bars, after=cut, seed=seed), funding_altered(funding, bars=bars, after=cut)),
        (cut_off(bars, cut), funding_cut(funding, bars=bars, after=cut)),
    ]
    whole = run(strategy, bars, funding)
    for series, rates in others:
        assert masks_by(strategy, series, rates, cut) == masks_by(strategy, bars, funding, cut)
        assert orders_by(strategy, series, rates, cut) == orders_by(strategy, bars, funding, cut)
        part = run(strategy, series, rates)
        assert known_by(part, cut) == known_by(whole, cut)
        assert part.equity[:cut] == whole.equity[:cut]


def cut_off(bars: BarSeries, after: int) -> BarSeries:
    rows = [bars.bar(place) for place in range(after + 1)]
    return BarSeries.of(instrument=bars.instrument, timeframe=bars.timeframe, bars=rows)


def run(strategy: Strategy, bars: BarSeries, funding: FundingSeries | None) -> BacktestResult:
    window = Window(bars.opened_at[0], bars.closed_at(len(bars) - 1))
    return BarEngine().run(strategy, bars, costs=Costs(), window=window, funding=funding)


@pytest.mark.spec("A7")
@pytest.mark.parametrize("type_", PARAMETERS)
def test_each_block_is_at_work_in_its_case(type_: str) -> None:
    """Keep the properties from holding because nothing happens."""
    trades = 0
    reasons: set[str] = set()
    for seed in range(12):
        example = _example(type_, seed)
        bars = random_bars(seed, count=300)
        result = run(example, bars, random_funding(seed, bars=bars))
        trades += len(result.trades)
        reasons |= {trade.reason for trade in result.trades}
        reasons |= {leg.reason for trade in result.trades for leg in trade.legs}
    assert trades > 20
    wanted = {"trail_atr": "trail", "breakeven": "breakeven", "time_exit": "time"}
    assert wanted.get(type_, "stop") in reasons
    assert type_[:3] != "tp_" or "target" in reasons


FAVOURED: dict[str, dict[str, object]] = {
    "trail_atr": {"mult": 1.0, "activate_r": 0.2, "length": 5},
    "breakeven": {"at_r": 0.5, "offset_pct": 0.0},
    "time_exit": {"bars": 3},
    "natr": {"min_pct": 0.2, "max_pct": 5.0, "length": 5},
    "htf_trend": {"timeframe": "4h", "length": 3},
    "session": {"sessions": ["london"]},
    "squeeze_break": {"length": 5, "bb_mult": 1.5, "kc_mult": 1.5},
    "tp_atr": {"length": 5, "mult": 1.0},
    "tp_pct": {"pct": 1.0},
    "tp_r": {"r": 1.0},
    "ema_cross": {"fast": 2, "slow": 6},
    "macd_cross": {"fast": 3, "slow": 6, "signal": 3},
    "retest_level": {"lookback": 5},
    "band_reversal": {"length": 6, "mult": 1.2},
    "rsi_reversal": {"length": 4},
    "donchian_break": {"length": 5},
    "volume_spike": {"length": 5, "multiple": 1.2},
    "trend_ma": {"length": 5, "slope_bars": 2},
    "adx": {"length": 5, "min": 10},
    "rel_volume": {"length": 5, "min": 0.8},
    "funding": {"max_abs_bps_8h": 8},
}


def _example(type_: str, seed: int) -> Strategy:
    """Return a strategy in which a block of this type decides."""
    block = {"type": type_, **FAVOURED.get(type_, {})}
    entry = block if type_ in FOUNDATIONS else {"type": "roc_momentum", "length": 3, "min_pct": 1}
    return Strategy.parse(
        {
            "name": f"{type_} {seed}",
            "timeframe": "1h",
            "foundations": [{"weight": 1, "block": entry}],
            "filters": [block] if type_ in FILTERS else [],
            "exits": {
                "stop": block if type_.startswith("stop_") else {"type": "stop_atr", "mult": 1.5},
                "take_profit": block if type_.startswith("tp_") else {"type": "tp_r"},
                "manage": [block] if type_ in ("trail_atr", "breakeven", "time_exit") else [],
            },
        }
    )


@pytest.mark.spec("A7")
@pytest.mark.parametrize("type_", [*FOUNDATIONS, *FILTERS])
def test_each_foundation_and_filter_says_yes_and_no_to_both_sides(type_: str) -> None:
    bars = random_bars(3, count=1_000)
    frame = Frame(bars, end=len(bars), funding=random_funding(3, bars=bars))
    strategy = _example(type_, 3)
    block = strategy.filters[0] if type_ in FILTERS else strategy.foundations[0].block
    for mask in sides_of(block, frame):
        assert 0 < mask.sum() < len(bars)


@pytest.mark.spec("A7")
@pytest.mark.parametrize("type_", ["volume_spike", "rel_volume"])
def test_nothing_is_a_multiple_of_no_volume(type_: str) -> None:
    bars = random_bars(3, count=80)
    still = replace(bars, volume=(*[0.0] * 79, 5.0))
    strategy = _example(type_, 3)
    block = strategy.filters[0] if type_ in FILTERS else strategy.foundations[0].block
    for mask in sides_of(block, Frame(still, end=80)):
        assert not mask.any()


@pytest.mark.spec("A9")
@settings(max_examples=25, deadline=None)
@given(strategy=strategies(), seed=SEEDS, other=SEEDS)
def test_what_becomes_of_the_holdout_changes_no_byte_of_the_in_sample_result(
    strategy: Strategy, seed: int, other: int
) -> None:
    bars = random_bars(seed, count=BARS)
    windows = split(bars)
    border = bars.opened_at.index(windows[1].start)
    changed = altered(bars, after=border - 1, seed=other)
    funding = random_funding(seed, bars=bars)
    rates = funding_altered(funding, bars=bars, after=border - 1)
    cut = funding_cut(funding, bars=bars, after=border - 1)
    before, *others = (
        evaluate(strategy, series, windows=windows, costs=Costs(), funding=known)
        for series, known in ((bars, funding), (changed, rates), (changed, cut))
    )
    for after in others:
        assert bytes_of(before.in_sample) == bytes_of(after.in_sample)
        assert before.holdout.data_hash != after.holdout.data_hash


@pytest.mark.spec("A9")
@settings(max_examples=25, deadline=None)
@given(strategy=strategies(), seed=SEEDS)
def test_the_holdout_is_a_run_of_its_own_that_the_bars_before_warm_up(
    strategy: Strategy, seed: int
) -> None:
    bars = random_bars(seed, count=BARS)
    windows = split(bars)
    both = evaluate(strategy, bars, windows=windows, costs=Costs())
    border = bars.opened_at.index(windows[1].start)
    assert len(both.in_sample.equity) == border
    assert len(both.holdout.equity) == len(bars) - border
    assert both.holdout.start_equity == both.in_sample.start_equity
    assert all(trade.entry_index > border for trade in both.holdout.trades)
    assert all(trade.exit_index < border for trade in both.in_sample.trades)
    whole = run(strategy, bars, None)
    assume(strategy.warmup() < border)
    assert "warming_up" not in both.holdout.warnings
    assert known_by(both.in_sample, border - 1) == known_by(whole, border - 1)


@pytest.mark.spec("A7")
@settings(max_examples=25, deadline=None)
@given(strategy=strategies(), seed=SEEDS, power=st.integers(-40, 30))
def test_scaling_all_prices_scales_prices_alone(strategy: Strategy, seed: int, power: int) -> None:
    """A power of two scales a float exactly, so not even rounding may differ."""
    bars, scale = random_bars(seed, count=BARS), 2.0**power
    rows = [
        bar._replace(
            open=bar.open * scale,
            high=bar.high * scale,
            low=bar.low * scale,
            close=bar.close * scale,
        )
        for bar in map(bars.bar, range(len(bars)))
    ]
    scaled = BarSeries.of(instrument="BTC", timeframe="1h", bars=rows)
    funding = random_funding(seed, bars=bars)
    one, other = run(strategy, bars, funding), run(strategy, scaled, funding)
    assert one.kpis == other.kpis
    assert one.equity == other.equity
    for trade, twin in zip(one.trades, other.trades, strict=True):
        assert (trade.r, trade.mae, trade.mfe, trade.pnl) == (twin.r, twin.mae, twin.mfe, twin.pnl)
        assert (trade.entry_index, trade.exit_index) == (twin.entry_index, twin.exit_index)
        assert trade.entry_price * scale == twin.entry_price
        assert trade.quantity / scale == twin.quantity


@pytest.mark.spec("A7")
@settings(max_examples=15, deadline=None)
@given(strategy=strategies(), seed=SEEDS)
def test_the_same_inputs_give_the_same_bytes(strategy: Strategy, seed: int) -> None:
    bars = random_bars(seed, count=BARS)
    again = replace(bars, close=tuple(bars.close))
    assert bytes_of(run(strategy, bars, None)) == bytes_of(run(strategy, again, None))
