"""A candle file is taken whole or refused with its line, its column and a way out."""

import gzip
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.models import Instrument
from memory.policies.timeframes import EPOCH, TIMEFRAMES
from trading.errors import BadCandleFile
from trading.market import csvtable
from trading.market.bars import Bar, BarSeries
from trading.market.csvfile import import_file, parse
from trading.models import Candle

HEADER = "instrument,opened_at,open,high,low,close,volume"
GOOD = "BTC,2026-09-01T00:00:00Z,10,12,9,11,5"
NEXT = "BTC,2026-09-01T01:00:00Z,11,13,10,12,5"
LATER = "BTC,2026-09-01T04:00:00Z,11,13,10,12,5"
NOW = datetime(2026, 9, 30, 12, 5, tzinfo=UTC)


def lines(*rows: str) -> bytes:
    return "\n".join([HEADER, *rows, ""]).encode()


def read(data: bytes, *, timeframe: str = "1h", gapless: tuple[str, ...] = ()) -> list[BarSeries]:
    known = {"BTC", "ETH"}
    return list(parse(data=data, timeframe=timeframe, known=known, now=NOW, gapless=gapless))


def changed(column: str, value: str) -> bytes:
    fields = dict(zip(HEADER.split(","), NEXT.split(","), strict=True)) | {column: value}
    return lines(GOOD, ",".join(fields.values()))


