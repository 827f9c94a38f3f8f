"""Rows of records that an import brings, each with all that came with it."""

import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Model

from memory.models import (
    AgentTail,
    Record,
    RecordChange,
    RecordLink,
    RecordTarget,
    Run,
    Standing,
    StandingChange,
    Withdrawal,
)
from memory.policies.retention import SALT_BYTES, content_digest, originals_hash
from memory.services import heads, postings, standings
from memory.services.incoming import BadLine, Entry, Item
from memory.services.intake import Placed
from memory.services.standings import NewStanding


def stow(
    tail: AgentTail, new: Sequence[Placed], *, now: datetime
) -> list[tuple[Item, Sequence[Entry]]]:
    """Store records that are not here, in their order, from the tail's next number on.

    The caller holds the tail row. Returned are items with the end of a ledger that cannot be stored
    yet: their standings are merged into some that are still to come.
    """
    numbered = list(enumerate(new, tail.last_seq + 1))
    Run.objects.bulk_create(_run(one, now=now) for one in new if one.makes_run)
    Record.objects.bulk_create(_record(seq, one) for seq, one in numbered)
    for model, rows in (
        (RecordTarget, _targets),
        (RecordLink, _links),
        (RecordChange, _changes),
        (Withdrawal, _withdrawals),
    ):
        _create(model, (row for one in new for row in rows(one)))
    later = _stand(new, now=now)
    postings.post(tail.agent_id, [one.item.id for one in new if one.item.purged_at is None])
    heads.move_on(tail.agent_id, [one.item.id for one in new])
    tail.last_seq += len(new)
    AgentTail.objects.filter(agent_id=tail.agent_id).update(last_seq=tail.last_seq)
    return later


def _create(model: type[Model], rows: Iterable[Model]) -> None:
    model._default_manager.bulk_create(rows)  # noqa: SLF001 - Django's own name for it


def _run(one: Placed, *, now: datetime) -> Run:
    told = one.item.run
    if told is None or told.started_at is None or told.status is None or one.producer_id is None:
        raise BadLine(one.item.number, "run: is not told whole")
    return Run(
        id=told.id,
        agent_id=one.agent_id,
        producer_id=one.producer_id,
        schedule=told.schedule,
        evidence_boundary=told.evidence_boundary,
        started_at=told.started_at,
        ended_at=told.ended_at,
        status=told.status,
        error=told.error,
        implicit=told.implicit,
        built_in=told.built_in,
        # Who could have ended it is not here: it is failed at the next look.
        deadline_at=now if told.status == "running" else None,
    )


def _record(seq: int, one: Placed) -> Record:
    item = one.item
    salt = None if item.purged_at is not None else secrets.token_bytes(SALT_BYTES)
    digest = content_digest(salt, one.said) if salt is not None else item.digest
    return Record(
        id=item.id,
        agent_id=one.agent_id,
        seq=seq,
        producer_id=one.producer_id,
        run_id=None if item.run is None else item.run.id,
        type=item.draft.type,
        scope=item.draft.scope,
        timeframe=item.draft.timeframe,
        content=item.draft.content,
        metadata=item.metadata,
        tags=item.draft.tags,
        originals_hash=originals_hash(item.draft.originals),
        created_at=item.created_at,
        stale_after=one.deadline,
        expiry_policy=one.policy,
        imported_at=one.imported_at,
        purged_at=item.purged_at,
        content_digest=digest,
        content_salt=salt,
    )


def _targets(one: Placed) -> Iterable[RecordTarget]:
    for place, name in enumerate(one.item.draft.instruments):
        yield RecordTarget(
            agent_id=one.agent_id,
            record_id=one.item.id,
            instrument_id=name,
            ord=place,
            scope="instruments",
            producer_id=one.producer_id,
            type=one.item.draft.type,
            created_at=one.item.created_at,
            originals_hash=originals_hash(one.item.draft.originals),
        )


