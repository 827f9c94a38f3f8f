"""Whether two things have changed places from one text to another (SPEC M9).

Texts of equal words may say opposite things: `trend on the 4h, entry on the 15m`. For each two
things of a kind it is asked whether one text is more like the other as it is, or like the other
with the two exchanged. Only where it is more like as it is do they stand where they stood; where
nothing tells, they are taken for exchanged.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from memory.policies.lexicon import OUTCOME_CLASSES, SOFT, TURNS, family
from memory.policies.timeframes import TIMEFRAMES
from memory.policies.tokens import Token

REACH = 5
"""Things further apart than this have nothing to do with each other; a break counts as one."""
NEAR = {1: 3_600, 2: 900, 3: 400, 4: 225, 5: 144}
"""What it weighs that two things stand so far apart: by the square of the distance."""
IN_ORDER = 1_800
"""What it weighs that of two things of a kind one stands before the other."""
LASTING = frozenset(
    {"wait", "hold", "exit", "stop", "target", "trail", "until", "within", "then", "quit", "keep"}
    | {SOFT[word] for word in ("before", "first", "last", "begin", "end", "early", "late")}
    | {SOFT["after"]}
)
"""A span beside one of these may be how long it is."""
NOTHING = Token("break", "")
PART = Token("break", "part")
PARTING = frozenset({",", ";", "."})
SIDES_OF_BARS = frozenset(SOFT[word] for word in ("open", "close", "high", "low"))
_MANNERS = "strong weak heavy thin large small fast slow tight wide calm volatile"
MANNERS = {"up", "down"} | {SOFT[word] for word in _MANNERS.split()}
"""What says of one and the same thing how it is may be said in any order."""
type Bond = tuple[str, str]
type Bonds = dict[Bond, int]
"""Two things, in alphabetical order → how near they stand."""


def is_exchanged(one: Sequence[Token], other: Sequence[Token]) -> bool:
    """Tell whether of two texts of equal words, breaks among them, one exchanges two things."""
    told = _placed(one), _placed(other)
    first, second = _said(told[0]), _said(told[1])
    if first == second:
        return False
    chart = _chart(one) & _chart(other)
    moving = [[token for token in some if token.value not in chart] for some in told]
    here, there = _bonds(moving[0]), _bonds(moving[1])
    clauses = [[_parted(token) for token in some] for some in moving]
    near = _bonds(clauses[0]), _bonds(clauses[1])
    if _is_said_of_else(*near, moving) or _is_manner_of_else(moving):
        return True
    if _is_bar_of_else(told):
        return True
    ours, theirs = _bonds(told[0]), _bonds(told[1])
    return any(
        _is_repeated(first, second, a, b)
        or (
            not _are_of_one((a, b), moving)
            and _is_turned(here, there, (a, b), is_kept=_order(first, a, b) == _order(second, a, b))
        )
        if alike
        else _is_plainly_turned(ours, theirs, (a, b))
        for a, b, alike in _exchangeable((set(first) & set(second)) - chart, told[0])
    )


def _placed(tokens: Sequence[Token]) -> list[Token]:
    """Leave out what speaks of the whole: the one outcome, the one market."""
    went = {one.value for one in tokens if one.value in OUTCOME_CLASSES}
    names = {one.value for one in tokens if one.kind == "name" or one.value == "alt"}
    whole = {value for some in (went, names) if len(some) == 1 for value in some}
    return [one for one in tokens if one.value not in whole]


def _chart(tokens: Sequence[Token]) -> set[str]:
    """Return the one span that a text names, where it is no time that something takes.

    It is the chart that all is said of, wherever in the text it stands: `hold 4h` is none.
    """
    spans = {one.value for one in tokens if one.value in TIMEFRAMES}
    sides = {one.value for one in tokens} & SIDES_OF_BARS
    if len(spans) != 1 or len(sides) > 1:
        return set()  # Of two charts, or of one side of its bars and not of another.
    padded = [NOTHING, *tokens, NOTHING]
    around = zip(padded, tokens, padded[2:], strict=False)
    return set() if any(_is_lasting(*three) for three in around) else spans


def _is_lasting(before: Token, one: Token, after: Token) -> bool:
    """Tell whether a span is how long something takes: `wait 1h`, not `wait for the 1h close`."""
    is_of_thing = after.kind == "subject" or after.value in SIDES_OF_BARS
    return one.value in TIMEFRAMES and (
        after.value in LASTING or (before.value in LASTING and not is_of_thing)
    )


def _said(tokens: Iterable[Token]) -> list[str]:
    return [one.value for one in tokens if one.kind != "break"]


def _order(said: Sequence[str], a: str, b: str) -> bool:
    return said.index(a) < said.index(b)


def _bonds(tokens: Sequence[Token]) -> dict[str, Bonds]:
    """Return each thing's bonds: what stands near it."""
    found: dict[str, Counter[Bond]] = defaultdict(Counter)
    for place, one in enumerate(tokens):
        if one.kind == "break":
            continue
        for far, other in enumerate(tokens[place + 1 : place + 1 + REACH], 1):
            if other is PART:
                break
            if other.kind != "break" and other.value != one.value:
                bond = _bond(one.value, other.value)
                found[one.value][bond] += NEAR[far]
                found[other.value][bond] += NEAR[far]
    return {thing: dict(bonds) for thing, bonds in found.items()}


def _parted(token: Token) -> Token:
    """Return what parts two things for a comma or the like, past which nothing says how one is."""
    return PART if token.kind == "break" and token.value in PARTING else token


