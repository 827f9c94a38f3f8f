"""Recall without a database: every ledger replayed line by line in Python."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from memory.models import SharedMemory, Standing, StandingChange
from memory.policies.freshness import iso
from memory.policies.standing import Line, Moving, replay
from memory.schemas.records import RecordDraft
from memory.schemas.strategies import StandingDraft
from memory.selectors.recall import View, Wanted
from memory.services import standings
from memory.services.standings import Cause
from memory.services.strategies import publish_strategy
from tests.desk import Desk, note
from tests.strategies import forget

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
SESSION = UUID(int=7)
TAGS = ("adx", "range", "trend")
CAUSE = Cause("user", "1")


@dataclass
class History:
    """An agent's strategy memory as it grows, hour by hour from `start`."""

    desk: Desk
    start: datetime
    ids: list[UUID] = field(default_factory=list)

    def moment(self, hour: int) -> datetime:
        return self.start + hour * HOUR

    def window(self, days: tuple[int, int, int]) -> dict[str, str]:
        start, split, end = (iso(self.start + day * DAY) for day in sorted(days))
        return {"start": start, "split": split, "end": end}

    def do(self, event: dict[str, Any], *, hour: int) -> None:
        at = self.moment(hour)
        if event["do"] == "make":
            self._make(event, at=at)
            return
        if not self.ids:
            return
        id_ = self.ids[event["which"] % len(self.ids)]
        if not Standing.objects.filter(record_id=id_).exists():
            return
        if event["do"] == "erase":
            merged = Standing.objects.filter(merged_into=id_)
            if not merged.exists():
                forget(id_, now=at)
            return
        standings.move(
            agent_id=self.desk.agent.id,
            record_id=id_,
            event="moved",
            cause=CAUSE,
            step=lambda was: self._moved(was, event, id_, at=at),
            detail={"window": self.window(event["days"])} if event["told"] else {},
            now=at,
        )

    def _make(self, event: dict[str, Any], *, at: datetime) -> None:
        type_ = event["type"]
        metrics: dict[str, Any] = {}
        if event["windowed"] and type_ == "strategy_insight":
            metrics = {
                "window": self.window(event["days"]),
                "in_sample": {"trades": 9},
                "holdout": {"trades": 8},
                "in_sample_confidence": event["in_sample_confidence"],
            }
        if event["own"] and type_ == "strategy_insight":
            metrics["session"] = str(SESSION)
        if type_ == "rule" and event["windowed"]:
            metrics["windows"] = [self.window(days) for days in event["made_on"]]
        written = publish_strategy(
            actor=self.desk.actor("autopilot", now=at),
            draft=RecordDraft.parse(note(type=type_, content="said", tags=event["tags"])),
            standing=StandingDraft.parse(
                {
                    "symbol": None if type_ == "rule" else event["symbol"],
                    "strategy_type": event["strategy_type"],
                    "outcome": event["outcome"],
                    "confidence": event["confidence"],
                    "metrics": metrics,
                }
            ),
            now=at,
        )
        self.ids.append(written.id)

    def _moved(self, was: Moving, event: dict[str, Any], id_: UUID, *, at: datetime) -> Moving:
        if event["do"] == "trust":
            return replace(was, confidence=Decimal(event["confidence"]), tags=tuple(event["tags"]))
        if event["do"] == "end":
            return replace(was, expires_at=at)
        if event["do"] == "revive":
            return replace(was, expires_at=None, merged_into=None)
        survivors = Standing.objects.filter(agent_id=self.desk.agent.id).exclude(record_id=id_)
        first = survivors.order_by("record_id").first()
        return replace(was, merged_into=None if first is None else first.record_id)


@dataclass(frozen=True)
class Expected:
    """What the oracle says of a memory."""

    id: UUID
    tags: tuple[str, ...]
    confidence: Decimal
    validated_count: int
    own: bool
    holdout_seen: bool


def expected(desk: Desk, view: View, wanted: Wanted) -> list[Expected]:
    """Return what `recall` must."""
    found = []
    for standing in Standing.objects.filter(agent_id=desk.agent.id, type=wanted.type):
        one = seen_of(standing, view)
        if one is None or not fits(standing, one, wanted):
            continue
        found.append((_key(standing, one, wanted), one))
    found.sort(key=lambda pair: pair[0], reverse=True)
    return [one for _, one in found[: wanted.limit]]


def pool(desk: Desk, view: View) -> list[str]:
    """Return what `tag_pool` must."""
    counts: dict[str, int] = {}
    for standing in Standing.objects.filter(
        agent_id=desk.agent.id, type__in=("rule", "strategy_insight")
    ):
        one = seen_of(standing, view)
        for tag in () if one is None else one.tags:
            counts[tag] = counts.get(tag, 0) + 1
    return sorted(counts, key=lambda tag: (-counts[tag], tag))


