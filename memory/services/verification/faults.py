"""What a verification finds."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is not as it must be.

    `check` is one word for what was looked at; `repaired` tells that it is put right.
    """

    check: str
    agent: UUID | None
    record: UUID | None
    what: str
    repaired: bool = False
