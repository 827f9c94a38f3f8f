"""The candle table: storing series of closed bars, and reading windows of them."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import connection, transaction

from memory.models import Instrument
from trading.errors import BadBars, OpenBar, UnknownInstrument
from trading.market.bars import Bar, BarSeries, Gap, find_gaps, length_of, problem_of
from trading.models import Candle

__all__ = ["Bar", "BarSeries", "Gap", "StoreReport", "latest", "read", "store"]

SAMPLE_SOURCE = "sample"
"""Source of instruments whose market closes at night and on holidays: their gaps are normal."""

BATCH = 5_000

Progress = Callable[[int, int], None]
"""Told (bars done, bars in all) after each batch."""

COLUMNS = (
    "unnest(%s::timestamptz[], %s::float8[], %s::float8[], %s::float8[], %s::float8[], "
    "%s::float8[]) AS new (opened_at, open, high, low, close, volume)"
)
# One statement, so that the count of new rows is exact beside a concurrent import.
INSERT = (
    "INSERT INTO trading_candle (instrument_id, timeframe, opened_at, open, high, low, close, "  # noqa: S608 - a constant
    f"volume, source, imported_at) SELECT %s, %s, new.*, %s, %s FROM {COLUMNS} "
    "ON CONFLICT (instrument_id, timeframe, opened_at) DO NOTHING"
)
DIFFERING = (
    f"SELECT count(*) FROM {COLUMNS} JOIN trading_candle old ON old.instrument_id = %s "  # noqa: S608 - a constant
    "AND old.timeframe = %s AND old.opened_at = new.opened_at "
    "WHERE (old.open, old.high, old.low, old.close, old.volume) IS DISTINCT FROM "
    "(new.open, new.high, new.low, new.close, new.volume)"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class StoreReport:
    """What became of a series: `rows` given = `stored` + `duplicates` (there already).

    `differing` duplicates have other numbers than the stored bar, which is kept.
    """

    instrument: str
    timeframe: str
    source: str
    rows: int
    stored: int
    duplicates: int
    differing: int
    zero_volume: int
    gaps: tuple[Gap, ...]
    first: datetime | None
    last: datetime | None

    @property
    def missing(self) -> int:
        """How many bars the gaps lack in all."""
        return sum(gap.missing for gap in self.gaps)

    def as_json(self) -> dict[str, Any]:
        """Return the report with ISO 8601 times, for `--json`."""
        known = asdict(self) | {"missing": self.missing}
        known["gaps"] = [
            {"start": gap.start.isoformat(), "end": gap.end.isoformat(), "missing": gap.missing}
            for gap in self.gaps
        ]
        for name in ("first", "last"):
            known[name] = known[name].isoformat() if known[name] else None
        return known


def store(
    *,
    series: BarSeries,
    source: str,
    now: datetime,
    after: datetime | None = None,
    progress: Progress | None = None,
) -> StoreReport:
    """Store the bars that are not there yet, all or none, and report what was given.

    `after` is the opening of the bar that the series is expected to follow: bars missing since
    then count as a gap. Raises UnknownInstrument, OpenBar (a bar closes after `now`), BadBars.
    """
    instrument = Instrument.objects.filter(id=series.instrument).first()
    if instrument is None:
        raise UnknownInstrument(
            f"{series.instrument!r} is no known instrument; run sync_instruments first",
            instrument=series.instrument,
        )
    _refuse_unfit(series, now=now)
    stored, differing = 0, 0
    with transaction.atomic():
        for start in range(0, len(series), BATCH):
            new, other = _insert(series, start, source=source, now=now)
            stored, differing = stored + new, differing + other
            if progress:
                progress(min(start + BATCH, len(series)), len(series))
    closes_daily = SAMPLE_SOURCE in {instrument.source, source}
    return StoreReport(
        instrument=series.instrument,
        timeframe=series.timeframe,
        source=source,
        rows=len(series),
        stored=stored,
        duplicates=len(series) - stored,
        differing=differing,
        zero_volume=sum(volume == 0 for volume in series.volume),
        gaps=()
        if closes_daily
        else find_gaps(opened_at=series.opened_at, timeframe=series.timeframe, after=after),
        first=series.opened_at[0] if series else None,
        last=series.opened_at[-1] if series else None,
    )


def read(*, instrument: str, timeframe: str, start: datetime, end: datetime) -> BarSeries:
    """Return the stored bars with start <= opened_at < end, oldest first (UnknownTimeframe)."""
    length_of(timeframe=timeframe)
    rows = list(
        Candle.objects.filter(
            instrument_id=instrument, timeframe=timeframe, opened_at__gte=start, opened_at__lt=end
        )
        .order_by("opened_at")
        .values_list(*Bar._fields, "source")
    )
    return _series(instrument, timeframe, rows)


def latest(*, instrument: str, timeframe: str, now: datetime, count: int) -> BarSeries:
    """Return the newest `count` stored bars that had closed by `now`, oldest first.

    Raises UnknownTimeframe.
    """
    length = length_of(timeframe=timeframe)
    rows = list(
        Candle.objects.filter(
            instrument_id=instrument, timeframe=timeframe, opened_at__lte=now - length
        )
        .order_by("-opened_at")
        .values_list(*Bar._fields, "source")[:count]
    )
    return _series(instrument, timeframe, rows[::-1])


def last_opened_at(*, instrument: str, timeframe: str) -> datetime | None:
    """Return when the newest stored bar opened, or None when there is none."""
    return (
        Candle.objects.filter(instrument_id=instrument, timeframe=timeframe)
        .order_by("-opened_at")
        .values_list("opened_at", flat=True)
        .first()
    )


def _series(instrument: str, timeframe: str, rows: list[tuple[Any, ...]]) -> BarSeries:
    """Build a series from (bar…, source). By columns: a row each would cost more than the query."""
    *columns, sources = zip(*rows, strict=True) if rows else ((),) * (len(Bar._fields) + 1)
    named = dict(zip(Bar._fields, columns, strict=True))
    named["opened_at"] = tuple(moment.astimezone(UTC) for moment in named["opened_at"])
    return BarSeries(
        instrument=instrument, timeframe=timeframe, sources=tuple(sorted(set(sources))), **named
    )


def _refuse_unfit(series: BarSeries, *, now: datetime) -> None:
    """Refuse in words what the table's constraints would refuse by name."""
    if series and series.closed_at(-1) > now:
        raise OpenBar(
            f"the bar of {series.opened_at[-1].isoformat()} has not closed at {now.isoformat()}",
            opened_at=series.opened_at[-1].isoformat(),
        )
    for index in range(len(series)):
        if problem := problem_of(series.bar(index)):
            raise BadBars(
                f"bar {index} ({series.opened_at[index].isoformat()}): {problem.what}",
                bar_index=index,
                column=problem.column,
            )


def _insert(series: BarSeries, start: int, *, source: str, now: datetime) -> tuple[int, int]:
    """Insert one batch; return how many rows are new, and how many old ones differ."""
    part = slice(start, start + BATCH)
    times, *numbers = (getattr(series, name)[part] for name in Bar._fields)
    # An int among the floats would make a list of two types, which the driver refuses.
    columns: list[list[Any]] = [list(times), *(list(map(float, column)) for column in numbers)]
    key = [series.instrument, series.timeframe]
    with connection.cursor() as cursor:
        cursor.execute(INSERT, [*key, source, now, *columns])
        stored = cursor.rowcount
        if stored == len(columns[0]):
            return stored, 0
        cursor.execute(DIFFERING, [*columns, *key])
        return stored, cursor.fetchone()[0]
