"""What a reader is told of a record's currency (SPEC C3)."""

from datetime import datetime
from typing import Literal

Status = Literal["fresh", "stale", "disabled", "superseded", "withdrawn"]

ORDER: tuple[Status, ...] = ("fresh", "stale", "disabled", "superseded", "withdrawn")
"""The order in which a context lists its evidence."""


def status(
    *,
    deadline: datetime | None,
    producer_enabled: bool,
    withdrawn: bool = False,
    superseded: bool = False,
    now: datetime,
) -> Status:
    """Return a record's status at `now`; a deadline that is reached is past (inclusive).

    `superseded` is said of corrections in a context alone. What is withdrawn is nothing else.
    """
    if withdrawn:
        return "withdrawn"
    if superseded:
        return "superseded"
    if deadline is not None and deadline <= now:
        return "stale"
    return "fresh" if producer_enabled else "disabled"