REFUSED: dict[str, tuple[bytes, str, int | None, str]] = {
    "empty": (b"", "empty_file", None, ""),
    "only blanks": (b"\n\n", "empty_file", None, ""),
    "only a byte order mark": (b"\xef\xbb\xbf", "empty_file", None, ""),
    "a mark and a blank": (b"\xef\xbb\xbf \r\n", "empty_file", None, ""),
    "a packed byte order mark": (gzip.compress(b"\xef\xbb\xbf"), "empty_file", None, ""),
    "only a header": (lines(), "empty_file", None, ""),
    "an empty gzip": (gzip.compress(b""), "empty_file", None, ""),
    "binary": (b"PK\x03\x04\x00\x00", "binary", None, ""),
    "a truncated gzip": (gzip.compress(lines(GOOD))[:-9], "bad_gzip", None, ""),
    "a gzip in name only": (b"\x1f\x8bnothing", "bad_gzip", None, ""),
    "a damaged gzip": (
        gzip.compress(lines(GOOD))[:-8] + b"12345678",
        "bad_gzip",
        None,
        "",
    ),
    "latin-1": (lines(GOOD) + "ÄTH".encode("latin-1"), "not_utf8", 3, ""),
    "utf-16": (lines(GOOD).decode().encode("utf-16"), "binary", None, ""),
    "an open quote": (lines(f'"{GOOD}'), "bad_csv", 2, ""),
    "a missing column": (
        b"instrument,opened_at,open,high,low,close\n",
        "missing_column",
        1,
        "volume",
    ),
    "an extra column": (f"{HEADER},trades\n".encode(), "extra_column", 1, "trades"),
    "a repeated column": (f"{HEADER},open\n".encode(), "extra_column", 1, "open"),
    "another order": (
        b"opened_at,instrument,open,high,low,close,volume\n",
        "column_order",
        1,
        "opened_at",
    ),
    "no header": (f"{GOOD}\n".encode(), "missing_column", 1, "instrument"),
    "a short line": (lines(GOOD, "BTC,2026-09-01T01:00:00Z,1"), "missing_column", 3, "high"),
    "a long line": (lines(f"{GOOD},1"), "extra_column", 2, "8"),
    "a comma for a point": (
        lines("BTC,2026-09-01T00:00:00Z,10,5,12,9,11,5"),
        "extra_column",
        2,
        "8",
    ),
    "older bars below": (lines(NEXT, GOOD), "unsorted", 3, "opened_at"),
    "a bar twice": (lines(GOOD, NEXT, NEXT), "duplicate_time", 4, "opened_at"),
    "high below low": (changed("high", "9"), "impossible_bar", 3, "high"),
    "high below close": (changed("high", "11.5"), "impossible_bar", 3, "high"),
    "low above open": (changed("low", "11.5"), "impossible_bar", 3, "low"),
    "a price of nothing": (changed("low", "0"), "impossible_bar", 3, "low"),
    "a negative price": (changed("low", "-10"), "impossible_bar", 3, "low"),
    "a negative volume": (changed("volume", "-5"), "impossible_bar", 3, "volume"),
    "nan": (changed("open", "nan"), "not_a_number", 3, "open"),
    "infinity": (changed("high", "inf"), "not_a_number", 3, "high"),
    "a price of no market": (changed("high", "1e308"), "out_of_range", 3, "high"),
    "a price that is next to nothing": (changed("low", "5e-324"), "out_of_range", 3, "low"),
    "a volume of no market": (changed("volume", "1e19"), "out_of_range", 3, "volume"),
    "the beginning of time": (
        changed("opened_at", "0001-01-01T00:00:00Z"),
        "too_old",
        3,
        "opened_at",
    ),
    "an overflow": (changed("high", "1e999"), "not_a_number", 3, "high"),
    "a word": (changed("close", "eleven"), "not_a_number", 3, "close"),
    "nothing": (changed("close", ""), "not_a_number", 3, "close"),
    "an underscore": (changed("volume", "1_000"), "not_a_number", 3, "volume"),
    "other digits": (changed("volume", "٣"), "not_a_number", 3, "volume"),
    "no time": (changed("opened_at", "yesterday"), "bad_time", 3, "opened_at"),
    "milliseconds": (changed("opened_at", "1788220800000"), "bad_time", 3, "opened_at"),
    "no zone": (changed("opened_at", "2026-09-01T01:00:00"), "no_zone", 3, "opened_at"),
    "a date": (changed("opened_at", "2026-09-02"), "no_zone", 3, "opened_at"),
    "the wrong zone": (
        changed("opened_at", "2026-09-01T03:00:00+02:00"),
        "wrong_zone",
        3,
        "opened_at",
    ),
    "off the grid": (changed("opened_at", "2026-09-01T01:30:00Z"), "off_grid", 3, "opened_at"),
    "a second late": (changed("opened_at", "2026-09-01T01:00:01Z"), "off_grid", 3, "opened_at"),
    "an open bar": (changed("opened_at", "2026-09-30T12:00:00Z"), "open_bar", 3, "opened_at"),
    "the end of time": (changed("opened_at", "9999-12-31T23:00:00Z"), "open_bar", 3, "opened_at"),
    "a stranger": (changed("instrument", "DOGE"), "unknown_instrument", 3, "instrument"),
    "another case": (changed("instrument", "btc"), "unknown_instrument", 3, "instrument"),
}


@pytest.mark.spec("U3")
@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_file_is_refused_with_its_place_and_a_way_out(case: str) -> None:
    data, problem, line, column = REFUSED[case]
    with pytest.raises(BadCandleFile) as caught:
        read(data)
    fields = caught.value.fields
    assert (fields["problem"], fields["line"], fields["column"]) == (problem, line, column)
    assert caught.value.code == "bad_candle_file"
    assert str(fields["way_out"]) in caught.value.message
    assert (f"line {line}" in caught.value.message) == (line is not None)


def test_an_unknown_timeframe_is_refused() -> None:
    with pytest.raises(BadCandleFile) as caught:
        read(lines(GOOD), timeframe="7m")
    assert caught.value.fields["problem"] == "unknown_timeframe"


def test_a_file_of_another_timeframe_does_not_fit_the_grid() -> None:
    with pytest.raises(BadCandleFile) as caught:
        read(lines(GOOD, NEXT), timeframe="4h")
    assert caught.value.fields["problem"] == "off_grid"


