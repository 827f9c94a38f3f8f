"""Bodies that start and finish a run (SPEC R5, F8)."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StrictStr, field_validator

from memory.schemas.parsing import Body
from memory.schemas.records import ExactUuid, plain_text

ERROR_MAX_CHARS = 2_000


def zoned(value: Any) -> Any:
    """Read an ISO 8601 time with a zone; numbers and bare dates are not accepted."""
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
        if moment.utcoffset() is not None:
            return moment.astimezone(UTC)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError("must be an ISO 8601 time with a zone") from error
    raise ValueError("must be an ISO 8601 time with a zone")


class RunDraft(Body):
    """Start a run. With a token the producer is the token's and may be left out."""

    producer: ExactUuid | None = None
    evidence_boundary: Annotated[datetime, BeforeValidator(zoned)] | None = None


class RunEnd(Body):
    """Finish a run."""

    status: Literal["succeeded", "failed"]
    error: StrictStr = Field(default="", max_length=ERROR_MAX_CHARS)

    @field_validator("error")
    @classmethod
    def error_is_text(cls, value: str) -> str:
        """Refuse what PostgreSQL cannot store as text."""
        return plain_text(value)
