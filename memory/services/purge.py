"""The purge of strategy memory whose life is over (SPEC M3, J1): batches, each short and whole.

What expired is out of every query at once; the purge comes a grace later, so that it can be
restored until then, and takes nothing that an open session may still read. Rows that somebody else
holds are left for the next time, and a batch that would have to wait gives way: nobody waits for
the purge but for the moment in which a batch is counted and committed. What is done is seen in the
rows themselves: one that was cut off is gone on with by the next.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import batched
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.db import OperationalError, connection, transaction
from psycopg.errors import DeadlockDetected, LockNotAvailable

from memory.errors import NotEnded, NotFound, StandingMerged
from memory.models import Standing
from memory.services.forget import bury, forget, hold
from memory.services.standings import Cause, moving_of
from memory.services.whole import whole

log = structlog.get_logger(__name__)

LOCK_MILLISECONDS = 500
"""So long a batch waits for others at the most: less than the server takes to find a deadlock."""
WINDOW = 10
"""So many batches' worth of rows are looked up at once."""
COUNTED_MOST = 10_000
"""So many rows a gauge counts at the most."""

# A run without a deadline is a session's, and a session reads memory as it was when it began.
_HELD = """EXISTS (SELECT 1 FROM memory_run r WHERE r.agent_id = s.agent_id
    AND r.status = 'running' AND r.deadline_at IS NULL AND r.started_at < s.expires_at)"""
_OVER = "s.merged_into_id IS NULL AND s.expires_at <= %(until)s"
_DUE = f"{_OVER} AND NOT {_HELD}"
_AGENTS = "(%(agents)s::uuid[] IS NULL OR s.agent_id = ANY(%(agents)s))"
NEXT = f"""
SELECT s.agent_id, s.record_id, s.expires_at FROM memory_standing s
WHERE {_DUE} AND {_AGENTS} AND (s.expires_at, s.record_id) > (%(past)s, %(past_id)s)
ORDER BY s.expires_at, s.record_id LIMIT %(most)s
"""  # noqa: S608 - the parts are constants, here and below
# Asked again of the row as it is behind the lock: it may have been restored or merged meanwhile.
LOCK = f"""
SELECT s.record_id FROM memory_standing s
WHERE s.agent_id = %(agent)s AND s.record_id = ANY(%(ids)s) AND {_DUE}
ORDER BY s.record_id FOR UPDATE OF s SKIP LOCKED
"""  # noqa: S608
# Pairs (survivor, member): what is merged lives and dies with its survivor.
BEHIND = """
WITH RECURSIVE behind AS (
    SELECT s.record_id AS root, s.record_id FROM memory_standing s
    WHERE s.agent_id = %(agent)s AND s.record_id = ANY(%(ids)s)
    UNION
    SELECT b.root, s.record_id FROM behind b JOIN memory_standing s
        ON s.agent_id = %(agent)s AND s.merged_into_id = b.record_id
)
SELECT root, record_id FROM behind WHERE root <> record_id ORDER BY root, record_id
"""
LOCK_BEHIND = """
SELECT s.record_id FROM memory_standing s
WHERE s.agent_id = %(agent)s AND s.record_id = ANY(%(ids)s)
ORDER BY s.record_id FOR UPDATE SKIP LOCKED
"""
BACKLOG = f"""
WITH RECURSIVE gone AS (
    SELECT s.agent_id, s.record_id, s.type, s.expires_at AS over_at, {_HELD} AS held
    FROM memory_standing s WHERE {_OVER} AND {_AGENTS}
    UNION
    SELECT s.agent_id, s.record_id, s.type, g.over_at, g.held
    FROM gone g JOIN memory_standing s
        ON s.agent_id = g.agent_id AND s.merged_into_id = g.record_id
)
SELECT g.agent_id, a.name, g.type, count(*) FILTER (WHERE NOT g.held),
    min(g.over_at) FILTER (WHERE NOT g.held), count(*) FILTER (WHERE g.held)
FROM gone g JOIN memory_agent a ON a.id = g.agent_id
GROUP BY g.agent_id, a.name, g.type ORDER BY a.name, g.agent_id, g.type
"""  # noqa: S608
COUNT = f"""
SELECT count(*), min(d.expires_at) FROM (
    SELECT s.expires_at FROM memory_standing s WHERE {_DUE} AND {_AGENTS}
    ORDER BY s.expires_at LIMIT {COUNTED_MOST}) d
"""  # noqa: S608


@dataclass(slots=True)
class Purged:
    """What a purge did. `given_way`: batches that met others' locks and were left for the next."""

    rows: int = 0
    batches: int = 0
    given_way: int = 0
    is_done: bool = True


@dataclass(frozen=True, slots=True)
class Due:
    """How many memories of an agent's tier the purge would take, and since when the oldest is over.

    Merged ones count with their survivors. `held` ones wait for the end of open sessions.
    """

    agent: UUID
    name: str
    type: str
    due: int
    oldest: datetime | None
    held: int


