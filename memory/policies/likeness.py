"""How alike two texts are, and whether their facts agree (SPEC M9; notes, section 6).

Likeness takes the better of two measures: padded word trigrams, which see spelling, and what is
said after stems and synonyms, which sees other words for the same. Neither tells opposites apart:
that is what `disagreement` is for.
"""

from collections import Counter

from memory.policies.facts import Facts
from memory.policies.places import is_moved

TRIGRAMS_ALIKE = 0.65
"""Jaccard of padded word trigrams, which is pg_trgm's similarity: notes, section 6."""
CONCEPTS_ALIKE = 0.6
"""Jaccard of what is said after stems and synonyms: measured by tests/memory/test_wording.py."""
MOST_SAID = 60
"""A text that says more things is like none but its equal: an insight is short."""


def likeness(one: Facts, other: Facts) -> float | None:
    """Return how alike two texts are, None where it is not enough to be called so."""
    if not (one.is_read and other.is_read) or max(len(one.said), len(other.said)) > MOST_SAID:
        return None
    by_letters = jaccard(one.trigrams, other.trigrams)
    by_concepts = jaccard(one.concepts, other.concepts)
    if by_letters >= TRIGRAMS_ALIKE or by_concepts >= CONCEPTS_ALIKE:
        return max(by_letters, by_concepts)
    return None


def disagreement(one: Facts, other: Facts) -> str | None:
    """Return which facts of two texts differ; None: they agree.

    The guard of notes, section 6, and two more: each says the words that the other does, and
    nothing has changed places with something else.
    """
    for name in ("numbers", "timeframes", "instruments", "classes", "subjects"):
        if getattr(one, name) != getattr(other, name):
            return name
    if one.named != other.named:
        return "instruments"
    if one.lasting != other.lasting:
        return "timeframes"
    if one.soft != other.soft or _goes_back(one, other) or _goes_back(other, one):
        return "opposites"
    if one.words != other.words:
        return "words"
    return "order" if is_moved(one, other) else None


def _goes_back(one: Facts, other: Facts) -> bool:
    """Tell whether something is said to come from what the other text says it goes to."""
    return any(("to", thing) in other.ways for way, thing in one.ways if way == "from")


def difference(one: Facts, other: Facts, name: str) -> tuple[list[str], list[str]]:
    """Return what each says of `name`, a result of `disagreement`, that the other does not."""
    if getattr(one, name, ()) == getattr(other, name, ()):
        name = {"instruments": "named", "timeframes": "lasting"}.get(name, name)
    said = getattr(one, name, ()), getattr(other, name, ())
    here, there = Counter(said[0]), Counter(said[1])
    return sorted(here - there), sorted(there - here)


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of what both have in what either has; 0 where there is nothing."""
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0
