"""The real daily bars that ship with the project: US equities, 2000 to 2013 (SPEC U5).

They are total-return series (splits and dividends worked in), not quoted prices, and not
Hyperliquid's: the instruments have the source `sample`, and say so.
"""

from datetime import datetime
from pathlib import Path

from django.db import transaction

from memory.models import Instrument
from trading.market.candles import SAMPLE_SOURCE, Progress, StoreReport, store
from trading.market.csvfile import parse

FILE = Path(__file__).parent / "data" / "us_equities_daily.csv.gz"
SHA256 = "bd78cea2536d57fa11aa2ef38181b5ea993e02deb779e8c1e2d472342f545409"
TIMEFRAME = "1d"
INSTRUMENTS = ("xyz:AAPL", "xyz:GOOGL", "xyz:IBM", "xyz:MSFT")
DESCRIPTION = "US equities 2000-2013, daily, total return (sample data, not Hyperliquid prices)"


def load_sample(*, now: datetime, progress: Progress | None = None) -> tuple[StoreReport, ...]:
    """Make the four sample instruments and store their bars; a second call changes nothing.

    An instrument of that name from another source stays what it is. Returns a report each.
    """
    series = parse(data=FILE.read_bytes(), timeframe=TIMEFRAME, known=INSTRUMENTS, now=now)
    whole = sum(len(part) for part in series)
    reports: list[StoreReport] = []
    with transaction.atomic():
        Instrument.objects.bulk_create(
            [_instrument(name, now) for name in INSTRUMENTS], ignore_conflicts=True
        )
        for part in series:
            reports.append(store(series=part, source=SAMPLE_SOURCE, now=now))
            if progress:
                progress(sum(report.rows for report in reports), whole)
    return tuple(reports)


def _instrument(name: str, now: datetime) -> Instrument:
    return Instrument(
        id=name,
        kind=Instrument.Kind.PERPETUAL,
        dex=name.partition(":")[0],
        sz_decimals=2,
        is_active=True,
        source=SAMPLE_SOURCE,
        seen_at=now,
    )
