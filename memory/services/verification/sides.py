"""Rows beside the records that repeat something of them, against what they repeat."""

from collections.abc import Iterator
from uuid import UUID

from django.db import connection

from memory.services.verification.faults import Fault

SHOWN = 100
"""How many faults of one kind are named for an agent."""

_CHECKS = {
    "merges": (
        "it is merged into one that is merged itself",
        """
        SELECT s.record_id FROM memory_standing s
        JOIN memory_standing o ON o.agent_id = s.agent_id AND o.record_id = s.merged_into_id
        WHERE s.agent_id = %(agent)s AND o.merged_into_id IS NOT NULL
        """,
    ),
    "targets": (
        "a target says another type, time, producer or lane than its record",
        """
        SELECT DISTINCT r.id FROM memory_target t
        JOIN memory_record r ON r.agent_id = t.agent_id AND r.id = t.record_id
        WHERE t.agent_id = %(agent)s AND ((t.type, t.created_at) <> (r.type, r.created_at)
            OR (t.producer_id, t.originals_hash) IS DISTINCT FROM (r.producer_id, r.originals_hash))
        """,
    ),
    "record_tags": (
        "the table of records by tag has other rows than its record has tags",
        """
        WITH told AS (
            SELECT r.id AS record_id, t.tag, r.created_at
            FROM memory_record r CROSS JOIN unnest(r.tags) AS t(tag)
            WHERE r.agent_id = %(agent)s
        ),
        stored AS (
            SELECT record_id, tag, created_at FROM memory_record_tag WHERE agent_id = %(agent)s
        )
        SELECT DISTINCT record_id FROM (
            (TABLE told EXCEPT TABLE stored) UNION ALL (TABLE stored EXCEPT TABLE told)) x
        """,
    ),
    "links": (
        "a link leads to a record that is not older",
        """
        SELECT DISTINCT s.id FROM memory_link l
        JOIN memory_record s ON s.agent_id = l.agent_id AND s.id = l.source_id
        JOIN memory_record t ON t.agent_id = l.agent_id AND t.id = l.target_id
        WHERE l.agent_id = %(agent)s AND t.seq >= s.seq
        """,
    ),
    "runs": (
        "its run is of another producer",
        """
        SELECT r.id FROM memory_record r
        JOIN memory_run u ON u.agent_id = r.agent_id AND u.id = r.run_id
        WHERE r.agent_id = %(agent)s AND u.producer_id IS DISTINCT FROM r.producer_id
        """,
    ),
    "record tags": (
        "the table of records' tags has other rows than it has tags",
        """
        WITH told AS (
            SELECT DISTINCT t.tag COLLATE "C" AS tag, r.created_at, r.id AS record_id
            FROM memory_record r CROSS JOIN unnest(r.tags) AS t(tag)
            WHERE r.agent_id = %(agent)s AND r.purged_at IS NULL
        ),
        stored AS (
            SELECT tag, created_at, record_id FROM memory_record_tag WHERE agent_id = %(agent)s
        )
        SELECT DISTINCT record_id FROM (
            (TABLE told EXCEPT TABLE stored) UNION ALL (TABLE stored EXCEPT TABLE told)) x
        """,
    ),
    "tags": (
        "the tag table has other rows than its standing",
        """
        WITH told AS (
            SELECT s.record_id, t.tag, s.type, coalesce(s.symbol_id, '') AS symbol,
                coalesce(s.strategy_type, '') AS strategy_type, s.relevance_score AS relevance,
                s.confidence, s.created_at, coalesce(s.expires_at, 'infinity') AS expires_at
            FROM memory_standing s
            CROSS JOIN unnest(CASE WHEN s.tags = '{}' THEN ARRAY[''] ELSE s.tags END) AS t(tag)
            WHERE s.agent_id = %(agent)s AND s.merged_into_id IS NULL
        ),
        stored AS (
            SELECT record_id, tag, type, symbol, strategy_type, relevance, confidence, created_at,
                expires_at
            FROM memory_tag WHERE agent_id = %(agent)s
        )
        SELECT DISTINCT record_id FROM (
            (TABLE told EXCEPT TABLE stored) UNION ALL (TABLE stored EXCEPT TABLE told)) x
        """,
    ),
}


def faults(agent_id: UUID) -> Iterator[Fault]:
    """Yield records beside which something else is said."""
    for check, (what, statement) in _CHECKS.items():
        with connection.cursor() as cursor:
            cursor.execute(f"{statement} ORDER BY 1 LIMIT {SHOWN}", {"agent": agent_id})
            for (record_id,) in cursor.fetchall():
                yield Fault(check, agent_id, record_id, what)
