"""A second engine, deliberately naive: one bar after the other, every rule written out.

It shares no code with the engine it checks. It keeps a purse: what was paid and received for
units bought and sold; equity is what is in the purse, and what the units are worth.
"""

from dataclasses import dataclass, field
from typing import Any

from autopilot.backtest.port import Account, Costs, Window
from autopilot.strategy.schema import Strategy
from tests.autopilot.backtest.naive_blocks import SAYS, Past, atr, distance
from trading.market.bars import Bar, BarSeries
from trading.market.rates import FundingSeries


@dataclass(slots=True)
class Open:
    """A position; `units` are negative when short."""

    long: bool
    entry: int
    fill: float
    size: float
    units: float
    stop: float
    stop_distance: float
    targets: list[tuple[float, float | None]]
    blocks: list[str]
    purse_before: float
    why_stop: str = "stop"
    best: float = 0.0
    best_close: float = 0.0
    fees: float = 0.0
    funding: float = 0.0
    legs: list[tuple[float, float, str]] = field(default_factory=list)
    exit: int = -1
    pnl: float = 0.0


class Naive:
    """Walks through the bars once, seeing no later one."""

    def __init__(
        self,
        strategy: Strategy,
        bars: BarSeries,
        *,
        costs: Costs,
        account: Account,
        window: Window,
        funding: FundingSeries | None,
    ) -> None:
        self.strategy, self.costs, self.account = strategy, costs, account
        self.bars = [bars.bar(index) for index in range(len(bars))]
        self.length, self.funding = bars.length, funding
        self.inside = [window.start <= bar.opened_at < window.end for bar in self.bars]
        self.purse = account.equity
        self.position: Open | None = None
        self.waiting: tuple[bool, Past, list[str]] | None = None
        self.closed: list[Open] = []
        self.equity: list[float] = []
        self.rejected: list[str] = []

    def run(self) -> "Naive":
        places = [place for place, inside in enumerate(self.inside) if inside]
        for place in places:
            bar = self.bars[place]
            traded = bar.volume > 0
            if traded and self.waiting is not None:
                self.enter(place, bar)
            if traded and self.position is not None:
                self.leave_within(place, bar)
            if self.position is not None:
                self.pay_funding(bar)
                if place == places[-1]:
                    self.sell(place, bar.close, self.position.units, "end_of_data", taker=True)
            units = self.position.units if self.position else 0.0
            self.equity.append(self.purse + units * bar.close)
            if self.position is not None:
                self.move_stop(place, bar)
            elif self.waiting is None and place != places[-1]:
                self.look(place)
        return self

    def look(self, place: int) -> None:
        """See whether the close of this bar gives a signal."""
        if place < self.strategy.warmup():
            return
        past = Past(self.bars[: place + 1], self.length, self.funding)
        said = {long: self.says(past, long=long) for long in (True, False)}
        if bool(said[True]) != bool(said[False]):
            self.waiting = (bool(said[True]), past, said[True] or said[False])

    def says(self, past: Past, *, long: bool) -> list[str]:
        """Return the foundations that fire, or nothing when that is no entry for this side."""
        if self.strategy.side not in ("both", "long" if long else "short"):
            return []
        if not all(SAYS[block.type](block, past, long=long) for block in self.strategy.filters):
            return []
        fired = [
            place
            for place, foundation in enumerate(self.strategy.foundations)
            if SAYS[foundation.block.type](foundation.block, past, long=long)
        ]
        if not self.strategy.enters(fired=fired):
            return []
        return [self.strategy.foundations[place].block.type for place in fired]

    def enter(self, place: int, bar: Bar) -> None:
        if self.waiting is None:
            return
        (long, past, blocks), self.waiting = self.waiting, None
        slip = self.costs.slippage_bps / 10_000
        fill = bar.open * (1 + slip) if long else bar.open * (1 - slip)
        exits, sizing = self.strategy.exits, self.strategy.sizing
        risk = distance(exits.stop, past, fill, long=long)
        if risk <= 0:
            self.rejected.append("no_stop_distance")
            return
        size = min(
            self.purse * sizing.risk_pct / 100 / risk, self.purse * sizing.max_leverage / fill
        )
        if self.account.sz_decimals is not None:
            scale = 10**self.account.sz_decimals
            size = int(size * scale) / scale
        if size <= 0 or size * fill < self.account.min_notional:
            self.rejected.append("zero_size" if size <= 0 else "min_notional")
            return
        away = 1 if long else -1

        def level(block: Any) -> float:
            return fill + away * distance(block, past, fill, long=long, stop=risk)

        targets: list[tuple[float, float | None]] = [
            (level(partial.target), partial.fraction) for partial in exits.partials
        ]
        if exits.take_profit is not None:
            targets.append((level(exits.take_profit), None))
        targets.sort(key=lambda target: (away * target[0], target[1] is None))
        self.position = Open(
            long=long,
            entry=place,
            fill=fill,
            size=size,
            units=away * size,
            stop=fill - away * risk,
            stop_distance=risk,
            targets=targets,
            blocks=blocks,
            purse_before=self.purse,
            best=fill,
            best_close=fill,
            fees=self.costs.taker * size * fill,
        )
        self.purse -= away * size * fill + self.position.fees

    def leave_within(self, place: int, bar: Bar) -> None:
        """See what closes the position, or parts of it, inside a bar: the worst first."""
        held = self.position
        if held is None:
            return
        times = [block.bars for block in self.strategy.exits.manage if block.type == "time_exit"]
        if times and place >= held.entry + min(times):
            self.sell(place, bar.open, held.units, "time", taker=True)
        elif held.long and bar.low <= held.stop:
            self.sell(place, min(bar.open, held.stop), held.units, held.why_stop, taker=True)
        elif not held.long and bar.high >= held.stop:
            self.sell(place, max(bar.open, held.stop), held.units, held.why_stop, taker=True)
        else:
            self.take_profit(place, bar, held)

    def take_profit(self, place: int, bar: Bar, held: Open) -> None:
        for target in list(held.targets):
            level, fraction = target
            if self.position is None or (bar.high < level if held.long else bar.low > level):
                return
            price = max(bar.open, level) if held.long else min(bar.open, level)
            part = (
                held.units if fraction is None else fraction * (1 if held.long else -1) * held.size
            )
            if abs(part) > abs(held.units) * (1 - 1e-9):
                part = held.units
            held.targets.remove(target)
            self.sell(place, price, part, "partial" if fraction else "target", taker=False)

    def sell(self, place: int, price: float, units: float, reason: str, *, taker: bool) -> None:
        """Give `units` back (buy them, where they are negative)."""
        held = self.position
        if held is None:
            return
        if taker:
            slip = self.costs.slippage_bps / 10_000
            price *= (1 - slip) if held.long else (1 + slip)
        fee = (self.costs.taker if taker else self.costs.maker) * abs(units) * price
        held.fees += fee
        self.purse += units * price - fee
        held.units -= units
        held.legs.append((price, abs(units) / held.size, reason))
        if held.units == 0:
            held.exit, held.pnl = place, self.purse - held.purse_before
            self.closed.append(held)
            self.position = None

    def pay_funding(self, bar: Bar) -> None:
        held = self.position
        if self.funding is None or held is None:
            return
        for at, rate in zip(self.funding.at, self.funding.rate, strict=True):
            if bar.opened_at < at <= bar.opened_at + self.length:
                paid = rate * held.units * bar.close
                held.funding -= paid
                self.purse -= paid

    def move_stop(self, place: int, bar: Bar) -> None:
        """Let the closed bar move the stop of the next one, and never back."""
        held = self.position
        if held is None:
            return
        away = 1 if held.long else -1
        held.best = max(held.best, bar.high) if held.long else min(held.best, bar.low)
        better = max if held.long else min
        held.best_close = better(held.best_close, bar.close)
        for kind in ("trail_atr", "breakeven"):
            for block in self.strategy.exits.manage:
                if block.type != kind:
                    continue
                level = self.wanted(block, held, place, away)
                if level is not None and away * level > away * held.stop:
                    held.stop = level
                    held.why_stop = "trail" if kind == "trail_atr" else "breakeven"

    def wanted(self, block: Any, held: Open, place: int, away: int) -> float | None:
        """Return where a block wants the stop, None where it does not care yet."""
        if block.type == "breakeven":
            gained = away * (held.best - held.fill) >= block.at_r * held.stop_distance
            return float(held.fill * (1 + away * block.offset_pct / 100)) if gained else None
        gained = away * (held.best_close - held.fill) >= block.activate_r * held.stop_distance
        range_ = atr(self.bars[: place + 1], block.length)
        if not gained or range_ is None:
            return None
        return float(self.bars[place].close - away * block.mult * range_)
