"""The search of strategy memory: a cascade of eight places (SPEC S1-S5).

At most two rules, then at most three insights of the symbol asked for, then, with a strategy type,
insights of that type from other symbols. All that keeps a memory out is a predicate before its
step's limit, and expired rows are not even read: the deadline is part of the indexes (M3).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memory.errors import NotThisRole
from memory.models import Agent, Record, Standing
from memory.policies.layout import Entry, Step, layout
from memory.policies.ownership import Actor, TokenActor
from memory.schemas.search import SAYS, Cause, SearchAnswer, SearchItem, SearchQuery, WhyNot
from memory.selectors.access import access_agent

SEARCHED = ("rule", "strategy_insight")
STEPS: tuple[Step, ...] = ("rule", "exact", "transfer")

# BM25 (k1 1.2, b 0.75) over the agent's own records. How many hold a word is counted in the
# postings that are read anyway. Rounded, so that the order of adding up decides nothing; in float8
# throughout, which is several times faster here than numeric.
_SCORED = """
scored AS MATERIALIZED (
    SELECT p.record_id, round(1e9::float8 * sum(ln(1 + (own.n - p.df + 0.5) / (p.df + 0.5))
        * p.tf * 2.2 / (p.tf + 0.3 + 0.9 * p.len / own.mean))) / 1e9 AS score
    FROM (
        SELECT t.record_id, t.tf::float8, t.len::float8,
            count(*) OVER (PARTITION BY t.lexeme)::float8 AS df
        FROM unnest(to_tsvector('english', translate(%(query)s, '/', ' '))) q
        JOIN memory_term t ON t.agent_id = %(agent)s AND t.lexeme = q.lexeme COLLATE "C") p
    CROSS JOIN (
        SELECT text_records::float8 AS n,
            text_length::float8 / greatest(text_records, 1) AS mean
        FROM memory_agent_tail WHERE agent_id = %(agent)s) own
    GROUP BY p.record_id
)"""
_NOT_SCORED = "scored AS (SELECT NULL::uuid AS record_id, 0::float8 AS score WHERE false)"

# Each of these gives record_id, relevance, overlap, confidence and created_at of what may have a
# place. Overlap ranks before confidence, so all live matches are counted, out of the index alone.
_STANDINGS = """
    SELECT s.record_id, s.relevance_score AS relevance, {overlap} AS overlap, s.confidence,
        s.created_at
    FROM memory_standing s
    WHERE s.agent_id = %(agent)s AND s.type = {type} AND s.merged_into_id IS NULL
        AND coalesce(s.expires_at, 'infinity'::timestamptz) > %(now)s AND {condition}"""
_TAGS = """
    SELECT s.record_id, s.relevance, count(*) FILTER (WHERE s.tag <> '') AS overlap, s.confidence,
        s.created_at
    FROM memory_tag s
    WHERE s.agent_id = %(agent)s AND s.type = 'strategy_insight'
        AND s.tag = ANY (%(tags)s::text[] || ''::text) AND s.expires_at > %(now)s AND {condition}
    GROUP BY s.record_id, s.relevance, s.confidence, s.created_at"""
_RULES = _STANDINGS.format(
    type="'rule'",
    overlap="(SELECT count(*) FROM unnest(s.tags) t WHERE t = ANY (%(tags)s::text[]))",
    condition="s.symbol_id IS NULL",
)
_RANKED = "score", "relevance", "overlap", "confidence", "created_at", "record_id"
_STEP = """
{name} AS (
    SELECT {number} AS step, c.record_id, coalesce(h.score, 0) AS score, c.relevance, c.overlap,
        c.confidence, c.created_at
    FROM ({candidates}) c LEFT JOIN scored h ON h.record_id = c.record_id
    ORDER BY {order} LIMIT {limit}
)"""
_FOUND = """
SELECT f.step, f.score, f.overlap, s.record_id, s.type, s.symbol_id, s.strategy_type, s.outcome,
    s.confidence, s.validated_count, s.relevance_score, s.visibility = 'community', s.created_at,
    s.expires_at, r.content
FROM ({steps}) f
JOIN memory_standing s ON s.agent_id = %(agent)s AND s.record_id = f.record_id
JOIN memory_record r ON r.agent_id = %(agent)s AND r.id = f.record_id
ORDER BY f.step, {order}"""

_BY_WORDS = f"""
WITH {_SCORED}
SELECT h.record_id, h.score FROM scored h
JOIN memory_standing s ON s.agent_id = %(agent)s AND s.record_id = h.record_id
WHERE s.merged_into_id IS NULL AND (s.expires_at IS NULL OR s.expires_at > %(now)s)
ORDER BY h.score DESC, h.record_id DESC LIMIT %(limit)s
"""  # noqa: S608 - both parts are constants


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that has a place, with what its line says."""

    item: SearchItem
    content: str

    @property
    def entry(self) -> Entry:
        """What its line is made of."""
        item = self.item
        return Entry(
            step=item.section,
            content=self.content,
            confidence=item.confidence,
            outcome=item.outcome,
            symbol=item.symbol,
            is_community=item.community,
            granted_from=item.granted_from,
        )


def access_search(actor: Actor, agent_id: UUID) -> Agent:
    """Return the agent whose strategy memory the actor may search (NotFound, NotThisRole).

    Trading reads context alone, unless the agent allows it to search (SPEC B3, C10).
    """
    agent = access_agent(actor, agent_id)
    if isinstance(actor, TokenActor) and actor.role == "trading" and not agent.trading_may_search:
        raise NotThisRole("this agent does not let the trading role search")
    return agent


