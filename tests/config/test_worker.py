"""Which cluster holds which row: nothing is taken twice, nothing of the living given away (J4)."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from io import StringIO
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.core.management import call_command
from django.db import Error, connection, transaction
from django_q.models import OrmQ

from config.supervisor import registry
from memory.ids import new_id
from memory.models import Cluster, QueueClaim
from memory.queue import enqueue

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.spec("J4")]
SECOND = timedelta(seconds=1)
DEAD_GROUP = 2**22 + 1
"""Above the largest process id that a system gives."""


def cluster(now: datetime, *, group: int | None = None) -> UUID:
    """Register a cluster of this machine."""
    made = new_id()
    registry.register(made, now=now)
    if group is not None:
        registry.note_group(made, group=group)
    return made


def rows(number: int, *, now: datetime) -> list[int]:
    """Queue rows that are due; return their ids."""
    for _ in range(number):
        enqueue("memory.tasks.ping", now=now - SECOND)
    return list(OrmQ.objects.order_by("id").values_list("id", flat=True))


def taken(by: UUID, *, now: datetime, most: int = 1) -> list[int]:
    return [row for row, _ in registry.take(by, most=most, now=now)]


def unstick() -> dict[str, Any]:
    out = StringIO()
    call_command("queue", "unstick", "--json", stdout=out)
    told: dict[str, Any] = json.loads(out.getvalue())
    return told


def test_two_clusters_never_take_one_row(now: datetime) -> None:
    clusters = [cluster(now) for _ in range(4)]
    ids = rows(40, now=now)

    def drain(who: UUID) -> list[int]:
        found: list[int] = []
        while got := taken(who, now=now):
            found += got
        connection.close()
        return found

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(drain, clusters))
    assert sorted(row for its in found for row in its) == ids
    for who, its in zip(clusters, found, strict=True):
        claims = QueueClaim.objects.filter(cluster_id=who).values_list("row_id", flat=True)
        assert sorted(claims) == sorted(its)


def test_rows_are_taken_oldest_first_and_come_back_after_the_retry_time(now: datetime) -> None:
    mine = cluster(now)
    first, second = rows(2, now=now)
    OrmQ.objects.filter(id=first).update(lock=now - SECOND / 2)
    assert taken(mine, now=now, most=2) == [second, first]
    assert taken(mine, now=now + timedelta(seconds=600)) == []
    other = cluster(now)
    assert taken(other, now=now + timedelta(seconds=601), most=2) == [first, second]
    assert set(QueueClaim.objects.values_list("cluster_id", flat=True)) == {other}


def test_a_row_for_one_cluster_is_taken_by_no_other_and_waits_once(now: datetime) -> None:
    mine, other = cluster(now), cluster(now)
    for _ in range(3):
        registry.ping(mine, now=now - SECOND)
    assert taken(other, now=now) == []
    assert len(taken(mine, now=now, most=9)) == 1


def test_a_cluster_that_was_given_up_can_do_nothing_any_more(now: datetime) -> None:
    mine = cluster(now)
    rows(1, now=now)
    registry.end(mine, ending="died", now=now)
    assert taken(mine, now=now) == []
    assert registry.touch(mine, now=now + SECOND) is False
    registry.begin(0, cluster=mine, worker=1, now=now + SECOND)
    assert Cluster.objects.get().progress_at is None


def test_ending_a_cluster_gives_its_rows_back_and_no_other_ones(now: datetime) -> None:
    mine, other = cluster(now), cluster(now)
    first, second, third = rows(3, now=now)
    assert taken(mine, now=now) == [first]
    assert taken(other, now=now) == [second]
    registry.begin(second, cluster=other, worker=1, now=now)
    registry.ping(mine, now=now)
    assert registry.end(mine, ending="died", now=now - SECOND / 2) == 1
    assert taken(other, now=now, most=9) == [third, first]
    assert OrmQ.objects.count() == 3
    assert registry.workers_at_work(other)[0][0] == second


def test_a_dead_workers_row_is_given_back_unless_somebody_has_it_meanwhile(now: datetime) -> None:
    mine, other = cluster(now), cluster(now)
    (row,) = rows(1, now=now)
    assert taken(mine, now=now) == [row]
    registry.begin(row, cluster=mine, worker=77, now=now)
    ((_, worker, until),) = registry.workers_at_work(mine)
    assert (worker, until) == (77, now + timedelta(seconds=120) + registry.SLACK)
    assert registry.give_back(row, cluster=mine, worker=78, now=now) is False
    assert registry.give_back(row, cluster=mine, worker=77, now=now - SECOND) is True
    assert taken(other, now=now) == [row]
    assert registry.give_back(row, cluster=mine, worker=77, now=now) is False
    registry.begin(row, cluster=mine, worker=77, now=now)
    assert registry.workers_at_work(other) == []
    registry.finish(row, cluster=other, now=now)
    assert QueueClaim.objects.get().cluster_id == other


def test_a_claim_goes_with_its_row(now: datetime) -> None:
    mine = cluster(now)
    (row,) = rows(1, now=now)
    assert taken(mine, now=now) == [row]
    OrmQ.objects.filter(id=row).delete()
    assert not QueueClaim.objects.exists()


def test_unsticking_gives_back_what_the_dead_hold_and_leaves_the_living_and_the_later(
    now: datetime,
) -> None:
    living = cluster(now)
    dead = cluster(now, group=DEAD_GROUP)
    silent = cluster(now - registry.SILENCE)
    ids = rows(4, now=now)
    held = [taken(who, now=now)[0] for who in (living, dead, silent)]
    assert held == ids[:3]
    # Taken by a cluster that left no claim.
    OrmQ.objects.filter(id=ids[3]).update(lock=now + timedelta(minutes=5))
    enqueue("memory.tasks.ping", now=now, run_at=now + timedelta(minutes=5))
    assert unstick() == {"clusters_ended": 2, "rows_freed": 3}
    locked = OrmQ.objects.filter(lock__gt=now).order_by("id").values_list("id", flat=True)
    assert list(locked) == [ids[0], ids[3] + 1]
    assert QueueClaim.objects.get().cluster_id == living
    assert unstick() == {"clusters_ended": 0, "rows_freed": 0}


def test_the_command_tells_how_the_queue_is(
    now: datetime, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    mine = cluster(now)
    rows(2, now=now)
    taken(mine, now=now)
    out = StringIO()
    call_command("queue", "status", stdout=out)
    assert out.getvalue().startswith(
        "The queue makes no progress.\nrows      1 due, 1 held by workers, 0 for later"
    )
    registry.finish(0, cluster=mine, now=now)
    out = StringIO()
    with django_assert_max_num_queries(8):
        call_command("queue", "status", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert (told["alive"], told["queue"]["clusters"]) == (True, 1)


def test_a_time_limit_without_a_worker_is_refused(now: datetime) -> None:
    mine = cluster(now)
    (row,) = rows(1, now=now)
    taken(mine, now=now)
    sql = "UPDATE memory_queue_claim SET worker_until = now() WHERE row_id = %s"
    with pytest.raises(Error) as refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, [row])
    assert isinstance(refused.value.__cause__, psycopg.Error)
    assert refused.value.__cause__.diag.constraint_name == "queue_claim_limit_is_a_workers"
