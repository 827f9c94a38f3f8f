"""Each record against itself: its number, its digest, its standing and its ledgers."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any
from uuid import UUID

from memory.models import AgentTail, Withdrawal
from memory.policies import standing as policy
from memory.policies.retention import content_digest, originals_hash
from memory.policies.standing import BrokenLedger, Line, Moving
from memory.policies.vocabulary import TIERS
from memory.schemas.records import LinkDraft, RecordDraft
from memory.selectors.stored import StoredRecord, stored_records
from memory.services.publish import Stamped, said_by
from memory.services.verification.faults import Fault

type Intervals = list[tuple[datetime, datetime | None]]


def read(agent_id: UUID, *, tail: AgentTail) -> Iterator[tuple[list[StoredRecord], list[Fault]]]:
    """Yield the agent's records in batches, each with what is wrong with them."""
    last = 0
    for batch in stored_records(agent_id):
        found = []
        withdrawn = _withdrawn(agent_id, batch)
        for record in batch:
            if record.seq != last + 1:
                found.append(
                    Fault(
                        "seq", agent_id, record.id, f"seq {record.seq} follows {last}, with a gap"
                    )
                )
            last = record.seq
            found += [
                Fault(check, agent_id, record.id, what)
                for check, what in _wrong(agent_id, record, withdrawn[record.id])
            ]
        yield batch, found
    if last != tail.last_seq:
        what = f"the tail row says {tail.last_seq} records, the last one is {last}"
        yield [], [Fault("seq", agent_id, None, what)]


def _withdrawn(agent_id: UUID, batch: Sequence[StoredRecord]) -> dict[UUID, Intervals]:
    found = defaultdict(list)
    ids = [record.id for record in batch]
    rows = Withdrawal.objects.filter(agent_id=agent_id, record_id__in=ids)
    for row in rows.order_by("record_id", "withdrawn_at"):
        found[row.record_id].append((row.withdrawn_at, row.restored_at))
    return found


def _wrong(agent_id: UUID, record: StoredRecord, withdrawn: Intervals) -> Iterator[tuple[str, str]]:
    yield from _digest(agent_id, record)
    if record.originals_hash != originals_hash(
        [target for target, kind in record.links if kind == "corrects"]
    ):
        yield "links", "what it corrects is not what its lane says"
    if (record.scope == "instruments") != bool(record.instruments):
        yield "targets", f"its scope is {record.scope} and it has {len(record.instruments)} targets"
    if record.type in TIERS:
        yield from _standing(record)
    elif record.standing is not None or record.ledger:
        yield "ledger", "it is no strategy memory, and has a standing or a ledger of one"
    yield from _changes(record, withdrawn)


def _digest(agent_id: UUID, record: StoredRecord) -> Iterator[tuple[str, str]]:
    if record.purged_at is not None:
        if record.content or record.metadata or record.tags or record.content_salt:
            yield "digest", "it is erased, and something of what it said is left"
        return
    if record.content_salt is None:
        yield "digest", "it has no salt"
        return
    draft = RecordDraft.model_construct(
        type=record.type,
        scope="agent" if record.scope == "agent" else "instruments",
        timeframe=record.timeframe,
        content=record.content,
        tags=record.tags,
        instruments=record.instruments,
        links=[
            LinkDraft.model_construct(target_memory_id=target, link_type=kind)
            for target, kind in record.links
        ],
    )
    said = said_by(
        draft,
        id=record.id,
        agent_id=agent_id,
        producer_id=record.producer_id,
        run_id=record.run_id,
        stamped=Stamped(record.metadata, record.stale_after, record.expiry_policy),
        created_at=record.created_at,
    )
    if content_digest(record.content_salt, said) != record.content_digest:
        yield "digest", "it does not say what its digest was taken over"


def _standing(record: StoredRecord) -> Iterator[tuple[str, str]]:
    """Replay its ledger, and compare where that ends with where the standing is."""
    try:
        told = policy.replay(
            Line(
                revision=line.revision,
                event=line.event,
                before=None if line.before is None else Moving.from_json(line.before),
                after=None if line.after is None else Moving.from_json(line.after),
            )
            for line in record.ledger
        )
    except (BrokenLedger, KeyError, TypeError, ValueError, ArithmeticError) as error:
        yield "ledger", f"its ledger cannot be replayed: {error}"
        return
    row = record.standing
    if (record.purged_at is None) != (row is not None):
        yield (
            "ledger",
            "it has no standing" if row is None else "it is erased, with a standing left",
        )
        return
    if told != (None if row is None else moving_of(row)):
        yield "ledger", "its standing is not where its ledger ends"
    if row is None:
        return
    if row["revision"] != len(record.ledger):
        yield "ledger", f"its standing is at {row['revision']}, its ledger at {len(record.ledger)}"
    same = (row["type"], datetime.fromisoformat(row["created_at"]))
    if same != (record.type, record.created_at):
        yield "ledger", "its standing is of another type or time"
    config = row["config"]
    if config is not None and row["config_hash"] != f"\\x{policy.config_hash(config).hex()}":
        yield "digest", "the hash of its config is not that of its config"


def moving_of(row: dict[str, Any]) -> Moving:
    """Return the moving part of a standing's row, as JSON tells it."""
    end, survivor = row["expires_at"], row["merged_into_id"]
    return Moving(
        tags=tuple(row["tags"]),
        confidence=Decimal(str(row["confidence"])),
        validated_count=row["validated_count"],
        relevance_score=Decimal(str(row["relevance_score"])),
        visibility=row["visibility"],
        community_confirmations=row["community_confirmations"],
        expires_at=None if end is None else datetime.fromisoformat(end),
        merged_into=None if survivor is None else UUID(survivor),
    )


def _changes(record: StoredRecord, withdrawn: Intervals) -> Iterator[tuple[str, str]]:
    """Hold what was done to it against what its ledger tells of that."""
    if [line.number for line in record.changes] != list(range(1, len(record.changes) + 1)):
        yield "changes", "its ledger of changes has a gap"
    times = [line.at for line in record.changes]
    if any(later <= earlier for earlier, later in pairwise(times)):
        yield "changes", "its ledger of changes goes back in time"
    if withdrawn and withdrawn[0][0] < record.created_at:
        yield "changes", "it was withdrawn before it was written"
    if any(end is None or begin < end for (_, end), (begin, _) in pairwise(withdrawn)):
        yield "changes", "its withdrawals overlap"
    told: Intervals = []
    for line in record.changes:
        if line.event == "withdrawn":
            told.append((line.at, None))
        elif line.event == "restored" and told:
            told[-1] = (told[-1][0], line.at)
    if told != withdrawn:
        yield "changes", "its withdrawals are not those that its ledger tells"
    erased = [line.at for line in record.changes if line.event == "erased"]
    if record.type not in TIERS and erased != ([record.purged_at] if record.purged_at else []):
        yield "changes", "its erasure is not what its ledger tells"
