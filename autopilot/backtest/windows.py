"""The part of a window that may be learned from, and the part that judges (SPEC A9)."""

from decimal import Decimal

from autopilot.backtest.port import Window
from trading.errors import NotEnoughBars
from trading.market.bars import BarSeries


def split(bars: BarSeries, *, holdout: float = 0.3) -> tuple[Window, Window]:
    """Return the windows of the first bars and of the last `holdout` share of them.

    They are half-open on opened_at, next to each other, and hold all bars. The holdout's count is
    rounded down. Raises NotEnoughBars when either would be empty.
    """
    # Decimal, because 0.3 * 10 bars must be 3 whatever a float makes of it.
    held = int(len(bars) * Decimal(str(holdout)))
    if not 0 < held < len(bars):
        raise NotEnoughBars(
            f"{len(bars)} bars cannot be split into a window and a holdout of {holdout:g}",
            instrument=bars.instrument,
            timeframe=bars.timeframe,
        )
    border = bars.opened_at[len(bars) - held]
    end = bars.closed_at(len(bars) - 1)
    return Window(bars.opened_at[0], border), Window(border, end)
