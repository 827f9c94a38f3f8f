"""An open position and where it is filled.

Everything is told for a long position. A short one is the same on mirrored bars, whose prices are
negated: the high is the negated low, and a cheaper buy-back is a higher price.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from autopilot.backtest.plan import Order
from autopilot.backtest.port import Account, Costs, Leg, Reason, Trade
from trading.market.bars import BarSeries

WHOLE = 1 - 1e-9
"""Fractions of a ladder that reach this sum have closed the position."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Market:
    """Where orders are filled: bars first <= index < end, and the rules there.

    `funding` holds, per bar, the sum of the rates stamped in (opened_at, closed_at].
    """

    bars: BarSeries
    first: int
    end: int
    costs: Costs
    account: Account
    funding: Sequence[float] | None = None

    @property
    def slippage(self) -> float:
        """Slippage as a fraction of the price."""
        return self.costs.slippage_bps / 10_000

    def next_traded(self, index: int) -> int | None:
        """Return the first bar from `index` on with a trade in it: nothing fills without one."""
        volume = self.bars.volume
        return next((at for at in range(index, self.end) if volume[at] > 0), None)


@dataclass(kw_only=True, slots=True)
class Position:
    """One position from its entry on. Prices are mirrored: negative when short.

    `distance` is that of the initial stop, `left` the open fraction of `initial`, `best` and
    `worst` are prices seen while it was open, `ladder` holds (level, fraction) of the targets, the
    next one last.
    """

    order: Order
    market: Market
    entry: int
    cash: float
    fill: float
    initial: float
    distance: float
    left: float = 1.0
    gain: float = 0.0
    fees: float = 0.0
    funding: float = 0.0
    best: float = -math.inf
    worst: float = math.inf
    exit_index: int = -1
    reason: Reason = "end_of_data"
    legs: list[Leg] = field(default_factory=list)
    ladder: list[tuple[float, float | None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.fees = self.market.costs.taker * self.initial * abs(self.fill)
        levels = (
            (self.fill + target.distance.at(abs(self.fill), stop=self.distance), target.fraction)
            for target in self.order.targets
        )
        # At the same level partial exits come first, as the strategy lists them.
        self.ladder = sorted(levels, key=lambda level: (level[0], level[1] is None))[::-1]

    @property
    def quantity(self) -> float:
        """What is still open."""
        return self.initial * self.left

    @property
    def net(self) -> float:
        """Profit realised so far, after fees and funding."""
        return self.gain - self.fees + self.funding

    @property
    def next_level(self) -> float:
        """Where the next target stands."""
        return self.ladder[-1][0] if self.ladder else math.inf

    def saw(self, best: float, worst: float) -> None:
        """Remember prices seen while it was open."""
        self.best, self.worst = max(self.best, best), min(self.worst, worst)

    def leave(self, index: int, price: float, reason: Reason) -> None:
        """Close all that is left, as a taker."""
        slipped = price - abs(price) * self.market.slippage
        self.fees += self.market.costs.taker * self.quantity * abs(slipped)
        at_open = reason != "end_of_data" and self._opens_at(index, price)
        self._close(index, slipped, self.left, reason, at_open=at_open)
        self.saw(price, price)

    def take(self, index: int, opened: float, high: float) -> None:
        """Fill, as a maker, what the bar reached of the ladder, low to high."""
        while self.left and self.ladder and high >= self.ladder[-1][0]:
            level, fraction = self.ladder.pop()
            price = max(opened, level)
            last = fraction is None or 1 - self.left + fraction >= WHOLE
            part = self.left if last or fraction is None else fraction
            self.fees += self.market.costs.maker * self.initial * part * abs(price)
            reason: Reason = "target" if fraction is None else "partial"
            self._close(index, price, part, reason, at_open=self._opens_at(index, price))
            self.saw(price, price)

    def _close(
        self, index: int, price: float, part: float, reason: Reason, *, at_open: bool
    ) -> None:
        bars = self.market.bars
        at = bars.opened_at[index] if at_open else bars.closed_at(index)
        self.gain += self.initial * part * (price - self.fill)
        self.legs.append(Leg(at, abs(price), part, reason))
        self.left = 0.0 if part == self.left else self.left - part
        self.exit_index, self.reason = index, reason

    def _opens_at(self, index: int, price: float) -> bool:
        return abs(price) == self.market.bars.open[index]

    def trade(self) -> Trade:
        """Return the closed position as it is told."""
        bars = self.market.bars
        return Trade(
            side="long" if self.order.side > 0 else "short",
            entry_index=self.entry,
            entry_at=bars.opened_at[self.entry],
            entry_price=abs(self.fill),
            exit_index=self.exit_index,
            exit_at=self.legs[-1].at,
            exit_price=self.legs[-1].price,
            reason=self.reason,
            quantity=self.initial,
            stop_distance=self.distance,
            legs=tuple(self.legs),
            fees=self.fees,
            funding=self.funding,
            pnl=self.net,
            r=self.net / (self.initial * self.distance),
            mae=(self.worst - self.fill) / self.distance,
            mfe=(self.best - self.fill) / self.distance,
            blocks=self.order.blocks,
        )
