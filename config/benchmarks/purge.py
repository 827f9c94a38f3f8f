"""What a purge costs, and what those who read meanwhile notice of it (SPEC M3).

One store holds an agent with research, live strategy memory, and ten times as much that expired,
which a process of its own purges in the job's batches. The agent is searched, listed and asked for
a context all the while. Stretches with a purge and as many reads without one take turns, so that
whatever else the machine does hits both alike. Python collects its garbage between stretches:
a full collection takes longer than any read, and would be what a p99 shows.
"""

import gc
import inspect
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from config.benchmarks import loading, memories
from config.benchmarks.bulk import keys_made_after
from config.benchmarks.databases import copy_of, fingerprint, prepared, server, using
from config.benchmarks.memories import INSTRUMENTS, NOW, TAGS
from config.benchmarks.progress import Progress
from config.benchmarks.purger import Purger, Took, purging
from config.benchmarks.report import Group, Report, Scale, machine
from memory.models import Agent, Standing
from memory.policies.vocabulary import STRATEGY_TYPES
from memory.schemas.browsing import BrowseQuery
from memory.schemas.search import SearchQuery
from memory.selectors import browsing, timeline
from memory.selectors.search import search
from trading.context import read_context

NAME = "purged"
LIMIT = 2.0
LEARNINGS = 20
OWN_TAGS = [tag for tag in TAGS if tag not in {"momentum", "range"}]
TABLES = (*loading.TABLES, *memories.TABLES, "memory_standing_change")
# As the migration that made standings did it for the records of before.
LEDGER = """
INSERT INTO memory_standing_change (agent_id, record_id, revision, event, before, after,
    cause_kind, cause_id, detail, at)
SELECT agent_id, record_id, 1, 'created', NULL, jsonb_build_object('tags', to_jsonb(tags),
        'confidence', confidence::text, 'validated_count', validated_count,
        'relevance_score', relevance_score::text, 'visibility', visibility,
        'community_confirmations', community_confirmations, 'expires_at',
        to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'merged_into', NULL),
    'bench', '', '{}', created_at
FROM memory_standing
"""
# What lists by tag walk, and a trigger writes elsewhere.
LISTED = """
INSERT INTO memory_record_tag (agent_id, tag, created_at, record_id)
SELECT DISTINCT s.agent_id, t.tag, r.created_at, r.id
FROM memory_standing s JOIN memory_record r ON r.id = s.record_id CROSS JOIN unnest(r.tags) t(tag)
"""

type Act = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Size:
    """How much a run does: records of research, live and expired memories, rows a stretch."""

    records: int
    live: int
    expired: int
    stretch: int

    @property
    def beside(self) -> int:
        """How many stretches are purged beside reads; a third of the rows is purged alone."""
        return self.expired * 2 // 3 // self.stretch


SIZES: dict[Scale, Size] = {
    "small": Size(records=500, live=60, expired=600, stretch=100),
    "full": Size(records=50_000, live=6_000, expired=60_000, stretch=2_000),
}


@dataclass(slots=True)
class Reads:
    """The reads of an agent in turn, what each took, and what it must answer."""

    acts: dict[str, Callable[[int], Act]]
    took: dict[str, list[float]] = field(default_factory=dict)
    said: dict[tuple[str, int], object] = field(default_factory=dict)

    def one(self, number: int, *, under: str) -> None:
        """Do each read once. What is purged is over: it changes no answer."""
        for name, make in self.acts.items():
            variant = number % 8
            act = make(variant)
            began = time.perf_counter()
            answer = act()
            self.took.setdefault(f"{name} {under}", []).append(time.perf_counter() - began)
            if self.said.setdefault((name, variant), answer) != answer:
                raise AssertionError(f"{name} answered otherwise during the purge")

    def p(self, percent: int, name: str, under: str) -> float:
        """Return a percentile in milliseconds."""
        return statistics.quantiles(self.took[f"{name} {under}"], n=100)[percent - 1] * 1000


def run(*, scale: Scale, progress: Progress) -> Report:
    """Purge beside reads and alone, and hold the reads beside a purge against those without."""
    size = SIZES[scale]
    with server(f"purge_{scale}") as session:
        key = fingerprint(size, inspect.getsource(memories) + LEDGER + LISTED)
        fill = partial(_fill, size, progress)
        kept = prepared(session, f"purge_{scale}", key=key, fill=fill)
        with copy_of(session, kept) as copy, using(copy), purging(copy) as purger:
            report = Report("purge", scale, machine())
            reads = Reads(_acts(Agent.objects.get(name=NAME).id))
            beside = _beside(reads, purger, size, progress)
            alone = _alone(purger, size, progress)
            left = Standing.objects.count()
    if left != size.live or sum(took.rows for took in (*beside, alone)) != size.expired:
        raise AssertionError(f"{left} memories are left, and {size.live} were live")
    _tell(report, reads, beside, alone)
    return report


