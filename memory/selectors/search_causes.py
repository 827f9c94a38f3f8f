"""What kept a memory out of a search's answer (SPEC S3, `why_not`).

Of a memory that the caller does not read no more is said than of one that is nowhere, and it costs
the same statements.
"""

from datetime import datetime
from uuid import UUID

from django.db.models import Exists, F, OuterRef

from memory.models import Agent, Grant, Record, SharedMemory, Standing
from memory.schemas.search import Cause, SearchQuery
from memory.selectors.reach import Reach

SEARCHED = ("rule", "strategy_insight")


def cause_of(
    *, agent_id: UUID, asked: SearchQuery, memory_id: UUID, reach: Reach, now: datetime
) -> Cause:
    """Return why a memory that has no place in the answer has none."""
    standing = Standing.objects.filter(agent_id=agent_id, record_id=memory_id).first()
    if standing is not None:
        return _cause(standing, asked, now=now)
    if Record.objects.filter(agent_id=agent_id, id=memory_id, purged_at__isnull=True).exists():
        return "type"
    if reach.granted and (granted := _granted(agent_id, memory_id)):
        return _cause(granted, asked, now=now)
    if reach.community and (copy := _shared(agent_id, memory_id)):
        original = copy.agent_id == agent_id
        if not original and reach.granted:
            held = _granted(agent_id, copy.source_id)
            original = held is not None and _is_live(held, now=now)
        return "original" if original else _cause(copy, asked, now=now)
    return "unknown"


def _granted(agent_id: UUID, memory_id: UUID) -> Standing | None:
    """Return a rule or insight of an agent that let this one read it."""
    grant = Grant.objects.filter(
        reader_id=agent_id,
        revoked_at__isnull=True,
        source_id=OuterRef("agent_id"),
        source__owner_id=F("reader__owner_id"),
    )
    found = Standing.objects.filter(Exists(grant), record_id=memory_id, type__in=SEARCHED)
    return found.first()


def _shared(agent_id: UUID, memory_id: UUID) -> SharedMemory | None:
    """Return a copy, while the agent's switch is on."""
    switched_on = Agent.objects.filter(id=agent_id, share_community_memories=True)
    return SharedMemory.objects.filter(Exists(switched_on), id=memory_id).first()


def _is_live(standing: Standing | SharedMemory, *, now: datetime) -> bool:
    merged = isinstance(standing, Standing) and standing.merged_into_id is not None
    return not merged and (standing.expires_at is None or standing.expires_at > now)


def _cause(standing: Standing | SharedMemory, asked: SearchQuery, *, now: datetime) -> Cause:
    if standing.type not in SEARCHED:
        return "type"
    if isinstance(standing, Standing) and standing.merged_into_id is not None:
        return "merged"
    if not _is_live(standing, now=now):
        return "expired"
    return _cause_of_live(standing, asked)


def _cause_of_live(standing: Standing | SharedMemory, asked: SearchQuery) -> Cause:
    if standing.type == "rule":
        return "slot_full"
    if asked.tags and standing.tags and not set(asked.tags) & set(standing.tags):
        return "tag"
    if asked.symbol is not None and standing.symbol_id == asked.symbol:
        return "slot_full"
    if asked.strategy_type is None:
        return "symbol"
    return "budget" if standing.strategy_type == asked.strategy_type else "strategy_type"
