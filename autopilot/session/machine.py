"""The machine of a session: one step at a time, whole or not at all (SPEC A11).

A step is claimed in a short transaction, works with none open, and is stored in one: effects,
events, the step itself, the next step and its queue row. That transaction holds the rows of session
and step, and begins by looking whether the claim is still this worker's. So a worker may die at any
moment, and two may be at one step: its effects are stored once, by whoever holds the claim.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import Q

from autopilot.llm.port import Provider
from autopilot.models import Session, Step
from autopilot.models.sessions import OPEN
from autopilot.session import ending
from autopilot.session.work import Book, End, Job, Next, Steps, Work
from memory.errors import StoreFault, TidebookError, Unavailable
from memory.ids import new_id
from memory.queue import enqueue
from memory.services.standings import StandingMoved

RUN_STEP = "autopilot.tasks.run_step"
TRIES = 3
"""How often a step may end in an error that nobody foresaw."""
RETRY_AFTER = timedelta(seconds=2)

# Each step reads both rows twice: as querysets that costs a tenth of its CPU time. Not FOR UPDATE:
# inserts that refer to the session need not wait for it.
LOCK_SESSION = "SELECT * FROM autopilot_session WHERE id = %s FOR NO KEY UPDATE"
LOCK_STEP = "SELECT * FROM autopilot_step WHERE session_id = %s AND number = %s FOR NO KEY UPDATE"

BROKEN_WIRE = (OperationalError, InterfaceError)
"""The database went away, or broke a deadlock: no fault of the step, and not counted as a try."""
PASSING = (Unavailable, StoreFault, StandingMoved)
"""Anticipated failures that may be gone at the next try."""

log = structlog.get_logger(__name__)

type Clock = Callable[[], datetime]


class StepTaken(Exception):
    """The step is another worker's by now, or it is over."""


def run(
    *,
    session_id: UUID,
    number: int,
    clock: Clock,
    provider: Provider,
    steps: Steps,
    task: UUID | None = None,
) -> bool:
    """Take a step of a session: tell whether this call stored its effects.

    A step that is done, or that another worker holds, is left alone: a queue row may come twice.
    `clock` is read when the step is claimed and when it is stored. `task` is the queue's id of
    this call, if any. Nothing is raised for a step that fails: it is tried again, or its session
    ends as failed. Only where the database is away, its error is raised: the queue calls the same
    task again when it is back, and that call takes the claim over.
    """
    job = claim(session_id=session_id, number=number, provider=provider, task=task, now=clock())
    if job is None:
        return False
    known = log.bind(session=str(session_id), step=f"{number} {job.name}")
    try:
        work = _work_of(job, steps)
        with transaction.atomic():
            _store(job, work, now=clock())
    except StepTaken:
        known.warning("the claim was lost; nothing of the step is stored")
        return False
    except Exception as error:  # noqa: BLE001 - whatever it is, the session must go on or end
        known.warning("the step failed", exc_info=not isinstance(error, TidebookError))
        _stumble(job, error, clock=clock)
        return False
    return True


def claim(
    *, session_id: UUID, number: int, provider: Provider, task: UUID | None = None, now: datetime
) -> Job | None:
    """Claim a step that is due, or whose worker's lease ran out; None when it is neither.

    The queue calls a task again, by the same id, only when its worker is gone: what that one
    claimed is then free before its lease is over.
    """
    claim_id = task or new_id()
    with transaction.atomic():
        # The session first, here and in all that ends a step: nobody waits in a circle.
        session = _locked(session_id)
        if session is None or session.status not in OPEN:
            return None
        step = _locked_step(session_id, number)
        if step is None or not is_free(step, task=task, now=now):
            return None
        step.status, step.claim = "claimed", claim_id
        step.lease_until = now + timedelta(seconds=settings.STEP_LEASE_SECONDS)
        step.started_at = now
        step.save(update_fields=["status", "claim", "lease_until", "started_at"])
        if session.status == "queued":
            session.status, session.started_at = "running", now
            session.save(update_fields=["status", "started_at"])
    return Job(
        session=session,
        number=number,
        name=step.name,
        iteration=step.iteration,
        claim=claim_id,
        now=now,
        provider=provider,
    )


def first_step(*, session: Session, now: datetime) -> None:
    """Make the first step of a new session due, within the transaction that makes the session."""
    _make_due(session, Next(name="resolve", iteration=0), number=1, now=now)


def requeue_lost(*, now: datetime) -> int:
    """Queue again what no worker is at: steps whose lease ran out or whose queue row is lost.

    A row is taken for lost once its step has been due for as long as a lease. To queue one twice
    does no harm. Returns how many steps were queued.
    """
    lost = 0
    overdue = now - timedelta(seconds=settings.STEP_LEASE_SECONDS)
    with transaction.atomic():
        # A step whose row is locked is being claimed or stored just now.
        for step in (
            Step.objects.select_for_update(no_key=True, skip_locked=True)
            .filter(
                Q(status="due", due_at__lte=overdue) | Q(status="claimed", lease_until__lte=now)
            )
            .order_by("session_id", "number")
        ):
            step.status, step.claim, step.lease_until, step.due_at = "due", None, None, now
            step.save(update_fields=["status", "claim", "lease_until", "due_at"])
            _enqueue(step, now=now)
            lost += 1
    return lost


