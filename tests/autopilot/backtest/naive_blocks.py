"""What each block says at the close of the newest bar, worked out again from the whole past.

Written for clarity: an indicator is computed from its definition over plain lists each time it is
asked for, and every rule is written out for both sides. None is "not known yet".
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from autopilot.strategy.filters import SESSION_HOURS
from memory.policies.timeframes import EPOCH, TIMEFRAMES
from trading.market.bars import Bar
from trading.market.rates import FundingSeries

ATR_LENGTH = 14


@dataclass(frozen=True, slots=True)
class Past:
    """All that is known at the close of the last of `bars`."""

    bars: Sequence[Bar]
    length: timedelta
    funding: FundingSeries | None

    @property
    def now(self) -> datetime:
        return self.bars[-1].opened_at + self.length

    @property
    def bar(self) -> Bar:
        return self.bars[-1]

    @property
    def close(self) -> list[float]:
        return [bar.close for bar in self.bars]

    def before(self, bars: int = 1) -> "Past":
        return Past(self.bars[:-bars], self.length, self.funding)


def sma(values: Sequence[float], length: int) -> float | None:
    return math.fsum(values[-length:]) / length if len(values) >= length else None


def emas(values: Sequence[float], length: int) -> list[float]:
    """Return all values of an EMA, the first of which is the mean of the first `length` values."""
    if len(values) < length:
        return []
    found = [math.fsum(values[:length]) / length]
    for value in values[length:]:
        found.append(found[-1] + (value - found[-1]) * 2 / (length + 1))
    return found


def ema(values: Sequence[float], length: int) -> float | None:
    found = emas(values, length)
    return found[-1] if found else None


def macd(values: Sequence[float], block: Any) -> tuple[float, float] | None:
    """Return the line and its signal; both averages of the line begin at the same bar."""
    slow = emas(values, block.slow)
    fast = emas(values[block.slow - block.fast :], block.fast)
    lines = [one - other for one, other in zip(fast, slow, strict=True)]
    signals = emas(lines, block.signal)
    return (lines[-1], signals[-1]) if signals else None


def wilder(values: Sequence[float], length: int) -> float | None:
    """Return Wilder's average, which begins as a simple one."""
    if len(values) < length:
        return None
    average = math.fsum(values[:length]) / length
    for value in values[length:]:
        average = (average * (length - 1) + value) / length
    return average


def rsi(values: Sequence[float], length: int) -> float | None:
    changes = [later - earlier for earlier, later in pairwise(values)]
    up = wilder([max(change, 0.0) for change in changes], length)
    down = wilder([max(-change, 0.0) for change in changes], length)
    if up is None or down is None:
        return None
    return 100 * up / (up + down) if up + down else 0.0


def true_ranges(bars: Sequence[Bar]) -> list[float]:
    return [
        max(bar.high, before.close) - min(bar.low, before.close) for before, bar in pairwise(bars)
    ]


def atr(bars: Sequence[Bar], length: int = ATR_LENGTH) -> float | None:
    return wilder(true_ranges(bars), length)


def adx(bars: Sequence[Bar], length: int) -> float | None:
    """Return Wilder's ADX; his sums begin with one value less than their length.

    Where nothing moved in either direction there is no strength: the mean that ADX begins with
    takes 0, later ADX stays as it was.
    """
    up, down = [], []
    for before, bar in pairwise(bars):
        rise, fall = bar.high - before.high, before.low - bar.low
        up.append(rise if rise > fall and rise > 0 else 0.0)
        down.append(fall if fall > rise and fall > 0 else 0.0)
    columns = (up, down, true_ranges(bars))
    sums = [math.fsum(column[: length - 1]) for column in columns]
    strengths: list[float | None] = []
    for place in range(length - 1, len(up)):
        sums = [
            total - total / length + column[place]
            for total, column in zip(sums, columns, strict=True)
        ]
        moved = sums[0] + sums[1]
        strengths.append(100 * abs(sums[0] - sums[1]) / moved if moved else None)
    if len(strengths) < length:
        return None
    found = math.fsum(strength or 0.0 for strength in strengths[:length]) / length
    for strength in strengths[length:]:
        if strength is not None:
            found = (found * (length - 1) + strength) / length
    return found


