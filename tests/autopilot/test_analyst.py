"""The offline analyst writes version 1 handoffs that quote stored evidence (SPEC H1, H3, A12)."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from autopilot.crew.analyst import analyse
from autopilot.crew.lenses import REVERSION, TREND, Lens, read_reversion, read_trend
from memory.errors import InvalidEvidenceBoundary
from memory.models import Record, Run
from memory.services import setup
from tests.desk import Desk
from trading.market.bars import Bar, BarSeries
from trading.market.candles import store
from trading.market.sample import load_sample
from trading.models import Candle, IndicatorRun

AAPL = "xyz:AAPL"
DAY = timedelta(days=1)


@pytest.fixture
def sampled(desk: Desk, now: datetime) -> Desk:
    """Return a desk that has selected a shipped instrument with its real bars."""
    load_sample(now=now)
    setup.select_instrument(agent=desk.agent, name=AAPL, now=now - DAY)
    return desk


def analysis(desk: Desk, lens: Lens, now: datetime, instruments: list[str], **more: Any) -> Any:
    """Run the analyst for the desk's analysis producer."""
    return analyse(
        agent=desk.agent,
        producer=desk.producers["analysis"],
        lens=lens,
        instruments=instruments,
        now=now,
        **{"timeframe": "1d", "old_bars": True, **more},
    )


@pytest.mark.spec("H3", "H1", "U5")
@pytest.mark.parametrize("lens", [TREND, REVERSION], ids=lambda lens: lens.name)
def test_a_handoff_quotes_a_stored_indicator_run_and_its_real_bars(
    sampled: Desk, now: datetime, lens: Lens
) -> None:
    done = analysis(sampled, lens, now, [AAPL])
    record = done.records[0]
    (source,) = record.metadata["sources"]
    run = IndicatorRun.objects.get(id=UUID(source["indicator_run_id"]))
    assert (run.agent_id, run.run_id) == (sampled.agent.id, done.run.id)
    assert source["opened_at"] == "2013-03-01T00:00:00Z"
    assert source["closed_at"] == "2013-03-02T00:00:00Z"
    assert (source["instrument_id"], source["timeframe"]) == (AAPL, "1d")
    observed = record.metadata["observations"]
    assert {name: observed[name] for name in run.values} == pytest.approx(run.values, abs=1e-6)
    assert record.metadata["handoff_version"] == 1
    assert record.handoff_warnings == []
    assert record.metadata["evidence_boundary"] == "2026-09-30T12:00:00Z"
    assert record.metadata["interpretation"]["setup_status"] in {"ready", "no_setup"}
    assert "Offline analyst, no model." in record.content
    assert "2013-03-02" in record.content
    assert (record.type, record.instruments) == (lens.type, [AAPL])
    assert Run.objects.get(id=done.run.id).status == "succeeded"


@pytest.mark.spec("H3", "F2")
def test_a_run_of_an_earlier_boundary_is_born_stale_and_its_creation_is_not_back_dated(
    sampled: Desk, now: datetime
) -> None:
    early = now.replace(minute=0, second=0) - DAY
    record = analysis(sampled, TREND, now, [AAPL], evidence_boundary=early).records[0]
    assert record.status == "stale"
    assert record.created_at == now
    assert record.expires_at == early + timedelta(minutes=10)


@pytest.mark.spec("F8")
def test_a_boundary_of_the_future_starts_no_run(sampled: Desk, now: datetime) -> None:
    with pytest.raises(InvalidEvidenceBoundary):
        analysis(sampled, TREND, now, [AAPL], evidence_boundary=now + DAY)
    assert not Run.objects.exists()


@pytest.mark.spec("H1")
@pytest.mark.parametrize("bars", [0, 100])
def test_too_few_bars_are_labelled_as_an_unavailable_source(
    desk: Desk, now: datetime, bars: int
) -> None:
    first = datetime(2026, 1, 1, tzinfo=UTC)
    series = BarSeries.of(
        instrument="ETH",
        timeframe="1d",
        bars=[Bar(first + i * DAY, 100, 101, 99, 100, 5) for i in range(bars)],
        sources=("test",),
    )
    store(series=series, source="test", now=now)
    record = analysis(desk, TREND, now, ["ETH"]).records[0]
    assert record.metadata["sources"][0]["status"] == "unavailable"
    assert record.metadata["interpretation"]["setup_status"] == "unavailable"
    assert record.handoff_warnings == []
    assert not IndicatorRun.objects.exists()


