"""Parameters of the autopilot's routes."""

from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from memory.schemas.parsing import Body, as_written

SEQ_MAX = 999_999_999


type Seq = Annotated[int, Field(ge=0, le=SEQ_MAX), BeforeValidator(as_written)]


class EventsQuery(Body):
    """Which events: those after the one that the reader has last, and how many in a page.

    The context is the largest page.
    """

    after: Seq = 0
    limit: Annotated[int, BeforeValidator(as_written)]

    @field_validator("limit")
    @classmethod
    def limit_within_bounds(cls, value: int, info: ValidationInfo) -> int:
        """Between 1 and the largest page."""
        highest = int(info.context or value)
        if not 1 <= value <= highest:
            raise ValueError(f"must be a whole number from 1 to {highest}")
        return value


class Resumption(Body):
    """The header of a stream that comes again: the last event that it was sent."""

    seq: Seq | None = Field(None, alias="Last-Event-ID")
