"""The body of a write, within its bounds (SPEC R2, R10, R11)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import (
    BeforeValidator,
    Field,
    StrictStr,
    ValidationInfo,
    field_validator,
)

from memory.errors import ValidationFailed
from memory.policies.text import depth, flaws, json_bytes, unstorable
from memory.policies.timeframes import TIMEFRAMES
from memory.policies.vocabulary import LINK_TYPES, TYPE_PATTERN
from memory.schemas.parsing import PLACE_MAX_CHARS, PLACES_MAX, Body

UUID_TEXT = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
INSTRUMENT_MAX_CHARS = 64


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of one record (settings, with SPEC R10's numbers as defaults)."""

    content_max_chars: int = 32_768
    metadata_max_bytes: int = 65_536
    metadata_max_depth: int = 32
    max_links: int = 64
    max_targets: int = 50
    max_tags: int = 32
    tag_max_chars: int = 64


def exact_uuid(value: Any) -> Any:
    """Accept the canonical 36-character form alone: an id is copied, never retyped."""
    if isinstance(value, UUID) or (isinstance(value, str) and UUID_TEXT.fullmatch(value)):
        return value
    raise ValueError("is not a UUID; copy the exact ID, e.g. 01990000-0000-7000-8000-000000000000")


def plain_text(value: str) -> str:
    """Refuse what PostgreSQL cannot store as text."""
    if problem := unstorable(value):
        raise ValueError(problem)
    return value


def stripped(value: Any) -> Any:
    """Strip the white space around a text, before its length counts."""
    return value.strip() if isinstance(value, str) else value


def clean_tag(value: Any) -> Any:
    """Lower-case and strip a tag."""
    return value.strip().lower() if isinstance(value, str) else value


def storable_type(value: str) -> str:
    """Refuse a type that does not match the pattern (Python's `$` would allow a line break)."""
    if not re.fullmatch(TYPE_PATTERN.strip("^$"), value):
        raise ValueError("must be a lower-case word: a-z, then a-z, 0-9 or _, at most 64 in all")
    return value


ExactUuid = Annotated[UUID, BeforeValidator(exact_uuid)]
MemoryType = Annotated[
    StrictStr,
    Field(json_schema_extra={"pattern": TYPE_PATTERN}),
    BeforeValidator(lambda value: storable_type(value) if isinstance(value, str) else value),
]
Text = Annotated[StrictStr, BeforeValidator(stripped)]
Tag = Annotated[StrictStr, BeforeValidator(clean_tag)]
InstrumentName = Annotated[StrictStr, Field(min_length=1, max_length=INSTRUMENT_MAX_CHARS)]


class Retryable(Body):
    """The header that makes a write safe to send again (SPEC R13)."""

    key: ExactUuid | None = Field(default=None, alias="Idempotency-Key")

    @classmethod
    def among(cls, headers: Mapping[str, str]) -> Self:
        """Read it from among other headers (ValidationFailed)."""
        name = "Idempotency-Key"
        return cls.parse({name: headers[name]} if name in headers else {})


class LinkDraft(Body):
    """A link to write: the exact id of a record of the same agent, and the kind of relation."""

    target_memory_id: ExactUuid
    link_type: Literal[*LINK_TYPES]  # type: ignore[valid-type]  # one list serves all layers


