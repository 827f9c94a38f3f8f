"""Importing candles from CSV: the whole file or nothing, and each refusal names its line (U3).

The first line is `instrument,opened_at,open,high,low,close,volume`. Times are ISO 8601 in UTC of
the bar's opening. A file may be gzipped, and may hold several instruments.
"""

import csv
import gzip
import io
import zlib
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from django.db import transaction

from memory.models import Instrument
from memory.policies.timeframes import EPOCH, TIMEFRAMES
from trading.errors import BadCandleFile
from trading.market.bars import Bar, BarSeries, problem_of
from trading.market.candles import SAMPLE_SOURCE, Progress, StoreReport, store

HEADER = ("instrument", *Bar._fields)
MAX_BYTES = 64 * 1024 * 1024
GZIP_MAGIC = b"\x1f\x8b"
RESAVE = "Save it as CSV in UTF-8, plain or gzipped, and import it again"
FIRST_LINE = f"The first line must be {','.join(HEADER)}"
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
        data=_read(path),
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
    for line, fields in _rows(_text(data)):
        name = fields[0]
        if name not in known:
            raise BadCandleFile(
                "unknown_instrument",
                f"{name!r} is no known instrument",
                line=line,
                column="instrument",
                way_out="Run sync_instruments, and use canonical names such as BTC",
            )
        bar = _bar(line, fields)
        previous = found[name][-1].opened_at if name in found else None
        _check_time(line, bar.opened_at, TIMEFRAMES[timeframe], now)
        _check_order(line, bar.opened_at, previous)
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


def _read(path: Path) -> bytes:
    try:
        # A pipe or a device tells no size beforehand, and a file may grow meanwhile.
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadCandleFile(
            "unreadable",
            f"the file cannot be read ({error.strerror})",
            way_out="Check its name and its permissions",
        ) from error
    if len(data) > MAX_BYTES:
        raise _too_large()
    return data


def _too_large() -> BadCandleFile:
    return BadCandleFile(
        "too_large",
        f"the file is larger than {MAX_BYTES // 1024**2} MB",
        way_out="Split it by instrument or by year",
    )


def _text(data: bytes) -> str:
    """Return the text of a plain or gzipped file, a byte order mark aside."""
    if data.startswith(GZIP_MAGIC):
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                data = packed.read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise BadCandleFile("bad_gzip", "the gzip is damaged", way_out=RESAVE) from error
        if len(data) > MAX_BYTES:
            raise _too_large()
    if b"\0" in data:
        raise BadCandleFile("binary", "the file is binary, not text", way_out=RESAVE)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadCandleFile(
            "not_utf8", "the text is not UTF-8", line=line, way_out=RESAVE
        ) from error
    if not text.strip():
        raise BadCandleFile("empty_file", "the file is empty", way_out=FIRST_LINE)
    return text


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields of each row below a right header."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        _check_header(next(reader))
        for fields in reader:
            if fields:
                _check_width(reader.line_num, fields)
                yield reader.line_num, fields
    except csv.Error as error:
        raise BadCandleFile(
            "bad_csv", f"this is no CSV ({error})", line=reader.line_num, way_out=RESAVE
        ) from error


def _check_header(header: list[str]) -> None:
    missing = [name for name in HEADER if name not in header]
    extra = [name for name in header if name not in HEADER]
    if missing:
        problem, column = "missing_column", missing[0]
    elif extra or len(header) > len(HEADER):
        problem, column = "extra_column", (extra or header[len(HEADER) :])[0]
    elif tuple(header) != HEADER:
        problem, column = "column_order", next(a for a, b in zip(header, HEADER) if a != b)  # noqa: B905 - equal by now
    else:
        return
    what = problem.replace("_", " ")
    raise BadCandleFile(problem, f"wrong header: {what}", line=1, column=column, way_out=FIRST_LINE)


def _check_width(line: int, fields: list[str]) -> None:
    if len(fields) < len(HEADER):
        problem, column = "missing_column", HEADER[len(fields)]
    elif len(fields) > len(HEADER):
        problem, column = "extra_column", str(len(HEADER) + 1)
    else:
        return
    raise BadCandleFile(
        problem,
        f"{len(fields)} fields instead of {len(HEADER)}",
        line=line,
        column=column,
        way_out="Write numbers with a decimal point, and no comma inside a field",
    )


def _bar(line: int, fields: list[str]) -> Bar:
    bar = Bar(_time(line, fields[1]), *map(_number, [line] * 5, HEADER[2:], fields[2:]))
    if problem := problem_of(bar):
        raise BadCandleFile(
            problem.code,
            problem.what,
            line=line,
            column=problem.column,
            way_out="Correct or remove the line; nothing was stored",
        )
    return bar


def _number(line: int, column: str, text: str) -> float:
    # float() alone reads "1_000" and the digits of other scripts too; a data file means neither.
    if text.isascii() and "_" not in text:
        with suppress(ValueError):
            return float(text)
    raise BadCandleFile(
        "not_a_number",
        f"{text[:40]!r} is not a number",
        line=line,
        column=column,
        way_out="Write numbers like 1234.5",
    )


def _time(line: int, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise _bad_time("bad_time", f"{text[:40]!r} is not an ISO 8601 time", line) from None
    if moment.tzinfo is None:
        raise _bad_time("no_zone", f"{text} names no zone", line)
    if moment.utcoffset() != timedelta(0):
        raise _bad_time("wrong_zone", f"{text} is not UTC", line)
    return moment


def _check_time(line: int, opened_at: datetime, length: timedelta, now: datetime) -> None:
    if (opened_at - EPOCH) % length:
        raise _bad_time(
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


def _check_order(line: int, opened_at: datetime, previous: datetime | None) -> None:
    if previous is None or opened_at > previous:
        return
    if opened_at == previous:
        problem, what = "duplicate_time", "this bar is in the file twice"
    else:
        problem, what = "unsorted", f"it is older than the bar before it ({previous.isoformat()})"
    raise BadCandleFile(
        problem,
        what,
        line=line,
        column="opened_at",
        way_out="Sort the file by instrument and opened_at, each time once",
    )


def _bad_time(problem: str, what: str, line: int) -> BadCandleFile:
    return BadCandleFile(
        problem,
        what,
        line=line,
        column="opened_at",
        way_out="Write the bar's opening in UTC, like 2026-01-31T16:00:00Z",
    )


def _shifted(progress: Progress | None, before: int, whole: int) -> Progress | None:
    """Return a progress of one series that counts within the whole file."""
    if progress is None:
        return None
    return lambda done, _: progress(before + done, whole)
