"""That browsing costs the same however long the agent's history is (SPEC E3, E6).

The two histories of `bench context`, in one store. A page at depth begins where a twentieth of the
history is left; all others are the newest. Each read is what an interface does with a request,
from the selectors to the models of its answer.
"""

import statistics
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

from config.benchmarks import loading
from config.benchmarks.databases import as_default, server
from config.benchmarks.histories import LONG, SHORT, SIZES, milliseconds, pages, shared_store
from config.benchmarks.progress import Progress
from config.benchmarks.report import Group, Report, Scale, machine
from memory.models import Agent, Record
from memory.policies.ownership import UserActor
from memory.schemas.browsing import BrowseQuery, LineageQuery, TimeFilter
from memory.selectors import access, browsing, lineage, timeline
from memory.selectors.types import TypesInUse

READS: dict[Scale, int] = {"small": 3, "full": 100}
JUDGED = ("page_at_depth", "types", "record")
LIMIT = 1.5
LAST_DAY = loading.END.date().isoformat()
FILTERS: dict[str, dict[str, str]] = {
    "page": {},
    "page_of_type": {"type": loading.TYPES[0]},
    "page_of_instrument": {"instrument": loading.INSTRUMENTS[0]},
    "page_of_tag": {"tag": "range"},
    "page_of_scope": {"scope": "agent"},
    "page_of_day": {"from": LAST_DAY, "to": LAST_DAY, "tz": "Europe/Berlin"},
}
AT_DEPTH = ("page", "page_of_type", "page_of_instrument", "page_of_tag", "page_of_scope")

type Reads = dict[str, Callable[[], list[Any]]]


@dataclass(slots=True)
class Depth:
    """One length of history: its reads by name, and what was measured of each."""

    label: str
    database: BaseDatabaseWrapper
    reads: Reads
    took: dict[str, list[float]] = field(default_factory=dict)
    touched: dict[str, int] = field(default_factory=dict)

    def figures(self) -> Group:
        """Return what was measured."""
        return {
            f"{name}_{what}": value
            for name in self.reads
            for what, value in (
                ("p50_ms", statistics.median(self.took[name])),
                ("pages", self.touched[name]),
            )
        }


def run(*, scale: Scale, progress: Progress) -> Report:
    """Measure both lengths of history and hold the long one against the short one."""
    with server(f"context_{scale}") as session, ExitStack() as opened:
        shared = shared_store(session, scale=scale, opened=opened, progress=progress)
        depths = [
            _depth(f"{size:,} records", shared, world)
            for size, world in zip(SIZES[scale], (SHORT, LONG), strict=True)
        ]
        with as_default(shared):
            _measure(depths, scale, progress)
            report = Report("browse", scale, machine())
    _judge(report, depths)
    return report


def _depth(label: str, database: BaseDatabaseWrapper, world: str) -> Depth:
    with as_default(database):
        agent = loading.find_world(world).agent
        depth = Depth(label, database, _reads(agent))
        for name, read in depth.reads.items():
            if not read():
                raise AssertionError(f"{name} finds nothing")
    return depth


def _reads(agent: Agent) -> Reads:
    """Return all reads of an agent's history."""
    records = Record.objects.filter(agent=agent)
    count = agent.tail.last_seq
    deep = records.get(seq=max(count // 20, settings.PAGE_SIZE + 1))
    newest = records.get(seq=count)
    place = (deep.created_at, deep.id)
    person = UserActor(user_id=agent.owner_id, is_staff=False)
    found: Reads = {name: _page(agent.id, name, None) for name in FILTERS}
    found |= {f"{name}_at_depth": _page(agent.id, name, place) for name in AT_DEPTH}
    found["types"] = _types(agent.id, {})
    found["types_of_24h"] = _types(agent.id, {"window": "24h"})
    found["record"] = lambda: [_record(person, agent.id, deep.id)]
    found["lineage"] = lambda: (
        lineage.trace(
            agent_id=agent.id,
            record_id=newest.id,
            asked=LineageQuery.parse({}),
            now=loading.END,
        ).nodes
    )
    return found


def _page(agent_id: UUID, name: str, place: browsing.Place | None) -> Callable[[], list[Any]]:
    asked = BrowseQuery.parse(FILTERS[name])

    def read() -> list[Any]:
        matching = browsing.matching(agent_id, asked, now=loading.END)
        # One more, as all lists do, to see whether there are others.
        rows = matching.page(after=place, count=settings.PAGE_SIZE + 1)
        return timeline.answers(rows[: settings.PAGE_SIZE], now=loading.END)

    return read


def _types(agent_id: UUID, asked: dict[str, str]) -> Callable[[], list[Any]]:
    window = TimeFilter.parse(asked).period(now=loading.END)
    types = TypesInUse(agent_id, window=window, now=loading.END)
    return lambda: types.rows(place=None, backwards=False, count=settings.PAGE_SIZE + 1)


def _record(person: UserActor, agent_id: UUID, record_id: UUID) -> object:
    record = access.access_record(person, agent_id, record_id, now=loading.END)
    return timeline.answer(record, now=loading.END)


def _measure(depths: list[Depth], scale: Scale, progress: Progress) -> None:
    names = list(depths[0].reads)
    progress.stage("counting pages", len(names))
    for name in names:
        for depth in depths:
            depth.touched[name] = pages(depth.reads[name])
        progress.advance()
    progress.stage("reading in turn", READS[scale])
    for number in range(READS[scale]):
        for name in names:
            for depth in depths[:: 1 if number % 2 else -1]:
                depth.took.setdefault(name, []).append(milliseconds(depth.reads[name]))
        progress.advance()


def _judge(report: Report, depths: list[Depth]) -> None:
    report.figures = {depth.label: depth.figures() for depth in depths}
    short, long = report.figures.values()
    growth = {name: long[name] / short[name] for name in short}
    report.figures["growth"] = growth
    for name in JUDGED:
        what = f"{name.replace('_', ' ')} p50, long over short history"
        report.bar(what, growth[f"{name}_p50_ms"], "<=", LIMIT)
