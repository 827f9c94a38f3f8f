"""Wordings that little or nothing was tuned on, and what their classes could be misused for."""

from itertools import combinations, product
from typing import Any
from uuid import UUID

import pytest

from autopilot.learning.claims import like
from memory.policies import lexicon
from memory.policies.nouns import THINGS
from memory.policies.verbs import DOINGS
from tests.memory.flips_of_attackers import TURNED_BY_AN_ATTACKER
from tests.memory.flips_of_classes import TURNED_CLASSES
from tests.memory.flips_of_senses import TURNED_SENSES
from tests.memory.test_wording import memory, merges
from tests.memory.wordings_more import KEPT_BACK, TUNED

BEFORE = ("", "Long: ", "Long breakouts with volume confirmation work on ETH. ")
ALL = TURNED_CLASSES | {"attacks": TURNED_BY_AN_ATTACKER} | TURNED_SENSES
PAIRS = [(kind, one, other) for kind, some in ALL.items() for one, other in some]


def share(ideas: dict[str, tuple[str, ...]], **told: Any) -> float:
    found = [merges(*pair, **told) for some in ideas.values() for pair in combinations(some, 2)]
    return sum(found) / len(found)


@pytest.mark.spec("M9")
@pytest.mark.parametrize(("kind", "one", "other"), PAIRS)
def test_a_class_of_words_merges_no_two_facts(kind: str, one: str, other: str) -> None:
    for before, typed in product(BEFORE, ({}, {"outcome": "failure", "timeframe": "1h"})):
        # A typed outcome says how it went: words of it are no more than that.
        if not typed or kind not in {"outcome left out", "advice"}:
            assert not merges(before + one, before + other, **typed)


@pytest.mark.spec("M6")
@pytest.mark.parametrize(
    ("one", "other"),
    # A rule is compared without its punctuation, so neither as a question nor by its full stops.
    [pair[1:] for pair in PAIRS if pair[0] not in {"questions", "sentences"}],
)
def test_no_rule_is_taken_for_another_by_a_class_of_words(one: str, other: str) -> None:
    assert like(one, [(UUID(int=1), other)]) is None


@pytest.mark.spec("M9")
def test_new_ideas_merge_in_some_of_their_wordings(record_property: Any) -> None:
    measured = {"tuned": share(TUNED), "kept back": share(KEPT_BACK)}
    for name, value in measured.items():
        record_property(name, round(value, 3))
    assert measured["tuned"] >= 0.4
    assert measured["kept back"] >= 0.45


@pytest.mark.spec("M9")
def test_no_two_ideas_are_the_same() -> None:
    told = [(name, text) for name, some in (TUNED | KEPT_BACK).items() for text in some]
    for (first, one), (second, other) in combinations(told, 2):
        assert first == second or not merges(one, other), (one, other)


@pytest.mark.spec("M9")
def test_a_word_has_one_meaning() -> None:
    tables = {
        "hard": set(lexicon.HARD),
        "things": {word for words in THINGS.values() for word in words.split()},
        "opposites": set(lexicon.SOFT),
        "doings": {word for words in DOINGS.values() for word in words.split()},
        "fillers": lexicon.FILLERS,
    }
    for (first, one), (second, other) in combinations(tables.items(), 2):
        assert not one & other, (first, second)
    for table in (THINGS, DOINGS):
        words = [word for some in table.values() for word in some.split()]
        assert len(words) == len(set(words))


@pytest.mark.spec("M9")
def test_what_to_avoid_is_what_fails_unless_a_failure_says_it() -> None:
    one, other = "Avoid longs when funding is high.", "Longs fail when funding is high."
    assert merges(one, other)
    assert merges(one, other, outcome="success")
    # Of a failure it is not plain what failed: the longs or their avoidance.
    assert not merges(one, "Longs when funding is high.", outcome="failure")


@pytest.mark.spec("M9")
def test_advice_against_something_is_not_opposed_to_its_failure() -> None:
    advice = memory(1, "Avoid longs when funding is high.").facts.without_outcome()
    lost = memory(2, "Longs fail when funding is high.").facts.without_outcome()
    assert advice.key != lost.key
    assert "not" in advice.classes
