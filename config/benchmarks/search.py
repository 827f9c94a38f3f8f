"""What a search costs beside dead rows and beside whole-table ranking, and whether it finds.

One store holds fifty agents with two thousand memories each, and two that are alike but for their
past: one has its live insights alone, the other a hundred times as many that expired or were
erased. They take turns, so that whatever else the machine does hits both alike. A last agent holds
the insights of `questions`, and is asked for each of them in other words.
"""

import inspect
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from typing import Any
from uuid import UUID

from django.db import connection

from config.benchmarks import memories, questions
from config.benchmarks.bulk import keys_made_after
from config.benchmarks.databases import fingerprint, prepared, server, using
from config.benchmarks.memories import BEGUN, INSTRUMENTS, NOW, TAGS
from config.benchmarks.progress import Progress
from config.benchmarks.report import Group, Report, Scale, machine
from memory.models import Agent, Instrument
from memory.policies.vocabulary import STRATEGY_TYPES
from memory.schemas.search import SearchQuery
from memory.selectors.reach import OWN_ALONE
from memory.selectors.search import by_words, search

ALONE, AGED, LIBRARY = "alone", "aged", "library"
FLOOR = 0.95
"""Of the questions, how many must find their insight among the first ten."""

# What one writes first: a text vector on each row with the usual index, over everybody's rows.
PLAIN_TABLE = """
CREATE TABLE bench_text AS SELECT r.id, r.content, to_tsvector('english', r.content) AS words
FROM memory_record r JOIN memory_agent a ON a.id = r.agent_id
WHERE a.name LIKE 'agent %%';
CREATE INDEX ON bench_text USING gin (words);
"""
PLAIN = """
SELECT id FROM bench_text, (
    SELECT string_agg(quote_literal(lexeme), ' | ')::tsquery AS q
    FROM unnest(to_tsvector('english', %s))) asked
WHERE words @@ q ORDER BY ts_rank(words, q) DESC, id DESC LIMIT 10
"""


@dataclass(frozen=True, slots=True)
class Size:
    """How much a run does: agents, memories of each, live and dead rows, searches."""

    agents: int
    memories: int
    live: int
    dead: int
    searches: int


SIZES: dict[Scale, Size] = {
    "small": Size(agents=3, memories=200, live=60, dead=600, searches=5),
    "full": Size(agents=50, memories=2_000, live=6_000, dead=600_000, searches=300),
}


def run(*, scale: Scale, progress: Progress) -> Report:
    """Measure the cascade beside dead rows, questions beside ts_rank, and how many are answered."""
    size = SIZES[scale]
    with server(f"search_{scale}") as session:
        kept = prepared(
            session,
            f"search_{scale}",
            key=fingerprint(size, _source()),
            fill=lambda: _fill(size, progress),
        )
        with using(kept):
            report = Report("search", scale, machine())
            agents = {agent.name: agent.id for agent in Agent.objects.all()}
            report.figures["by tags"] = _by_tags(agents, size, progress)
            report.figures["by words"] = _by_words(agents, size, progress)
            report.figures["questions"] = _questions(agents[LIBRARY], progress)
    _judge(report)
    return report


def _source() -> str:
    """Return all that a kept store depends on."""
    return inspect.getsource(questions) + inspect.getsource(memories) + PLAIN_TABLE


def _fill(size: Size, progress: Progress) -> None:
    for name in INSTRUMENTS:
        Instrument.objects.create(id=name, kind="perpetual", source="bench", seen_at=BEGUN)
    progress.stage("loading memories", size.agents + 5)
    with keys_made_after(memories.TABLES):
        for number in range(size.agents):
            memories.load(f"agent {number}", size.memories, rules=100)
            progress.advance()
        memories.load(ALONE, size.live)
        progress.advance()
        half = size.dead // 2
        memories.load(AGED, size.dead - half, dead="erased", seed="erased")
        progress.advance()
        memories.load(AGED, half, dead="expired", seed="expired", seq=size.dead - half)
        progress.advance()
        # The same rows as of the agent that has no past.
        memories.load(AGED, size.live, seq=size.dead)
        progress.advance()
        memories.load(LIBRARY, len(questions.asked()), numbered=False)
        progress.advance()
        progress.stage("making tags, postings and indexes")
        memories.finish()
    with connection.cursor() as cursor:
        cursor.execute(PLAIN_TABLE.replace("%%", "%"))


