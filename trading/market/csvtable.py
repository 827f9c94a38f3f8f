"""Tables in CSV files: read whole, plain or gzipped, and refused with a line and a way out (U3).

A table has one right first line and UTC times in ISO 8601. What its rows mean is not known here.
"""

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from trading.errors import BadTableFile

MAX_BYTES = 64 * 1024 * 1024
GZIP_MAGIC = b"\x1f\x8b"
RESAVE = "Save it as CSV in UTF-8, plain or gzipped, and import it again"


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """A kind of table: its columns, and the error that refuses a file of it.

    `time` names the column that rows of one instrument are sorted by, `time_help` says how to
    write it.
    """

    header: tuple[str, ...]
    error: type[BadTableFile]
    time: str
    time_help: str

    @property
    def first_line(self) -> str:
        """Say what the first line must be."""
        return f"The first line must be {','.join(self.header)}"

    def read(self, path: Path) -> bytes:
        """Return the bytes of a file (the table's error: unreadable, too large)."""
        try:
            # A pipe or a device tells no size beforehand, and a file may grow meanwhile.
            with path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise self.error(
                "unreadable",
                f"the file cannot be read ({error.strerror})",
                way_out="Check its name and its permissions",
            ) from error
        if len(data) > MAX_BYTES:
            raise self._too_large()
        return data

    def rows(self, data: bytes) -> Iterator[tuple[int, list[str]]]:
        """Yield the line number and the fields of each row below a right header."""
        reader = csv.reader(io.StringIO(self._text(data), newline=""), strict=True)
        try:
            self._check_header(next(reader))
            for fields in reader:
                if fields:
                    self._check_width(reader.line_num, fields)
                    yield reader.line_num, fields
        except csv.Error as error:
            raise self.error(
                "bad_csv", f"this is no CSV ({error})", line=reader.line_num, way_out=RESAVE
            ) from error

    def number(self, line: int, column: str, text: str) -> float:
        """Return the number in a field, exponent forms too."""
        # float() alone reads "1_000" and the digits of other scripts too; a data file means
        # neither.
        if text.isascii() and "_" not in text:
            with suppress(ValueError):
                return float(text)
        raise self.error(
            "not_a_number",
            f"{text[:40]!r} is not a number",
            line=line,
            column=column,
            way_out="Write numbers like 1234.5",
        )

    def moment(self, line: int, text: str) -> datetime:
        """Return the time in the table's time column."""
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            what = f"{text[:40]!r} is not an ISO 8601 time"
            raise self.bad_time("bad_time", what, line) from None
        if moment.tzinfo is None:
            raise self.bad_time("no_zone", f"{text} names no zone", line)
        if moment.utcoffset() != timedelta(0):
            raise self.bad_time("wrong_zone", f"{text} is not UTC", line)
        return moment

    def check_order(
        self, line: int, moment: datetime, previous: datetime | None, *, what: str
    ) -> None:
        """Refuse a row that is not after the one before it; `what` names a row."""
        if previous is None or moment > previous:
            return
        if moment == previous:
            problem, told = "duplicate_time", f"this {what} is in the file twice"
        else:
            problem = "unsorted"
            told = f"it is older than the {what} before it ({previous.isoformat()})"
        raise self.error(
            problem,
            told,
            line=line,
            column=self.time,
            way_out=f"Sort the file by instrument and {self.time}, each time once",
        )

    def unknown_instrument(self, line: int, name: str) -> BadTableFile:
        """Return the error for a name that no instrument has."""
        return self.error(
            "unknown_instrument",
            f"{name!r} is no known instrument",
            line=line,
            column="instrument",
            way_out="Run sync_instruments, and use canonical names such as BTC",
        )

    def bad_time(self, problem: str, what: str, line: int) -> BadTableFile:
        """Return the error for a time that cannot be one of this table."""
        return self.error(problem, what, line=line, column=self.time, way_out=self.time_help)

    def _too_large(self) -> BadTableFile:
        return self.error(
            "too_large",
            f"the file is larger than {MAX_BYTES // 1024**2} MB",
            way_out="Split it by instrument or by year",
        )

    def _text(self, data: bytes) -> str:
        """Return the text of a plain or gzipped file, a byte order mark aside."""
        if data.startswith(GZIP_MAGIC):
            try:
                with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                    data = packed.read(MAX_BYTES + 1)
            except (OSError, EOFError, zlib.error) as error:
                raise self.error("bad_gzip", "the gzip is damaged", way_out=RESAVE) from error
            if len(data) > MAX_BYTES:
                raise self._too_large()
        if b"\0" in data:
            raise self.error("binary", "the file is binary, not text", way_out=RESAVE)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            raise self.error(
                "not_utf8", "the text is not UTF-8", line=line, way_out=RESAVE
            ) from error
        if not text.strip():
            raise self.error("empty_file", "the file is empty", way_out=self.first_line)
        return text

    def _check_header(self, header: list[str]) -> None:
        wanted = self.header
        missing = [name for name in wanted if name not in header]
        extra = [name for name in header if name not in wanted]
        if missing:
            problem, column = "missing_column", missing[0]
        elif extra or len(header) > len(wanted):
            problem, column = "extra_column", (extra or header[len(wanted) :])[0]
        elif tuple(header) != wanted:
            problem = "column_order"
            column = next(a for a, b in zip(header, wanted) if a != b)  # noqa: B905 - equal by now
        else:
            return
        what = problem.replace("_", " ")
        raise self.error(
            problem, f"wrong header: {what}", line=1, column=column, way_out=self.first_line
        )

    def _check_width(self, line: int, fields: list[str]) -> None:
        if len(fields) < len(self.header):
            problem, column = "missing_column", self.header[len(fields)]
        elif len(fields) > len(self.header):
            problem, column = "extra_column", str(len(self.header) + 1)
        else:
            return
        raise self.error(
            problem,
            f"{len(fields)} fields instead of {len(self.header)}",
            line=line,
            column=column,
            way_out="Write numbers with a decimal point, and no comma inside a field",
        )
