"""No two texts that say different things are called the same, and none costs much (SPEC M9)."""

import time
from collections.abc import Callable
from itertools import islice, product
from typing import Any
from uuid import UUID

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from autopilot.learning.claims import like
from memory.policies import lexicon
from memory.policies.duplicates import compare, plan
from memory.policies.facts import LONGEST
from memory.policies.phrases import PHRASES
from memory.policies.reading import read
from memory.policies.timeframes import TIMEFRAMES
from tests.memory.flips import TURNED
from tests.memory.flips_of_words import TURNED_WORDS
from tests.memory.test_wording import memory, merges

BEFORE = ("", "Long: ", "Long breakouts with volume confirmation work on ETH. ")
ALL = TURNED | TURNED_WORDS
PAIRS = [(kind, one, other) for kind, some in ALL.items() for one, other in some]


@pytest.mark.spec("M9")
@pytest.mark.parametrize(("kind", "one", "other"), PAIRS)
def test_what_is_turned_never_merges(kind: str, one: str, other: str) -> None:
    for before, typed in product(BEFORE, ({}, {"outcome": "success", "timeframe": "1h"})):
        # A typed outcome says how it went: words and figures of it are no more than that.
        if not typed or kind != "win/loss":
            assert not merges(before + one, before + other, **typed)


@pytest.mark.spec("M6")
@pytest.mark.parametrize(("one", "other"), [pair[1:] for pair in PAIRS])
def test_a_rule_that_is_turned_is_another_rule(one: str, other: str) -> None:
    if "won 9 of 10" not in one:  # figures that a rule came with
        assert like(one, [(UUID(int=1), other)]) is None


WORDS = sorted(
    {
        *lexicon.HARD, *lexicon.SUBJECTS, *lexicon.SOFT, *lexicon.SYNONYMS, *lexicon.FILLERS,
        *lexicon.BREAKS, *lexicon.WORD_NUMBERS, *lexicon.INSTRUMENT_NAMES,
        "or", "only", "even", "off", "within", "rather", "half", "all", "3", "5", "2%", "4h", "15m",
        "20bars", ".5", "-1", "hurts", ",", ".", "+", "ATR",
    }
)  # fmt: skip
AGAIN = {*lexicon.DIRECTIONS, *lexicon.OUTCOME_CLASSES}


def meant(word: str) -> list[tuple[str, str]]:
    """Return what a word means alone; what says nothing means nothing."""
    return [(one.kind, one.value) for one in read(word) if one.kind not in {"filler", "break"}]


def _is_set(one: tuple[str, str]) -> bool:
    return one[0] == "name" or one[1] in TIMEFRAMES


@pytest.mark.spec("M9")
@settings(max_examples=600, deadline=None)
@given(
    words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=8),
    place=st.integers(0, 7),
    put=st.sampled_from(WORDS),
)
def test_no_word_but_a_synonym_can_stand_for_another(
    words: list[str], place: int, put: str
) -> None:
    place %= len(words)
    was, now = meant(words[place]), meant(put)
    assume(was != now)
    # Some may be said twice to no effect.
    rest = {one for at, word in enumerate(words) if at != place for one in meant(word)}
    assume(not any(value in AGAIN for _, value in [*was, *now]))
    assume(not any(one in rest and _is_set(one) for one in [*was, *now]))
    text, other = " ".join(words), " ".join([*words[:place], put, *words[place + 1 :]])
    # A phrase means what it is declared to mean, whatever its words do.
    told = (text, other, words[place], put)
    assume(not any(pattern.search(one) for pattern, _ in PHRASES for one in told))
    assert not merges(text, other, symbol=None)


def _words(count: int) -> str:
    return " ".join("".join(one) for one in islice(product("bcdfghjklmnpqrstvw", repeat=4), count))


HUGE: dict[str, Callable[[int], str]] = {
    "digits": lambda size: "9" * size,
    "days": lambda size: f"Hold {'9' * (size - 11)} days.",
    "thousands": lambda size: "9" * (size - 1) + "k",
    "short numbers": lambda size: "9 " * (size // 2),
    "one word": lambda size: "a" * size,
    "different words": lambda size: _words(size // 5),
    "negations": lambda size: "n't" * (size // 3),
    "negated outcomes": lambda size: "not won " * (size // 8),
    "dates": lambda size: "2020-01-01 " * (size // 11),
    "scores": lambda size: "7 of 10 trades won, " * (size // 20),
    "figures": lambda size: "PnL 3 %, " * (size // 9),
    "half a report": lambda size: "in-sample: pnl 3 %, on a " * (size // 25) + "!",
    "links": lambda size: ", and" * (size // 5),
    "slashes": lambda size: "a/" * (size // 2),
    "blanks": lambda size: f"x{' ' * (size - 2)}y",
}


@pytest.mark.spec("M9", "R10")
@pytest.mark.parametrize("kind", HUGE)
@pytest.mark.parametrize("size", [LONGEST - 96, LONGEST, 32_700])
def test_no_text_is_too_much(kind: str, size: int) -> None:
    text = HUGE[kind](size)
    begun = time.process_time()
    told: Any = compare(memory(1, text), memory(2, text))
    assert told.how == "text"
    assert plan([memory(1, text), memory(2, f"{text} the"), memory(3, f"{text} 5")]).count <= 1
    assert like(text, [(UUID(int=1), text)]) is not None
    # It takes some hundredths of a second; what grew by the square took from ten to a hundred.
    assert time.process_time() - begun < 5
