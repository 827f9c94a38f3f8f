"""Exits: stops, targets and what manages an open position. Terms: see `base`.

Distances count from the fill and are positive, so a stop or target on the wrong side cannot be
said. ATR is that of the bar whose close gave the signal; a trail's is that of each closed bar.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from autopilot.strategy.base import (
    ATR_LENGTH,
    SETTLING,
    Block,
    Buffer,
    Len,
    Mult,
    Pct,
    Ratio,
    Whole,
)


class StopPct(Block):
    """The stop is `pct` % from the fill."""

    type: Literal["stop_pct"] = "stop_pct"
    pct: Pct = 2.0


class StopAtr(Block):
    """The stop is `mult` ATR of `length` from the fill."""

    type: Literal["stop_atr"] = "stop_atr"
    length: Len = 14
    mult: Mult = 2.5

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return ATR's settling."""
        return SETTLING * self.length


class StopSwing(Block):
    """The stop is `buffer_atr` ATR below the lowest low of `lookback` bars, this one the last."""

    type: Literal["stop_swing"] = "stop_swing"
    lookback: Len = 10
    buffer_atr: Buffer = 0.25

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return the bars looked over, or ATR's settling where it counts."""
        return max(self.lookback, SETTLING * ATR_LENGTH if self.buffer_atr else 0)


class TpR(Block):
    """The target is `r` times the initial stop distance from the fill."""

    type: Literal["tp_r"] = "tp_r"
    r: Ratio = 2.0


class TpPct(Block):
    """The target is `pct` % from the fill."""

    type: Literal["tp_pct"] = "tp_pct"
    pct: Pct = 4.0


class TpAtr(Block):
    """The target is `mult` ATR of `length` from the fill."""

    type: Literal["tp_atr"] = "tp_atr"
    length: Len = 14
    mult: Ratio = 4.0

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return ATR's settling."""
        return SETTLING * self.length


class TrailAtr(Block):
    """The stop follows `mult` ATR behind the close, once a close has gained `activate_r` R.

    It never moves back, and acts from the bar after the close that set it.
    """

    pro_only: ClassVar[bool] = True

    type: Literal["trail_atr"] = "trail_atr"
    length: Len = 14
    mult: Mult = 3.0
    activate_r: Annotated[float, Field(strict=True, ge=0, le=50)] = 1.0

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - as the base has it
        """Return ATR's settling."""
        return SETTLING * self.length


class Breakeven(Block):
    """After a bar that gained `at_r` R, the stop stands `offset_pct` % beyond the fill."""

    type: Literal["breakeven"] = "breakeven"
    at_r: Ratio = 1.0
    offset_pct: Annotated[float, Field(strict=True, ge=0, le=50)] = 0.05


class TimeExit(Block):
    """The position is closed at the open of the bar `bars` after the entry's."""

    type: Literal["time_exit"] = "time_exit"
    bars: Annotated[int, Field(strict=True, ge=1, le=5000), Whole] = 96
