"""A file of funding rates is taken whole or refused with its line; windows read what bars need."""

import gzip
import io
import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from hypothesis import given
from hypothesis import strategies as st

from memory.models import Instrument
from trading.errors import BadFundingFile
from trading.market.funding import FundingSeries, import_file, parse, read
from trading.models import FundingRate

HEADER = "instrument,at,rate"
GOOD = "BTC,2025-09-01T00:00:00Z,-0.0000121396"
NEXT = "BTC,2025-09-01T01:00:00Z,9.4657e-6"
LATER = "BTC,2025-09-01T04:00:00Z,0.0000125"
NOW = datetime(2026, 9, 30, 12, 5, tzinfo=UTC)


def lines(*rows: str) -> bytes:
    return "\n".join([HEADER, *rows, ""]).encode()


def parsed(data: bytes) -> tuple[FundingSeries, ...]:
    return parse(data=data, known={"BTC", "ETH"}, now=NOW)


def save(folder: Path, data: bytes) -> Path:
    path = folder / "funding.csv"
    path.write_bytes(data)
    return path


@pytest.mark.spec("U3")
def test_rates_may_be_written_with_an_exponent_packed_and_for_several_instruments() -> None:
    data = lines(GOOD, NEXT.replace("BTC", "ETH"), NEXT)
    for content in (data, gzip.compress(data), b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")):
        btc, eth = parsed(content)
        assert (btc.instrument, btc.rate) == ("BTC", (-0.0000121396, 9.4657e-6))
        assert (eth.instrument, eth.rate) == ("ETH", (9.4657e-6,))
        assert btc.at[0] == datetime(2025, 9, 1, tzinfo=UTC)


REFUSED: dict[str, tuple[bytes, str, int | None, str]] = {
    "empty": (b"", "empty_file", None, ""),
    "only a header": (lines(), "empty_file", None, ""),
    "a damaged gzip": (gzip.compress(lines(GOOD))[:-9], "bad_gzip", None, ""),
    "binary": (b"PK\x03\x04\x00\x00", "binary", None, ""),
    "candles": (
        b"instrument,opened_at,open,high,low,close,volume\n",
        "missing_column",
        1,
        "at",
    ),
    "another order": (b"at,instrument,rate\n", "column_order", 1, "at"),
    "an extra column": (f"{HEADER},note\n".encode(), "extra_column", 1, "note"),
    "a short line": (lines(GOOD, "BTC,2025-09-01T01:00:00Z"), "missing_column", 3, "rate"),
    "a comma for a point": (lines("BTC,2025-09-01T00:00:00Z,0,0001"), "extra_column", 2, "4"),
    "a word": (lines(GOOD, "BTC,2025-09-01T01:00:00Z,low"), "not_a_number", 3, "rate"),
    "nothing": (lines("BTC,2025-09-01T00:00:00Z,"), "not_a_number", 2, "rate"),
    "an underscore": (lines("BTC,2025-09-01T00:00:00Z,0.000_1"), "not_a_number", 2, "rate"),
    "nan": (lines("BTC,2025-09-01T00:00:00Z,nan"), "out_of_range", 2, "rate"),
    "infinity": (lines("BTC,2025-09-01T00:00:00Z,-inf"), "out_of_range", 2, "rate"),
    "percents": (lines("BTC,2025-09-01T00:00:00Z,1.25"), "out_of_range", 2, "rate"),
    "no time": (lines("BTC,yesterday,0.1"), "bad_time", 2, "at"),
    "no zone": (lines("BTC,2025-09-01T00:00:00,0.1"), "no_zone", 2, "at"),
    "the wrong zone": (lines("BTC,2025-09-01T02:00:00+02:00,0.1"), "wrong_zone", 2, "at"),
    "the beginning of time": (lines("BTC,0001-01-01T00:00:00Z,0.1"), "too_old", 2, "at"),
    "the future": (lines("BTC,2026-09-30T13:00:00Z,0.1"), "future", 2, "at"),
    "a stamp twice": (lines(GOOD, NEXT, NEXT), "duplicate_time", 4, "at"),
    "older stamps below": (lines(NEXT, GOOD), "unsorted", 3, "at"),
    "a stranger": (lines(GOOD.replace("BTC", "DOGE")), "unknown_instrument", 2, "instrument"),
}


@pytest.mark.spec("U3")
@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_file_is_refused_with_its_place_and_a_way_out(case: str) -> None:
    data, problem, line, column = REFUSED[case]
    with pytest.raises(BadFundingFile) as caught:
        parsed(data)
    fields = caught.value.fields
    assert (fields["problem"], fields["line"], fields["column"]) == (problem, line, column)
    assert caught.value.code == "bad_funding_file"
    assert str(fields["way_out"]) in caught.value.message


@given(st.binary(max_size=200))
def test_no_bytes_whatever_raise_anything_else(data: bytes) -> None:
    for content in (data, HEADER.encode() + b"\n" + data, b"\x1f\x8b" + data):
        with suppress(BadFundingFile):
            parsed(content)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=20), st.booleans())
