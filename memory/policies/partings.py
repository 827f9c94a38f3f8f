"""What has been parted, and is not to be merged again unasked (SPEC M9).

Each undo of a merge parts a group: what is in different parts of it is apart, until somebody merges
it all the same. Kept are parts and not pairs, which of thousands would be millions. Pure.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from uuid import UUID

type Parts = Collection[Collection[UUID]]


@dataclass(slots=True)
class Partings:
    """What happened, in order: who was parted from whom, and what was merged again since."""

    number: int = 0
    places: dict[UUID, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))
    """Memory → the number of each parting that it was in, and its part."""
    merged: list[tuple[int, frozenset[UUID]]] = field(default_factory=list)

    def part(self, parts: Parts) -> None:
        """Note that these were parted from each other."""
        self.number += 1
        for place, members in enumerate(parts):
            for member in members:
                self.places[member][self.number] = place

    def join(self, members: Iterable[UUID]) -> None:
        """Note that these were merged: what was parted before is no longer, between them."""
        parted = frozenset(one for one in members if one in self.places)
        if len(parted) > 1:
            self.merged.append((self.number, parted))

    @property
    def members(self) -> Collection[UUID]:
        """All that was ever parted."""
        return self.places.keys()

    def has(self, one: UUID, other: UUID) -> bool:
        """Tell whether two are apart."""
        ours, theirs = self.places.get(one), self.places.get(other)
        if not ours or not theirs:
            return False
        last = max(
            (number for number, place in ours.items() if theirs.get(number, place) != place),
            default=0,
        )
        return last > 0 and not any(
            number >= last and one in members and other in members
            for number, members in self.merged
        )


NONE = Partings()
