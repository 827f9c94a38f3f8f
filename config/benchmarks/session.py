"""What the loop of a session costs beside its backtests, and what more workers bring.

The first is CPU time in one thread (see `loop`). The second is steps a second of real workers, one
against four, each crew over a database of its own, with the same sessions of several agents at
once: with steps as they are, and with a model that takes its time. The crews take turns, batch by
batch, so that whatever else the machine does hits all alike; ratios are medians over the rounds.
"""

import statistics
from contextlib import ExitStack
from dataclasses import dataclass, field

from django.db.models import Max, Min

from autopilot.models import Step
from config.benchmarks import desks, loop
from config.benchmarks.bridges import clock_of
from config.benchmarks.databases import copy_of, fingerprint, prepared, server, using
from config.benchmarks.progress import Progress
from config.benchmarks.report import Group, Report, Scale, machine
from config.benchmarks.workers import Crew, at_work, cpu_seconds, until_done

ALONE = "alone"
FEW, MANY = 1, 4
PATIENCE = 300.0


@dataclass(frozen=True, slots=True)
class Size:
    """How much a run does.

    `sessions` of so many `iterations` in one thread. Then so many `agents` at once, for `rounds`
    rounds of sessions with `turns` iterations each; and how long a slow model takes.
    """

    sessions: int
    iterations: int
    agents: int
    rounds: int
    turns: int
    model_seconds: float


SIZES: dict[Scale, Size] = {
    "small": Size(sessions=1, iterations=1, agents=2, rounds=1, turns=1, model_seconds=0.02),
    "full": Size(sessions=8, iterations=5, agents=8, rounds=4, turns=1, model_seconds=0.25),
}


@dataclass(slots=True)
class Batches:
    """What a crew did, batch by batch: steps a second, their mean length, CPU time of each."""

    rates: list[float] = field(default_factory=list)
    step_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of steps, by how long a model takes, and what both crews did of them."""

    name: str
    model_seconds: float
    by: dict[int, Batches] = field(default_factory=lambda: {FEW: Batches(), MANY: Batches()})

    def figures(self) -> Group:
        """Return lengths and CPU time as of one worker, who is not in the others' way."""
        few, many = self.by[FEW], self.by[MANY]
        return {
            "model_ms": self.model_seconds * 1000,
            "step_ms": statistics.mean(few.step_ms),
            "cluster_cpu_ms_a_step": statistics.mean(few.cpu_ms),
            "one_worker_steps_per_s": statistics.median(few.rates),
            "four_workers_steps_per_s": statistics.median(many.rates),
            "four_to_one": statistics.median(
                more / one for one, more in zip(few.rates, many.rates, strict=True)
            ),
        }


def run(*, scale: Scale, progress: Progress) -> Report:
    """Measure the loop in one thread, then workers by the process."""
    size = SIZES[scale]
    clock_of()  # before anything is loaded, where this system has none
    names = [f"desk-{number}" for number in range(size.agents)]
    kinds = [Kind("steps as they are", 0.0), Kind("a slow model", size.model_seconds)]
    with server(f"session_{scale}") as session, ExitStack() as copies:
        kept = prepared(
            session,
            f"session_{scale}",
            key=fingerprint(names),
            fill=lambda: desks.make([ALONE, *names]),
        )
        progress.stage("copying the database")
        alone, few, many = (
            copies.enter_context(copy_of(session, kept, suffix=suffix))
            for suffix in ("alone", "few", "many")
        )
        with using(alone):
            report = Report("session", scale, machine())
            report.figures = loop.measure(
                ALONE, sessions=size.sessions, iterations=size.iterations, progress=progress
            )
        _take_turns([Crew(few, FEW), Crew(many, MANY)], kinds, names, size, progress)
        report.figures |= {kind.name: kind.figures() for kind in kinds}
    _judge(report)
    return report


def _take_turns(
    crews: list[Crew], kinds: list[Kind], names: list[str], size: Size, progress: Progress
) -> None:
    """Let the crews take turns; the first round warms up and does not count."""
    progress.stage("starting workers")
    with at_work(crews) as be_patient:
        progress.stage("sessions side by side", (size.rounds + 1) * len(crews) * len(kinds))
        for number in range(-1, size.rounds):
            for kind in kinds:
                be_patient(kind.model_seconds)
                for crew in crews if number % 2 else reversed(crews):
                    with using(crew.database):
                        batches = Batches() if number < 0 else kind.by[crew.count]
                        _take(names, batches, turn=number, iterations=size.turns)
                    progress.advance()


def _take(names: list[str], batches: Batches, *, turn: int, iterations: int) -> None:
    """Let all agents take a session at once."""
    before = cpu_seconds()
    moment = desks.begin(names, turn=turn, iterations=iterations)
    until_done(desks.some_open, seconds=PATIENCE)
    spent = cpu_seconds() - before
    desks.check_ended()
    steps = Step.objects.filter(session__created_at=moment)
    span = steps.aggregate(first=Min("started_at"), last=Max("finished_at"))
    took = [
        (finished - started).total_seconds() * 1000
        for started, finished in steps.values_list("started_at", "finished_at")
        if started and finished
    ]
    batches.rates.append(len(took) / (span["last"] - span["first"]).total_seconds())
    batches.step_ms.append(statistics.mean(took))
    batches.cpu_ms.append(spent * 1000 / len(took))


def _judge(report: Report) -> None:
    one = report.figures["an iteration"]["beside_backtest_cpu_ms"]
    report.bar("an iteration: CPU ms of the loop beside its backtest", one, "<=", 150)
    plain, slow = report.figures["steps as they are"], report.figures["a slow model"]
    report.bar("steps as they are: four workers over one", plain["four_to_one"], ">=", 1.25)
    # What it stands for: with shorter steps the next bar would say nothing.
    report.bar("a slow model: mean ms of a step", slow["step_ms"], ">=", 120)
    report.bar("a slow model: four workers over one", slow["four_to_one"], ">=", 1.6)
