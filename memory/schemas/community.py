"""Sharing over REST: the flag that is set, and what is answered (SPEC M8, E6)."""

from datetime import datetime
from decimal import Decimal
from uuid import UUID

from pydantic import StrictBool

from memory.policies.versions import tag_of
from memory.schemas.answers import Answer
from memory.schemas.parsing import Body


class SharingChange(Body):
    """Whether the agent shares from now on, and reads what others share."""

    enabled: StrictBool


class SharingOut(Answer):
    """Whether the agent shares. `source_node_uuid` is how others know it; `etag` as in If-Match."""

    enabled: bool
    source_node_uuid: UUID
    etag: str


class EvidenceOut(Answer):
    """What stands behind a shared memory: the trades of both windows, over how many whole days."""

    trades: int
    days: int
    timeframe: str | None


class SharedOut(Answer):
    """A memory as others may read it. `shared_id` is the copy's, `memory_id` the author's own.

    `expires_at` null: permanent. The copy moves by others' backtests, and the author's memory by
    the author's.
    """

    shared_id: UUID
    memory_id: UUID
    source_node_uuid: UUID
    type: str
    symbol: str | None
    strategy_type: str | None
    outcome: str | None
    tags: list[str]
    content: str
    confidence: Decimal
    validated_count: int
    community_confirmations: int
    evidence: EvidenceOut
    shared_at: datetime
    expires_at: datetime | None


def etag_of_sharing(*, id: UUID, enabled: bool, revision: int) -> str:
    """Return the entity tag of an agent's sharing; each change has one of its own."""
    return tag_of({"id": str(id), "enabled": enabled, "revision": revision})
