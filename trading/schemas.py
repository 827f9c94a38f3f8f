"""What a trading run is given (SPEC 4)."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from memory.policies.visibility import Status
from memory.schemas.answers import LinkOut, ProducerOut, RunOut
from memory.schemas.parsing import Body, as_written
from memory.schemas.records import ExactUuid

MAX_CHARS_LIMIT = 10_000_000


class ContextQuery(Body):
    """Parameters of a context read."""

    max_chars: (
        Annotated[int, Field(ge=1, le=MAX_CHARS_LIMIT), BeforeValidator(as_written)] | None
    ) = None
    memory_id: ExactUuid | None = None


class Part(BaseModel):
    """A part of a context."""

    model_config = ConfigDict(frozen=True)


class EvidenceIdentity(Part):
    """A record that is not current, or did not fit: identity, provenance, deadline, status.

    `expires_at` is its deadline in this context: a correction's is no later than its originals'.
    `run` is null for imported history without one.
    """

    memory_id: UUID
    status: Status
    type: str
    scope: str
    instruments: list[str]
    producer: ProducerOut
    run: RunOut | None
    timeframe: str | None
    created_at: datetime
    expires_at: datetime | None
    expiry_policy: str | None
    correction_target_ids: list[UUID]


class EvidenceOmitted(EvidenceIdentity):
    """A fresh record that did not fit into `max_chars`; fetch it alone with `memory_id`."""

    omitted: bool


class EvidenceWhole(EvidenceIdentity):
    """A fresh record, whole."""

    content: str
    metadata: dict[str, Any]
    tags: list[str]
    links: list[LinkOut]


class Learning(Part):
    """A lesson that review drew."""

    memory_id: UUID
    content: str
    created_at: datetime


class ContextOut(Part):
    """The context of one instrument at `as_of`.

    `more_corrections` tells of corrections past their deadline that are not listed.
    `receipt_id` and `coverage` are null as long as no receipts and no coverage are kept.
    """

    instrument: str
    as_of: datetime
    receipt_id: UUID | None
    more_corrections: bool
    coverage: dict[str, Any] | None
    evidence: list[EvidenceWhole | EvidenceOmitted | EvidenceIdentity]
    learnings: list[Learning]
