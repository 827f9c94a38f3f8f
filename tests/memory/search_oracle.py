"""Search without a database: everything in Python, one memory at a time."""

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import connection
from hypothesis import strategies as st

from memory.schemas.search import SearchQuery
from memory.services import standings
from memory.services.standings import Cause
from tests.desk import Desk
from tests.strategies import forget, remember

DAY = timedelta(days=1)
CAUSE = Cause("user", "1")


def end(desk: Desk, memory_id: UUID, *, at: datetime) -> None:
    """End a standing at that moment."""
    standings.move(
        agent_id=desk.agent.id,
        record_id=memory_id,
        event="deprecated",
        cause=CAUSE,
        step=lambda was: replace(was, expires_at=at),
        now=at,
    )


WORDS = ("breakout", "volume", "short", "range", "funding", "the", "SL/TP", "1.5", "trend")
TAGS = ("adx", "momentum", "range")


@dataclass
class Known:
    """A memory as the oracle knows it."""

    id: UUID
    type: str
    created_at: datetime
    symbol: str | None
    strategy_type: str | None
    tags: list[str]
    relevance: Decimal
    confidence: Decimal
    expires_at: datetime | None
    words: Counter[str]
    is_merged: bool = False


@dataclass
class World:
    """An agent's memories, and the search over them without a database."""

    desk: Desk
    known: list[Known] = field(default_factory=list)
    plain: list[Counter[str]] = field(default_factory=list)

    def expected(self, asked: SearchQuery, *, now: datetime) -> list[tuple[str, UUID, float]]:
        scores = self.scores(asked.query or "")
        live = [
            one
            for one in self.known
            if not one.is_merged and (one.expires_at is None or one.expires_at > now)
        ]

        def overlap(one: Known) -> int:
            return len(set(one.tags) & set(asked.tags))

        def qualifies(one: Known) -> bool:
            return not asked.tags or not one.tags or overlap(one) > 0

        def best(step: str, some: list[Known], limit: int) -> list[tuple[str, UUID, float]]:
            some = sorted(
                some,
                key=lambda one: (
                    scores.get(one.id, 0.0),
                    *(one.relevance, overlap(one), one.confidence, one.created_at, one.id),
                ),
                reverse=True,
            )
            return [(step, one.id, scores.get(one.id, 0.0)) for one in some[:limit]]

        insights = [one for one in live if one.type == "strategy_insight" and qualifies(one)]
        found = best("rule", [one for one in live if one.type == "rule"], 2)
        if asked.symbol is not None:
            found += best("exact", [one for one in insights if one.symbol == asked.symbol], 3)
        if asked.strategy_type is not None:
            alike = [
                one
                for one in insights
                if one.strategy_type == asked.strategy_type
                and (asked.symbol is None or one.symbol != asked.symbol)
            ]
            found += best("transfer", alike, 8 - len(found))
        return found

    def scores(self, query: str) -> dict[UUID, float]:
        """BM25 over all the agent's texts that are not erased."""
        texts: list[tuple[UUID | None, Counter[str]]] = [(one.id, one.words) for one in self.known]
        texts += [(None, words) for words in self.plain]
        return {id_: one for id_, one in weighed(texts, query).items() if id_ is not None}


def weighed[Id](texts: list[tuple[Id, Counter[str]]], query: str) -> dict[Id, float]:
    """Return the BM25 weight of each text, among these texts."""
    if not texts:
        return {}
    mean = sum(sum(words.values()) for _, words in texts) / len(texts)
    totals: dict[Id, float] = {}
    for word in lexemes(query):
        df = sum(word in words for _, words in texts)
        idf = math.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
        for id_, words in texts:
            if word in words:
                tf, length = words[word], sum(words.values())
                part = idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / mean))
                totals[id_] = totals.get(id_, 0) + part
    return {id_: round(total, 9) for id_, total in totals.items()}


def lexemes(text: str) -> Counter[str]:
    """Return the stems that PostgreSQL finds, with their number."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT lexeme, cardinality(positions) FROM unnest(to_tsvector('english', %s))",
            [text.replace("/", " ")],
        )
        return Counter(dict(cursor.fetchall()))


MEMORY = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["rule", "strategy_insight", "strategy_insight", "optimization"]),
        "symbol": st.sampled_from(["ETH", "BTC", None]),
        "strategy_type": st.sampled_from(["momentum", "breakout", None]),
        "outcome": st.sampled_from(["success", "failure", None]),
        "confidence": st.sampled_from(["0.5", "0.8", "1"]),
        "tags": st.lists(st.sampled_from(TAGS), unique=True),
        "words": st.lists(st.sampled_from(WORDS), min_size=1, max_size=5),
        "age": st.integers(0, 100),
        "fate": st.sampled_from(["live", "live", "live", "ended", "merged", "erased", "plain"]),
    }
)
QUESTION = st.fixed_dictionaries(
    {},
    optional={
        "symbol": st.sampled_from(["ETH", "BTC", "SOL"]),
        "strategy_type": st.sampled_from(["momentum", "breakout"]),
        "tags": st.lists(st.sampled_from(TAGS), unique=True),
        "query": st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join),
    },
)


def put(world: World, memory: dict[str, Any], *, now: datetime) -> None:
    desk, then = world.desk, now - memory["age"] * DAY / 4
    content, tags = " ".join(memory["words"]), memory["tags"]
    if memory["fate"] == "plain":
        desk.write(now=then, content=content, tags=tags, instruments=["ETH"])
        world.plain.append(lexemes(" ".join([content, *tags, "ETH"])))
        return
    facts = {key: memory[key] for key in ("symbol", "strategy_type", "outcome", "confidence")}
    if memory["type"] == "rule":
        facts["symbol"] = None
    id_ = remember(desk, content, now=then, type=memory["type"], tags=tags, **facts)
    if memory["fate"] == "erased":
        forget(id_, now=then)
        return
    if memory["fate"] == "ended":
        end(desk, id_, at=now)
    survivor = world.known[0].id if world.known else None
    if memory["fate"] == "merged" and survivor:
        standings.move(
            agent_id=desk.agent.id,
            record_id=id_,
            event="merged",
            cause=CAUSE,
            step=lambda was: replace(was, merged_into=survivor),
            now=now,
        )
    moving = standings.replayed(desk.agent.id, id_)
    assert moving is not None
    said = [content, *tags, facts["symbol"] or "", facts["strategy_type"] or ""]
    world.known.append(
        Known(
            id=id_,
            type=memory["type"],
            created_at=then,
            symbol=facts["symbol"],
            strategy_type=facts["strategy_type"],
            tags=tags,
            relevance=moving.relevance_score,
            confidence=moving.confidence,
            expires_at=moving.expires_at,
            words=lexemes(" ".join(said)),
            is_merged=moving.merged_into is not None,
        )
    )
