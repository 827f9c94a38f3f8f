"""Fill a plan on closed bars: when, at what price, in which order (SPEC A7).

As in `position`, everything is told for a long position; a short one sees mirrored bars.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import repeat

from autopilot.backtest.plan import Order, Plan
from autopilot.backtest.port import Reason, Trade
from autopilot.backtest.position import Market, Position

REJECTIONS = ("min_notional", "zero_size", "no_stop_distance")


@dataclass(slots=True)
class Ledger:
    """What came of a plan: trades, equity at each close, and the signals that became no trade."""

    trades: list[Trade] = field(default_factory=list)
    equity: list[float] = field(default_factory=list)
    rejected: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REJECTIONS, 0))
    signal_at_end: bool = False


def simulate(plan: Plan, market: Market) -> Ledger:
    """Follow a plan through a market: one position at a time, from signal to exit."""
    ledger = Ledger()
    signals, equity = plan.signals, ledger.equity
    cash = market.account.equity
    place = bisect_left(signals, market.first)
    while place < len(signals) and signals[place] < market.end:
        entry = market.next_traded(signals[place] + 1)
        if entry is None:
            ledger.signal_at_end = True
            break
        equity.extend(repeat(cash, entry - market.first - len(equity)))
        opened = _open(plan.order(signals[place]), plan, market, entry=entry, cash=cash)
        if isinstance(opened, str):
            ledger.rejected[opened] += 1
            free = entry
        else:
            _hold(opened, plan, market, equity)
            ledger.trades.append(opened.trade())
            cash += opened.net
            # The close of the exit's bar may signal again; a forced close ends the window.
            free = opened.exit_index if opened.reason != "end_of_data" else market.end
        place = bisect_left(signals, free, place + 1)
    equity.extend(repeat(cash, market.end - market.first - len(equity)))
    return ledger


def _open(order: Order, plan: Plan, market: Market, *, entry: int, cash: float) -> Position | str:
    """Return the position that an order opens at the bar's open, or why it is rejected."""
    price = order.side * market.bars.open[entry]
    fill = price + abs(price) * market.slippage
    distance = order.stop.at(abs(fill))
    if not distance > 0:
        return "no_stop_distance"
    account = market.account
    quantity = min(
        cash * plan.risk_pct / 100 / distance,
        cash * plan.max_leverage / abs(fill),
    )
    if account.sz_decimals is not None:
        quantity = math.floor(quantity * 10**account.sz_decimals) / 10**account.sz_decimals
    if not quantity > 0:
        return "zero_size"
    if quantity * abs(fill) < account.min_notional:
        return "min_notional"
    return Position(
        order=order,
        market=market,
        entry=entry,
        cash=cash,
        fill=fill,
        initial=quantity,
        distance=distance,
    )


def _hold(  # noqa: C901 - the hot loop: calls and attributes would cost more than its arithmetic
    position: Position, plan: Plan, market: Market, equity: list[float]
) -> None:
    """Carry a position to its exit, and mark equity at each close before that.

    Within a bar, what leaves at the open comes first, then the stop (the worse of stop and
    target), then targets, funding on what is left, the mark, and last the stop of the next bar.
    """
    bars, funding, mark = market.bars, market.funding, equity.append
    opens, highs, lows, closes, volumes = bars.open, bars.high, bars.low, bars.close, bars.volume
    short, entry, cash = position.order.side < 0, position.entry, position.cash
    fill, left, net = position.fill, position.quantity, position.net
    stop, target = _Stop(position, plan), position.next_level
    stop_at, managed = stop.level, stop.moves
    leave_at = market.end if plan.time_exit is None else entry + plan.time_exit
    best = worst = close = fill
    for index in range(entry, market.end):
        open_, high, low, close = opens[index], highs[index], lows[index], closes[index]
        if short:
            open_, high, low, close = -open_, -low, -high, -close
        if volumes[index] > 0 and (low <= stop_at or high >= target or index >= leave_at):
            position.saw(max(best, open_), min(worst, open_))
            if index >= leave_at:
                position.leave(index, open_, "time")
            elif low <= stop_at:
                position.leave(index, min(open_, stop_at), stop.reason)
            else:
                position.take(index, open_, high)
            if not position.left:
                return
            left, net, target = position.quantity, position.net, position.next_level
        if funding is not None and funding[index]:
            position.funding -= funding[index] * left * close
            net = position.net
        mark(cash + net + left * (close - fill))
        if high > best:  # noqa: PLR1730 - max() takes three times as long
            best = high
        if low < worst:  # noqa: PLR1730 - as above
            worst = low
        if managed:
            stop_at = stop.after(index, close, best)
    # Out of bars: the last close counts, and its mark gives way to what is realised.
    equity.pop()
    position.saw(best, worst)
    position.leave(market.end - 1, close, "end_of_data")


class _Stop:
    """Where the stop stands; a closed bar moves it for the next one, and never back."""

    __slots__ = ("best_close", "breakevens", "level", "reason", "trails")

    def __init__(self, position: Position, plan: Plan) -> None:
        fill, distance = position.fill, position.distance
        self.level, self.best_close = fill - distance, fill
        self.reason: Reason = "stop"
        self.trails = [(fill + t.activate_r * distance, t.mult, t.atr) for t in plan.trails]
        self.breakevens = [
            (fill + even.at_r * distance, fill + abs(fill) * even.offset)
            for even in plan.breakevens
        ]

    @property
    def moves(self) -> bool:
        """Tell whether anything ever moves it."""
        return bool(self.trails or self.breakevens)

    def after(self, index: int, close: float, best: float) -> float:
        """Return the level after bar `index`; `best` is the best price seen by its close."""
        self.best_close = max(self.best_close, close)
        for active_at, mult, atr in self.trails:
            if self.best_close >= active_at and close - mult * atr[index] > self.level:
                self.level, self.reason = close - mult * atr[index], "trail"
        for active_at, level in self.breakevens:
            if best >= active_at and level > self.level:
                self.level, self.reason = level, "breakeven"
        return self.level
