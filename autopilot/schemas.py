"""Bodies of the autopilot's routes (SPEC A1)."""

from typing import Annotated, Any, Literal

from pydantic import Field, StrictInt, field_validator

from memory.schemas.parsing import Body
from memory.schemas.records import InstrumentName, Text, plain_text

PROMPT_MAX_CHARS = 4_000
MAX_ITERATIONS, ITERATIONS_BY_DEFAULT = 30, 5
UNTIL_PROFITABLE = "until_profitable"
STRATEGY_TIMEFRAMES = ("5m", "15m", "1h", "4h", "1d")


class SessionDraft(Body):
    """Start a session: what it should look for, on which instrument and timeframe, how long.

    `symbol` and `timeframe` may be left out: the prompt then names the instrument, and the stored
    candles decide the timeframe. `until_profitable` is up to 30 iterations, until one succeeds.
    """

    prompt: Text
    symbol: InstrumentName | None = None
    timeframe: Literal[*STRATEGY_TIMEFRAMES] | None = None  # type: ignore[valid-type]  # one list
    max_iterations: (
        Annotated[StrictInt, Field(ge=1, le=MAX_ITERATIONS)] | Literal["until_profitable"]
    ) = ITERATIONS_BY_DEFAULT

    @field_validator("prompt")
    @classmethod
    def prompt_within_bounds(cls, value: str) -> str:
        """Between 1 and the most characters, after stripping."""
        if not 1 <= len(value) <= PROMPT_MAX_CHARS:
            raise ValueError(f"must have 1 to {PROMPT_MAX_CHARS} characters, has {len(value)}")
        return plain_text(value)

    @field_validator("symbol")
    @classmethod
    def symbol_is_text(cls, value: str | None) -> str | None:
        """Refuse what PostgreSQL cannot store as text."""
        return None if value is None else plain_text(value)

    @field_validator("max_iterations", mode="before")
    @classmethod
    def iterations_within_bounds(cls, value: Any) -> Any:
        """Say it in one sentence: a union would answer with one for each of its members."""
        counted = isinstance(value, int) and not isinstance(value, bool)
        if value == UNTIL_PROFITABLE or (counted and 1 <= value <= MAX_ITERATIONS):
            return value
        raise ValueError(f"must be a whole number from 1 to {MAX_ITERATIONS}, or until_profitable")

    @property
    def until_profitable(self) -> bool:
        """Whether the session stops at its first success."""
        return self.max_iterations == UNTIL_PROFITABLE

    @property
    def iterations(self) -> int:
        """The most iterations that the session may take."""
        return MAX_ITERATIONS if isinstance(self.max_iterations, str) else self.max_iterations
