"""Candles are stored once, read in order, and the database refuses impossible ones."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from memory.models import Agent, Instrument
from trading.errors import BadBars, OpenBar, UnknownInstrument, UnknownTimeframe
from trading.market.bars import Bar, BarSeries
from trading.market.candles import BATCH, last_opened_at, latest, read, store
from trading.models import Candle

MakeSeries = Callable[..., BarSeries]
START = datetime(2026, 9, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def read_all(timeframe: str = "1h") -> BarSeries:
    return read(instrument="BTC", timeframe=timeframe, start=START, end=START + 9_999 * HOUR)


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("btc")
def test_what_is_stored_is_read_back_exactly(make_series: MakeSeries, now: datetime) -> None:
    series = make_series([100.1, 100.30000000000001, 99.9])
    report = store(series=series, source="test", now=now)
    assert read_all() == series
    assert (report.rows, report.stored, report.duplicates) == (3, 3, 0)
    assert (report.first, report.last) == (START, START + 2 * HOUR)


@pytest.mark.usefixtures("btc")
def test_whole_numbers_among_the_prices_are_stored_too(now: datetime) -> None:
    bars = [Bar(START, 10, 12, 9, 11, 1), Bar(START + HOUR, 10.5, 12.5, 9.5, 11, 1)]
    series = BarSeries.of(instrument="BTC", timeframe="1h", bars=bars)
    store(series=series, source="test", now=now)
    assert read_all().open == (10.0, 10.5)


@pytest.mark.usefixtures("btc")
def test_a_window_is_half_open_and_of_one_timeframe(make_series: MakeSeries, now: datetime) -> None:
    store(series=make_series(range(100, 110)), source="test", now=now)
    window = read(instrument="BTC", timeframe="1h", start=START + HOUR, end=START + 3 * HOUR)
    assert window.close == (101.0, 102.0)
    assert len(read_all("4h")) == 0


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("btc")
def test_bars_that_are_there_already_are_kept_and_counted(
    make_series: MakeSeries, now: datetime
) -> None:
    store(series=make_series([100, 101]), source="test", now=now)
    report = store(series=make_series([100, 555, 102]), source="other", now=now)
    assert (report.stored, report.duplicates, report.differing) == (1, 2, 1)
    whole = read_all()
    assert whole.close == (100.0, 101.0, 102.0)
    assert whole.sources == ("other", "test")


@pytest.mark.usefixtures("btc")
def test_zero_volume_and_gaps_are_reported(make_series: MakeSeries, now: datetime) -> None:
    series = make_series([100, 101], volume=0.0)
    report = store(series=series, source="test", now=now, after=START - 3 * HOUR)
    assert report.zero_volume == 2
    assert (report.missing, report.gaps[0].start) == (2, START - 2 * HOUR)
    assert report.as_json()["gaps"] == [
        {
            "start": "2026-08-31T22:00:00+00:00",
            "end": "2026-09-01T00:00:00+00:00",
            "missing": 2,
        }
    ]


@pytest.mark.spec("U6")
@pytest.mark.usefixtures("btc")
def test_a_long_series_is_stored_in_batches_that_tell_their_progress(
    make_series: MakeSeries,
) -> None:
    told: list[tuple[int, int]] = []
    count = BATCH + 1
    report = store(
        series=make_series(range(100, 100 + count)),
        source="test",
        now=START + count * HOUR,
        progress=lambda done, whole: told.append((done, whole)),
    )
    assert report.stored == count
    assert told == [(BATCH, count), (count, count)]


@pytest.mark.usefixtures("btc")
def test_only_closed_bars_are_stored(make_series: MakeSeries) -> None:
    series = make_series([100, 101])
    with pytest.raises(OpenBar):
        store(series=series, source="test", now=START + 2 * HOUR - timedelta(microseconds=1))
    assert len(read_all()) == 0
    assert store(series=series, source="test", now=START + 2 * HOUR).stored == 2


@pytest.mark.usefixtures("btc")
def test_impossible_bars_are_refused_whole(make_series: MakeSeries, now: datetime) -> None:
    with pytest.raises(BadBars) as caught:
        store(series=make_series([100, -50]), source="test", now=now)
    assert caught.value.fields == {"bar_index": 1, "column": "open"}
    assert len(read_all()) == 0


@pytest.mark.django_db
def test_bars_of_an_unknown_instrument_are_refused(make_series: MakeSeries, now: datetime) -> None:
    with pytest.raises(UnknownInstrument):
        store(series=make_series([100], instrument="NOPE"), source="test", now=now)


@pytest.mark.usefixtures("btc")
def test_an_empty_series_stores_nothing(make_series: MakeSeries, now: datetime) -> None:
    report = store(series=make_series([]), source="test", now=now)
    assert (report.rows, report.first) == (0, None)


@pytest.mark.usefixtures("btc")
def test_the_latest_bars_are_those_closed_by_now(make_series: MakeSeries, now: datetime) -> None:
    store(series=make_series(range(100, 110)), source="test", now=now)
    moment = START + 5 * HOUR
    recent = latest(instrument="BTC", timeframe="1h", now=moment, count=2)
    assert recent.close == (103.0, 104.0)
    assert recent.closed_at(1) == moment
    assert last_opened_at(instrument="BTC", timeframe="1h") == START + 9 * HOUR
    assert last_opened_at(instrument="BTC", timeframe="4h") is None


@pytest.mark.django_db
def test_an_unknown_timeframe_is_refused_by_reading_too(now: datetime) -> None:
    with pytest.raises(UnknownTimeframe):
        latest(instrument="BTC", timeframe="7m", now=now, count=1)


INSERT = """
INSERT INTO trading_candle (instrument_id, timeframe, opened_at, open, high, low, close, volume,
  source, imported_at)
