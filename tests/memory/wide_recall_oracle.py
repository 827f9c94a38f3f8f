"""Recall beyond an agent's own memory without a database: lines of copies replayed in Python."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from memory.models import Agent, Grant, SharedChange, SharedMemory, Standing
from memory.selectors.reach import ORIGINS
from memory.selectors.recall import View, Wanted
from tests.copies import copy, move_copy, withdraw
from tests.memory.recall_oracle import (
    CONFIDENCE,
    DAYS,
    MAKE,
    MOVE,
    Expected,
    History,
    fits,
    meets,
    seen_of,
)


@dataclass
class Sharing(History):
    """An agent that also shares, and whose copies `judge` judges and the author withdraws."""

    judge: Agent | None = None
    copies: list[UUID] = field(default_factory=list)

    def do(self, event: dict[str, Any], *, hour: int) -> None:
        at = self.moment(hour)
        if event["do"] == "share":
            self._share(event, at=at)
        elif event["do"] in {"judge", "withdraw"}:
            self._touch(event, at=at)
        elif not (event["do"] == "merge" and self._is_shared(event)):
            super().do(event, hour=hour)

    def _is_shared(self, event: dict[str, Any]) -> bool:
        id_ = self.ids[event["which"] % len(self.ids)] if self.ids else None
        return SharedMemory.objects.filter(source_id=id_).exists()

    def _share(self, event: dict[str, Any], *, at: datetime) -> None:
        if not self.ids or self._is_shared(event):
            return
        id_ = self.ids[event["which"] % len(self.ids)]
        standing = Standing.objects.filter(record_id=id_, merged_into=None).first()
        if standing is None or not (standing.type == "rule" or standing.outcome == "success"):
            return
        made = [standing.metrics.get("window"), *standing.metrics.get("windows", [])]
        judged = {key: one for key, one in self.window(event["days"]).items() if key != "start"}
        windows = [*filter(None, made), *([judged] if event["told"] else [])]
        self.copies.append(copy(id_, windows=windows, now=at))

    def _touch(self, event: dict[str, Any], *, at: datetime) -> None:
        there = SharedMemory.objects.filter(id__in=self.copies).order_by("id")
        found = list(there)
        if not found:
            return
        one = found[event["which"] % len(found)]
        if event["do"] == "withdraw":
            withdraw(one.id, now=at)
            return
        assert self.judge is not None
        ends = event["tags"] == []
        move_copy(
            one.id,
            by=self.judge,
            event="deprecated" if ends else "confirmed",
            window=self.window(event["days"]) if event["told"] else None,
            now=at,
            confidence=Decimal(event["confidence"]),
            expires_at=at if ends else one.expires_at,
        )


@dataclass(frozen=True)
class Wide:
    """What the oracle says of a memory, and where it is from."""

    origin: str
    granted_from: str | None
    seen: Expected


def expected(view: View, wanted: Wanted) -> list[Wide]:
    """Return what `recall` must."""
    found = []
    for standing, wide in known(view, wanted.type):
        one = wide.seen
        created_at = getattr(standing, "created_at", None) or standing.shared_at
        if not fits(standing, one, wanted):
            continue
        key: tuple[Any, ...] = (created_at, one.id, -ORIGINS.index(wide.origin))
        if wanted.order == "ranked":
            overlap = len(set(wanted.tags) & set(one.tags))
            key = (standing.relevance_score, overlap, one.confidence, *key)
        found.append((key, wide))
    found.sort(key=lambda pair: pair[0], reverse=True)
    return [wide for _, wide in found[: wanted.limit]]


def pool(view: View) -> list[str]:
    """Return what `tag_pool` must."""
    counts: dict[str, int] = {}
    for type_ in ("rule", "strategy_insight"):
        for _, wide in known(view, type_):
            for tag in wide.seen.tags:
                counts[tag] = counts.get(tag, 0) + 1
    return sorted(counts, key=lambda tag: (-counts[tag], tag))


def known(view: View, type_: str) -> Iterator[tuple[Any, Wide]]:
    """Yield all of a type that a view shows, in no order."""
    for standing in Standing.objects.filter(agent_id=view.agent_id, type=type_):
        one = seen_of(standing, view)
        if one is not None:
            yield standing, Wide("own", None, one)
    plain = replace(view, session_id=None)
    granted: set[UUID] = set()
    grants = Grant.objects.filter(
        reader_id=view.agent_id, granted_at__lte=view.at, revoked_at=None
    ).select_related("source")
    for grant in grants if view.reach.granted else ():
        for standing in Standing.objects.filter(agent_id=grant.source_id, type=type_):
            if seen_of(standing, replace(plain, hidden=None)) is not None:
                granted.add(standing.record_id)
            one = seen_of(standing, plain)
            if one is not None:
                yield standing, Wide("granted", grant.source.name, one)
    on = Agent.objects.get(id=view.agent_id).share_community_memories
    for found in SharedMemory.objects.filter(type=type_) if on and view.reach.community else ():
        if found.agent_id == view.agent_id or found.source_id in granted:
            continue
        one = _copy_then(found, view)
        if one is not None:
            yield found, Wide("community", None, one)


def _copy_then(found: SharedMemory, view: View) -> Expected | None:
    changes = SharedChange.objects.filter(shared=found, at__lte=view.at).order_by("revision")
    lines = list(changes)
    if not lines:
        return None
    was = lines[-1].after
    if was["expires_at"] is not None and datetime.fromisoformat(was["expires_at"]) <= view.at:
        return None
    marked = False
    if view.hidden is not None:
        if any(meets(window, "start", "split", view.hidden) for window in found.windows):
            return None
        windows = [*found.windows, *(line.window for line in lines)]
        marked = any(meets(window, "split", "end", view.hidden) for window in windows)
    return Expected(
        found.id,
        tuple(found.tags),
        Decimal(was["confidence"]),
        was["validated_count"],
        own=False,
        holdout_seen=marked,
    )


TOUCH = st.fixed_dictionaries(
    {
        "do": st.sampled_from(["share", "share", "share", "judge", "judge", "withdraw"]),
        "which": st.integers(0, 7),
        "confidence": CONFIDENCE,
        "tags": st.sampled_from([["x"], ["x"], []]),
        "told": st.booleans(),
        "days": DAYS,
    }
)
SHARING = st.tuples(
    st.lists(MAKE, min_size=3, max_size=6),
    st.lists(st.one_of(TOUCH, TOUCH, MOVE, MAKE), min_size=2, max_size=12),
).map(lambda two: two[0] + two[1])
