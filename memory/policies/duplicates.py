"""Which insights say the same (SPEC M9).

Plain similarity ranks opposites as closest: one flipped word leaves all others equal. So likeness
alone merges nothing. Two memories are the same when their typed fields are equal (the block), and
then either their configuration or normalised text is, or their facts agree and their words are
alike enough (`likeness`). Groups are complete: each pair in one is the same, those merged before
among them, so that a second look finds nothing more. All of it is pure, and depends neither on
the order of what it is given nor on how often it is asked. The source of the levels, the guard and
the order is notes/search-and-duplicates.md, section 6.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from itertools import combinations, product
from typing import Any, Literal
from uuid import UUID

from memory.policies.effort import Effort
from memory.policies.facts import Facts, facts_of
from memory.policies.lexicon import DIRECTIONS
from memory.policies.likeness import disagreement, likeness
from memory.policies.partings import NONE, Partings
from memory.policies.reading import normalised

type How = Literal["config", "text", "words"]

RELATED_SHOWN = 100
COMPARED = 300
"""Of so many memories of a block each is held against each for what is related; newest first."""


@dataclass(frozen=True)
class Memory:
    """One memory as it is compared: its typed fields, its text, and what ranks it.

    `merged_into` is the one that stands for it already, if any.
    """

    id: UUID
    created_at: datetime
    content: str
    type: str = "strategy_insight"
    symbol: str | None = None
    strategy_type: str | None = None
    outcome: str | None = None
    timeframe: str | None = None
    config: dict[str, Any] | None = field(default=None, hash=False)
    config_hash: bytes | None = None
    confidence: Decimal = Decimal(1)
    validated_count: int = 1
    merged_into: UUID | None = None

    @cached_property
    def direction(self) -> str | None:
        """The side that its configuration names."""
        side = (self.config or {}).get("side")
        return side if isinstance(side, str) and side in DIRECTIONS else None

    @cached_property
    def frame(self) -> str | None:
        """The timeframe of its record, or else of its configuration."""
        told = self.timeframe or (self.config or {}).get("timeframe")
        return told if isinstance(told, str) else None

    @property
    def block(self) -> tuple[str | None, ...]:
        """What must be equal before texts are looked at."""
        return (self.type, self.symbol, self.strategy_type, self.direction, self.outcome)

    @cached_property
    def facts(self) -> Facts:
        """What it says, its typed fields standing for words that it leaves out."""
        return facts_of(
            self.content,
            symbol=self.symbol,
            timeframe=self.frame,
            direction=self.direction,
            outcome=self.outcome,
        )

    @cached_property
    def text(self) -> str:
        """Its normalised text."""
        return normalised(self.content)

    @property
    def place(self) -> tuple[datetime, UUID]:
        """Where it stands in time."""
        return (self.created_at, self.id)

    @property
    def rank(self) -> tuple[Decimal, int, datetime, int]:
        """How it ranks among equals, the best first: trust, count, then age."""
        return (-self.confidence, -self.validated_count, self.created_at, self.id.int)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories that are alike, the older one first; `score` is 0…1.

    Without `how` they are related and no more: `differs` names what keeps them apart.
    """

    one: UUID
    other: UUID
    score: Decimal
    how: How | None
    differs: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Memories that say the same. `merged` are the others, best first, with what makes them so."""

    survivor: UUID
    merged: tuple[Pair, ...]

    @property
    def ids(self) -> list[UUID]:
        """All of them, the survivor first."""
        return [self.survivor, *(pair.other for pair in self.merged)]


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be merged, and what is like something and is not."""

    groups: tuple[Group, ...]
    related: tuple[Pair, ...]

    @property
    def count(self) -> int:
        """How many memories another one stands for."""
        return sum(len(group.merged) for group in self.groups)


def compare(one: Memory, other: Memory) -> Pair | None:
    """Return how two memories of one block are alike; None: not alike."""
    first, second = (one, other) if one.place < other.place else (other, one)
    if first.frame and second.frame and first.frame != second.frame:
        return None
    if first.config_hash is not None and first.config_hash == second.config_hash:
        return Pair(first.id, second.id, Decimal(1), "config")
    if first.text == second.text:
        return Pair(first.id, second.id, Decimal(1), "text")
    score = likeness(first.facts, second.facts)
    if score is None:
        return None
    differs = disagreement(first.facts, second.facts)
    exact = Decimal(str(round(score, 4)))
    return Pair(first.id, second.id, exact, None if differs else "words", differs or "")


def plan(memories: Iterable[Memory], *, apart: Partings = NONE) -> Plan:
    """Return what is to be merged among memories of one agent, those merged before among them.

    Those that are `apart` are not: they are related, whatever they say.
    """
    blocks: dict[Hashable, list[Memory]] = defaultdict(list)
    for memory in {one.id: one for one in memories}.values():
        blocks[memory.block].append(memory)
    groups: list[Group] = []
    related: list[Pair] = []
    for block in blocks.values():
        block.sort(key=lambda memory: memory.place)
        clusters = _clusters(block, apart)
        known = {memory.id: memory for memory in block}
        groups += [one for members in clusters if (one := _group(members, known))]
        related += _related(block, clusters, apart)
    groups.sort(key=lambda group: group.survivor.int)
    related.sort(key=lambda pair: (-pair.score, pair.one.int, pair.other.int))
    return Plan(tuple(groups), tuple(related[:RELATED_SHOWN]))


