"""When each block fires or lets pass, as one boolean per closed bar and side (SPEC A5, A7).

The blocks' docstrings (autopilot.strategy) say what is computed here. Every function maps a block
and a frame to (long, short); what is not known yet (NaN) is False.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from autopilot.backtest.frame import Frame, Mask, Values, shifted
from autopilot.strategy import filters as fi
from autopilot.strategy import foundations as fo
from autopilot.strategy.base import ATR_LENGTH, Block

type Sides = tuple[Mask, Mask]
type Rule = Callable[[Any, Frame], Sides]

HOUR = 3_600_000_000
DAY = 24 * HOUR
EPOCH_WEEKDAY = 3  # 1970-01-01 was a Thursday
HOURS_OF_RATE = 8
BASIS_POINTS = 10_000


def _crosses(one: Values, other: Values) -> Sides:
    """Return where `one` goes above `other`, and where below it."""
    one_before, other_before = shifted(one), shifted(other)
    above = (one_before <= other_before) & (one > other)
    below = (one_before >= other_before) & (one < other)
    return above, below


def _ema_cross(block: fo.EmaCross, frame: Frame) -> Sides:
    return _crosses(frame.ema(block.fast), frame.ema(block.slow))


def _macd_cross(block: fo.MacdCross, frame: Frame) -> Sides:
    return _crosses(*frame.macd(block.fast, block.slow, block.signal))


def _roc_momentum(block: fo.RocMomentum, frame: Frame) -> Sides:
    roc = frame.roc(block.length)
    return roc >= block.min_pct, roc <= -block.min_pct


def _donchian_break(block: fo.DonchianBreak, frame: Frame) -> Sides:
    top = shifted(frame.highest("high", block.length))
    bottom = shifted(frame.lowest("low", block.length))
    if block.buffer_atr:
        buffer = block.buffer_atr * frame.atr(ATR_LENGTH)
        top, bottom = top + buffer, bottom - buffer
    return frame.close > top, frame.close < bottom


def _squeeze_break(block: fo.SqueezeBreak, frame: Frame) -> Sides:
    upper, middle, lower = frame.bands(block.length, block.bb_mult)
    center, reach = frame.ema(block.length), block.kc_mult * frame.atr(block.length)
    inside = (upper < center + reach) & (lower > center - reach)
    left = np.zeros(len(frame), dtype=np.bool_)
    left[1:] = inside[:-1] & ~inside[1:]
    return left & (frame.close > middle), left & (frame.close < middle)


def _retest_level(block: fo.RetestLevel, frame: Frame) -> Sides:
    span, near = block.lookback, block.tolerance_atr * frame.atr(ATR_LENGTH)
    top = shifted(frame.highest("high", span), span)
    bottom = shifted(frame.lowest("low", span), span)
    broke_up = shifted(frame.highest("close", span)) > top
    broke_down = shifted(frame.lowest("close", span)) < bottom
    return (
        broke_up & (frame.low <= top + near) & (frame.close > top),
        broke_down & (frame.high >= bottom - near) & (frame.close < bottom),
    )


def _rsi_reversal(block: fo.RsiReversal, frame: Frame) -> Sides:
    rsi = frame.rsi(block.length)
    before = shifted(rsi)
    return (before <= block.low) & (rsi > block.low), (before >= block.high) & (rsi < block.high)


def _band_reversal(block: fo.BandReversal, frame: Frame) -> Sides:
    upper, _, lower = frame.bands(block.length, block.mult)
    return _crosses(frame.close, lower)[0], _crosses(frame.close, upper)[1]


def _volume_spike(block: fo.VolumeSpike, frame: Frame) -> Sides:
    # The mean of bars without a trade is 0, and nothing is a multiple of it.
    mean = frame.volume_before(block.length)
    spike = (mean > 0) & (frame.volume >= block.multiple * mean)
    body, least = frame.close - frame.open, block.body_atr * frame.atr(ATR_LENGTH)
    return spike & (body > 0) & (body >= least), spike & (body < 0) & (-body >= least)


def _trend_ma(block: fi.TrendMa, frame: Frame) -> Sides:
    average = frame.sma(block.length)
    up, down = frame.close > average, frame.close < average
    if block.slope_bars:
        before = shifted(average, block.slope_bars)
        up, down = up & (average > before), down & (average < before)
    return up, down


def _htf_trend(block: fi.HtfTrend, frame: Frame) -> Sides:
    close, average = frame.higher(block.timeframe, block.length)
    return close > average, close < average


def _adx(block: fi.Adx, frame: Frame) -> Sides:
    return _either(frame.adx(block.length) >= block.min)


def _natr(block: fi.Natr, frame: Frame) -> Sides:
    natr = 100 * frame.atr(block.length) / frame.close
    fits = ~np.isnan(natr)
    if block.min_pct is not None:
        fits &= natr >= block.min_pct
    if block.max_pct is not None:
        fits &= natr <= block.max_pct
    return _either(fits)


def _rel_volume(block: fi.RelVolume, frame: Frame) -> Sides:
    mean = frame.volume_before(block.length)
    return _either((mean > 0) & (frame.volume >= block.min * mean))


def _session(block: fi.Session, frame: Frame) -> Sides:
    hour = frame.closed // HOUR % 24
    weekday = (frame.closed // DAY + EPOCH_WEEKDAY) % 7
    inside = np.zeros(len(frame), dtype=np.bool_)
    for name in block.sessions:
        start, end = fi.SESSION_HOURS[name]
        inside |= (hour >= start) & (hour < end)
    return _either(inside & np.isin(weekday, block.weekdays))


def _funding(block: fi.Funding, frame: Frame) -> Sides:
    bps = np.abs(frame.rates()) * HOURS_OF_RATE * BASIS_POINTS
    return _either(bps <= block.max_abs_bps_8h)


def _either(mask: Mask) -> Sides:
    return mask, mask


FOUNDATIONS: Mapping[str, Rule] = {
    "ema_cross": _ema_cross,
    "macd_cross": _macd_cross,
    "roc_momentum": _roc_momentum,
    "donchian_break": _donchian_break,
    "squeeze_break": _squeeze_break,
    "retest_level": _retest_level,
    "rsi_reversal": _rsi_reversal,
    "band_reversal": _band_reversal,
    "volume_spike": _volume_spike,
}
FILTERS: Mapping[str, Rule] = {
    "trend_ma": _trend_ma,
    "htf_trend": _htf_trend,
    "adx": _adx,
    "natr": _natr,
    "rel_volume": _rel_volume,
    "session": _session,
    "funding": _funding,
}


def sides_of(block: Block, frame: Frame) -> Sides:
    """Return where a foundation fires, or where a filter lets pass, for long and for short."""
    rule = FOUNDATIONS.get(block.type) or FILTERS[block.type]
    return rule(block, frame)
