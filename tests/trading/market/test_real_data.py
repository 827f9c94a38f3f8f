"""Real Hyperliquid files import as their record says (skipped where the folder is absent)."""

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from memory.models import Instrument
from trading.market.csvfile import import_file, parse


class Recorded(NamedTuple):
    """What PROVENANCE.md says of a file: bars, and bars without a trade, per instrument."""

    name: str
    timeframe: str
    rows: dict[str, int]
    still: list[int]


FILES = [
    Recorded("BTC_ETH_SOL_15m", "15m", {"BTC": 16_176, "ETH": 16_176, "SOL": 16_175}, [3, 3, 4]),
    Recorded("BTC_ETH_SOL_1h", "1h", {"BTC": 7_793, "ETH": 7_793, "SOL": 7_793}, [0, 0, 0]),
    Recorded("BTC_ETH_SOL_4h", "4h", {"BTC": 5_283, "ETH": 5_283, "SOL": 5_248}, [2, 1, 1]),
    Recorded("BTC_ETH_SOL_1d", "1d", {"BTC": 881, "ETH": 881, "SOL": 875}, [0, 0, 0]),
    Recorded("BTC_5m", "5m", {"BTC": 38_531}, [15]),
]


@pytest.mark.spec("U3")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_files_hold_what_their_record_says_and_miss_no_bar(
    real_data: Path, now: datetime, file: Recorded
) -> None:
    series = parse(
        data=(real_data / f"hyperliquid_perp_{file.name}.csv.gz").read_bytes(),
        timeframe=file.timeframe,
        known=file.rows,
        now=now,
        gapless=file.rows,
    )
    assert {part.instrument: len(part) for part in series} == file.rows
    assert [sum(volume == 0 for volume in part.volume) for part in series] == file.still


@pytest.mark.spec("U3")
@pytest.mark.django_db
def test_a_real_file_is_stored_and_stored_again_without_a_change(
    real_data: Path, now: datetime
) -> None:
    for name in ("BTC", "ETH", "SOL"):
        Instrument.objects.create(id=name, kind="perpetual", source="hyperliquid", seen_at=now)
    path = real_data / "hyperliquid_perp_BTC_ETH_SOL_1d.csv.gz"
    first = import_file(path=path, timeframe="1d", now=now, allow_gaps=False)
    assert [report.stored for report in first] == [881, 881, 875]
    again = import_file(path=path, timeframe="1d", now=now)
    assert [(report.stored, report.differing) for report in again] == [(0, 0)] * 3