@pytest.mark.spec("U3")
def test_gaps_are_let_through_unless_they_are_refused() -> None:
    data = lines(GOOD, NEXT, LATER)
    assert len(read(data)[0]) == 3
    assert len(read(data, gapless=("ETH",))[0]) == 3
    with pytest.raises(BadCandleFile) as caught:
        read(data, gapless=("BTC",))
    assert (caught.value.fields["problem"], caught.value.fields["line"]) == ("gap", 4)


def test_a_byte_order_mark_windows_lines_and_a_blank_end_are_harmless() -> None:
    data = b"\xef\xbb\xbf" + lines(GOOD, NEXT, "").replace(b"\n", b"\r\n")
    assert [bar.close for bar in map(read(data)[0].bar, range(2))] == [11.0, 12.0]


def test_instruments_may_be_mixed_as_long_as_each_is_sorted() -> None:
    other = GOOD.replace("BTC", "ETH")
    assert [(s.instrument, len(s)) for s in read(lines(GOOD, other, NEXT))] == [
        ("BTC", 2),
        ("ETH", 1),
    ]


def test_a_gzip_that_unpacks_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csvtable, "MAX_BYTES", 100)
    with pytest.raises(BadCandleFile) as caught:
        read(gzip.compress(lines(GOOD, NEXT, LATER)))
    assert caught.value.fields["problem"] == "too_large"


prices = st.floats(min_value=1e-9, max_value=1e12)


@st.composite
def files(draw: st.DrawFn) -> tuple[str, list[Bar]]:
    timeframe = draw(st.sampled_from(sorted(TIMEFRAMES)))
    length = TIMEFRAMES[timeframe]
    newest = (NOW - EPOCH) // length - 1
    steps = draw(st.sets(st.integers(newest - 500, newest), min_size=1, max_size=20))
    bars = []
    for step in sorted(steps):
        low, a, b, high = sorted(draw(st.tuples(prices, prices, prices, prices)))
        volume = draw(st.floats(min_value=0, max_value=1e15))
        bars.append(Bar(EPOCH + step * length, a, high, low, b, volume))
    return timeframe, bars


@pytest.mark.spec("U3")
@given(files(), st.booleans())
def test_what_is_written_is_read_exactly(file: tuple[str, list[Bar]], packed: bool) -> None:
    timeframe, bars = file
    rows = [
        f"BTC,{bar.opened_at:%Y-%m-%dT%H:%M:%SZ},{','.join(map(repr, bar[1:]))}" for bar in bars
    ]
    data = gzip.compress(lines(*rows)) if packed else lines(*rows)
    (series,) = read(data, timeframe=timeframe)
    assert [series.bar(index) for index in range(len(series))] == bars


@given(st.sampled_from(sorted(TIMEFRAMES)), st.integers(0, 10_000), st.integers(1, 10**9))
def test_only_times_on_the_grid_are_taken(timeframe: str, step: int, off: int) -> None:
    length = TIMEFRAMES[timeframe]
    shift = timedelta(microseconds=off) % length
    opened_at = EPOCH + (step % 2_000) * length + shift
    data = lines(f"BTC,{opened_at.isoformat()},10,12,9,11,5")
    if not shift:
        assert read(data, timeframe=timeframe)[0].opened_at == (opened_at,)
        return
    with pytest.raises(BadCandleFile) as caught:
        read(data, timeframe=timeframe)
    assert caught.value.fields["problem"] == "off_grid"


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("btc")
def test_a_device_without_an_end_is_too_large(
    monkeypatch: pytest.MonkeyPatch, now: datetime
) -> None:
    monkeypatch.setattr(csvtable, "MAX_BYTES", 1_000)
    with pytest.raises(BadCandleFile) as caught:
        import_file(path=Path("/dev/zero"), timeframe="1h", now=now)
    assert caught.value.fields["problem"] == "too_large"


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("btc")
def test_a_folder_is_no_file(tmp_path: Path, now: datetime) -> None:
    with pytest.raises(BadCandleFile) as caught:
        import_file(path=tmp_path, timeframe="1h", now=now)
    assert caught.value.fields["problem"] == "unreadable"