def purge(
    *,
    by: Cause,
    now: datetime,
    grace: timedelta | None = None,
    agent_id: UUID | None = None,
    most: int | None = None,
    told: Callable[[int], None] | None = None,
) -> Purged:
    """Forget what expired a grace ago or earlier, the longest expired first.

    `now` comes from a clock that is not ahead (`services/clock.py`): what goes is gone for good.
    `grace`: the installation's, when None. `most`: stop after about so many rows, with `is_done`
    false when there may be others. `told` is told the rows of each batch.
    """
    values: dict[str, Any] = {
        "until": now - (default_grace() if grace is None else grace),
        "agents": None if agent_id is None else [agent_id],
    }
    done = Purged()
    for agent, ids in _groups(values):
        left = ids
        while left:
            if most is not None and done.rows >= most:
                done.is_done = False
                return done
            try:
                gone, left = _batch(agent, left, {**values, "by": by, "now": now})
            except OperationalError as error:
                if not isinstance(error.__cause__, LockNotAvailable | DeadlockDetected):
                    raise
                log.info("purge_gave_way", agent=str(agent), rows=len(left))
                done.given_way += 1
                break
            if gone:
                done.rows, done.batches = done.rows + gone, done.batches + 1
            if gone and told is not None:
                told(gone)
    return done


@whole
def purge_now(
    *, agent_id: UUID, record_id: UUID, by: Cause, reason: str, now: datetime
) -> list[UUID]:
    """Forget a memory whose life is over without waiting for its grace; return all that went.

    NotFound: no such standing. NotEnded. StandingMerged: it goes with its survivor.
    """
    # Until the commit nobody restores it.
    hold(agent_id=agent_id, record_ids=[record_id])
    standing = Standing.objects.filter(agent_id=agent_id, record_id=record_id).first()
    if standing is None:
        raise NotFound("there is no such standing for this agent")
    if standing.merged_into_id is not None:
        raise StandingMerged("this memory is merged into another, and goes with it")
    if moving_of(standing).is_live(now=now):
        raise NotEnded("this memory has not ended: only what is over is purged")
    return forget(agent_id=agent_id, record_ids=[record_id], by=by, reason=reason, now=now)


def backlog(
    *, now: datetime, grace: timedelta | None = None, agent_id: UUID | None = None
) -> list[Due]:
    """Return what a purge would take, by agent and tier. It reads all of that."""
    values = {
        "until": now - (default_grace() if grace is None else grace),
        "agents": None if agent_id is None else [agent_id],
    }
    with connection.cursor() as cursor:
        cursor.execute(BACKLOG, values)
        return [Due(*row) for row in cursor.fetchall()]


def waiting(*, agents: Sequence[UUID] | None, now: datetime) -> tuple[int, datetime | None]:
    """Return how many memories a purge would find (`COUNTED_MOST` at the most), and the oldest end.

    `agents` None: of all.
    """
    values = {
        "until": now - default_grace(),
        "agents": None if agents is None else list(agents),
    }
    with connection.cursor() as cursor:
        cursor.execute(COUNT, values)
        number, oldest = cursor.fetchone()
    return number, oldest


def default_grace() -> timedelta:
    """Return how long after its end a memory can be restored."""
    return timedelta(hours=settings.PURGE_GRACE_HOURS)


def _groups(values: dict[str, Any]) -> Iterator[tuple[UUID, list[UUID]]]:
    """Yield an agent and some of its rows that are due, the longest expired first.

    A window is read at once, so that the rows of agents that take turns make batches.
    """
    place: dict[str, Any] = {"past": "-infinity", "past_id": UUID(int=0)}
    most = settings.PURGE_BATCH * WINDOW
    while True:
        with connection.cursor() as cursor:
            cursor.execute(NEXT, {**values, **place, "most": most})
            rows = cursor.fetchall()
        groups: dict[UUID, list[UUID]] = {}
        for agent, id_, _ in rows:
            groups.setdefault(agent, []).append(id_)
        for agent, ids in groups.items():
            for part in batched(ids, settings.PURGE_BATCH):
                yield agent, list(part)
        if len(rows) < most:
            return
        place = {"past": rows[-1][2], "past_id": rows[-1][1]}


def _batch(agent: UUID, ids: Sequence[UUID], values: dict[str, Any]) -> tuple[int, list[UUID]]:
    """Forget some rows in one transaction; return how many went, and what it had no room for."""
    asked = {"agent": agent, "ids": list(ids), "until": values["until"]}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = {LOCK_MILLISECONDS}")
        cursor.execute(LOCK, asked)
        roots = [row[0] for row in cursor.fetchall()]
        # Behind the locks: nobody merges anything into these any more.
        cursor.execute(BEHIND, {**asked, "ids": roots})
        behind: dict[UUID, list[UUID]] = {root: [] for root in roots}
        for root, member in cursor.fetchall():
            behind[root].append(member)
        members = [member for found in behind.values() for member in found]
        cursor.execute(LOCK_BEHIND, {**asked, "ids": members})
        free = {row[0] for row in cursor.fetchall()}
        gone, left = _fitting(
            {root: found for root, found in behind.items() if free.issuperset(found)}
        )
        bury(agent_id=agent, record_ids=sorted(gone), by=values["by"], detail={}, now=values["now"])
    return len(gone), left


def _fitting(behind: dict[UUID, list[UUID]]) -> tuple[list[UUID], list[UUID]]:
    """Return what makes one batch, and the survivors that are left for the next.

    A survivor and all that is merged into it go together, however many they are.
    """
    gone: list[UUID] = []
    left: list[UUID] = []
    for root, members in behind.items():
        if gone and len(gone) + 1 + len(members) > settings.PURGE_BATCH:
            left.append(root)
        else:
            gone += [root, *members]
    return gone, left
