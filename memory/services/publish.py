"""The write of one record (SPEC R3-R12, R14).

draft → role → freshness stamp → metadata bounds → one statement (publish.sql) → answer; a record
of a strategy tier gets its standing in the same transaction (SPEC M2).
"""

import secrets
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from psycopg.types.json import Jsonb

from memory.errors import (
    InvalidMemoryLink,
    InvalidMemoryTarget,
    ReservedMemoryType,
    RunFinished,
    StoreFault,
    ValidationFailed,
)
from memory.ids import id_at
from memory.models import Run
from memory.policies import freshness, visibility
from memory.policies.freshness import RunClock, iso
from memory.policies.ownership import TokenActor
from memory.policies.retention import SALT_BYTES, content_digest, originals_hash
from memory.policies.text import settled
from memory.policies.vocabulary import may_write, types_of
from memory.schemas.answers import LinkOut, ProducerOut, RunOut, WrittenRecordOut
from memory.schemas.records import Bounds, RecordDraft, check_metadata
from memory.selectors.handoffs import handoff_warnings
from memory.services import postings, standings
from memory.services.runs import clock_for
from memory.services.standings import NewStanding

PUBLISH = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
LOCK_RUN = "SELECT 1 FROM memory_run WHERE agent_id = %(agent)s AND id = %(run)s FOR SHARE"


@dataclass(frozen=True, slots=True)
class WriteRun:
    """The run a write belongs to, and whether the server opens and closes it around the write."""

    id: UUID
    clock: RunClock
    implicit: bool


@dataclass(frozen=True, slots=True)
class Identity:
    """The id of a record to be, and the salt of its digest, which goes when it is erased."""

    id: UUID
    salt: bytes


@dataclass(frozen=True, slots=True)
class Stamped:
    """A draft's metadata with its deadline, and the policy that set it (None: the writer did)."""

    metadata: dict[str, Any]
    deadline: datetime | None
    policy: str | None


def new_identity(*, now: datetime) -> Identity:
    """Return the identity of a record that will be written at `now`."""
    return Identity(id=id_at(now), salt=secrets.token_bytes(SALT_BYTES))


def bounds() -> Bounds:
    """Return the limits of this installation."""
    return Bounds(**settings.RECORD_BOUNDS)


def publish(
    *,
    actor: TokenActor,
    draft: RecordDraft,
    now: datetime,
    standing: NewStanding | None = None,
    identity: Identity | None = None,
    cause: standings.Cause | None = None,
) -> WrittenRecordOut:
    """Store `draft` as written by `actor` at `now`, whole or not at all.

    `standing` is for the types of strategy memory alone; without it theirs is made by their tier's
    terms; `cause` is told by its ledger in place of the run. `identity`: one of `now`, where it had
    to be known before. ReservedMemoryType: the type is not this role's. ValidationFailed: metadata
    out of bounds, or malformed validity. RunFinished: the run ended meanwhile. InvalidMemoryTarget
    and InvalidMemoryLink: the first bad index, targets before links.
    """
    to_be = identity or new_identity(now=now)
    made = standing or standings.by_default(
        draft.type, tags=draft.tags, instruments=draft.instruments, now=now
    )
    if made is None:
        return _write(actor, draft, to_be=to_be, now=now)
    with transaction.atomic():
        written = _write(actor, draft, to_be=to_be, standing=made, now=now)
        by_run = standings.Cause("run", str(written.run.id) if written.run else "")
        rows = standings.rows_of(
            agent_id=actor.agent_id,
            record_id=written.id,
            new=made,
            created_at=now,
            cause=cause or by_run,
            now=now,
        )
        standings.store([rows])
    return written


def _write(
    actor: TokenActor,
    draft: RecordDraft,
    *,
    to_be: Identity,
    standing: NewStanding | None = None,
    now: datetime,
) -> WrittenRecordOut:
    if not may_write(actor.role, draft.type):
        raise ReservedMemoryType(
            f"the role {actor.role} may not write the type {draft.type}; it writes "
            f"{types_of(actor.role)}"
        )
    run = _run_of(actor, now=now)
    stamped = _stamp(actor, draft, run=run, now=now)
    parameters = _parameters(actor, draft, to_be=to_be, run=run, stamped=stamped, now=now)
    if standing is not None:
        facts = standing.facts
        parameters |= {"symbol": facts.symbol, "strategy_type": facts.strategy_type}
    for execute in (_execute, _execute_alone):
        bad_target, bad_link, run_closed, seq, enabled = execute(parameters)
        if run_closed:
            raise RunFinished("the run of this token has ended; start another run")
        if bad_target is not None:
            raise InvalidMemoryTarget(bad_target)
        if bad_link is not None:
            raise InvalidMemoryLink(bad_link)
        if seq is not None:
            return _answer(
                actor,
                draft,
                run=run,
                stamped=stamped,
                id=to_be.id,
                seq=seq,
                enabled=enabled,
                now=now,
            )
    raise StoreFault("the publish statement stored nothing and named no reason")


def _execute(parameters: dict[str, Any]) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(PUBLISH, parameters)
        row: tuple[Any, ...] = cursor.fetchone()
    return row


