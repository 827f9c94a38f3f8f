"""The same write in several ways: one statement, the ORM, separate statements, a bare INSERT.

Each takes the parameters of the publish statement, so that what is measured is the database's
part alone. All but the bare INSERT and the statement without postings make the same checks and
leave the same rows.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Q

from config.benchmarks import unposted
from memory.models import (
    AgentTail,
    Head,
    Posting,
    ProducerEnablement,
    Record,
    RecordLink,
    RecordTarget,
    Run,
    Selection,
)
from memory.policies.ownership import TokenActor
from memory.schemas.records import RecordDraft
from memory.services import publish

type Parameters = dict[str, Any]
type Write = Callable[[Parameters], None]


class Refused(Exception):
    """A write of the bench was refused: the bench is wrong."""


class _Caught(Exception):
    """Carries the parameters out of the publish service before anything is executed."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters


def parameters_of(actor: TokenActor, draft: RecordDraft, *, now: datetime) -> Parameters:
    """Return what the publish service gives its statement for this draft; nothing is stored."""

    def catch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql == publish.PUBLISH:
            raise _Caught(params)
        return execute(sql, params, many, context)

    try:
        with connection.execute_wrapper(catch):
            publish.publish(actor=actor, draft=draft, now=now)
    except _Caught as caught:
        return caught.parameters
    raise Refused("the publish service did not come to its statement")


def by_statement(p: Parameters) -> None:
    """Write as the publish service does."""
    with connection.cursor() as cursor:
        cursor.execute(publish.PUBLISH, p)
        _, _, _, seq, _ = cursor.fetchone()
    if seq is None:
        raise Refused("the statement stored nothing")


def by_orm(p: Parameters) -> None:
    """Write as Django's models invite one to."""
    agent, now = p["agent"], p["now"]
    with transaction.atomic():
        # The lock first: what is checked under it cannot be erased before the commit.
        tail = AgentTail.objects.select_for_update().get(agent_id=agent)
        _orm_checks(p)
        words = _words(p)
        length = sum(tf for _, tf in words)
        tail.last_seq += 1
        tail.text_records += 1
        tail.text_length += length
        tail.save(update_fields=["last_seq", "text_records", "text_length"])
        record = Record.objects.create(
            id=p["id"],
            agent_id=agent,
            seq=tail.last_seq,
            producer_id=p["producer"],
            run_id=p["run"],
            type=p["type"],
            scope=p["scope"],
            timeframe=p["timeframe"],
            content=p["content"],
            metadata=p["metadata"].obj,
            tags=p["tags"],
            originals_hash=p["originals_hash"],
            created_at=now,
            stale_after=p["stale_after"],
            expiry_policy=p["expiry_policy"],
            content_digest=p["content_digest"],
            content_salt=p["content_salt"],
        )
        copied = {"agent_id": agent, "producer_id": p["producer"], "type": p["type"]}
        RecordTarget.objects.bulk_create(
            RecordTarget(record_id=record.id, instrument_id=name, ord=i, created_at=now, **copied)
            for i, name in enumerate(p["targets"])
        )
        RecordLink.objects.bulk_create(
            RecordLink(agent_id=agent, source_id=record.id, ord=i, target_id=to, link_type=kind)
            for i, (to, kind) in enumerate(zip(p["link_ids"], p["link_types"], strict=True))
        )
        Posting.objects.bulk_create(
            Posting(agent_id=agent, lexeme=lexeme, record_id=record.id, tf=tf, len=length)
            for lexeme, tf in words
        )
        _orm_heads(record, p, copied)


def _orm_checks(p: Parameters) -> None:
    """Check the run, the targets and the links, as the statement does."""
    agent, now = p["agent"], p["now"]
    run = Run.objects.select_for_update(no_key=True).filter(
        agent_id=agent, id=p["run"], status="running"
    )
    if run.first() is None:
        raise Refused("run")
    open_at = Q(deselected_at__isnull=True) | Q(deselected_at__gt=now)
    selected = Selection.objects.filter(
        open_at,
        agent_id=agent,
        instrument_id__in=p["targets"],
        instrument__is_active=True,
        selected_at__lte=now,
    ).values_list("instrument_id", flat=True)
    _all_there(p["targets"], selected)
    live = Record.objects.filter(agent_id=agent, id__in=p["link_ids"], purged_at__isnull=True)
    _all_there(p["link_ids"], live.values_list("id", flat=True))
    # The answer tells whether the producer is enabled; nothing is refused for it.
    enabled = Q(disabled_at__isnull=True) | Q(disabled_at__gt=now)
    ProducerEnablement.objects.filter(
        enabled, agent_id=agent, producer_id=p["producer"], enabled_at__lte=now
    ).exists()


SEARCHABLE = """to_tsvector('english', memory_searchable(%(content)s, %(tags)s::text[],
    %(targets)s::text[], %(symbol)s, %(strategy_type)s))"""
WORDS = f"SELECT lexeme, cardinality(positions) AS tf FROM unnest({SEARCHABLE})"  # noqa: S608 - a constant


def _words(p: Parameters) -> list[tuple[str, int]]:
    """Ask the database for the words: it alone knows their stems."""
    with connection.cursor() as cursor:
        cursor.execute(WORDS, p)
        words: list[tuple[str, int]] = cursor.fetchall()
    return words


