"""Search over several agents without a database: grants, switches and copies in plain Python."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from memory.models import Grant, SharedMemory, Standing
from memory.schemas.search import SearchQuery
from memory.services import grants
from tests.copies import copy, let_read, move_copy, switch, withdraw
from tests.desk import Desk
from tests.memory.search_oracle import DAY, MEMORY, Known, World, end, lexemes, put, weighed
from tests.strategies import forget

NAMES = ("first", "second", "third", "fourth")
"""Of the agents; the first two are one user's, the others another's."""
PAIRS = ((0, 1), (1, 0), (2, 3))
"""Who may be let read whom."""


@dataclass
class Copy:
    """A copy as the oracle knows it: `known` is what it says, `author` is an agent's place."""

    known: Known
    author: int
    source_id: UUID


@dataclass(frozen=True)
class Place:
    """What has a place in an answer, and where it comes from."""

    section: str
    id: UUID
    score: float
    community: bool
    granted_from: str | None


@dataclass
class Crowd:
    """Four agents of two users, with all that they have, share and may read."""

    worlds: list[World]
    copies: list[Copy] = field(default_factory=list)
    switched_on: list[bool] = field(default_factory=lambda: [False] * 4)
    granted: set[tuple[int, int]] = field(default_factory=set)

    def candidates(self, reader: int, *, now: datetime) -> list[tuple[int, str | None, Known]]:
        """Return (scope, name of the granting agent, memory) of all that a reader reads, live."""
        found: list[tuple[int, str | None, Known]] = []
        for place, world in enumerate(self.worlds):
            if place == reader:
                found += [(0, None, one) for one in world.known]
            elif (reader, place) in self.granted:
                found += [(1, NAMES[place], one) for one in world.known]
        found = [one for one in found if _is_live(one[2], now=now)]
        read = {one.id for _, _, one in found}
        if self.switched_on[reader]:
            found += [
                (2, None, one.known)
                for one in self.copies
                if one.author != reader
                and one.source_id not in read
                and _is_live(one.known, now=now)
            ]
        return found

    def scores(self, reader: int, query: str) -> dict[tuple[int, UUID], float]:
        """Return the weight of each memory's words within its scope."""
        found = {(0, id_): one for id_, one in self.worlds[reader].scores(query).items()}
        for place, world in enumerate(self.worlds):
            if (reader, place) in self.granted:
                found |= {(1, id_): one for id_, one in world.scores(query).items()}
        texts: list[Any] = [(one.known.id, one.known.words) for one in self.copies]
        return found | {(2, id_): one for id_, one in weighed(texts, query).items()}

    def expected(self, reader: int, asked: SearchQuery, *, now: datetime) -> list[Place]:
        """Return what a search must."""
        scores = self.scores(reader, asked.query or "")
        live = self.candidates(reader, now=now)

        def overlap(one: Known) -> int:
            return len(set(one.tags) & set(asked.tags))

        def best(step: str, some: list[tuple[int, str | None, Known]], limit: int) -> list[Place]:
            ranked = sorted(
                some,
                key=lambda it: (
                    scores.get((it[0], it[2].id), 0.0),
                    *(it[2].relevance, overlap(it[2]), it[2].confidence),
                    *(it[2].created_at, it[2].id, -it[0]),
                ),
                reverse=True,
            )
            return [
                Place(step, one.id, scores.get((scope, one.id), 0.0), scope == 2, name)
                for scope, name, one in ranked[:limit]
            ]

        insights = [
            it
            for it in live
            if it[2].type == "strategy_insight"
            and (not asked.tags or not it[2].tags or overlap(it[2]) > 0)
        ]
        found = best("rule", [it for it in live if it[2].type == "rule"], 2)
        if asked.symbol is not None:
            found += best("exact", [it for it in insights if it[2].symbol == asked.symbol], 3)
        if asked.strategy_type is not None:
            alike = [
                it
                for it in insights
                if it[2].strategy_type == asked.strategy_type
                and (asked.symbol is None or it[2].symbol != asked.symbol)
            ]
            found += best("transfer", alike, 8 - len(found))
        return found


