"""Sharing with the community: the flag, copies, and what others' backtests make of them (SPEC M8).

Who shares, withdraws or forgets holds the standing, then the copy, then the counts of the copies'
words. Who judges own rules and copies in one transaction takes the rules first.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db import transaction

from memory.errors import MemoryEnded, NotFound, PreconditionFailed, SharingOff, TidebookError
from memory.models import Agent, SharedChange, SharedMemory, Standing, StandingChange
from memory.policies.community import CopyState, Finding, event_of, window_told
from memory.policies.versions import Condition
from memory.queue import enqueue
from memory.selectors.sharing import etag_of
from memory.services import standings
from memory.services.changes import reasoned
from memory.services.copies import copy_of, is_outlived, move_copy, passed, state_of
from memory.services.standings import Cause
from memory.services.whole import whole

PROMOTE = "memory.tasks.promote"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCopy:
    """A copy that a backtest moved. `event`: `confirmed`, `contradicted`, `deprecated` (ended)."""

    shared_id: UUID
    event: str
    before: CopyState
    after: CopyState


@whole
def set_sharing(*, agent_id: UUID, enabled: bool, condition: Condition) -> Agent:
    """Let an agent share, and read what others share, from now on; or end both.

    What it has shared stays until it is withdrawn. NotFound; PreconditionFailed: it was changed
    meanwhile.
    """
    agent = _held_agent(agent_id)
    etag = etag_of(agent)
    if not condition.holds(etag):
        raise PreconditionFailed("sharing was changed meanwhile; read it again", etag)
    if agent.share_community_memories != enabled:
        agent.share_community_memories = enabled
        agent.sharing_revision += 1
        agent.save(update_fields=["share_community_memories", "sharing_revision"])
    return agent


@whole
def share(
    *, agent_id: UUID, record_id: UUID, by: Cause, now: datetime
) -> tuple[SharedMemory, bool]:
    """Share a rule or insight; return its copy, and whether it was not shared before.

    What is shared already and has a longer life by now, restored or merged, passes the gate again,
    and its copy lives as long by a line of its own: a copy's end does not follow by itself.
    NotFound; SharingOff; MemoryEnded: it is expired or merged; CommunityGate: too little stands
    behind it, or others' backtests have ended an earlier copy of it.
    """
    # Until the commit nobody turns sharing off.
    agent = _held_agent(agent_id)
    standing = _held_standing(agent_id, record_id)
    # Behind the judgements under way: others may be ending it.
    held = SharedMemory.objects.select_for_update(no_key=True)
    there = held.filter(agent_id=agent_id, source_id=record_id).first()
    if there is not None and not is_outlived(there, standing):
        return there, False
    if not agent.share_community_memories:
        raise SharingOff("this agent does not share; turn community sharing on first")
    if not standings.moving_of(standing).is_live(now=now):
        raise MemoryEnded("a memory that is expired or merged is not shared")
    backing = passed(standing)
    if there is not None:
        lives = replace(state_of(there), expires_at=standing.expires_at)
        move_copy(there, lives, event="renewed", at=now)
        return there, False
    copy = copy_of(standing, agent, backing, now=now)
    copy.save(force_insert=True)
    SharedChange.objects.create(
        shared_id=copy.id,
        revision=1,
        event="shared",
        after=state_of(copy).as_json(),
        at=now,
    )
    _tell(standing, "community", by=by, detail={"shared_id": str(copy.id)}, now=now)
    return copy, True


@whole
def unshare(*, agent_id: UUID, record_id: UUID, by: Cause, reason: str = "", now: datetime) -> None:
    """Withdraw what was shared: its copy is gone at once, and what others made of it.

    The ledger keeps where the copy ended. An imported memory that was shared elsewhere has no copy
    here, and is private from now on. NotFound: it is not shared. ValidationFailed: a reason that is
    too long.
    """
    told: dict[str, Any] = {"reason": reasoned(reason)} if reason.strip() else {}
    standing = _held_standing(agent_id, record_id)
    if standing.visibility != "community":
        raise NotFound("this memory is not shared")
    # A judgement under way is waited for: the ledger tells of it, and its line goes.
    held = SharedMemory.objects.select_for_update()
    copy = held.filter(agent_id=agent_id, source_id=record_id).first()
    if copy is not None:
        ended = SharedChange.objects.filter(shared_id=copy.id, event="deprecated").exists()
        told |= {
            "shared_id": str(copy.id),
            "copy": state_of(copy).as_json(),
            "deprecated": ended,
        }
        SharedMemory.objects.filter(id=copy.id).delete()
    _tell(standing, "private", by=by, detail=told, now=now)


def judge_shared(
    *,
    shared_id: UUID,
    agent_id: UUID,
    backtest_id: UUID,
    verdict: Finding,
    window: dict[str, Any] | None,
    now: datetime,
) -> JudgedCopy | Literal["own", "already", "ended"]:
    """Let a backtest of `agent_id` confirm or contradict a copy, once; works in a transaction.

    The author's memory stays as it is. `own`: the agent is its author; `already`: this backtest has
    judged it; `ended`: it is over or withdrawn. `window` is the backtest's, in the form of metrics.
    """
    with transaction.atomic():
        # The lock orders the judgements: each sees what the ones before made of the copy.
        held = SharedMemory.objects.select_for_update(no_key=True)
        copy = held.filter(id=shared_id).first()
        if copy is None:
            return "ended"
        if copy.agent_id == agent_id:
            return "own"
        if SharedChange.objects.filter(
            shared_id=shared_id, agent_id=agent_id, backtest_id=backtest_id
        ).exists():
            return "already"
        before = state_of(copy)
        if not before.is_live(now=now):
            return "ended"
        after = before.judged(verdict, now=now)
        event = event_of(verdict, after, now=now)
        judge: dict[str, Any] = {"agent_id": agent_id, "backtest_id": backtest_id}
        seen = window_told(window) or None
        move_copy(copy, after, event=event, at=now, window=seen, **judge)
        return JudgedCopy(shared_id=shared_id, event=event, before=before, after=after)


def queue_promotion(*, agent_id: UUID, record_id: UUID, now: datetime) -> bool:
    """Queue a new insight to be shared if it may be, in the transaction that stores it.

    False: the agent does not share.
    """
    if not Agent.objects.filter(id=agent_id, share_community_memories=True).exists():
        return False
    enqueue(PROMOTE, now=now, agent_id=str(agent_id), memory_id=str(record_id))
    return True


def promote(*, agent_id: UUID, record_id: UUID, now: datetime) -> str:
    """Share a new memory if it may be shared; return `shared`, or why it is not, as a code.

    What was shared before is left alone: its author may have withdrawn it since.
    """
    lines = StandingChange.objects.filter(agent_id=agent_id, record_id=record_id)
    if lines.filter(event="shared").exists():
        return "already_shared"
    try:
        share(agent_id=agent_id, record_id=record_id, by=Cause("promotion"), now=now)
    except TidebookError as refusal:
        return refusal.code
    return "shared"


def _held_agent(agent_id: UUID) -> Agent:
    agent = Agent.objects.select_for_update(no_key=True).filter(id=agent_id).first()
    if agent is None:
        raise NotFound("there is no such agent")
    return agent


def _held_standing(agent_id: UUID, record_id: UUID) -> Standing:
    held = Standing.objects.select_for_update(no_key=True)
    standing = held.filter(agent_id=agent_id, record_id=record_id).first()
    if standing is None:
        raise NotFound("there is no such strategy memory for this agent")
    return standing


def _tell(
    standing: Standing, visibility: str, *, by: Cause, detail: dict[str, Any], now: datetime
) -> None:
    """Move a standing that the caller holds to a visibility, by a line of its own."""
    before = standings.moving_of(standing)
    standings.step_to(
        replace(before, visibility=visibility),
        before=before,
        agent_id=standing.agent_id,
        record_id=standing.pk,
        revision=standing.revision + 1,
        event="shared" if visibility == "community" else "unshared",
        cause=by,
        detail=detail,
        at=now,
    )