def search(*, agent_id: UUID, asked: SearchQuery, now: datetime) -> SearchAnswer:
    """Return what the agent's strategy memory says to a question, in at most eight lines."""
    found = cascade(agent_id=agent_id, asked=asked, now=now)
    text, places = layout([one.entry for one in found], symbol=asked.symbol)
    items = [found[place].item for place in places]
    why_not = None
    if asked.why_not is not None:
        cause = _cause(agent_id, asked, memory_id=asked.why_not, found=found, shown=items, now=now)
        why_not = WhyNot(memory_id=asked.why_not, cause=cause, explanation=SAYS[cause])
    return SearchAnswer(text=text, items=items, left_out=len(found) - len(items), why_not=why_not)


def cascade(*, agent_id: UUID, asked: SearchQuery, now: datetime) -> list[Found]:
    """Return the memories that have a place, in order."""
    values: dict[str, Any] = {
        "agent": agent_id,
        "now": now,
        "tags": list(dict.fromkeys(asked.tags)),
        "symbol": asked.symbol,
        "strategy_type": asked.strategy_type,
        "query": asked.query,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement(asked), values)
        return [_found(row, scored=bool(asked.query)) for row in cursor.fetchall()]


def by_words(*, agent_id: UUID, query: str, limit: int, now: datetime) -> list[tuple[UUID, float]]:
    """Return the agent's live strategy memories that share words with `query`, best first.

    With their scores. A memory that shares no word is not among them.
    """
    values: dict[str, Any] = {"agent": agent_id, "query": query, "limit": limit, "now": now}
    with connection.cursor() as cursor:
        cursor.execute(_BY_WORDS, values)
        return list(cursor.fetchall())


def statement(asked: SearchQuery) -> str:
    """Return the one statement of a question, made of constant parts."""
    steps = {"rules": _step("rules", 1, _RULES, limit="2")}
    if asked.symbol is not None:
        mine = _insights(asked, "{symbol} = %(symbol)s")
        steps["exact"] = _step("exact", 2, mine, limit="3")
    if asked.strategy_type is not None:
        alike = "s.strategy_type = %(strategy_type)s"
        if asked.symbol is not None:
            alike += " AND {symbol} IS DISTINCT FROM %(symbol)s"
        room = " - ".join(["8", *(f"(SELECT count(*) FROM {name})" for name in steps)])  # noqa: S608 - our names
        steps["transfer"] = _step("transfer", 3, _insights(asked, alike), limit=f"({room})")
    scored = _SCORED if asked.query else _NOT_SCORED
    places = " UNION ALL ".join(f"SELECT * FROM {name}" for name in steps)  # noqa: S608 - our names
    found = _FOUND.format(steps=places, order=_order("f."))
    return f"WITH {scored},{','.join(steps.values())}{found}"


def _insights(asked: SearchQuery, condition: str) -> str:
    if asked.tags:
        return _TAGS.format(condition=condition.format(symbol="s.symbol"))
    return _STANDINGS.format(
        type="'strategy_insight'",
        overlap="0::bigint",
        condition=condition.format(symbol="s.symbol_id"),
    )


def _step(name: str, number: int, candidates: str, *, limit: str) -> str:
    order = _order("")
    return _STEP.format(name=name, number=number, candidates=candidates, order=order, limit=limit)


def _order(table: str) -> str:
    return ", ".join(f"{table}{column} DESC" for column in _RANKED)


def _found(row: tuple[Any, ...], *, scored: bool) -> Found:
    item = SearchItem(
        section=STEPS[row[0] - 1],
        score=row[1] if scored else None,
        tag_overlap=row[2],
        memory_id=row[3],
        type=row[4],
        symbol=row[5],
        strategy_type=row[6],
        outcome=row[7],
        confidence=row[8],
        validated_count=row[9],
        relevance_score=row[10],
        community=row[11],
        granted_from=None,
        created_at=row[12],
        expires_at=row[13],
    )
    return Found(item, row[14])


def _cause(
    agent_id: UUID,
    asked: SearchQuery,
    *,
    memory_id: UUID,
    found: list[Found],
    shown: list[SearchItem],
    now: datetime,
) -> Cause:
    """Return what kept a memory out; of another agent's no more than of one that is nowhere."""
    if any(one.item.memory_id == memory_id for one in found):
        return "shown" if any(item.memory_id == memory_id for item in shown) else "budget"
    standing = Standing.objects.filter(agent_id=agent_id, record_id=memory_id).first()
    if standing is None or standing.type not in SEARCHED:
        live = Record.objects.filter(agent_id=agent_id, id=memory_id, purged_at__isnull=True)
        return "type" if live.exists() else "unknown"
    if standing.merged_into_id is not None:
        return "merged"
    if standing.expires_at is not None and standing.expires_at <= now:
        return "expired"
    return _cause_of_live(standing, asked)


def _cause_of_live(standing: Standing, asked: SearchQuery) -> Cause:
    if standing.type == "rule":
        return "slot_full"
    if asked.tags and standing.tags and not set(asked.tags) & set(standing.tags):
        return "tag"
    if asked.symbol is not None and standing.symbol_id == asked.symbol:
        return "slot_full"
    if asked.strategy_type is None:
        return "symbol"
    return "budget" if standing.strategy_type == asked.strategy_type else "strategy_type"