def _execute_alone(parameters: dict[str, Any]) -> tuple[Any, ...]:
    """Run the statement behind the locks that it takes, in its order: nothing is erased meanwhile.

    However many erasures follow one another, a write is tried twice at the most.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(LOCK_RUN, parameters)
        cursor.execute(postings.LOCK, parameters)
        return _execute(parameters)


def _run_of(actor: TokenActor, *, now: datetime) -> WriteRun:
    if actor.run is not None:
        return WriteRun(id=actor.run.id, clock=actor.run.clock, implicit=False)
    bound = Run.objects.filter(
        agent_id=actor.agent_id, bound_token_id=actor.token_id, status="running"
    ).first()
    if bound is not None:
        clock = RunClock(schedule=bound.schedule, boundary=bound.evidence_boundary)
        return WriteRun(id=bound.id, clock=clock, implicit=False)
    return WriteRun(id=id_at(now), clock=clock_for(actor.producer_schedule, now=now), implicit=True)


def _stamp(actor: TokenActor, draft: RecordDraft, *, run: WriteRun, now: datetime) -> Stamped:
    limits = bounds()
    if actor.role == "analysis":
        metadata, deadline = freshness.stamp(
            draft.metadata, policy=actor.expiry_policy, run=run.clock, created_at=now
        )
        check_metadata(metadata, bounds=limits)
        return Stamped(settled(metadata), deadline, actor.expiry_policy)
    check_metadata(draft.metadata, bounds=limits)
    try:
        own_deadline = freshness.explicit_deadline(draft.metadata, now=now)
    except freshness.MalformedValidity as error:
        raise ValidationFailed({f"metadata.{error.key}": [str(error)]}) from error
    return Stamped(settled(draft.metadata), own_deadline, None)


def _parameters(
    actor: TokenActor,
    draft: RecordDraft,
    *,
    to_be: Identity,
    run: WriteRun,
    stamped: Stamped,
    now: datetime,
) -> dict[str, Any]:
    said = said_by(
        draft,
        id=to_be.id,
        agent_id=actor.agent_id,
        producer_id=actor.producer_id,
        run_id=run.id,
        stamped=stamped,
        created_at=now,
    )
    return {
        "agent": actor.agent_id,
        "id": to_be.id,
        "producer": actor.producer_id,
        "run": run.id,
        "implicit": run.implicit,
        "schedule": run.clock.schedule,
        "boundary": run.clock.boundary,
        "now": now,
        "type": draft.type,
        "scope": draft.scope,
        "timeframe": draft.timeframe,
        "content": draft.content,
        "metadata": Jsonb(stamped.metadata),
        "tags": draft.tags,
        "targets": draft.instruments,
        "symbol": None,
        "strategy_type": None,
        "link_ids": [link.target_memory_id for link in draft.links],
        "link_types": [link.link_type for link in draft.links],
        "originals_hash": originals_hash(draft.originals),
        "stale_after": stamped.deadline,
        "expiry_policy": stamped.policy,
        "is_research": actor.role == "analysis",
        "content_digest": content_digest(to_be.salt, said),
        "content_salt": to_be.salt,
    }


def said_by(
    draft: RecordDraft,
    *,
    id: UUID,
    agent_id: UUID,
    producer_id: UUID | None,
    run_id: UUID | None,
    stamped: Stamped,
    created_at: datetime,
) -> dict[str, Any]:
    """Return what a record's content digest covers."""
    return {
        "id": str(id),
        "agent": str(agent_id),
        "producer": None if producer_id is None else str(producer_id),
        "run": None if run_id is None else str(run_id),
        "type": draft.type,
        "scope": draft.scope,
        "timeframe": draft.timeframe,
        "content": draft.content,
        "metadata": stamped.metadata,
        "tags": draft.tags,
        "instruments": draft.instruments,
        "links": [[str(link.target_memory_id), link.link_type] for link in draft.links],
        "created_at": iso(created_at),
        "stale_after": None if stamped.deadline is None else iso(stamped.deadline),
        "expiry_policy": stamped.policy,
    }


def _answer(
    actor: TokenActor,
    draft: RecordDraft,
    *,
    run: WriteRun,
    stamped: Stamped,
    id: UUID,
    seq: int,
    enabled: bool,
    now: datetime,
) -> WrittenRecordOut:
    return WrittenRecordOut(
        id=id,
        agent=actor.agent_id,
        seq=seq,
        type=draft.type,
        scope=draft.scope,
        instruments=draft.instruments,
        timeframe=draft.timeframe,
        content=draft.content,
        metadata=stamped.metadata,
        tags=draft.tags,
        links=[
            LinkOut(target_memory_id=link.target_memory_id, link_type=link.link_type)
            for link in draft.links
        ],
        producer=ProducerOut(id=actor.producer_id, name=actor.producer_name, role=actor.role),
        run=RunOut(
            id=run.id,
            schedule=run.clock.schedule,
            evidence_boundary=run.clock.boundary,
            status="succeeded" if run.implicit else "running",
        ),
        created_at=now,
        expires_at=stamped.deadline,
        expiry_policy=stamped.policy,
        status=visibility.status(deadline=stamped.deadline, producer_enabled=enabled, now=now),
        handoff_warnings=handoff_warnings(
            stamped.metadata, instruments=draft.instruments, boundary=run.clock.boundary
        ),
    )
