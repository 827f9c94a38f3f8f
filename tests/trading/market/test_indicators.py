"""Indicators give the values that TA-Lib is known to give, and only once they have warmed up."""

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from memory.models import Agent, Instrument, Run
from trading.errors import BadBars, BadIndicator, NotEnoughBars
from trading.market.bars import Bar, BarSeries, problem_of
from trading.market.indicators import (
    DEFAULT_SPECS,
    ENGINE,
    FUNCTIONS,
    IndicatorSpec,
    calculate,
    compute,
    store_run,
)
from trading.models import IndicatorRun

MakeSeries = Callable[..., BarSeries]

CLOSES = [10, 11, 12, 11, 13, 14, 13, 15, 16, 15]
HIGHS = [11, 12, 13, 12, 15, 15, 14, 16, 17, 16]


@pytest.fixture
def vectors(make_series: MakeSeries) -> BarSeries:
    shape = make_series(CLOSES)
    bars = [
        Bar(opened_at, float(close), float(high), close - 1.5, float(close), 1.0)
        for opened_at, close, high in zip(shape.opened_at, CLOSES, HIGHS, strict=True)
    ]
    return BarSeries.of(instrument="BTC", timeframe="1h", bars=bars, sources=("test",))


def values(bars: BarSeries, function: str, name: str = "", **parameters: float) -> list[float]:
    spec = IndicatorSpec(function=function, parameters=parameters)
    outputs = calculate(bars=bars, spec=spec)
    column = outputs[f"{spec.name}.{name}" if name else spec.name]
    return [float(value) for value in column]


def broken_by(error: IntegrityError) -> str | None:
    """Return the name of the constraint that refused."""
    assert isinstance(error.__cause__, psycopg.Error)
    return error.__cause__.diag.constraint_name


def wave(count: int) -> list[float]:
    return [100 + 10 * math.sin(index / 7) + index / 50 for index in range(count)]


@pytest.mark.spec("A12")
@pytest.mark.parametrize(
    ("function", "start", "expected"),
    [
        ("RSI", 3, [66.666667, 83.333333, 87.878788, 62.365591, 79.885057, 85.090522, 61.296509]),
        ("ATR", 3, [2.5, 3.0, 2.833333, 2.722222, 2.814815, 2.709877, 2.639918]),
        ("ADX", 5, [51.916376, 39.372822, 45.237619, 53.047882, 41.96657]),
    ],
)
def test_the_known_vectors_come_out(
    vectors: BarSeries, function: str, start: int, expected: list[float]
) -> None:
    column = values(vectors, function, length=3)
    assert all(math.isnan(number) for number in column[:start])
    assert column[start:] == pytest.approx(expected, abs=5e-7)


def test_ema_starts_from_a_simple_mean(make_series: MakeSeries) -> None:
    column = values(make_series([1, 2, 3, 4, 5, 9]), "EMA", length=3)
    assert all(math.isnan(number) for number in column[:2])
    assert column[2:] == [2, 3, 4, 6.5]


def test_bollinger_bands_use_the_population_deviation(vectors: BarSeries) -> None:
    bands = [
        values(vectors, "BBANDS", name, length=3, mult=2)[2]
        for name in ("upper", "middle", "lower")
    ]
    assert bands == pytest.approx([12.632993, 11, 9.367007], abs=5e-7)


def test_normalised_range_is_the_range_over_the_close(vectors: BarSeries) -> None:
    expected = [100 * atr / close for atr, close in zip(values(vectors, "ATR", length=3), CLOSES)]  # noqa: B905
    assert values(vectors, "NATR", length=3)[3:] == pytest.approx(expected[3:])


def test_rate_of_change_is_in_percent(vectors: BarSeries) -> None:
    assert values(vectors, "ROC", length=3)[3:] == pytest.approx(
        [100 * (new / old - 1) for old, new in zip(CLOSES, CLOSES[3:], strict=False)]
    )


