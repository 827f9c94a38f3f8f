"""A step is taken once: whole, or not at all (SPEC A11)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.db import OperationalError
from django_q.models import OrmQ
from django_q.signing import SignedPackage

from autopilot.errors import SessionEnded
from autopilot.models import Event, Session, Step
from autopilot.session import machine
from autopilot.session.services import cancel
from autopilot.session.work import Book, Job
from memory.errors import InvalidMemoryTarget
from memory.ids import new_id
from memory.models import Record, Run, StandingChange
from memory.schemas.records import RecordDraft
from memory.schemas.strategies import StandingDraft
from memory.services.strategies import publish_strategy
from tests.autopilot.session.bench import (
    Clock,
    NoModel,
    Script,
    begin,
    due,
    in_own_connection,
    store_bars,
    take,
    until_it_waits,
)
from tests.desk import Desk, make_desk, note

LEASE = timedelta(seconds=settings.STEP_LEASE_SECONDS)
MOMENT = timedelta(seconds=1)


def insight(book: Book) -> None:
    """Write an insight, as a step does: a record, its standing and a ledger line."""
    publish_strategy(
        actor=book.writer(),
        draft=RecordDraft.parse(note(type="strategy_insight", content="wait")),
        standing=StandingDraft.parse({}),
        now=book.now,
    )


@pytest.fixture
def session(desk: Desk, now: datetime) -> Session:
    store_bars(now=now)
    return begin(desk, now=now)


def run(
    session: Session, script: Script, *, number: int, now: datetime, task: UUID | None = None
) -> bool:
    return machine.run(
        session_id=session.id,
        number=number,
        clock=lambda: now,
        provider=NoModel(),
        steps=script.steps,
        task=task,
    )


def queued() -> list[dict[str, Any]]:
    """Return the arguments of the queue's rows, in the order of their making."""
    rows = (SignedPackage.loads(row.payload) for row in OrmQ.objects.order_by("id"))
    return [row["kwargs"] for row in rows if row["func"] == "autopilot.tasks.run_step"]


def fresh(session: Session) -> Session:
    return Session.objects.get(id=session.id)


def effects(session: Session) -> tuple[int, int, list[int]]:
    """Return how many records and ledger lines there are, and the numbers of the events."""
    seqs = Event.objects.filter(session=session).order_by("seq").values_list("seq", flat=True)
    return Record.objects.count(), StandingChange.objects.count(), list(seqs)


@pytest.mark.spec("A10", "A11", "A14", "J1")
def test_a_session_goes_step_by_step_to_its_end_with_each_event_once(
    session: Session, now: datetime
) -> None:
    script = Script(effect=insight)
    assert take(session.id, clock=Clock(now), steps=script.steps) == 4
    ended = fresh(session)
    assert (ended.status, ended.step_number, script.worked) == ("succeeded", 4, [1, 2, 3, 4])
    events = list(Event.objects.filter(session=session).order_by("seq"))
    assert [event.kind for event in events] == ["started", *["told"] * 4, "succeeded"]
    assert [event.seq for event in events] == list(range(1, ended.last_event + 1))
    assert Record.objects.filter(run_id=session.run_id).count() == 4
    run = Run.objects.get(id=session.run_id)
    assert (run.status, run.producer.role) == ("succeeded", "autopilot")
    # Each step was queued with the end of the one before.
    assert queued() == [{"session_id": str(session.id), "number": n} for n in range(1, 5)]
    assert not Step.objects.exclude(status="done").exists()


@pytest.mark.spec("A11", "J2")
def test_a_queue_row_that_comes_twice_does_nothing(session: Session, now: datetime) -> None:
    script = Script(effect=insight)
    assert run(session, script, number=1, now=now) is True
    before = effects(session)
    assert run(session, script, number=1, now=now) is False
    assert run(session, script, number=7, now=now) is False
    assert (effects(session), script.worked) == (before, [1])


@pytest.mark.spec("A11", "J2")
def test_a_step_that_another_worker_holds_is_left_alone_until_its_lease_is_over(
    session: Session, now: datetime
) -> None:
    script = Script(effect=insight)
    held = machine.claim(session_id=session.id, number=1, provider=NoModel(), now=now)
    assert held is not None
    assert run(session, script, number=1, now=now + LEASE - MOMENT) is False
    assert run(session, script, number=1, now=now + LEASE) is True
    assert script.worked == [1]


