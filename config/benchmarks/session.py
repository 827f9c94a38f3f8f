"""What the loop of a session costs beside its backtests, and what more workers bring.

The first is CPU time in one thread (see `loop`). The second is steps a second of real workers, one
against four, each over a database of its own, with the same sessions of several agents: once with
steps as they are, and once with a model that takes its time. They take turns, batch by batch.
"""

import statistics
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Max

from autopilot.models import Session, Step
from config.benchmarks import desks, loop
from config.benchmarks.bridges import clock_of
from config.benchmarks.databases import copy_of, fingerprint, prepared, server, using
from config.benchmarks.progress import Progress
from config.benchmarks.report import Group, Report, Scale, machine
from config.benchmarks.workers import Crew, at_work, until_done

ALONE = "alone"
FEW, MANY = 1, 4
PATIENCE = 240.0


@dataclass(frozen=True, slots=True)
class Size:
    """How much a run does.

    Sessions in one thread and their iterations; then agents at a time, rounds, and iterations of
    each session; how long a model takes.
    """

    sessions: int
    iterations: int
    agents: int
    rounds: int
    turns: int
    model_seconds: float


SIZES: dict[Scale, Size] = {
    "small": Size(sessions=1, iterations=1, agents=4, rounds=1, turns=1, model_seconds=0.02),
    "full": Size(sessions=12, iterations=5, agents=8, rounds=3, turns=2, model_seconds=0.3),
}


@dataclass(slots=True)
class Kind:
    """A kind of steps: how long its model takes, and what was measured, by number of workers."""

    name: str
    model_seconds: float
    rates: dict[int, list[float]] = field(default_factory=lambda: {FEW: [], MANY: []})
    lengths: list[float] = field(default_factory=list)


def run(*, scale: Scale, progress: Progress) -> Report:
    """Measure the loop in one thread, then workers by the process."""
    size = SIZES[scale]
    clock_of()  # before anything is loaded, where this system has none
    names = [f"desk-{number}" for number in range(size.agents)]
    with server(f"session_{scale}") as session:
        kept = prepared(
            session,
            f"session_{scale}",
            key=fingerprint(names),
            fill=lambda: desks.make([ALONE, *names]),
        )
        progress.stage("copying the database")
        with copy_of(session, kept) as copy, using(copy):
            report = Report("session", scale, machine())
            report.figures = loop.measure(
                ALONE, sessions=size.sessions, iterations=size.iterations, progress=progress
            )
        kinds = [Kind("steps_as_they_are", 0.0), Kind("slow_model", size.model_seconds)]
        with ExitStack() as copies:
            crews = {
                (kind.name, count): Crew(
                    copies.enter_context(copy_of(session, kept, suffix=f"{kind.name}_{count}")),
                    count,
                    kind.model_seconds,
                )
                for kind in kinds
                for count in (FEW, MANY)
            }
            progress.stage("starting workers")
            with at_work(list(crews.values())):
                _take_turns(kinds, crews, names, size, progress)
        report.figures |= {kind.name: _figures(kind) for kind in kinds}
    _judge(report)
    return report


def _take_turns(
    kinds: list[Kind],
    crews: dict[tuple[str, int], Crew],
    names: list[str],
    size: Size,
    progress: Progress,
) -> None:
    """Let the crews take turns; the first round warms up and does not count."""
    progress.stage("sessions side by side", (size.rounds + 1) * len(crews))
    for number in range(-1, size.rounds):
        for kind in kinds:
            for count in (FEW, MANY) if number % 2 else (MANY, FEW):
                with using(crews[kind.name, count].database):
                    rate, length = _batch(names, number, size.turns)
                if number >= 0:
                    kind.rates[count].append(rate)
                    if count == FEW:
                        kind.lengths.append(length)
                progress.advance()


def _batch(names: list[str], turn: int, iterations: int) -> tuple[float, float]:
    """Let all agents take a session at once; return steps a second, and a step's mean length."""
    began = desks.begin(names, turn=turn, iterations=iterations)
    until_done(desks.some_open, seconds=PATIENCE)
    desks.check_ended()
    ended: datetime = Session.objects.aggregate(last=Max("ended_at"))["last"]
    took = [
        (finished - started).total_seconds() * 1000
        for started, finished in Step.objects.filter(due_at__gte=began).values_list(
            "started_at", "finished_at"
        )
        if started and finished
    ]
    return len(took) / (ended - began).total_seconds(), statistics.mean(took)


def _figures(kind: Kind) -> Group:
    few, many = kind.rates[FEW], kind.rates[MANY]
    return {
        "step_ms": statistics.mean(kind.lengths),
        "one_worker_steps_per_s": statistics.median(few),
        "four_workers_steps_per_s": statistics.median(many),
        "four_to_one": statistics.median(b / a for a, b in zip(few, many, strict=True)),
    }


def _judge(report: Report) -> None:
    one = report.figures["an iteration"]["beside_backtest_cpu_ms"]
    report.bar("an iteration: CPU ms of the loop beside its backtest", one, "<=", 150)
    plain, slow = report.figures["steps_as_they_are"], report.figures["slow_model"]
    report.bar("steps as they are: four workers over one", plain["four_to_one"], ">=", 1.25)
    report.bar("a slow model: mean length of a step in ms", slow["step_ms"], ">=", 120)
    report.bar("a slow model: four workers over one", slow["four_to_one"], ">=", 1.6)
