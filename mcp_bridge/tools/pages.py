"""One page of a unit that is longer than an answer may be (SPEC B5)."""

from collections.abc import Sequence

from memory.errors import ValidationFailed
from memory.schemas.answers import Answer


class Part(Answer):
    """A page: the texts of all pages, joined, are the JSON of the unit."""

    page: int
    pages: int
    note: str
    text: str


def page_of(pieces: Sequence[str], *, page: int) -> Part | None:
    """Return a page; None when there is but one (ValidationFailed: there is no such page)."""
    if page > len(pieces):
        raise ValidationFailed({"page": [f"must be from 1 to {len(pieces)}"]})
    if len(pieces) == 1:
        return None
    return Part(
        page=page,
        pages=len(pieces),
        note=f"page {page} of {len(pieces)}; join the texts of all pages to get the JSON",
        text=pieces[page - 1],
    )
