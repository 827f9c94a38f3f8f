"""What an agent reads beside its own strategy memory: what was granted, what others share.

Both are off by default. Search and the researcher alone read beyond (SPEC M8, M10), and their
statements name these tables only where there is something to read; what such a statement finds is
what is granted and switched on at that very moment, whatever the caller knew before.
"""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from memory.models import Agent

type Origin = Literal["own", "granted", "community"]

ORIGINS: tuple[Origin, ...] = ("own", "granted", "community")
"""By their number in statements; of equals the nearer one goes first."""

# The agents that this one may read, by name; both are of one owner still.
SOURCES = """
sources AS MATERIALIZED (
    SELECT g.source_id AS agent_id, a.name FROM memory_grant g
    JOIN memory_agent a ON a.id = g.source_id
    JOIN memory_agent mine ON mine.id = g.reader_id AND mine.owner_id = a.owner_id
    WHERE g.reader_id = %(agent)s AND g.revoked_at IS NULL{since}
)"""
# Written out: each search asks it, and the ORM would take as long to say it as the rest together.
_IS_GRANTED = """EXISTS (SELECT 1 FROM memory_grant g
    WHERE g.reader_id = memory_agent.id AND g.revoked_at IS NULL)"""
SHARES = "(SELECT a.share_community_memories FROM memory_agent a WHERE a.id = %(agent)s)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Whether copies of others are read, and whether memory of agents that granted theirs is."""

    community: bool = False
    granted: bool = False

    @property
    def is_wide(self) -> bool:
        """Whether there is anything beside the agent's own memory."""
        return self.community or self.granted


OWN_ALONE = Reach()


def with_reach(agents: QuerySet[Agent]) -> QuerySet[Agent]:
    """Return agents, each with whether another lets it read: what `reach_of` tells their reach by.

    It costs no statement of its own where the agent is read anyway.
    """
    return agents.annotate(is_granted=RawSQL(_IS_GRANTED, [], BooleanField()))  # noqa: S611 - a constant


def reach_of(agent: Agent) -> Reach:
    """Return how far an agent of `with_reach` reads now."""
    return Reach(
        community=agent.share_community_memories,
        granted=agent.is_granted,  # type: ignore[attr-defined]  # annotated by with_reach
    )


def look_up_reach(agent_id: UUID) -> Reach:
    """Return how far an agent reads now; no further than its own where there is no such agent."""
    agent = with_reach(Agent.objects.filter(id=agent_id)).only("share_community_memories").first()
    return OWN_ALONE if agent is None else reach_of(agent)
