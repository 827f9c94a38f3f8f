"""Sessions for tests: synthetic bars, a clock that moves by itself, steps taken in turn."""

import math
import random
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, connections

from autopilot.llm.port import Ask, Provider, Role
from autopilot.models import Session, Step
from autopilot.schemas import SessionDraft
from autopilot.session import machine
from autopilot.session.services import start
from autopilot.session.work import Book, End, Job, Next, Steps, Work
from memory.policies.timeframes import TIMEFRAMES
from tests.desk import Desk
from trading.market.bars import Bar, BarSeries
from trading.market.candles import store

TICK = timedelta(milliseconds=20)


@dataclass
class Clock:
    """A clock that goes on by a tick at each reading, so that no two moments are the same."""

    moment: datetime

    def __call__(self) -> datetime:
        self.moment += TICK
        return self.moment


class NoModel:
    """A provider that nobody may ask: for steps that have no model call."""

    name = "none"
    offline = True

    def model(self, role: Role) -> str:
        pytest.fail(f"{role} was asked for")

    def ask(self, ask: Ask[Any]) -> Any:
        pytest.fail(f"{ask.role} was asked")


def synthetic_bars(
    *,
    instrument: str = "ETH",
    timeframe: str = "1h",
    count: int = 600,
    end: datetime,
    seed: int = 7,
) -> BarSeries:
    """Return a seeded random walk with slow cycles; its last bar closes at or before `end`."""
    rng = random.Random(seed)
    length = TIMEFRAMES[timeframe]
    last = datetime.fromtimestamp(
        end.timestamp() // length.total_seconds() * length.total_seconds(), UTC
    )
    price, bars = 100.0, []
    for index in range(count):
        drift = 0.004 * math.sin(index / 23)
        close = price * math.exp(drift + rng.gauss(0, 0.008))
        high = max(price, close) * (1 + abs(rng.gauss(0, 0.004)))
        low = min(price, close) * (1 - abs(rng.gauss(0, 0.004)))
        volume = 1_000 * (1 + 60 * abs(close / price - 1)) * rng.uniform(0.6, 1.4)
        bars.append(Bar(last - (count - index) * length, price, high, low, close, volume))
        price = close
    return BarSeries.of(
        instrument=instrument, timeframe=timeframe, bars=bars, sources=("synthetic",)
    )


def store_bars(*, now: datetime, **shape: Any) -> BarSeries:
    """Store synthetic bars and return them."""
    series = synthetic_bars(end=now, **shape)
    store(series=series, source="synthetic", now=now)
    return series


def begin(desk: Desk, *, now: datetime, **body: Any) -> Session:
    """Start a session of the desk's agent as the bearer of its autopilot token."""
    asked = SessionDraft.parse({"prompt": "find a trend on ETH", **body})
    return start(agent=desk.agent, actor=desk.actor("autopilot", now=now), asked=asked, now=now)


def due(session_id: UUID) -> Step | None:
    """Return the step of a session that is not done."""
    return Step.objects.exclude(status="done").filter(session_id=session_id).first()


def take(
    session_id: UUID,
    *,
    clock: Callable[[], datetime],
    steps: Steps,
    provider: Provider | None = None,
    at_most: int = 1_000,
) -> int:
    """Take the steps of a session as they fall due, and return how many were taken."""
    for taken in range(at_most):
        step = due(session_id)
        if step is None:
            return taken
        machine.run(
            session_id=session_id,
            number=step.number,
            clock=clock,
            provider=provider or NoModel(),
            steps=steps,
        )
    return at_most


@dataclass
class Script:
    """Steps without a subject: each tells its name, writes what `effect` writes, and goes on.

    `before` is called while a step works, with no transaction open.
    """

    last: int = 4
    before: Callable[[Job], None] = lambda _job: None
    effect: Callable[[Book], None] = lambda _book: None
    worked: list[int] = field(default_factory=list)

    def __call__(self, job: Job) -> Work:
        self.worked.append(job.number)
        self.before(job)

        def store_it(book: Book) -> Next | End:
            self.effect(book)
            book.tell("told", f"step {job.number}", number=job.number)
            if job.number == self.last:
                return End(status="succeeded")
            return Next(name="research", iteration=0)

        return Work(store=store_it)

    @property
    def steps(self) -> Steps:
        return {"resolve": self, "research": self}


def in_own_connection[T](work: Callable[[], T]) -> Callable[[], T]:
    """Wrap `work` so that a thread's connection is closed when it ends."""

    def closing() -> T:
        try:
            return work()
        finally:
            connections.close_all()

    return closing


def until_it_waits(work: Future[Any]) -> None:
    """Return once `work` waits for a lock of ours: the interleaving is then certain."""
    while not _waits_for_me():
        assert not work.done(), f"it never waited: {work.exception() or work.result()}"


def _waits_for_me() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_locks"
            " WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))"
        )
        found: bool = cursor.fetchone()[0]
    return found
