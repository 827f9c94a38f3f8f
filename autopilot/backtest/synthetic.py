"""Synthetic markets: seeded, made of known regimes, for tests, benches and the memory experiment.

No price here was ever paid. What trades well in each regime is known, which real bars never tell:
averages and breakouts in `trend`, reversals in `chop`, wide stops in `high_volatility`.
"""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Literal, NamedTuple

from memory.policies.timeframes import EPOCH
from trading.market.bars import Bar, BarSeries, length_of

type Regime = Literal["trend", "chop", "high_volatility"]
REGIMES: tuple[Regime, ...] = ("trend", "chop", "high_volatility")
BASE, SOURCE = "5m", "synthetic"
START = datetime(2024, 1, 1, tzinfo=UTC)
LENGTH = timedelta(minutes=5)
PLACES = 6
"""Decimals of prices and volumes, so that a processor's last digits do not show."""


class Stretch(NamedTuple):
    """A time of one regime, in bars of 5 minutes."""

    regime: Regime
    bars: int


class Law(NamedTuple):
    """How log prices move in a regime, per bar of 5 minutes.

    The base drifts in one direction, then in the other, and takes `walk` as a random step; around
    it swings a noise that keeps the share `memory` of itself and takes `noise` as a random step.
    """

    drift: float
    walk: float
    memory: float
    noise: float


LAWS: dict[Regime, Law] = {
    "trend": Law(drift=1.0e-4, walk=1.3e-3, memory=0.0, noise=0.0),
    "chop": Law(drift=0.0, walk=4e-4, memory=0.98, noise=1.8e-3),
    "high_volatility": Law(drift=2.5e-4, walk=1.5e-3, memory=0.9, noise=5e-3),
}
LEG = (1_000, 2_000)
"""For how many bars a drift keeps its direction."""
STRETCH = (1_440, 4_320)
"""How many bars a regime lasts: 5 to 15 days."""
CALM = 1.2e-3
"""The step that an ordinary volume goes with."""


@dataclass(frozen=True, slots=True)
class SyntheticMarket:
    """One path of 5-minute bars, the regimes it went through, and longer bars made of it."""

    bars: BarSeries
    stretches: tuple[Stretch, ...]

    def series(self, timeframe: str) -> BarSeries:
        """Return the path in bars of `timeframe`, the closed ones (UnknownTimeframe)."""
        return self.bars if timeframe == BASE else resample(self.bars, timeframe=timeframe)


def synthetic_market(
    *,
    seed: int,
    bars: int,
    instrument: str = "SYNTHETIC",
    start: datetime = START,
    price: float = 100.0,
    stretches: Sequence[Stretch] = (),
    gaps: int = 0,
) -> SyntheticMarket:
    """Return a market of `bars` bars of 5 minutes; the same arguments give the same bytes.

    Without `stretches`, regimes change at random after 5 to 15 days. `gaps` times, up to twelve
    bars are missing.
    """
    chance = random.Random(f"{seed} {instrument}")  # noqa: S311 - it must be repeatable
    stretches = tuple(_limited(stretches or _drawn(chance, bars), bars))
    rows = list(_path(chance, stretches, start=start, price=price))
    for _ in range(gaps):
        place = chance.randrange(1, max(len(rows) - 13, 2))
        del rows[place : place + chance.randint(1, 12)]
    series = BarSeries.of(instrument=instrument, timeframe=BASE, bars=rows, sources=(SOURCE,))
    return SyntheticMarket(series, stretches)


def resample(bars: BarSeries, *, timeframe: str) -> BarSeries:
    """Return longer bars made of these, without one that has not closed (UnknownTimeframe)."""
    length = length_of(timeframe=timeframe)
    rows = [bars.bar(index) for index in range(len(bars))]
    longer = []
    for opened_at, group in groupby(
        rows, lambda bar: bar.opened_at - (bar.opened_at - EPOCH) % length
    ):
        part = list(group)
        if opened_at + length <= rows[-1].opened_at + bars.length:
            longer.append(
                Bar(
                    opened_at,
                    part[0].open,
                    max(bar.high for bar in part),
                    min(bar.low for bar in part),
                    part[-1].close,
                    round(math.fsum(bar.volume for bar in part), PLACES),
                )
            )
    made = BarSeries.of(instrument=bars.instrument, timeframe=timeframe, bars=longer)
    return replace(made, sources=bars.sources)


def _drawn(chance: random.Random, bars: int) -> Iterator[Stretch]:
    """Draw regimes, never the same twice in a row."""
    regime = chance.choice(REGIMES)
    while bars > 0:
        length = chance.randint(*STRETCH)
        yield Stretch(regime, length)
        bars -= length
        regime = chance.choice([other for other in REGIMES if other != regime])


def _limited(stretches: Sequence[Stretch] | Iterator[Stretch], bars: int) -> Iterator[Stretch]:
    """Cut what is too long, and let the last regime last when it is too short."""
    known = list(stretches)
    for place, (regime, length) in enumerate(known):
        taken = bars if place == len(known) - 1 else min(length, bars)
        if taken:
            yield Stretch(regime, taken)
        bars -= taken


def _path(
    chance: random.Random, stretches: Sequence[Stretch], *, start: datetime, price: float
) -> Iterator[Bar]:
    base, noise, last = math.log(price), 0.0, price
    opened_at = start
    gauss = chance.gauss
    for regime, length in stretches:
        law, drift, leg = LAWS[regime], LAWS[regime].drift * chance.choice([-1, 1]), 0
        for place in range(length):
            if place == leg:
                drift, leg = -drift, leg + chance.randint(*LEG)
            base += drift + law.walk * gauss()
            noise = law.memory * noise + law.noise * gauss()
            close = math.exp(base + noise)
            step = abs(math.log(close / last)) + (law.walk + law.noise) / 4
            high = max(last, close) * (1 + step * abs(gauss()) / 3)
            low = min(last, close) * (1 - min(step * abs(gauss()) / 3, 0.5))
            volume = 50 * (1 + step / CALM) * math.exp(gauss() / 3)
            opened, last = last, round(close, PLACES)
            yield Bar(
                opened_at,
                round(opened, PLACES),
                round(high, PLACES),
                round(low, PLACES),
                last,
                round(volume, PLACES),
            )
            opened_at += LENGTH
