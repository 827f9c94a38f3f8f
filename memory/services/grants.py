"""Letting one agent read another of the same owner, and ending that (SPEC M10).

The table is its own ledger: who let whom read, since when, and who ended it.
"""

from datetime import datetime

from memory.errors import NotOneOwner, ValidationFailed
from memory.ids import id_at
from memory.models import Agent, Grant


def grant(*, reader: Agent, source: Agent, by_id: int, now: datetime) -> tuple[Grant, bool]:
    """Let `reader` read the live rules and insights of `source`; tell whether it might not before.

    `by_id` is the user who says so. One that is open stays as it is. ValidationFailed: it is the
    same agent; NotOneOwner.
    """
    if reader.id == source.id:
        raise ValidationFailed(
            {"source": ["must be another agent: its own memory it reads anyway"]}
        )
    if reader.owner_id != source.owner_id:
        raise NotOneOwner("an agent reads agents of its own owner alone")
    return Grant.objects.get_or_create(
        reader=reader,
        source=source,
        revoked_at=None,
        defaults={"id": id_at(now), "granted_at": now, "granted_by_id": by_id},
    )


def revoke(*, grant: Grant, by_id: int, now: datetime) -> bool:
    """End a grant at once; False when it was ended already."""
    # A clock may have gone back meanwhile.
    ended = max(now, grant.granted_at)
    still_open = Grant.objects.filter(id=grant.id, revoked_at=None)
    return bool(still_open.update(revoked_at=ended, revoked_by_id=by_id))
