"""What a write costs in one statement, and what in other ways (a record, 2 targets, 3 links).

Each way writes the same drafts for an agent of its own with the same history, and the ways take
turns in short batches, so that whatever else the machine does hits all alike. Ratios are medians
over the rounds. At the end all agents must hold the same, and heads must equal the oracle.
"""

import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from uuid import UUID

from django.db import connection

from config.benchmarks import loading, posting, variants
from config.benchmarks.agreement import check_agreement
from config.benchmarks.bulk import keys_made_after
from config.benchmarks.databases import copy_of, fingerprint, prepared, server, using
from config.benchmarks.progress import Progress
from config.benchmarks.report import Group, Report, Scale, machine
from config.benchmarks.writers import Writers, crew
from memory.policies.ownership import TokenActor
from memory.schemas.records import RecordDraft
from memory.services.runs import start_run_with_token
from memory.services.tokens import authenticate

WAYS = ("statement", "orm", "separate")
"""The ways that leave the same rows. Each has an agent called like it."""
WORLDS = (*WAYS, "unposted")
"""The ways that have such an agent. What is written without postings is compared with nothing."""
CREWS = (1, 4, 8)
LINK_TYPES = ("evidence", "supports", "derived_from")
LIFE = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Size:
    """How much a run does: history of each agent, rounds by writers, writes of a batch, posts."""

    records: int
    rounds: dict[int, int]
    batch: int
    posts: int


SIZES: dict[Scale, Size] = {
    "small": Size(records=200, rounds={1: 2, 4: 1, 8: 1}, batch=2, posts=3),
    "full": Size(records=50_000, rounds={1: 50, 4: 12, 8: 8}, batch=15, posts=200),
}


class Drafts:
    """Makes the same drafts for each way, at moments of their own."""

    def __init__(self) -> None:
        self.dice = random.Random(7)  # noqa: S311 - drafts, not secrets
        self.numbers = count(1)
        self.worlds = {way: loading.find_world(way) for way in WORLDS}
        self.targets = {
            way: loading.newest_ids(world, limit=200) for way, world in self.worlds.items()
        }
        self.actors = {way: _actors(world) for way, world in self.worlds.items()}

    def batches(self, *, writers: int, size: int) -> dict[str, list[list[variants.Parameters]]]:
        """Return, by way, one batch of prepared writes for each writer."""
        out: dict[str, list[list[variants.Parameters]]] = {way: [] for way in WORLDS}
        for writer in range(writers):
            plans = [self._plan() for _ in range(size)]
            for way in WORLDS:
                actor, ids = self.actors[way][writer], self.targets[way]
                out[way].append(
                    [
                        variants.parameters_of(actor, draft_of(body, ids, places), now=now)
                        for body, places, now in plans
                    ]
                )
        return out

    def _plan(self) -> tuple[dict[str, object], list[int], datetime]:
        number = next(self.numbers)
        body: dict[str, object] = {
            "type": self.dice.choice(loading.TYPES),
            "scope": "instruments",
            "instruments": self.dice.sample(loading.INSTRUMENTS, 2),
            "timeframe": "4h",
            "content": f"{number}: {loading.PROSE}{loading.PROSE}",
            "metadata": {"confidence": "0.64", "levels": {"entry": "3211.5", "stop": "3150"}},
            "tags": ["momentum", "range"],
        }
        places = self.dice.sample(range(len(self.targets["statement"])), len(LINK_TYPES))
        return body, places, loading.END + timedelta(milliseconds=number)


def draft_of(body: dict[str, object], ids: list[UUID], places: list[int]) -> RecordDraft:
    """Return the draft of `body` with links to the records at `places` of `ids`."""
    links = [
        {"target_memory_id": ids[place], "link_type": kind}
        for place, kind in zip(places, LINK_TYPES, strict=True)
    ]
    return RecordDraft.parse({**body, "links": links})


def _actors(world: loading.World) -> list[TokenActor]:
    """Start a run for each writer, by a producer of its own, and return who bears its token."""
    actors = []
    for producer in world.research[: max(CREWS)]:
        _, _, clear = start_run_with_token(producer=producer, now=loading.END, life=LIFE)
        actors.append(authenticate(clear, now=loading.END))
    return actors


def run(*, scale: Scale, progress: Progress) -> Report:
    """Measure writes by one, four and eight writers, then whole requests."""
    size = SIZES[scale]
    with server(f"publish_{scale}") as session:
        kept = prepared(
            session,
            f"publish_{scale}",
            key=fingerprint(size.records),
            fill=_filled(size.records, progress),
        )
        progress.stage("copying the database")
        with copy_of(session, kept) as copy, using(copy):
            with connection.cursor() as cursor:
                cursor.execute(variants.BARE_TABLE)
            report = Report("publish", scale, machine())
            drafts = Drafts()
            for writers in CREWS:
                with crew(copy, count=writers) as threads:
                    name = "1 writer" if writers == 1 else f"{writers} writers"
                    report.figures[name] = _measure(threads, drafts, size, progress)
            progress.stage("comparing what the ways left")
            same = [drafts.worlds[way] for way in WAYS]
            check_agreement(same, instruments=loading.INSTRUMENTS)
            report.figures["REST"] = posting.measure(copy, posts=size.posts, progress=progress)
    _judge(report)
    return report


def _filled(records: int, progress: Progress) -> Callable[[], None]:
    def fill() -> None:
        worlds = [loading.make_world(way) for way in WORLDS]
        with keys_made_after(loading.TABLES):
            for world in worlds:
                loading.load_history(world, records=records, progress=progress)

    return fill


def _measure(threads: Writers, drafts: Drafts, size: Size, progress: Progress) -> Group:
    """Let the ways take turns; return the medians of their rates and of the rounds' ratios."""
    rounds = size.rounds[threads.count]
    progress.stage(f"writing, {threads.count} at a time", rounds + 1)
    spent: dict[str, list[float]] = {name: [] for name in variants.VARIANTS}
    names = list(spent)
    for number in range(-1, rounds):  # the first round warms up and does not count
        batches = drafts.batches(writers=threads.count, size=size.batch)
        batches["bare"] = batches["statement"]
        for name in names:
            took = threads.seconds(variants.VARIANTS[name], batches[name])
            if number >= 0:
                spent[name].append(took)
        names.append(names.pop(0))  # nobody always writes after the same neighbour
        progress.advance()
    return _rates(spent, writes=threads.count * size.batch)


def _rates(spent: dict[str, list[float]], *, writes: int) -> Group:
    rates = {f"{name}_per_s": writes / statistics.median(took) for name, took in spent.items()}
    ratios = {
        f"statement_to_{name}": statistics.median(
            other / ours for other, ours in zip(took, spent["statement"], strict=True)
        )
        for name, took in spent.items()
        if name != "statement"
    }
    return {**rates, **ratios}


def _judge(report: Report) -> None:
    alone = report.figures["1 writer"]
    report.bar("1 writer: statement over the ORM", alone["statement_to_orm"], ">=", 1.8)
    report.bar(
        "1 writer: statement over separate statements", alone["statement_to_separate"], ">=", 1.2
    )
    # How much longer a write takes for its postings.
    report.bar("1 writer: cost of the postings", 1 / alone["statement_to_unposted"] - 1, "<=", 0.35)
    report.bar("REST: share of the limit", report.figures["REST"]["share_of_limit"], "<=", 0.1)