def _fill(size: Size, progress: Progress) -> None:
    with keys_made_after(TABLES):
        world = loading.make_world(NAME)
        loading.load_history(world, records=size.records, progress=progress)
        progress.stage("loading memories", 3)
        memories.load(NAME, size.expired, dead="expired", seed="expired", seq=size.records)
        progress.advance()
        memories.load(NAME, size.live, seq=size.records + size.expired, rules=100)
        progress.advance()
        memories.finish()
        with connection.cursor() as cursor:
            cursor.execute(LEDGER)
            cursor.execute(LISTED)
        progress.advance()
        progress.stage("making the indexes")


def _acts(agent: UUID) -> dict[str, Callable[[int], Act]]:
    """Return the reads, each in eight variants, from the selectors to the models of an answer."""

    def searched(number: int) -> Act:
        asked = SearchQuery(
            tags=[TAGS[number], TAGS[(number + 3) % 8]],
            symbol=INSTRUMENTS[number % 5],
            strategy_type=STRATEGY_TYPES[number % 5],
        )
        return partial(search, agent_id=agent, asked=asked, now=NOW)

    def served(number: int) -> Act:
        return partial(
            read_context,
            agent_id=agent,
            instrument=INSTRUMENTS[number % 5],
            now=NOW,
            learnings_limit=LEARNINGS,
        )

    def listed(number: int) -> Act:
        # A tag that research has as well is walked through all of that, purge or none.
        by_tag = {"tag": OWN_TAGS[number % len(OWN_TAGS)]} if number % 2 else {}
        asked = BrowseQuery.parse({"type": "strategy_insight", **by_tag})

        def page() -> list[Any]:
            matching = browsing.matching(agent, asked, now=NOW)
            rows = matching.page(after=None, count=settings.PAGE_SIZE + 1)
            return timeline.answers(rows[: settings.PAGE_SIZE], now=NOW)

        return page

    return {"search": searched, "context": served, "list": listed}


def _beside(reads: Reads, purger: Purger, size: Size, progress: Progress) -> list[Took]:
    """Read while a stretch is purged, then as often without, or the other way round."""
    numbers = count()
    for number in range(8):
        reads.one(number, under="warming up")
    progress.stage("reading beside a purge and without", size.beside)
    done: list[Took] = []
    before = 4
    gc.disable()
    try:
        for turn in range(size.beside):
            for with_purge in (True, False) if turn % 2 else (False, True):
                gc.collect()
                if with_purge:
                    took, before = _stretch(reads, purger, size, numbers)
                    done.append(took)
                else:
                    for _ in range(before):
                        reads.one(next(numbers), under="without")
            progress.advance()
    finally:
        gc.enable()
    return done


def _stretch(reads: Reads, purger: Purger, size: Size, numbers: Iterator[int]) -> tuple[Took, int]:
    """Purge a stretch, reading as long as that takes; return what it took, and how many reads."""
    purger.begin(size.stretch)
    for done in count(1):
        reads.one(next(numbers), under="beside")
        if purger.is_done():
            return purger.result(), done
    raise AssertionError


def _alone(purger: Purger, size: Size, progress: Progress) -> Took:
    progress.stage("purging the rest alone")
    purger.begin(size.expired)
    return purger.result()


def _tell(report: Report, reads: Reads, beside: list[Took], alone: Took) -> None:
    for name in reads.acts:
        report.figures[name] = {
            "reads": len(reads.took[f"{name} beside"]),
            "p50_ms": reads.p(50, name, "without"),
            "p50_beside_ms": reads.p(50, name, "beside"),
            "p99_ms": reads.p(99, name, "without"),
            "p99_beside_ms": reads.p(99, name, "beside"),
        }
    report.figures["beside reads"] = _rates(beside)
    report.figures["alone"] = _rates([alone])
    for name in reads.acts:
        ratio = reads.p(99, name, "beside") / reads.p(99, name, "without")
        report.figures[name]["p99_beside_to_without"] = ratio
        report.bar(f"{name}: p99 beside a purge over without", ratio, "<=", LIMIT)


def _rates(all_: list[Took]) -> Group:
    rows, seconds = sum(took.rows for took in all_), sum(took.seconds for took in all_)
    batches = sum(took.batches for took in all_)
    return {
        "rows": rows,
        "rows_per_s": rows / seconds,
        "batches": batches,
        "ms_a_batch": 1000 * seconds / max(batches, 1),
        "given_way": sum(took.given_way for took in all_),
    }
