"""Two engines that share no code make the same trades of the same bars, to the last cent."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autopilot.backtest.engine import BarEngine
from autopilot.backtest.port import Account, BacktestResult, Costs, FundingSeries, Window
from autopilot.strategy.blocks import BLOCKS
from autopilot.strategy.identity import block_types
from autopilot.strategy.schema import Strategy
from tests.autopilot.backtest.lively import random_bars, random_funding, strategies
from tests.autopilot.backtest.naive import Naive
from trading.market.bars import BarSeries
from trading.market.csvfile import parse
from trading.market.sample import FILE, INSTRUMENTS


def both(
    strategy: Strategy,
    bars: BarSeries,
    *,
    account: Account,
    costs: Costs,
    funding: FundingSeries | None,
    start: datetime | None = None,
) -> tuple[BacktestResult, Naive]:
    window = Window(start or bars.opened_at[0], bars.closed_at(len(bars) - 1))
    engine = BarEngine(account=account)
    fast = engine.run(strategy, bars, costs=costs, window=window, funding=funding)
    slow = Naive(strategy, bars, costs=costs, account=account, window=window, funding=funding)
    return fast, slow.run()


def assert_same(fast: BacktestResult, slow: Naive) -> None:
    assert [
        (trade.side, trade.entry_index, trade.exit_index, trade.blocks, trade.reason)
        for trade in fast.trades
    ] == [
        (
            "long" if held.long else "short",
            held.entry,
            held.exit,
            tuple(held.blocks),
            held.legs[-1][2],
        )
        for held in slow.closed
    ]
    for trade, held in zip(fast.trades, slow.closed, strict=True):
        assert [leg.reason for leg in trade.legs] == [reason for _, _, reason in held.legs]
        assert [leg.price for leg in trade.legs] == pytest.approx(
            [x[0] for x in held.legs], rel=1e-9
        )
        assert [leg.fraction for leg in trade.legs] == pytest.approx([x[1] for x in held.legs])
        assert trade.quantity == pytest.approx(held.size, rel=1e-7)
        assert trade.pnl == pytest.approx(held.pnl, rel=1e-6, abs=1e-5)
        assert trade.fees == pytest.approx(held.fees, rel=1e-6)
        assert trade.funding == pytest.approx(held.funding, rel=1e-6, abs=1e-9)
    assert fast.equity == pytest.approx(slow.equity, rel=1e-9)
    assert sum(fast.rejected.values()) == len(slow.rejected)


@pytest.mark.spec("A7")
@settings(max_examples=40, deadline=None)
@given(
    strategy=strategies(),
    seed=st.integers(0, 2**32),
    price=st.sampled_from([3e-7, 0.02, 100.0, 65_432.1]),
    decimals=st.sampled_from([None, 0, 3]),
    least=st.sampled_from([10.0, 9_000.0]),
    costs=st.sampled_from([Costs(), Costs(0, 0, 0), Costs(0.001, 0.0002, 25)]),
    funded=st.booleans(),
)
def test_they_agree_on_random_bars_and_strategies(
    strategy: Strategy,
    seed: int,
    price: float,
    decimals: int | None,
    *,
    least: float,
    costs: Costs,
    funded: bool,
) -> None:
    bars = random_bars(seed, count=170, price=price)
    fast, slow = both(
        strategy,
        bars,
        account=Account(10_000, decimals, least),
        costs=costs,
        funding=random_funding(seed, bars=bars) if funded else None,
        start=bars.opened_at[seed % 60],
    )
    assert_same(fast, slow)


@pytest.mark.spec("A7")
@pytest.mark.parametrize("type_", BLOCKS)
@settings(max_examples=3, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_they_agree_on_each_block(type_: str, data: st.DataObject, seed: int) -> None:
    strategy = data.draw(strategies(with_type=type_))
    bars = random_bars(seed, count=150)
    fast, slow = both(
        strategy,
        bars,
        account=Account(),
        costs=Costs(),
        funding=random_funding(seed, bars=bars),
    )
    assert_same(fast, slow)


def strategy(timeframe: str, *foundations: str, exits: dict[str, Any], **more: Any) -> Strategy:
    """Return a strategy of blocks with their defaults."""
    return Strategy.parse(
        {
            "name": "on real bars",
            "timeframe": timeframe,
            "foundations": [{"weight": 1, "block": {"type": type_}} for type_ in foundations],
            "exits": exits,
            **more,
        }
    )


ATR_STOP, PCT_STOP, SWING_STOP = {"type": "stop_atr"}, {"type": "stop_pct"}, {"type": "stop_swing"}
TWO_R, FOUR_PCT, FOUR_ATR = {"type": "tp_r"}, {"type": "tp_pct"}, {"type": "tp_atr"}
MANAGED = [{"type": "trail_atr"}, {"type": "breakeven"}, {"type": "time_exit", "bars": 48}]
REAL = [
    strategy("1d", "ema_cross", "rsi_reversal", exits={"stop": ATR_STOP, "take_profit": TWO_R}),
    strategy(
        "1h",
        "macd_cross",
        "band_reversal",
        exits={"stop": PCT_STOP, "take_profit": FOUR_PCT, "manage": MANAGED},
        filters=[{"type": "trend_ma"}, {"type": "htf_trend", "length": 20}],
    ),
    strategy(
        "4h",
        "roc_momentum",
        "squeeze_break",
        exits={
            "stop": SWING_STOP,
            "take_profit": FOUR_ATR,
            "partials": [{"target": TWO_R, "fraction": 0.5}],
        },
        filters=[{"type": "adx"}, {"type": "natr", "min_pct": 0.3, "max_pct": 3}],
    ),
    strategy(
        "15m",
        "donchian_break",
        "retest_level",
        "volume_spike",
        exits={"stop": ATR_STOP, "manage": MANAGED},
        filters=[
            {"type": "rel_volume"},
            {"type": "session", "sessions": ["london", "new_york"]},
            {"type": "funding"},
        ],
    ),
]


def test_the_strategies_on_real_bars_have_every_block() -> None:
    assert {type_ for each in REAL for type_ in block_types(each)} == set(BLOCKS)


def real_bars(folder: Path, timeframe: str) -> tuple[BarSeries, ...]:
    return parse(
        data=(folder / f"hyperliquid_perp_BTC_ETH_SOL_{timeframe}.csv.gz").read_bytes(),
        timeframe=timeframe,
        known={"BTC", "ETH", "SOL"},
        now=datetime(2026, 1, 1, tzinfo=UTC),
    )


@pytest.mark.spec("A7", "U5")
def test_they_agree_on_the_real_days_that_ship() -> None:
    """Real gaps too: weekends and holidays, on any machine."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    shipped = parse(data=FILE.read_bytes(), timeframe="1d", known=INSTRUMENTS, now=now)
    for market in shipped:
        bars = market.last(500)
        fast, slow = both(REAL[0], bars, account=Account(), costs=Costs(), funding=None)
        assert_same(fast, slow)
        assert fast.trades


@pytest.mark.spec("A7")
@pytest.mark.parametrize("made", REAL, ids=lambda made: made.timeframe)
def test_they_agree_on_real_candles(real_data: Path, made: Strategy) -> None:
    counts = []
    for market in real_bars(real_data, made.timeframe):
        bars = market.last(500)
        fast, slow = both(
            made,
            bars,
            account=Account(sz_decimals=4),
            costs=Costs(),
            funding=random_funding(7, bars=bars),
        )
        assert_same(fast, slow)
        counts.append(len(fast.trades))
    assert min(counts) > 0
