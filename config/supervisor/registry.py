"""Which clusters live, and which queue rows each of them holds (SPEC J4).

A row that a worker took is out of the queue until its `lock` has passed, ten minutes later. What a
dead cluster or a dead worker held is given back at once; what a living one holds never is.
"""

import os
import socket
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.signing import SignedPackage

from config import ps
from memory import queue
from memory.models import Cluster, QueueClaim

SILENCE = timedelta(seconds=60)
"""A cluster that did not move its `seen_at` for this long is given up by the others."""
SLACK = timedelta(seconds=10)
"""A worker that is at a task for this much longer than the time limit is stopped for good."""

# One statement each: a step of 30 ms has no time for many. The cluster's row is held from the first
# on, so that giving the cluster up finds all claims; an idle queue locks nothing. All workers meet
# at that row, so progress is told to a fifth of a second, and no commit waits for the disk. Any
# that does wait, as that of a step's claim, makes these durable before itself; a server that
# crashes before it forgets who took a row for which nothing was done yet.
TAKE = """
WITH soon AS MATERIALIZED (
    SELECT set_config('synchronous_commit', 'off', true)
), mine AS MATERIALIZED (
    SELECT FROM memory_cluster
    WHERE id = %(cluster)s AND ended_at IS NULL AND EXISTS (
        SELECT FROM django_q_ormq WHERE key = ANY (%(keys)s) AND lock < %(now)s)
    FOR UPDATE
), due AS MATERIALIZED (
    SELECT id, payload, lock FROM django_q_ormq
    WHERE key = ANY (%(keys)s) AND lock < %(now)s AND EXISTS (SELECT FROM mine)
    ORDER BY lock, id LIMIT %(most)s
    FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE django_q_ormq q SET lock = %(again)s FROM due WHERE q.id = due.id
), claimed AS (
    INSERT INTO memory_queue_claim (row_id, cluster_id) SELECT id, %(cluster)s FROM due
    ON CONFLICT (row_id) DO UPDATE
    SET cluster_id = excluded.cluster_id, worker = NULL, worker_until = NULL
)
SELECT due.id, due.payload FROM due, soon ORDER BY due.lock, due.id
"""
NOTE = """
WITH soon AS MATERIALIZED (
    SELECT set_config('synchronous_commit', 'off', true)
), claim AS (
    UPDATE memory_queue_claim SET worker = %(worker)s, worker_until = %(until)s FROM soon
    WHERE row_id = %(row)s AND cluster_id = %(cluster)s
)
UPDATE memory_cluster SET progress_at = %(now)s FROM soon
WHERE id = %(cluster)s AND ended_at IS NULL
    AND coalesce(progress_at <= %(now)s - interval '0.2 s', true)
"""
DONE = """
WITH soon AS MATERIALIZED (
    SELECT set_config('synchronous_commit', 'off', true)
)
DELETE FROM django_q_ormq USING soon WHERE id = %s
"""


def register(cluster: UUID, *, now: datetime) -> None:
    """Enter a cluster that begins, under this process as its supervisor."""
    Cluster.objects.create(
        id=cluster,
        host=socket.gethostname(),
        place=ps.place(),
        supervisor=os.getpid(),
        started_at=now,
        seen_at=now,
    )


def note_group(cluster: UUID, *, group: int) -> None:
    """Say in which process group its workers are."""
    _open(cluster).update(group=group)


def touch(cluster: UUID, *, now: datetime) -> bool:
    """Say that the cluster lives; False when it was given up: it must do nothing any more."""
    return bool(_open(cluster).update(seen_at=now))


def progress_of(cluster: UUID) -> datetime | None:
    """Return when one of its workers last began or ended a task."""
    return Cluster.objects.filter(id=cluster).values_list("progress_at", flat=True).first()


def own_key(cluster: UUID) -> str:
    """Return the queue key of rows for that cluster alone."""
    return f"{Conf.CLUSTER_NAME}@{cluster}"


def ping(cluster: UUID, *, now: datetime) -> None:
    """Queue a task that does nothing for that cluster alone, unless one is waiting."""
    key = own_key(cluster)
    if OrmQ.objects.filter(key=key).exists():
        return
    known_as = uuid4().hex
    package = {
        "id": known_as,
        "name": "ping",
        "func": "memory.tasks.ping",
        "args": (),
        "kwargs": {},
        "started": now,
        "save": False,
    }
    OrmQ.objects.create(key=key, payload=SignedPackage.dumps(package), lock=now)


def take(cluster: UUID, *, most: int, now: datetime) -> list[tuple[int, str]]:
    """Take rows that are due, oldest first, for a cluster: (id, payload) of each.

    Nothing when the cluster was given up. Two clusters never take one row.
    """
    values: dict[str, Any] = {
        "cluster": cluster,
        "keys": [Conf.CLUSTER_NAME, own_key(cluster)],
        "most": most,
        "now": now,
        "again": taken_until(now),
    }
    with connection.cursor() as cursor:
        cursor.execute(TAKE, values)
        return list(cursor.fetchall())


