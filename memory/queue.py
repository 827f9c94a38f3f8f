"""The queue's front: what services call to have something done by a worker (SPEC J1).

The queue is a table of the same database, so a row is written inside the caller's transaction: it
is there when what it is about is there, and a rollback leaves neither.
"""

import re
from datetime import datetime
from uuid import UUID, uuid4

from django_q.conf import Conf
from django_q.humanhash import humanize
from django_q.models import OrmQ, Task
from django_q.signing import SignedPackage

TASK_NAME = re.compile(r"(?:[a-z_][a-z0-9_]*\.)+tasks\.[a-z_][a-z0-9_]*")
ARGUMENT_CHARS = 100
"""Enough for an id, a name or an ISO time: what a record says has no place in the queue."""

NOT_BEFORE = "not_before"
"""Key in a row's package: a row for later looks like a row that a worker took."""

_under_way: UUID | None = None


def enqueue(
    task: str, *, now: datetime, run_at: datetime | None = None, **kwargs: str | int
) -> UUID:
    """Have `task` called with `kwargs` by a worker, once this transaction has committed.

    `task` is the dotted path of a function of a `tasks` module. At least once: a task whose worker
    died is called again, with the same id (see `current_task`). Not before `run_at`, when given.
    Returns the task's id. Raises TypeError for arguments that are no ids, names or ISO times, and
    ValueError for such as are too long or for another kind of path.
    """
    if not TASK_NAME.fullmatch(task):
        raise ValueError(f"{task} is not a function of a tasks module")
    for name, value in kwargs.items():
        _check(name, value)
    known_as = uuid4()
    package = {
        "id": known_as.hex,
        "name": humanize(known_as.hex),
        "func": task,
        "args": (),
        "kwargs": kwargs,
        "started": now,
        NOT_BEFORE: run_at,
        # Of a task that is done its own tables tell; django-q2 would lock and read the last 250
        # successes to store one more. Failures are kept.
        "save": False,
    }
    payload = SignedPackage.dumps(package)
    OrmQ.objects.create(key=Conf.CLUSTER_NAME, payload=payload, lock=run_at or now)
    return known_as


def current_task() -> UUID | None:
    """Return the id of the task that this process is doing, None outside a worker.

    It is the same whenever the task is called again, and it is called again only after the worker
    before is known to be dead or is long past its time limit: what a task claimed under this id it
    may take over at once.
    """
    return _under_way


def set_current_task(id: UUID | None) -> None:
    """Note which task begins (a worker does it), or that it has ended."""
    global _under_way  # noqa: PLW0603 - a worker process does one task at a time
    _under_way = id


def is_for_later(row: OrmQ, *, now: datetime) -> bool:
    """Tell whether nobody took a row that is locked: it was queued for a time to come."""
    run_at: datetime | None = row.task.get(NOT_BEFORE)
    return run_at is not None and run_at > now and row.lock == run_at


def forget_failures(*, before: datetime) -> int:
    """Delete what the queue keeps of tasks that failed before a moment; return how many."""
    gone, _ = Task.objects.filter(stopped__lt=before).delete()
    return int(gone)


def _check(name: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise TypeError(f"{name}: a task takes ids, names and ISO times, no {type(value).__name__}")
    if isinstance(value, str) and len(value) > ARGUMENT_CHARS:
        raise ValueError(f"{name} is longer than {ARGUMENT_CHARS} characters: no id and no time")
