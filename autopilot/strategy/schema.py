"""A whole strategy, and the one way from untrusted JSON to it (SPEC A5)."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, ValidationError, field_validator, model_validator

from autopilot.errors import InvalidStrategy
from autopilot.strategy.base import INTRADAY, Block, Part, Timeframe, misplaced
from autopilot.strategy.blocks import (
    FilterBlock,
    FoundationBlock,
    ManageBlock,
    StopBlock,
    TargetBlock,
)
from autopilot.strategy.filters import HtfTrend
from autopilot.strategy.problems import problems_by_place
from memory.policies.text import unstorable

Side = Literal["long", "short", "both"]
LINE_BREAKING = frozenset({"Cc", "Zl", "Zp"})
"""Unicode categories: controls, line and paragraph separators."""


def exact_sum(numbers: Iterable[float]) -> Decimal:
    """Return the sum of numbers as they are written: 0.7 and 0.1 make 0.8, not 0.7999…."""
    return sum((Decimal(repr(number)) for number in numbers), Decimal(0))


class Foundation(Part):
    """A block that may fire, and what it counts when it does."""

    weight: Annotated[float, Field(strict=True, gt=0, le=10)]
    block: FoundationBlock


class Partial(Part):
    """At `target`, `fraction` of the initial size is closed."""

    target: TargetBlock
    fraction: Annotated[float, Field(strict=True, gt=0, lt=1)]


class Exits(Part):
    """How a position ends: always by a stop, and by at least one way that can win."""

    stop: StopBlock
    take_profit: TargetBlock | None = None
    partials: Annotated[tuple[Partial, ...], Field(max_length=4)] = ()
    manage: Annotated[tuple[ManageBlock, ...], Field(max_length=3)] = ()

    @model_validator(mode="after")
    def _can_win(self) -> Self:
        closed = exact_sum(partial.fraction for partial in self.partials)
        if closed > 1:
            raise misplaced("partials", f"close {closed} of the position: their fractions exceed 1")
        # Breakeven moves the stop; it ends no position that goes on winning.
        ends = [block for block in self.manage if block.type != "breakeven"]
        if self.take_profit is None and not self.partials and not ends:
            raise misplaced(
                "take_profit",
                "is needed where nothing but the stop ends a position: give it, partials, "
                "trail_atr or time_exit",
            )
        return self


class Sizing(Part):
    """What a position risks at its stop, in % of equity, and how large it may be at most."""

    risk_pct: Annotated[float, Field(strict=True, gt=0, le=5)] = 1.0
    max_leverage: Annotated[float, Field(strict=True, gt=0, le=50)] = 3.0


class Strategy(Part):
    """Enter when the weights of the foundations that fire reach `entry_threshold`.

    Every filter must pass, too. Long and short are symmetric; `side` says which are taken.
    """

    # A new default or field changes the hashes of old configurations: then this goes up.
    schema_version: Literal[1] = 1
    name: Annotated[
        str, StringConstraints(strict=True, strip_whitespace=True, min_length=1, max_length=80)
    ]
    timeframe: Timeframe
    side: Side = "both"
    foundations: Annotated[tuple[Foundation, ...], Field(min_length=1, max_length=5)]
    entry_threshold: Annotated[float, Field(strict=True, gt=0, le=50)] = 1.0
    filters: Annotated[tuple[FilterBlock, ...], Field(max_length=6)] = ()
    exits: Exits
    sizing: Sizing = Sizing()

    @field_validator("schema_version", mode="before")
    @classmethod
    def _whole_version(cls, value: object) -> object:
        # true equals 1, and is no version.
        return str(value) if isinstance(value, bool) else value

    @field_validator("name")
    @classmethod
    def _one_line(cls, name: str) -> str:
        if problem := unstorable(name):
            raise ValueError(problem)
        if any(unicodedata.category(char) in LINE_BREAKING for char in name):
            raise ValueError("holds a line break or another control character")
        return name

    @model_validator(mode="after")
    def _can_enter(self) -> Self:
        weights = exact_sum(foundation.weight for foundation in self.foundations)
        if exact_sum([self.entry_threshold]) > weights:
            raise misplaced(
                "entry_threshold",
                f"is {self.entry_threshold:g}, above the sum of the weights, {weights}: "
                "no entry could ever happen",
            )
        return self

    @model_validator(mode="after")
    def _higher_is_higher(self) -> Self:
        for index, block in enumerate(self.filters):
            if not isinstance(block, HtfTrend) or self.timeframe not in INTRADAY:
                continue  # where the block may not stand at all, the restrictions say so
            if not block.is_above(timeframe=self.timeframe):
                raise misplaced(
                    f"filters[{index}].timeframe",
                    f"is {block.timeframe}, not above the strategy's {self.timeframe}",
                )
        return self

    @classmethod
    def parse(cls, value: object) -> Self:
        """Return the strategy in untrusted JSON (InvalidStrategy: with every place wrong)."""
        if isinstance(value, cls):
            return value
        if not isinstance(value, Mapping):
            raise InvalidStrategy({"": ["a strategy must be a JSON object"]})
        try:
            return cls.model_validate(dict(value))
        except ValidationError as error:
            raise InvalidStrategy(problems_by_place(error)) from None

    def blocks(self) -> Iterator[tuple[str, Block]]:
        """Yield (path, block) of every block, e.g. `exits.partials[0].target`, in reading order."""
        for index, foundation in enumerate(self.foundations):
            yield f"foundations[{index}].block", foundation.block
        for index, block in enumerate(self.filters):
            yield f"filters[{index}]", block
        yield "exits.stop", self.exits.stop
        if self.exits.take_profit is not None:
            yield "exits.take_profit", self.exits.take_profit
        for index, partial in enumerate(self.exits.partials):
            yield f"exits.partials[{index}].target", partial.target
        for index, manager in enumerate(self.exits.manage):
            yield f"exits.manage[{index}]", manager

    def warmup(self) -> int:
        """Return how many bars must precede the first bar that may give a signal."""
        return max(block.warmup(timeframe=self.timeframe) for _, block in self.blocks())

    def enters(self, *, fired: Iterable[int]) -> bool:
        """Tell whether the foundations of these indexes, when they fire, reach the threshold.

        Weights add up as they are written, so 0.7 + 0.1 reaches 0.8; a sum of floats does not.
        """
        weight = exact_sum(self.foundations[index].weight for index in set(fired))
        return weight >= exact_sum([self.entry_threshold])
