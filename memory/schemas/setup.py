"""Setting up an agent over REST: what is sent, and what is answered (SPEC E6)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, ConfigDict, Field, StrictBool

from memory.errors import ValidationFailed
from memory.policies.timeframes import SCHEDULES, TIMEFRAMES
from memory.policies.versions import Condition, condition_of, tag_of
from memory.policies.vocabulary import LENSES, ROLES, RUNNERS
from memory.schemas.answers import Answer
from memory.schemas.parsing import Body
from memory.schemas.records import InstrumentName, Text, plain_text

NAME_MAX_CHARS = 80


def printable(value: str) -> str:
    """Refuse a name that cannot be read out in a line."""
    if not value.isprintable():
        raise ValueError("must be printable characters")
    return value


ProducerName = Annotated[
    Text, Field(min_length=1, max_length=NAME_MAX_CHARS), AfterValidator(printable)
]

type Role = Literal[*ROLES]  # type: ignore[valid-type]  # one list serves all layers
type Schedule = Literal[*SCHEDULES]  # type: ignore[valid-type]  # as above
type Runner = Literal[*RUNNERS]  # type: ignore[valid-type]  # as above
type Lens = Literal[*LENSES]  # type: ignore[valid-type]  # as above
type Timeframe = Literal[*TIMEFRAMES]  # type: ignore[valid-type]  # as above


def if_match(headers: Mapping[str, str]) -> Condition:
    """Return what a request asks of the present version (ValidationFailed: nothing, or malformed).

    A change without a condition would overwrite what others did meanwhile, so it is refused.
    """
    try:
        return condition_of(headers["If-Match"])
    except KeyError:
        problem = "is missing; send the ETag of the version that you read, or *"
    except ValueError as error:
        problem = str(error)
    raise ValidationFailed({"If-Match": [problem]})


def may_match(headers: Mapping[str, str]) -> Condition | None:
    """Return the same where it may be left out, which asks nothing (ValidationFailed)."""
    return if_match(headers) if "If-Match" in headers else None


def _left_out_stays(schema: dict[str, Any]) -> None:
    """Take the defaults out of a described body: a client that sends them would change things."""
    for described in schema["properties"].values():
        described.pop("default", None)


class ProducerChange(Body):
    """What of a producer is to be changed; what is left out stays.

    `null` takes away a schedule, a lens or a timeframe.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_left_out_stays)

    schedule: Schedule | None = None
    enabled: StrictBool = True
    runner: Runner = "caller"
    lens: Lens | None = None
    timeframe: Timeframe | None = None

    def changed(self) -> dict[str, Any]:
        """Return what was given, by name."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class ProducerDraft(Body):
    """A producer to stand up. It is enabled, and run by callers unless it says otherwise."""

    role: Role
    name: ProducerName
    schedule: Schedule | None = None
    runner: Runner = "caller"
    lens: Lens | None = None
    timeframe: Timeframe | None = None


class SelectionDraft(Body):
    """An instrument to choose, by its canonical name."""

    instrument: Annotated[InstrumentName, AfterValidator(plain_text)]


class AgentOut(Answer):
    """An agent."""

    id: UUID
    name: str
    plan: str
    expiry_policy: str
    trading_may_search: bool
    created_at: datetime


class InstrumentOut(Answer):
    """A market that is known here. A delisted one stays, inactive."""

    id: str
    kind: str
    dex: str
    sz_decimals: int
    max_leverage: int | None
    only_isolated: bool
    is_active: bool


class SelectionOut(Answer):
    """An instrument that the agent has chosen."""

    instrument: str
    selected_at: datetime


class ProducerSetUpOut(Answer):
    """A producer as it is set up. `etag` is what a change of it names in If-Match."""

    id: UUID
    role: str
    name: str
    schedule: str | None
    runner: str
    lens: str | None
    timeframe: str | None
    enabled: bool
    created_at: datetime
    etag: str


def etag_of_producer(
    *,
    id: UUID,
    schedule: str | None,
    runner: str,
    lens: str | None,
    timeframe: str | None,
    enabled: bool,
) -> str:
    """Return the entity tag of a producer: of all that can be changed about it."""
    state = {
        "id": str(id),
        "schedule": schedule,
        "runner": runner,
        "lens": lens,
        "timeframe": timeframe,
        "enabled": enabled,
    }
    return tag_of(state)
