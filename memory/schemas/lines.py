"""Lines of an export: an agent's records, each with all that came with it (SPEC U3, F5).

One JSON object a line; `kind` says which. The header comes first, then instruments and producers,
then records in the order of their `seq`. A line without `kind` is a record told from elsewhere:
strategy memory is `ImportedStrategy`, anything else a `RecordLine` that leaves out what it does not
know.
"""

from typing import Any, Literal, Self

from pydantic import Field, StrictInt, StrictStr, field_validator, model_validator

from memory.errors import ValidationFailed
from memory.policies.freshness import KNOWN
from memory.policies.standing import PURGED
from memory.policies.vocabulary import ROLES, TIERS
from memory.schemas.parsing import Body
from memory.schemas.records import ExactUuid, InstrumentName, plain_text
from memory.schemas.setup import ProducerName
from memory.schemas.strategies import ImportedStrategy, Moment
from memory.schemas.told import ChangeTold, LedgerLine, PlainText, RunTold, Schedule, StandingTold

FORMAT, VERSION = "tidebook-memory", 1
DEX_MAX_CHARS = 32
DIGEST_PATTERN = "^[0-9a-f]{64}$"


class Header(Body):
    """The first line of an export."""

    kind: Literal["header"]
    format: Literal["tidebook-memory"]
    version: StrictInt

    @field_validator("version")
    @classmethod
    def version_is_known(cls, value: int) -> int:
        """Refuse a file of a later release."""
        if value != VERSION:
            raise ValueError(f"is {value}; this release reads version {VERSION}")
        return value


class InstrumentLine(Body):
    """A market that records are about."""

    kind: Literal["instrument"]
    id: InstrumentName
    market: Literal["perpetual", "spot"]
    dex: PlainText = Field(default="", max_length=DEX_MAX_CHARS)

    @field_validator("id")
    @classmethod
    def id_is_text(cls, value: str) -> str:
        """Refuse what PostgreSQL cannot store as text."""
        return plain_text(value)


