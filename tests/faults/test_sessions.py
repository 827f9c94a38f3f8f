"""Sessions whose workers are killed at every place finish as if nothing had been (SPEC A11, J4).

A real worker takes the steps. Gates (see `gates.py`) show where it is: in the midst of a step's
work, in the transaction that stores the step, or at the border between two steps. It is killed
there by SIGKILL, and what comes of the session is held against the same session without a kill.
"""

import os
import random
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest
from django.db import transaction
from django_q.models import OrmQ

from autopilot.llm.offline.provider import OfflineProvider
from autopilot.models import Backtest, Event, Judgement, Session, Step, SynthesisClaim
from autopilot.models.sessions import OPEN
from autopilot.session.steps import STEPS
from config import ps
from memory.models import Cluster, QueueClaim, Record, Run, Standing, StandingChange
from memory.policies.vocabulary import STRATEGY_TYPES
from memory.services.standings import moving_of, replayed
from tests.autopilot.session.bench import Clock, begin, due, store_bars, take
from tests.autopilot.session.players import Names
from tests.desk import Desk, make_desk, note
from tests.faults.gates import Gate, Hold, gated
from tests.faults.workers import Worker, working
from tests.live import Server
from tests.strategies import remember

pytestmark = pytest.mark.django_db(transaction=True)

FULL = os.environ.get("TIDEBOOK_STRESS") == "full"
ITERATIONS = 2 if FULL else 1
SEED = 11
PATIENT = {"QUEUE_STALL_SECONDS": "300"}
"""The worker is held for long; the watchdog has tests of its own."""

type Place = Literal["work", "store", "border"]

READ_BY = {
    "resolve": "trading_candle",
    "backtest": "trading_candle",
    "backtrack": "autopilot_backtest",
    "conclude": "autopilot_backtest",
}
"""Step → a table that it reads while it works; for all others it is that of the standings."""


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


@dataclass
class Scene:
    """A session with memories to learn from, a web process beside it, and who is to be killed."""

    desk: Desk
    other: Desk
    session: Session
    served: Server
    log: Path
    stack: ExitStack
    running: Worker | None = None

    @property
    def worker(self) -> Worker:
        """The worker command that runs now."""
        assert self.running is not None
        return self.running

    def start(self) -> None:
        """Start the worker command."""
        self.running = self.stack.enter_context(working(self.log, **PATIENT))

    def write(self, desk: Desk | None = None) -> None:
        """Write a record over REST: it is taken, whatever became of the worker.

        While a step that writes a memory is held, that agent's other writes wait for its end, as
        they wait for one another: those are of another agent.
        """
        desk = desk or self.other
        response = httpx.post(
            f"{self.served.url}{desk.path('memories/')}",
            json=note(),
            headers={"Authorization": f"Bearer {desk.tokens['analysis']}"},
            timeout=60,
        )
        assert response.status_code == 201, response.text

    def kill_worker(self) -> None:
        """Kill the process that is at the step."""
        at_work = QueueClaim.objects.filter(worker__isnull=False)
        pid = self.worker.until(lambda: at_work.values_list("worker", flat=True).first())
        os.kill(pid or 0, signal.SIGKILL)

    def kill_all(self) -> None:
        """Kill the worker command with all that it started."""
        mine = Cluster.objects.filter(supervisor=self.worker.process.pid, group__isnull=False)
        groups = list(mine.values_list("group", flat=True))
        os.kill(self.worker.process.pid, signal.SIGKILL)
        for group in groups:
            ps.signal_group(group or 0, signal.SIGKILL)
        self.worker.process.wait()


@pytest.fixture
def scene(transactional_db: None, served: Server, tmp_path: Path) -> Iterator[Scene]:
    del transactional_db
    now = datetime.now(UTC)
    desk = make_desk("ours", now=now)
    store_bars(now=now)
    # Whatever type the first insight is of, it is the third: a synthesis is due, and a rule is
    # there to be judged.
    for strategy_type in STRATEGY_TYPES:
        for number in range(2):
            content = f"{strategy_type} {number}"
            remember(desk, content, strategy_type=strategy_type, outcome="success", now=now)
    remember(desk, "wait for the close", type="rule", tags=["momentum"], now=now)
    session = begin(desk, now=datetime.now(UTC), max_iterations=ITERATIONS)
    with ExitStack() as stack:
        other = make_desk("theirs", now=now)
        yield Scene(desk, other, session, served, tmp_path / "worker.log", stack)


