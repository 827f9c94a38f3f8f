"""Reading `metadata.handoff_version = 1`: what can be read is, the rest is told (SPEC H1, H2)."""

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StrictInt,
    StrictStr,
    ValidationError,
)

from memory.policies.handoffs import HandoffSaid, SourceSaid
from memory.policies.timeframes import TIMEFRAMES
from memory.schemas.parsing import message_of, place_of
from memory.schemas.records import ExactUuid
from memory.schemas.strategies import Moment

VERSION = 1
SOURCES_READ = 64
LEVELS = {"entry": "entry", "stop": "stop", "target": "target", "targets": "target"}
"""Key of an interpretation → the level that it names."""


def _level(value: Any) -> Any:
    """Accept a price, a text that names one, or a zone or list of such."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is None or is_number or (isinstance(value, str | list | dict) and value):
        return value
    raise ValueError("is no price, and no zone or list of prices")


def _words(value: Any) -> Any:
    """Accept a text, or a list or object of such."""
    if value is None or isinstance(value, str | list | dict):
        return value
    raise ValueError("is no text")


Level = Annotated[Any, AfterValidator(_level)]
Words = Annotated[Any, AfterValidator(_words)]


class Part(BaseModel):
    """A part of a handoff. It may say more than is read of it."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Source(Part):
    """Where observations are from; `status` "unavailable" for one that could not be read."""

    indicator_run_id: ExactUuid | None = None
    instrument_id: StrictStr | None = None
    timeframe: Literal[*TIMEFRAMES] | None = None  # type: ignore[valid-type]  # one list for all
    bar_index: Annotated[StrictInt, Field(ge=0)] | None = None
    opened_at: Moment | None = None
    closed_at: Moment | None = None
    status: StrictStr | None = None


class Confidence(Part):
    """How sure the writer is, and why."""

    label: StrictStr | None = None
    rationale: StrictStr | None = None


class Interpretation(Part):
    """What the writer makes of the observations."""

    bias: StrictStr | None = None
    setup_status: StrictStr | None = None
    entry: Level = None
    stop: Level = None
    target: Level = None
    targets: Level = None
    confidence: Confidence | None = None
    invalidation: Words = None
    cancellation: Words = None


class Whole(Part):
    """The parts of a handoff, each of which is read by itself."""

    evidence_boundary: Moment | None = None
    observations: list[Any] | dict[str, Any] | None = None
    sources: list[Any] | None = None
    interpretation: dict[str, Any] | None = None


def is_handoff(metadata: dict[str, Any]) -> bool:
    """Tell whether metadata says that it is a handoff of the version that is read here."""
    version = metadata.get("handoff_version")
    return version == VERSION and not isinstance(version, bool)


def read(metadata: dict[str, Any]) -> HandoffSaid:
    """Return what a handoff says, with what of it cannot be read and where."""
    problems: list[str] = []
    whole = _read(Whole, metadata, at="", problems=problems)
    listed = whole.sources or []
    if len(listed) > SOURCES_READ:
        problems.append(f"sources: of {len(listed)} the first {SOURCES_READ} are looked at")
    sources = []
    for index, told in enumerate(listed[:SOURCES_READ]):
        place = f"sources[{index}]"
        if not isinstance(told, dict):
            problems.append(f"{place}: is no object")
            continue
        source = _read(Source, told, at=place, problems=problems)
        sources.append(
            SourceSaid(
                place=place,
                # One that is there and unreadable is a problem already.
                indicator_run_id=bool(told.get("indicator_run_id")),
                instrument_id=source.instrument_id,
                timeframe=source.timeframe,
                opened_at=source.opened_at,
                closed_at=source.closed_at,
                status=source.status,
            )
        )
    view = _read(Interpretation, whole.interpretation or {}, at="interpretation", problems=problems)
    return HandoffSaid(
        evidence_boundary=whole.evidence_boundary,
        sources=sources,
        setup_status=view.setup_status,
        levels=frozenset(LEVELS[key] for key in LEVELS if getattr(view, key) is not None),
        problems=problems,
    )


def _read[P: Part](part: type[P], told: dict[str, Any], *, at: str, problems: list[str]) -> P:
    """Return a part without what is malformed in it, and append what that is."""
    try:
        return part.model_validate(told)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)
    for key in dict.fromkeys(problem["loc"][0] for problem in wrong):
        first = next(problem for problem in wrong if problem["loc"][0] == key)
        place = place_of((at, *first["loc"]) if at else first["loc"])
        problems.append(f"{place}: {message_of(first)}")
    bad = {problem["loc"][0] for problem in wrong}
    return part.model_validate({key: value for key, value in told.items() if key not in bad})
