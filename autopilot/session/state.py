"""What later steps of a session need of earlier ones. It holds no number of a holdout (SPEC A9)."""

from typing import Any, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field


class Part(BaseModel):
    """A part of the state."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True)


class Turn(Part):
    """The iteration under way.

    `feedback` names what was wrong with the strategies of earlier tries, `corrections` counts
    them. `offered` are the memories that the advisor was shown, `applied` the rules that it says
    it applied.
    """

    number: int
    tags: list[str] = Field(default_factory=list)
    corrections: int = 0
    feedback: list[dict[str, Any]] = Field(default_factory=list)
    offered: list[UUID] = Field(default_factory=list)
    applied: list[UUID] = Field(default_factory=list)
    advice: str = ""
    strategy: dict[str, Any] | None = None
    backtest: UUID | None = None
    insight: UUID | None = None


class Past(Part):
    """An iteration that is over. `reason` says why one failed; it is empty for a finished one."""

    number: int
    reason: str = ""
    tags: list[str] = Field(default_factory=list)
    advice: str = ""
    backtest: UUID | None = None
    insight: UUID | None = None


class State(Part):
    """`base` is the backtest whose strategy the next iteration starts from."""

    summary: str = ""
    tags: list[str] = Field(default_factory=list)
    turn: Turn | None = None
    past: list[Past] = Field(default_factory=list)
    base: UUID | None = None

    @classmethod
    def read(cls, stored: dict[str, Any]) -> Self:
        """Return the state as a session keeps it."""
        return cls.model_validate(stored)

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
                tags=turn.tags,
                advice=turn.advice,
                backtest=turn.backtest,
                insight=turn.insight,
            )
        )
        self.turn = None