def _work_of(job: Job, steps: Steps) -> Work:
    """Do the step's work, or none where the session is to end."""
    if job.session.cancel_requested_at is not None:
        return Work(store=ending.cancelled)
    # Whether it is needed here or not: a session that cannot be read is to end now, by that name.
    _ = job.state
    if job.now >= job.session.deadline_at and job.name != "conclude":
        return Work(store=_out_of_time)
    return steps[job.name](job)


def _out_of_time(book: Book) -> Next:
    minutes = settings.SESSION_MINUTES
    book.tell("out_of_time", f"The {minutes} minutes are over; what there is, is concluded.")
    return _concluding(book, reason="out_of_time")


def _concluding(book: Book, *, reason: str) -> Next:
    if book.state.turn is not None:
        book.state.end_turn(reason=reason)
    return Next(name="conclude", iteration=book.session.iteration)


def _store(job: Job, work: Work, *, now: datetime) -> None:
    """Store a step whole (StepTaken), within the caller's transaction."""
    session, step = _hold(job)
    book = Book(session=session, step=job.name, iteration=job.iteration, now=now)
    book.tell_fallbacks(work.calls)
    after = work.store(book)
    step.status, step.finished_at, step.calls = "done", now, work.calls
    step.save(update_fields=["status", "finished_at", "calls"])
    if isinstance(after, Next) and session.cancel_requested_at is not None:
        after = ending.cancelled(book)
    _go_on(book, after, number=job.number + 1)


def _go_on(book: Book, after: Next | End, *, number: int) -> None:
    """Make the step that follows due, as `number`, or end the session."""
    session = book.session
    if isinstance(after, Next):
        session.step_number, session.iteration = number, after.iteration
        _make_due(session, after, number=number, now=book.now)
        book.close()
    else:
        ending.end(book, after)
    session.save()


def _hold(job: Job) -> tuple[Session, Step]:
    """Lock the rows of the job (StepTaken: they are no longer its own)."""
    session = _locked(job.session.id)
    step = _locked_step(job.session.id, job.number)
    if session is None or step is None or session.status not in OPEN:
        raise StepTaken
    if step.status != "claimed" or step.claim != job.claim:
        raise StepTaken
    return session, step


def _stumble(job: Job, error: Exception, *, clock: Clock) -> None:
    """Have a failed step tried again, or end its session (the claim may be lost meanwhile)."""
    if isinstance(error, BROKEN_WIRE) and not connection.in_atomic_block:
        # The next statement opens another one.
        connection.close()
    try:
        with transaction.atomic():
            _store_failure(job, error, now=clock())
    except StepTaken:
        log.warning("the claim was lost", session=str(job.session.id), step=job.number)


def _store_failure(job: Job, error: Exception, *, now: datetime) -> None:
    session, step = _hold(job)
    book = Book(session=session, step=job.name, iteration=job.iteration, now=now)
    end = _end_of(error, tries=step.tries + 1)
    if end is None:
        if not isinstance(error, BROKEN_WIRE):
            step.tries += 1
        step.status, step.claim, step.lease_until = "due", None, None
        step.due_at = now + RETRY_AFTER * max(step.tries, 1)
        step.save(update_fields=["status", "claim", "lease_until", "due_at", "tries"])
        _enqueue(step, now=now)
        again = f"{job.name} failed ({type(error).__name__}) and is tried again."
        book.tell("retried", again, error=type(error).__name__, tries=step.tries)
        book.close()
        session.save()
        return
    step.status, step.finished_at = "done", now
    step.save(update_fields=["status", "finished_at"])
    after: Next | End = end
    if ending.leaves_something(end, session=session, step=job.name):
        text = f"{job.name} failed: {end.error}; what there is, is concluded."
        book.tell("broken_off", text, code=end.code)
        after = _concluding(book, reason=end.error)
    if isinstance(after, Next) and session.cancel_requested_at is not None:
        after = ending.cancelled(book)
    _go_on(book, after, number=job.number + 1)


def _end_of(error: Exception, *, tries: int) -> End | None:
    """Return how the session ends by this error, None when the step is tried again."""
    if isinstance(error, BROKEN_WIRE):
        return None
    if isinstance(error, TidebookError) and not isinstance(error, PASSING):
        return End(status="failed", code=error.code, error=error.message)
    if tries < TRIES:
        return None
    # Its text may hold anything: the log has it, the outside has its name.
    return End(status="failed", code=ending.UNEXPECTED, error=type(error).__name__)


def _make_due(session: Session, after: Next, *, number: int, now: datetime) -> None:
    step = Step.objects.create(
        session_id=session.id,
        agent_id=session.agent_id,
        number=number,
        name=after.name,
        iteration=after.iteration,
        status="due",
        due_at=now,
    )
    _enqueue(step, now=now)


def _enqueue(step: Step, *, now: datetime) -> None:
    """Write the queue row of a due step, in the transaction that makes it due."""
    later = step.due_at if step.due_at > now else None
    session_id, number = str(step.session_id), step.number
    enqueue(RUN_STEP, now=now, run_at=later, session_id=session_id, number=number)


def _locked(session_id: UUID) -> Session | None:
    return next(iter(Session.objects.raw(LOCK_SESSION, [session_id])), None)


def _locked_step(session_id: UUID, number: int) -> Step | None:
    return next(iter(Step.objects.raw(LOCK_STEP, [session_id, number])), None)


def is_free(step: Step, *, task: UUID | None = None, now: datetime) -> bool:
    """Tell whether no worker is at the step, as far as anybody can know."""
    if step.status == "claimed":
        lease_over = step.lease_until is not None and step.lease_until <= now
        return lease_over or (task is not None and step.claim == task)
    return step.status == "due"
