"""The postings that search reads: made for stored records, taken away, and made anew.

Publish writes a new record's postings itself. The number and the length of all texts are kept on
the agent's tail row (SPEC S3): whoever changes postings here holds it, or sets the counts right
before the commit (`services.forget`).
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import connection, transaction

# The words of stored records. They rest on what never changes, so they can be found again.
WORDS = """
words AS (
    SELECT r.id AS record_id, l.lexeme, cardinality(l.positions) AS tf
    FROM memory_record r
    LEFT JOIN memory_standing s ON s.agent_id = r.agent_id AND s.record_id = r.id
    CROSS JOIN LATERAL unnest(to_tsvector('english', memory_searchable(r.content, r.tags,
        ARRAY(SELECT t.instrument_id FROM memory_target t
              WHERE t.agent_id = r.agent_id AND t.record_id = r.id ORDER BY t.ord),
        s.symbol_id, s.strategy_type))) l
    WHERE r.agent_id = %(agent)s AND r.id = ANY(%(ids)s) AND r.purged_at IS NULL
)
"""
LOCK = "SELECT 1 FROM memory_agent_tail WHERE agent_id = %(agent)s FOR UPDATE"
POST = f"""
WITH {WORDS},
posted AS (
    INSERT INTO memory_term (agent_id, lexeme, record_id, tf, len)
    SELECT %(agent)s, lexeme, record_id, tf, sum(tf) OVER (PARTITION BY record_id) FROM words
    RETURNING tf
)
UPDATE memory_agent_tail SET text_records = text_records + %(number)s,
    text_length = text_length + (SELECT coalesce(sum(tf), 0) FROM posted)
WHERE agent_id = %(agent)s
"""  # noqa: S608 - both parts are constants
GONE = f"""
WITH {WORDS},
gone AS (
    DELETE FROM memory_term t USING words w
    WHERE t.agent_id = %(agent)s AND t.lexeme = w.lexeme AND t.record_id = w.record_id
    RETURNING t.tf
)
"""  # noqa: S608 - as above
TAKE = f"{GONE} SELECT coalesce(sum(tf), 0)::bigint FROM gone"  # noqa: S608 - as above
UNPOST = f"""
{GONE}
UPDATE memory_agent_tail SET text_records = text_records - %(number)s,
    text_length = text_length - (SELECT coalesce(sum(tf), 0) FROM gone)
WHERE agent_id = %(agent)s
"""  # noqa: S608 - as above
CLEAR = "DELETE FROM memory_term WHERE agent_id = %(agent)s"
RESET = """
UPDATE memory_agent_tail SET text_records = 0, text_length = 0 WHERE agent_id = %(agent)s
"""
LIVE = "SELECT id FROM memory_record WHERE agent_id = %(agent)s AND purged_at IS NULL"


def post(agent_id: UUID, ids: Sequence[UUID]) -> None:
    """Write the postings of live records that have none, whose standings are stored."""
    _change(POST, agent_id, ids)


def unpost(agent_id: UUID, ids: Sequence[UUID]) -> None:
    """Take away the postings of live records, before they and their standings are emptied."""
    _change(UNPOST, agent_id, ids)


def take(agent_id: UUID, ids: Sequence[UUID]) -> int:
    """Take away the postings of live records; return by how much the texts' length is too long now.

    The caller takes that, and the number of the records, off the tail row in its transaction.
    """
    with connection.cursor() as cursor:
        cursor.execute(TAKE, {"agent": agent_id, "ids": list(ids)})
        length: int = cursor.fetchone()[0]
    return length


def rebuild(agent_id: UUID) -> None:
    """Make an agent's postings anew, as after a change of the text search configuration."""
    with transaction.atomic(), connection.cursor() as cursor:
        key = {"agent": agent_id}
        for statement in (LOCK, CLEAR, RESET, LIVE):
            cursor.execute(statement, key)
        post(agent_id, [row[0] for row in cursor.fetchall()])


def _change(statement: str, agent_id: UUID, ids: Sequence[UUID]) -> None:
    values: dict[str, Any] = {"agent": agent_id, "ids": list(ids), "number": len(ids)}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(LOCK, values)
        cursor.execute(statement, values)