def bands(values: Sequence[float], length: int, mult: float) -> tuple[float, float, float] | None:
    mean = sma(values, length)
    if mean is None:
        return None
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values[-length:]) / length)
    return mean - mult * spread, mean, mean + mult * spread


def _ema_cross(block: Any, past: Past, *, long: bool) -> bool:
    fast, slow = ema(past.close, block.fast), ema(past.close, block.slow)
    earlier = past.before().close
    fast_before, slow_before = ema(earlier, block.fast), ema(earlier, block.slow)
    if fast is None or slow is None or fast_before is None or slow_before is None:
        return False
    if long:
        return fast_before <= slow_before and fast > slow
    return fast_before >= slow_before and fast < slow


def _macd_cross(block: Any, past: Past, *, long: bool) -> bool:
    now, before = macd(past.close, block), macd(past.before().close, block)
    if now is None or before is None:
        return False
    if long:
        return before[0] <= before[1] and now[0] > now[1]
    return before[0] >= before[1] and now[0] < now[1]


def _roc_momentum(block: Any, past: Past, *, long: bool) -> bool:
    if len(past.bars) <= block.length:
        return False
    gain = 100 * (past.bar.close / past.close[-1 - block.length] - 1)
    return bool(gain >= block.min_pct if long else gain <= -block.min_pct)


def _donchian_break(block: Any, past: Past, *, long: bool) -> bool:
    before = past.bars[-1 - block.length : -1]
    if len(before) < block.length:
        return False
    buffer = 0.0
    if block.buffer_atr:
        range_ = atr(past.bars)
        if range_ is None:
            return False
        buffer = block.buffer_atr * range_
    if long:
        return past.bar.close > max(bar.high for bar in before) + buffer
    return past.bar.close < min(bar.low for bar in before) - buffer


def _inside_channel(block: Any, past: Past) -> bool | None:
    band, center = bands(past.close, block.length, block.bb_mult), ema(past.close, block.length)
    range_ = atr(past.bars, block.length)
    if band is None or center is None or range_ is None:
        return None
    reach = block.kc_mult * range_
    return bool(band[0] > center - reach and band[2] < center + reach)


def _squeeze_break(block: Any, past: Past, *, long: bool) -> bool:
    average = sma(past.close, block.length)
    if average is None or not _inside_channel(block, past.before()):
        return False
    if _inside_channel(block, past) is not False:
        return False
    return past.bar.close > average if long else past.bar.close < average


def _retest_level(block: Any, past: Past, *, long: bool) -> bool:
    span = block.lookback
    old, lately = past.bars[: len(past.bars) - span][-span:], past.bars[-1 - span : -1]
    range_ = atr(past.bars)
    if len(old) < span or range_ is None:
        return False
    near = block.tolerance_atr * range_
    if long:
        level = max(bar.high for bar in old)
        broken = any(bar.close > level for bar in lately)
        return broken and past.bar.low <= level + near and past.bar.close > level
    level = min(bar.low for bar in old)
    broken = any(bar.close < level for bar in lately)
    return broken and past.bar.high >= level - near and past.bar.close < level


def _rsi_reversal(block: Any, past: Past, *, long: bool) -> bool:
    now, before = rsi(past.close, block.length), rsi(past.before().close, block.length)
    if now is None or before is None:
        return False
    return bool(before <= block.low < now if long else before >= block.high > now)


def _band_reversal(block: Any, past: Past, *, long: bool) -> bool:
    earlier = past.before()
    now = bands(past.close, block.length, block.mult)
    before = bands(earlier.close, block.length, block.mult)
    if now is None or before is None:
        return False
    if long:
        return earlier.bar.close <= before[0] and past.bar.close > now[0]
    return earlier.bar.close >= before[2] and past.bar.close < now[2]


def _volume_before(past: Past, length: int) -> float | None:
    return sma([bar.volume for bar in past.bars[:-1]], length)


