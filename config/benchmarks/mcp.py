"""What a tool call costs the bridge, over the service that it calls.

Cost is CPU time, user and system: of the bridge's process for calls over HTTP and TCP, of this
thread for the same service called directly, from the bearer's token to the answer's model. All take
turns in short batches, so that whatever else the machine does hits all alike; ratios are medians
over the rounds. Last, the same callers are served by one process, and by two that share them.
"""

import inspect
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone

from config.benchmarks import loading, memories, questions
from config.benchmarks.bridges import WAYS, Bridge, Way, bridges, clock_of, milliseconds, ways
from config.benchmarks.bulk import keys_made_after
from config.benchmarks.databases import copy_of, fingerprint, prepared, server, using
from config.benchmarks.progress import Progress
from config.benchmarks.report import Group, Report, Scale, machine
from mcp_bridge.tools.context import WHOLE_CHARS, ContextArguments
from mcp_bridge.tools.records import ListQuery
from memory.models import Agent, Producer
from memory.policies.ownership import TokenActor
from memory.policies.vocabulary import STRATEGY_TYPES
from memory.schemas.records import RecordDraft
from memory.schemas.search import SearchQuery
from memory.selectors import access, browsing, timeline
from memory.selectors.search import access_search, search
from memory.services import publish, setup
from memory.services.runs import start_run_with_token
from memory.services.tokens import authenticate
from trading.context import read_context
from trading.market.instruments import known_names, resolve

type Act = Callable[[], list[str]]
DESK, LIBRARY = "desk", "library"
# The bridge goes by the real clock, so what is to be found must outlive the fixed end.
KEPT = "UPDATE memory_standing SET expires_at = expires_at + interval '100 years'"


@dataclass(frozen=True, slots=True)
class Size:
    """How much a run does: records, memories, rounds, calls of a batch; callers and their turns."""

    records: int
    memories: int
    rounds: int
    batch: int
    callers: int
    turns: int


SIZES: dict[Scale, Size] = {
    "small": Size(records=200, memories=60, rounds=1, batch=1, callers=2, turns=1),
    "full": Size(records=50_000, memories=2_000, rounds=20, batch=10, callers=4, turns=2),
}


@dataclass(slots=True)
class Subject:
    """A tool, who calls it with what, the service it calls, and where its answer has ids."""

    name: str
    token: str
    arguments: dict[str, Any]
    service: Callable[[TokenActor, dict[str, Any], datetime], Any]
    listed: str = ""
    id_name: str = "id"
    spent: dict[str, list[float]] = field(default_factory=dict)

    def direct(self) -> list[str]:
        """Call the service as the bearer; return the ids of its answer."""
        now = timezone.now()
        actor = authenticate(self.token, now=now)
        return [str(getattr(one, self.id_name)) for one in self.service(actor, self.arguments, now)]

    def over(self, way: Way) -> list[str]:
        """Call the tool; return the ids of its answer."""
        answer = way.call(self.name, self.arguments)
        return [one[self.id_name] for one in (answer[self.listed] if self.listed else [answer])]


def _write(actor: TokenActor, arguments: dict[str, Any], now: datetime) -> list[Any]:
    writer = access.access_writer(actor, actor.agent_id)
    draft = RecordDraft.parse(arguments, context=publish.bounds())
    return [publish.publish(actor=writer, draft=draft, now=now)]


def _list(actor: TokenActor, arguments: dict[str, Any], now: datetime) -> list[Any]:
    owner = access.access_browsing(actor, actor.agent_id)
    query = ListQuery.parse(arguments)
    # One more, as the tool does, to see whether there are older ones.
    rows = browsing.matching(owner.id, query, now=now).page(after=None, count=query.limit + 1)
    return timeline.answers(rows[: query.limit], now=now)


