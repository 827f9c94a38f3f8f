"""Taking in records from elsewhere, as JSON Lines (SPEC U3, F5, M2).

Lines are stored in batches, each whole or not at all. What is imported keeps its id, its time and
all that came with it. A record that is here already is left alone, so that a second run of the same
file goes on where the first one ended; only a standing that has not moved here since follows its
ledger on.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import BinaryIO
from uuid import UUID

import psycopg
from django.db import IntegrityError, connection, transaction

from memory.errors import BadRequest
from memory.models import Agent, AgentTail, Standing, StandingChange
from memory.policies.standing import Moving
from memory.schemas.lines import InstrumentLine, ProducerLine
from memory.services import copies, standings, stowing
from memory.services.incoming import BadLine, Entry, Incoming, Item, read
from memory.services.intake import Intake, Placed
from memory.services.standings import Cause

BATCH_LINES, BATCH_BYTES = 500, 4 << 20
LINE_BYTES = 16 << 20

type Batch = list[tuple[int, Incoming]]


class LinesRefused(BadRequest):
    """The database refuses some lines by a rule of its own."""

    code = "invalid_lines"


@dataclass(slots=True)
class ImportReport:
    """How many memories were stored, were here already, and had their standing moved on."""

    created: int = 0
    unchanged: int = 0
    moved: int = 0


@dataclass(slots=True)
class Import:
    """One import under way.

    Ends of ledgers wait for the end of the file: `later` those of records stored by it, `further`
    those of records that were here.
    """

    agent: Agent
    now: datetime
    intake: Intake
    report: ImportReport = field(default_factory=ImportReport)
    later: list[tuple[Item, Sequence[Entry]]] = field(default_factory=list)
    further: list[tuple[Item, Sequence[Entry]]] = field(default_factory=list)


def bounded_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file (BadLine: one is too long to be a memory)."""
    number = 0
    while line := file.readline(LINE_BYTES + 1):
        number += 1
        if len(line) > LINE_BYTES:
            raise BadLine(number, f"is longer than {LINE_BYTES:,} bytes")
        yield line


def import_lines(
    *,
    agent: Agent,
    lines: Iterable[bytes],
    now: datetime,
    dry_run: bool = False,
    told: Callable[[int], None] | None = None,
) -> ImportReport:
    """Store what lines tell for an agent; `told` is told the bytes of each batch.

    With `dry_run` all is done and taken back; the agent's writers wait meanwhile.

    BadLine: a line cannot be stored, and nothing of its batch is. LinesRefused.
    """
    one = Import(agent, now, Intake(agent, now=now))
    stored = 0
    with _taken_back() if dry_run else nullcontext():
        try:
            for batch, size in _batches(lines, now=now):
                _take(one, batch)
                stored = batch[-1][0]
                if told is not None:
                    told(size)
            _move_all_on(one)
        except BadLine as error:
            raise BadLine(error.number, error.problem, stored=0 if dry_run else stored) from error
    return one.report


@contextmanager
def _taken_back() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def _batches(lines: Iterable[bytes], *, now: datetime) -> Iterator[tuple[Batch, int]]:
    """Yield lines as they were read, with the bytes of each batch: bounded in both."""
    batch: Batch = []
    size = 0
    for number, raw in enumerate(lines, 1):
        batch.append((number, read(number, raw, now=now)))
        size += len(raw)
        if len(batch) == BATCH_LINES or size >= BATCH_BYTES:
            yield batch, size
            batch, size = [], 0
    if batch:
        yield batch, size