def _is_live(one: Known, *, now: datetime) -> bool:
    return not one.is_merged and (one.expires_at is None or one.expires_at > now)


HISTORY = st.fixed_dictionaries(
    {
        "memories": st.lists(
            st.tuples(
                st.integers(0, 3),
                MEMORY,
                st.sampled_from(["share", "share", "move", "end it", "withdraw", None]),
                st.sampled_from(["keep", "keep", "keep", "end", "forget"]),
            ),
            min_size=8,
            max_size=20,
        ),
        "switched_on": st.lists(st.sampled_from([True, True, False]), min_size=4, max_size=4),
        "grants": st.lists(
            st.sampled_from(["open", "open", "revoked", "none"]),
            min_size=len(PAIRS),
            max_size=len(PAIRS),
        ),
    }
)


def live_through(desks: list[Desk], history: dict[str, Any], *, now: datetime) -> Crowd:
    """Let agents live through a history, and return them as the oracle knows them."""
    crowd = Crowd([World(desk) for desk in desks])
    for place, memory, fate, own_fate in history["memories"]:
        world = crowd.worlds[place]
        before = len(world.known)
        put(world, memory, now=now)
        if len(world.known) == before:
            continue
        known = world.known[-1]
        if fate is not None:
            _share(crowd, place, known, fate, now=now)
        _settle(crowd, world, known, own_fate, now=now)
    for place, on in enumerate(history["switched_on"]):
        switch(desks[place].agent, on=on)
        crowd.switched_on[place] = on
    for pair, state in zip(PAIRS, history["grants"], strict=True):
        if state == "none":
            continue
        given: Grant = let_read(desks[pair[0]], desks[pair[1]], now=now - DAY)
        if state == "revoked":
            assert grants.revoke(grant=given, by_id=desks[pair[0]].user.pk, now=now)
        else:
            crowd.granted.add(pair)
    return crowd


def _share(crowd: Crowd, place: int, known: Known, fate: str, *, now: datetime) -> None:
    standing = Standing.objects.get(record_id=known.id)
    fits = standing.type == "rule" or (
        standing.type == "strategy_insight" and standing.outcome == "success"
    )
    if known.is_merged or not fits:
        return
    at = now - DAY / 2
    copy_id = copy(known.id, now=at)
    judge = crowd.worlds[(place + 2) % 4].desk.agent
    if fate == "end it":
        move_copy(copy_id, by=judge, event="deprecated", now=now, expires_at=now)
    if fate == "move":
        move_copy(copy_id, by=judge, now=now, confidence=Decimal("0.6"))
    if fate == "withdraw":
        withdraw(copy_id, now=now)
        return
    found = SharedMemory.objects.get(id=copy_id)
    said = [found.content, *found.tags, found.symbol_id or "", found.strategy_type or ""]
    crowd.copies.append(
        Copy(
            Known(
                id=copy_id,
                type=found.type,
                created_at=at,
                symbol=found.symbol_id,
                strategy_type=found.strategy_type,
                tags=known.tags,
                relevance=found.relevance_score,
                confidence=found.confidence,
                expires_at=found.expires_at,
                words=lexemes(" ".join(said)),
            ),
            author=place,
            source_id=known.id,
        )
    )


def _settle(crowd: Crowd, world: World, known: Known, fate: str, *, now: datetime) -> None:
    is_survivor = Standing.objects.filter(merged_into_id=known.id).exists()
    if known.is_merged or is_survivor or known is world.known[0] or fate == "keep":
        return
    if fate == "end":
        end(world.desk, known.id, at=now)
        known.expires_at = now
        return
    forget(known.id, now=now)
    world.known.remove(known)
    crowd.copies = [one for one in crowd.copies if one.source_id != known.id]