def _volume_spike(block: Any, past: Past, *, long: bool) -> bool:
    mean, range_ = _volume_before(past, block.length), atr(past.bars)
    if not mean or range_ is None:
        return False
    body = past.bar.close - past.bar.open if long else past.bar.open - past.bar.close
    spiked = past.bar.volume >= block.multiple * mean
    return bool(spiked and body > 0 and body >= block.body_atr * range_)


def _trend_ma(block: Any, past: Past, *, long: bool) -> bool:
    average = sma(past.close, block.length)
    before = sma(past.before(block.slope_bars).close, block.length) if block.slope_bars else average
    if average is None or before is None:
        return False
    if block.slope_bars and not (average > before if long else average < before):
        return False
    return past.bar.close > average if long else past.bar.close < average


def _htf_trend(block: Any, past: Past, *, long: bool) -> bool:
    size = TIMEFRAMES[block.timeframe]
    higher: dict[datetime, float] = {}
    for bar in past.bars:
        begin = bar.opened_at - (bar.opened_at - EPOCH) % size
        if begin + size <= past.now:
            higher[begin] = bar.close
    closes = [higher[begin] for begin in sorted(higher)]
    average = sma(closes, block.length)
    if average is None:
        return False
    return closes[-1] > average if long else closes[-1] < average


def _adx(block: Any, past: Past, *, long: bool) -> bool:  # noqa: ARG001 - either side
    strength = adx(past.bars, block.length)
    return strength is not None and strength >= block.min


def _natr(block: Any, past: Past, *, long: bool) -> bool:  # noqa: ARG001 - either side
    range_ = atr(past.bars, block.length)
    if range_ is None:
        return False
    percent = 100 * range_ / past.bar.close
    return (block.min_pct is None or percent >= block.min_pct) and (
        block.max_pct is None or percent <= block.max_pct
    )


def _rel_volume(block: Any, past: Past, *, long: bool) -> bool:  # noqa: ARG001 - either side
    mean = _volume_before(past, block.length)
    return bool(mean) and past.bar.volume >= block.min * mean


def _session(block: Any, past: Past, *, long: bool) -> bool:  # noqa: ARG001 - either side
    if past.now.weekday() not in block.weekdays:
        return False
    return any(
        start <= past.now.hour < end
        for start, end in (SESSION_HOURS[name] for name in block.sessions)
    )


def _funding(block: Any, past: Past, *, long: bool) -> bool:  # noqa: ARG001 - either side
    if past.funding is None:
        return False
    known = [
        rate for at, rate in zip(past.funding.at, past.funding.rate, strict=True) if at <= past.now
    ]
    return bool(known) and abs(known[-1]) * 8 * 10_000 <= block.max_abs_bps_8h


SAYS: dict[str, Callable[..., bool]] = {
    "ema_cross": _ema_cross,
    "macd_cross": _macd_cross,
    "roc_momentum": _roc_momentum,
    "donchian_break": _donchian_break,
    "squeeze_break": _squeeze_break,
    "retest_level": _retest_level,
    "rsi_reversal": _rsi_reversal,
    "band_reversal": _band_reversal,
    "volume_spike": _volume_spike,
    "trend_ma": _trend_ma,
    "htf_trend": _htf_trend,
    "adx": _adx,
    "natr": _natr,
    "rel_volume": _rel_volume,
    "session": _session,
    "funding": _funding,
}


def distance(block: Any, past: Past, fill: float, *, long: bool, stop: float = 0.0) -> float:
    """Return how far from the fill a stop or target is that was decided at the end of `past`."""
    match block.type:
        case "stop_pct" | "tp_pct":
            return float(fill * block.pct / 100)
        case "tp_r":
            return float(block.r * stop)
        case "stop_atr" | "tp_atr":
            return float(block.mult * (atr(past.bars, block.length) or 0.0))
    recent = past.bars[-block.lookback :]
    buffer = block.buffer_atr * (atr(past.bars) or 0.0)
    if long:
        return float(past.bar.close - min(bar.low for bar in recent) + buffer)
    return float(max(bar.high for bar in recent) - past.bar.close + buffer)
