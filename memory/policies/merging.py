"""What a standing becomes that stands for others, and what it is again without them (SPEC M9)."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from memory.policies.standing import Moving


def absorbed(was: Moving, others: Iterable[Moving]) -> Moving:
    """Return a survivor with what others bring: counts add up, tags unite, the longest life."""
    after = was
    for other in others:
        ends = (after.expires_at, other.expires_at)
        after = replace(
            after,
            tags=tuple(dict.fromkeys([*after.tags, *other.tags])),
            validated_count=after.validated_count + other.validated_count,
            community_confirmations=after.community_confirmations + other.community_confirmations,
            expires_at=None if None in ends else max(end for end in ends if end is not None),
        )
    return after


def released(now_is: Moving, *, before: Moving, after: Moving) -> Moving:
    """Return a survivor without what a merge brought it, which took it from `before` to `after`.

    That is `before` exactly where nothing else has moved it since. Else what was added is taken
    away, and a life that was changed since stays.
    """
    if now_is == after:
        return before
    added = set(after.tags) - set(before.tags)
    same_end = now_is.expires_at == after.expires_at
    less = after.community_confirmations - before.community_confirmations
    return replace(
        now_is,
        tags=tuple(tag for tag in now_is.tags if tag not in added),
        validated_count=now_is.validated_count - (after.validated_count - before.validated_count),
        community_confirmations=max(now_is.community_confirmations - less, 0),
        expires_at=before.expires_at if same_end else now_is.expires_at,
    )


def parted(was: Moving, *, now: datetime) -> Moving:
    """Return a standing whose life is its own again, and no longer lengthened by others'.

    Where its own time passed meanwhile it ends at `now`: nobody could have restored it before, and
    from its end on it has the same grace as any other.
    """
    end = was.expires_at
    return was if end is None or end > now else replace(was, expires_at=now)
