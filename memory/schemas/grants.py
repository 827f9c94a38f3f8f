"""Grants over REST: what is sent, and what is answered (SPEC M10)."""

from datetime import datetime
from uuid import UUID

from memory.schemas.answers import Answer
from memory.schemas.parsing import Body
from memory.schemas.records import ExactUuid


class GrantDraft(Body):
    """Which agent of the same owner is to be read."""

    source: ExactUuid


class GrantOut(Answer):
    """That the agent may read the live rules and insights of `source`, until it is revoked."""

    id: UUID
    source: UUID
    source_name: str
    granted_at: datetime
    revoked_at: datetime | None
