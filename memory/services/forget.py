"""Forgetting strategy memory for good: its standing goes, a tombstone stays (SPEC M3, M5).

Deleting by hand and the purge of what expired both end here. Links, `seq`, ledgers and digests stay
whole; content, metadata, tags and salt are gone, the tags out of the ledger, too, and no older
record comes back in its place.

Nearly all of it waits for nobody who writes for the agent, and lets none wait: the tail row, which
every write takes, is taken when all else is done and checked.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from psycopg.types.json import Jsonb

from memory.services import postings
from memory.services.changes import reasoned
from memory.services.standings import Cause
from memory.services.whole import whole

# In the order of ids, so that two of these cannot block each other.
LOCK = """
SELECT record_id FROM memory_standing WHERE agent_id = %(agent)s AND record_id = ANY(%(ids)s)
ORDER BY record_id FOR UPDATE
"""
# What is merged lives and dies with its survivor, through however many mergers.
BEHIND = """
WITH RECURSIVE behind AS (
    SELECT record_id FROM memory_standing WHERE agent_id = %(agent)s AND record_id = ANY(%(ids)s)
    UNION
    SELECT s.record_id FROM behind b JOIN memory_standing s
        ON s.agent_id = %(agent)s AND s.merged_into_id = b.record_id
)
SELECT record_id FROM behind
"""
# The line before ends where the standing stands: the database holds one against the other.
TELL = """
INSERT INTO memory_standing_change (agent_id, record_id, revision, event, before, after,
    cause_kind, cause_id, detail, at)
SELECT s.agent_id, s.record_id, s.revision + 1, 'purged', c.after, NULL, %(cause_kind)s,
    %(cause_id)s, %(detail)s, %(now)s
FROM memory_standing s
JOIN memory_standing_change c ON c.agent_id = s.agent_id AND c.record_id = s.record_id
    AND c.revision = s.revision
WHERE s.agent_id = %(agent)s AND s.record_id = ANY(%(ids)s)
"""
DROP = "DELETE FROM memory_standing WHERE agent_id = %(agent)s AND record_id = ANY(%(ids)s)"
EMPTY = """
UPDATE memory_record SET content = '', metadata = '{}', tags = '{}', content_salt = NULL,
    purged_at = %(now)s
WHERE agent_id = %(agent)s AND id = ANY(%(ids)s) AND purged_at IS NULL
"""
# A ledger's lines tell of tags; the database lets these be taken out of what is purged, once it has
# held the lines against the standing.
UNTAG = """
UPDATE memory_standing_change SET before = jsonb_set(before, '{tags}', '[]'),
    after = jsonb_set(after, '{tags}', '[]')
WHERE agent_id = %(agent)s AND record_id = ANY(%(ids)s)
"""
IS_SHARED = """
SELECT 1 FROM memory_shared WHERE agent_id = %(agent)s AND source_id = ANY(%(ids)s) LIMIT 1
"""
# In the order in which a backtest judges several.
LOCK_SHARED = """
SELECT id FROM memory_shared WHERE agent_id = %(agent)s AND source_id = ANY(%(ids)s)
ORDER BY id FOR UPDATE
"""
# What the database would check at the commit, while the agent's writers wait.
RULES = "standing_in_ledger, ledger_in_standing, record_has_standing"
CHECK = f"SET CONSTRAINTS {RULES} IMMEDIATE"
CHECK_LATER = f"SET CONSTRAINTS {RULES} DEFERRED"
# A write that found its link's target alive before this count moved stores nothing (publish.sql).
END = """
UPDATE memory_agent_tail SET erasures = erasures + 1, text_records = text_records - %(number)s,
    text_length = text_length - %(length)s
WHERE agent_id = %(agent)s
"""


@whole
def forget(
    *,
    agent_id: UUID,
    record_ids: Collection[UUID],
    by: Cause,
    reason: str = "",
    now: datetime,
) -> list[UUID]:
    """Forget strategy memories, and what is merged into them; return the ids of all that went.

    All or nothing, in one transaction. Ids of no standing of the agent are not returned. A `reason`
    is told by the ledger (ValidationFailed: it is too long).
    """
    detail = {"reason": reasoned(reason)} if reason.strip() else {}
    gone = hold(agent_id=agent_id, record_ids=record_ids)
    bury(agent_id=agent_id, record_ids=gone, by=by, detail=detail, now=now)
    return gone


def hold(*, agent_id: UUID, record_ids: Collection[UUID]) -> list[UUID]:
    """Lock standings, and what is merged into them, until the commit; return their ids, sorted.

    Whoever is about to forget, merge or part several holds them by this, so that all lock in one
    order.
    """
    asked = _ids(BEHIND, agent_id, record_ids)
    while True:
        with transaction.atomic():
            held = _ids(LOCK, agent_id, asked)
            # Read again behind the locks: what was merged meanwhile goes along.
            asked = sorted({*held, *_ids(BEHIND, agent_id, held)})
            if asked == held:
                return held
            # Let go of them, and lock the whole in order.
            transaction.set_rollback(True)


def bury(
    *,
    agent_id: UUID,
    record_ids: Sequence[UUID],
    by: Cause,
    detail: dict[str, Any],
    now: datetime,
) -> None:
    """Leave tombstones of standings that the caller holds, with all that is merged into them."""
    if not record_ids:
        return
    values: dict[str, Any] = {
        "agent": agent_id,
        "ids": list(record_ids),
        "number": len(record_ids),
        "cause_kind": by.kind,
        "cause_id": by.id,
        "detail": Jsonb(detail),
        "now": now,
    }
    # While the words and their standings are there: they are found by the text itself.
    values["length"] = postings.take(agent_id, record_ids)
    with connection.cursor() as cursor:
        for statement in (TELL, EMPTY, IS_SHARED):
            cursor.execute(statement, values)
        rest = (DROP, CHECK, CHECK_LATER, UNTAG)
        # Copies go with their standings, and count at a row that all who share take: then nobody
        # is waited for behind that.
        for statement in (END, LOCK_SHARED, *rest) if cursor.fetchone() else (*rest, END):
            cursor.execute(statement, values)


def _ids(statement: str, agent_id: UUID, ids: Collection[UUID]) -> list[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {"agent": agent_id, "ids": list(ids)})
        return [row[0] for row in cursor.fetchall()]
