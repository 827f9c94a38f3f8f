"""Bars and plans that are written down by hand: the notation of the rules' fixtures.

A bar is (open, high, low, close). A plan signals at the close of bar 0 unless told otherwise: long,
quantity 1 (1 % of 1,000 at a stop distance of 10), target 2 R, no costs.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from autopilot.backtest.plan import Distance, Order, Plan, Target
from autopilot.backtest.port import Account, Costs
from autopilot.backtest.position import Market
from autopilot.backtest.simulate import Ledger, simulate
from trading.market.bars import Bar, BarSeries

START = datetime(2025, 1, 6, tzinfo=UTC)
HOUR = timedelta(hours=1)
B0 = B1 = (100.0, 101.0, 99.0, 100.0)
FREE = Costs(taker=0.0, maker=0.0, slippage_bps=0.0)
TWO_R = (Target(Distance(of_stop=2.0)),)

type Row = tuple[float, float, float, float]


def series(rows: Sequence[Row], *, volume: Sequence[float] | None = None) -> BarSeries:
    """Return hourly bars from START on; each has volume 1 unless told otherwise."""
    volumes = [1.0] * len(rows) if volume is None else volume
    bars = [
        Bar(START + place * HOUR, *row, traded)
        for place, (row, traded) in enumerate(zip(rows, volumes, strict=True))
    ]
    return BarSeries.of(instrument="BTC", timeframe="1h", bars=bars, sources=("by hand",))


def plan(
    *,
    signals: Sequence[int] = (0,),
    side: Literal[1, -1] = 1,
    stop: float = 10.0,
    targets: tuple[Target, ...] = TWO_R,
    **managed: Any,
) -> Plan:
    order = Order(side, Distance(amount=stop), targets, ("by_hand",))
    return Plan(signals=list(signals), order=lambda _: order, **managed)


def traded(
    rows: Sequence[Row],
    made: Plan,
    *,
    costs: Costs = FREE,
    equity: float = 1_000.0,
    sz_decimals: int | None = None,
    min_notional: float = 10.0,
    funding: Sequence[float] | None = None,
    volume: Sequence[float] | None = None,
    first: int = 0,
) -> Ledger:
    """Follow a plan through hand-written bars."""
    bars = series(rows, volume=volume)
    market = Market(
        bars=bars,
        first=first,
        end=len(bars),
        costs=costs,
        account=Account(equity, sz_decimals, min_notional),
        funding=funding,
    )
    return simulate(made, market)
