"""How much work a comparison of many texts may be (SPEC M9): the rest stays apart."""

from dataclasses import dataclass

from memory.policies.facts import Facts

MOST = 100_000_000
"""What the comparisons of a block may cost in all: some 30 seconds where each costs the most, and
all pairs of 240 insights of 15 words each. Beyond, only what has an equal text or configuration is
the same."""


@dataclass
class Effort:
    """What is left to be spent."""

    left: int = MOST

    def is_spared(self, one: Facts, other: Facts) -> bool:
        """Spend what a comparison may cost; tell whether it is too much, and then spend nothing.

        Each two things are looked at beside all others; equal sequences of things cost nothing.
        """
        if one.said == other.said:
            return False
        cost: int = max(len(one.said), len(other.said)) ** 3
        if cost > self.left:
            return True
        self.left -= cost
        return False
