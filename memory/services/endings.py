"""What people do to the life of a standing: deprecate a rule, restore what has ended (SPEC O5).

Each is one move with a ledger line that says who did it and why. Nobody is waited for: a move is a
compare-and-set, and one that comes after a purge finds nothing to move.
"""

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from memory.errors import AlreadyEnded, NotARule, NotEnded, NotFound, StandingMerged
from memory.models import Standing
from memory.policies import lifecycle
from memory.policies import standing as policy
from memory.policies.standing import Moving
from memory.services import standings
from memory.services.changes import reasoned
from memory.services.standings import Cause


def deprecate(*, agent_id: UUID, record_id: UUID, by: Cause, reason: str, now: datetime) -> Moving:
    """End a rule at `now`, and return where it stands then.

    NotFound: no such standing. NotARule. AlreadyEnded: expired, deprecated or merged.
    ValidationFailed: no reason. StandingMoved.
    """
    if _standing(agent_id, record_id).type != "rule":
        raise NotARule("a rule is deprecated; other strategy memory ends by its terms")

    def step(was: Moving) -> Moving:
        if not was.is_live(now=now):
            raise AlreadyEnded("this rule has ended already")
        return lifecycle.deprecate(was, now=now)

    return _move(
        "deprecated", step, agent_id=agent_id, record_id=record_id, by=by, reason=reason, now=now
    )


def restore(*, agent_id: UUID, record_id: UUID, by: Cause, reason: str, now: datetime) -> Moving:
    """Give a standing that has ended a new life from `now` by its terms; return where it stands.

    NotFound: no such standing, or purged. NotEnded: it is live. StandingMerged: its survivor stands
    for it. ValidationFailed: no reason. StandingMoved.
    """
    standing = _standing(agent_id, record_id)
    until = policy.expires_at(
        type_=standing.type, outcome=standing.outcome, created_at=now, terms=standings.terms()
    )

    def step(was: Moving) -> Moving:
        if was.merged_into is not None:
            raise StandingMerged("this memory is merged into another: undo that instead")
        if was.is_live(now=now):
            raise NotEnded("this memory has not ended")
        return lifecycle.revive(was, until=until, now=now)

    return _move(
        "restored", step, agent_id=agent_id, record_id=record_id, by=by, reason=reason, now=now
    )


def _standing(agent_id: UUID, record_id: UUID) -> Standing:
    standing = Standing.objects.filter(agent_id=agent_id, record_id=record_id).first()
    if standing is None:
        raise NotFound("there is no such standing for this agent")
    return standing


def _move(
    event: str,
    step: Callable[[Moving], Moving],
    *,
    agent_id: UUID,
    record_id: UUID,
    by: Cause,
    reason: str,
    now: datetime,
) -> Moving:
    return standings.move(
        agent_id=agent_id,
        record_id=record_id,
        event=event,
        cause=by,
        step=step,
        detail={"reason": reasoned(reason)},
        now=now,
    )
