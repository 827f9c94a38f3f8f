"""What a reader of a handoff would stumble over (SPEC H1, H2). Never a reason to refuse a write."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from memory.policies.timeframes import TIMEFRAMES

ACTIONABLE = frozenset({"ready", "actionable", "active", "triggered"})
UNAVAILABLE = "unavailable"
WARNINGS_MAX, WARNING_MAX_CHARS = 10, 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSaid:
    """What a handoff says of one source, as far as it can be read; `place` is where."""

    place: str
    indicator_run_id: bool = False
    instrument_id: str | None = None
    timeframe: str | None = None
    opened_at: datetime | None = None
    closed_at: datetime | None = None
    status: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffSaid:
    """What a handoff says, as far as it can be read.

    `levels` are those of entry, stop and target that it names. `problems` tell what could not be
    read.
    """

    evidence_boundary: datetime | None = None
    sources: Sequence[SourceSaid] = ()
    setup_status: str | None = None
    levels: frozenset[str] = frozenset()
    problems: Sequence[str] = field(default_factory=list)


def warnings(
    said: HandoffSaid, *, boundary: datetime | None, known: frozenset[str] | set[str]
) -> list[str]:
    """Return what is odd about a handoff: a few sentences, each beginning with the place.

    `boundary` is that of its run, and `known` are the instruments that there are.
    """
    found = list(said.problems)
    told = said.evidence_boundary
    if told is not None and boundary is not None and told != boundary:
        found.append("evidence_boundary: is not that of the run, which is the server's to say")
    until = told if boundary is None else boundary
    for source in said.sources:
        found += [f"{source.place}{what}" for what in _odd(source, until=until, known=known)]
    found += _missing(said)
    short = [one[:WARNING_MAX_CHARS] for one in found]
    if len(short) > WARNINGS_MAX:
        more = len(short) - WARNINGS_MAX + 1
        short = [*short[: WARNINGS_MAX - 1], f"and {more} more"]
    return short


def _odd(
    source: SourceSaid, *, until: datetime | None, known: frozenset[str] | set[str]
) -> Iterator[str]:
    if source.instrument_id is not None and source.instrument_id not in known:
        yield ".instrument_id: is the canonical name of no instrument"
    opened, closed = source.opened_at, source.closed_at
    if opened is not None and closed is not None and source.timeframe is not None:
        if closed - opened != TIMEFRAMES[source.timeframe]:
            yield f".closed_at: is not opened_at + {source.timeframe}"
    elif opened is not None and closed is not None and closed <= opened:
        yield ".closed_at: is not later than opened_at"
    if until is not None and max((at for at in (opened, closed) if at), default=until) > until:
        yield ": is later than the evidence boundary"
    nothing = not source.indicator_run_id and closed is None
    if nothing and source.status != UNAVAILABLE:
        yield f': names neither indicator_run_id nor closed_at, and no "status": "{UNAVAILABLE}"'


def _missing(said: HandoffSaid) -> Iterator[str]:
    is_actionable = said.setup_status in ACTIONABLE or (
        said.setup_status is None and "entry" in said.levels
    )
    if is_actionable:
        for level in ("entry", "stop", "target"):
            if level not in said.levels:
                yield f"interpretation.{level}: is missing in an actionable handoff"
