"""What is done to a record after the write: withdrawn and restored, each with a reason (SPEC R15).

The record itself never changes. An interval tells since when it is withdrawn, and a ledger line who
did it and why.
"""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from memory.errors import (
    AlreadyWithdrawn,
    NotFound,
    NotWithdrawn,
    StrategyMemory,
    ValidationFailed,
)
from memory.models import Record, RecordChange, Withdrawal
from memory.models.changes import REASON_MAX_CHARS
from memory.policies import times
from memory.policies.text import unstorable
from memory.policies.vocabulary import TIERS
from memory.services.standings import Cause


def withdraw(*, agent_id: UUID, record_id: UUID, by: Cause, reason: str, now: datetime) -> None:
    """Withdraw a record from `now` on: readers are told that it is, and not what it says.

    NotFound: no such live record. StrategyMemory. AlreadyWithdrawn. ValidationFailed: no reason.
    """
    why = reasoned(reason)
    with transaction.atomic():
        record = _lock(agent_id, record_id)
        if Withdrawal.objects.filter(
            agent_id=agent_id, record_id=record_id, restored_at=None
        ).exists():
            raise AlreadyWithdrawn("this record is withdrawn already")
        at = moment_of(record, now=now)
        Withdrawal.objects.create(agent_id=agent_id, record_id=record_id, withdrawn_at=at)
        tell("withdrawn", agent_id=agent_id, record_id=record_id, by=by, reason=why, at=at)


def restore(*, agent_id: UUID, record_id: UUID, by: Cause, reason: str, now: datetime) -> None:
    """End the withdrawal of a record: from `now` on it counts again.

    NotFound: no such live record. NotWithdrawn. ValidationFailed: no reason.
    """
    why = reasoned(reason)
    with transaction.atomic():
        at = moment_of(_lock(agent_id, record_id), now=now)
        restored = Withdrawal.objects.filter(
            agent_id=agent_id, record_id=record_id, restored_at=None
        ).update(restored_at=at)
        if not restored:
            raise NotWithdrawn("this record is not withdrawn")
        tell("restored", agent_id=agent_id, record_id=record_id, by=by, reason=why, at=at)


def reasoned(reason: str) -> str:
    """Return a reason without the space around it (ValidationFailed: none, or too long)."""
    why = reason.strip()
    problem = unstorable(why)
    if not why:
        problem = "is needed: the ledger tells why"
    elif len(why) > REASON_MAX_CHARS:
        problem = f"is longer than {REASON_MAX_CHARS} characters"
    if problem:
        raise ValidationFailed({"reason": [problem]})
    return why


def moment_of(record: Record, *, now: datetime) -> datetime:
    """Return when what is done to a record now is done: after its write and all that was done.

    The caller holds a lock on the record, whose clock may be behind that of others.
    """
    lines = RecordChange.objects.filter(agent_id=record.agent_id, record_id=record.id)
    last = lines.aggregate(last=Max("at"))["last"]
    return times.not_before(times.after(now, last), record.created_at)


def tell(
    event: str, *, agent_id: UUID, record_id: UUID, by: Cause, reason: str, at: datetime
) -> None:
    """Append a line to a record's ledger, in the transaction of what it tells of.

    The caller holds a lock on the record: its lines are numbered one after the other.
    """
    lines = RecordChange.objects.filter(agent_id=agent_id, record_id=record_id)
    last = lines.aggregate(last=Max("number"))["last"] or 0
    RecordChange.objects.create(
        agent_id=agent_id,
        record_id=record_id,
        number=last + 1,
        event=event,
        reason=reason,
        cause_kind=by.kind,
        cause_id=by.id,
        at=at,
    )


def _lock(agent_id: UUID, record_id: UUID) -> Record:
    """Wait for others that change the record; writes that link to it go on meanwhile."""
    records = Record.objects.select_for_update(no_key=True).only(
        "id", "agent_id", "type", "created_at"
    )
    record = records.filter(agent_id=agent_id, id=record_id, purged_at=None).first()
    if record is None:
        raise NotFound("there is no such record")
    if record.type in TIERS:
        raise StrategyMemory("strategy memory moves by its standing, and is not withdrawn")
    return record