def undisturbed(session: Session) -> Outcome:
    """Return what comes of the session where nothing is killed; all of it is undone."""
    with transaction.atomic():
        clock = Clock(datetime.now(UTC))
        take(session.id, clock=clock, steps=STEPS, provider=OfflineProvider())
        outcome = outcome_of(session)
        transaction.set_rollback(True)
    return outcome


def places(last: int) -> set[tuple[Place, int]]:
    """Return where to kill in a session of so many steps: three places by a seed, or all."""
    if FULL:
        borders: set[tuple[Place, int]] = {("border", step) for step in range(1, last)}
        return borders | {(at, step) for step in range(1, last + 1) for at in ("work", "store")}
    work, store, border = random.Random(SEED).sample(range(2, last), 3)
    return {("work", work), ("store", store), ("border", border)}


def drive(scene: Scene, names: list[str], kills: set[tuple[Place, int]]) -> None:
    """Lead the session through its steps, one by one, and kill where `kills` says."""
    with gated("autopilot_event") as (gate, pool):
        work = _at_work(1, names, pool) if ("work", 1) in kills else None
        scene.start()
        for number in range(1, len(names) + 1):
            if work is not None:
                scene.worker.until(work.waiter)
                scene.kill_worker()
                work.release()
            _until_it_stores(scene, gate, number)
            if ("store", number) in kills:
                scene.kill_worker()
                scene.write()
                gate.let_one_through()
                _until_it_stores(scene, gate, number)
            scene.write()
            following = number + 1
            work = _at_work(following, names, pool) if ("work", following) in kills else None
            border = _at_border(scene.session, pool) if ("border", number) in kills else None
            gate.let_one_through()
            if border is not None:
                border.taken.result(timeout=60)
                scene.worker.until(border.waiter)
                scene.kill_all()
                scene.write(scene.desk)
                border.release()
                scene.start()


def _until_it_stores(scene: Scene, gate: Gate, number: int) -> None:
    scene.worker.until(gate.waiter)
    step = due(scene.session.id)
    assert step is not None
    assert (step.number, step.status) == (number, "claimed")


def _at_work(number: int, names: list[str], pool: ThreadPoolExecutor) -> Hold:
    """Have the worker wait in the midst of a step's work, where no transaction is open."""
    table = READ_BY.get(names[number - 1], "memory_standing")
    return Hold(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE", [], pool=pool)


def _at_border(session: Session, pool: ThreadPoolExecutor) -> Hold:
    """Have the worker wait when it has stored a step and is about to claim the next one."""
    sql = "SELECT 1 FROM autopilot_session WHERE id = %s FOR UPDATE"
    return Hold(sql, [session.id], pool=pool)


@pytest.mark.stress
@pytest.mark.spec("A11", "J2", "J4", "A10", "M5")
def test_a_session_whose_workers_are_killed_is_the_same_as_one_without_a_kill(
    scene: Scene,
) -> None:
    expected = undisturbed(scene.session)
    assert expected.status == "succeeded"
    names = [name for _, name, _ in expected.steps]
    kills = places(len(names))
    drive(scene, names, kills)
    open_ = Session.objects.filter(id=scene.session.id, status__in=OPEN)
    scene.worker.until(lambda: not open_.exists())
    assert outcome_of(scene.session) == expected
    assert Run.objects.get(id=scene.session.run_id).status == "succeeded"
    for standing in Standing.objects.all():
        assert replayed(standing.agent_id, standing.record_id) == moving_of(standing)
    # Each queue row is done with, and none came twice.
    scene.worker.until(lambda: not OrmQ.objects.filter(key="tidebook").exists())
