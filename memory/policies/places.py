"""Whether something stands where something else does in another text of equal words (SPEC M9).

What a negation or a condition is of, what is compared with what, and which of two things is said of
which. `exchanges` asks it of each two things; here are the relations that have a form of their own.
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

_RELATIONS = "then only because cause until insteadof outperform underperform prefer very half"
RELATIONS = frozenset(_RELATIONS.split())
"""Words that say something of what follows, whatever is before them."""
COMPARING = frozenset({"than", "outperform", "underperform", "insteadof", "because", "cause"})
JOINING = frozenset({"and", "but", "whereas"})
LASTING = frozenset({"while", "once"})
SIDES = frozenset({"long", "short"})
WINDOW = 2
"""So many tokens after a word that governs are taken for what it governs; one after a `not`."""


def is_moved(one: Facts, other: Facts) -> bool:
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
        or _is_negated_else(one, other)
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


def _is_negated_else(one: Facts, other: Facts) -> bool:
    """Tell whether a negation is in the clause of another outcome, or of another `outside`."""
    here, there = _negated_with(one), _negated_with(other)
    outcomes = here & OUTCOME_CLASSES, there & OUTCOME_CLASSES
    return here - OUTCOME_CLASSES != there - OUTCOME_CLASSES or (
        all(outcomes) and outcomes[0].isdisjoint(outcomes[1])
    )


def _negated_with(facts: Facts) -> set[str]:
    """Return the outcomes and opposites that share a clause with a negation."""
    told = OUTCOME_CLASSES | facts.soft.keys()
    return {value for clause in facts.clauses if "not" in clause for value in clause & told}


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
