"""What sessions cost a worker, step by step, and what the backtests in them cost alone.

Cost is CPU time, user and system, of this thread. It does with each queue row what the processes of
a cluster do: takes it, claims the step, works, stores, queues the next, and removes the row.
"""

import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from django.db import connection
from django.utils import timezone
from django_q.monitor import save_task
from django_q.signing import SignedPackage

from autopilot.backtest.engine import BarEngine
from autopilot.backtest.port import PERPETUAL, Account
from autopilot.backtest.run import Evaluation, evaluate
from autopilot.models import Backtest, Session, Step
from autopilot.models.sessions import STEPS
from autopilot.session.state import State
from autopilot.session.steps.backtest import Bounds
from autopilot.strategy.schema import Strategy
from autopilot.tasks import run_step
from config.benchmarks import desks
from config.benchmarks.bridges import clock_of, milliseconds
from config.benchmarks.progress import Progress
from config.benchmarks.report import Group
from config.supervisor import registry
from config.supervisor.broker import ClaimingBroker
from memory.ids import new_id
from memory.models import Instrument
from memory.queue import set_current_task
from trading.market import candles
from trading.market.sample import TIMEFRAME

LOCAL_COMMAND = "postgres"


@dataclass(slots=True)
class Spent:
    """Milliseconds of CPU time: of each step by its name, of each backtest alone, of the server."""

    steps: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    alone: list[float] = field(default_factory=list)
    server: float = 0.0
    iterations: int = 0

    @property
    def whole(self) -> float:
        """All steps together."""
        return sum(map(sum, self.steps.values()))


class OneWorker:
    """The queue's side of a worker in one thread, without the pipes between its processes."""

    def __init__(self) -> None:
        self.cluster = new_id()
        registry.register(self.cluster, now=timezone.now())
        self.broker = ClaimingBroker(self.cluster)

    def take(self) -> None:
        """Take the queue row that is due, and do all that a cluster does with it."""
        for taken, payload in self.broker.dequeue() or []:
            task = SignedPackage.loads(payload) | {"ack_id": taken}
            set_current_task(UUID(task["id"]))
            now = timezone.now()
            registry.begin(taken.row, cluster=self.cluster, worker=os.getpid(), now=now)
            try:
                run_step(**task["kwargs"])
            finally:
                set_current_task(None)
            registry.finish(taken.row, cluster=self.cluster, now=timezone.now())
            save_task(task | {"result": None, "success": True, "stopped": timezone.now()}, None)
            self.broker.acknowledge(taken)


def measure(name: str, *, sessions: int, iterations: int, progress: Progress) -> dict[str, Group]:
    """Let an agent take sessions one after the other, the first to warm up."""
    progress.stage("sessions in one thread", sessions + 1)
    worker, spent = OneWorker(), Spent()
    server = _server_clock()
    for turn in range(-1, sessions):
        if turn == 0:
            spent = Spent(server=-server())
        desks.begin([name], turn=turn, iterations=iterations)
        spent.iterations += iterations
        while (step := _due()) is not None:
            _take(worker, step, spent)
        progress.advance()
    spent.server += server()
    desks.check_ended()
    return _figures(spent)


def _due() -> Step | None:
    return Step.objects.exclude(status="done").first()


def _take(worker: OneWorker, step: Step, spent: Spent) -> None:
    """Take a step; a backtest is also run alone, before its step and after it in turn."""
    if step.name != "backtest":
        spent.steps[step.name].append(milliseconds(time.thread_time, worker.take, times=1))
        return
    alone, found = _alone(step), list[Evaluation]()
    acts = [
        (spent.alone, lambda: found.append(alone())),
        (spent.steps[step.name], worker.take),
    ]
    for took, act in acts if step.iteration % 2 else reversed(acts):
        took.append(milliseconds(time.thread_time, act, times=1))
    _check_same(step, found[0])


def _alone(step: Step) -> Callable[[], Evaluation]:
    """Return the evaluation that this step will do, its strategy parsed and its bars in memory."""
    session = Session.objects.get(id=step.session_id)
    instrument = Instrument.objects.get(id=session.symbol_id)
    bounds = Bounds.of(session)
    strategy = Strategy.parse(State.read(session.state).this.strategy)
    bars = candles.read(
        instrument=instrument.id, timeframe=TIMEFRAME, start=bounds.start, end=bounds.end
    )
    engine = BarEngine(account=Account(sz_decimals=instrument.sz_decimals))
    return lambda: evaluate(strategy, bars, windows=bounds.windows, costs=PERPETUAL, engine=engine)


def _check_same(step: Step, found: Evaluation) -> None:
    """Hold the figures against the step's: another backtest would be no base to compare with."""
    stored = Backtest.objects.get(session_id=step.session_id, iteration=step.iteration)
    told = (found.in_sample.kpis.as_json(), found.holdout.kpis.as_json())
    if told != (stored.in_sample, stored.holdout):
        raise AssertionError(f"the step {step.number} ran another backtest")


def _server_clock() -> Callable[[], float]:
    """Return a clock of the CPU milliseconds of this connection's server process.

    It stands still where the server is on another machine.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        pid = cursor.fetchone()[0]
    command = Path(f"/proc/{pid}/comm")
    if not command.exists() or LOCAL_COMMAND not in command.read_text():
        return lambda: 0.0
    clock = clock_of(pid)
    return lambda: time.clock_gettime(clock) * 1000


def _figures(spent: Spent) -> dict[str, Group]:
    number = spent.iterations
    whole, alone = spent.whole / number, sum(spent.alone) / number
    return {
        "an iteration": {
            "iterations": number,
            "steps": sum(map(len, spent.steps.values())) / number,
            "loop_cpu_ms": whole,
            "backtest_alone_cpu_ms": alone,
            "beside_backtest_cpu_ms": whole - alone,
            "server_cpu_ms": spent.server / number,
        },
        "a step": {
            f"{name}_cpu_ms": statistics.mean(spent.steps[name])
            for name in STEPS
            if name in spent.steps
        },
    }