def _links(one: Placed) -> Iterable[RecordLink]:
    for place, link in enumerate(one.item.draft.links):
        yield RecordLink(
            agent_id=one.agent_id,
            source_id=one.item.id,
            ord=place,
            target_id=link.target_memory_id,
            link_type=link.link_type,
        )


def _changes(one: Placed) -> Iterable[RecordChange]:
    for number, change in enumerate(one.item.changes, 1):
        yield RecordChange(
            agent_id=one.agent_id,
            record_id=one.item.id,
            number=number,
            event=change.event,
            reason=change.reason,
            cause_kind=change.cause.kind,
            cause_id=change.cause.id,
            at=change.at,
        )


def _withdrawals(one: Placed) -> Iterable[Withdrawal]:
    """Return the intervals that a record's ledger tells; an erasure ends none."""
    told = [change for change in one.item.changes if change.event != "erased"]
    for begin, end in zip(told[::2], [*told[1::2], None], strict=False):
        yield Withdrawal(
            agent_id=one.agent_id,
            record_id=one.item.id,
            withdrawn_at=begin.at,
            restored_at=None if end is None else end.at,
        )


def _stand(new: Sequence[Placed], *, now: datetime) -> list[tuple[Item, Sequence[Entry]]]:
    """Store standings where their ledgers end, as far as what they were merged into is here."""
    told = [one for one in new if one.item.ledger]
    into = {entry.after.merged_into for one in told for entry in one.item.ledger if entry.after}
    there = {one.item.id for one in told if one.item.facts is not None}
    there |= standing_ids(new[0].agent_id, into) if new else set()
    rows: list[Standing] = []
    lines: list[StandingChange] = []
    later: list[tuple[Item, Sequence[Entry]]] = []
    for one in told:
        ledger = one.item.ledger
        until = _storable(ledger, there)
        if until == 0:
            raise BadLine(
                one.item.number, "ledger[0].after.merged_into: is no strategy memory of this agent"
            )
        lines += ledger_rows(one.agent_id, one.item.id, ledger[:until], after=())
        if until < len(ledger):
            later.append((one.item, ledger[until:]))
        ends = ledger[until - 1].after
        if one.item.facts is not None and ends is not None:
            standing, _ = standings.rows_of(
                agent_id=one.agent_id,
                record_id=one.item.id,
                new=NewStanding(one.item.facts, ends),
                created_at=one.item.created_at,
                cause=ledger[0].cause,
                now=now,
            )
            standing.revision = until
            rows.append(standing)
    Standing.objects.bulk_create(rows)
    StandingChange.objects.bulk_create(lines)
    return later


def standing_ids(agent_id: UUID, ids: Iterable[UUID | None]) -> set[UUID]:
    """Return those of the ids that are standings of the agent."""
    standing = Standing.objects.filter(
        agent_id=agent_id, record_id__in={one for one in ids if one is not None}
    )
    return set(standing.values_list("record_id", flat=True))


def _storable(ledger: Sequence[Entry], there: set[UUID]) -> int:
    """Return how many lines of a ledger lead to where the standing can be stored."""
    for number in range(len(ledger), 0, -1):
        after = ledger[number - 1].after
        if after is None or after.merged_into is None or after.merged_into in there:
            return number
    return 0


def ledger_rows(
    agent_id: UUID, record_id: UUID, ledger: Sequence[Entry], *, after: Sequence[Entry]
) -> list[StandingChange]:
    """Return rows of a ledger that go on after some that are stored."""
    states: list[Any] = [after[-1].after if after else None, *(entry.after for entry in ledger)]
    return [
        StandingChange(
            agent_id=agent_id,
            record_id=record_id,
            revision=number,
            event=entry.event,
            before=None if before is None else before.as_json(),
            after=None if entry.after is None else entry.after.as_json(),
            cause_kind=entry.cause.kind,
            cause_id=entry.cause.id,
            detail=entry.detail,
            at=entry.at,
        )
        for number, (before, entry) in enumerate(zip(states, ledger, strict=False), len(after) + 1)
    ]