def _clusters(block: Sequence[Memory], apart: Partings) -> list[list[Memory]]:
    """Return complete groups, by the best pair first; what is merged stays with its survivor."""
    of = _begun(block, apart)
    order = {memory.id: place for place, memory in enumerate(block)}
    found = sorted(
        _same(block, of, apart), key=lambda pair: (-pair.score, order[pair.one], order[pair.other])
    )
    same = {(pair.one, pair.other) for pair in found}
    for pair in found:
        ours, theirs = of[pair.one], of[pair.other]
        if ours is theirs:
            continue
        crossed = (_ordered(one, other) for one, other in product(ours, theirs))
        if all(key in same for key in crossed):
            ours += theirs
            of |= {memory.id: ours for memory in theirs}
    return list({id(of[memory.id]): of[memory.id] for memory in block}.values())


def _begun(block: Sequence[Memory], apart: Partings) -> dict[UUID, list[Memory]]:
    """Return id → the group that it is of from the start.

    What is merged is with its survivor, and with each other is what has the same configuration and
    nothing merged into it: of a strategy that was tried a thousand times no pair need be compared.
    """
    here = {memory.id for memory in block}
    heads = {memory.merged_into for memory in block}
    groups: dict[Hashable, list[Memory]] = defaultdict(list)
    for memory in block:
        into = memory.merged_into
        if into is not None and into in here:
            groups[into].append(memory)
        elif memory.config_hash is not None and not (
            memory.id in heads or memory.id in apart.members
        ):
            groups[memory.config_hash, memory.frame].append(memory)
        else:
            groups[memory.id].append(memory)
    return {memory.id: members for members in groups.values() for memory in members}


def _ordered(one: Memory, other: Memory) -> tuple[UUID, UUID]:
    return (one.id, other.id) if one.place < other.place else (other.id, one.id)


def _same(
    block: Sequence[Memory], of: Mapping[UUID, list[Memory]], apart: Partings
) -> Iterator[Pair]:
    """Yield each pair of two groups that says the same, and look at no pair that cannot.

    Equal facts are a condition, so only what has equal ones is compared.
    """
    keys: dict[tuple[str, Hashable], list[Memory]] = defaultdict(list)
    for memory in block:
        if memory.facts.is_read:
            keys["facts", memory.facts.key].append(memory)
        keys["text", memory.text].append(memory)
        if memory.config_hash is not None:
            keys["config", memory.config_hash].append(memory)
    met: set[tuple[UUID, UUID]] = set()
    effort = Effort()
    for key, alike in keys.items():
        # The newest first: those that there is too much work for are the oldest.
        for other, one in combinations(reversed(alike), 2):
            if of[one.id] is of[other.id] or (one.id, other.id) in met:
                continue
            if apart.has(one.id, other.id):
                continue
            if key[0] == "facts" and effort.is_spared(one.facts, other.facts):
                continue
            met.add((one.id, other.id))
            pair = compare(one, other)
            if pair is not None and pair.how is not None:
                yield pair


def _group(members: Collection[Memory], known: Mapping[UUID, Memory]) -> Group | None:
    """Return what is to be done about a group; None: nothing."""
    heads = sorted((one for one in members if one.merged_into is None), key=lambda one: one.rank)
    if len(heads) < 2:  # noqa: PLR2004 - one alone is no group
        return None
    survivor, *rest = heads
    pairs = ((one, compare(survivor, one)) for one in rest)
    return Group(
        survivor.id,
        tuple(
            replace(pair, one=survivor.id, other=known[one.id].id)
            for one, pair in pairs
            if pair is not None
        ),
    )


def _related(
    block: Sequence[Memory], clusters: Iterable[Collection[Memory]], apart: Partings
) -> Iterator[Pair]:
    """Yield what is alike and stays apart among the newest of a block: of two groups one pair."""
    of = {memory.id: number for number, one in enumerate(clusters) for memory in one}
    heads = [memory for memory in block if memory.merged_into is None][-COMPARED:]
    best: dict[tuple[int, int], Pair] = {}
    effort = Effort()
    for one, other in combinations(heads, 2):
        groups = (min(of[one.id], of[other.id]), max(of[one.id], of[other.id]))
        if groups[0] == groups[1] or effort.is_spared(one.facts, other.facts):
            continue
        if (pair := compare(one, other)) is None:
            continue
        if groups not in best or pair.score > best[groups].score:
            why = "parted" if apart.has(pair.one, pair.other) else "group"
            best[groups] = replace(pair, how=None, differs=pair.differs or why)
    yield from best.values()