def _bond(one: str, other: str) -> Bond:
    return (one, other) if one < other else (other, one)


def _is_repeated(first: Sequence[str], second: Sequence[str], a: str, b: str) -> bool:
    """Tell whether of two things one is said more than once, and they do not follow in one order.

    Which of its places something stands in is more than its bonds can tell.
    """
    orders = [[value for value in said if value in {a, b}] for said in (first, second)]
    return max(map(len, orders)) > 2 and orders[0] != orders[1]  # noqa: PLR2004 - once each


def _is_turned(
    here: Mapping[str, Bonds], there: Mapping[str, Bonds], two: Bond, *, is_kept: bool
) -> bool:
    kept, turned = _alike(here, there, two)
    return kept + IN_ORDER * is_kept <= turned + IN_ORDER * (not is_kept)


def _is_plainly_turned(here: Mapping[str, Bonds], there: Mapping[str, Bonds], two: Bond) -> bool:
    """Tell whether two things of different kinds are exchanged, and nothing is told otherwise."""
    ours, theirs = sum(_of(here, two).values()), sum(_of(there, two).values())
    kept, turned = _alike(here, there, two)
    beside = _of(here, two).get(_bond(*two), 0) >= NEAR[1]
    return turned > kept and turned == ours == theirs and not beside


def _are_of_one(two: Bond, told: Sequence[Sequence[Token]]) -> bool:
    """Tell whether two manners, no opposites, are of one thing that both texts name once.

    Then it does not matter where they stand: `a strong downtrend`, `the downtrend is strong`.
    """
    if not MANNERS.issuperset(two) or two[0][1:] == two[1][1:] or {"up", "down"}.issuperset(two):
        return False
    things = {_thing_of(value, tokens) for tokens in told for value in two}
    thing = things.pop()
    return not things and thing is not None and all(_said(some).count(thing) == 1 for some in told)


def _is_manner_of_else(told: Sequence[Sequence[Token]]) -> bool:
    """Tell whether a manner is of one thing here and of another there.

    `A strong pullback in a trend` is no `pullback in a strong trend`.
    """
    shared = MANNERS.intersection(*(_said(tokens) for tokens in told))
    things = ({_thing_of(manner, tokens) for tokens in told} for manner in shared)
    return any(len(some - {None}) > 1 for some in things)


def _is_bar_of_else(told: Sequence[Sequence[Token]]) -> bool:
    """Tell whether a span is of other sides of its bars: `the 1h close`, `the 1h high`."""
    here, there = (
        {
            span: {b.value for a, b in pairwise(tokens) if a.value == span} & SIDES_OF_BARS
            for span in {one.value for one in tokens} & TIMEFRAMES.keys()
        }
        for tokens in told
    )
    return any(
        here[span] and there[span] and not here[span] & there[span]
        for span in here.keys() & there.keys()
    )


def _thing_of(manner: str, tokens: Sequence[Token]) -> str | None:
    """Return what a manner is of: what follows it, or else what is before it in its clause."""
    place = next(at for at, one in enumerate(tokens) if one.value == manner)
    for some in (tokens[place + 1 :], tokens[:place][::-1]):
        one = next((token for token in some if token.value not in MANNERS), NOTHING)
        if one.kind == "subject":
            return one.value
    return None


def _is_said_of_else(
    here: Mapping[str, Bonds], there: Mapping[str, Bonds], told: Sequence[Sequence[Token]]
) -> bool:
    """Tell whether what says how something is stands beside nothing that it stands beside there."""
    kinds = {one.value: one.kind for one in told[0]}
    for value, kind in kinds.items():
        if kind != "soft" and value not in TURNS:
            continue
        beside = [_beside(bonds.get(value, {}), value, kinds) for bonds in (here, there)]
        if all(beside) and not beside[0] & beside[1]:
            return True
    return False


def _beside(bonds: Bonds, value: str, kinds: Mapping[str, str]) -> set[str]:
    """Return the thing and the number that are nearest to a word that says how they are."""
    found: set[str] = set()
    for some in ({"subject", "word"}, {"number"}):
        near = {
            thing: weight
            for bond, weight in bonds.items()
            for thing in bond
            if weight >= NEAR[2] and thing not in TIMEFRAMES and kinds.get(thing) in some
        }
        near.pop(value, None)
        most = max(near.values(), default=0)
        found |= {thing for thing, weight in near.items() if weight == most}
    return found


def _of(bonds: Mapping[str, Bonds], two: Bond) -> Bonds:
    return bonds.get(two[0], {}) | bonds.get(two[1], {})


def _alike(here: Mapping[str, Bonds], there: Mapping[str, Bonds], two: Bond) -> tuple[int, int]:
    """Return how much of two things' bonds the other text has, and how much if exchanged."""
    ours, theirs = _of(here, two), _of(there, two)
    names = {two[0]: two[1], two[1]: two[0]}
    kept = turned = 0
    for (a, b), near in ours.items():
        kept += min(near, theirs.get((a, b), 0))
        turned += min(near, theirs.get(_bond(names.get(a, a), names.get(b, b)), 0))
    return kept, turned


def _exchangeable(shared: set[str], tokens: Sequence[Token]) -> Iterator[tuple[str, str, bool]]:
    """Yield each two different things that both texts name, and whether they are of a kind."""
    kinds = {one.value: one.kind for one in tokens if one.value in shared}
    for a, b in combinations(sorted(kinds), 2):
        alike = family(kinds[a], a) == family(kinds[b], b)
        yield a, b, alike
