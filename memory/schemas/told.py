"""What a line of an export tells beside its record: its run, its standing, its ledgers."""

from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    ValidationError,
    model_validator,
)

from memory.policies.standing import Moving
from memory.policies.timeframes import SCHEDULES
from memory.policies.vocabulary import EVENT_PATTERN, RECORD_EVENTS, RUN_STATUSES, VISIBILITIES
from memory.schemas.parsing import Body
from memory.schemas.records import ExactUuid, Text, plain_text
from memory.schemas.strategies import (
    COUNT_LIMIT,
    Json,
    Moment,
    Outcome,
    Share,
    StrategyType,
    Symbol,
)

REASON_MAX_CHARS, CAUSE_MAX_CHARS, ERROR_MAX_CHARS = 500, 64, 10_000

PlainText = Annotated[StrictStr, AfterValidator(plain_text)]
Schedule = Literal[*SCHEDULES]  # type: ignore[valid-type]  # one list serves all layers
Event = Annotated[StrictStr, Field(pattern=EVENT_PATTERN)]
"""A word of a ledger."""


class RunTold(Body):
    """The execution that wrote a record; the id alone where nothing else is known of it."""

    id: ExactUuid
    schedule: Schedule | None = None
    evidence_boundary: Moment | None = None
    started_at: Moment | None = None
    ended_at: Moment | None = None
    status: Literal[*RUN_STATUSES] | None = None  # type: ignore[valid-type]  # as above
    error: PlainText = Field(default="", max_length=ERROR_MAX_CHARS)
    implicit: StrictBool = False
    built_in: StrictBool = False

    @property
    def is_whole(self) -> bool:
        """Tell whether the run itself is told, and not its id alone."""
        return self.status is not None

    @model_validator(mode="after")
    def is_a_run(self) -> Self:
        """Hold its parts against each other, as the database does."""
        if self.status is None:
            if self.model_fields_set - {"id"}:
                raise ValueError("tell the run whole, with its status, or its id alone")
            return self
        if self.started_at is None:
            raise ValueError("started_at is missing")
        if (self.status == "running") != (self.ended_at is None):
            raise ValueError("a run has ended_at when it is not running")
        if self.ended_at is not None and self.ended_at < self.started_at:
            raise ValueError("ended_at lies before started_at")
        if (self.schedule is None) != (self.evidence_boundary is None):
            raise ValueError("schedule and evidence_boundary belong together")
        if self.evidence_boundary is not None and self.evidence_boundary > self.started_at:
            raise ValueError("evidence_boundary lies after started_at")
        if self.built_in and (self.evidence_boundary is None or self.implicit):
            raise ValueError("a built-in run has a boundary, and is not implicit")
        return self


class CauseTold(Body):
    """Why something changed: what kind of cause, and which one."""

    kind: Event
    id: PlainText = Field(default="", max_length=CAUSE_MAX_CHARS)


class MovingTold(Body):
    """Where a standing was after a line of its ledger."""

    tags: list[PlainText]
    confidence: Share
    validated_count: StrictInt = Field(ge=-COUNT_LIMIT, le=COUNT_LIMIT)
    relevance_score: Share
    visibility: Literal[*VISIBILITIES]  # type: ignore[valid-type]  # as above
    community_confirmations: StrictInt = Field(ge=0, le=COUNT_LIMIT)
    expires_at: Moment | None
    merged_into: ExactUuid | None

    @model_validator(mode="after")
    def tags_are_tags(self) -> Self:
        """Refuse an empty tag, and one twice: the tag table has a row for each."""
        if "" in self.tags or len(set(self.tags)) < len(self.tags):
            raise ValueError("tags hold an empty one, or one twice")
        return self

    def moving(self) -> Moving:
        """Return it as the policies take it."""
        return Moving(
            tags=tuple(self.tags),
            confidence=self.confidence,
            validated_count=self.validated_count,
            relevance_score=self.relevance_score,
            visibility=self.visibility,
            community_confirmations=self.community_confirmations,
            expires_at=self.expires_at,
            merged_into=self.merged_into,
        )


class MemberTold(BaseModel):
    """A memory that a merge took in; more may be told of it."""

    id: ExactUuid


class PointedTold(MemberTold):
    """One that stood behind such a member."""

    origin: ExactUuid = Field(alias="from")


class AbsorbedTold(BaseModel):
    """What a merge did, as its undoing reads it."""

    merged: list[MemberTold]
    repointed: list[PointedTold]


class UnmergedTold(BaseModel):
    """What an undo parted, and the revision of the merge; older lines tell no parts."""

    undoes: StrictInt
    ids: list[ExactUuid]
    parts: list[Annotated[list[ExactUuid], Field(min_length=1)]] = Field(default_factory=list)


MERGES: dict[str, type[BaseModel]] = {"absorbed": AbsorbedTold, "unmerged": UnmergedTold}
MARKS = {"merged", "undoes"}
"""What marks a survivor's line of a merge, and of its undoing."""


class LedgerLine(Body):
    """One line of a standing's ledger; `after` is null where it was purged."""

    event: Event
    after: MovingTold | None
    cause: CauseTold
    detail: Json = Field(default_factory=dict)
    at: Moment

    @property
    def is_of_a_merge(self) -> bool:
        """Whether it tells what a merge into the standing did, or its undoing."""
        return self.event in MERGES and bool(MARKS & self.detail.keys())

    @model_validator(mode="after")
    def merges_can_be_undone(self) -> Self:
        """Refuse what an undo, and the next merge, could not read."""
        if not self.is_of_a_merge:
            return self
        form = MERGES[self.event]
        try:
            form.model_validate(self.detail)
        except ValidationError as error:
            place = ".".join(map(str, error.errors()[0]["loc"]))
            raise ValueError(f"detail.{place} is not as a merge tells it") from None
        return self


class StandingTold(Body):
    """What a standing was made with; where it is now is the end of its ledger."""

    symbol: Symbol | None = None
    strategy_type: StrategyType | None = None
    outcome: Outcome | None = None
    config: Json | None = None
    metrics: Json = Field(default_factory=dict)
    source_node_uuid: ExactUuid | None = None


class ChangeTold(Body):
    """One line of a record's own ledger: withdrawn, restored or erased."""

    event: Literal[*RECORD_EVENTS]  # type: ignore[valid-type]  # as above
    reason: Annotated[Text, AfterValidator(plain_text)] = Field(
        min_length=1, max_length=REASON_MAX_CHARS
    )
    cause: CauseTold
    at: Moment
