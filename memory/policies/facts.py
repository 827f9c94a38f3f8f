"""What a trading insight says, in a form that can be compared: its facts, and its other words (M9).

Equal facts are a condition of saying the same, and the flip of one of them is what no likeness of
words can tell. What a typed field says need not be said in words.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from memory.policies import lexicon
from memory.policies.figures import LOSS
from memory.policies.reading import instrument, read
from memory.policies.timeframes import TIMEFRAMES
from memory.policies.tokens import Token

LONGEST = 4_000
"""A longer text is not read, and like none but its equal: an insight is short."""
MOST_READ = 400
"""Nor is one of more words and marks."""


@dataclass(frozen=True)
class Facts:
    """What a text says. Equal facts are a condition of being the same, not yet a proof.

    `tokens` are all that say something, in order, with breaks between clauses.
    """

    tokens: tuple[Token, ...]
    instruments: frozenset[str]
    timeframes: frozenset[str]
    classes: frozenset[str]
    masked: str
    ways: frozenset[tuple[str, str]] = frozenset()
    """What a `from`, a `to` or an `into` stands before."""
    lasting: tuple[str, ...] = ()
    """Timeframes that are no chart's, but how long something takes: `wait 1h`."""
    is_read: bool = True
    is_advice: bool = False
    """What is advised against counts as what fails, but for who asks what it says besides that."""

    @cached_property
    def said(self) -> tuple[Token, ...]:
        """The tokens without breaks."""
        return tuple(one for one in self.tokens if one.kind != "break")

    @cached_property
    def numbers(self) -> Counter[str]:
        """Numbers with unit and bound: `above 25`."""
        return Counter(
            one.value for one in self.said if one.kind == "number" and one.value not in TIMEFRAMES
        )

    @cached_property
    def subjects(self) -> Counter[str]:
        """Indicators, sessions, patterns, roles."""
        return Counter(one.value for one in self.said if one.kind == "subject")

    @cached_property
    def soft(self) -> Counter[str]:
        """Opposites that are named."""
        return Counter(one.value for one in self.said if one.kind == "soft")

    @cached_property
    def words(self) -> Counter[str]:
        """Plain words, by their stems."""
        return Counter(one.value for one in self.said if one.kind == "word")

    @cached_property
    def named(self) -> Counter[str]:
        """Instruments as the text names them, where it speaks of more than one."""
        if len(self.instruments) < 2:  # noqa: PLR2004 - what one is, is told by the typed field
            return Counter()
        return Counter(one.value for one in self.said if one.kind == "name")

    @cached_property
    def concepts(self) -> frozenset[str]:
        """All that is said, each once, but for what typed fields say."""
        typed = {*lexicon.DIRECTIONS, *lexicon.OUTCOME_CLASSES}
        return frozenset(
            one.value
            for one in self.said
            if one.kind != "name" and one.value not in typed and one.value not in TIMEFRAMES
        )

    @cached_property
    def trigrams(self) -> frozenset[str]:
        """Trigrams of its words, results masked."""
        return trigrams(self.masked)

    @cached_property
    def key(self) -> Hashable:
        """What must be equal before two texts can be the same."""
        counts = (self.numbers, self.named, self.subjects, self.soft, self.words)
        told = tuple(frozenset(count.items()) for count in counts)
        return (self.timeframes, self.instruments, self.classes, *told)

    def without_outcome(self) -> "Facts":
        """Return what it says but for how it went."""
        went = lexicon.OUTCOME_CLASSES | {LOSS}
        if self.is_advice:
            return replace(
                self,
                tokens=tuple(NOT if one == FAILS else one for one in self.tokens),
                classes=self.classes - went - {"not 0"} | {"not", "not 1"},
                masked=self.masked.replace(FAILS.value, NOT.value),
                is_advice=False,
            )
        return replace(
            self,
            tokens=tuple(one for one in self.tokens if one.value not in went),
            classes=self.classes - went,
            masked=" ".join(word for word in self.masked.split() if word not in went),
        )

    @cached_property
    def sentences(self) -> tuple[tuple[Token, ...], ...]:
        """What is said between two breaks, in order."""
        found: list[list[Token]] = [[]]
        for one in self.tokens:
            if one.kind == "break":
                found.append([])
            else:
                found[-1].append(one)
        return tuple(tuple(one) for one in found if one)

    @cached_property
    def clauses(self) -> tuple[frozenset[str], ...]:
        """What is said between two breaks."""
        return tuple(frozenset(one.value for one in some) for some in self.sentences)


