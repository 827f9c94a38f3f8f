"""Which memories say the same as others but for the outcome, found without comparing each pair.

`is_opposed` is what it means; here those are looked up that can be. Equal facts are a condition of
it, as is an equal configuration where there are no words for it. Pure.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from uuid import UUID

from memory.policies.duplicates import Memory
from memory.policies.likeness import disagreement, likeness

OTHER = {"success": "failure", "failure": "success"}


def is_opposed(one: Memory, other: Memory) -> bool:
    """Tell whether two memories are equal in all but the outcome: one won and the other lost."""
    if {one.outcome, other.outcome} != {"success", "failure"}:
        return False
    apart = replace(one, outcome=None), replace(other, outcome=None)
    if apart[0].block != apart[1].block or (one.frame and other.frame and one.frame != other.frame):
        return False
    if one.config_hash is not None and one.config_hash == other.config_hash:
        return True
    first, second = (memory.facts.without_outcome() for memory in apart)
    return likeness(first, second) is not None and disagreement(first, second) is None


def opposed_to(ones: Iterable[Memory], among: Iterable[Memory]) -> set[UUID]:
    """Return the ids of those among that are opposed to one of the ones."""
    ours = list(ones)
    wanted = {(_about(one), OTHER.get(one.outcome or "")) for one in ours}
    found: dict[Hashable, list[Memory]] = defaultdict(list)
    for other in among:
        # A text is read only where all that is typed fits: there may be many.
        if (_about(other), other.outcome) in wanted:
            for key in _keys(other):
                found[key].append(other)
    return {
        other.id
        for one in ours
        for key in _keys(one)
        for other in found.get(key, ())
        if is_opposed(one, other)
    }


def _about(memory: Memory) -> Hashable:
    """Return what must be equal beside the outcome."""
    return (memory.type, memory.symbol, memory.strategy_type, memory.direction)


def _keys(memory: Memory) -> Iterator[Hashable]:
    """Yield what opposed memories have one of in common."""
    yield _about(memory), "facts", replace(memory, outcome=None).facts.without_outcome().key
    if memory.config_hash is not None:
        yield _about(memory), "config", memory.config_hash
