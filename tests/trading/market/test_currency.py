"""How old the newest bar of a market may be for a reading (SPEC A12)."""

from datetime import UTC, datetime, timedelta

import pytest

from memory.policies.timeframes import TIMEFRAMES
from tests.desk import make_instrument
from trading.market.bars import Bar, BarSeries
from trading.market.candles import store
from trading.market.currency import Newest, newest

SECOND = timedelta(seconds=1)


def bar(instrument: str, timeframe: str, closed_at: str, source: str) -> Newest:
    """Return a newest bar that closed at a moment of UTC."""
    return Newest(instrument, timeframe, moment(closed_at), source)


def moment(text: str) -> datetime:
    """Return a moment of UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.spec("A12")
@pytest.mark.parametrize("timeframe", TIMEFRAMES)
@pytest.mark.parametrize(
    ("instrument", "source"),
    [("BTC", "hyperliquid"), ("@107", "csv"), ("xyz:AAPL", "hyperliquid")],
)
def test_of_a_market_that_never_closes_two_bars_are_the_most(
    timeframe: str, instrument: str, source: str
) -> None:
    # A Saturday: weekends are as other days.
    last = bar(instrument, timeframe, "2026-09-26T00:00", source)
    most = last.closed_at + 2 * TIMEFRAMES[timeframe]
    assert last.is_current(at=most)
    assert not last.is_current(at=most + SECOND)


@pytest.mark.spec("A12")
@pytest.mark.parametrize(
    ("timeframe", "closed_at", "until"),
    [
        # The bar of a Friday, over a weekend and a holiday on Monday, until Tuesday's has closed.
        ("1d", "2026-09-05T00:00", "2026-09-10T00:00"),
        # The bar of a Tuesday.
        ("1d", "2026-09-09T00:00", "2026-09-12T00:00"),
        # A Friday's last hour: a night beside the weekend, but no Tuesday.
        ("1h", "2026-09-04T20:00", "2026-09-07T22:00"),
        ("5m", "2026-09-08T20:00", "2026-09-09T20:10"),
    ],
)
@pytest.mark.parametrize("source", ["sample", "csv"])
def test_of_a_market_that_closes_a_weekend_does_not_count_and_a_day_is_allowed(
    timeframe: str, closed_at: str, until: str, source: str
) -> None:
    last = bar("xyz:AAPL", timeframe, closed_at, source)
    # What lies within a weekend is as its beginning.
    end = moment(until)
    assert last.is_current(at=end)
    later = end + SECOND if end.weekday() < 5 else end + timedelta(days=2) + SECOND
    assert not last.is_current(at=later)
    assert not last.is_current(at=end + timedelta(days=365))


@pytest.mark.spec("A12", "F8")
def test_the_newest_bar_is_one_that_had_closed_by_the_moment(db: None, now: datetime) -> None:
    del db
    make_instrument("ETH", now=now)
    hour = timedelta(hours=1)
    first = now.replace(minute=0, second=0, microsecond=0) - 5 * hour
    bars = [Bar(first + i * hour, 100, 101, 99, 100, 5) for i in range(4)]
    series = BarSeries.of(instrument="ETH", timeframe="1h", bars=bars, sources=("csv",))
    store(series=series, source="csv", now=now)
    asked = {"instrument": "ETH", "timeframe": "1h"}
    for closed in (1, 2, 3):
        found = newest(**asked, at=first + (closed + 1) * hour - SECOND)
        assert found == Newest("ETH", "1h", first + closed * hour, "csv")
    assert newest(**asked, at=first + hour - SECOND) is None
    assert newest(instrument="ETH", timeframe="5m", at=now) is None
