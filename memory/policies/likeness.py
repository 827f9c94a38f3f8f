"""How alike two texts are, and whether their facts agree (SPEC M9; notes, section 6).

Likeness takes the better of two measures: padded word trigrams, which see spelling, and what is
said after stems and synonyms, which sees other words for the same. Neither tells opposites apart:
that is what `disagreement` is for.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from memory.policies.facts import Facts
from memory.policies.lexicon import BOUND, HARD_OPPOSITES
from memory.policies.reading import Token

TRIGRAMS_ALIKE = 0.65
"""Jaccard of padded word trigrams, which is pg_trgm's similarity: notes, section 6."""
CONCEPTS_ALIKE = 0.6
"""Jaccard of what is said after stems and synonyms: measured by tests/memory/test_wording.py."""
MOST_SAID = 400
"""A text that says more things is compared by no words: an insight is short."""
type Neighbours = dict[str, tuple[str, str]]
"""Thing → what stands before and after it; "" at an end."""
WINDOW = 2
"""So many tokens after a word that governs are taken for what it governs."""


def likeness(one: Facts, other: Facts) -> float | None:
    """Return how alike two texts are, None where it is not enough to be called so."""
    if max(len(one.said), len(other.said)) > MOST_SAID:
        return None
    by_letters = jaccard(one.trigrams, other.trigrams)
    by_concepts = jaccard(one.concepts, other.concepts)
    if by_letters >= TRIGRAMS_ALIKE or by_concepts >= CONCEPTS_ALIKE:
        return max(by_letters, by_concepts)
    return None


def disagreement(one: Facts, other: Facts) -> str | None:
    """Return which facts of two texts differ; None: they agree.

    The guard of notes, section 6, and three more: no plain word stands in the other's place, no
    opposite, and nothing has changed places with something else.
    """
    for name in ("numbers", "timeframes", "instruments", "classes", "subjects"):
        if getattr(one, name) != getattr(other, name):
            return name
    if _opposed(one.soft, other.soft):
        return "opposites"
    if one.words - other.words and other.words - one.words:
        return "words"
    return "order" if _moved(one, other) else None


def difference(one: Facts, other: Facts, name: str) -> tuple[list[str], list[str]]:
    """Return what each says of `name`, a result of `disagreement`, that the other does not."""
    said = getattr(one, name, ()), getattr(other, name, ())
    here, there = Counter(said[0]), Counter(said[1])
    return sorted(here - there), sorted(there - here)


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of what both have in what either has; 0 where there is nothing."""
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0


def _opposed(one: frozenset[str], other: frozenset[str]) -> bool:
    """Tell whether of a pair of opposites each names some, and not the same."""
    for pair in {word[1:] for word in one | other}:
        named = [{word for word in said if word[1:] == pair} for said in (one, other)]
        if all(named) and named[0] != named[1]:
            return True
    return False


def _moved(one: Facts, other: Facts) -> bool:
    """Tell whether something stands where something else does in the other text.

    Words of equal bags may say opposite things: `buy above, sell below`, `the fast over the slow`.
    """
    shared = _placed(one) & _placed(other)
    return (
        _governs_else(one, other)
        or _keeps_other_company(one, other, shared)
        or _changed_places(one, other, shared)
    )


def _placed(facts: Facts) -> set[str]:
    """Return what may change places. What has no opposite beside it speaks of the whole."""
    values = {token.value for token in facts.said if token.kind != "name"}
    kinds = {token.value: token.kind for token in facts.said}
    alone = {
        value
        for value in values
        if (kinds[value] == "soft" and "+-"[value[0] == "+"] + value[1:] not in values)
        or (kinds[value] == "hard" and HARD_OPPOSITES.get(value, value) not in values - {value})
    }
    return values - alone


def _governs_else(one: Facts, other: Facts) -> bool:
    """Tell whether a negation, a comparison or the like is followed by other things."""
    for name in BOUND:
        told, others = _followers(one, name), _followers(other, name)
        if told and others and not told & others:
            return True
    return False


def _followers(facts: Facts, name: str) -> set[str]:
    found: set[str] = set()
    for place, token in enumerate(facts.tokens):
        if token.value == name:
            for next_ in facts.tokens[place + 1 : place + 1 + WINDOW]:
                if next_.kind == "break":
                    break
                found.add(next_.value)
    return found


def _keeps_other_company(one: Facts, other: Facts, shared: set[str]) -> bool:
    """Tell whether something shares its clauses with nothing that it does in the other text.

    What has no company in one of the texts is no sign of it: sentences are parted differently.
    """
    here, there = _company(one, shared), _company(other, shared)
    for value in shared:
        told, others = here[value], there[value]
        apart = told and others and not told & others
        if apart and any(there[one] for one in told) and any(here[one] for one in others):
            return True
    return False


def _company(facts: Facts, shared: set[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {value: set() for value in shared}
    for clause in facts.clauses:
        for value in clause & shared:
            found[value] |= (clause & shared) - {value}
    return found


def _changed_places(one: Facts, other: Facts, shared: set[str]) -> bool:
    """Tell whether two numbers, or two other things, have each the place of the other.

    That is, on one side the neighbour that the other has there, or, at the ends, on both sides.
    """
    here, there = (_neighbours(facts.said, shared) for facts in (one, other))
    numbers = one.numbers
    followed: dict[str, list[str]] = defaultdict(list)
    for value in there:
        followed[there[value][0]].append(value)
    preceded: dict[str, list[str]] = defaultdict(list)
    for value in there:
        preceded[there[value][1]].append(value)
    for first in here.keys() & there.keys():
        for second in {*followed[here[first][0]], *preceded[here[first][1]]} & here.keys():
            alike = (first in numbers) == (second in numbers)
            if alike and _traded(here, there, first, second):
                return True
    return False


def _traded(here: Neighbours, there: Neighbours, first: str, second: str) -> bool:
    """Tell whether two have each the neighbour of the other, on a side within or on both."""
    traded = [
        (here[first][side], here[second][side]) == (there[second][side], there[first][side])
        and here[first][side] != here[second][side]
        for side in (0, 1)
    ]
    within = [bool(here[first][side] and here[second][side]) for side in (0, 1)]
    return all(traded) or any(did and inner for did, inner in zip(traded, within, strict=True))


def _neighbours(said: Sequence[Token], shared: set[str]) -> Neighbours:
    """Return what stands before and after each thing that is said once; "" at an end."""
    values = [token.value for token in said if token.value in shared]
    padded = ["", *values, ""]
    return {
        value: (padded[place], padded[place + 2])
        for place, value in enumerate(values)
        if values.count(value) == 1
    }
