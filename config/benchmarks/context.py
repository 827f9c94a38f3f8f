"""That a context read costs the same however long the agent's history is (SPEC C13).

One store holds two agents, one with a hundred times the history of the other; both end alike, with
the same 50 lanes and the same corrections. Reads take turns, so that whatever else the machine does
hits all alike. Pages are those that the very statements of `read_context` touch, by EXPLAIN
(ANALYZE, BUFFERS).

Of the long history's records 60,000 are corrections that are past their deadline; each is the
newest of a lane of its own, as most corrections are (SPEC C8).

A third agent, with the short history, has a store of its own, which shows what the bars leave out:
the indexes of a store of 10,000 rows are one level lower, whosever rows they are, so that each
lookup touches one page less. Up to some 20 million rows no further level comes.
"""

import statistics
from contextlib import ExitStack
from dataclasses import dataclass, field
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from config.benchmarks import loading
from config.benchmarks.databases import as_default, server
from config.benchmarks.histories import (
    LONG,
    SHORT,
    SIZES,
    milliseconds,
    pages,
    shared_store,
    store,
)
from config.benchmarks.progress import Progress
from config.benchmarks.report import Group, Report, Scale, machine
from memory.models import Record
from memory.selectors.heads import chosen
from memory.selectors.history import chosen_from_history
from trading.context import read_context
from trading.schemas import ContextOut

READS = {"small": 5, "full": 400}
PLAIN_READS = {"small": 2, "full": 7}
LANES = 50
INSTRUMENT = "BTC"

# What one writes without heads: the newest of each lane out of the whole history. It has the same
# indexes to choose from, and fetches ids alone.
PLAIN = """
SELECT DISTINCT ON (lane.producer_id, lane.type) lane.id
FROM (
    SELECT t.producer_id, t.type, t.created_at, t.record_id AS id FROM memory_target t
    WHERE t.agent_id = %(agent)s AND t.instrument_id = %(instrument)s
      AND t.originals_hash IS NULL
    UNION ALL
    SELECT r.producer_id, r.type, r.created_at, r.id FROM memory_record r
    WHERE r.agent_id = %(agent)s AND r.scope = 'agent' AND r.originals_hash IS NULL
) lane
JOIN memory_producer p ON p.agent_id = %(agent)s AND p.id = lane.producer_id
    AND p.role = 'analysis'
ORDER BY lane.producer_id, lane.type, lane.created_at DESC, lane.id DESC
"""


@dataclass(slots=True)
class Depth:
    """One length of history: where it lies, and what was measured there."""

    label: str
    database: BaseDatabaseWrapper
    agent: UUID
    reads: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)
    pages: int = 0
    plain_pages: int = 0
    corrections: int = 0

    def read(self) -> ContextOut:
        """Read the context as the interfaces do."""
        return read_context(
            agent_id=self.agent,
            instrument=INSTRUMENT,
            now=loading.END,
            learnings_limit=settings.CONTEXT_LEARNINGS,
        )

    def read_plain(self) -> set[UUID]:
        """Find the newest record of each lane by DISTINCT ON."""
        with connection.cursor() as cursor:
            cursor.execute(PLAIN, {"agent": self.agent, "instrument": INSTRUMENT})
            return {row[0] for row in cursor.fetchall()}

    def figures(self) -> Group:
        """Return what was measured."""
        return {
            "context_p50_ms": statistics.median(self.reads),
            "context_p95_ms": statistics.quantiles(self.reads, n=20)[-1],
            "context_pages": self.pages,
            "corrections": self.corrections,
            "distinct_on_p50_ms": statistics.median(self.plain),
            "distinct_on_pages": self.plain_pages,
        }


def run(*, scale: Scale, progress: Progress) -> Report:
    """Measure both lengths of history and hold the long one against the short one."""
    short, long = SIZES[scale]
    with server(f"context_{scale}") as session, ExitStack() as opened:
        shared = shared_store(session, scale=scale, opened=opened, progress=progress)
        alone = store(
            session,
            "context_alone",
            {SHORT: short},
            scale=scale,
            opened=opened,
            progress=progress,
        )
        depths = [
            _depth(f"{short:,} records", shared, SHORT),
            _depth(f"{long:,} records", shared, LONG),
            _depth(f"{short:,} in a store of their own", alone, SHORT),
        ]
        _measure(depths, scale, progress)
        with as_default(shared):
            report = Report("context", scale, machine())
    _judge(report, depths)
    return report


def _depth(label: str, database: BaseDatabaseWrapper, world: str) -> Depth:
    with as_default(database):
        depth = Depth(label, database, loading.find_world(world).agent.id)
        _check(depth)
    return depth


def _check(depth: Depth) -> None:
    """Hold heads, oracle and DISTINCT ON against each other: a fast wrong answer is no figure."""
    past = settings.CONTEXT_PAST_CORRECTIONS
    from_heads = chosen(depth.agent, instrument=INSTRUMENT, past=past, now=loading.END)
    research = {lane.id for lane in from_heads.lanes if not lane.originals}
    if (
        from_heads
        != chosen_from_history(depth.agent, instrument=INSTRUMENT, past=past, now=loading.END)
        or research != depth.read_plain()
    ):
        raise AssertionError("heads, history and DISTINCT ON disagree")
    listed = depth.read().evidence
    fresh = [one for one in listed if one.status == "fresh"]
    if not len(research) == sum(not one.correction_target_ids for one in fresh) == LANES:
        raise AssertionError(f"{len(research)} lanes and {len(fresh)} fresh records, not {LANES}")
    if not any(one.correction_target_ids for one in fresh):
        raise AssertionError("no correction is fresh")
    corrections = Record.objects.filter(agent_id=depth.agent, originals_hash__isnull=False)
    depth.corrections = corrections.count()


def _measure(depths: list[Depth], scale: Scale, progress: Progress) -> None:
    progress.stage("reading contexts in turn", READS[scale])
    for depth in depths:
        with as_default(depth.database):
            depth.pages = pages(depth.read)
            depth.plain_pages = pages(depth.read_plain)
    for number in range(READS[scale]):
        for depth in depths[number % 3 :] + depths[: number % 3]:
            with as_default(depth.database):
                depth.reads.append(milliseconds(depth.read))
        progress.advance()
    progress.stage("the same by DISTINCT ON", PLAIN_READS[scale])
    for _ in range(PLAIN_READS[scale]):
        for depth in depths:
            with as_default(depth.database):
                depth.plain.append(milliseconds(depth.read_plain))
        progress.advance()


def _judge(report: Report, depths: list[Depth]) -> None:
    report.figures = {depth.label: depth.figures() for depth in depths}
    before, after, _ = report.figures.values()
    growth = {name: after[name] / before[name] for name in before}
    report.figures["growth"] = growth
    report.bar("context p50, long over short history", growth["context_p50_ms"], "<=", 1.3)
    report.bar("context pages, long over short history", growth["context_pages"], "<=", 1.1)
