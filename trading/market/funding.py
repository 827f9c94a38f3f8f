"""The funding table: reading what was paid on an instrument."""

from datetime import UTC, datetime

from trading.market.rates import FundingSeries
from trading.models import FundingRate

__all__ = ["FundingSeries", "read"]


def read(*, instrument: str, start: datetime, end: datetime) -> FundingSeries | None:
    """Return the stored rates with start < at <= end, oldest first; None when there are none.

    Those are the stamps that fall into bars of the window [start, end).
    """
    rows = list(
        FundingRate.objects.filter(instrument_id=instrument, at__gt=start, at__lte=end)
        .order_by("at")
        .values_list("at", "rate")
    )
    if not rows:
        return None
    return FundingSeries(
        instrument=instrument,
        at=tuple(at.astimezone(UTC) for at, _ in rows),
        rate=tuple(rate for _, rate in rows),
    )