@given(st.binary(max_size=200))
def test_no_bytes_whatever_raise_anything_else(data: bytes) -> None:
    mark = b"\xef\xbb\xbf"
    for content in (data, mark + data, HEADER.encode() + b"\n" + data, b"\x1f\x8b" + data):
        with pytest.raises(BadCandleFile):
            read(content)


@given(st.sampled_from(HEADER.split(",")), st.text(max_size=30) | st.datetimes().map(str))
def test_no_field_whatever_raises_anything_else(column: str, value: str) -> None:
    with suppress(BadCandleFile):
        read(changed(column, value.encode("utf-8", "replace").decode()))


@given(st.datetimes(), st.integers(-1_439, 1_439), st.sampled_from(["seconds", "microseconds"]))
def test_no_time_whatever_raises_anything_else(moment: datetime, offset: int, spec: str) -> None:
    zone = timezone(timedelta(minutes=offset))
    with suppress(BadCandleFile):
        read(changed("opened_at", moment.replace(tzinfo=zone).isoformat(timespec=spec)))


def save(folder: Path, data: bytes, name: str = "bars.csv") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("btc")
def test_an_import_stores_and_reports_each_instrument(tmp_path: Path, now: datetime) -> None:
    Instrument.objects.create(id="ETH", kind="perpetual", source="hyperliquid", seen_at=now)
    told: list[tuple[int, int]] = []
    still = LATER.replace("BTC", "ETH").removesuffix("5") + "0"
    path = save(tmp_path, lines(GOOD, LATER, GOOD.replace("BTC", "ETH"), still))
    reports = import_file(
        path=path, timeframe="1h", now=now, progress=lambda done, whole: told.append((done, whole))
    )
    assert [(r.instrument, r.stored, r.missing, r.zero_volume) for r in reports] == [
        ("BTC", 2, 3, 0),
        ("ETH", 2, 3, 1),
    ]
    assert told == [(2, 4), (4, 4)]


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("btc")
def test_a_file_that_is_wrong_at_its_end_stores_nothing(tmp_path: Path, now: datetime) -> None:
    path = save(tmp_path, lines(GOOD, NEXT, NEXT))
    with pytest.raises(BadCandleFile):
        import_file(path=path, timeframe="1h", now=now)
    assert not Candle.objects.filter(instrument_id="BTC").exists()


@pytest.mark.usefixtures("btc")
def test_an_import_can_insist_on_every_bar(tmp_path: Path, now: datetime) -> None:
    path = save(tmp_path, lines(GOOD, LATER))
    with pytest.raises(BadCandleFile) as caught:
        import_file(path=path, timeframe="1h", now=now, allow_gaps=False)
    assert caught.value.fields["problem"] == "gap"
    assert not Candle.objects.filter(instrument_id="BTC").exists()


@pytest.mark.spec("U5")
@pytest.mark.django_db
def test_a_sample_instrument_misses_no_bars_at_night(tmp_path: Path, now: datetime) -> None:
    Instrument.objects.create(id="xyz:IBM", kind="perpetual", source="sample", seen_at=now)
    path = save(tmp_path, lines(*(row.replace("BTC", "xyz:IBM") for row in (GOOD, LATER))))
    (report,) = import_file(path=path, timeframe="1h", now=now, allow_gaps=False)
    assert (report.stored, report.gaps) == (2, ())


@pytest.mark.django_db
def test_a_file_that_is_not_there_is_told_so(tmp_path: Path, now: datetime) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(BadCandleFile) as caught:
            import_file(path=path, timeframe="1h", now=now)
        assert caught.value.fields["problem"] == "unreadable"


@pytest.mark.django_db
def test_a_file_beyond_the_limit_is_not_read(
    tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csvtable, "MAX_BYTES", 10)
    with pytest.raises(BadCandleFile) as caught:
        import_file(path=save(tmp_path, lines(GOOD)), timeframe="1h", now=now)
    assert caught.value.fields["problem"] == "too_large"
