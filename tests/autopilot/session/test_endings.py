"""Ends that a session comes to before its last iteration (SPEC A8, A11, R3)."""

from datetime import datetime, timedelta

import pytest

from autopilot.models import Backtest, Session
from autopilot.models.sessions import STEPS as NAMES
from autopilot.session import reading
from autopilot.session.services import cancel
from autopilot.session.steps import STEPS
from autopilot.session.work import Job, Work
from memory.models import Instrument, Record, RecordLink, Run
from memory.services import setup
from tests.autopilot.session.bench import Clock, begin, due, take
from tests.autopilot.session.whole import LOOP, OFFLINE, events, steps_of, undone
from tests.desk import Desk
from trading.models import Candle

SECOND = timedelta(seconds=1)


@pytest.mark.spec("A11")
def test_a_session_can_be_cancelled_before_each_of_its_steps(ready: Desk, now: datetime) -> None:
    session = begin(ready, now=now, max_iterations=1)
    for taken in range(len(NAMES)):
        with undone():
            clock = Clock(now)
            take(session.id, clock=clock, steps=STEPS, provider=OFFLINE, at_most=taken)
            ended = cancel(session=session, now=clock())
            assert (ended.status, due(session.id)) == ("cancelled", None)
            assert not Record.objects.filter(type="optimization").exists()
            assert Run.objects.get(id=session.run_id).status == "failed"
            assert events(session)[-1].seq == ended.last_event


@pytest.mark.spec("A11")
@pytest.mark.parametrize("name", NAMES)
def test_a_session_cancelled_in_the_midst_of_a_step_keeps_what_the_step_did_and_ends(
    ready: Desk, now: datetime, name: str
) -> None:
    session = begin(ready, now=now, max_iterations=1)

    def cancelled(job: Job) -> Work:
        cancel(session=session, now=job.now)
        return STEPS[job.name](job)

    take(session.id, clock=Clock(now), steps={**STEPS, name: cancelled}, provider=OFFLINE)
    ended = Session.objects.get(id=session.id)
    # The last step has done all there was to do.
    assert ended.status == ("succeeded" if name == "conclude" else "cancelled")
    steps = steps_of(session)
    assert [step.name for step in steps] == list(NAMES[: NAMES.index(name) + 1])
    assert steps[-1].calls or name not in {"select_tags", "advise", "learn"}
    assert Record.objects.filter(type="strategy_insight").count() == (
        NAMES.index(name) >= NAMES.index("learn")
    )


@pytest.mark.spec("A11")
def test_a_session_whose_time_is_over_is_concluded_with_what_there_is(
    ready: Desk, now: datetime
) -> None:
    session = begin(ready, now=now, max_iterations=2)
    for taken in (0, 2, 4, 5, 6, 7, 8, 9, 13, 16):
        with undone():
            clock = Clock(now)
            take(session.id, clock=clock, steps=STEPS, provider=OFFLINE, at_most=taken)
            clock.moment = session.deadline_at
            take(session.id, clock=clock, steps=STEPS, provider=OFFLINE)
            ended = Session.objects.get(id=session.id)
            # A backtest counts, though its iteration came no further: it is the fifth step.
            is_any = taken >= 5
            assert ended.status == ("succeeded" if is_any else "failed")
            assert ended.error_code == ("" if is_any else "nothing_finished")
            assert Record.objects.filter(type="optimization").count() == is_any
            links = RecordLink.objects.filter(source__type="optimization")
            assert links.count() == (taken >= 6), "derived from its insight, where there is one"
            assert (ended.best_id is not None) == is_any
            assert len(events(session, "out_of_time")) == (taken < 2 + 2 * len(LOOP))


@pytest.mark.spec("R3", "R8", "A11", "A8")
@pytest.mark.parametrize("iterations", [0, 1])
@pytest.mark.parametrize("way", ["deselected", "delisted"])
def test_an_instrument_that_goes_meanwhile_ends_the_session_by_its_code_and_names_the_best(
    ready: Desk, now: datetime, iterations: int, way: str
) -> None:
    session, clock = begin(ready, now=now), Clock(now + SECOND)
    many = 2 + iterations * len(LOOP)
    take(session.id, clock=clock, steps=STEPS, provider=OFFLINE, at_most=many)
    go(ready, way, now=clock())
    take(session.id, clock=clock, steps=STEPS, provider=OFFLINE)
    ended = Session.objects.get(id=session.id)
    assert (ended.status, ended.error_code) == ("failed", "symbol_not_selected")
    assert ended.error == "ETH is no longer an active instrument selected by this agent"
    assert [event.kind for event in events(session)][-3:] == ["broken_off", "not_kept", "failed"]
    (not_kept,) = events(session, "not_kept")
    assert not_kept.data["backtest"] == str(ended.best_id)
    assert [step.name for step in steps_of(session)][-2:] == ["learn", "conclude"]
    answer = reading.answer(ended)
    assert [one.reason for one in answer.iterations] == [""] * iterations + [ended.error]
    assert answer.best is not None
    assert not Record.objects.filter(type="optimization").exists()
    assert Backtest.objects.filter(session=session).count() == iterations + 1


def go(desk: Desk, way: str, *, now: datetime) -> None:
    """Take ETH from the desk's agent, or off the exchange."""
    if way == "deselected":
        setup.deselect_instrument(agent=desk.agent, name="ETH", now=now)
    else:
        Instrument.objects.filter(id="ETH").update(is_active=False)


@pytest.mark.spec("R3", "A8", "A11")
def test_an_instrument_that_was_away_for_a_moment_costs_the_iterations_and_not_the_best(
    ready: Desk, now: datetime
) -> None:
    session, clock = begin(ready, now=now), Clock(now + SECOND)
    take(session.id, clock=clock, steps=STEPS, provider=OFFLINE, at_most=2 + len(LOOP) + 3)
    Instrument.objects.filter(id="ETH").update(is_active=False)
    take(session.id, clock=clock, steps=STEPS, provider=OFFLINE, at_most=1)
    Instrument.objects.filter(id="ETH").update(is_active=True)
    take(session.id, clock=clock, steps=STEPS, provider=OFFLINE)
    assert Session.objects.get(id=session.id).status == "succeeded"
    assert Record.objects.filter(type="optimization").count() == 1


@pytest.mark.spec("A8", "A11")
def test_a_session_that_cannot_go_on_keeps_the_best_of_what_it_tried(
    ready: Desk, now: datetime
) -> None:
    session, clock = begin(ready, now=now), Clock(now)
    take(session.id, clock=clock, steps=STEPS, provider=OFFLINE, at_most=2 + len(LOOP) + 2)
    Candle.objects.all().delete()
    take(session.id, clock=clock, steps=STEPS, provider=OFFLINE)
    ended = Session.objects.get(id=session.id)
    assert (ended.status, ended.error_code) == ("succeeded", "")
    (broken,) = events(session, "broken_off")
    assert (broken.step, broken.data) == ("backtest", {"code": "not_enough_bars"})
    assert Record.objects.filter(type="optimization").count() == 1
    assert "candles" in reading.answer(ended).iterations[-1].reason
