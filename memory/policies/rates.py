"""How often somebody may call (SPEC E5): so many calls in any window of a length that slides.

Calls are counted by ticks, a fiftieth of the window each. The window and the tick before it never
hold more than the limit: so no window does, wherever it begins.
"""

import math
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from memory.policies.timeframes import EPOCH

KINDS = ("read", "write", "search", "session")
TICKS = 50
PERIODS = {"s": timedelta(seconds=1), "min": timedelta(minutes=1), "h": timedelta(hours=1)}
PATTERN = r"^([1-9]\d{0,8}/(s|min|h))?$"
"""A limit as settings write it, e.g. 600/min; empty for none."""


SEARCHED_BY = "q"
"""The parameter by which a list is searched, wherever it has one."""


def kind_of_call(*, changes: bool, asked: Container[str]) -> str:
    """Return what kind of call it is, over whatever interface, by the parameters that it gives."""
    if changes:
        return "write"
    return "search" if SEARCHED_BY in asked else "read"


@dataclass(frozen=True, slots=True)
class Rate:
    """At most `limit` calls in any `period`."""

    limit: int
    period: timedelta

    @property
    def tick(self) -> timedelta:
        """How long a tick is."""
        return self.period / TICKS

    def tick_of(self, moment: datetime) -> int:
        """Return the number of the tick that a moment lies in."""
        return (moment - EPOCH) // self.tick

    def wait(self, counts: Sequence[int], *, tick: int, now: datetime) -> int:
        """Return in how many whole seconds a call would be let in, if nobody else calls.

        `counts` are those of the last ticks, up to `tick`, the oldest first.
        """
        last = max(tick, self.tick_of(now))
        known = [0] * (TICKS + 1 - len(counts)) + list(counts)
        ticks = next(
            passed
            for passed in range(last - tick, last - tick + TICKS + 2)
            if sum(known[passed:]) < self.limit
        )
        return max(1, math.ceil((EPOCH + (tick + ticks) * self.tick - now).total_seconds()))


def limit_text(text: str) -> str:
    """Return what a setting writes (ValueError: it is no limit)."""
    if not re.fullmatch(PATTERN, text):
        # Without the text: settings may be secrets, and are told alike.
        raise ValueError("is no limit such as 3000/min (or /s, /h; empty: none)")
    return text


@cache
def rate_of(text: str) -> Rate | None:
    """Return the limit that a setting writes, None for none (ValueError: it is not one)."""
    if not limit_text(text):
        return None
    limit, _, period = text.partition("/")
    return Rate(int(limit), PERIODS[period])