def test_macd_is_close_to_the_difference_of_its_averages_only_after_a_while(
    make_series: MakeSeries,
) -> None:
    bars = make_series(wave(200))
    slow, fast = values(bars, "EMA", length=26), values(bars, "EMA", length=12)
    macd = values(bars, "MACD", "macd")
    apart = [abs(fast[i] - slow[i] - macd[i]) for i in range(33, 200)]
    assert apart[0] > 1e-3
    assert apart[-1] < 1e-6
    histogram, signal = values(bars, "MACD", "histogram"), values(bars, "MACD", "signal")
    assert histogram[-1] == pytest.approx(macd[-1] - signal[-1])


@pytest.mark.parametrize("function", sorted(FUNCTIONS))
def test_a_value_never_depends_on_later_bars(make_series: MakeSeries, function: str) -> None:
    closes = wave(160)
    whole, cut = make_series(closes), make_series(closes[:120])
    spec = IndicatorSpec(function=function)
    for name, column in calculate(bars=whole, spec=spec).items():
        before = calculate(bars=cut, spec=spec)[name]
        assert column[:120].tolist() == pytest.approx(before.tolist(), nan_ok=True)


@pytest.mark.parametrize("function", sorted(FUNCTIONS))
def test_every_function_has_a_number_at_the_end_of_its_warm_up(
    make_series: MakeSeries, function: str
) -> None:
    spec = IndicatorSpec(function=function)
    enough = compute(bars=make_series(wave(spec.warmup)), specs=(spec,))
    assert set(enough.values) == set(spec.outputs)
    assert all(math.isfinite(number) for number in enough.values.values())
    short = compute(bars=make_series(wave(spec.warmup - 1)), specs=(spec,))
    assert (short.values, short.warming_up) == ({}, {spec.name: 1})


def test_a_long_signal_line_lengthens_the_warm_up_of_macd(make_series: MakeSeries) -> None:
    spec = IndicatorSpec(function="MACD", parameters={"fast": 2, "slow": 3, "signal": 40})
    assert compute(bars=make_series(wave(spec.warmup)), specs=(spec,)).values.keys() == set(
        spec.outputs
    )


def test_a_result_names_the_bars_it_was_computed_over(make_series: MakeSeries) -> None:
    bars = make_series(wave(60))
    result = compute(bars=bars, specs=(IndicatorSpec(function="RSI"),))
    assert result.bars == {
        "count": 60,
        "first": {
            "bar_index": 0,
            "opened_at": "2026-09-01T00:00:00+00:00",
            "closed_at": "2026-09-01T01:00:00+00:00",
        },
        "last": {
            "bar_index": 59,
            "opened_at": "2026-09-03T11:00:00+00:00",
            "closed_at": "2026-09-03T12:00:00+00:00",
        },
    }
    assert (result.engine, result.data_source) == (ENGINE, "test")


def test_bars_that_are_not_numbers_are_refused_by_index(make_series: MakeSeries) -> None:
    bars = make_series([*wave(30), math.nan, *wave(30)])
    with pytest.raises(BadBars) as caught:
        compute(bars=bars, specs=(IndicatorSpec(function="EMA"),))
    assert caught.value.fields == {"bar_index": 30, "column": "close"}


@pytest.mark.spec("A12")
@pytest.mark.parametrize("function", ["BBANDS", "RSI"])
def test_a_value_that_is_not_finite_is_refused_by_the_name_of_its_indicator(
    make_series: MakeSeries, function: str
) -> None:
    spec = IndicatorSpec(function=function)
    huge = make_series([1.7e308, 1.0e-300] * 100)
    with pytest.raises(BadBars) as caught:
        compute(bars=huge, specs=(spec,))
    assert caught.value.fields["indicator"] in spec.outputs


@pytest.mark.spec("A12")
@pytest.mark.parametrize("function", sorted(FUNCTIONS))
@pytest.mark.parametrize("closes", [(1e12, 1e-12), (1e-12, 1e12), (1e12, 1e12), (1e-12, 1e-12)])
def test_bars_at_the_bounds_leave_every_indicator_finite(
    function: str, closes: tuple[float, float]
) -> None:
    first = datetime(2026, 9, 1, tzinfo=UTC)
    bars = [
        Bar(first + index * timedelta(hours=1), close, 1e12, 1e-12, close, 1e18)
        for index, close in enumerate(closes * 100)
    ]
    assert {problem_of(bar) for bar in bars} == {None}
    series = BarSeries.of(instrument="BTC", timeframe="1h", bars=bars)
    assert compute(bars=series, specs=(IndicatorSpec(function=function),)).values


