"""What an agent has shared: each copy against its lines, its source and its words (SPEC M8)."""

from collections.abc import Iterator
from uuid import UUID

from django.db import connection

from memory.models import SharedMemory
from memory.policies.community import replay
from memory.policies.standing import BrokenLedger
from memory.services.copies import WORDS, state_of
from memory.services.verification.faults import Fault

SHOWN = 100
"""How many faults of one kind are named for an agent."""

_CHECKS = {
    "copies": (
        "its copy does not say what it says, or it is private, merged or gone",
        """
        SELECT c.source_id FROM memory_shared c
        JOIN memory_agent a ON a.id = c.agent_id
        LEFT JOIN memory_standing s ON s.agent_id = c.agent_id AND s.record_id = c.source_id
        LEFT JOIN memory_record r ON r.agent_id = c.agent_id AND r.id = c.source_id
        WHERE c.agent_id = %(agent)s AND (
            s.visibility = 'community' AND s.merged_into_id IS NULL AND r.content = c.content
            AND a.node_uuid = c.source_node_uuid
            AND (s.type, s.symbol_id, s.strategy_type, s.outcome) IS NOT DISTINCT FROM
                (c.type, c.symbol_id, c.strategy_type, c.outcome)) IS NOT TRUE
        """,
    ),
    "copy_words": (
        "the words of its copy are not posted, or otherwise than they are",
        f"""
        WITH {WORDS},
        told AS (
            SELECT shared_id, lexeme, tf,
                (sum(tf) OVER (PARTITION BY shared_id))::int AS len
            FROM words JOIN memory_shared c ON c.id = shared_id AND c.agent_id = %(agent)s
        ),
        stored AS (
            SELECT t.shared_id, t.lexeme, t.tf::int, t.len
            FROM memory_shared_term t
            JOIN memory_shared c ON c.id = t.shared_id AND c.agent_id = %(agent)s
        )
        SELECT DISTINCT c.source_id FROM (
            (TABLE told EXCEPT TABLE stored) UNION ALL (TABLE stored EXCEPT TABLE told)) x
        JOIN memory_shared c ON c.id = x.shared_id
        """,  # noqa: S608 - WORDS is a constant
    ),
}
_COUNTS = """
SELECT coalesce(t.text_records, 0), coalesce(t.text_length, 0), c.records, p.length
FROM (SELECT count(*) AS records FROM memory_shared) c
CROSS JOIN (SELECT coalesce(sum(tf), 0) AS length FROM memory_shared_term) p
LEFT JOIN memory_shared_tail t ON t.id = 1
"""


def faults(agent_id: UUID) -> Iterator[Fault]:
    """Yield memories whose copies are not what they must be."""
    copies = SharedMemory.objects.filter(agent_id=agent_id).prefetch_related("changes")
    for copy in copies.order_by("id").iterator(chunk_size=500):
        if problem := _replayed(copy):
            yield Fault("copies", agent_id, copy.source_id, problem)
    for check, (what, statement) in _CHECKS.items():
        with connection.cursor() as cursor:
            cursor.execute(f"{statement} ORDER BY 1 LIMIT {SHOWN}", {"agent": agent_id})
            for (record_id,) in cursor.fetchall():
                yield Fault(check, agent_id, record_id, what)


def counts() -> Iterator[Fault]:
    """Yield that the counts of all copies are not what there is."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS)
        ((records, length, copies, words),) = cursor.fetchall()
    if (records, length) != (copies, words):
        what = f"the counts say {records} copies of {length} words, there are {copies} of {words}"
        yield Fault("copy_words", None, None, what)


def _replayed(copy: SharedMemory) -> str | None:
    """Return what is wrong between a copy and its lines."""
    lines = sorted(copy.changes.all(), key=lambda line: line.revision)
    try:
        told = replay([(line.revision, line.before, line.after) for line in lines])
    except (BrokenLedger, KeyError, TypeError, ValueError, ArithmeticError) as error:
        return f"the lines of its copy cannot be replayed: {error}"
    if told != state_of(copy) or copy.revision != len(lines):
        return "its copy is not where its lines end"
    return None
