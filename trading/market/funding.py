"""The funding table: importing rates from CSV, and reading what was paid in a window (U3).

A file's first line is `instrument,at,rate`: the stamp in UTC, and the fraction of the notional
that longs paid to shorts per hour. It is taken as a whole or refused with a line.
"""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from memory.models import Instrument
from memory.policies.timeframes import EPOCH
from trading.errors import BadFundingFile
from trading.market.candles import BATCH, Progress
from trading.market.csvtable import Table
from trading.market.rates import MAX_RATE, FundingSeries
from trading.models import FundingRate

__all__ = ["HEADER", "FundingReport", "FundingSeries", "import_file", "parse", "read"]

HEADER = ("instrument", "at", "rate")
TABLE = Table(
    header=HEADER,
    error=BadFundingFile,
    time="at",
    time_help="Write the stamp in UTC, like 2026-01-31T16:00:00Z",
)
HOUR = timedelta(hours=1)
ROWS = "unnest(%s::timestamptz[], %s::float8[]) AS new (at, rate)"
# One statement, so that the count of new rows is exact beside a concurrent import.
INSERT = (
    "INSERT INTO trading_funding_rate (instrument_id, at, rate) "  # noqa: S608 - a constant
    f"SELECT %s, new.* FROM {ROWS} ON CONFLICT (instrument_id, at) DO NOTHING"
)
DIFFERING = (
    f"SELECT count(*) FROM {ROWS} JOIN trading_funding_rate old "  # noqa: S608 - a constant
    "ON old.instrument_id = %s AND old.at = new.at WHERE old.rate <> new.rate"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class FundingReport:
    """What became of a series: `rows` given = `stored` + `duplicates` (there already).

    `differing` duplicates have another rate than the stored one, which is kept. `missing` counts
    the hours between `first` and `last` without a stamp.
    """

    instrument: str
    rows: int
    stored: int
    duplicates: int
    differing: int
    missing: int
    first: datetime
    last: datetime

    def as_json(self) -> dict[str, Any]:
        """Return the report with ISO 8601 times, for `--json`."""
        times = {"first": self.first.isoformat(), "last": self.last.isoformat()}
        return asdict(self) | times


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


def import_file(
    *, path: Path, now: datetime, progress: Progress | None = None
) -> tuple[FundingReport, ...]:
    """Store the rates of a file, one report per instrument in the file's order.

    Raises BadFundingFile (see its fields), and then nothing is stored.
    """
    known = set(Instrument.objects.values_list("id", flat=True))
    series = parse(data=TABLE.read(path), known=known, now=now)
    whole, done = sum(map(len, series)), 0
    reports = []
    with transaction.atomic():
        for part in series:
            stored = differing = 0
            for start in range(0, len(part), BATCH):
                new, other = _insert(part, slice(start, start + BATCH))
                stored, differing = stored + new, differing + other
                done += min(BATCH, len(part) - start)
                if progress:
                    progress(done, whole)
            reports.append(_report(part, stored=stored, differing=differing))
    return tuple(reports)


def parse(*, data: bytes, known: Collection[str], now: datetime) -> tuple[FundingSeries, ...]:
    """Return the series of a file's bytes, one per instrument. Raises BadFundingFile.

    `known` holds the canonical names that may occur.
    """
    found: dict[str, list[tuple[datetime, float]]] = {}
    for line, (name, at, rate) in TABLE.rows(data):
        if name not in known:
            raise TABLE.unknown_instrument(line, name)
        rows = found.setdefault(name, [])
        moment = _moment(line, at, now=now)
        TABLE.check_order(line, moment, rows[-1][0] if rows else None, what="stamp")
        rows.append((moment, _rate(line, rate)))
    if not found:
        raise BadFundingFile("empty_file", "there is no rate in it", way_out="Add a line per stamp")
    return tuple(
        FundingSeries(
            instrument=name, at=tuple(at for at, _ in rows), rate=tuple(rate for _, rate in rows)
        )
        for name, rows in found.items()
    )


def _moment(line: int, text: str, *, now: datetime) -> datetime:
    moment = TABLE.moment(line, text)
    if moment < EPOCH:
        raise TABLE.bad_time("too_old", f"{text} is before {EPOCH:%Y-%m-%d}", line)
    if moment > now:
        raise TABLE.bad_time("future", f"{text} is still to come", line)
    return moment


def _rate(line: int, text: str) -> float:
    rate = TABLE.number(line, "rate", text)
    # This refuses NaN, too.
    if not -MAX_RATE <= rate <= MAX_RATE:
        raise BadFundingFile(
            "out_of_range",
            f"the rate {text[:40]} is not from {-MAX_RATE:g} to {MAX_RATE:g}",
            line=line,
            column="rate",
            way_out="Write the hourly rate as a fraction, like 0.0000125 or 1.25e-5",
        )
    return rate


def _insert(series: FundingSeries, part: slice) -> tuple[int, int]:
    """Insert one batch; return how many rows are new, and how many old ones differ."""
    columns: list[list[Any]] = [list(series.at[part]), list(series.rate[part])]
    with connection.cursor() as cursor:
        cursor.execute(INSERT, [series.instrument, *columns])
        stored = cursor.rowcount
        if stored == len(columns[0]):
            return stored, 0
        cursor.execute(DIFFERING, [*columns, series.instrument])
        return stored, cursor.fetchone()[0]


def _report(series: FundingSeries, *, stored: int, differing: int) -> FundingReport:
    first, last = series.at[0], series.at[-1]
    return FundingReport(
        instrument=series.instrument,
        rows=len(series),
        stored=stored,
        duplicates=len(series) - stored,
        differing=differing,
        missing=max((last - first) // HOUR + 1 - len(series), 0),
        first=first,
        last=last,
    )