class ProducerLine(Body):
    """Who wrote records, and the intervals in which it was enabled."""

    kind: Literal["producer"]
    id: ExactUuid
    role: Literal[*ROLES]  # type: ignore[valid-type]  # one list serves all layers
    name: ProducerName
    schedule: Schedule | None = None
    created_at: Moment
    enabled: list[tuple[Moment, Moment | None]] = Field(default_factory=list)

    @field_validator("enabled")
    @classmethod
    def intervals_follow(cls, value: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        """Each interval ends after it began, and before the next one begins."""
        for index, (begin, end) in enumerate(value):
            if end is not None and end <= begin:
                raise ValueError(f"[{index}] ends before it begins")
            if index + 1 < len(value) and (end is None or value[index + 1][0] < end):
                raise ValueError(f"[{index}] ends after the next begins")
        return value


class RecordLine(Body):
    """A record. What holds for any write is left to `RecordDraft`, which takes `body`.

    `expires_at` left out: its metadata tells its deadline, or the rules of F5 do. `imported_at`
    left out: it is imported now. An erased one has `purged_at`, `content_digest` and no content.
    """

    kind: Literal["record"] = "record"
    id: ExactUuid
    type: Any
    scope: Any = None
    instruments: Any = Field(default_factory=list)
    timeframe: Any = None
    content: Any = ""
    metadata: Any = Field(default_factory=dict)
    tags: Any = Field(default_factory=list)
    links: Any = Field(default_factory=list)
    producer: PlainText | None = None
    run: RunTold | None = None
    created_at: Moment
    expires_at: Moment | None = None
    expiry_policy: Literal[*KNOWN] | None = None  # type: ignore[valid-type]  # as above
    imported_at: Moment | None = None
    purged_at: Moment | None = None
    content_digest: StrictStr | None = Field(default=None, pattern=DIGEST_PATTERN)
    standing: StandingTold | None = None
    ledger: list[LedgerLine] = Field(default_factory=list)
    changes: list[ChangeTold] = Field(default_factory=list)

    @property
    def body(self) -> dict[str, Any]:
        """The body of the record, to be parsed as any other. What was erased says nothing."""
        scope = self.scope
        if scope is None:
            scope = "instruments" if self.instruments else "agent"
        return {
            "type": self.type,
            "scope": scope,
            "instruments": self.instruments,
            "timeframe": self.timeframe,
            "content": self.content if self.purged_at is None else "erased",
            "metadata": self.metadata,
            "tags": self.tags,
            "links": self.links,
        }

    @property
    def says_deadline(self) -> bool:
        """Tell whether the line itself tells the deadline, be it none."""
        return "expires_at" in self.model_fields_set

    @property
    def says_import(self) -> bool:
        """Tell whether the line itself tells when it was imported, be it never."""
        return "imported_at" in self.model_fields_set

    @model_validator(mode="after")
    def erased_says_nothing(self) -> Self:
        """What was erased is its identity and a digest, and no other record has these."""
        erased = self.purged_at is not None
        if erased != (self.content_digest is not None):
            raise ValueError("purged_at and content_digest belong together")
        if erased and (self.content or self.metadata or self.tags or self.standing):
            raise ValueError("content, metadata, tags and standing are empty in what was erased")
        return self

    @model_validator(mode="after")
    def strategy_memory_stands(self) -> Self:
        """Strategy memory has a standing and its ledger, and nothing else has."""
        if self.type not in TIERS:
            if self.standing is not None or self.ledger:
                raise ValueError("standing and ledger are of strategy memory alone")
            return self
        if not self.ledger or (self.standing is None) != (self.purged_at is not None):
            raise ValueError("strategy memory comes with its standing and its ledger")
        if self.type == "rule" and self.standing and self.standing.symbol is not None:
            raise ValueError("standing.symbol must be left out: a rule is cross-asset")
        if self.changes:
            raise ValueError("changes are not of strategy memory: its ledger tells them")
        if self.ledger[0].is_of_a_merge:
            raise ValueError("ledger[0] tells of a merge before there was anything to merge")
        for index, line in enumerate(self.ledger):
            ends = index + 1 == len(self.ledger) and self.purged_at is not None
            if not (line.event == PURGED) == (line.after is None) == ends:
                raise ValueError(f"ledger[{index}] must be a purge exactly where it all ends")
        return self

    @model_validator(mode="after")
    def changes_follow(self) -> Self:
        """Withdrawn and restored alternate; an erasure, told when it is so, ends them."""
        follows = {"": "withdrawn", "withdrawn": "restored", "restored": "withdrawn"}
        event, at = "", None
        for index, change in enumerate(self.changes):
            if change.at < self.created_at:
                raise ValueError(f"changes[{index}] is earlier than the record")
            if at is not None and change.at <= at:
                raise ValueError(f"changes[{index}] is not later than the one before")
            if event == "erased" or change.event not in (follows[event], "erased"):
                raise ValueError(f"changes[{index}] does not follow from the one before")
            event, at = change.event, change.at
        erased_at = at if event == "erased" else None
        if self.type not in TIERS and erased_at != self.purged_at:
            raise ValueError("purged_at is the time of the erasure that changes tell of")
        return self


type Told = Header | InstrumentLine | ProducerLine | RecordLine | ImportedStrategy

KINDS: dict[str, type[Header | InstrumentLine | ProducerLine | RecordLine]] = {
    "header": Header,
    "instrument": InstrumentLine,
    "producer": ProducerLine,
    "record": RecordLine,
}


def parse(data: Any) -> Told:
    """Return what a line tells (ValidationFailed: with the places that are wrong)."""
    if not isinstance(data, dict):
        raise ValidationFailed({"": ["is not a JSON object"]})
    if "kind" not in data:
        return ImportedStrategy.parse(data) if data.get("type") in TIERS else RecordLine.parse(data)
    kind = data["kind"]
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValidationFailed({"kind": [f"must be one of {', '.join(KINDS)}"]})
    return KINDS[kind].parse(data)
