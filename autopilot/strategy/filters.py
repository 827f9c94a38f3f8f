"""Filters: blocks that let an entry pass or not, on a closed bar. Terms: see `base`."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from autopilot.strategy.base import INTRADAY, SETTLING, Block, Len, Mult, Pct, Whole, misplaced
from memory.policies.timeframes import TIMEFRAMES

SessionName = Literal["asia", "london", "new_york"]
SESSION_HOURS: dict[SessionName, tuple[int, int]] = {
    "asia": (0, 9),
    "london": (7, 16),
    "new_york": (13, 22),
}
"""[from, to) in whole hours UTC, the whole year: crypto keeps no daylight-saving time."""
EVERY_DAY = (0, 1, 2, 3, 4, 5, 6)
"""Monday is 0."""


def _sorted_once[T: (str, int)](values: tuple[T, ...]) -> tuple[T, ...]:
    # Their order means nothing, so it must not make another configuration.
    return tuple(sorted(set(values)))


class TrendMa(Block):
    """The close is above its average of `length`, which has risen over `slope_bars` (0: any)."""

    tags: ClassVar[tuple[str, ...]] = ("trend_filter",)

    type: Literal["trend_ma"] = "trend_ma"
    length: Len = 200
    slope_bars: Annotated[int, Field(strict=True, ge=0, le=500), Whole] = 0

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return the average's length, and how far back its slope looks."""
        return self.length + self.slope_bars


class HtfTrend(Block):
    """The last closed bar of a higher timeframe closed above its average of `length`."""

    timeframes: ClassVar[frozenset[str] | None] = INTRADAY
    tags: ClassVar[tuple[str, ...]] = ("trend_filter", "mtf")

    type: Literal["htf_trend"] = "htf_trend"
    timeframe: Literal["1h", "4h", "1d"] = "4h"
    length: Len = 50

    def is_above(self, *, timeframe: str) -> bool:
        """Tell whether its timeframe is higher than `timeframe`."""
        return TIMEFRAMES[self.timeframe] > TIMEFRAMES[timeframe]

    def warmup(self, *, timeframe: str) -> int:
        """Return the higher bars needed, one cut off at the start among them, in base bars."""
        ratio = TIMEFRAMES[self.timeframe] // TIMEFRAMES[timeframe]
        return (self.length + 1) * max(ratio, 1)


class Adx(Block):
    """ADX is at least `min`, for either side."""

    tags: ClassVar[tuple[str, ...]] = ("trend_strength",)

    type: Literal["adx"] = "adx"
    length: Len = 14
    min: Annotated[float, Field(strict=True, gt=0, lt=100)] = 25.0

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return ADX's settling."""
        return SETTLING * self.length


class Natr(Block):
    """ATR in % of the close is from `min_pct` to `max_pct`, for either side; one may be absent."""

    tags: ClassVar[tuple[str, ...]] = ("volatility_filter",)

    type: Literal["natr"] = "natr"
    length: Len = 14
    min_pct: Pct | None = None
    max_pct: Pct | None = None

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        if self.min_pct is None and self.max_pct is None:
            raise misplaced("min_pct", "is needed where there is no max_pct")
        if self.min_pct is not None and self.max_pct is not None and self.min_pct >= self.max_pct:
            raise misplaced("max_pct", f"must be above min_pct, which is {self.min_pct:g}")
        return self

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return ATR's settling."""
        return SETTLING * self.length


class RelVolume(Block):
    """Volume is at least `min` times the mean of the `length` bars before, for either side."""

    needs: ClassVar[frozenset[str]] = frozenset({"volume"})
    tags: ClassVar[tuple[str, ...]] = ("volume_filter",)

    type: Literal["rel_volume"] = "rel_volume"
    length: Len = 24
    min: Mult = 1.5

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return the mean's length."""
        return self.length


class Session(Block):
    """The bar closed inside one of `sessions` (UTC hours, see SESSION_HOURS) on a weekday of these.

    An hour is half-open: a close at 09:00 is no longer asia. Monday is 0.
    """

    timeframes: ClassVar[frozenset[str] | None] = INTRADAY
    tags: ClassVar[tuple[str, ...]] = ("session",)

    type: Literal["session"] = "session"
    sessions: Annotated[
        tuple[SessionName, ...], Field(min_length=1, max_length=3), AfterValidator(_sorted_once)
    ]
    weekdays: Annotated[
        tuple[Annotated[int, Field(strict=True, ge=0, le=6), Whole], ...],
        Field(min_length=1, max_length=7),
        AfterValidator(_sorted_once),
    ] = EVERY_DAY


class Funding(Block):
    """The last funding rate is at most `max_abs_bps_8h` basis points per 8 hours, either sign."""

    pro_only: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"funding"})
    tags: ClassVar[tuple[str, ...]] = ("funding",)

    type: Literal["funding"] = "funding"
    max_abs_bps_8h: Annotated[float, Field(strict=True, gt=0, le=1000)] = 5.0
