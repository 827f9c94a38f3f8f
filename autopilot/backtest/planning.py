"""From a strategy and bars to a plan: which closes give a signal, and the order of each."""

import numpy as np
from numpy.typing import NDArray

from autopilot.backtest.frame import Frame, Mask, Values
from autopilot.backtest.plan import Breakeven, Distance, Order, Plan, Target, Trail
from autopilot.backtest.signals import Sides, sides_of
from autopilot.strategy import exits as ex
from autopilot.strategy.base import ATR_LENGTH
from autopilot.strategy.schema import Strategy

type Stop = ex.StopPct | ex.StopAtr | ex.StopSwing
type Profit = ex.TpR | ex.TpPct | ex.TpAtr
PERCENT = 100


def plan_of(strategy: Strategy, frame: Frame) -> Plan:
    """Return what `strategy` would do on the bars of `frame`.

    A close gives a signal when the foundations that fire for one side reach the threshold, every
    filter passes for it and the strategy takes it. A close that speaks for both sides says
    nothing.
    """
    fired = [sides_of(foundation.block, frame) for foundation in strategy.foundations]
    long, short = _entries(strategy, frame, fired)
    plain = np.flatnonzero(long ^ short)
    types = [foundation.block.type for foundation in strategy.foundations]

    def order(index: int) -> Order:
        side = 0 if long[index] else 1
        return Order(
            side=-1 if side else 1,
            stop=_stop(strategy.exits.stop, frame, index, short=bool(side)),
            targets=_targets(strategy, frame, index),
            blocks=tuple(
                type_ for type_, sides in zip(types, fired, strict=True) if sides[side][index]
            ),
        )

    manage = strategy.exits.manage
    times = [block.bars for block in manage if isinstance(block, ex.TimeExit)]
    return Plan(
        signals=plain.tolist(),
        order=order,
        trails=tuple(
            Trail(block.mult, block.activate_r, (frame.atr(block.length) * frame.unit).tolist())
            for block in manage
            if isinstance(block, ex.TrailAtr)
        ),
        breakevens=tuple(
            Breakeven(block.at_r, block.offset_pct / PERCENT)
            for block in manage
            if isinstance(block, ex.Breakeven)
        ),
        time_exit=min(times, default=None),
        risk_pct=strategy.sizing.risk_pct,
        max_leverage=strategy.sizing.max_leverage,
    )


def _entries(strategy: Strategy, frame: Frame, fired: list[Sides]) -> tuple[Mask, Mask]:
    """Return which closes speak for long and which for short."""
    count = len(fired)
    reaches = np.array(
        [
            strategy.enters(fired=[place for place in range(count) if code >> place & 1])
            for code in range(1 << count)
        ]
    )
    sides = []
    for side, name in enumerate(("long", "short")):
        code: NDArray[np.uint8] = np.zeros(len(frame), dtype=np.uint8)
        for place, masks in enumerate(fired):
            code |= masks[side].astype(np.uint8) << np.uint8(place)
        enters: Mask = reaches[code]
        for block in strategy.filters:
            enters &= sides_of(block, frame)[side]
        enters[: strategy.warmup()] = False
        if strategy.side not in (name, "both"):
            enters[:] = False
        sides.append(enters)
    return sides[0], sides[1]


def _stop(block: Stop, frame: Frame, index: int, *, short: bool) -> Distance:
    # One number of each array: an order must not cost a pass over the bars.
    if isinstance(block, ex.StopPct):
        return Distance(of_fill=block.pct / PERCENT)
    if isinstance(block, ex.StopAtr):
        return Distance(amount=block.mult * _at(frame, frame.atr(block.length), index))
    close = _at(frame, frame.close, index)
    if short:
        reach = _at(frame, frame.highest("high", block.lookback), index) - close
    else:
        reach = close - _at(frame, frame.lowest("low", block.lookback), index)
    if block.buffer_atr:
        reach += block.buffer_atr * _at(frame, frame.atr(ATR_LENGTH), index)
    return Distance(amount=reach)


def _target(block: Profit, frame: Frame, index: int) -> Distance:
    if isinstance(block, ex.TpR):
        return Distance(of_stop=block.r)
    if isinstance(block, ex.TpPct):
        return Distance(of_fill=block.pct / PERCENT)
    return Distance(amount=block.mult * _at(frame, frame.atr(block.length), index))


def _targets(strategy: Strategy, frame: Frame, index: int) -> tuple[Target, ...]:
    partials = tuple(
        Target(_target(partial.target, frame, index), partial.fraction)
        for partial in strategy.exits.partials
    )
    profit = strategy.exits.take_profit
    return partials if profit is None else (*partials, Target(_target(profit, frame, index)))


def _at(frame: Frame, prices: Values, index: int) -> float:
    """Return a price of the frame in the quote currency."""
    return float(prices[index]) * frame.unit