def seen_of(standing: Standing, view: View) -> Expected | None:
    """Return a standing as a view shows it, by its ledger; None: it does not."""
    lines = list(StandingChange.objects.filter(record_id=standing.record_id).order_by("revision"))
    told = standing.metrics.get("session")
    own = view.session_id is not None and told == str(view.session_id)
    if own and standing.type != "strategy_insight":
        return None
    of_then = lines[:1] if own else [line for line in lines if line.at <= view.at]
    was = replay(
        Line(
            revision=line.revision,
            event=line.event,
            before=None if line.before is None else Moving.from_json(line.before),
            after=None if line.after is None else Moving.from_json(line.after),
        )
        for line in of_then
    )
    if was is None or not (own or was.is_live(now=view.at)):
        return None
    confidence, marked = was.confidence, False
    if view.hidden is not None and not own:
        windows = [standing.metrics.get("window")]
        if standing.type == "rule":
            windows += standing.metrics.get("windows", [])
        if any(meets(window, "start", "split", view.hidden) for window in windows):
            return None
        if standing.type == "rule":
            windows += [line.detail.get("window") for line in of_then]
        marked = any(meets(window, "split", "end", view.hidden) for window in windows)
    if standing.type == "strategy_insight" and (own or marked):
        confidence = Decimal(standing.metrics.get("in_sample_confidence", confidence))
    return Expected(standing.record_id, was.tags, confidence, was.validated_count, own, marked)


def meets(
    window: Mapping[str, str] | None, first: str, last: str, hidden: tuple[datetime, datetime]
) -> bool:
    """Tell whether [first, last) of a window meets the hidden bars."""
    if window is None or first not in window:
        return False
    start, end = (datetime.fromisoformat(window[name]) for name in (first, last))
    return start < hidden[1] and end > hidden[0]


def fits(standing: Standing | SharedMemory, one: Expected, wanted: Wanted) -> bool:
    """Tell whether a memory is among what is wanted."""
    if wanted.symbol is not None and standing.symbol_id != wanted.symbol:
        return False
    if wanted.not_symbol is not None and standing.symbol_id == wanted.not_symbol:
        return False
    if wanted.strategy_type is not None and standing.strategy_type != wanted.strategy_type:
        return False
    return not wanted.tags or not one.tags or bool(set(wanted.tags) & set(one.tags))


def _key(standing: Standing, one: Expected, wanted: Wanted) -> tuple[Any, ...]:
    age = (standing.created_at, standing.record_id)
    if wanted.order == "newest":
        return age
    # No move of these histories touches the relevance.
    overlap = len(set(wanted.tags) & set(one.tags))
    return (standing.relevance_score, overlap, one.confidence, *age)


DAYS = st.tuples(*[st.integers(-12, 12)] * 3).filter(lambda days: len(set(days)) == 3)
CONFIDENCE = st.sampled_from(["0.3", "0.5", "0.8", "1"])
TAGGED = st.lists(st.sampled_from(TAGS), unique=True)
MAKE = st.fixed_dictionaries(
    {
        "do": st.just("make"),
        "type": st.sampled_from(["rule", "strategy_insight", "strategy_insight"]),
        "symbol": st.sampled_from(["ETH", "BTC", None]),
        "strategy_type": st.sampled_from(["momentum", "breakout", None]),
        "outcome": st.sampled_from(["success", "failure", None]),
        "confidence": CONFIDENCE,
        "in_sample_confidence": CONFIDENCE,
        "tags": TAGGED,
        "windowed": st.booleans(),
        "own": st.sampled_from([False, False, True]),
        "days": DAYS,
        "made_on": st.lists(DAYS, max_size=3),
    }
)
MOVE = st.fixed_dictionaries(
    {
        "do": st.sampled_from(["trust", "trust", "end", "revive", "merge", "erase"]),
        "which": st.integers(0, 7),
        "confidence": CONFIDENCE,
        "tags": TAGGED,
        "told": st.booleans(),
        "days": DAYS,
    }
)
EVENTS = st.tuples(
    st.lists(MAKE, min_size=3, max_size=8), st.lists(st.one_of(MOVE, MOVE, MAKE), max_size=14)
).map(lambda two: two[0] + two[1])
WANTED = st.builds(
    Wanted,
    type=st.sampled_from(["rule", "strategy_insight"]),
    symbol=st.sampled_from([None, None, None, "ETH"]),
    not_symbol=st.sampled_from([None, None, "BTC", "ETH"]),
    strategy_type=st.sampled_from([None, None, None, "breakout"]),
    tags=TAGGED.map(tuple),
    order=st.sampled_from(["newest", "ranked"]),
    limit=st.sampled_from([2, 50, 50]),
)
