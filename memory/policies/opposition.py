"""Which memories say the same as others but for the outcome, found without comparing each pair.

`is_opposed` is what it means; here those are looked up that can be. Equal facts are a condition of
it, as is an equal configuration where there are no words for it. Pure.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from uuid import UUID

from memory.policies.duplicates import Memory
from memory.policies.facts import Facts
from memory.policies.likeness import disagreement, likeness

OTHER = {"success": "failure", "failure": "success"}


def is_opposed(one: Memory, other: Memory) -> bool:
    """Tell whether two memories are equal in all but the outcome: one won and the other lost."""
    return _opposed(one, other, _facts(one), _facts(other))


def _opposed(one: Memory, other: Memory, first: Facts, second: Facts) -> bool:
    if {one.outcome, other.outcome} != {"success", "failure"} or _about(one) != _about(other):
        return False
    if one.frame and other.frame and one.frame != other.frame:
        return False
    if one.config_hash is not None and one.config_hash == other.config_hash:
        return True
    return likeness(first, second) is not None and disagreement(first, second) is None


def _facts(memory: Memory) -> Facts:
    """Return what it says but for how it went."""
    return replace(memory, outcome=None).facts.without_outcome()


def opposed_to(ones: Iterable[Memory], among: Iterable[Memory]) -> set[UUID]:
    """Return the ids of those among that are opposed to one of the ones."""
    ours: dict[Hashable, list[tuple[Memory, Facts]]] = defaultdict(list)
    wanted = set()
    for one in ones:
        wanted.add((_about(one), OTHER.get(one.outcome or "")))
        facts = _facts(one)
        for key in _keys(one, facts):
            ours[key].append((one, facts))
    found = set()
    for other in among:
        # A text is read only where all that is typed fits, and once: there may be many.
        if (_about(other), other.outcome) in wanted:
            facts = _facts(other)
            near = (told for key in _keys(other, facts) for told in ours.get(key, ()))
            if any(_opposed(one, other, said, facts) for one, said in near):
                found.add(other.id)
    return found


def _about(memory: Memory) -> Hashable:
    """Return what must be equal beside the outcome."""
    return (memory.type, memory.symbol, memory.strategy_type, memory.direction)


def _keys(memory: Memory, facts: Facts) -> Iterator[Hashable]:
    """Yield what opposed memories have one of in common."""
    yield _about(memory), "facts", facts.key
    if memory.config_hash is not None:
        yield _about(memory), "config", memory.config_hash
