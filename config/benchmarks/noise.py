"""What a memory makes rules of where there is nothing to learn, and where there is one thing.

Noise: agents search markets of chance, session after session in one memory each, every session on a
market of its own; any rule is a false one. Power: in the same kind of market prices go on for a
while after what `volume_spike` fires at; found is a rule that names this block. Both by either
setting of RULE_PROMOTION, on the same markets. Two processes share the agents out; they work in one
database of the bench's own, and wait for no disk.
"""

import math
import random
import statistics
from collections.abc import Iterable, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass, field

from autopilot.backtest.engine import BarEngine
from autopilot.backtest.port import PERPETUAL
from autopilot.backtest.windows import split
from autopilot.strategy.schema import Strategy
from config.benchmarks.bridges import url_of
from config.benchmarks.databases import copy_of, fingerprint, prepared, server, using
from config.benchmarks.hunts import BLOCK, START, Outcome, Part, Task, processes, search
from config.benchmarks.progress import Progress
from config.benchmarks.report import Group, Report, Scale, machine

SETTINGS = ("three_insights", "guarded")
DRIFT = 0.38
"""With it the block's holdout of 10,000 bars has a t-statistic of about 3; the bench tells it."""
REFERENCE = Strategy.parse(
    {
        "name": "the block alone",
        "timeframe": "1h",
        "foundations": [{"weight": 1, "block": {"type": BLOCK}}],
        "exits": {
            "stop": {"type": "stop_atr", "mult": 2.5},
            "take_profit": {"type": "tp_r", "r": 2.0},
        },
    }
)
YEAR = 365.25
RESAMPLES, SIDE, Z = 4_000, 0.025, 1.96
NONE_AT_ALL = -math.log(SIDE)
"""Where nothing was counted, up to so much may have been expected."""
MOST_ON_NOISE, LEAST_POWER = 0.05, 0.8


@dataclass(frozen=True, slots=True)
class Size:
    """How much a run does, by either setting."""

    noise: Part
    power: Part


SIZES: dict[Scale, Size] = {
    "small": Size(
        noise=Part(agents=2, sessions=2, variants=5, bars=300),
        power=Part(agents=1, sessions=1, variants=4, bars=900, drift=DRIFT),
    ),
    "full": Size(
        noise=Part(agents=20, sessions=10, variants=30, bars=2_000),
        # A holdout is three tenths of a session's bars: here 10,000.
        power=Part(agents=20, sessions=6, variants=30, bars=33_334, drift=DRIFT),
    ),
}


@dataclass(slots=True)
class Results:
    """The sessions of each agent, agent by agent."""

    agents: list[list[Outcome]] = field(default_factory=list)

    @property
    def sessions(self) -> list[Outcome]:
        """All of them."""
        return [session for agent in self.agents for session in agent]


def run(*, scale: Scale, progress: Progress) -> Report:
    """Let agents search both kinds of markets by both settings."""
    size = SIZES[scale]
    with server(f"noise_{scale}") as session:
        kept = prepared(session, f"noise_{scale}", key=fingerprint(), fill=lambda: None)
        with copy_of(session, kept) as database:
            with using(database):
                report = Report("noise", scale, machine())
            found = _searched(size, database, progress)
    for promotion in SETTINGS:
        report.figures[f"noise, {promotion}"] = _noise(found[size.noise, promotion])
    block = _score_of_block(size.power)
    for promotion in SETTINGS:
        report.figures[f"power, {promotion}"] = _power(
            found[size.power, promotion], size.power, block
        )
    _judge(report)
    return report


def _searched(size: Size, database: str, progress: Progress) -> dict[tuple[Part, str], Results]:
    tasks = [
        Task(part, promotion, number)
        for part in (size.power, size.noise)
        for promotion in reversed(SETTINGS)
        for number in range(part.agents)
    ]
    found: dict[tuple[Part, str], Results] = {}
    progress.stage("agents on noise and on a drift", len(tasks))
    with processes(url_of(database)) as pool:
        begun = {pool.submit(search, task): task for task in tasks}
        for done in as_completed(begun):
            task = begun[done]
            found.setdefault((task.part, task.promotion), Results()).agents.append(done.result())
            progress.advance()
    return found


