"""Bars as numpy columns, with indicators by TA-Lib that are computed once each."""

import math
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import numpy as np
import talib
from numpy.typing import NDArray

from memory.policies.timeframes import TIMEFRAMES
from trading.errors import BadBars
from trading.market.bars import BarSeries
from trading.market.rates import FundingSeries

Values = NDArray[np.float64]
Mask = NDArray[np.bool_]
Times = NDArray[np.int64]
"""Microseconds since the epoch."""

COLUMNS = ("open", "high", "low", "close", "volume")
MICROSECOND = timedelta(microseconds=1)


def shifted(values: Values, by: int = 1) -> Values:
    """Return the values as they were `by` bars before, NaN where there was no such bar."""
    moved = np.full(len(values), np.nan)
    moved[by:] = values[: max(len(values) - by, 0)]
    return moved


def micros(moments: Sequence[datetime]) -> Times:
    """Return aware times as microseconds since the epoch."""
    seconds = np.fromiter(map(datetime.timestamp, moments), np.float64, len(moments))
    return np.rint(seconds * 1e6).astype(np.int64)


class Frame:
    """Columns of the bars before `end`, at least one, and what is computed from them.

    Nothing at an index looks at a later one. Prices are divided by `unit`, a power of two near the
    first close: exact, and without it TA-Lib takes the deviation of tiny prices for zero. Raises
    BadBars for a number that is not finite or a price that is not above 0.
    """

    def __init__(self, bars: BarSeries, *, end: int, funding: FundingSeries | None = None) -> None:
        raw = {name: np.array(getattr(bars, name)[:end], dtype=np.float64) for name in COLUMNS}
        _refuse_unfit(raw)
        self.timeframe = bars.timeframe
        self.raw = raw
        self.opened = micros(bars.opened_at[:end])
        self.closed = self.opened + bars.length // MICROSECOND
        self.unit = math.ldexp(0.5, math.frexp(raw["close"][0])[1])
        self.open, self.high, self.low, self.close = (raw[name] / self.unit for name in COLUMNS[:4])
        self.volume = raw["volume"]
        self.funding = funding
        self._known: dict[tuple[str | float, ...], tuple[Values, ...]] = {}

    def __len__(self) -> int:
        return len(self.opened)

    def sma(self, length: int) -> Values:
        """Return the simple average of closes."""
        return self._once(("sma", length), lambda: talib.SMA(self.close, length))[0]

    def ema(self, length: int) -> Values:
        """Return the exponential average of closes, seeded by a simple one."""
        return self._once(("ema", length), lambda: talib.EMA(self.close, length))[0]

    def macd(self, fast: int, slow: int, signal: int) -> tuple[Values, Values]:
        """Return the MACD line and its signal line."""
        key = ("macd", fast, slow, signal)
        line, signal_line, _ = self._once(key, lambda: talib.MACD(self.close, fast, slow, signal))
        return line, signal_line

    def roc(self, length: int) -> Values:
        """Return by how many percent the close is above the one `length` bars before."""
        return self._once(("roc", length), lambda: talib.ROC(self.close, length))[0]

    def rsi(self, length: int) -> Values:
        """Return Wilder's relative strength."""
        return self._once(("rsi", length), lambda: talib.RSI(self.close, length))[0]

    def bands(self, length: int, mult: float) -> tuple[Values, Values, Values]:
        """Return the upper band, the average and the lower band (population deviation)."""
        key = ("bands", length, mult)
        upper, middle, lower = self._once(key, lambda: talib.BBANDS(self.close, length, mult, mult))
        return upper, middle, lower

    def atr(self, length: int) -> Values:
        """Return Wilder's average true range, in units."""
        return self._once(
            ("atr", length), lambda: talib.ATR(self.high, self.low, self.close, length)
        )[0]

    def adx(self, length: int) -> Values:
        """Return the average directional index."""
        return self._once(
            ("adx", length), lambda: talib.ADX(self.high, self.low, self.close, length)
        )[0]

    def highest(self, column: str, length: int) -> Values:
        """Return the highest of the last `length` values of a column, this one too."""
        return self._once(
            ("highest", column, length), lambda: talib.MAX(getattr(self, column), length)
        )[0]

    def lowest(self, column: str, length: int) -> Values:
        """Return the lowest of the last `length` values of a column, this one too."""
        return self._once(
            ("lowest", column, length), lambda: talib.MIN(getattr(self, column), length)
        )[0]

    def volume_before(self, length: int) -> Values:
        """Return the mean volume of the `length` bars before."""
        return self._once(("volume", length), lambda: shifted(talib.SMA(self.volume, length)))[0]

    def higher(self, timeframe: str, length: int) -> tuple[Values, Values]:
        """Return close and average of the last closed bar of a higher timeframe, per base bar."""
        key = ("higher", timeframe, length)
        closes, average = self._once(key, lambda: self._higher(timeframe, length))
        return closes, average

    def rates(self) -> Values:
        """Return the last funding rate stamped at or before each close (NaN: none, no series)."""
        found = np.full(len(self), np.nan)
        if self.funding is not None and len(self.funding):
            rate = np.array(self.funding.rate, dtype=np.float64)
            place = np.searchsorted(micros(self.funding.at), self.closed, side="right")
            found[place > 0] = rate[place[place > 0] - 1]
        return found

    def funding_sums(self) -> Values | None:
        """Return the sum of the rates stamped in (opened_at, closed_at] of each bar, if known."""
        if self.funding is None:
            return None
        stamps = micros(self.funding.at)
        sums = np.zeros(len(self))
        # The bar is the last one that opened before the stamp; a stamp in a gap belongs to none.
        place = np.searchsorted(self.opened, stamps, side="left") - 1
        inside = (place >= 0) & (stamps <= self.closed[place])
        np.add.at(sums, place[inside], np.array(self.funding.rate, dtype=np.float64)[inside])
        return sums

    def _higher(self, timeframe: str, length: int) -> tuple[Values, Values]:
        """Resample: a higher bar closes with its last base bar, and is seen once its time is up."""
        size = TIMEFRAMES[timeframe] // MICROSECOND
        bucket = self.opened // size
        last = np.flatnonzero(np.append(bucket[1:] != bucket[:-1], True))
        ends = (bucket[last] + 1) * size
        closes = self.close[last]
        average = talib.SMA(closes, length)
        seen = np.searchsorted(ends, self.closed, side="right") - 1
        known = seen >= 0
        found = np.full((2, len(self)), np.nan)
        found[:, known] = closes[seen[known]], average[seen[known]]
        return found[0], found[1]

    def _once(
        self, key: tuple[str | float, ...], compute: Callable[[], Values | tuple[Values, ...]]
    ) -> tuple[Values, ...]:
        if key not in self._known:
            found = compute()
            self._known[key] = found if isinstance(found, tuple) else (found,)
        return self._known[key]


def _refuse_unfit(raw: dict[str, Values]) -> None:
    """Refuse what would spoil all later values of an indicator, or has no logarithm."""
    for name, column in raw.items():
        fit = np.isfinite(column) & (column >= 0 if name == "volume" else column > 0)
        if not fit.all():
            index = int(np.flatnonzero(~fit)[0])
            raise BadBars(f"{name} of bar {index} is {column[index]}", bar_index=index, column=name)