@pytest.mark.spec("H1", "A12", "C1")
@pytest.mark.parametrize("lens", [TREND, REVERSION], ids=lambda lens: lens.name)
def test_from_bars_that_are_too_old_there_is_no_reading_unless_asked_for(
    sampled: Desk, now: datetime, lens: Lens
) -> None:
    record = analysis(sampled, lens, now, [AAPL], old_bars=False).records[0]
    assert "no reading, the newest bar closed at 2013-03-02 00:00 UTC" in record.content
    (source,) = record.metadata["sources"]
    assert source["status"] == "unavailable"
    assert source["newest_closed_at"] == "2013-03-02T00:00:00Z"
    # Neither levels nor a setup.
    assert record.metadata["interpretation"] == {"bias": "unknown", "setup_status": "unavailable"}
    assert record.metadata["observations"] == {}
    assert record.handoff_warnings == []
    assert not IndicatorRun.objects.exists()


@pytest.mark.spec("H1", "A12")
def test_stored_bars_without_finite_indicators_are_labelled_as_an_unavailable_source(
    desk: Desk, now: datetime
) -> None:
    # As an earlier version stored them: the table allows every finite number.
    Candle.objects.bulk_create(
        Candle(
            instrument_id="ETH",
            timeframe="1d",
            opened_at=datetime(2026, 1, 1, tzinfo=UTC) + i * DAY,
            open=price,
            high=1.7e308,
            low=5e-324,
            close=price,
            volume=1,
            source="test",
            imported_at=now,
        )
        for i, price in enumerate([1.7e308, 1e-300] * 100)
    )
    record = analysis(desk, REVERSION, now, ["ETH"]).records[0]
    assert record.metadata["sources"][0]["status"] == "unavailable"
    assert "not a finite number" in record.metadata["sources"][0]["reason"]
    assert not IndicatorRun.objects.exists()


@pytest.mark.spec("C4", "R6")
def test_a_refused_write_ends_the_run_as_failed_and_keeps_what_was_published(
    sampled: Desk, now: datetime
) -> None:
    with pytest.raises(Exception, match="not an active instrument"):
        analysis(sampled, TREND, now, [AAPL, "xyz:IBM"])
    run = Run.objects.get()
    assert (run.status, run.error) == ("failed", "InvalidMemoryTarget")
    assert Record.objects.count() == 1


TRENDING = {
    "close": 100.0,
    "ema_20": 99.0,
    "ema_50": 95.0,
    "adx_14": 30.0,
    "macd_12_26_9.histogram": 0.4,
    "atr_14": 2.0,
}


@pytest.mark.spec("H1")
@pytest.mark.parametrize(
    ("changes", "bias", "setup"),
    [
        ({}, "bullish", {"entry": 100.0, "stop": 95.0, "target": 110.0}),
        ({"adx_14": 24.9}, "bullish", None),
        ({"macd_12_26_9.histogram": -0.4}, "bullish", None),
        (
            {"ema_20": 94.0, "macd_12_26_9.histogram": -0.4},
            "bearish",
            {"entry": 100.0, "stop": 105.0, "target": 90.0},
        ),
    ],
)
def test_the_trend_lens_acts_only_where_strength_and_momentum_agree(
    changes: dict[str, float], bias: str, setup: dict[str, float] | None
) -> None:
    reading = read_trend({**TRENDING, **changes})
    assert (reading.bias, reading.setup) == (bias, setup)


STRETCHED = {
    "close": 90.0,
    "rsi_14": 25.0,
    "bbands_20_2.lower": 92.0,
    "bbands_20_2.middle": 100.0,
    "bbands_20_2.upper": 108.0,
    "atr_14": 2.0,
}


@pytest.mark.spec("H1")
@pytest.mark.parametrize(
    ("changes", "bias", "setup"),
    [
        ({}, "bullish", {"entry": 90.0, "stop": 85.0, "target": 100.0}),
        ({"rsi_14": 31.0}, "neutral", None),
        ({"close": 93.0}, "neutral", None),
        (
            {"close": 110.0, "rsi_14": 75.0},
            "bearish",
            {"entry": 110.0, "stop": 115.0, "target": 100.0},
        ),
    ],
)
def test_the_reversion_lens_acts_only_beyond_the_bands(
    changes: dict[str, float], bias: str, setup: dict[str, float] | None
) -> None:
    reading = read_reversion({**STRETCHED, **changes})
    assert (reading.bias, reading.setup) == (bias, setup)
