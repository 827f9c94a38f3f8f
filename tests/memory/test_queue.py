"""A queue row is written with what it is about, or not at all (SPEC J1, J2)."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.db import transaction
from django_q.brokers import get_broker
from django_q.models import OrmQ

from memory import queue

TASK = "memory.tasks.heartbeat"
SESSION = "019a0000-0000-7000-8000-000000000000"


class Abandoned(Exception):
    """Ends a transaction without its effects."""


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("J1", "J2")
def test_a_rolled_back_transaction_leaves_no_queue_row(now: datetime) -> None:
    def write() -> None:
        queue.enqueue(TASK, now=now, session=SESSION)
        assert OrmQ.objects.count() == 1
        raise Abandoned

    with pytest.raises(Abandoned):
        transaction.atomic(write)()
    assert OrmQ.objects.count() == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("J1")
def test_a_committed_row_is_what_the_cluster_takes(now: datetime) -> None:
    with transaction.atomic():
        known_as = queue.enqueue(TASK, now=now - timedelta(seconds=1), session=SESSION, number=3)
    (row,) = OrmQ.objects.all()
    assert row.task["func"] == TASK
    assert row.task["kwargs"] == {"session": SESSION, "number": 3}
    assert UUID(row.task["id"]) == known_as
    assert [pk for pk, _ in get_broker().dequeue()] == [row.pk]


@pytest.mark.django_db
@pytest.mark.spec("J1")
def test_a_row_for_later_is_not_taken_before(now: datetime) -> None:
    queue.enqueue(TASK, now=now, run_at=now + timedelta(minutes=1))
    assert get_broker().queue_size() == 0
    (row,) = OrmQ.objects.all()
    assert row.lock == now + timedelta(minutes=1)


@pytest.mark.django_db
@pytest.mark.spec("J1")
def test_enqueuing_is_one_statement(now: datetime, django_assert_num_queries: object) -> None:
    with django_assert_num_queries(1):  # type: ignore[operator]  # a context manager, untyped
        queue.enqueue(TASK, now=now, session=SESSION)


@pytest.mark.django_db
@pytest.mark.spec("J2")
@pytest.mark.parametrize("value", [None, True, 1.5, b"x", [SESSION], {"a": 1}, UUID(SESSION)])
def test_an_argument_that_is_no_id_and_no_text_is_refused(now: datetime, value: object) -> None:
    with pytest.raises(TypeError, match="no " + type(value).__name__):
        queue.enqueue(TASK, now=now, subject=value)  # type: ignore[arg-type]  # the point
    assert OrmQ.objects.count() == 0


@pytest.mark.django_db
@pytest.mark.spec("J2")
def test_a_text_that_is_too_long_for_an_id_is_refused(now: datetime) -> None:
    with pytest.raises(ValueError, match="no id and no time"):
        queue.enqueue(TASK, now=now, content="x" * 101)
    assert OrmQ.objects.count() == 0


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["os.system", "memory.services.publish.publish", "tasks.x", "memory.tasks.a b", ""]
)
def test_only_functions_of_tasks_modules_are_called(now: datetime, path: str) -> None:
    with pytest.raises(ValueError, match="not a function of a tasks module"):
        queue.enqueue(path, now=now)
    assert OrmQ.objects.count() == 0


def test_outside_a_worker_there_is_no_current_task() -> None:
    assert queue.current_task() is None
