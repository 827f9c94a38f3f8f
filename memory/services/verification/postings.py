"""Postings against the words of what is stored, and the counts on the tail row against both."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection

from memory.models import AgentTail
from memory.selectors.stored import StoredRecord
from memory.services.postings import WORDS
from memory.services.verification.faults import Fault

SHOWN = 100
"""How many rows that belong to nothing are named."""

_EXPECTED = f"""
WITH {WORDS},
expected AS (
    SELECT record_id, lexeme, tf, sum(tf) OVER (PARTITION BY record_id) AS len FROM words
)
"""  # noqa: S608 - WORDS is a constant
_COMPARED = f"""
{_EXPECTED}
SELECT e.record_id, count(t.record_id), sum(e.tf),
    count(*) FILTER (WHERE (t.tf, t.len) IS DISTINCT FROM (e.tf, e.len::int))
FROM expected e
LEFT JOIN memory_term t ON t.agent_id = %(agent)s AND t.lexeme = e.lexeme
    AND t.record_id = e.record_id
GROUP BY e.record_id
"""  # noqa: S608 - as above
_STRAY = f"""
{_EXPECTED}
SELECT t.record_id, count(*) FROM memory_term t
WHERE t.agent_id = %(agent)s AND NOT EXISTS (
    SELECT 1 FROM expected e WHERE e.record_id = t.record_id AND e.lexeme = t.lexeme)
GROUP BY t.record_id ORDER BY t.record_id LIMIT {SHOWN}
"""  # noqa: S608 - as above


@dataclass(slots=True)
class Counted:
    """What the records of an agent come to: live ones, rows of postings found, words in all."""

    records: int = 0
    rows: int = 0
    length: int = 0


def of_batch(agent_id: UUID, batch: Sequence[StoredRecord], counted: Counted) -> Iterator[Fault]:
    """Yield records whose words are not all posted as they are, and count."""
    live = [record.id for record in batch if record.purged_at is None]
    counted.records += len(live)
    with connection.cursor() as cursor:
        cursor.execute(_COMPARED, {"agent": agent_id, "ids": live})
        for record_id, rows, length, wrong in cursor.fetchall():
            counted.rows += rows
            counted.length += length
            if wrong:
                what = f"{wrong} of its words are not posted, or otherwise than they are"
                yield Fault("postings", agent_id, record_id, what)


def of_agent(agent_id: UUID, tail: AgentTail, counted: Counted) -> Iterator[Fault]:
    """Yield postings that belong to nothing, and counts that are not what there is."""
    values: dict[str, Any] = {"agent": agent_id}
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memory_term WHERE agent_id = %(agent)s", values)
        if cursor.fetchone()[0] != counted.rows:
            cursor.execute(
                "SELECT array_agg(id) FROM memory_record"
                " WHERE agent_id = %(agent)s AND purged_at IS NULL",
                values,
            )
            cursor.execute(_STRAY, values | {"ids": cursor.fetchone()[0] or []})
            for record_id, rows in cursor.fetchall():
                what = f"{rows} words are posted that it does not say, or it is erased or gone"
                yield Fault("postings", agent_id, record_id, what)
    there = (tail.text_records, tail.text_length)
    if there != (counted.records, counted.length):
        yield Fault(
            "postings",
            agent_id,
            None,
            f"the tail row counts {there[0]} texts of {there[1]} words, there are "
            f"{counted.records} of {counted.length}",
        )
