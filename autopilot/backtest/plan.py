"""What an engine is to do: signals, the order that each would give, and how it is managed.

A plan holds no rule of filling. Engines are tested on plans that are written down by hand.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple


class Distance(NamedTuple):
    """How far from the fill, as a positive number: the sum of its parts.

    `amount` is in the quote currency, `of_fill` a fraction of the fill's price, `of_stop` a
    multiple of the stop's distance.
    """

    amount: float = 0.0
    of_fill: float = 0.0
    of_stop: float = 0.0

    def at(self, fill: float, *, stop: float = 0.0) -> float:
        """Return the distance in the quote currency from a fill at the price `fill`."""
        return self.amount + self.of_fill * fill + self.of_stop * stop


class Target(NamedTuple):
    """Where to take profit, on which fraction of the initial size (None: on all that is left)."""

    distance: Distance
    fraction: float | None = None


class Order(NamedTuple):
    """What a signal asks for: 1 to buy or -1 to sell, its exits, and the blocks that fired."""

    side: Literal[1, -1]
    stop: Distance
    targets: tuple[Target, ...] = ()
    blocks: tuple[str, ...] = ()


class Trail(NamedTuple):
    """A stop that follows `mult` x `atr` (one per bar) behind the close, once one gained enough."""

    mult: float
    activate_r: float
    atr: Sequence[float]


class Breakeven(NamedTuple):
    """A stop at the fill and `offset` (a fraction of it) beyond, once price has gained `at_r` R."""

    at_r: float
    offset: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """A strategy on given bars. `signals` are the indexes of the bars whose close gave one, rising.

    `order` is asked for those that can be filled alone. `time_exit` counts bars after the entry's.
    """

    signals: Sequence[int]
    order: Callable[[int], Order]
    trails: tuple[Trail, ...] = ()
    breakevens: tuple[Breakeven, ...] = ()
    time_exit: int | None = None
    risk_pct: float = 1.0
    max_leverage: float = 3.0
