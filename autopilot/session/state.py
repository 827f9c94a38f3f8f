"""What later steps of a session need of earlier ones. It holds no number of a holdout (SPEC A9)."""

from collections.abc import Iterable
from typing import Any, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from autopilot.errors import UnreadableState


class Part(BaseModel):
    """A part of the state."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True)


class Turn(Part):
    """The iteration under way.

    `symbol` and `tags` are what memory is searched for. `feedback` says what was wrong with the
    strategy of the last try, `corrections` how many tries were refused. `cited` are the memories
    that the advisor says it rests on.
    """

    number: int
    symbol: str = ""
    tags: list[str] = Field(default_factory=list)
    corrections: int = 0
    feedback: list[dict[str, Any]] = Field(default_factory=list)
    cited: list[UUID] = Field(default_factory=list)
    advice: str = ""
    strategy: dict[str, Any] | None = None
    backtest: UUID | None = None
    insight: UUID | None = None


class Past(Part):
    """An iteration that is over. `reason` says why one failed; it is empty for a finished one."""

    number: int
    reason: str = ""
    advice: str = ""
    backtest: UUID | None = None
    insight: UUID | None = None


class Success(Part):
    """What counted as a success when the session began: a PnL in percent above, so many trades."""

    pnl_above: str
    min_trades: int


class State(Part):
    """What a session knows.

    `available` is of `volume` and `funding`: what its market has beside prices, before the holdout.
    `base` is the best backtest so far: the next iteration starts from its strategy. `seen` are the
    memories it was shown that a holdout formed which overlaps with its own.
    """

    available: list[str] = Field(default_factory=list)
    success: Success | None = None
    summary: str = ""
    turn: Turn | None = None
    past: list[Past] = Field(default_factory=list)
    base: UUID | None = None
    seen: list[UUID] = Field(default_factory=list)

    @classmethod
    def read(cls, stored: dict[str, Any]) -> Self:
        """Return the state as a session keeps it (UnreadableState: it is no such thing)."""
        try:
            return cls.model_validate(stored)
        except ValidationError:
            raise UnreadableState("what the session has stored of itself cannot be read") from None

    def as_json(self) -> dict[str, Any]:
        """Return it as a session keeps it."""
        return self.model_dump(mode="json", exclude_defaults=True)

    @property
    def this(self) -> Turn:
        """The iteration under way (LookupError: there is none, which no step should see)."""
        if self.turn is None:
            raise LookupError("no iteration is under way")
        return self.turn

    def end_turn(self, *, reason: str = "") -> None:
        """Put the iteration under way with the past ones."""
        turn = self.this
        self.past.append(
            Past(
                number=turn.number,
                reason=reason,
                advice=turn.advice,
                backtest=turn.backtest,
                insight=turn.insight,
            )
        )
        self.turn = None

    def note_seen(self, ids: Iterable[UUID]) -> None:
        """Count memories that know a part of the holdout, each once."""
        self.seen = list(dict.fromkeys([*self.seen, *ids]))