def facts_of(
    text: str,
    *,
    symbol: str | None = None,
    timeframe: str | None = None,
    direction: str | None = None,
    outcome: str | None = None,
) -> Facts:
    """Return what `text` says; of a long one nothing. Typed fields stand for words it leaves out.

    Where words say otherwise than a typed field, both count, so that it equals neither.
    """
    tokens = read(text) if len(text) <= LONGEST else None
    if tokens is None or len(tokens) > MOST_READ:
        return UNREAD
    if outcome is not None:
        tokens = [one for one in tokens if one.value != LOSS]
    # Of a failure that says what to avoid it is not plain whether that or its avoidance failed.
    is_advice = outcome != "failure" and any(one.value == lexicon.SHUNNED for one in tokens)
    meant = FAILS if is_advice else NOT
    tokens = [meant if one.value == lexicon.SHUNNED else one for one in tokens]
    instruments = {one.value for one in tokens if one.kind == "name"}
    timeframes = {one.value for one in tokens if one.kind == "number" and one.value in TIMEFRAMES}
    classes = {one.value for one in tokens if one.kind == "hard"}
    # Not of not is another thing than not. What is long or works may be said twice to no effect.
    counts = Counter(one.value for one in tokens if one.kind == "hard")
    classes |= {f"not {counts['not']}"}
    classes |= {
        f"{name} {count}" for name, count in counts.items() if count > 1 and name not in AGAIN
    }
    if symbol is not None:
        instruments.add(instrument(symbol))
    if timeframe is not None:
        timeframes.add(timeframe)
    if direction is not None:
        classes |= lexicon.DIRECTIONS.get(direction, set())
    if outcome is not None and not classes & lexicon.OUTCOME_CLASSES:
        classes.add({"success": "works", "failure": "fails"}[outcome])
    # What is said without a word of how it went is said to work: nobody notes what is neither.
    if "fails" not in classes and not _is_condition(tokens):
        classes.discard("works")
    said = [one for one in tokens if one.kind != "filler"]
    return Facts(
        tokens=tuple(said),
        instruments=frozenset(instruments),
        timeframes=frozenset(timeframes),
        classes=frozenset(classes),
        masked=" ".join(one.value for one in tokens if one.kind != "break"),
        ways=frozenset(_ways(tokens)),
        lasting=tuple(sorted(_lasting(tokens))),
        is_advice=is_advice,
    )


def _ways(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Yield each `from`, `to` or `into` with what it stands before."""
    for place, one in enumerate(tokens):
        if one.value in WAYS:
            after = next((some for some in tokens[place + 1 :] if some.kind != "filler"), None)
            if after is not None and after.kind != "break":
                yield (WAYS[one.value], after.value)


def _lasting(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the timeframes that are how long something takes: `for 1h`, `1h after the news`."""
    ends = Token("break", "")
    for before, one, after in zip([ends, *tokens], tokens, [*tokens[1:], ends], strict=False):
        if one.value in TIMEFRAMES and (before.value in WAITING or after.value in AROUND):
            yield one.value


AROUND = frozenset({lexicon.SOFT["before"], lexicon.SOFT["after"]})
WAITING = frozenset({"for", "wait", "exit"})
WAYS = {"from": "from", "to": "to", "into": "to"}


def _is_condition(tokens: Sequence[Token]) -> bool:
    """Tell whether that something works is a condition: `add when it is profitable`."""
    said = [one for one in tokens if one.kind != "filler"]
    return any(one.value == "works" and before.value in WORKING for before, one in pairwise(said))


WORKING = frozenset(
    {*lexicon.CONDITIONS, "until", "unless", lexicon.SOFT["before"], lexicon.SOFT["after"]}
)
NOT, FAILS = Token("hard", "not"), Token("hard", "fails")
AGAIN = frozenset({*lexicon.DIRECTIONS, *lexicon.OUTCOME_CLASSES, "not"})
UNREAD = Facts((), frozenset(), frozenset(), frozenset(), "", is_read=False)


def trigrams(text: str) -> frozenset[str]:
    """Return the trigrams of each word, padded by two blanks before and one after (pg_trgm)."""
    return frozenset(
        padded[place : place + 3]
        for word in text.casefold().split()
        for padded in (f"  {word} ",)
        for place in range(len(padded) - 2)
    )