@pytest.mark.spec("A11", "J2")
def test_the_queues_second_call_of_a_task_takes_over_what_the_first_one_claimed(
    session: Session, now: datetime
) -> None:
    script, task = Script(), new_id()
    assert machine.claim(session_id=session.id, number=1, provider=NoModel(), task=task, now=now)
    assert run(session, script, number=1, now=now, task=new_id()) is False
    assert run(session, script, number=1, now=now, task=task) is True


@pytest.mark.spec("A11")
def test_a_worker_whose_claim_was_taken_over_stores_nothing(
    session: Session, now: datetime
) -> None:
    other = Script(effect=insight)

    def overtaken(_job: Job) -> None:
        assert run(session, other, number=1, now=now + LEASE) is True

    slow = Script(effect=insight, before=overtaken)
    assert run(session, slow, number=1, now=now) is False
    assert (slow.worked, other.worked) == ([1], [1])
    assert effects(session) == (1, 1, [1, 2])
    assert fresh(session).step_number == 2


@pytest.mark.spec("A11")
def test_a_worker_whose_claim_is_held_by_another_stores_nothing_and_frees_nothing(
    session: Session, now: datetime
) -> None:
    def overtaken(_job: Job) -> None:
        later = now + LEASE
        assert machine.claim(session_id=session.id, number=1, provider=NoModel(), now=later)
        raise ZeroDivisionError

    assert run(session, Script(before=overtaken), number=1, now=now) is False
    step = Step.objects.get(session=session)
    assert (step.status, step.tries) == ("claimed", 0)
    assert effects(session) == (0, 0, [1])


@pytest.mark.spec("A11")
def test_what_a_step_wrote_is_gone_when_its_end_fails(session: Session, now: datetime) -> None:
    def breaks(book: Book) -> None:
        insight(book)
        book.session.state = {"summary": "half"}
        raise ZeroDivisionError

    assert run(session, Script(effect=breaks), number=1, now=now) is False
    records, lines, seqs = effects(session)
    assert (records, lines, seqs) == (0, 0, [1, 2])
    retried = Event.objects.get(session=session, seq=2)
    assert (retried.kind, retried.data) == ("retried", {"error": "ZeroDivisionError", "tries": 1})
    assert fresh(session).state == {}


@pytest.mark.spec("A11", "X6")
def test_an_error_that_nobody_foresaw_ends_the_session_at_the_third_try_by_its_name_alone(
    session: Session, now: datetime
) -> None:
    def breaks(_job: Job) -> None:
        raise ZeroDivisionError("the secret is 42")

    script = Script(before=breaks)
    assert take(session.id, clock=Clock(now), steps=script.steps) == 3
    ended = fresh(session)
    assert (ended.status, ended.error_code) == ("failed", "unexpected")
    assert ended.error == "ZeroDivisionError"
    run = Run.objects.get(id=session.run_id)
    assert (run.status, run.error) == ("failed", "ZeroDivisionError")
    assert not Event.objects.filter(session=session, text__contains="42").exists()
    # The tries were queued apart from one another, each with its number.
    assert [row["number"] for row in queued()] == [1, 1, 1]


@pytest.mark.spec("A11", "R8")
def test_an_anticipated_refusal_ends_the_session_at_once_with_its_code(
    session: Session, now: datetime
) -> None:
    def refused(_book: Book) -> None:
        raise InvalidMemoryTarget(0)

    assert take(session.id, clock=Clock(now), steps=Script(effect=refused).steps) == 1
    ended = fresh(session)
    assert (ended.status, ended.error_code) == ("failed", "invalid_memory_target")
    assert ended.error == "instruments[0] is not an active instrument selected by this agent"


UNREADABLE: list[Any] = [{"zzz": 1}, {"turn": {}}, [], "x", 7]