def _context(actor: TokenActor, arguments: dict[str, Any], now: datetime) -> list[Any]:
    owner = access.access_agent(actor, actor.agent_id)
    query = ContextArguments.parse(arguments)
    found = read_context(
        agent_id=owner.id,
        instrument=query.instrument,
        now=now,
        max_chars=WHOLE_CHARS,
        learnings_limit=settings.CONTEXT_LEARNINGS,
    )
    return found.evidence


def _search(actor: TokenActor, arguments: dict[str, Any], now: datetime) -> list[Any]:
    agent = access_search(actor, actor.agent_id)
    asked = SearchQuery.parse(arguments)
    canonical = resolve(name=asked.symbol or "", known=known_names())
    asked = asked.model_copy(update={"symbol": canonical or asked.symbol})
    return search(agent_id=agent.id, asked=asked, now=now).items


def run(*, scale: Scale, progress: Progress) -> Report:
    """Measure each tool in each way, then one process against two."""
    size = SIZES[scale]
    clock_of()  # before the long load, where this system has none
    with server(f"mcp_{scale}") as session:
        kept = prepared(
            session,
            f"mcp_{scale}",
            key=fingerprint(size.records, size.memories, KEPT, inspect.getsource(memories)),
            fill=lambda: _fill(size, progress),
        )
        progress.stage("copying the database")
        with copy_of(session, kept) as copy, using(copy):
            report = Report("mcp", scale, machine())
            subjects = _subjects()
            progress.stage("starting two bridges")
            with bridges(copy, count=2) as pair:
                _take_turns(subjects, pair[0], size, progress)
                report.figures = {one.name: _figures(one) for one in subjects}
                report.figures["processes"] = _share(subjects, pair, size, progress)
    _judge(report)
    return report


def _fill(size: Size, progress: Progress) -> None:
    desk = loading.make_world(DESK)
    with keys_made_after(memories.TABLES):
        memories.load(LIBRARY, size.memories, rules=100)
        with connection.cursor() as cursor:
            cursor.execute(KEPT)
        memories.finish()
    with keys_made_after(loading.TABLES):
        loading.load_history(desk, records=size.records, progress=progress)


def _subjects() -> list[Subject]:
    """Open runs, make the desk's research fresh, and say what is called."""
    now = timezone.now()
    world = loading.find_world(DESK)
    tokens = [_token(producer, now) for producer in world.research]
    for place, token in enumerate(tokens):
        actor = authenticate(token, now=now)
        about = ["BTC", "ETH"] if place < loading.TARGETED else []
        for type_ in loading.TYPES:
            _write(actor, _draft(type_, about), now)
    library = Agent.objects.get(name=LIBRARY)
    reader = setup.create_producer(
        agent=library, role="analysis", name="reader", schedule=None, now=now
    )
    ids = map(str, loading.newest_ids(world, limit=3))
    links = [{"target_memory_id": id_, "link_type": "evidence"} for id_ in ids]
    asked = {
        "tags": memories.TAGS[:2],
        "symbol": "ETH",
        "strategy_type": STRATEGY_TYPES[0],
        "query": questions.asked()[7].question,
    }
    desk, note = tokens[0], {**_draft("momentum", ["BTC", "ETH"]), "links": links}
    return [
        Subject("write_memory", desk, note, _write),
        Subject("list_memories", desk, {"limit": 8}, _list, "results"),
        Subject(
            "get_instrument_context", desk, {"instrument": "BTC"}, _context, "evidence", "memory_id"
        ),
        Subject("search_agent_memory", _token(reader, now), asked, _search, "items", "memory_id"),
    ]


def _token(producer: Producer, now: datetime) -> str:
    return start_run_with_token(producer=producer, now=now, life=timedelta(days=1))[2]


def _draft(type_: str, about: list[str]) -> dict[str, Any]:
    return {
        "type": type_,
        "scope": "instruments" if about else "agent",
        "instruments": about,
        "timeframe": "4h",
        "content": loading.PROSE,
        "metadata": {"confidence": "0.64", "levels": {"entry": "3211.5", "stop": "3150"}},
        "tags": ["momentum", "range"],
    }


