"""Taking in strategy memory from elsewhere, as JSON Lines, whole or not at all (SPEC U3, M2).

What is imported keeps its id, its time and where it stands; it has no producer and no run. An id
that is here already is left alone, so that a second import changes nothing.
"""

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import batched
from typing import Any, NoReturn
from uuid import UUID

from django.db import transaction

from memory.errors import BadRequest, TidebookError
from memory.models import Agent, AgentTail, Instrument, Record, RecordTarget
from memory.policies.retention import SALT_BYTES, content_digest
from memory.policies.standing import Moving
from memory.schemas.records import RecordDraft
from memory.schemas.strategies import ImportedStrategy
from memory.services import postings, standings
from memory.services.publish import Stamped, bounds, said_by
from memory.services.standings import Cause, Facts, NewStanding

CHUNK = 500
UNSTAMPED = Stamped({}, None, None)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """How many memories were stored, and how many were here already."""

    created: int
    unchanged: int


@dataclass(frozen=True, slots=True)
class Line:
    """A line that can be stored, with its number."""

    number: int
    strategy: ImportedStrategy
    draft: RecordDraft


class BadLine(BadRequest):
    """A line of an import cannot be stored; nothing is. `line` is its number, from 1."""

    code = "invalid_line"

    def __init__(self, number: int, problem: str) -> None:
        super().__init__(f"line {number}: {problem}", line=number)


def import_strategies(*, agent: Agent, lines: Iterable[bytes], now: datetime) -> ImportReport:
    """Store rules, insights and optimizations of an agent with their standings (BadLine)."""
    parsed = [_parsed(number, raw, now=now) for number, raw in enumerate(lines, 1) if raw.strip()]
    _check_once(parsed)
    _check_symbols(parsed)
    with transaction.atomic():
        # Whoever publishes for the agent waits: seq has no gap and no order but this one.
        tail = AgentTail.objects.select_for_update().get(agent=agent)
        here = _here(agent, parsed)
        new = [line for line in parsed if line.strategy.id not in here]
        for chunk in batched(enumerate(new, tail.last_seq + 1), CHUNK):
            _store(agent, list(chunk), now=now)
        AgentTail.objects.filter(agent=agent).update(last_seq=tail.last_seq + len(new))
    return ImportReport(created=len(new), unchanged=len(here))


def _parsed(number: int, raw: bytes, *, now: datetime) -> Line:
    try:
        data = json.loads(raw.decode(), parse_constant=_no_number, object_pairs_hook=_object)
        strategy = ImportedStrategy.parse(data)
        draft = RecordDraft.parse(strategy.body, context=bounds())
    except TidebookError as error:
        raise BadLine(number, error.message) from error
    except (ValueError, RecursionError) as error:
        raise BadLine(number, "is not a JSON object in UTF-8") from error
    if strategy.created_at > now:
        raise BadLine(number, "created_at: lies in the future")
    return Line(number, strategy, draft)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BadRequest("has a key twice")
    return found


def _check_once(lines: list[Line]) -> None:
    first: dict[UUID, int] = {}
    for line in lines:
        before = first.setdefault(line.strategy.id, line.number)
        if before != line.number:
            raise BadLine(line.number, f"id: repeats line {before}")


def _check_symbols(lines: list[Line]) -> None:
    wanted = {line.strategy.symbol for line in lines} - {None}
    known = set(Instrument.objects.filter(id__in=wanted).values_list("id", flat=True))
    for line in lines:
        if line.strategy.symbol is not None and line.strategy.symbol not in known:
            raise BadLine(line.number, "symbol: is the canonical name of no instrument")


def _here(agent: Agent, lines: list[Line]) -> set[UUID]:
    """Return the ids that the agent has already (BadLine: what has the id is something else)."""
    by_id = {line.strategy.id: line for line in lines}
    here = set()
    for chunk in batched(by_id, CHUNK):
        found = Record.objects.filter(id__in=chunk).only(
            "id", "agent_id", "type", "content", "purged_at"
        )
        for record in found:
            line = by_id[record.id]
            # A forgotten memory stays forgotten.
            same = record.content == line.draft.content or record.purged_at is not None
            if record.agent_id != agent.id or record.type != line.draft.type or not same:
                raise BadLine(line.number, "id: is taken; another memory has it")
            here.add(record.id)
    return here


def _store(agent: Agent, numbered: list[tuple[int, Line]], *, now: datetime) -> None:
    lines = [line for _, line in numbered]
    Record.objects.bulk_create(_record(agent, line, seq=seq, now=now) for seq, line in numbered)
    RecordTarget.objects.bulk_create(
        RecordTarget(
            agent=agent,
            record_id=line.strategy.id,
            instrument_id=name,
            ord=place,
            scope="instruments",
            type=line.draft.type,
            created_at=line.strategy.created_at,
        )
        for line in lines
        for place, name in enumerate(line.draft.instruments)
    )
    standings.store(
        [
            standings.rows_of(
                agent_id=agent.id,
                record_id=line.strategy.id,
                new=_standing(line),
                created_at=line.strategy.created_at,
                cause=Cause("import"),
                event="imported",
                now=now,
            )
            for line in lines
        ]
    )
    postings.post(agent.id, [line.strategy.id for line in lines])


def _record(agent: Agent, line: Line, *, seq: int, now: datetime) -> Record:
    salt = secrets.token_bytes(SALT_BYTES)
    said = said_by(
        line.draft,
        id=line.strategy.id,
        agent_id=agent.id,
        producer_id=None,
        run_id=None,
        stamped=UNSTAMPED,
        created_at=line.strategy.created_at,
    )
    return Record(
        id=line.strategy.id,
        agent=agent,
        seq=seq,
        type=line.draft.type,
        scope=line.draft.scope,
        content=line.draft.content,
        metadata={},
        tags=line.draft.tags,
        created_at=line.strategy.created_at,
        imported_at=now,
        content_digest=content_digest(salt, said),
        content_salt=salt,
    )


def _standing(line: Line) -> NewStanding:
    told = line.strategy
    facts = Facts(
        type=told.type,
        symbol=told.symbol,
        strategy_type=told.strategy_type,
        outcome=told.outcome,
        config=told.config,
        metrics=told.metrics,
        source_node_uuid=told.source_node_uuid,
    )
    by_terms = standings.beginning(
        facts, tags=line.draft.tags, created_at=told.created_at, confidence=told.confidence
    )
    relevance = told.relevance_score
    return NewStanding(
        facts,
        Moving(
            tags=by_terms.tags,
            confidence=by_terms.confidence,
            validated_count=told.validated_count,
            relevance_score=by_terms.relevance_score if relevance is None else relevance,
            visibility=told.visibility,
            community_confirmations=told.community_confirmations,
            expires_at=told.expires_at
            if "expires_at" in told.model_fields_set
            else by_terms.expires_at,
        ),
    )