@pytest.mark.spec("A11", "A10")
@pytest.mark.parametrize("state", UNREADABLE)
def test_a_session_whose_state_cannot_be_read_ends_with_its_next_step_and_by_that_name(
    desk: Desk, session: Session, now: datetime, state: Any
) -> None:
    Session.objects.filter(id=session.id).update(state=state)
    script = Script()
    assert take(session.id, clock=Clock(now), steps=script.steps) == 1
    ended = fresh(session)
    assert (ended.status, ended.error_code) == ("failed", "unreadable_state")
    assert (ended.state, script.worked) == (state, [])
    assert Event.objects.filter(session=session).latest("seq").data == {"code": "unreadable_state"}
    assert Run.objects.get(id=session.run_id).status == "failed"
    begin(desk, now=now + MOMENT)  # its place is free


@pytest.mark.spec("A11")
@pytest.mark.parametrize("is_held", [False, True])
def test_a_session_whose_state_cannot_be_read_can_be_cancelled(
    session: Session, now: datetime, is_held: bool
) -> None:
    Session.objects.filter(id=session.id).update(state={"zzz": 1})
    if is_held:
        assert machine.claim(session_id=session.id, number=1, provider=NoModel(), now=now)
    assert cancel(session=session, now=now).status == ("running" if is_held else "cancelled")
    take(session.id, clock=lambda: now + LEASE, steps=Script().steps)
    assert fresh(session).status == "cancelled"


@pytest.mark.spec("A11")
def test_a_state_that_becomes_unreadable_under_a_step_ends_the_session(
    session: Session, now: datetime
) -> None:
    def spoilt(job: Job) -> None:
        Session.objects.filter(id=job.session.id).update(state={"zzz": 1})

    script = Script(before=spoilt, effect=lambda book: book.state.note_seen([]))
    assert take(session.id, clock=Clock(now), steps=script.steps) == 1
    assert fresh(session).error_code == "unreadable_state"


@pytest.mark.spec("A11")
def test_a_database_that_goes_away_is_no_try_of_the_step(session: Session, now: datetime) -> None:
    failures = iter([OperationalError] * 5)

    def breaks(_job: Job) -> None:
        for failure in failures:
            raise failure

    script = Script(before=breaks)
    assert take(session.id, clock=Clock(now), steps=script.steps) == 5 + 4
    assert fresh(session).status == "succeeded"


@pytest.mark.spec("A11", "J2")
def test_steps_that_nobody_is_at_are_queued_again_once_a_lease(
    session: Session, now: datetime
) -> None:
    assert machine.requeue_lost(now=now + LEASE - MOMENT) == 0
    assert machine.requeue_lost(now=now + LEASE) == 1
    assert machine.requeue_lost(now=now + LEASE) == 0
    assert [row["number"] for row in queued()] == [1, 1]
    later = now + LEASE + MOMENT
    assert machine.claim(session_id=session.id, number=1, provider=NoModel(), now=later)
    assert machine.requeue_lost(now=later + LEASE - MOMENT) == 0
    assert machine.requeue_lost(now=later + LEASE) == 1
    step = Step.objects.get(session=session)
    assert (step.status, step.claim) == ("due", None)
    script = Script()
    assert take(session.id, clock=Clock(later + LEASE), steps=script.steps) == 4
    assert machine.requeue_lost(now=later + 9 * LEASE) == 0


@pytest.mark.spec("A11")
def test_a_session_that_is_cancelled_while_no_worker_is_at_it_ends_at_once(
    session: Session, now: datetime
) -> None:
    take(session.id, clock=Clock(now), steps=Script().steps, at_most=2)
    cancelled = cancel(session=session, now=now + MOMENT)
    assert (cancelled.status, cancelled.ended_at) == ("cancelled", now + MOMENT)
    assert Run.objects.get(id=session.run_id).status == "failed"
    assert due(session.id) is None
    script = Script()
    assert run(session, script, number=3, now=now + MOMENT) is False
    assert machine.requeue_lost(now=now + 9 * LEASE) == 0
    assert script.worked == []
    with pytest.raises(SessionEnded) as refused:
        cancel(session=session, now=now + MOMENT)
    assert refused.value.fields == {"status": "cancelled"}
    assert Event.objects.filter(session=session).latest("seq").kind == "cancelled"