def _orm_heads(record: Record, p: Parameters, copied: dict[str, Any]) -> None:
    """Move the heads of the record's lanes, unless they stand at a newer record already."""
    instruments: list[str] = p["targets"]
    standing = {
        name: (created_at, id_)
        for name, created_at, id_ in Head.objects.filter(
            instrument_id__in=instruments, **copied
        ).values_list("instrument_id", "created_at", "record_id")
    }
    mine = (record.created_at, record.id)
    Head.objects.bulk_create(
        (
            Head(
                instrument_id=name,
                record_id=record.id,
                created_at=record.created_at,
                stale_after=p["stale_after"],
                **copied,
            )
            for name in sorted(instruments)
            if name not in standing or standing[name] < mine
        ),
        update_conflicts=True,
        unique_fields=["agent", "instrument_id", "producer", "type"],
        update_fields=["record", "created_at", "stale_after"],
    )


def _all_there(wanted: Iterable[object], found: Iterable[object]) -> None:
    if set(wanted) - set(found):
        raise Refused("a target or a link")


TAIL = """
UPDATE memory_agent_tail SET last_seq = last_seq + 1 WHERE agent_id = %(agent)s RETURNING last_seq
"""
POSTINGS = f"""
WITH words AS ({WORDS}), size AS (SELECT sum(tf) AS len FROM words),
posted AS (
    INSERT INTO memory_term (agent_id, lexeme, record_id, tf, len)
    SELECT %(agent)s, words.lexeme, %(id)s, words.tf, size.len FROM words, size
)
UPDATE memory_agent_tail SET text_records = text_records + 1,
    text_length = text_length + coalesce((SELECT len FROM size), 0)
WHERE agent_id = %(agent)s
"""  # noqa: S608 - a constant
RUN = """
SELECT 1 FROM memory_run WHERE agent_id = %(agent)s AND id = %(run)s AND status = 'running'
FOR SHARE
"""
SELECTED = """
SELECT s.instrument_id FROM memory_selection s JOIN memory_instrument n ON n.id = s.instrument_id
WHERE s.agent_id = %(agent)s AND s.instrument_id = ANY(%(targets)s) AND n.is_active
  AND s.selected_at <= %(now)s AND (s.deselected_at IS NULL OR s.deselected_at > %(now)s)
"""
LINKED = """
SELECT id FROM memory_record
WHERE agent_id = %(agent)s AND id = ANY(%(link_ids)s) AND purged_at IS NULL
"""
INTO = """
INSERT INTO {table} (agent_id, id, seq, producer_id, run_id, type, scope, timeframe, content,
    metadata, tags, originals_hash, created_at, stale_after, expiry_policy, content_digest,
    content_salt)
VALUES (%(agent)s, %(id)s, %(seq)s, %(producer)s, %(run)s, %(type)s, %(scope)s, %(timeframe)s,
    %(content)s, %(metadata)s, %(tags)s::text[], %(originals_hash)s, %(now)s, %(stale_after)s,
    %(expiry_policy)s, %(content_digest)s, %(content_salt)s)
"""
RECORD = INTO.format(table="memory_record")
TARGETS = """
INSERT INTO memory_target (agent_id, record_id, instrument_id, ord, producer_id, type, created_at)
SELECT %(agent)s, %(id)s, x.id, x.ord - 1, %(producer)s, %(type)s, %(now)s
FROM unnest(%(targets)s::text[]) WITH ORDINALITY AS x(id, ord)
"""
LINKS = """
INSERT INTO memory_link (agent_id, source_id, ord, target_id, link_type)
SELECT %(agent)s, %(id)s, x.ord - 1, x.id, x.kind
FROM unnest(%(link_ids)s::uuid[], %(link_types)s::text[]) WITH ORDINALITY AS x(id, kind, ord)
"""
HEADS = """
INSERT INTO memory_head AS h (agent_id, instrument_id, producer_id, type, record_id, created_at,
    stale_after)
SELECT %(agent)s, x.id, %(producer)s, %(type)s, %(id)s, %(now)s,
    coalesce(%(stale_after)s, 'infinity'::timestamptz)
FROM unnest(%(targets)s::text[]) AS x(id) ORDER BY x.id
ON CONFLICT (agent_id, instrument_id, producer_id, type) DO UPDATE
SET record_id = excluded.record_id, created_at = excluded.created_at,
    stale_after = excluded.stale_after
WHERE (excluded.created_at, excluded.record_id) > (h.created_at, h.record_id)
"""
ENABLED = """
SELECT EXISTS (SELECT 1 FROM memory_producer_enablement
    WHERE agent_id = %(agent)s AND producer_id = %(producer)s AND enabled_at <= %(now)s
      AND (disabled_at IS NULL OR disabled_at > %(now)s))
"""


def by_separate_statements(p: Parameters) -> None:
    """Write by the fewest plain statements in one transaction."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(TAIL, p)
        numbered = {**p, "seq": cursor.fetchone()[0]}
        cursor.execute(RUN, p)
        if cursor.fetchone() is None:
            raise Refused("run")
        cursor.execute(SELECTED, p)
        _all_there(p["targets"], (row[0] for row in cursor.fetchall()))
        cursor.execute(LINKED, p)
        _all_there(p["link_ids"], (row[0] for row in cursor.fetchall()))
        for statement in (RECORD, TARGETS, LINKS, POSTINGS, HEADS):
            cursor.execute(statement, numbered)
        cursor.execute(ENABLED, p)
        cursor.fetchone()


# As wide as a record and with a primary key, and nothing else: no other write can be cheaper.
BARE_TABLE = """
CREATE TABLE bench_bare (LIKE memory_record INCLUDING DEFAULTS, PRIMARY KEY (id))
"""
BARE = INTO.format(table="bench_bare")


def by_bare_insert(p: Parameters) -> None:
    """Insert the record's row alone, into a table without checks, keys and indexes."""
    with connection.cursor() as cursor:
        cursor.execute(BARE, {**p, "seq": 0})


VARIANTS: dict[str, Write] = {
    "statement": by_statement,
    "orm": by_orm,
    "separate": by_separate_statements,
    "unposted": unposted.write,
    "bare": by_bare_insert,
}
