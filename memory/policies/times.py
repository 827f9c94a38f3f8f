"""Times of one history follow one another, whatever the clocks of those who write it say.

A writer reads its clock before it waits for others, and hosts' clocks differ. What is written is
therefore the later of its `now` and where the history ends, and is decided under the lock by which
the history is written.
"""

from datetime import datetime, timedelta

STEP = timedelta(microseconds=1)
"""The least that the database tells apart."""


def not_before(now: datetime, *ends: datetime | None) -> datetime:
    """Return `now`, or the latest of `ends` if that is later."""
    return max([now, *(end for end in ends if end is not None)])


def after(now: datetime, *ends: datetime | None) -> datetime:
    """Return `now`, or the next moment after the latest of `ends` if that is not earlier."""
    return not_before(now, *(end + STEP for end in ends if end is not None))