def _take(one: Import, batch: Batch) -> None:
    """Store a batch, whole or not at all."""
    try:
        with transaction.atomic():
            # Whoever publishes for the agent waits: seq has no gap and no order but this one.
            tail = AgentTail.objects.select_for_update().get(agent=one.agent)
            items = []
            for number, told in batch:
                if isinstance(told, InstrumentLine):
                    one.intake.take_instrument(told)
                elif isinstance(told, ProducerLine):
                    one.intake.take_producer(number, told)
                elif told is not None:
                    items.append(told)
            placed = one.intake.place(items)
            new = [place for place in placed if not place.is_here]
            here = [place for place in placed if place.is_here]
            later = stowing.stow(tail, new, now=one.now)
            further = _continued(one.agent.id, here)
            with connection.cursor() as cursor:
                # What the database checks at the end of a transaction is checked for this batch.
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
                cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    except IntegrityError as error:
        raise _refusal(batch, error) from error
    one.later += later
    one.further += further
    one.report.created += len(new)
    one.report.unchanged += len(here)


def _refusal(batch: Batch, error: IntegrityError) -> LinesRefused:
    return LinesRefused(
        f"lines {batch[0][0]} to {batch[-1][0]}: the database refuses them by its rule "
        f"{_rule(error)}; nothing of them is stored, all before them is"
    )


def _rule(error: IntegrityError) -> str:
    """Return the name of the rule of the database that something breaks."""
    cause = error.__cause__
    name = cause.diag.constraint_name if isinstance(cause, psycopg.Error) else None
    return name or "without a name"


def _continued(agent_id: UUID, here: Sequence[Placed]) -> list[tuple[Item, Sequence[Entry]]]:
    """Return what ledgers of the file tell beyond those of here, where they agree up to there."""
    told = {
        one.item.id: one.item
        for one in here
        if one.item.facts is not None and not one.item.same_by_content
    }
    ledgers = defaultdict(list)
    lines = StandingChange.objects.filter(agent_id=agent_id, record_id__in=told)
    for line in lines.order_by("record_id", "revision"):
        ledgers[line.record_id].append(_entry(line))
    return [
        (item, item.ledger[len(ledgers[id_]) :])
        for id_, item in told.items()
        if len(ledgers[id_]) < len(item.ledger)
        and list(item.ledger[: len(ledgers[id_])]) == ledgers[id_]
    ]


def _entry(line: StandingChange) -> Entry:
    return Entry(
        line.event,
        None if line.after is None else Moving.from_json(line.after),
        Cause(line.cause_kind, line.cause_id),
        line.detail,
        line.at,
    )


def _move_all_on(one: Import) -> None:
    """Let standings follow the ends of their ledgers, together: merges are pointed on in between.

    LinesRefused: here one is merged already that the file merges others into.
    """
    try:
        with transaction.atomic():
            for item, rest in one.later:
                _move_on(one.agent.id, item, rest)
            one.report.moved = sum(_move_on(one.agent.id, *pair) for pair in one.further)
            # A ledger that goes on may tell of a withdrawal.
            copies.drop_untold(one.agent.id, [item.id for item, _ in one.further])
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
                cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    except IntegrityError as error:
        raise LinesRefused(
            f"the database refuses where ledgers end by its rule {_rule(error)}; all records are "
            "stored, with what their ledgers told before"
        ) from error


def _move_on(agent_id: UUID, item: Item, rest: Sequence[Entry]) -> bool:
    """Let a standing follow the end of its ledger, now that all that it is merged into is here.

    False: it moved here meanwhile, and has a history of its own from now on.
    """
    into = {entry.after.merged_into for entry in rest if entry.after} - {None}
    if into - stowing.standing_ids(agent_id, into):
        raise BadLine(item.number, "ledger: merged_into: is no strategy memory of this agent")
    with transaction.atomic():
        standing = Standing.objects.get(agent_id=agent_id, record_id=item.id)
        before = standings.moving_of(standing)
        for revision, entry in enumerate(rest, len(item.ledger) - len(rest) + 1):
            if entry.after is None or not standings.step_to(
                entry.after,
                before=before,
                agent_id=agent_id,
                record_id=item.id,
                revision=revision,
                event=entry.event,
                cause=entry.cause,
                detail=entry.detail,
                at=entry.at,
            ):
                return False
            before = entry.after
    return True