@pytest.mark.spec("A11")
def test_a_session_that_is_cancelled_under_a_worker_ends_with_that_step(
    session: Session, now: datetime
) -> None:
    def cancelled(_job: Job) -> None:
        assert cancel(session=session, now=now + MOMENT).status == "running"
        assert cancel(session=session, now=now + MOMENT).status == "running"

    script = Script(before=cancelled, effect=insight)
    assert run(session, script, number=1, now=now + MOMENT) is True
    assert fresh(session).status == "cancelled"
    kinds = Event.objects.filter(session=session).order_by("seq").values_list("kind", flat=True)
    assert list(kinds) == ["started", "cancel_requested", "told", "cancelled"]
    assert Record.objects.count() == 1
    assert due(session.id) is None


@pytest.mark.spec("A11")
def test_a_cancelled_session_whose_worker_died_ends_when_its_step_is_claimed_again(
    session: Session, now: datetime
) -> None:
    assert machine.claim(session_id=session.id, number=1, provider=NoModel(), now=now)
    assert cancel(session=session, now=now + MOMENT).status == "running"
    script = Script()
    assert run(session, script, number=1, now=now + LEASE) is True
    assert (fresh(session).status, script.worked) == ("cancelled", [])


@pytest.mark.spec("A11")
def test_a_session_cancelled_after_its_last_claim_ran_out_ends_at_once(
    session: Session, now: datetime
) -> None:
    assert machine.claim(session_id=session.id, number=1, provider=NoModel(), now=now)
    assert cancel(session=session, now=now + LEASE).status == "cancelled"


@pytest.mark.spec("A11")
def test_a_session_past_its_time_goes_to_its_conclusion(session: Session) -> None:
    script = Script(last=2)
    late = session.deadline_at
    assert run(session, script, number=1, now=late - MOMENT) is True
    assert run(session, script, number=2, now=late) is True
    step = due(session.id)
    assert step is not None
    assert (step.name, step.number, script.worked) == ("conclude", 3, [1])
    assert Event.objects.filter(session=session).latest("seq").kind == "out_of_time"


@pytest.mark.spec("A11", "R5")
def test_a_run_that_somebody_else_finished_does_not_keep_the_session_from_ending(
    session: Session, now: datetime
) -> None:
    Run.objects.filter(id=session.run_id).update(status="failed", ended_at=now, error="timed out")
    take(session.id, clock=Clock(now), steps=Script(effect=insight).steps)
    ended = fresh(session)
    assert (ended.status, ended.error_code) == ("failed", "run_finished")
    assert Run.objects.get(id=session.run_id).error == "timed out"


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("A11", "J2")
def test_two_workers_at_one_step_store_it_once(now: datetime, transactional_db: None) -> None:
    del transactional_db
    desk = make_desk("ours", now=now)
    store_bars(now=now)
    session = begin(desk, now=now)
    barrier = Barrier(2)

    def meets(_job: Job) -> None:
        # Both are inside the step's work before either stores it.
        barrier.wait(timeout=30)

    scripts = [Script(effect=insight, before=meets) for _ in range(2)]

    def worker(script: Script, at: datetime) -> Callable[[], bool]:
        return in_own_connection(lambda: run(session, script, number=1, now=at))

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(worker(scripts[0], now))
        while not Step.objects.filter(session=session, status="claimed").exists():
            assert not first.done()
        second = pool.submit(worker(scripts[1], now + LEASE))
        stored = [first.result(), second.result()]
    # The first lost its claim to the second, whose lease is the later one.
    assert stored == [False, True]
    assert effects(session) == (1, 1, [1, 2])
    assert Step.objects.filter(session=session).count() == 2
    assert OrmQ.objects.count() == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("A11")
def test_a_cancel_waits_for_the_end_of_a_step_and_the_session_ends_once(
    now: datetime, transactional_db: None
) -> None:
    del transactional_db
    desk = make_desk("ours", now=now)
    store_bars(now=now)
    session = begin(desk, now=now)
    with ThreadPoolExecutor(1) as pool:
        waiting = []

        def cancelled_now(_book: Book) -> None:
            work = pool.submit(in_own_connection(lambda: cancel(session=session, now=now)))
            waiting.append(work)
            until_it_waits(work)

        assert run(session, Script(effect=cancelled_now), number=1, now=now) is True
        assert waiting[0].result().status == "cancelled"
    kinds = Event.objects.filter(session=session).order_by("seq").values_list("kind", flat=True)
    assert list(kinds) == ["started", "told", "cancelled"]
