"""Importing candles from CSV: the whole file or nothing, and each refusal names its line (U3).

The first line is `instrument,opened_at,open,high,low,close,volume`. Times are ISO 8601 in UTC of
the bar's opening. A file may be gzipped, and may hold several instruments.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from pathlib import Path

from django.db import transaction

from memory.models import Instrument
from memory.policies.timeframes import EPOCH, TIMEFRAMES
from trading.errors import BadCandleFile
from trading.market.bars import Bar, BarSeries, problem_of
from trading.market.candles import SAMPLE_SOURCE, Progress, StoreReport, store
from trading.market.csvtable import Table

HEADER = ("instrument", *Bar._fields)
TABLE = Table(
    header=HEADER,
    error=BadCandleFile,
    time="opened_at",
    time_help="Write the bar's opening in UTC, like 2026-01-31T16:00:00Z",
)
SOURCE = "csv"


def import_file(
    *,
    path: Path,
    timeframe: str,
    now: datetime,
    allow_gaps: bool = True,
    progress: Progress | None = None,
) -> tuple[StoreReport, ...]:
    """Store the candles of a file, one report per instrument in the file's order.

    Raises BadCandleFile (see its fields), and then nothing is stored. With `allow_gaps` off, a
    missing bar refuses the file too, save for sample instruments, whose market closes.
    """
    sources = dict(Instrument.objects.values_list("id", "source"))
    gapless = {name for name, source in sources.items() if source != SAMPLE_SOURCE}
    series = parse(
        data=TABLE.read(path),
        timeframe=timeframe,
        known=sources,
        now=now,
        gapless=() if allow_gaps else gapless,
    )
    whole = sum(len(part) for part in series)
    reports: list[StoreReport] = []
    with transaction.atomic():
        for part in series:
            before = sum(report.rows for report in reports)
            reports.append(
                store(
                    series=part,
                    source=SOURCE,
                    now=now,
                    progress=_shifted(progress, before, whole),
                )
            )
    return tuple(reports)


def parse(
    *,
    data: bytes,
    timeframe: str,
    known: Collection[str],
    now: datetime,
    gapless: Collection[str] = (),
) -> tuple[BarSeries, ...]:
    """Return the series of a file's bytes, one per instrument. Raises BadCandleFile.

    `known` holds the canonical names that may occur; those in `gapless` may miss no bar.
    """
    if timeframe not in TIMEFRAMES:
        raise BadCandleFile(
            "unknown_timeframe",
            f"{timeframe!r} is no timeframe",
            way_out=f"Use one of {', '.join(TIMEFRAMES)}",
        )
    found: dict[str, list[Bar]] = {}
    for line, fields in TABLE.rows(data):
        name = fields[0]
        if name not in known:
            raise TABLE.unknown_instrument(line, name)
        bar = _bar(line, fields)
        previous = found[name][-1].opened_at if name in found else None
        _check_time(line, bar.opened_at, TIMEFRAMES[timeframe], now)
        TABLE.check_order(line, bar.opened_at, previous, what="bar")
        if previous and name in gapless and bar.opened_at - previous > TIMEFRAMES[timeframe]:
            raise BadCandleFile(
                "gap",
                f"bars of {name} are missing since {previous.isoformat()}",
                line=line,
                column="opened_at",
                way_out="Add them, or import without --no-gaps",
            )
        found.setdefault(name, []).append(bar)
    if not found:
        raise BadCandleFile("empty_file", "there is no bar in it", way_out="Add a line per bar")
    return tuple(
        BarSeries.of(instrument=name, timeframe=timeframe, bars=bars, sources=(SOURCE,))
        for name, bars in found.items()
    )


def _bar(line: int, fields: list[str]) -> Bar:
    numbers = map(TABLE.number, [line] * 5, HEADER[2:], fields[2:])
    bar = Bar(TABLE.moment(line, fields[1]), *numbers)
    if problem := problem_of(bar):
        raise BadCandleFile(
            problem.code,
            problem.what,
            line=line,
            column=problem.column,
            way_out="Correct or remove the line; nothing was stored",
        )
    return bar


def _check_time(line: int, opened_at: datetime, length: timedelta, now: datetime) -> None:
    if (opened_at - EPOCH) % length:
        raise TABLE.bad_time(
            "off_grid", f"no bar of this timeframe opens at {opened_at.isoformat()}", line
        )
    if opened_at > now - length:
        raise BadCandleFile(
            "open_bar",
            "this bar has not closed yet",
            line=line,
            column="opened_at",
            way_out="Remove it; only closed bars are stored",
        )


def _shifted(progress: Progress | None, before: int, whole: int) -> Progress | None:
    """Return a progress of one series that counts within the whole file."""
    if progress is None:
        return None
    return lambda done, _: progress(before + done, whole)
