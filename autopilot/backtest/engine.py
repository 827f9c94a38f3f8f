"""The bar engine: bars and a strategy in, trades and figures out (SPEC A7)."""

import hashlib
import json
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from datetime import timedelta

from autopilot.backtest.frame import COLUMNS, Frame
from autopilot.backtest.kpis import kpis_of
from autopilot.backtest.planning import plan_of
from autopilot.backtest.port import Account, BacktestResult, Costs, Window
from autopilot.backtest.position import Market
from autopilot.backtest.simulate import Ledger, simulate
from autopilot.strategy.identity import config_hash
from autopilot.strategy.schema import Strategy
from trading.errors import BadBars, NotEnoughBars
from trading.market.bars import BarSeries
from trading.market.rates import FundingSeries

DAY = timedelta(days=1)
FUNDING_SPAN = timedelta(hours=8)
"""Funding is stamped at least this often."""


@dataclass(frozen=True, slots=True)
class BarEngine:
    """Trades on closed bars with `account`. It has no state, no clock and no chance."""

    account: Account = field(default_factory=Account)
    name: str = "tidebook-bars"
    version: str = "1"

    def run(
        self,
        strategy: Strategy,
        bars: BarSeries,
        *,
        costs: Costs,
        window: Window,
        funding: FundingSeries | None = None,
    ) -> BacktestResult:
        """Trade `strategy` on the bars of `window`; earlier ones warm up, later ones are not read.

        Raises NotEnoughBars (the window has none), BadBars (another timeframe than the strategy's,
        or a number that no market has).
        """
        if strategy.timeframe != bars.timeframe:
            raise BadBars(
                f"the strategy trades {strategy.timeframe} bars, these are {bars.timeframe}",
                timeframe=bars.timeframe,
            )
        first, end = _place(bars, window)
        frame = Frame(bars, end=end, funding=funding)
        plan = plan_of(strategy, frame)
        sums = frame.funding_sums()
        market = Market(
            bars=bars,
            first=first,
            end=end,
            costs=costs,
            account=self.account,
            funding=None if sums is None else sums.tolist(),
        )
        ledger = simulate(plan, market)
        return BacktestResult(
            engine=self.name,
            engine_version=self.version,
            config_hash=config_hash(strategy),
            data_hash=_data_hash(bars, frame),
            window=window,
            start_equity=self.account.equity,
            equity=ledger.equity,
            opened_at=bars.opened_at[first:end],
            trades=tuple(ledger.trades),
            kpis=kpis_of(
                trades=ledger.trades,
                equity=ledger.equity,
                start_equity=self.account.equity,
                days=(bars.closed_at(end - 1) - bars.opened_at[first]) / DAY,
            ),
            rejected=ledger.rejected,
            warnings=_warnings(ledger, market, funding, warmup=strategy.warmup()),
        )


def _place(bars: BarSeries, window: Window) -> tuple[int, int]:
    """Return the indexes [first, end) of a window's bars (NotEnoughBars)."""
    first = bisect_left(bars.opened_at, window.start)
    end = bisect_left(bars.opened_at, window.end)
    if first >= end:
        raise NotEnoughBars(
            f"no {bars.timeframe} bar of {bars.instrument} opened from "
            f"{window.start.isoformat()} to {window.end.isoformat()}",
            instrument=bars.instrument,
            timeframe=bars.timeframe,
        )
    return first, end


def _data_hash(bars: BarSeries, frame: Frame) -> str:
    """Return SHA-256 over instrument, timeframe and the rows read, warm-up included.

    Columns follow one another: times in microseconds and prices as little-endian 64-bit numbers.
    """
    digest = hashlib.sha256(json.dumps([bars.instrument, bars.timeframe]).encode())
    digest.update(frame.opened.astype("<i8").tobytes())
    for name in COLUMNS:
        digest.update(frame.raw[name].astype("<f8").tobytes())
    return digest.hexdigest()


def _warnings(
    ledger: Ledger, market: Market, funding: FundingSeries | None, *, warmup: int
) -> tuple[str, ...]:
    found = []
    if ledger.signal_at_end:
        found.append("signal_at_end")
    if funding is None:
        found.append("funding_missing")
    elif not _spans(funding, market):
        found.append("funding_partial")
    if warmup > market.first:
        found.append("warming_up")
    if market.next_traded(market.first) is None:
        found.append("no_volume")
    return tuple(found)


def _spans(funding: FundingSeries, market: Market) -> bool:
    """Tell whether rates are known at both ends of the window; later ones are not looked at."""
    begin = market.bars.opened_at[market.first] + FUNDING_SPAN
    end = market.bars.closed_at(market.end - 1)
    known = funding.at[: bisect_right(funding.at, end)]
    return bool(known) and known[0] <= begin and known[-1] >= end - FUNDING_SPAN
