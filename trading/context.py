"""The trading context of an instrument: what is current, whole and the agent's (SPEC 4).

selected? → heads of the lanes → status of each → bodies of the fresh → budget → answer
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from memory.errors import InstrumentNotSelected, NotFound
from memory.models import Selection
from memory.policies.text import canonical, unstorable
from memory.policies.visibility import ORDER, Status, status
from memory.schemas.answers import LinkOut, ProducerOut, RunOut
from memory.selectors.heads import Body, Lane, bodies, lanes
from memory.selectors.learnings import newest_learnings
from trading.schemas import (
    ContextOut,
    EvidenceIdentity,
    EvidenceOmitted,
    EvidenceWhole,
    Learning,
)


def read_context(
    *,
    agent_id: UUID,
    instrument: str,
    now: datetime,
    max_chars: int | None = None,
    memory_id: UUID | None = None,
    learnings_limit: int,
) -> ContextOut:
    """Return the context of `instrument` for a run of the agent at `now`.

    `max_chars` bounds the canonical JSON of the whole records, in order; `memory_id` fetches one
    record of the current context alone. InstrumentNotSelected: also for an unknown instrument.
    NotFound: `memory_id` is not in the current context.
    """
    require_selected(agent_id, instrument=instrument, now=now)
    found = graded(lanes(agent_id, instrument=instrument, now=now), now=now)
    if memory_id is not None:
        found = [(lane, how) for lane, how in found if lane.id == memory_id]
        if not found:
            raise NotFound("this record is not in the current context of this instrument")
    fresh = bodies(agent_id, [lane.id for lane, how in found if how == "fresh"])
    # Erased between the two reads: it is as absent as if it had been erased before the first.
    found = [(lane, how) for lane, how in found if how != "fresh" or lane.id in fresh]
    return ContextOut(
        instrument=instrument,
        as_of=now,
        receipt_id=None,
        more_corrections=False,
        coverage=None,
        evidence=within_budget(found, fresh, max_chars=max_chars),
        learnings=[
            Learning(memory_id=one.id, content=one.content, created_at=one.created_at)
            for one in newest_learnings(agent_id, limit=learnings_limit, now=now)
        ],
    )


def require_selected(agent_id: UUID, *, instrument: str, now: datetime) -> None:
    """Refuse an instrument that the agent has not selected at `now` (InstrumentNotSelected)."""
    refusal = InstrumentNotSelected("this agent has not selected this instrument")
    if unstorable(instrument):
        raise refusal
    open_at = Q(deselected_at__isnull=True) | Q(deselected_at__gt=now)
    chosen = Selection.objects.filter(
        open_at, agent_id=agent_id, instrument_id=instrument, selected_at__lte=now
    )
    if not chosen.exists():
        raise refusal


def graded(found: Sequence[Lane], *, now: datetime) -> list[tuple[Lane, Status]]:
    """Return each lane's newest record with its status, in the order of C3."""
    with_status = [
        (lane, status(deadline=lane.stale_after, producer_enabled=lane.producer_enabled, now=now))
        for lane in found
    ]
    with_status.sort(key=lambda pair: (pair[0].created_at, pair[0].id), reverse=True)
    return sorted(with_status, key=lambda pair: ORDER.index(pair[1]))


def within_budget(
    found: Sequence[tuple[Lane, Status]], fresh: dict[UUID, Body], *, max_chars: int | None
) -> list[EvidenceWhole | EvidenceOmitted | EvidenceIdentity]:
    """Return the evidence; the first whole record over the budget ends the whole part (C12)."""
    evidence: list[EvidenceWhole | EvidenceOmitted | EvidenceIdentity] = []
    used, full = 0, False
    for lane, how in found:
        if how != "fresh":
            evidence.append(identity(lane, how))
            continue
        record = whole(lane, fresh[lane.id])
        size = 0 if max_chars is None else len(canonical(record.model_dump(mode="json")).decode())
        full = full or (max_chars is not None and used + size > max_chars)
        used += size
        evidence.append(omitted(lane) if full else record)
    return evidence


def identity(lane: Lane, how: Status) -> EvidenceIdentity:
    """Return a record without its body (C2)."""
    return EvidenceIdentity(
        memory_id=lane.id,
        status=how,
        type=lane.type,
        scope=lane.scope,
        instruments=lane.instruments,
        producer=ProducerOut(id=lane.producer_id, name=lane.producer_name, role=lane.producer_role),
        run=RunOut(
            id=lane.run_id,
            schedule=lane.run_schedule,
            evidence_boundary=lane.run_boundary,
            status=lane.run_status,
        ),
        timeframe=lane.timeframe,
        created_at=lane.created_at,
        expires_at=lane.stale_after,
        expiry_policy=lane.expiry_policy,
        correction_target_ids=[],
    )


def omitted(lane: Lane) -> EvidenceOmitted:
    """Return a fresh record's identity, marked as left out for want of room."""
    return EvidenceOmitted(**dict(identity(lane, "fresh")), omitted=True)


def whole(lane: Lane, body: Body) -> EvidenceWhole:
    """Return a fresh record with all that it says."""
    return EvidenceWhole(
        **dict(identity(lane, "fresh")),
        content=body.content,
        metadata=body.metadata,
        tags=body.tags,
        links=[LinkOut(target_memory_id=target, link_type=kind) for target, kind in body.links],
    )
