"""What all blocks share: their metadata, and the kinds of numbers they take.

Terms of the blocks' docstrings: the *close* is that of the bar just closed; ATR is Wilder's, of
ATR_LENGTH bars where a block has no length of its own; averages are simple unless called EMA;
"the N bars before" leave out the bar just closed. What is said of long holds mirrored for short.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

Timeframe = Literal["5m", "15m", "1h", "4h", "1d"]
TIMEFRAMES: tuple[Timeframe, ...] = ("5m", "15m", "1h", "4h", "1d")
"""What a strategy may trade on, short to long."""
INTRADAY = frozenset({"5m", "15m", "1h"})
DATA = frozenset({"volume", "funding"})
"""What a market may have beside prices."""
ATR_LENGTH = 14
SETTLING = 3
"""An average that never forgets (EMA, Wilder's) is used after this many times its length."""


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = BeforeValidator(_whole)
"""Lets 12.0 be 12; true and "12" are no numbers."""
Len = Annotated[int, Field(strict=True, ge=2, le=500), Whole]
"""A number of bars."""
Pct = Annotated[float, Field(strict=True, gt=0, le=50)]
Mult = Annotated[float, Field(strict=True, gt=0, le=20)]
Ratio = Annotated[float, Field(strict=True, gt=0, le=50)]
"""A multiple of the initial risk (R), or of something that a target is measured in."""
Buffer = Annotated[float, Field(strict=True, ge=0, le=3)]
"""A multiple of ATR that may be nothing."""


def misplaced(at: str, what: str) -> PydanticCustomError:
    """Return the problem `what` of the part `at` of the model that is being validated."""
    return PydanticCustomError("misplaced", "{what}", {"at": at, "what": what})


def _shorten(schema: dict[str, Any]) -> None:
    """Leave out of a JSON schema what tells a reader nothing: the titles."""
    schema.pop("title", None)
    for part in schema.get("properties", {}).values():
        part.pop("title", None)
    if "type" in schema.get("properties", {}):
        # It has a default for code that makes blocks; in JSON it is what tells them apart.
        schema["required"] = ["type", *schema.get("required", [])]


class Part(BaseModel):
    """A part of a strategy: immutable, complete, no key that it does not know."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, json_schema_extra=_shorten
    )

    @field_validator("*")
    @classmethod
    def _one_zero(cls, value: object) -> object:
        # -0.0 equals 0.0 and would be written, so hashed, differently.
        return 0.0 if isinstance(value, float) and value == 0 else value


class Block(Part):
    """A part that reads the market. Its class says where it may be used, and what it needs.

    `timeframes` is None for all; `needs` are of DATA; `strategy_type` is None where a block says
    nothing about the kind of a strategy (all but foundations).
    """

    pro_only: ClassVar[bool] = False
    timeframes: ClassVar[frozenset[str] | None] = None
    needs: ClassVar[frozenset[str]] = frozenset()
    tags: ClassVar[tuple[str, ...]] = ()
    strategy_type: ClassVar[str | None] = None

    type: str

    def warmup(self, *, timeframe: str) -> int:  # noqa: ARG002 - for those that read another one
        """Return how many bars of `timeframe` must precede the first bar it may be asked on."""
        return 0
