"""The figures of one window from its marked equity and its trades (SPEC A7)."""

import math
from collections.abc import Sequence

import numpy as np

from autopilot.backtest.port import Kpis, Trade

DAYS_PER_YEAR = 365.25
MIN_DRAWDOWN = 0.005
"""Calmar divides by no less: a window that never fell would have an infinite one."""
MIN_TRADES, MIN_DAYS = 5, 30
"""With fewer, Calmar is an accident."""
MAX_RETURN = 1e100
"""The squares of what is beyond are no floats: an account that came back from next to nothing."""
NOISE = 1e-12
"""A deviation of bar returns below this is rounding."""


def kpis_of(
    *, trades: Sequence[Trade], equity: Sequence[float], start_equity: float, days: float
) -> Kpis:
    """Return the figures of a window of `days` with one value of `equity` per bar, at its close.

    Sums are taken by fsum, so the result does not depend on a processor's vector units.
    """
    marked = np.array([start_equity, *equity], dtype=np.float64)
    growth = float(marked[-1]) / start_equity
    drawdown = float((1 - marked / np.maximum.accumulate(marked)).max())
    cagr = _annual(growth, days)
    sharpe, sortino = _ratios(marked, days)
    calmar = None
    if cagr is not None and len(trades) >= MIN_TRADES and days >= MIN_DAYS:
        calmar = cagr / max(drawdown, MIN_DRAWDOWN)
    count = len(trades)
    gains = [trade.pnl for trade in trades if trade.pnl > 0]
    losses = [-trade.pnl for trade in trades if trade.pnl < 0]
    return Kpis(
        trades=count,
        total_pnl_pct=100 * (growth - 1),
        log_return=math.log(growth) if growth > 0 else None,
        cagr=cagr,
        max_drawdown_pct=100 * drawdown,
        calmar=calmar,
        sharpe=sharpe,
        sortino=sortino,
        win_rate=len(gains) / count if count else None,
        profit_factor=_finite(math.fsum(gains) / math.fsum(losses)) if losses else None,
        avg_r=math.fsum(trade.r for trade in trades) / count if count else None,
        exposure=sum(map(_bars_held, trades)) / len(equity),
        fees=math.fsum(trade.fees for trade in trades),
        funding=math.fsum(trade.funding for trade in trades),
        bars=len(equity),
        days=days,
    )


def _annual(growth: float, days: float) -> float | None:
    """Return the growth of a year at this pace: -1 when nothing is left, None beyond any float."""
    if growth <= 0:
        return -1.0
    try:
        return math.exp(math.log(growth) * DAYS_PER_YEAR / days) - 1
    except OverflowError:
        return None


def _ratios(
    marked: "np.ndarray[tuple[int], np.dtype[np.float64]]", days: float
) -> tuple[float | None, float | None]:
    """Return Sharpe and Sortino of bar returns, a year's worth.

    Sortino's deviation is that of the returns below 0, around 0, with the same degrees of freedom.
    """
    bars = len(marked) - 1
    if bars < 2 or float(marked.min()) <= 0:  # noqa: PLR2004 - a deviation needs two
        return None, None
    with np.errstate(over="ignore"):
        returns = marked[1:] / marked[:-1] - 1
    if float(returns.max()) > MAX_RETURN:
        return None, None
    mean = math.fsum(returns.tolist()) / bars
    year = math.sqrt(bars * DAYS_PER_YEAR / days)
    found = []
    for spread in (returns - mean, np.minimum(returns, 0.0)):
        deviation = math.sqrt(math.fsum((spread * spread).tolist()) / (bars - 1))
        found.append(mean / deviation * year if deviation > NOISE else None)
    return found[0], found[1]


def _bars_held(trade: Trade) -> int:
    """Return in how many bars the position was open; a time exit ends it at its bar's open."""
    return trade.exit_index - trade.entry_index + (trade.reason != "time")


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