def test_what_is_written_is_read_exactly(rates: list[float], packed: bool) -> None:
    start = datetime(2025, 9, 1, tzinfo=UTC)
    rows = [
        f"BTC,{start + hour * timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ},{rate!r}"
        for hour, rate in enumerate(rates)
    ]
    data = gzip.compress(lines(*rows)) if packed else lines(*rows)
    assert parsed(data)[0].rate == tuple(rates)


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("btc")
def test_an_import_reports_and_keeps_what_is_there(tmp_path: Path, now: datetime) -> None:
    (first,) = import_file(path=save(tmp_path, lines(GOOD, NEXT, LATER)), now=now)
    assert (first.rows, first.stored, first.duplicates, first.missing) == (3, 3, 0, 2)
    other = NEXT.replace("9.4657e-6", "0.5")
    (again,) = import_file(path=save(tmp_path, lines(GOOD, other, LATER)), now=now)
    assert (again.stored, again.duplicates, again.differing) == (0, 3, 1)
    kept = FundingRate.objects.filter(instrument_id="BTC").order_by("at")
    assert [row.rate for row in kept] == [-0.0000121396, 9.4657e-6, 0.0000125]


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("btc")
def test_a_file_that_is_wrong_at_its_end_stores_nothing(tmp_path: Path, now: datetime) -> None:
    with pytest.raises(BadFundingFile):
        import_file(path=save(tmp_path, lines(GOOD, NEXT, NEXT)), now=now)
    with pytest.raises(BadFundingFile):
        import_file(path=tmp_path / "none.csv", now=now)
    assert not FundingRate.objects.filter(instrument_id="BTC").exists()


@pytest.mark.spec("A7")
@pytest.mark.usefixtures("btc")
def test_a_window_reads_the_stamps_of_its_bars_oldest_first(tmp_path: Path, now: datetime) -> None:
    import_file(path=save(tmp_path, lines(GOOD, NEXT, LATER)), now=now)
    start = datetime(2025, 9, 1, tzinfo=UTC)
    found = read(instrument="BTC", start=start, end=start + timedelta(hours=4))
    assert found is not None
    # A bar opened at a stamp does not pay it, one that closes at it does.
    assert found.rate == (9.4657e-6, 0.0000125)
    assert found.at[0].tzinfo is UTC
    assert read(instrument="BTC", start=start, end=start) is None
    assert read(instrument="ETH", start=start, end=now) is None


@pytest.mark.spec("U3", "U6")
@pytest.mark.usefixtures("btc")
def test_the_command_stores_reports_and_refuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = io.StringIO()
    path = save(tmp_path, lines(GOOD, NEXT, LATER))
    call_command("sync_funding", "--file", str(path), stdout=out)
    assert out.getvalue().startswith(
        "BTC funding: 3 stored, 0 there already (0 differ), 2025-09-01"
    )
    assert "2 hours without a stamp." in out.getvalue()
    assert capsys.readouterr().err == "Funding rates: 3 of 3\n"
    told = io.StringIO()
    call_command("sync_funding", "--file", str(path), "--json", stdout=told)
    (report,) = json.loads(told.getvalue())
    assert (report["stored"], report["duplicates"]) == (0, 3)
    with pytest.raises(CommandError) as caught:
        call_command("sync_funding", "--file", str(save(tmp_path, lines(GOOD, GOOD))))
    assert "line 3" in str(caught.value)
    with pytest.raises(CommandError):
        call_command("sync_funding")


@pytest.mark.spec("U3")
@pytest.mark.django_db
def test_the_real_rates_are_stored_and_stored_again_without_a_change(
    real_data: Path, now: datetime
) -> None:
    for name in ("BTC", "ETH", "SOL"):
        Instrument.objects.create(id=name, kind="perpetual", source="hyperliquid", seen_at=now)
    path = real_data / "hyperliquid_perp_BTC_ETH_SOL_funding_1h.csv.gz"
    reports = import_file(path=path, now=now)
    assert sum(report.stored for report in reports) == 23_412
    assert [report.instrument for report in reports] == ["BTC", "ETH", "SOL"]
    assert all(report.missing < 20 for report in reports)
    again = import_file(path=path, now=now)
    assert {(report.stored, report.differing) for report in again} == {(0, 0)}
    start = datetime(2024, 9, 4, tzinfo=UTC)
    found = read(instrument="BTC", start=start, end=start + timedelta(hours=3))
    assert found is not None
    assert found.rate == (9.4657e-6, 0.0000125, 0.0000125)
