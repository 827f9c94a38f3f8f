"""Whether stored bars are current: a market is not to be read from what it was long ago (A12).

The rule, for a moment and the newest bar that had closed by then:

- a market that never closes (Hyperliquid's own): at most two bars of the timeframe;
- one that closes at night, at weekends and on holidays: two bars and a day, where Saturdays and
  Sundays (UTC) do not count. Such are the markets of a builder's dex (`xyz:AAPL`) where the bar
  is not from Hyperliquid, which trades them around the clock.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import OuterRef, Subquery

from memory.models import Instrument
from trading.market.bars import length_of
from trading.market.hyperliquid import SOURCE as EXCHANGE
from trading.models import Candle

BARS = 2
CLOSED = timedelta(days=1)
"""How long a market that closes may be closed on working days: a night, or a holiday."""
WEEK, WORKING = timedelta(days=7), timedelta(days=5)
MONDAY = datetime(1969, 12, 29, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest stored bar that had closed by a moment."""

    instrument: str
    timeframe: str
    closed_at: datetime
    source: str

    def is_current(self, *, at: datetime) -> bool:
        """Tell whether the market may be read from it at a moment."""
        most = BARS * length_of(timeframe=self.timeframe)
        if ":" not in self.instrument or self.source == EXCHANGE:
            return at - self.closed_at <= most
        return _working(at) - _working(self.closed_at) <= most + CLOSED


def newest(*, instrument: str, timeframe: str, at: datetime) -> Newest | None:
    """Return the newest bar that had closed by `at`; None: there is none (UnknownTimeframe)."""
    return newest_of(instruments=[instrument], timeframe=timeframe, at=at).get(instrument)


def newest_of(*, instruments: Sequence[str], timeframe: str, at: datetime) -> dict[str, Newest]:
    """Return the newest bar that had closed by `at`, by instrument, of those that have one.

    One statement, an index's end for each instrument. UnknownTimeframe.
    """
    length = length_of(timeframe=timeframe)
    closed = Candle.objects.filter(
        instrument_id=OuterRef("id"), timeframe=timeframe, opened_at__lte=at - length
    ).order_by("-opened_at")
    rows = Instrument.objects.filter(id__in=instruments).values_list(
        "id", Subquery(closed.values("opened_at")[:1]), Subquery(closed.values("source")[:1])
    )
    return {
        name: Newest(name, timeframe, opened_at.astimezone(UTC) + length, source)
        for name, opened_at, source in rows
        if opened_at is not None
    }


def _working(moment: datetime) -> timedelta:
    """Return the time from a Monday long ago, without Saturdays and Sundays."""
    weeks, rest = divmod(moment - MONDAY, WEEK)
    return weeks * WORKING + min(rest, WORKING)
