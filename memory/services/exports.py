"""An agent's records as JSON Lines, from which `imports` makes the same again (SPEC U3).

Nothing in a line depends on where it is stored: no seq, no salt, no agent. So what is imported
under the same ids and exported again gives the same bytes.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.models import Agent, Instrument, Producer, Record, RecordTarget, Standing
from memory.models.standings import StandingChange
from memory.policies.freshness import iso
from memory.policies.standing import Moving
from memory.schemas.lines import FORMAT, VERSION
from memory.selectors.stored import StoredRecord, snapshot, stored_records


@dataclass(frozen=True, slots=True)
class Exported:
    """Some lines, each ended, and how many of them are records."""

    lines: bytes
    records: int


def count(agent: Agent, *, types: Sequence[str] | None, since: datetime | None) -> int:
    """Count the records that an export of these types and times holds by now."""
    records = Record.objects.filter(agent=agent)
    if types is not None:
        records = records.filter(type__in=types)
    if since is not None:
        records = records.filter(created_at__gte=since)
    return records.count()


def export(
    agent: Agent, *, types: Sequence[str] | None = None, since: datetime | None = None
) -> Iterator[Exported]:
    """Yield the lines of an export in batches, all as of one moment.

    A header, the agent's instruments and producers, and its records in the order of their `seq`:
    all, or those of these types and created at `since` or later. What is left out can then be
    missed by links of what is there.
    """
    with snapshot():
        yield Exported(_joined([_header(), *_instruments(agent), *_producers(agent)]), 0)
        for batch in stored_records(agent.id, types=types, since=since):
            yield Exported(_joined([record_line(record) for record in batch]), len(batch))


def _joined(lines: list[dict[str, Any]]) -> bytes:
    whole = "".join(
        json.dumps(line, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
        for line in lines
    )
    return whole.encode()


def _header() -> dict[str, Any]:
    return {"kind": "header", "format": FORMAT, "version": VERSION}


def _instruments(agent: Agent) -> Iterator[dict[str, Any]]:
    """Tell of each market what stays so; the rest is today's, and its list's to say."""
    targets = RecordTarget.objects.filter(agent=agent).values_list("instrument_id").distinct()
    symbols = Standing.objects.filter(agent=agent, symbol__isnull=False).values_list("symbol_id")
    used = {name for (name,) in (*targets.order_by(), *symbols.order_by().distinct())}
    known = Instrument.objects.in_bulk(used)
    for name in sorted(used):
        yield {
            "kind": "instrument",
            "id": name,
            "market": str(known[name].kind),
            "dex": known[name].dex,
        }


def _producers(agent: Agent) -> Iterator[dict[str, Any]]:
    producers = Producer.objects.filter(agent=agent).order_by("id")
    for producer in producers.prefetch_related("enablements"):
        intervals = sorted(
            producer.enablements.all(),  # of this agent: the key holds both
            key=lambda interval: interval.enabled_at,
        )
        yield {
            "kind": "producer",
            "id": str(producer.id),
            "role": producer.role,
            "name": producer.name,
            "schedule": producer.schedule,
            "created_at": iso(producer.created_at),
            "enabled": [[iso(one.enabled_at), _iso(one.disabled_at)] for one in intervals],
        }


def record_line(record: StoredRecord) -> dict[str, Any]:
    """Return the line of a record: what it says and is, and what came of it."""
    line: dict[str, Any] = {
        "kind": "record",
        "id": str(record.id),
        "type": record.type,
        "scope": record.scope,
        "instruments": record.instruments,
        "timeframe": record.timeframe,
        "content": record.content,
        "metadata": record.metadata,
        "tags": record.tags,
        "links": [
            {"target_memory_id": str(target), "link_type": kind} for target, kind in record.links
        ],
        "producer": None if record.producer_id is None else str(record.producer_id),
        "run": _run(record),
        "created_at": iso(record.created_at),
        "expires_at": _iso(record.stale_after),
        "expiry_policy": record.expiry_policy,
        "imported_at": _iso(record.imported_at),
    }
    if record.purged_at is not None:
        line["purged_at"] = iso(record.purged_at)
        line["content_digest"] = record.content_digest.hex()
    if record.standing is not None:
        line["standing"] = _standing(record.standing)
    if record.ledger:
        line["ledger"] = [_ledger_line(one) for one in record.ledger]
    if record.changes:
        line["changes"] = [
            {
                "event": one.event,
                "reason": one.reason,
                "cause": {"kind": one.cause_kind, "id": one.cause_id},
                "at": iso(one.at),
            }
            for one in record.changes
        ]
    return line


def _run(record: StoredRecord) -> dict[str, Any] | None:
    if record.run_id is None:
        return None
    if record.run is None:
        return {"id": str(record.run_id)}
    times = ("evidence_boundary", "started_at", "ended_at")
    return {"id": str(record.run_id)} | {
        name: _iso_text(value) if name in times else value for name, value in record.run.items()
    }


def _standing(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "symbol": row["symbol_id"],
        "strategy_type": row["strategy_type"],
        "outcome": row["outcome"],
        "config": row["config"],
        "metrics": row["metrics"],
        "source_node_uuid": row["source_node_uuid"],
    }


def _ledger_line(line: StandingChange) -> dict[str, Any]:
    # As every release of ours writes it, whichever wrote this one.
    after = None if line.after is None else Moving.from_json(line.after).as_json()
    return {
        "event": line.event,
        "after": after,
        "cause": {"kind": line.cause_kind, "id": line.cause_id},
        "detail": line.detail,
        "at": iso(line.at),
    }


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else iso(moment)


def _iso_text(text: str | None) -> str | None:
    return None if text is None else iso(datetime.fromisoformat(text))
