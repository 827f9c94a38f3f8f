"""The shipped bars are what they claim to be, and loading them twice changes nothing."""

import csv
import gzip
import hashlib
import io
import runpy
import sys
from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from memory.models import Instrument
from trading.market.candles import read
from trading.market.data.build import build, compress
from trading.market.sample import FILE, INSTRUMENTS, SHA256, load_sample
from trading.models import Candle

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
COUNTS = {"xyz:AAPL": 3270, "xyz:GOOGL": 2148, "xyz:IBM": 3270, "xyz:MSFT": 3270}


def shipped() -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(gzip.decompress(FILE.read_bytes()).decode())))


@pytest.mark.spec("U5")
def test_the_shipped_file_is_the_one_that_the_notice_names() -> None:
    assert hashlib.sha256(FILE.read_bytes()).hexdigest() == SHA256
    assert SHA256 in (FILE.parent / "NOTICE").read_text()
    inside = hashlib.sha256(gzip.decompress(FILE.read_bytes())).hexdigest()
    assert inside in (FILE.parent / "NOTICE").read_text()


@pytest.mark.spec("U5")
def test_the_shipped_bars_are_daily_equities_of_2000_to_2013() -> None:
    rows = shipped()
    assert Counter(row["instrument"] for row in rows) == COUNTS
    for name in INSTRUMENTS:
        times = [row["opened_at"] for row in rows if row["instrument"] == name]
        first = "2004-08-19" if name == "xyz:GOOGL" else "2000-03-01"
        assert (times[0], times[-1]) == (f"{first}T00:00:00Z", "2013-03-01T00:00:00Z")


@pytest.mark.spec("U5")
def test_no_split_is_left_and_the_largest_move_is_the_real_one() -> None:
    closes: dict[str, list[tuple[str, float]]] = {name: [] for name in INSTRUMENTS}
    for row in shipped():
        closes[row["instrument"]].append((row["opened_at"][:10], float(row["close"])))
    moves = {
        (name, day): new / old - 1
        for name, days in closes.items()
        for (_, old), (day, new) in pairwise(days)
    }
    worst = min(moves, key=lambda place: moves[place])
    assert worst == ("xyz:AAPL", "2000-09-29")
    assert moves[worst] == pytest.approx(-0.5187, abs=5e-5)
    for split in (
        ("xyz:AAPL", "2000-06-21"),
        ("xyz:AAPL", "2005-02-28"),
        ("xyz:MSFT", "2003-02-18"),
    ):
        assert abs(moves[split]) < 0.1
    assert max(moves.values()) < 0.21


@pytest.mark.spec("U5")
@pytest.mark.django_db
def test_loading_makes_sample_instruments_with_all_their_bars(now: datetime) -> None:
    told: list[tuple[int, int]] = []
    reports = load_sample(now=now, progress=lambda done, whole: told.append((done, whole)))
    assert {report.instrument: report.stored for report in reports} == COUNTS
    assert told[-1] == (11_958, 11_958)
    assert set(
        Instrument.objects.filter(source="sample", is_active=True, dex="xyz").values_list(
            "id", flat=True
        )
    ) == set(INSTRUMENTS)
    bars = read(instrument="xyz:IBM", timeframe="1d", start=EPOCH, end=now)
    assert (len(bars), bars.sources) == (3270, ("sample",))


@pytest.mark.spec("U5")
@pytest.mark.django_db
def test_weekends_and_holidays_are_not_called_missing(now: datetime) -> None:
    assert [report.gaps for report in load_sample(now=now)] == [()] * 4


@pytest.mark.spec("U5")
@pytest.mark.django_db
def test_loading_twice_changes_nothing(now: datetime) -> None:
    load_sample(now=now)
    before = list(Instrument.objects.order_by("id").values())
    again = load_sample(now=datetime(2027, 1, 1, tzinfo=UTC))
    assert [(report.stored, report.differing) for report in again] == [(0, 0)] * 4
    assert list(Instrument.objects.order_by("id").values()) == before
    assert Candle.objects.filter(instrument_id__in=INSTRUMENTS).count() == sum(COUNTS.values())


@pytest.mark.spec("U5")
@pytest.mark.django_db
def test_an_instrument_of_the_exchange_is_not_turned_into_a_sample(now: datetime) -> None:
    Instrument.objects.create(
        id="xyz:IBM", kind="perpetual", dex="xyz", source="hyperliquid", seen_at=now
    )
    load_sample(now=now)
    assert Instrument.objects.get(id="xyz:IBM").source == "hyperliquid"


RAW = (
    "Ticker,Date,Open,High,Low,Close,Volume,Adj Close\n"
    "FB,2012-05-18,1,1,1,1,1,1\n"
    "MSFT,2003-02-18,10.0,12.0,8.0,10.0,300,5.0\n"
    "GOOG,2004-08-19,3.0,3.0,3.0,3.0,100,1.0\n"
)


@pytest.mark.spec("U5")
def test_prices_are_adjusted_by_the_day_and_the_volume_the_other_way() -> None:
    assert build(source=RAW).splitlines() == [
        "instrument,opened_at,open,high,low,close,volume",
        "xyz:GOOGL,2004-08-19T00:00:00Z,1.0,1.0,1.0,1.0,300.0",
        "xyz:MSFT,2003-02-18T00:00:00Z,5.0,6.0,4.0,5.0,600.0",
    ]


def test_the_same_text_packs_into_the_same_bytes() -> None:
    assert compress(text="bars") == compress(text="bars")
    assert gzip.decompress(compress(text="bars")) == b"bars"


@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
def test_only_the_known_source_is_built_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "stocks.csv.gz"
    source.write_bytes(compress(text=RAW))
    monkeypatch.setattr(sys, "argv", ["build", str(source), str(tmp_path / "made.csv.gz")])
    with pytest.raises(SystemExit):
        runpy.run_module("trading.market.data.build", run_name="__main__")
    assert not (tmp_path / "made.csv.gz").exists()