def test_no_bars_are_not_enough(make_series: MakeSeries) -> None:
    with pytest.raises(NotEnoughBars):
        compute(bars=make_series([]))
    assert calculate(bars=make_series([]), spec=IndicatorSpec(function="EMA"))["ema_20"].size == 0


@pytest.mark.parametrize(
    ("function", "parameters"),
    [
        ("VWAP", {}),
        ("EMA", {"lenght": 3}),
        ("EMA", {"length": 1}),
        ("EMA", {"length": 501}),
        ("EMA", {"length": 2.5}),
        ("EMA", {"length": math.nan}),
        ("BBANDS", {"mult": 0}),
        ("BBANDS", {"mult": math.inf}),
        ("MACD", {"fast": 26, "slow": 26}),
    ],
)
def test_wrong_indicators_are_refused_before_anything_is_computed(
    function: str, parameters: dict[str, float]
) -> None:
    with pytest.raises(BadIndicator):
        IndicatorSpec(function=function, parameters=parameters)


def test_two_indicators_cannot_share_a_name(make_series: MakeSeries) -> None:
    twice = (IndicatorSpec(function="EMA"), IndicatorSpec(function="EMA"))
    with pytest.raises(BadIndicator):
        compute(bars=make_series(wave(90)), specs=twice)


@pytest.mark.spec("A12", "H3")
def test_a_stored_run_holds_what_a_handoff_quotes(
    agent: Agent, run: Run, btc: Instrument, make_series: MakeSeries, now: datetime
) -> None:
    result = compute(bars=make_series(wave(150)))
    stored = store_run(agent=agent, run=run, result=result, now=now)
    fresh = IndicatorRun.objects.get(id=stored.id)
    assert (fresh.agent, fresh.run, fresh.instrument, fresh.computed_at) == (agent, run, btc, now)
    assert fresh.indicators[0] == {
        "name": "ema_20",
        "function": "EMA",
        "parameters": {"length": 20},
    }
    assert fresh.bars == result.bars
    assert fresh.values == pytest.approx(result.values)
    assert set(fresh.values) == {output for spec in DEFAULT_SPECS for output in spec.outputs}


@pytest.mark.spec("A12")
@pytest.mark.usefixtures("btc")
def test_a_run_of_another_agent_cannot_be_named(
    run: Run, make_series: MakeSeries, now: datetime
) -> None:
    other = Agent.objects.create(owner=run.agent.owner, name="Other", created_at=now)
    result = compute(bars=make_series(wave(150)))
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        store_run(agent=other, run=run, result=result, now=now)
    assert broken_by(caught.value) == "indicator_run_run_fk"


@pytest.mark.spec("A12")
@pytest.mark.usefixtures("btc")
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE trading_indicator_run SET values = '{}' WHERE id = %s",
        "DELETE FROM trading_indicator_run WHERE id = %s",
    ],
)
def test_a_stored_run_can_neither_be_changed_nor_deleted(
    statement: str, agent: Agent, make_series: MakeSeries, now: datetime
) -> None:
    result = compute(bars=make_series(wave(150)))
    stored = store_run(agent=agent, run=None, result=result, now=now)
    with (
        pytest.raises(IntegrityError) as caught,
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement, [stored.id])
    assert broken_by(caught.value) == "indicator_run_immutable"
    assert IndicatorRun.objects.get(id=stored.id).values == pytest.approx(result.values)


def test_the_instrument_of_a_run_must_be_known(
    agent: Agent, make_series: MakeSeries, now: datetime
) -> None:
    result = compute(bars=make_series(wave(150), instrument="NOPE"))
    with transaction.atomic():
        store_run(agent=agent, run=None, result=result, now=now)
        with pytest.raises(IntegrityError):
            connection.check_constraints()
        transaction.set_rollback(True)
