"""The search of strategy memory: a cascade of eight places (SPEC S1-S5).

At most two rules, then at most three insights of the symbol asked for, then, with a strategy type,
insights of that type from other symbols. All that keeps a memory out is a predicate before its
step's limit, and expired rows are not even read: the deadline is part of the indexes (M3). What
others share, and what was granted, has a part in each step (M8, M10).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memory.errors import NotFound, NotThisRole
from memory.models import Agent
from memory.policies.community import told_end
from memory.policies.layout import Entry, Step, layout
from memory.policies.ownership import Actor, TokenActor
from memory.schemas.search import SAYS, Cause, SearchAnswer, SearchItem, SearchQuery, WhyNot
from memory.selectors.access import NOTHING, agents_for
from memory.selectors.reach import ORIGINS, OWN_ALONE, Reach, look_up_reach, with_reach
from memory.selectors.search_causes import cause_of
from memory.selectors.search_sql import BY_WORDS, Shape, statement

STEPS: tuple[Step, ...] = ("rule", "exact", "transfer")


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
    """Return the agent whose strategy memory the actor may search, with its reach.

    NotFound; NotThisRole.

    Trading reads context alone, unless the agent allows it to search (SPEC B3, C10).
    """
    agent = with_reach(agents_for(actor)).filter(id=agent_id).first()
    if agent is None:
        raise NotFound(NOTHING)
    if isinstance(actor, TokenActor) and actor.role == "trading" and not agent.trading_may_search:
        raise NotThisRole("this agent does not let the trading role search")
    return agent


def search(
    *, agent_id: UUID, asked: SearchQuery, reach: Reach | None = None, now: datetime
) -> SearchAnswer:
    """Return what the agent's strategy memory says to a question, in at most eight lines.

    `reach` is how far the agent reads beside its own memory; None: it is looked up.
    """
    reach = look_up_reach(agent_id) if reach is None else reach
    found = cascade(agent_id=agent_id, asked=asked, reach=reach, now=now)
    text, places = layout([one.entry for one in found], symbol=asked.symbol)
    items = [found[place].item for place in places]
    why_not = None
    if asked.why_not is not None:
        why_not = _why_not(agent_id, asked, asked.why_not, found, items, reach=reach, now=now)
    return SearchAnswer(text=text, items=items, left_out=len(found) - len(items), why_not=why_not)


def cascade(
    *, agent_id: UUID, asked: SearchQuery, reach: Reach = OWN_ALONE, now: datetime
) -> list[Found]:
    """Return the memories that have a place, in order."""
    values: dict[str, Any] = {
        "agent": agent_id,
        "now": now,
        "tags": list(dict.fromkeys(asked.tags)),
        "symbol": asked.symbol,
        "strategy_type": asked.strategy_type,
        "query": asked.query,
    }
    shape = Shape(
        tags=bool(asked.tags),
        symbol=asked.symbol is not None,
        strategy_type=asked.strategy_type is not None,
        query=bool(asked.query),
        reach=reach,
    )
    with connection.cursor() as cursor:
        cursor.execute(statement(shape), values)
        return [_found(row, scored=bool(asked.query)) for row in cursor.fetchall()]


def by_words(*, agent_id: UUID, query: str, limit: int, now: datetime) -> list[tuple[UUID, float]]:
    """Return the agent's live strategy memories that share words with `query`, best first.

    With their scores. A memory that shares no word is not among them.
    """
    values: dict[str, Any] = {"agent": agent_id, "query": query, "limit": limit, "now": now}
    with connection.cursor() as cursor:
        cursor.execute(BY_WORDS, values)
        return list(cursor.fetchall())


def _found(row: tuple[Any, ...], *, scored: bool) -> Found:
    community = ORIGINS[row[14]] == "community"
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
        created_at=row[11],
        expires_at=told_end(row[12]) if community else row[12],
        community=community,
        granted_from=row[15],
        source_node_uuid=row[16],
    )
    return Found(item, row[13])


def _why_not(
    agent_id: UUID,
    asked: SearchQuery,
    memory_id: UUID,
    found: list[Found],
    shown: list[SearchItem],
    *,
    reach: Reach,
    now: datetime,
) -> WhyNot:
    if any(item.memory_id == memory_id for item in shown):
        cause: Cause = "shown"
    elif any(one.item.memory_id == memory_id for one in found):
        cause = "budget"
    else:
        cause = cause_of(agent_id=agent_id, asked=asked, memory_id=memory_id, reach=reach, now=now)
    return WhyNot(memory_id=memory_id, cause=cause, explanation=SAYS[cause])
