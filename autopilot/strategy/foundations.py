"""Foundations: blocks that fire, on a closed bar, for long or for short. Terms: see `base`."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from autopilot.strategy.base import (
    ATR_LENGTH,
    SETTLING,
    Block,
    Buffer,
    Len,
    Mult,
    Pct,
    misplaced,
)

Level = Annotated[float, Field(strict=True, gt=0, lt=100)]
"""A level of an oscillator that runs from 0 to 100."""
Multiple = Annotated[float, Field(strict=True, gt=1, le=20)]
ATR_WARMUP = SETTLING * ATR_LENGTH


def fast_below_slow(fast: int, slow: int) -> None:
    """Refuse two lengths in the wrong order (PydanticCustomError)."""
    if fast >= slow:
        raise misplaced("slow", f"must be above fast, which is {fast}; it is {slow}")


class EmaCross(Block):
    """EMA `fast` crosses above EMA `slow` at this close."""

    tags: ClassVar[tuple[str, ...]] = ("momentum", "trend")
    strategy_type: ClassVar[str | None] = "trend_following"

    type: Literal["ema_cross"] = "ema_cross"
    fast: Len = 12
    slow: Len = 48

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        fast_below_slow(self.fast, self.slow)
        return self

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return the slow average's settling."""
        return SETTLING * self.slow


class MacdCross(Block):
    """The MACD line crosses above its signal line at this close."""

    tags: ClassVar[tuple[str, ...]] = ("momentum",)
    strategy_type: ClassVar[str | None] = "momentum"

    type: Literal["macd_cross"] = "macd_cross"
    fast: Len = 12
    slow: Len = 26
    signal: Len = 9

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        fast_below_slow(self.fast, self.slow)
        return self

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return the settling of the slow average, then of the average over it."""
        return SETTLING * (self.slow + self.signal)


class RocMomentum(Block):
    """The close is at least `min_pct` % above the close `length` bars before."""

    tags: ClassVar[tuple[str, ...]] = ("momentum",)
    strategy_type: ClassVar[str | None] = "momentum"

    type: Literal["roc_momentum"] = "roc_momentum"
    length: Len = 24
    min_pct: Pct = 2.0

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return the distance it looks back."""
        return self.length


class DonchianBreak(Block):
    """The close is above the highest high of the `length` bars before by `buffer_atr` ATR."""

    tags: ClassVar[tuple[str, ...]] = ("breakout",)
    strategy_type: ClassVar[str | None] = "breakout"

    type: Literal["donchian_break"] = "donchian_break"
    length: Len = 48
    buffer_atr: Buffer = 0.0

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return the channel's length, or ATR's settling where it counts."""
        return max(self.length, ATR_WARMUP if self.buffer_atr else 0)


class SqueezeBreak(Block):
    """Bollinger bands leave the Keltner channel they were inside of a bar ago, closing above it.

    Bands: average ± `bb_mult` deviations; channel: EMA ± `kc_mult` ATR; all of `length` bars.
    Above is above the average (short: below).
    """

    pro_only: ClassVar[bool] = True
    tags: ClassVar[tuple[str, ...]] = ("breakout", "volatility")
    strategy_type: ClassVar[str | None] = "breakout"

    type: Literal["squeeze_break"] = "squeeze_break"
    length: Len = 20
    bb_mult: Mult = 2.0
    kc_mult: Mult = 1.5

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return the channel's settling."""
        return SETTLING * self.length


class RetestLevel(Block):
    """A broken level is touched from above and holds.

    The level is the highest high of the `lookback` bars that end `lookback` bars ago; one of the
    `lookback` bars before closed above it; now the low comes within `tolerance_atr` ATR of it, or
    below it, and the close is above it.
    """

    tags: ClassVar[tuple[str, ...]] = ("breakout", "retest")
    strategy_type: ClassVar[str | None] = "breakout"

    type: Literal["retest_level"] = "retest_level"
    lookback: Len = 48
    tolerance_atr: Buffer = 0.5

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return both stretches of bars it looks over."""
        return max(2 * self.lookback, ATR_WARMUP)


class RsiReversal(Block):
    """RSI crosses back above `low` at this close (short: back below `high`)."""

    tags: ClassVar[tuple[str, ...]] = ("mean_reversion",)
    strategy_type: ClassVar[str | None] = "mean_reversion"

    type: Literal["rsi_reversal"] = "rsi_reversal"
    length: Len = 14
    low: Level = 30.0
    high: Level = 70.0

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.low >= self.high:
            raise misplaced("high", f"must be above low, which is {self.low:g}")
        return self

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return RSI's settling."""
        return SETTLING * self.length


class BandReversal(Block):
    """The close crosses back above the lower Bollinger band (short: below the upper one)."""

    tags: ClassVar[tuple[str, ...]] = ("mean_reversion",)
    strategy_type: ClassVar[str | None] = "mean_reversion"

    type: Literal["band_reversal"] = "band_reversal"
    length: Len = 20
    mult: Mult = 2.0

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return the band's length: the bar before has a band too."""
        return self.length


class VolumeSpike(Block):
    """Volume of `multiple` times the mean of the `length` bars before, on a bar that rose.

    The body, from open to close, is at least `body_atr` ATR.
    """

    needs: ClassVar[frozenset[str]] = frozenset({"volume"})
    tags: ClassVar[tuple[str, ...]] = ("volume",)
    strategy_type: ClassVar[str | None] = "breakout"

    type: Literal["volume_spike"] = "volume_spike"
    length: Len = 48
    multiple: Multiple = 2.0
    body_atr: Buffer = 0.5

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return the longer of the mean's length and ATR's settling."""
        return max(self.length, ATR_WARMUP)
