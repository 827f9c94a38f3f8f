"""What is odd about a stored or a new handoff (SPEC H2)."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from memory.models import Instrument
from memory.policies import handoffs as policy
from memory.schemas import handoffs


def handoff_warnings(
    metadata: dict[str, Any], *, instruments: Collection[str], boundary: datetime | None
) -> list[str]:
    """Return warnings about a record's metadata: none where it is no handoff.

    `instruments` are the record's own, known to be some; `boundary` is that of its run. Only
    sources about others are asked of the database.
    """
    if not handoffs.is_handoff(metadata):
        return []
    said = handoffs.read(metadata)
    named = {source.instrument_id for source in said.sources if source.instrument_id is not None}
    known = set(instruments)
    if named - known:
        others = Instrument.objects.filter(id__in=named - known)
        known |= set(others.values_list("id", flat=True))
    return policy.warnings(said, boundary=boundary, known=known)
