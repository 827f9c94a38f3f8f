"""Whether what is stored is what it must be (SPEC U3, M5, C1): the whole store, or one agent's.

Ledgers are replayed, digests taken again, heads and postings made again and compared, and the
database is asked whether its rules are there and on. Each agent is read as of one moment, in
batches.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from memory.models import Agent, AgentTail
from memory.selectors.stored import snapshot
from memory.services.copies import rebuild_postings
from memory.services.postings import rebuild
from memory.services.verification import copies, heads, periods, postings, records, rules, sides
from memory.services.verification.faults import Fault

__all__ = ["Fault", "verify", "verify_rules"]

REPAIRED = ("heads", "postings", "copy_words")
"""What follows from the records, and can be made again from them."""


class Progress(Protocol):
    """Is told how far the work is."""

    def stage(self, what: str, total: int | None = 1) -> None:
        """Begin a stage of `total` steps."""
        ...

    def advance(self, steps: int = 1) -> None:
        """Some steps of the stage are done."""
        ...


def verify_rules(agent: Agent | None = None, *, repair: bool = False) -> Iterator[Fault]:
    """Yield rules of the database that are missing or off, and rows that break its keys.

    Of the whole store, also counts of what agents share that are not what there is; these are put
    right with `repair`.
    """
    yield from rules.faults()
    yield from rules.strays(None if agent is None else agent.id)
    if agent is None:
        for fault in copies.counts():
            yield replace(fault, repaired=repair)
            if repair:
                rebuild_postings()


def verify(agent: Agent, *, progress: Progress, repair: bool = False) -> Iterator[Fault]:
    """Yield everything that is wrong with an agent's memory.

    With `repair`, heads and postings, which follow from the records, are put right, and say so.
    """
    broken = set()
    with snapshot():
        for fault in _found(agent, progress=progress):
            broken.add(fault.check)
            if not repair or fault.check not in REPAIRED:
                yield fault
            elif fault.check != "heads":
                yield replace(fault, repaired=True)
    if repair and "heads" in broken:
        yield from heads.repair(agent.id)
    if repair and "postings" in broken:
        rebuild(agent.id)
    if repair and "copy_words" in broken:
        rebuild_postings()


def _found(agent: Agent, *, progress: Progress) -> Iterator[Fault]:
    tail = AgentTail.objects.get(agent=agent)
    progress.stage(f"{agent.name}: records", tail.last_seq)
    counted = postings.Counted()
    for batch, faults in records.read(agent.id, tail=tail):
        yield from faults
        yield from postings.of_batch(agent.id, batch, counted)
        progress.advance(len(batch))
    progress.stage(f"{agent.name}: what rests on them")
    yield from sides.faults(agent.id)
    yield from periods.faults(agent.id)
    yield from postings.of_agent(agent.id, tail, counted)
    yield from heads.faults(agent.id)
    yield from copies.faults(agent.id)
    progress.advance()