class RecordDraft(Body):
    """A record to write. Everything else about it is the server's to say (SPEC R5)."""

    type: MemoryType
    scope: Literal["agent", "instruments"]
    instruments: list[InstrumentName] = Field(default_factory=list, validate_default=True)
    timeframe: Literal[*TIMEFRAMES] | None = None  # type: ignore[valid-type]  # as above
    content: Text
    metadata: dict[StrictStr, Any] = Field(default_factory=dict)
    tags: list[Tag] = Field(default_factory=list)
    links: list[LinkDraft] = Field(default_factory=list)

    @field_validator("instruments", "tags", "links", mode="before")
    @classmethod
    def few_enough(cls, value: Any, info: ValidationInfo) -> Any:
        """Count a list before its items are looked at: it may hold a million."""
        bounds = bounds_of(info)
        limits = {
            "instruments": bounds.max_targets,
            "tags": bounds.max_tags,
            "links": bounds.max_links,
        }
        if isinstance(value, list):
            bounded(value, limits[str(info.field_name)])
        return value

    @field_validator("content")
    @classmethod
    def content_within_bounds(cls, value: str, info: ValidationInfo) -> str:
        """Between 1 and the most characters, after stripping."""
        limit = bounds_of(info).content_max_chars
        if not 1 <= len(value) <= limit:
            raise ValueError(f"must have 1 to {limit} characters, has {len(value)}")
        return plain_text(value)

    @field_validator("instruments")
    @classmethod
    def instruments_within_bounds(cls, value: list[str]) -> list[str]:
        """Each once, each storable."""
        for index, name in enumerate(value):
            if problem := unstorable(name):
                raise ValueError(f"[{index}] {problem}")
        once(value)
        return value

    @field_validator("tags")
    @classmethod
    def tags_within_bounds(cls, value: list[str], info: ValidationInfo) -> list[str]:
        """Short enough; a tag given twice counts once."""
        bounds = bounds_of(info)
        for index, tag in enumerate(value):
            if not 1 <= len(tag) <= bounds.tag_max_chars:
                raise ValueError(f"[{index}] must have 1 to {bounds.tag_max_chars} characters")
            if problem := unstorable(tag):
                raise ValueError(f"[{index}] {problem}")
        return list(dict.fromkeys(value))

    @field_validator("links")
    @classmethod
    def links_within_bounds(cls, value: list[LinkDraft]) -> list[LinkDraft]:
        """Each (target, type) pair once."""
        once([(link.target_memory_id, link.link_type) for link in value])
        return value

    @field_validator("instruments")
    @classmethod
    def instruments_match_scope(cls, value: list[str], info: ValidationInfo) -> list[str]:
        """Agent-wide records have no targets, the others at least one (SPEC R2)."""
        # Without a scope: it is wrong itself, and told.
        scope = info.data.get("scope")
        if scope == "agent" and value:
            raise ValueError("must be empty when scope is agent")
        if scope == "instruments" and not value:
            raise ValueError("must name at least one when scope is instruments")
        return value

    @property
    def originals(self) -> list[UUID]:
        """The records that this one corrects."""
        return [link.target_memory_id for link in self.links if link.link_type == "corrects"]


def bounds_of(info: ValidationInfo) -> Bounds:
    """Return the limits in force: the caller's, else the defaults."""
    return info.context if isinstance(info.context, Bounds) else Bounds()


def bounded(value: list[Any], limit: int) -> None:
    """Refuse a list that is too long."""
    if len(value) > limit:
        raise ValueError(f"must have at most {limit} items, has {len(value)}")


def once(value: list[Any]) -> None:
    """Refuse a list that holds something twice, naming the second place."""
    seen: dict[Any, int] = {}
    for index, item in enumerate(value):
        if item in seen:
            raise ValueError(f"[{index}] repeats [{seen[item]}]")
        seen[item] = index


def check_metadata(metadata: dict[str, Any], *, bounds: Bounds) -> None:
    """Hold stamped metadata against its bounds (ValidationFailed: naming the place).

    It runs after the stamping, so that a control which the server replaced or removed does no
    harm, however malformed it was (SPEC F1, R10).
    """
    if depth(metadata) > bounds.metadata_max_depth:
        message = f"is nested more than {bounds.metadata_max_depth} levels deep"
        raise ValidationFailed({"metadata": [message]})
    size = json_bytes(metadata)
    if size > bounds.metadata_max_bytes:
        message = f"is {size} bytes as JSON, more than {bounds.metadata_max_bytes}"
        raise ValidationFailed({"metadata": [message]})
    errors: dict[str, list[str]] = {}
    for place, problem in islice(flaws(metadata, path="metadata"), PLACES_MAX):
        errors.setdefault(place[:PLACE_MAX_CHARS], []).append(problem)
    if errors:
        raise ValidationFailed(errors)
