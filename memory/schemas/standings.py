"""Strategy memory as it is listed, read and deleted over REST (SPEC E6)."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, Field

from memory.errors import AuditRecord, ValidationFailed
from memory.policies.versions import tag_of
from memory.policies.vocabulary import AUDIT_TYPES, VISIBILITIES
from memory.schemas.agents import AGENT
from memory.schemas.answers import Answer
from memory.schemas.browsing import TAG_MAX_CHARS
from memory.schemas.parsing import Body
from memory.schemas.records import ExactUuid, Tag, plain_text
from memory.schemas.strategies import StrategyType, Symbol, Tier

NO_SCOPE = "name a filter, or say all=true: nothing is deleted by leaving everything out"
ONE_SCOPE = "is for all there is; leave it out, or the filters"


class StandingQuery(Body):
    """Which strategy memories. What is left out does not filter.

    `symbol` is canonical: the interface resolves other spellings before.
    """

    agent: ExactUuid | None = Field(default=None, description=AGENT)
    visibility: Literal[*VISIBILITIES] | None = Field(  # type: ignore[valid-type]  # one list serves all layers
        default=None, description="Only what is shared, or only what is not."
    )
    type: Tier | None = Field(default=None, description="Only this tier.")
    tag: (
        Annotated[Tag, Field(min_length=1, max_length=TAG_MAX_CHARS), AfterValidator(plain_text)]
        | None
    ) = Field(default=None, description="Only memories with exactly this tag.")
    symbol: Symbol | None = Field(
        default=None, description="Only memories about this instrument, e.g. ETH (ETHUSDT will do)."
    )
    strategy_type: StrategyType | None = Field(
        default=None, description="Only memories of this strategy type."
    )

    @property
    def filters(self) -> dict[str, str]:
        """The filters that were given, by name."""
        names = ("visibility", "type", "tag", "symbol", "strategy_type")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


class ForgetQuery(StandingQuery):
    """Which strategy memories to delete: those of the list under these filters, or all."""

    all: Literal["true"] | None = Field(
        default=None, description="Delete all of the agent's strategy memory; takes no filter."
    )

    @classmethod
    def parse(cls, data: Any, *, context: object = None) -> Self:
        """Return the validated scope (ValidationFailed: none, or two; AuditRecord)."""
        type_ = data.get("type") if isinstance(data, dict) else None
        if type_ in AUDIT_TYPES:
            raise AuditRecord(f"records of type {type_} are history: they are not deleted here")
        asked = super().parse(data, context=context)
        if asked.all is None and not asked.filters:
            raise ValidationFailed({"all": [NO_SCOPE]})
        if asked.all is not None and asked.filters:
            raise ValidationFailed({"all": [ONE_SCOPE]})
        return asked


class StandingOut(Answer):
    """A strategy memory: what it says, and all that is thought of it (SPEC M2).

    `expires_at` is the end of its life, null for none. `config_hash` is SHA-256 in hex. `author` is
    a user's number. `etag` is what a deletion may name in If-Match.
    """

    id: UUID
    agent: UUID
    type: str
    symbol: str | None
    strategy_type: str | None
    outcome: str | None
    content: str
    tags: list[str]
    confidence: Decimal
    validated_count: int
    relevance_score: Decimal
    visibility: str
    community_confirmations: int
    source_node_uuid: UUID | None
    author: int | None
    config: dict[str, Any] | None
    config_hash: str | None
    metrics: dict[str, Any]
    created_at: datetime
    expires_at: datetime | None
    etag: str


def etag_of_standing(*, id: UUID, revision: int) -> str:
    """Return the entity tag of a standing: each of its moves has a number of its own."""
    return tag_of({"id": str(id), "revision": revision})