def _noise(results: Results) -> Group:
    sessions, wins = results.sessions, sum(one.wins for one in results.sessions)
    counts = [[len(one.rules) for one in agent] for agent in results.agents]
    low, high = _interval(counts)
    return {
        "agents": len(results.agents),
        "sessions": len(sessions),
        "variants": sum(one.variants for one in sessions),
        "succeeded_in_sample": wins / sum(one.variants for one in sessions),
        "of_these_profit_in_holdout": sum(one.kept for one in sessions) / max(wins, 1),
        "rules": sum(map(sum, counts)),
        "rules_a_session": sum(map(sum, counts)) / len(sessions),
        "low_95": low,
        "high_95": high,
        "rules_a_first_session": statistics.mean(agent[0] for agent in counts),
        "sessions_with_a_rule": sum(bool(one.rules) for one in sessions) / len(sessions),
    }


def _interval(counts: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Return the 95 % interval of the mean a session; agents are drawn again, not sessions.

    Sessions of an agent share a memory, and are no independent draws.
    """
    number = sum(map(len, counts))
    if not any(map(any, counts)):
        return 0.0, NONE_AT_ALL / number
    chance = random.Random(1)  # noqa: S311 - it must be repeatable
    means = sorted(
        sum(map(sum, drawn)) / sum(map(len, drawn))
        for drawn in (chance.choices(counts, k=len(counts)) for _ in range(RESAMPLES))
    )
    return means[int(SIDE * RESAMPLES)], means[-int(SIDE * RESAMPLES) - 1]


def _power(results: Results, part: Part, block: float) -> Group:
    agents, sessions = results.agents, results.sessions
    found = [agent for agent in agents if any(one.names_block for one in agent)]
    low, high = _share_interval(len(found), len(agents))
    rules = sum(len(one.rules) for one in sessions)
    naming = sum(BLOCK in tags for one in sessions for _, tags in one.rules)
    return {
        "agents": len(agents),
        "block_t": block,
        "power": len(found) / len(agents),
        "power_low_95": low,
        "power_high_95": high,
        **_power_by_session(agents, most=part.sessions),
        "power_of_its_type": sum(any(one.names_type for one in agent) for agent in agents)
        / len(agents),
        "sessions_until_found": statistics.mean(map(len, found)) if found else 0.0,
        "variants_until_found": _variants(found) if found else 0.0,
        "rules_a_session": rules / len(sessions),
        "rules_naming_the_block": naming / rules if rules else 0.0,
    }


def _power_by_session(agents: Sequence[Sequence[Outcome]], *, most: int) -> Group:
    return {
        f"power_by_session_{number}": sum(
            any(one.names_block for one in agent[:number]) for agent in agents
        )
        / len(agents)
        for number in range(2, most + 1)
    }


def _variants(agents: Iterable[Sequence[Outcome]]) -> float:
    return statistics.mean(sum(one.variants for one in agent) for agent in agents)


def _share_interval(hits: int, number: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    share, spread = hits / number, Z * Z / number
    middle = share + spread / 2
    half = Z * math.sqrt(share * (1 - share) / number + spread / (4 * number))
    return (middle - half) / (1 + spread), (middle + half) / (1 + spread)


def _score_of_block(part: Part) -> float:
    """Return the mean t-statistic of the block alone in the holdouts of first sessions."""
    scores = []
    for number in range(part.agents):
        bars = Task(part, SETTINGS[0], number).market(0).series(instrument="WALK1", end=START)
        _, held = split(bars)
        kpis = BarEngine().run(REFERENCE, bars, costs=PERPETUAL, window=held).kpis
        scores.append((kpis.sharpe or 0.0) * math.sqrt(kpis.days / YEAR))
    return statistics.mean(scores)


def _judge(report: Report) -> None:
    noise, power = report.figures["noise, guarded"], report.figures["power, guarded"]
    report.bar("guarded: rules a session on noise", noise["rules_a_session"], "<=", MOST_ON_NOISE)
    report.bar("guarded: power", power["power"], ">=", LEAST_POWER)
