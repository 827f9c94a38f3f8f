"""A session worth killing, and what came of it, for tests that do so."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import transaction

from autopilot.llm.offline.provider import OfflineProvider
from autopilot.models import Backtest, Event, Judgement, Session, Step, SynthesisClaim
from autopilot.session.steps import STEPS
from memory.models import Record, Standing, StandingChange
from memory.policies.vocabulary import STRATEGY_TYPES
from tests.autopilot.session.bench import Clock, begin, store_bars, take
from tests.autopilot.session.players import Names
from tests.desk import Desk, make_desk
from tests.strategies import remember


@dataclass(frozen=True)
class Outcome:
    """What a session left, ids aside: all of it is the same with and without a kill."""

    status: str
    steps: list[tuple[int, str, str]]
    events: list[str]
    strategies: list[Any]
    counts: dict[str, int]


def outcome_of(session: Session) -> Outcome:
    ended = Session.objects.get(id=session.id)
    names = Names()
    events = Event.objects.filter(session=session).order_by("seq")
    return Outcome(
        status=ended.status,
        steps=list(
            Step.objects.filter(session=session)
            .order_by("number")
            .values_list("number", "name", "status")
        ),
        events=names.of(f"{one.seq} {one.kind} {one.text} {one.data}" for one in events),
        strategies=list(
            Backtest.objects.filter(session=session)
            .order_by("iteration")
            .values_list("strategy", "in_sample", "holdout", "verdict")
        ),
        counts={
            model.__name__: model.objects.count()
            for model in (Backtest, Judgement, Standing, StandingChange, SynthesisClaim)
        }
        | {"records": Record.objects.exclude(type="observation").count()},
    )


def prepare(*, iterations: int) -> tuple[Desk, Session]:
    """Return a desk and a session of it that is queued.

    Whatever type its first insight is of, it is the third: a synthesis is due, and a rule is there
    to be judged.
    """
    now = datetime.now(UTC)
    desk = make_desk("ours", now=now)
    store_bars(now=now)
    for strategy_type in STRATEGY_TYPES:
        for number in range(2):
            content = f"{strategy_type} {number}"
            remember(desk, content, strategy_type=strategy_type, outcome="success", now=now)
    remember(desk, "wait for the close", type="rule", tags=["momentum"], now=now)
    return desk, begin(desk, now=datetime.now(UTC), max_iterations=iterations)


def undisturbed(session: Session) -> Outcome:
    """Return what comes of the session where nothing is killed; all of it is undone."""
    with transaction.atomic():
        clock = Clock(datetime.now(UTC))
        take(session.id, clock=clock, steps=STEPS, provider=OfflineProvider())
        outcome = outcome_of(session)
        transaction.set_rollback(True)
    return outcome