VALUES (%(instrument)s, %(timeframe)s, '2026-09-01Z', %(open)s, %(high)s, %(low)s, %(close)s,
  %(volume)s, %(source)s, '2026-09-02Z')
"""
GOOD: dict[str, Any] = {
    "instrument": "BTC",
    "timeframe": "1h",
    "open": 10.0,
    "high": 12.0,
    "low": 9.0,
    "close": 11.0,
    "volume": 1.0,
    "source": "test",
}


def broken_by(error: IntegrityError) -> str | None:
    assert isinstance(error.__cause__, psycopg.Error)
    return error.__cause__.diag.constraint_name


@pytest.mark.usefixtures("btc")
@pytest.mark.parametrize(
    ("column", "value", "constraint"),
    [
        ("timeframe", "7m", "candle_timeframe_known"),
        ("high", 10.5, "candle_high_highest"),
        ("open", 12.5, "candle_high_highest"),
        ("low", 10.5, "candle_low_lowest"),
        ("low", 0.0, "candle_price_positive"),
        ("low", -1.0, "candle_price_positive"),
        ("high", "Infinity", "candle_high_finite"),
        ("high", "NaN", "candle_high_finite"),
        ("open", "NaN", "candle_high_highest"),
        ("close", "NaN", "candle_high_highest"),
        ("low", "NaN", "candle_low_lowest"),
        ("volume", -1.0, "candle_volume_valid"),
        ("volume", "NaN", "candle_volume_valid"),
        ("volume", "Infinity", "candle_volume_valid"),
        ("source", "", "candle_source_named"),
    ],
)
def test_the_database_refuses_an_impossible_candle(
    column: str, value: object, constraint: str
) -> None:
    with (
        pytest.raises(IntegrityError) as caught,
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(INSERT, GOOD | {column: value})
    assert broken_by(caught.value) == constraint


@pytest.mark.usefixtures("btc")
def test_the_database_refuses_a_second_candle_of_the_same_time() -> None:
    with connection.cursor() as cursor:
        cursor.execute(INSERT, GOOD)
        with pytest.raises(IntegrityError), transaction.atomic():
            cursor.execute(INSERT, GOOD)
    assert Candle.objects.filter(instrument_id="BTC").count() == 1


@pytest.mark.usefixtures("btc")
def test_the_database_refuses_a_candle_of_no_instrument() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(INSERT, GOOD | {"instrument": "NOPE"})
        with pytest.raises(IntegrityError):
            connection.check_constraints()
        transaction.set_rollback(True)


def test_the_database_refuses_a_second_funding_rate_of_the_same_time(btc: Instrument) -> None:
    statement = "INSERT INTO trading_funding_rate (at, rate, instrument_id) VALUES (%s, %s, %s)"
    with connection.cursor() as cursor:
        cursor.execute(statement, ["2026-09-01Z", 1e-5, btc.id])
        with pytest.raises(IntegrityError), transaction.atomic():
            cursor.execute(statement, ["2026-09-01Z", 2e-5, btc.id])


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_the_database_refuses_a_funding_rate_that_is_no_number(value: str, btc: Instrument) -> None:
    with (
        pytest.raises(IntegrityError) as caught,
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(
            "INSERT INTO trading_funding_rate (at, rate, instrument_id) VALUES (%s, %s, %s)",
            ["2026-09-01Z", value, btc.id],
        )
    assert broken_by(caught.value) == "funding_rate_finite"


@pytest.mark.parametrize(
    ("column", "value", "constraint"),
    [
        ("timeframe", "7m", "indicator_run_timeframe_known"),
        ("engine", "", "indicator_run_engine_named"),
    ],
)
@pytest.mark.usefixtures("btc")
def test_the_database_refuses_an_indicator_run_without_meaning(
    agent: Agent, column: str, value: str, constraint: str
) -> None:
    row: dict[str, Any] = {"agent": agent.pk, "timeframe": "1h", "engine": "ta-lib"} | {
        column: value
    }
    statement = """
    INSERT INTO trading_indicator_run (id, agent_id, instrument_id, timeframe, computed_at, engine,
      indicators, bars, "values", data_source)
    VALUES (gen_random_uuid(), %(agent)s, 'BTC', %(timeframe)s, '2026-09-01Z', %(engine)s,
      '[]', '{}', '{}', 'test')
    """
    with (
        pytest.raises(IntegrityError) as caught,
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement, row)
    assert broken_by(caught.value) == constraint