def taken_until(now: datetime) -> datetime:
    """Return until when a row that is taken now is out of the queue: it marks this one taking."""
    return now + timedelta(seconds=Conf.RETRY)


def begin(row: int, *, cluster: UUID, worker: int, now: datetime) -> None:
    """Note which process is at a row, and until when it may be; the cluster makes progress."""
    limit = now + timedelta(seconds=Conf.TIMEOUT) + SLACK if Conf.TIMEOUT else None
    _note(row, cluster=cluster, worker=worker, until=limit, now=now)


def finish(row: int, *, cluster: UUID, now: datetime) -> None:
    """Note that no process is at the row any more: its result is on its way to be stored."""
    _note(row, cluster=cluster, worker=None, until=None, now=now)


def remove(row: int) -> None:
    """Remove the row of a task that is done, and its claim with it."""
    with connection.cursor() as cursor:
        cursor.execute(DONE, [row])


def _note(
    row: int, *, cluster: UUID, worker: int | None, until: datetime | None, now: datetime
) -> None:
    values: dict[str, Any] = {
        "row": row,
        "cluster": cluster,
        "worker": worker,
        "until": until,
        "now": now,
    }
    with connection.cursor() as cursor:
        cursor.execute(NOTE, values)


def workers_at_work(cluster: UUID) -> list[tuple[int, int, datetime | None]]:
    """Return (row, process, until when it may be at it) for each row that is being done."""
    claims = QueueClaim.objects.filter(cluster_id=cluster).order_by("row_id")
    busy = claims.values_list("row_id", "worker", "worker_until")
    return [(row, worker, until) for row, worker, until in busy if worker is not None]


def give_back(row: int, *, cluster: UUID, worker: int, now: datetime) -> bool:
    """Put a row back whose process is dead; False when the claim has changed meanwhile."""
    with transaction.atomic():
        dead, _ = QueueClaim.objects.filter(row_id=row, cluster_id=cluster, worker=worker).delete()
        OrmQ.objects.filter(id=row if dead else None).update(lock=now)
    return bool(dead)


def put_back(cluster: UUID, *, taken_until: datetime, row: int | None = None, now: datetime) -> int:
    """Put back what a cluster took at one moment and no process has: all of it, or one row.

    Returns how many rows; one that was taken again since, by whomever, is left alone.
    """
    claimed = QueueClaim.objects.filter(cluster_id=cluster)
    taken = OrmQ.objects.filter(lock=taken_until, id__in=claimed.values("row_id"))
    if row is not None:
        taken = taken.filter(id=row)
    with transaction.atomic():
        rows = [one.id for one in taken.select_for_update(of=("self",)).order_by("id")]
        claimed.filter(row_id__in=rows).delete()
        OrmQ.objects.filter(id__in=rows).update(lock=now)
    return len(rows)


def end(cluster: UUID, *, ending: str, now: datetime) -> int:
    """Close a cluster none of whose processes runs; return how many rows it gave back."""
    with transaction.atomic():
        _open(cluster).update(ended_at=now, ending=ending)
        OrmQ.objects.filter(key=own_key(cluster)).delete()
        held = QueueClaim.objects.filter(cluster_id=cluster)
        freed: int = OrmQ.objects.filter(id__in=held.values("row_id")).update(lock=now)
        held.delete()
    return freed


def free_unclaimed(*, now: datetime) -> int:
    """Give back rows that were taken without a claim, or under that of a closed cluster.

    The first are left by a cluster that `manage.py worker` did not start. Rows for later are left.
    """
    claims = QueueClaim.objects.filter(row_id=OuterRef("id"))
    open_ = Cluster.objects.filter(ended_at__isnull=True)
    held = Exists(claims.filter(cluster_id__in=open_.values("id")))
    loose = OrmQ.objects.filter(~held, key=Conf.CLUSTER_NAME, lock__gt=now)
    with transaction.atomic():
        rows = loose.select_for_update(skip_locked=True).order_by("id")
        stuck = [row.id for row in rows if not queue.is_for_later(row, now=now)]
        QueueClaim.objects.filter(row_id__in=stuck).delete()
        OrmQ.objects.filter(id__in=stuck).update(lock=now)
    return len(stuck)


def silent(*, now: datetime) -> list[UUID]:
    """Return the clusters that have not said for a while that they live."""
    quiet = Cluster.objects.filter(ended_at__isnull=True, seen_at__lte=now - SILENCE)
    return list(quiet.order_by("seen_at", "id").values_list("id", flat=True))


def dead_here() -> list[UUID]:
    """Return the open clusters of this machine (or container) none of whose processes runs."""
    ours = Cluster.objects.filter(ended_at__isnull=True, place=ps.place(), group__isnull=False)
    groups = ours.order_by("id").values_list("id", "group")
    return [one for one, group in groups if group and not ps.group_is_alive(group)]


def _open(cluster: UUID) -> QuerySet[Cluster]:
    return Cluster.objects.filter(id=cluster, ended_at__isnull=True)
