"""Whether stored bars are current: a market is not to be read from what it was long ago (A12).

The rule, for a moment and the newest bar that had closed by then:

- a market that never closes (Hyperliquid's own): at most two bars of the timeframe;
- one that closes at night, at weekends and on holidays: two bars and a day, where Saturdays and
  Sundays (UTC) do not count. Such are the markets of a builder's dex (`xyz:AAPL`) where the bar
  is not from Hyperliquid, which trades them around the clock.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

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
    length = length_of(timeframe=timeframe)
    row = (
        Candle.objects.filter(
            instrument_id=instrument, timeframe=timeframe, opened_at__lte=at - length
        )
        .order_by("-opened_at")
        .values_list("opened_at", "source")
        .first()
    )
    if row is None:
        return None
    opened_at, source = row
    return Newest(instrument, timeframe, opened_at.astimezone(UTC) + length, source)


def _working(moment: datetime) -> timedelta:
    """Return the time from a Monday long ago, without Saturdays and Sundays."""
    weeks, rest = divmod(moment - MONDAY, WEEK)
    return weeks * WORKING + min(rest, WORKING)
