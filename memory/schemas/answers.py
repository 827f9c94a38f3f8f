"""What readers get: the record as every interface shows it (SPEC 2)."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, RootModel

from memory.policies.visibility import Status


class Answer(BaseModel):
    """A part of an answer."""

    model_config = ConfigDict(frozen=True)


class ErrorOut(BaseModel):
    """The shape of every error (SPEC E2). Further named fields depend on the code."""

    model_config = ConfigDict(extra="allow", frozen=True)

    error: str
    code: str


class ProducerOut(Answer):
    """Who wrote it."""

    id: UUID
    name: str
    role: str


class RunOut(Answer):
    """In which execution, with its frozen schedule. All but `id` is null once the run is gone."""

    id: UUID
    schedule: str | None
    evidence_boundary: datetime | None
    status: str | None


class LinkOut(Answer):
    """One outgoing link, in the order of the write's body."""

    target_memory_id: UUID
    link_type: str


class RecordOut(Answer):
    """A whole record. `expires_at` is the end of its freshness, null for none."""

    id: UUID
    agent: UUID
    seq: int
    type: str
    scope: str
    instruments: list[str]
    timeframe: str | None
    content: str
    metadata: dict[str, Any]
    tags: list[str]
    links: list[LinkOut]
    producer: ProducerOut | None
    run: RunOut | None
    created_at: datetime
    expires_at: datetime | None
    expiry_policy: str | None
    status: Status


class OneRecordOut(RecordOut):
    """A record of its own route. `merged_into`: what stands for it, where it was merged (M9)."""

    merged_into: UUID | None = None


class RecordIdentityOut(Answer):
    """A record without what it says: a withdrawn one in a list (SPEC R15)."""

    id: UUID
    agent: UUID
    seq: int
    type: str
    scope: str
    instruments: list[str]
    timeframe: str | None
    producer: ProducerOut | None
    run: RunOut | None
    created_at: datetime
    expires_at: datetime | None
    expiry_policy: str | None
    status: Status


class ListedRecordOut(RootModel[RecordOut | RecordIdentityOut]):
    """A record of a list: whole, or its identity alone when it is withdrawn."""


class WrittenRecordOut(RecordOut):
    """The answer of a write: the record, and what a reader of its handoff would stumble over."""

    handoff_warnings: list[str]


class TypeCountOut(Answer):
    """A type with the number of its records; with `more`, there are more than `count`."""

    type: str
    count: int
    more: bool


class LineageNodeOut(Answer):
    """A record of a lineage: who it is and what it rests on, never what it says.

    `relation` is `self`, `ancestor` (what the record asked for rests on) or `descendant` (what
    rests on it), `distance` how many links lie between. An erased one has no status. What is merged
    rests on what stands for it, `merged_into`, as on a link. `links` are its own, in their order;
    they may lead to records that are not in the graph.
    """

    id: UUID
    relation: Literal["self", "ancestor", "descendant"]
    distance: int
    erased: bool
    seq: int
    type: str
    scope: str
    instruments: list[str]
    timeframe: str | None
    producer: ProducerOut | None
    run: RunOut | None
    created_at: datetime
    expires_at: datetime | None
    status: Status | None
    merged_into: UUID | None
    links: list[LinkOut]


class LineageLeftOut(Answer):
    """Whether there are ancestors or descendants beyond those that are shown."""

    ancestors: bool
    descendants: bool


class LineageOut(Answer):
    """What a record rests on and what rests on it: itself first, then the nearest."""

    memory_id: UUID
    nodes: list[LineageNodeOut]
    left_out: LineageLeftOut


class RunStartedOut(Answer):
    """A started run. `token` is shown this once; its secret is stored nowhere.

    A run that is still open at `deadline_at` is failed (None: never).
    """

    id: UUID
    agent: UUID
    producer: ProducerOut
    schedule: str | None
    evidence_boundary: datetime | None
    started_at: datetime
    deadline_at: datetime | None
    status: str
    token: str
    token_expires_at: datetime | None


class RunFinishedOut(Answer):
    """A run that has ended."""

    id: UUID
    agent: UUID
    schedule: str | None
    evidence_boundary: datetime | None
    started_at: datetime
    ended_at: datetime | None
    status: str
    error: str
