"""How likely it is that luck alone did as well: what a rule's holdouts say, variants counted (M6).

Of thirty strategies tried on one slice of a market the best one has a good holdout by chance. Pure.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """The bars [start, end) of an instrument that a strategy was judged on; times in ISO 8601."""

    instrument: str
    start: str
    end: str


def apart(slices: Iterable[Slice]) -> list[frozenset[Slice]]:
    """Return the slices in groups that share no bar with each other: each is one piece of luck."""
    groups: list[set[Slice]] = []
    ends = ("", "")
    for one in sorted(set(slices), key=lambda one: (one.instrument, one.start, one.end)):
        if groups and (one.instrument, one.start) < ends:
            groups[-1].add(one)
            ends = max(ends, (one.instrument, one.end))
        else:
            groups.append({one})
            ends = (one.instrument, one.end)
    return [frozenset(group) for group in groups]


def of_best(scores: Collection[float], *, tried: int) -> float:
    """Return how likely the best of `tried` strategies without any edge is to score as well.

    A score is the t-statistic of a holdout's returns. They are taken as if they were independent:
    strategies that are alike are fewer than they seem, so the true chance is no greater.
    """
    if not scores:
        return 1.0
    one = 0.5 * math.erfc(max(scores) / math.sqrt(2))
    return 1.0 if one == 1 else -math.expm1(max(tried, len(scores), 1) * math.log1p(-one))


def of_all(chances: Sequence[float]) -> float:
    """Return how likely independent chances are to be as small as these together (Fisher)."""
    if not chances:
        return 1.0
    if min(chances) <= 0:
        return 0.0
    half = -math.fsum(map(math.log, chances))
    terms = (half**power / math.factorial(power) for power in range(len(chances)))
    return min(1.0, math.exp(-half) * math.fsum(terms))
