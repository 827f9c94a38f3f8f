"""The commands store or refuse, report as text or JSON, and show progress where it fits."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from memory.models import Instrument
from trading.management.progress import progress
from trading.models import Candle

HEADER = "instrument,opened_at,open,high,low,close,volume"
GOOD = "BTC,2025-09-01T00:00:00Z,10,12,9,11,5"
LATER = "BTC,2025-09-01T04:00:00Z,11,13,10,12,0"


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def save(folder: Path, *rows: str) -> str:
    path = folder / "bars.csv"
    path.write_text("\n".join([HEADER, *rows, ""]))
    return str(path)


@pytest.fixture
def listed(fixtures: Path) -> str:
    return str(fixtures / "hyperliquid_instruments_handmade.json")


@pytest.mark.spec("U3", "U6")
@pytest.mark.django_db
def test_instruments_come_from_a_file_and_are_reported_as_json(listed: str) -> None:
    report = json.loads(run("sync_instruments", "--file", listed, "--json"))
    assert (report["created"], report["unchanged"]) == (10, 0)
    assert "10 unchanged" in run("sync_instruments", "--file", listed)


@pytest.mark.spec("U3")
@pytest.mark.django_db
@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[]", b"[" * 100_000])
def test_a_file_without_instruments_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "meta.json"
    path.write_bytes(content)
    with pytest.raises(CommandError) as caught:
        run("sync_instruments", "--file", str(path))
    assert caught.value.returncode == 1


@pytest.mark.django_db
def test_a_missing_file_of_instruments_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        run("sync_instruments", "--file", str(tmp_path / "none.json"))


@pytest.mark.spec("U3", "U6")
@pytest.mark.usefixtures("btc")
def test_candles_come_from_a_file_with_plain_progress_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = save(tmp_path, GOOD, LATER)
    text = run("sync_candles", "--file", path, "--timeframe", "1h")
    assert "BTC 1h: 2 stored, 0 there already (0 differ)" in text
    assert "2025-09-01 00:00 to 2025-09-01 04:00 UTC, 3 missing in 1 gap, 1 without" in text
    assert capsys.readouterr().err == "Candles: 2 of 2\n"
    (report,) = json.loads(run("sync_candles", "--file", path, "--timeframe", "1h", "--json"))
    assert (report["stored"], report["duplicates"], report["missing"]) == (0, 2, 3)


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("btc")
def test_a_refused_file_ends_the_command_with_its_line_and_stores_nothing(tmp_path: Path) -> None:
    with pytest.raises(CommandError) as caught:
        run("sync_candles", "--file", save(tmp_path, GOOD, GOOD), "--timeframe", "1h")
    assert "line 3" in str(caught.value)
    assert caught.value.returncode == 1
    with pytest.raises(CommandError):
        run("sync_candles", "--file", save(tmp_path, GOOD, LATER), "--timeframe=1h", "--no-gaps")
    assert not Candle.objects.filter(instrument_id="BTC").exists()


@pytest.mark.spec("U5")
@pytest.mark.django_db
def test_the_sample_is_called_what_it_is_and_each_line_shows_its_dates() -> None:
    first, *rows = run("sync_candles", "--sample").splitlines()
    assert "US equities 2000-2013" in first
    assert "not Hyperliquid prices" in first
    assert len(rows) == 4
    assert all("to 2013-03-01 00:00 UTC, 0 missing" in row for row in rows)


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("btc")
def test_unknown_names_are_an_error_before_anything_is_asked_for() -> None:
    for arguments in (
        ("sync_candles", "--instrument", "NOPE", "--timeframe", "1h"),
        ("sync_candles", "--instrument", "BTC", "--timeframe", "7m"),
    ):
        with pytest.raises(CommandError):
            run(*arguments)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--instrument", "BTC"),
        ("--file", "x.csv"),
        ("--file", "x.csv", "--sample"),
        ("--sample", "--since", "2025-01-01"),
        ("--sample", "--no-gaps"),
        ("--instrument", "BTC", "--timeframe", "1h", "--since", "yesterday"),
        ("--instrument", "BTC", "--timeframe", "1h", "--since", "9999-12-31T23:59:59-14:00"),
        ("--instrument", "BTC", "--timeframe", "1h", "--since", "0001-01-01T00:00:00+14:00"),
        ("--instrument", "BTC", "--timeframe", "1h", "--since", "1969-12-31"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        run("sync_candles", *arguments)
    assert not Instrument.objects.filter(source="sample").exists()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.spec("U6")
def test_progress_is_a_bar_on_a_terminal_and_a_few_lines_elsewhere() -> None:
    terminal, log = Terminal(), io.StringIO()
    for stream in (terminal, log):
        with progress("Candles", stream=stream) as tell:
            for done in range(1, 1_001):
                tell(done, 1_000)
    assert "1000/1000" in terminal.getvalue()
    lines = log.getvalue().splitlines()
    assert (len(lines), lines[0], lines[-1]) == (
        10,
        "Candles: 100 of 1000",
        "Candles: 1000 of 1000",
    )


def test_progress_of_nothing_is_no_failure() -> None:
    log = io.StringIO()
    with progress("Candles", stream=log) as tell:
        tell(0, 0)
    assert log.getvalue() == "Candles: 0 of 0\n"