def _take_turns(subjects: list[Subject], served: Bridge, size: Size, progress: Progress) -> None:
    """Let the service and the ways take turns, tool by tool."""
    progress.stage("calling in turn", size.rounds + 1)
    with ExitStack() as opened:
        acts = [_acts(one, served, opened) for one in subjects]
        for number in range(-1, size.rounds):  # the first round warms up and does not count
            for subject, by in zip(subjects, acts, strict=True):
                if number < 0:
                    _check(subject, by)
                names, turn = list(by), number % len(by)
                for name in names[turn:] + names[:turn]:
                    clock = time.thread_time if name == "direct" else served.cpu
                    took = milliseconds(clock, by[name], times=size.batch)
                    if number >= 0:
                        subject.spent.setdefault(name, []).append(took)
            progress.advance()


def _acts(subject: Subject, served: Bridge, opened: ExitStack) -> dict[str, Act]:
    found = opened.enter_context(ways(served, token=subject.token))
    over = {name: partial(subject.over, way) for name, way in found.items()}
    return {"direct": subject.direct, **over}


def _check(subject: Subject, by: dict[str, Act]) -> None:
    """Hold the answers against each other: a cheap wrong answer is no figure."""
    found, *told = (act() for act in by.values())
    for ids in told:
        # A tool's answer may end before the service's does: it has a budget of characters.
        same = ids == found[: len(ids)] if subject.listed else len(ids) == len(found)
        if not ids or not same:
            raise AssertionError(f"{subject.name} and its service answer differently")


def _figures(subject: Subject) -> Group:
    spent = subject.spent
    cost = {f"{name}_cpu_ms": statistics.median(took) for name, took in spent.items()}
    return cost | {f"{name}_to_direct": _ratio(spent[name], spent["direct"]) for name in WAYS}


def _ratio(ours: list[float], base: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(ours, base, strict=True))


def _share(subjects: list[Subject], pair: list[Bridge], size: Size, progress: Progress) -> Group:
    """Let the same callers be served by one process and by two in turn, over HTTP."""
    rounds = 4 * size.rounds  # the ratio comes near its bar, and one round says little
    progress.stage("one process and two", rounds + 1)
    spent: dict[str, list[float]] = {"one": [], "two": []}
    calls = len(subjects) * size.callers * size.turns
    with ExitStack() as opened, ThreadPoolExecutor(size.callers) as pool:
        crews = {
            "one": [_caller(subjects, pair[0], opened) for _ in range(size.callers)],
            "two": [_caller(subjects, pair[n % 2], opened) for n in range(size.callers)],
        }
        for number in range(-1, rounds):
            for name in ("one", "two") if number % 2 else ("two", "one"):
                began = sum(one.cpu() for one in pair)
                for ended in [pool.submit(act, size.turns) for act in crews[name]]:
                    ended.result()
                if number >= 0:
                    took = sum(one.cpu() for one in pair) - began
                    spent[name].append(took * 1000 / calls)
            progress.advance()
    return {
        "one_process_cpu_ms": statistics.median(spent["one"]),
        "two_processes_cpu_ms": statistics.median(spent["two"]),
        "two_to_one": _ratio(spent["two"], spent["one"]),
    }


def _caller(subjects: list[Subject], served: Bridge, opened: ExitStack) -> Callable[[int], None]:
    """Return a caller of all tools in turn, over connections of its own."""
    own = [(one, opened.enter_context(ways(served, token=one.token))) for one in subjects]

    def act(times: int) -> None:
        for _ in range(times):
            for subject, by in own:
                subject.over(by["modern"])

    return act


def _judge(report: Report) -> None:
    for name, group in report.figures.items():
        if "modern_to_direct" in group:
            report.bar(f"{name}: call over its service", group["modern_to_direct"], "<=", 2.5)
        else:
            report.bar("a call to two processes over one", group["two_to_one"], "<=", 1.1)
