"""How alike two texts are, and whether their facts agree (SPEC M9; notes, section 6).

Likeness takes the better of two measures: padded word trigrams, which see spelling, and what is
said after stems and synonyms, which sees other words for the same. Neither tells opposites apart:
that is what `disagreement` is for.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

from memory.policies.exchanges import is_exchanged
from memory.policies.facts import Facts
from memory.policies.lexicon import (
    BOUND,
    BOUNDS,
    CONDITIONS,
    HARD_OPPOSITES,
    MEASURES,
    OUTCOME_CLASSES,
    PASSIVE,
)
from memory.policies.tokens import Token

TRIGRAMS_ALIKE = 0.65
"""Jaccard of padded word trigrams, which is pg_trgm's similarity: notes, section 6."""
CONCEPTS_ALIKE = 0.6
"""Jaccard of what is said after stems and synonyms: measured by tests/memory/test_wording.py."""
MOST_SAID = 60
"""A text that says more things is like none but its equal: an insight is short."""
_RELATIONS = "then only because cause until insteadof outperform underperform prefer very half"
RELATIONS = frozenset(_RELATIONS.split())
"""Words that say something of what follows, whatever is before them."""
COMPARING = frozenset({"than", "outperform", "underperform", "insteadof", "because", "cause"})
JOINING = frozenset({"and", "but", "whereas"})
LASTING = frozenset({"while", "once"})
SIDES = frozenset({"long", "short"})
WINDOW = 2
"""So many tokens after a word that governs are taken for what it governs; one after a `not`."""


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
    return "order" if _moved(one, other) else None


def _goes_back(one: Facts, other: Facts) -> bool:
    """Tell whether something is said to come from what the other text says it goes to."""
    return any(("to", thing) in other.ways for way, thing in one.ways if way == "from")


def difference(one: Facts, other: Facts, name: str) -> tuple[list[str], list[str]]:
    """Return what each says of `name`, a result of `disagreement`, that the other does not."""
    said = getattr(one, name, ()), getattr(other, name, ())
    here, there = Counter(said[0]), Counter(said[1])
    return sorted(here - there), sorted(there - here)


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of what both have in what either has; 0 where there is nothing."""
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0


def _moved(one: Facts, other: Facts) -> bool:
    """Tell whether something stands where something else does in the other text.

    Words of equal bags may say opposite things: `buy above, sell below`, `the fast over the slow`.
    """
    shared = _placed(one) & _placed(other)
    return (
        is_exchanged(one.tokens, other.tokens)
        or _governs_else(one, other)
        or _is_compared_else(one, other)
        or _depends_on_else(one, other)
        or _lasts_else(one, other)
        or _is_condition_alone(one, other)
        or _is_condition_alone(other, one)
        or _is_parted_else(one, other)
        or _keeps_other_company(one, other, shared)
    )


def _is_condition_alone(one: Facts, other: Facts) -> bool:
    """Tell whether one says `and` or `but` where the other has a condition."""
    here, there = ({some.value for some in facts.tokens} & CONDITIONS for facts in (one, other))
    return not here and bool(there - {"with"}) and bool(_joined(one) - _joined(other))


def _joined(facts: Facts) -> set[str]:
    """Return each `and` or the like that more follows than how it went: `…, and it pays`."""
    return {
        one.value
        for one, after in pairwise(facts.tokens)
        if one.value in JOINING and after.value not in OUTCOME_CLASSES
    }


def _lasts_else(one: Facts, other: Facts) -> bool:
    """Tell whether one says `while`, which lasts, and the other `once`, which begins."""
    here, there = ({some.value for some in facts.tokens} & LASTING for facts in (one, other))
    return bool(here and there) and here.isdisjoint(there)


def _is_parted_else(one: Facts, other: Facts) -> bool:
    """Tell whether as many sentences say other things each: `exit longs. If …, reduce size.`."""
    here, there = _whole_sentences(one), _whole_sentences(other)
    return len(here) == len(there) and Counter(here) != Counter(there)


def _whole_sentences(facts: Facts) -> list[frozenset[str]]:
    """Return what is said between two full stops, but for names and what typed fields say."""
    found: list[set[str]] = [set()]
    for one in facts.tokens:
        if one.kind == "break" and one.value in {".", ";"}:
            found.append(set())
        elif one.kind not in {"break", "name"} and one.value in facts.concepts:
            found[-1].add(one.value)
    return [frozenset(some) for some in found if some]


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
    here, there = _followers(one), _followers(other)
    ours, theirs = _leaders(one), _leaders(other)
    return any(
        not here[name] & there[name] and not ours.get(name, set()) & theirs.get(name, set())
        for name in here.keys() & there.keys()
    )


def _is_compared_else(one: Facts, other: Facts) -> bool:
    """Tell whether two things, or a negation, stand on other sides of a comparison or a cause."""
    here, there = _sides(one), _sides(other)
    for name in here.keys() & there.keys():
        (left, right), (before, after) = here[name], there[name]
        crossed = (right - left) & (before - after), (left - right) & (after - before)
        if all(crossed) or any("not" in some for some in crossed):
            return True
    return False


def _sides(facts: Facts) -> dict[str, tuple[set[str], set[str]]]:
    """Return what compares or causes → what is said before and after it in its clause."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    for tokens in facts.sentences:
        for place, one in enumerate(tokens):
            if one.value in COMPARING:
                before, after = tokens[:place], tokens[place + 1 :]
                found[one.value] = ({t.value for t in before}, {t.value for t in after})
    return found


