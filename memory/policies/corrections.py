"""What a context makes of research and its corrections (SPEC C3, C7, C8).

An original is current while it is in the context, fresh or not, and neither withdrawn nor itself
superseded. A correction lives by its current originals: with none it is superseded, and until then
its deadline is no later than theirs.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memory.policies.visibility import Status, status


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The newest record of a lane. `originals` are what it corrects: none, and it is research."""

    id: UUID
    seq: int
    deadline: datetime | None
    producer_enabled: bool
    withdrawn: bool = False
    originals: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Grade:
    """A record's status in a context, and its deadline there (None: it has none)."""

    status: Status
    deadline: datetime | None


def graded(
    evidence: Iterable[Evidence], *, complete: bool = True, now: datetime
) -> dict[UUID, Grade]:
    """Return the grade of each record at `now`, in no particular order.

    `evidence` holds every record that is the newest of its lane: those missing are not current.
    A link leads to a record of a lower `seq`, so in that order each original comes before its
    corrections, however long the chain. Unless it is `complete`, corrections past their deadline
    may be missing, but none that one before its deadline corrects: then some are said to be
    superseded or stale that are the other of the two, and none is fresh that should not be.
    """
    grades: dict[UUID, Grade] = {}
    current: dict[UUID, datetime | None] = {}
    for one in sorted(evidence, key=lambda one: one.seq):
        caps = [current[original] for original in one.originals if original in current]
        superseded = bool(one.originals) and not caps
        deadline = earliest(one.deadline, *caps)
        grade = Grade(
            status(
                deadline=deadline,
                producer_enabled=one.producer_enabled,
                withdrawn=one.withdrawn,
                superseded=superseded,
                now=now,
            ),
            deadline,
        )
        grades[one.id] = grade
        if not (one.withdrawn or superseded):
            current[one.id] = deadline
        elif superseded and not complete and not one.withdrawn:
            # It may rest on what is missing, and be current, though not for long enough.
            current[one.id] = earliest(deadline, now)
    return grades


def earliest(*deadlines: datetime | None) -> datetime | None:
    """Return the earliest of some deadlines, of which None is never."""
    return min((moment for moment in deadlines if moment is not None), default=None)
