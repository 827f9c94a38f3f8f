"""Strategy memory deleted on request: one, or all that match, each whole or not at all (SPEC E6).

What matches goes in batches, newest first, each in a transaction of its own: a kill between two of
them leaves the newest gone and the others as they were, and the same request again goes on from
there. What is written while it runs stays.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memory.errors import AuditRecord, NotFound, PreconditionFailed, StandingMerged
from memory.models import Record, Standing
from memory.policies.ownership import Actor, UserActor
from memory.policies.versions import Condition
from memory.policies.vocabulary import AUDIT_TYPES
from memory.schemas.standings import ForgetQuery, etag_of_standing
from memory.selectors.strategies import keys_of
from memory.services.forget import forget, hold
from memory.services.standings import Cause
from memory.services.whole import whole

BATCH = 500
LAST_ID = UUID(int=2**128 - 1)
NO_STRATEGY_MEMORY = "there is no live strategy memory of that id for this caller"

_ALL = """
SELECT s.created_at, s.record_id FROM memory_standing s
WHERE s.agent_id = %(agent)s AND s.merged_into_id IS NULL
    AND (s.created_at, s.record_id) < (%(place_at)s, %(place_id)s)
ORDER BY s.created_at DESC, s.record_id DESC LIMIT %(count)s
"""
# What matched is asked again behind the locks: what has left the filters meanwhile stays.
_STILL = """
SELECT s.record_id FROM memory_standing s
WHERE s.agent_id = %(agent)s AND s.record_id = ANY (%(ids)s) AND s.merged_into_id IS NULL
    AND (%(all)s OR coalesce(s.expires_at, 'infinity'::timestamptz) > %(now)s)
    AND (%(visibility)s::text IS NULL OR s.visibility = %(visibility)s::text)
    AND (%(tag)s::text IS NULL OR %(tag)s::text = ANY (s.tags))
"""


@whole
def forget_one(*, record: Record, by: Cause, condition: Condition | None, now: datetime) -> None:
    """Delete a strategy memory for good, with what is merged into it.

    AuditRecord: it is history. NotFound: it is no strategy memory, or expired, or gone meanwhile.
    StandingMerged: another stands for it. PreconditionFailed: it moved since the caller saw it.
    """
    if record.type in AUDIT_TYPES:
        raise AuditRecord(f"a record of type {record.type} is history: it is not deleted here")
    hold(agent_id=record.agent_id, record_ids=[record.pk])
    held = Standing.objects.filter(agent_id=record.agent_id, record_id=record.pk)
    standing = held.first()
    if standing is None or (standing.expires_at is not None and standing.expires_at <= now):
        raise NotFound(NO_STRATEGY_MEMORY)
    if standing.merged_into_id is not None:
        raise StandingMerged(
            "this memory is merged into another, with which it lives and goes",
            merged_into=str(standing.merged_into_id),
        )
    etag = etag_of_standing(id=standing.pk, revision=standing.revision)
    if condition is not None and not condition.holds(etag):
        raise PreconditionFailed("this memory has moved meanwhile; read it again", etag)
    forget(agent_id=record.agent_id, record_ids=[standing.pk], by=by, now=now)


def forget_matching(*, agent_id: UUID, asked: ForgetQuery, by: Cause, now: datetime) -> int:
    """Delete what a list under these filters shows, or all there is; return how many went.

    With `all` also what is expired and not purged yet.
    """
    values: dict[str, Any] = {
        **dict.fromkeys(("visibility", "tag")),
        **asked.filters,
        "agent": agent_id,
        "all": asked.all is not None,
        "now": now,
        "count": BATCH,
        # What was written up to this moment.
        "place_at": now,
        "place_id": LAST_ID,
    }
    statement = keys_of(asked, beyond=True) if asked.all is None else _ALL
    went = 0
    while found := _rows(statement, values):
        values |= {"place_at": found[-1][0], "place_id": found[-1][1]}
        went += _forget_still([id_ for _, id_ in found], values, by=by)
    return went


@whole
def _forget_still(ids: list[UUID], values: dict[str, Any], *, by: Cause) -> int:
    """Forget those of a batch that still match; return how many went."""
    held = hold(agent_id=values["agent"], record_ids=ids)
    still = [id_ for (id_,) in _rows(_STILL, values | {"ids": held})]
    gone = forget(agent_id=values["agent"], record_ids=still, by=by, now=values["now"])
    return len(gone)


def cause_of(actor: Actor) -> Cause:
    """Return who deletes, for the ledger: a user's number, or the public part of a token."""
    if isinstance(actor, UserActor):
        return Cause("user", str(actor.user_id))
    return Cause("token", actor.token_key)


def _rows(statement: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())
