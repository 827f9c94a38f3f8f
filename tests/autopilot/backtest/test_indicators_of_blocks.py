"""The numbers that blocks see are those of the vectors, through both engines' eyes."""

from datetime import timedelta

import pytest

from autopilot.backtest.frame import Frame, Values
from tests.autopilot.backtest import naive_blocks as naive
from tests.autopilot.backtest.hand import START
from trading.errors import BadBars
from trading.market.bars import Bar, BarSeries

CLOSE = [10.0, 11, 12, 11, 13, 14, 13, 15, 16, 15]
HIGH = [11.0, 12, 13, 12, 15, 15, 14, 16, 17, 16]


def bars_of(closes: list[float], highs: list[float], *, scale: float = 1.0) -> BarSeries:
    rows = [
        Bar(
            START + place * timedelta(hours=1),
            scale * close,
            scale * high,
            scale * (close - 1.5),
            scale * close,
            1.0,
        )
        for place, (close, high) in enumerate(zip(closes, highs, strict=True))
    ]
    return BarSeries.of(instrument="BTC", timeframe="1h", bars=rows)


def odd(opens: list[float]) -> BarSeries:
    rows = [
        Bar(START + place * timedelta(hours=1), open_, 30.0, 0.5, 10.0, 1.0)
        for place, open_ in enumerate(opens)
    ]
    return BarSeries.of(instrument="BTC", timeframe="1h", bars=rows)


@pytest.fixture
def frame() -> Frame:
    return Frame(bars_of(CLOSE, HIGH), end=10)


def known(values: Values) -> list[float]:
    """Return the values from the first one that is known."""
    return [value for value in values.tolist() if value == value]  # noqa: PLR0124 - NaN is not


def seen(length: int) -> list[Bar]:
    series = bars_of(CLOSE, HIGH)
    return [series.bar(place) for place in range(length)]


RSI = [66.666667, 83.333333, 87.878788, 62.365591, 79.885057, 85.090522, 61.296509]
ATR = [2.5, 3.0, 2.833333, 2.722222, 2.814815, 2.709877, 2.639918]
ADX = [51.916376, 39.372822, 45.237619, 53.047882, 41.96657]


@pytest.mark.spec("A7")
def test_ema_is_seeded_by_a_simple_average() -> None:
    closes = [1.0, 2, 3, 4, 5, 9]
    raised = [close + 10 for close in closes]  # the low must be above 0
    frame = Frame(bars_of(raised, raised), end=6)
    assert [value * frame.unit - 10 for value in known(frame.ema(3))] == pytest.approx(
        [2, 3, 4, 6.5]
    )
    assert naive.emas(closes, 3) == [2, 3, 4, 6.5]


@pytest.mark.spec("A7")
def test_rsi_atr_and_adx_follow_their_vectors(frame: Frame) -> None:
    assert known(frame.rsi(3)) == pytest.approx(RSI, abs=5e-7)
    assert [value * frame.unit for value in known(frame.atr(3))] == pytest.approx(ATR, abs=5e-7)
    assert known(frame.adx(3)) == pytest.approx(ADX, abs=5e-7)
    assert [naive.rsi(CLOSE[:end], 3) for end in range(4, 11)] == pytest.approx(RSI, abs=5e-7)
    assert [naive.atr(seen(end), 3) for end in range(4, 11)] == pytest.approx(ATR, abs=5e-7)
    assert [naive.adx(seen(end), 3) for end in range(6, 11)] == pytest.approx(ADX, abs=5e-7)


@pytest.mark.spec("A7")
def test_bands_use_the_population_deviation(frame: Frame) -> None:
    found = [float(band[2]) * frame.unit for band in frame.bands(3, 2)]
    assert found == pytest.approx([12.632993, 11, 9.367007], abs=5e-7)
    assert naive.bands(CLOSE[:3], 3, 2) == pytest.approx((9.367007, 11, 12.632993), abs=5e-7)


@pytest.mark.spec("A7")
def test_bands_of_tiny_prices_are_as_wide_as_those_of_large_ones() -> None:
    """Keep the unit: TA-Lib takes a variance under 1e-14 for none."""
    tiny = Frame(bars_of(CLOSE, HIGH, scale=1e-9), end=10)
    found = [float(band[2]) * tiny.unit * 1e9 for band in tiny.bands(3, 2)]
    assert found == pytest.approx([12.632993, 11, 9.367007], abs=5e-7)


@pytest.mark.spec("A7")
@pytest.mark.parametrize("value", [float("nan"), float("inf"), 0.0, -1.0])
def test_a_number_that_no_market_has_is_refused_with_its_bar(value: float) -> None:
    opens = [10.0, 11.0, value, 12.0]
    with pytest.raises(BadBars) as caught:
        Frame(odd(opens), end=4)
    assert caught.value.fields["bar_index"] == 2
    assert len(Frame(odd(opens), end=2)) == 2
