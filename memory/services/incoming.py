"""One line of an import, read and held against all that needs no database."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NoReturn
from uuid import UUID

from memory.errors import BadRequest, TidebookError
from memory.policies import freshness
from memory.policies.standing import Moving
from memory.policies.text import settled
from memory.policies.vocabulary import RESERVED_TYPES
from memory.schemas.lines import Header, InstrumentLine, ProducerLine, RecordLine, Told, parse
from memory.schemas.records import RecordDraft, check_metadata
from memory.schemas.strategies import ImportedStrategy
from memory.schemas.told import ChangeTold, RunTold
from memory.services import standings
from memory.services.publish import bounds
from memory.services.standings import Cause, Facts


class BadLine(BadRequest):
    """A line of an import cannot be stored. `line` is its number, from 1.

    `stored` is up to which line everything is stored: 0 when nothing is.
    """

    code = "invalid_line"

    def __init__(self, number: int, problem: str, *, stored: int = 0) -> None:
        self.number, self.problem = number, problem
        what = "is" if stored == 1 else f"to {stored} are"
        after = (
            f"; line{'' if stored == 1 else 's'} 1 {what} stored: put it right and run the same "
            "command again, which goes on from there"
        )
        super().__init__(
            f"line {number}: {problem}{after if stored else ''}", line=number, stored=stored
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a standing's ledger that was told; `after` is None where it was purged."""

    event: str
    after: Moving | None
    cause: Cause
    detail: dict[str, Any]
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A record that was told, on line `number`.

    `producer` is an id of the file or a name of the agent's. `same_by_content`: what is here under
    its id is the same when type and content are, for lines that tell no more than these.
    """

    number: int
    id: UUID
    draft: RecordDraft
    metadata: dict[str, Any]
    created_at: datetime
    producer: str | None = None
    run: RunTold | None = None
    says_deadline: bool = False
    deadline: datetime | None = None
    policy: str | None = None
    says_import: bool = False
    imported_at: datetime | None = None
    purged_at: datetime | None = None
    digest: bytes | None = None
    facts: Facts | None = None
    ledger: tuple[Entry, ...] = ()
    changes: list[ChangeTold] = field(default_factory=list)
    same_by_content: bool = False

    def is_analysis(self, role: str | None) -> bool:
        """Tell whether it is research: by its producer's role, else by its type."""
        return role == "analysis" if role else self.draft.type not in RESERVED_TYPES

    def deadline_as(self, role: str | None) -> datetime | None:
        """Return its deadline, told or by F5 (BadLine: its metadata tells none that can be)."""
        if self.says_deadline:
            return self.deadline
        try:
            return freshness.imported_deadline(
                self.metadata,
                is_analysis=self.is_analysis(role),
                has_run=self.run is not None,
                timeframe=self.draft.timeframe,
                created_at=self.created_at,
            )
        except freshness.MalformedValidity as error:
            raise BadLine(self.number, f"metadata.{error.key}: {error}") from error


type Incoming = Item | InstrumentLine | ProducerLine | None


def read(number: int, raw: bytes, *, now: datetime) -> Incoming:
    """Return what a line holds, None for one that holds nothing to store (BadLine)."""
    if not raw.strip():
        return None
    try:
        data = json.loads(raw.decode(), parse_constant=_no_number, object_pairs_hook=_object)
        told = parse(data)
        if isinstance(told, Header):
            return None
        if isinstance(told, InstrumentLine | ProducerLine):
            _refuse_future(number, told, now=now)
            return told
        draft = RecordDraft.parse(told.body, context=bounds())
        check_metadata(draft.metadata, bounds=bounds())
    except BadLine:
        raise
    except TidebookError as error:
        raise BadLine(number, error.message) from error
    except (ValueError, RecursionError) as error:
        raise BadLine(number, "is not a JSON object in UTF-8") from error
    _refuse_future(number, told, now=now)
    if isinstance(told, ImportedStrategy):
        return _strategy(number, told, draft, now=now)
    return _record(number, told, draft)


def _refuse_future(number: int, told: Told, *, now: datetime) -> None:
    """Refuse a time of what has happened that is still to come (BadLine: with its place)."""
    for place, moment in _moments(told):
        if moment is not None and moment > now:
            raise BadLine(number, f"{place}: lies in the future")


def _moments(told: Told) -> Iterator[tuple[str, datetime | None]]:
    """Yield what a line says of when something was done; ends of validity are none of it."""
    if isinstance(told, ProducerLine | RecordLine | ImportedStrategy):
        yield "created_at", told.created_at
    if isinstance(told, ProducerLine):
        for index, interval in enumerate(told.enabled):
            for half, moment in enumerate(interval):
                yield f"enabled[{index}][{half}]", moment
    if isinstance(told, RecordLine):
        yield "imported_at", told.imported_at
        yield "purged_at", told.purged_at
        if told.run is not None:
            yield "run.started_at", told.run.started_at
            yield "run.ended_at", told.run.ended_at
        for index, line in enumerate(told.ledger):
            yield f"ledger[{index}].at", line.at
        for index, change in enumerate(told.changes):
            yield f"changes[{index}].at", change.at


def _record(number: int, told: RecordLine, draft: RecordDraft) -> Item:
    policy = told.expiry_policy
    if "expiry_policy" not in told.model_fields_set:
        said = draft.metadata.get("expiry_policy")
        policy = said if said in freshness.KNOWN else None
    return Item(
        number=number,
        id=told.id,
        draft=draft if told.purged_at is None else draft.model_copy(update={"content": ""}),
        metadata=settled(draft.metadata),
        created_at=told.created_at,
        producer=told.producer,
        run=told.run,
        says_deadline=told.says_deadline,
        deadline=told.expires_at,
        policy=policy,
        says_import=told.says_import,
        imported_at=told.imported_at,
        purged_at=told.purged_at,
        digest=None if told.content_digest is None else bytes.fromhex(told.content_digest),
        facts=_facts(told),
        ledger=tuple(
            Entry(
                line.event,
                None if line.after is None else line.after.moving(),
                Cause(line.cause.kind, line.cause.id),
                settled(line.detail),
                line.at,
            )
            for line in told.ledger
        ),
        changes=told.changes,
    )


def _facts(told: RecordLine) -> Facts | None:
    if told.standing is None:
        return None
    return Facts(
        type=told.type,
        symbol=told.standing.symbol,
        strategy_type=told.standing.strategy_type,
        outcome=told.standing.outcome,
        config=told.standing.config,
        metrics=told.standing.metrics,
        source_node_uuid=told.standing.source_node_uuid,
    )


def _strategy(number: int, told: ImportedStrategy, draft: RecordDraft, *, now: datetime) -> Item:
    """Return strategy memory from elsewhere: it stands where the line says, from now on."""
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
        facts, tags=draft.tags, created_at=told.created_at, confidence=told.confidence
    )
    relevance = told.relevance_score
    says_end = "expires_at" in told.model_fields_set
    begins = Moving(
        tags=by_terms.tags,
        confidence=by_terms.confidence,
        validated_count=told.validated_count,
        relevance_score=by_terms.relevance_score if relevance is None else relevance,
        visibility=told.visibility,
        community_confirmations=told.community_confirmations,
        expires_at=told.expires_at if says_end else by_terms.expires_at,
    )
    return Item(
        number=number,
        id=told.id,
        draft=draft,
        metadata={},
        created_at=told.created_at,
        says_deadline=True,
        facts=facts,
        ledger=(Entry("imported", begins, Cause("import"), {}, now),),
        same_by_content=True,
    )


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BadRequest("has a key twice")
    return found
