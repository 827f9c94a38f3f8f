"""What the market's tests share: a clock, instruments, bars, and the folder of real data."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from memory.models import Agent, Instrument, Producer, Run
from trading.market.bars import Bar, BarSeries

ROOT = Path(__file__).resolve().parents[3]
START = datetime(2026, 9, 1, tzinfo=UTC)

MakeSeries = Callable[..., BarSeries]


@pytest.fixture
def now() -> datetime:
    return datetime(2026, 9, 30, 12, 5, tzinfo=UTC)


@pytest.fixture
def fixtures() -> Path:
    return ROOT / "tests" / "trading" / "fixtures"


@pytest.fixture
def real_data() -> Path:
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the folder of real market data is absent")
    return folder


@pytest.fixture
def btc(db: None, now: datetime) -> Instrument:  # noqa: ARG001 - opens the database
    return Instrument.objects.create(
        id="BTC", kind="perpetual", asset_id=0, sz_decimals=5, source="hyperliquid", seen_at=now
    )


@pytest.fixture
def agent(db: None, now: datetime) -> Agent:  # noqa: ARG001 - opens the database
    owner = User.objects.create_user("ada")
    return Agent.objects.create(owner=owner, name="Tidewatch", created_at=now)


@pytest.fixture
def run(agent: Agent, now: datetime) -> Run:
    producer = Producer.objects.create(agent=agent, role="analysis", name="hourly", created_at=now)
    return Run.objects.create(agent=agent, producer=producer, started_at=now, status="running")


@pytest.fixture
def make_series() -> MakeSeries:
    """Return a maker of hourly bars with these closes, and one unit of range above and below."""

    def make(closes: Iterable[float], *, instrument: str = "BTC", volume: float = 1.0) -> BarSeries:
        bars = [
            Bar(START + index * timedelta(hours=1), close, close + 1, close - 1, close, volume)
            for index, close in enumerate(map(float, closes))
        ]
        return BarSeries.of(instrument=instrument, timeframe="1h", bars=bars, sources=("test",))

    return make