def _leaders(facts: Facts) -> dict[str, set[str]]:
    """Return plain word → what is before it: what follows the same thing has not moved."""
    found: dict[str, set[str]] = defaultdict(set)
    for before, token in pairwise(_without_verdict(facts)):
        if token.kind == "word" and token.value not in RELATIONS and before.kind != "break":
            found[token.value].add(before.value)
    return found


def _without_verdict(facts: Facts) -> list[Token]:
    """Return the tokens but for how it went: that is of the whole, wherever it stands."""
    if len(facts.classes & OUTCOME_CLASSES) > 1:
        return list(facts.tokens)
    return [one for one in facts.tokens if one.value not in OUTCOME_CLASSES]


def _followers(facts: Facts) -> dict[str, set[str]]:
    """Return what governs → what follows it in its clause; of a bounded number, what it is of."""
    found: dict[str, set[str]] = defaultdict(set)
    tokens = _without_verdict(facts)
    for place, token in enumerate(tokens):
        is_bound = token.kind == "number" and token.value.split()[0] in BOUNDS
        if not is_bound and token.value not in BOUND and not _is_ordering(token):
            continue
        window = 1 if token.value == "not" or token.kind == "word" else WINDOW
        # The side is transparent to a negation: `no long alts` and `no alt longs` are the same.
        if token.value == "not" and _is_side_of(tokens[place + 1 : place + 3]):
            window = 2
        for next_ in tokens[place + 1 : place + 1 + window]:
            if next_.kind == "break":
                break
            if not is_bound or next_.value in MEASURES:
                found[token.value].add(next_.value)
    return found


def _is_side_of(tokens: Sequence[Token]) -> bool:
    """Tell whether of two tokens the first is a side and the other a thing."""
    return [one.value in SIDES or one.kind for one in tokens] == [True, "subject"]


def _depends_on_else(one: Facts, other: Facts) -> bool:
    """Tell whether both name conditions, and one of the one is none of the other's."""
    here, there = _conditions(one), _conditions(other)
    if here and there and _nots(here) != _nots(there):
        return True
    pairs = ((here, there), (there, here))
    return bool(here and there) and any(
        not any(told & said for said in others) for some, others in pairs for told in some
    )


def _nots(conditions: list[set[str]]) -> int:
    """Return how many of the conditions are that something is not."""
    return sum("not" in told for told in conditions)


def _conditions(facts: Facts) -> list[set[str]]:
    """Return what is said between each `if` or the like and the next break that is no `and`."""
    found: list[set[str]] = []
    is_in = False
    for token in facts.tokens:
        if token.kind == "break":
            is_in = token.value in CONDITIONS or (is_in and token.value == "and")
            if token.value in CONDITIONS:
                found.append(set())
        elif is_in:
            found[-1].add(token.value)
    return [one for one in found if one]


def _is_ordering(token: Token) -> bool:
    """Tell whether a word may say something else where other things follow: `then`, `leads`."""
    return token.kind == "word" and token.value not in PASSIVE


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
