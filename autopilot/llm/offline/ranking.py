"""How well a backtest did beside others, by Sharpe ratios in-sample: material has no others.

Where a market moves one way nearly all that is tried succeeds, and an outcome tells nothing.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

LEAST = 0.5
"""The worst of several successes speaks as much against what it was made of as for it."""


def sharpe_of(memory: Mapping[str, Any]) -> float | None:
    """Return the Sharpe ratio that a memory tells of its backtest; None: it tells none."""
    told: float | None = memory.get("figures", {}).get("sharpe")
    return told


def ranked(memories: Sequence[Mapping[str, Any]]) -> list[float]:
    """Return the Sharpe ratios that memories tell, the lowest first."""
    return sorted(sharpe for one in memories if (sharpe := sharpe_of(one)) is not None)


def grade(memory: Mapping[str, Any], among: Sequence[float]) -> float:
    """Return how much of a success a memory is among others', `ranked`: LEAST…1, the best is 1.

    What tells no figure, or has nothing to be held against, is one outright.
    """
    sharpe = sharpe_of(memory)
    if sharpe is None or len(among) <= 1:
        return 1.0
    return LEAST + (1 - LEAST) * min(1.0, bisect_left(among, sharpe) / (len(among) - 1))


def advantage(ones: Sequence[float], others: Sequence[float]) -> float:
    """Return by how many standard deviations ones rank before others (Mann and Whitney's U, 1947).

    Normal approximation without the correction for ties, which makes it no greater. 0 where either
    is empty.
    """
    first, second = len(ones), len(others)
    if not first or not second:
        return 0.0
    before = sum((one > other) + (one == other) / 2 for one in ones for other in others)
    spread = math.sqrt(first * second * (first + second + 1) / 12)
    return (before - first * second / 2) / spread
