"""The search of strategy memory: what is asked, and the answer (SPEC S1, S4)."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, Field, StrictStr

from memory.schemas.answers import Answer
from memory.schemas.parsing import Body
from memory.schemas.records import ExactUuid, Tag, plain_text
from memory.schemas.strategies import StrategyType, Symbol

QUERY_MAX_CHARS = 1_024
TAGS_MAX = 32
TAG_MAX_CHARS = 64

type Cause = Literal[
    "shown",
    "unknown",
    "type",
    "merged",
    "original",
    "expired",
    "tag",
    "symbol",
    "strategy_type",
    "slot_full",
    "budget",
]

SAYS: dict[str, str] = {
    "shown": "it is in this answer",
    "unknown": "this agent has and reads no live memory of that id",
    "type": "the search shows rules and strategy insights alone",
    "merged": "it was merged into another memory, which stands for it",
    "original": "it is a copy of a memory that this agent reads itself",
    "expired": "its time is over, or it was deprecated",
    "tag": "it has none of the tags asked for",
    "symbol": "it is about another symbol, and no strategy_type was asked for",
    "strategy_type": "it is about another symbol, and of another strategy_type",
    "slot_full": "others of its section rank before it",
    "budget": "the answer was full before its turn",
}


class SearchQuery(Body):
    """What to search for. Whose memory is searched comes from the caller's identity alone.

    `symbol` is canonical: the interface resolves other spellings before.
    """

    tags: list[
        Annotated[Tag, Field(min_length=1, max_length=TAG_MAX_CHARS), AfterValidator(plain_text)]
    ] = Field(default_factory=list, max_length=TAGS_MAX)
    symbol: Symbol | None = None
    strategy_type: StrategyType | None = None
    query: (
        Annotated[StrictStr, Field(max_length=QUERY_MAX_CHARS), AfterValidator(plain_text)] | None
    ) = None
    why_not: ExactUuid | None = None


class SearchItem(Answer):
    """A memory in the answer, to be cited by its id. `score` is null without a query.

    `community`: another agent shares it, called `source_node_uuid`; the id is the copy's, and
    `expires_at` the end of the copy's last day. Else the node is null. `granted_from` names the
    agent of the same owner that it is read from, if any.
    """

    memory_id: UUID
    type: str
    section: Literal["rule", "exact", "transfer"]
    symbol: str | None
    strategy_type: str | None
    outcome: str | None
    confidence: Decimal
    validated_count: int
    relevance_score: Decimal
    tag_overlap: int
    score: float | None
    community: bool
    granted_from: str | None
    source_node_uuid: UUID | None
    created_at: datetime
    expires_at: datetime | None


class WhyNot(Answer):
    """What kept a memory out of the answer."""

    memory_id: UUID
    cause: Cause
    explanation: str


class SearchAnswer(Answer):
    """`text` for a model to read, and its lines as items, in the same order.

    `left_out` counts memories that were found and did not fit into the text.
    """

    text: str
    items: list[SearchItem]
    left_out: int
    why_not: WhyNot | None
