"""Agents at the search, in processes of a bench's own: what each is to do, and what comes of it.

A process that is started anew reads this module before Django is set up in it.
"""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing import get_context, parent_process

import django

from config.benchmarks.walks import Market

BLOCK, TYPE = "volume_spike", "breakout"
"""What a drift makes pay, and its strategy type."""
START = datetime(2024, 1, 1, tzinfo=UTC)
PROCESSES = 2


@dataclass(frozen=True, slots=True)
class Part:
    """So many agents, each with at the most so many sessions of so many variants and bars."""

    agents: int
    sessions: int
    variants: int
    bars: int
    drift: float = 0.0


@dataclass(frozen=True, slots=True)
class Task:
    """An agent and what it is to do. Agents of the same number see the same markets."""

    part: Part
    promotion: str
    number: int

    def market(self, session: int) -> Market:
        """Return the market of one of its sessions."""
        seed = f"{self.part.bars} {self.number} {session}"
        return Market(seed, self.part.bars, self.part.drift)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a session: variants, successes in sample and those kept; tags of its rules."""

    variants: int
    wins: int
    kept: int
    rules: tuple[tuple[str, frozenset[str]], ...]

    @property
    def names_block(self) -> bool:
        """Whether a rule of it names the block that pays."""
        return any(BLOCK in tags for _, tags in self.rules)

    @property
    def names_type(self) -> bool:
        """Whether a rule of it is of the block's strategy type."""
        return any(kind == TYPE for kind, _ in self.rules)


@contextmanager
def processes(url: str) -> Iterator[ProcessPoolExecutor]:
    """Give processes that work in the database at `url`."""
    # Each begins anew: a forked one would share this one's connection.
    pool = ProcessPoolExecutor(
        PROCESSES,
        mp_context=get_context("spawn"),
        initializer=_set_up,
        initargs=(url,),
    )
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _set_up(url: str) -> None:
    os.environ["DATABASE_URL"] = url
    threading.Thread(target=_end_with_parent, daemon=True).start()
    django.setup()


def _end_with_parent() -> None:
    """End this process when the bench is gone, however it went: it would wait for work for ever."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def search(task: Task) -> list[Outcome]:
    """Let an agent take its sessions, in a process of the bench's own.

    One that looks for something ends when it has found it.
    """
    from django.db import connection  # noqa: PLC0415 - the process is set up by now

    from config.benchmarks.explorers import Explorer  # noqa: PLC0415 - as above

    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit TO off")
    part = task.part
    agent = Explorer(f"{part.bars}-{task.promotion}-{task.number}", task.promotion, START)
    outcomes: list[Outcome] = []
    for session in range(part.sessions):
        told = agent.take(task.market(session), variants=part.variants)
        rules = tuple((rule.strategy_type, rule.tags) for rule in told.made)
        outcomes.append(Outcome(told.variants, told.wins, told.kept, rules))
        if part.drift and outcomes[-1].names_block:
            break
    return outcomes