def _by_tags(agents: dict[str, UUID], size: Size, progress: Progress) -> Group:
    """Let the agent with a past and the one without take turns at the same questions."""
    places = cycle(range(len(INSTRUMENTS)))
    progress.stage("searching by tags", size.searches)
    spent: dict[str, list[float]] = {ALONE: [], AGED: []}
    for number in range(-3, size.searches):  # the first warm up
        place = next(places)
        asked = SearchQuery(
            tags=[TAGS[number % 8], TAGS[(number + 3) % 8]],
            symbol=INSTRUMENTS[place],
            strategy_type=STRATEGY_TYPES[place],
        )
        shown = []
        for name in (ALONE, AGED) if number % 2 else (AGED, ALONE):
            # As the tool does, which learns the reach with the agent's row.
            act = partial(search, agent_id=agents[name], asked=asked, reach=OWN_ALONE, now=NOW)
            took, answer = _timed(act)
            shown.append(answer.text)
            if number >= 0:
                spent[name].append(took)
        if shown[0] != shown[1] or not answer.items:
            raise AssertionError("dead rows changed an answer, or nothing was found")
        progress.advance()
    return _group({f"cascade_{name}": took for name, took in spent.items()})


def _by_words(agents: dict[str, UUID], size: Size, progress: Progress) -> Group:
    """Let a search with a question and ts_rank over the whole table take turns."""
    crowd = sorted(id_ for name, id_ in agents.items() if name.startswith("agent "))
    pairs = questions.asked()
    progress.stage("asking questions", size.searches)
    spent: dict[str, list[float]] = {"search": [], "words": [], "ts_rank": []}
    for number in range(-3, size.searches):
        agent, question = crowd[number % len(crowd)], pairs[number * 7 % len(pairs)].question
        asked = SearchQuery(
            query=question, symbol=INSTRUMENTS[number % 5], strategy_type=STRATEGY_TYPES[number % 5]
        )
        acts: dict[str, Callable[[], object]] = {
            "search": partial(search, agent_id=agent, asked=asked, reach=OWN_ALONE, now=NOW),
            "words": partial(by_words, agent_id=agent, query=question, limit=10, now=NOW),
            "ts_rank": partial(_plain, question),
        }
        for name, act in acts.items():
            took, _ = _timed(act)
            if number >= 0:
                spent[name].append(took)
        progress.advance()
    return _group(spent)


def _questions(library: UUID, progress: Progress) -> Group:
    pairs = questions.asked()
    progress.stage("looking for the right insight", len(pairs))
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, content FROM memory_record WHERE agent_id = %s", [library])
        said = dict(cursor.fetchall())
    found = []
    for pair in pairs:
        ranked = by_words(agent_id=library, query=pair.question, limit=10, now=NOW)
        found.append([said[id_] for id_, _ in ranked])
        progress.advance()
    return {f"recall_at_{at}": questions.recall(found, pairs, at=at) for at in (1, 3, 10)}


def _plain(question: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(PLAIN, [question])
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _timed[T](act: Callable[[], T]) -> tuple[float, T]:
    began = time.perf_counter()
    result = act()
    return (time.perf_counter() - began) * 1000, result


def _group(spent: dict[str, list[float]]) -> Group:
    group: Group = {}
    for name, took in spent.items():
        group[f"{name}_p50_ms"] = statistics.median(took)
        group[f"{name}_p95_ms"] = statistics.quantiles(took, n=20)[-1]
    return group


def _judge(report: Report) -> None:
    tags, words = report.figures["by tags"], report.figures["by words"]
    grown = tags[f"cascade_{AGED}_p50_ms"] / tags[f"cascade_{ALONE}_p50_ms"]
    report.bar("cascade p50, beside dead rows over alone", grown, "<=", 1.5)
    faster = words["ts_rank_p50_ms"] / words["search_p50_ms"]
    report.bar("question p50, ts_rank over the whole table over search", faster, ">=", 4)
    report.bar(
        "questions whose insight is in the first ten",
        report.figures["questions"]["recall_at_10"],
        ">=",
        FLOOR,
    )
