"""The trading context of an instrument: what is current, whole and the agent's (SPEC 4).

selected? → heads → status of each → bodies of the fresh → budget → answer
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db.models import Q

from memory.errors import InstrumentNotSelected, NotFound
from memory.models import Selection
from memory.policies import corrections
from memory.policies.corrections import Grade
from memory.policies.text import canonical, unstorable
from memory.policies.visibility import ORDER
from memory.schemas.answers import LinkOut, ProducerOut, RunOut
from memory.schemas.records import INSTRUMENT_MAX_CHARS
from memory.selectors.heads import Body, Chosen, Lane, bodies, chosen
from memory.selectors.learnings import newest_learnings
from trading.schemas import (
    ContextOut,
    EvidenceIdentity,
    EvidenceOmitted,
    EvidenceWhole,
    Learning,
)

REACH = 1_000
"""How many corrections past their deadline are looked at for the sake of those that rest on them.
A chain that is longer ends where nobody is told what it says (SPEC C13)."""


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
    past = settings.CONTEXT_PAST_CORRECTIONS
    read = chosen(agent_id, instrument=instrument, past=past, reach=REACH, now=now)
    found, fresh = _with_bodies(agent_id, read, only=memory_id, now=now)
    if memory_id is not None and not found:
        raise NotFound("this record is not in the current context of this instrument")
    return ContextOut(
        instrument=instrument,
        as_of=now,
        receipt_id=None,
        more_corrections=read.more_corrections,
        coverage=None,
        evidence=within_budget(found, fresh, max_chars=max_chars),
        learnings=[
            Learning(memory_id=one.id, content=one.content, created_at=one.created_at)
            for one in newest_learnings(agent_id, limit=learnings_limit, now=now)
        ],
    )


def _with_bodies(
    agent_id: UUID, read: Chosen, *, only: UUID | None, now: datetime
) -> tuple[list[tuple[Lane, Grade]], dict[UUID, Body]]:
    """Return what is listed (of `only` this record), and what the fresh ones say."""
    lanes = read.lanes
    while True:
        found = graded(lanes, complete=read.complete, now=now)
        if only is not None:
            found = [(lane, grade) for lane, grade in found if lane.id == only]
        wanted = [lane.id for lane, grade in found if grade.status == "fresh"]
        fresh = bodies(agent_id, wanted)
        gone = set(wanted) - set(fresh)
        if not gone:
            return found, fresh
        # Erased between the two reads: for the others too it is as if it had been before the first.
        lanes = [lane for lane in lanes if lane.id not in gone]


def require_selected(agent_id: UUID, *, instrument: str, now: datetime) -> None:
    """Refuse an instrument that the agent has not selected at `now` (InstrumentNotSelected)."""
    said = "this agent has not selected this instrument"
    if unstorable(instrument):
        raise InstrumentNotSelected(said)
    open_at = Q(deselected_at__isnull=True) | Q(deselected_at__gt=now)
    chosen = Selection.objects.filter(
        open_at, agent_id=agent_id, instrument_id=instrument, selected_at__lte=now
    )
    if not chosen.exists():
        raise InstrumentNotSelected(said, instrument=instrument[:INSTRUMENT_MAX_CHARS])


def graded(found: Sequence[Lane], *, complete: bool, now: datetime) -> list[tuple[Lane, Grade]]:
    """Return what is listed with its grade, in the order of C3."""
    grades = corrections.graded(
        (
            corrections.Evidence(
                id=lane.id,
                seq=lane.seq,
                deadline=lane.stale_after,
                producer_enabled=lane.producer_enabled,
                withdrawn=lane.withdrawn,
                originals=tuple(lane.originals),
            )
            for lane in found
        ),
        complete=complete,
        now=now,
    )
    listed = [(lane, grades[lane.id]) for lane in found if lane.listed]
    listed.sort(key=lambda pair: (pair[0].created_at, pair[0].id), reverse=True)
    return sorted(listed, key=lambda pair: ORDER.index(pair[1].status))


def within_budget(
    found: Sequence[tuple[Lane, Grade]], fresh: dict[UUID, Body], *, max_chars: int | None
) -> list[EvidenceWhole | EvidenceOmitted | EvidenceIdentity]:
    """Return the evidence; the first whole record over the budget ends the whole part (C12)."""
    evidence: list[EvidenceWhole | EvidenceOmitted | EvidenceIdentity] = []
    used, full = 0, False
    for lane, grade in found:
        if grade.status != "fresh":
            evidence.append(identity(lane, grade))
            continue
        record = whole(lane, grade, fresh[lane.id])
        size = 0 if max_chars is None else len(canonical(record.model_dump(mode="json")).decode())
        full = full or (max_chars is not None and used + size > max_chars)
        used += size
        evidence.append(omitted(lane, grade) if full else record)
    return evidence


def identity(lane: Lane, grade: Grade) -> EvidenceIdentity:
    """Return a record without its body (C2). A correction's deadline is capped (C7)."""
    return EvidenceIdentity(
        memory_id=lane.id,
        status=grade.status,
        type=lane.type,
        scope=lane.scope,
        instruments=lane.instruments,
        producer=ProducerOut(id=lane.producer_id, name=lane.producer_name, role=lane.producer_role),
        run=None
        if lane.run_id is None
        else RunOut(
            id=lane.run_id,
            schedule=lane.run_schedule,
            evidence_boundary=lane.run_boundary,
            status=lane.run_status,
        ),
        timeframe=lane.timeframe,
        created_at=lane.created_at,
        expires_at=grade.deadline,
        expiry_policy=lane.expiry_policy,
        correction_target_ids=lane.originals,
    )


def omitted(lane: Lane, grade: Grade) -> EvidenceOmitted:
    """Return a fresh record's identity, marked as left out for want of room."""
    return EvidenceOmitted(**dict(identity(lane, grade)), omitted=True)


def whole(lane: Lane, grade: Grade, body: Body) -> EvidenceWhole:
    """Return a fresh record with all that it says."""
    return EvidenceWhole(
        **dict(identity(lane, grade)),
        content=body.content,
        metadata=body.metadata,
        tags=body.tags,
        links=[LinkOut(target_memory_id=target, link_type=kind) for target, kind in body.links],
    )
