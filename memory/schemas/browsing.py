"""Which of an agent's records are asked for: the filters of every interface (SPEC E6, O1)."""

from datetime import date, datetime
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, StrictStr

from memory.errors import ValidationFailed
from memory.policies.windows import ROLLING, Window, day_of, local_days, rolling, zone_of
from memory.schemas.parsing import Body, as_written
from memory.schemas.records import InstrumentName, MemoryType, Tag, plain_text

Q_MAX_CHARS = 400
TAG_MAX_CHARS = 256
"""The most that a filter takes; an installation may store tags up to its own limit."""
DEPTH, DEPTH_MAX = 5, 20
NODES, NODES_MAX = 100, 200
TOGETHER = "is missing; from, to and tz belong together"
EITHER = "is one way to choose a time and from, to and tz are the other; choose one"


def _day(value: Any) -> Any:
    return day_of(value) if isinstance(value, str) else value


def _zone_name(value: str) -> str:
    zone_of(value)
    return value


Day = Annotated[date, Field(strict=True), BeforeValidator(_day)]


class TimeFilter(Body):
    """Records of the last hours, or of a range of whole days in a time zone."""

    window: Literal[*ROLLING] | None = Field(  # type: ignore[valid-type]  # one list serves all layers
        default=None, description="Only the last hours: 1h, 6h or 24h."
    )
    first: Day | None = Field(
        default=None, alias="from", description="First local day, YYYY-MM-DD; with to and tz."
    )
    last: Day | None = Field(
        default=None, alias="to", description="Last local day, inclusive; with from and tz."
    )
    tz: Annotated[StrictStr, AfterValidator(_zone_name)] | None = Field(
        default=None, description="Time zone of from and to, e.g. Europe/Berlin."
    )

    @classmethod
    def parse(cls, data: Any, *, context: object = None) -> Self:
        """Return the validated filter (ValidationFailed: also where parts do not go together)."""
        asked = super().parse(data, context=context)
        days = {"from": asked.first, "to": asked.last, "tz": asked.tz}
        given = [name for name, value in days.items() if value is not None]
        if asked.window is not None and given:
            raise ValidationFailed({"window": [EITHER]})
        if given and len(given) < len(days):
            raise ValidationFailed({name: [TOGETHER] for name in days if name not in given})
        if asked.first is not None and asked.last is not None and asked.last < asked.first:
            raise ValidationFailed({"to": ["lies before from"]})
        return asked

    def period(self, *, now: datetime) -> Window | None:
        """Return the window that is asked for; None for all time."""
        if self.window is not None:
            return rolling(self.window, now=now)
        if self.first is None or self.last is None or self.tz is None:
            return None
        return local_days(self.first, self.last, zone=ZoneInfo(self.tz))


class BrowseQuery(TimeFilter):
    """Which records. What is left out does not filter."""

    type: MemoryType | None = Field(default=None, description="Only this type, e.g. eth_5m_setup.")
    scope: Literal["agent", "instruments"] | None = Field(
        default=None, description="Only agent-wide records, or only those about instruments."
    )
    instrument: Annotated[InstrumentName, AfterValidator(plain_text)] | None = Field(
        default=None,
        description="Only records about this instrument, by its canonical name, e.g. ETH.",
    )
    tag: (
        Annotated[Tag, Field(min_length=1, max_length=TAG_MAX_CHARS), AfterValidator(plain_text)]
        | None
    ) = Field(default=None, description="Only records with exactly this tag.")
    q: (
        Annotated[
            StrictStr, Field(min_length=1, max_length=Q_MAX_CHARS), AfterValidator(plain_text)
        ]
        | None
    ) = Field(
        default=None,
        description="Only records that hold all these words, in content, tags or instruments; "
        "endings and little words such as 'the' do not count.",
    )


class LineageQuery(Body):
    """How much of a lineage is asked for."""

    depth: Annotated[int, Field(ge=1, le=DEPTH_MAX), BeforeValidator(as_written)] = Field(
        default=DEPTH, description="How many links away from the record at the most."
    )
    limit: Annotated[int, Field(ge=1, le=NODES_MAX), BeforeValidator(as_written)] = Field(
        default=NODES, description="How many records at the most, itself among them."
    )
