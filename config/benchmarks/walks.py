"""Markets of nothing but chance, and the same with one thing in them that can be known.

Each bar is made of the steps that its price took inside, so that its high and low are a walk's own:
drawn apart from it, they would give stops and targets an edge that no market has. Volatility comes
in clusters, and now and then a bar is large with much volume. On such bars `volume_spike` fires.
With no drift nothing follows them; with one, prices go on in that direction for a while.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from trading.market.bars import Bar, BarSeries

SOURCE, TIMEFRAME = "synthetic", "1h"
LENGTH = timedelta(hours=1)
STEPS = 12
"""So many steps inside a bar."""
VOLATILITY, CLUSTER, SHOCK = 0.006, 0.98, 0.12
"""Log return of an ordinary bar, how much of its logarithm the next one keeps, and its own step."""
SPIKES, AFTER = 1 / 80, 12
"""How often a bar is a spike, and for how many bars a drift follows it."""
SPIKE_MOVE, SPIKE_VOLUME = (1.0, 2.0), (3.0, 6.0)
"""A spike's move in ordinary ones, and its volume likewise."""
DIGITS = 6

type Numbers = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class Market:
    """What a market is drawn by: the same gives the same bytes.

    `drift` is what a bar after a spike moves on by, as a share of an ordinary bar's move; 0 is pure
    noise.
    """

    seed: str
    bars: int
    drift: float = 0.0

    def series(self, *, instrument: str, end: datetime) -> BarSeries:
        """Return its bars of an hour; the last one closes at `end`."""
        chance = np.random.default_rng(list(self.seed.encode()))
        paths, volume = self._drawn(chance)
        first = end - self.bars * LENGTH
        return BarSeries.of(
            instrument=instrument,
            timeframe=TIMEFRAME,
            bars=list(_bars(paths, volume, first=first)),
            sources=(SOURCE,),
        )

    def _drawn(self, chance: np.random.Generator) -> tuple[Numbers, Numbers]:
        """Return log prices (bars, steps) and volumes (bars)."""
        normal = chance.standard_normal((self.bars, STEPS))
        level = np.zeros(self.bars)
        shocks = SHOCK * chance.standard_normal(self.bars)
        for bar in range(1, self.bars):
            level[bar] = CLUSTER * level[bar - 1] + shocks[bar]
        size = VOLATILITY * np.exp(level)
        spikes = chance.random(self.bars) < SPIKES
        sign = np.where(chance.random(self.bars) < 0.5, -1.0, 1.0)  # noqa: PLR2004 - an even chance
        pushed = np.where(spikes, sign * chance.uniform(*SPIKE_MOVE, self.bars), 0.0)
        pushed += self.drift * _following(spikes, sign)
        steps = size[:, None] * (normal / math.sqrt(STEPS) + pushed[:, None] / STEPS)
        moved = np.abs(steps.sum(axis=1)) / size
        volume = (1 + moved) * np.exp(0.25 * chance.standard_normal(self.bars))
        volume *= np.where(spikes, chance.uniform(*SPIKE_VOLUME, self.bars), 1.0)
        return np.cumsum(steps.ravel()).reshape(steps.shape), volume


def _following(spikes: "np.ndarray[Any, np.dtype[np.bool_]]", sign: Numbers) -> Numbers:
    """Return for each bar the direction of the last spike within AFTER bars before it, else 0."""
    found = np.zeros(len(sign))
    for bar in np.flatnonzero(spikes):
        found[bar + 1 : bar + 1 + AFTER] = sign[bar]
    return found


def _bars(paths: Numbers, volume: Numbers, *, first: datetime) -> Iterator[Bar]:
    last = 100.0
    for place, path in enumerate(np.round(100 * np.exp(paths), DIGITS).tolist()):
        yield Bar(
            first + place * LENGTH,
            last,
            max(last, *path),
            min(last, *path),
            path[-1],
            round(float(volume[place]) * 1_000, DIGITS),
        )
        last = path[-1]
