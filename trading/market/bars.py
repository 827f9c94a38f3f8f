"""A series of closed bars, and what is missing in it. No Django here: engines use it too."""

import math
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple, Self

from memory.policies.timeframes import EPOCH, TIMEFRAMES
from trading.errors import BadBars, UnknownTimeframe

MIN_PRICE, MAX_PRICE, MAX_VOLUME = 1e-12, 1e12, 1e18
"""Far beyond any market; inside them the sums and squares of indicators stay finite."""


class Bar(NamedTuple):
    """One closed bar: times are aware UTC, prices in the quote currency, volume in base units."""

    opened_at: datetime
    open: float
    high: float
    low: float
    close: float
    volume: float


class Gap(NamedTuple):
    """`missing` bars, the first of which would have opened at `start`; `end` is there again."""

    start: datetime
    end: datetime
    missing: int


@dataclass(frozen=True, kw_only=True, slots=True)
class BarSeries:
    """Closed bars of one instrument and timeframe, strictly increasing in `opened_at`.

    All columns have the same length. `sources` names where the bars came from, sorted. Raises
    UnknownTimeframe, and BadBars for columns of unequal length or times that do not increase.
    """

    instrument: str
    timeframe: str
    opened_at: tuple[datetime, ...]
    open: tuple[float, ...]
    high: tuple[float, ...]
    low: tuple[float, ...]
    close: tuple[float, ...]
    volume: tuple[float, ...]
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        length_of(timeframe=self.timeframe)
        columns = (self.open, self.high, self.low, self.close, self.volume)
        if {len(column) for column in columns} != {len(self.opened_at)}:
            raise BadBars("the columns of a bar series must have the same length")
        for index, (earlier, later) in enumerate(pairwise(self.opened_at), start=1):
            if later <= earlier:
                raise BadBars(
                    f"bar {index} opened at {later.isoformat()}, not after {earlier.isoformat()}",
                    bar_index=index,
                )

    def __len__(self) -> int:
        return len(self.opened_at)

    @classmethod
    def of(
        cls,
        *,
        instrument: str,
        timeframe: str,
        bars: list[Bar],
        sources: tuple[str, ...] = (),
    ) -> Self:
        """Build a series from rows (errors: see the class)."""
        columns = tuple(zip(*bars, strict=True)) if bars else ((),) * len(Bar._fields)
        return cls(
            instrument=instrument,
            timeframe=timeframe,
            sources=sources,
            **dict(zip(Bar._fields, columns, strict=True)),
        )

    @property
    def length(self) -> timedelta:
        """How long one bar is."""
        return TIMEFRAMES[self.timeframe]

    def closed_at(self, index: int) -> datetime:
        """Return when bar `index` closed: its opening plus the timeframe (IndexError)."""
        return self.opened_at[index] + self.length

    def bar(self, index: int) -> Bar:
        """Return bar `index` as a row (IndexError)."""
        return Bar(
            self.opened_at[index],
            self.open[index],
            self.high[index],
            self.low[index],
            self.close[index],
            self.volume[index],
        )

    def last(self, count: int) -> Self:
        """Return the newest `count` bars (all of them when there are fewer)."""
        cut = max(len(self) - max(count, 0), 0)
        return replace(self, **{name: getattr(self, name)[cut:] for name in Bar._fields})


def length_of(*, timeframe: str) -> timedelta:
    """Return how long a bar of `timeframe` is (UnknownTimeframe)."""
    try:
        return TIMEFRAMES[timeframe]
    except KeyError:
        raise UnknownTimeframe(
            f"{timeframe!r} is no timeframe; known are {', '.join(TIMEFRAMES)}",
            timeframe=timeframe,
        ) from None


def find_gaps(
    *, opened_at: tuple[datetime, ...], timeframe: str, after: datetime | None = None
) -> tuple[Gap, ...]:
    """Return where bars are missing between the given ones, or since the bar opened at `after`."""
    length = length_of(timeframe=timeframe)
    times = opened_at if after is None else (after, *opened_at)
    return tuple(
        Gap(earlier + length, later, -((earlier + length - later) // length))
        for earlier, later in pairwise(times)
        if later - earlier > length
    )


class Problem(NamedTuple):
    """What is wrong with a bar: a code, where, a sentence.

    Codes: `too_old`, `not_a_number`, `impossible_bar`, `out_of_range`.
    """

    code: str
    column: str
    what: str


def problem_of(bar: Bar) -> Problem | None:
    """Return the first thing wrong with a bar, or None.

    The rules are those of the table's constraints, told in words, and the bounds of this module.
    """
    if bar.opened_at < EPOCH:
        what = f"{bar.opened_at.isoformat()} is before {EPOCH:%Y-%m-%d}"
        return Problem("too_old", "opened_at", what)
    for column in ("open", "high", "low", "close", "volume"):
        if problem := _problem_of_number(column, getattr(bar, column)):
            return problem
    if bar.high < max(bar.open, bar.close):
        what = f"high {bar.high} is below open {bar.open} or close {bar.close}"
        return Problem("impossible_bar", "high", what)
    if bar.low > min(bar.open, bar.close):
        what = f"low {bar.low} is above open {bar.open} or close {bar.close}"
        return Problem("impossible_bar", "low", what)
    return None


def _problem_of_number(column: str, number: float) -> Problem | None:
    if not math.isfinite(number):
        return Problem("not_a_number", column, f"{number} is not a finite number")
    if column == "volume":
        impossible, lowest, highest = number < 0, 0.0, MAX_VOLUME
    else:
        impossible, lowest, highest = number <= 0, MIN_PRICE, MAX_PRICE
    what = f"the {'volume' if column == 'volume' else 'price'} {number}"
    if impossible:
        sign = "is negative" if column == "volume" else "is not above 0"
        return Problem("impossible_bar", column, f"{what} {sign}")
    if not lowest <= number <= highest:
        return Problem("out_of_range", column, f"{what} is not from {lowest:g} to {highest:g}")
    return None
