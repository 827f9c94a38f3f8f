"""Random bars and strategies that trade often on them: short lengths, near levels."""

import random
from datetime import timedelta
from typing import Any

from hypothesis import strategies as st

from autopilot.strategy.blocks import FILTERS, FOUNDATIONS, MANAGE, STOPS, TARGETS
from autopilot.strategy.schema import Strategy
from tests.autopilot.backtest.hand import START
from trading.market.bars import Bar, BarSeries, length_of
from trading.market.rates import FundingSeries

Json = dict[str, Any]
Drawn = st.SearchStrategy[Any]


def number(low: float, high: float) -> Drawn:
    """Draw a number of two decimals."""
    return st.integers(round(100 * low), round(100 * high)).map(lambda cents: cents / 100)


short = st.integers(3, 7)
PARAMETERS: dict[str, dict[str, Drawn]] = {
    "ema_cross": {"fast": st.integers(2, 4), "slow": st.integers(5, 9)},
    "macd_cross": {
        "fast": st.integers(2, 4),
        "slow": st.integers(5, 9),
        "signal": st.integers(2, 4),
    },
    "roc_momentum": {"length": short, "min_pct": number(0.5, 2)},
    "donchian_break": {"length": short, "buffer_atr": st.sampled_from([0.0, 0.1, 0.3])},
    "squeeze_break": {"length": short, "bb_mult": number(1, 2), "kc_mult": number(0.8, 2)},
    "retest_level": {"lookback": short, "tolerance_atr": number(0.2, 1)},
    "rsi_reversal": {"length": short, "low": number(30, 48), "high": number(52, 70)},
    "band_reversal": {"length": short, "mult": number(0.8, 1.6)},
    "volume_spike": {"length": short, "multiple": number(1.01, 1.5), "body_atr": number(0, 0.5)},
    "trend_ma": {"length": short, "slope_bars": st.integers(0, 3)},
    "htf_trend": {"timeframe": st.just("4h"), "length": st.integers(2, 4)},
    "adx": {"length": short, "min": number(5, 30)},
    "natr": {"length": short, "min_pct": number(0.2, 1), "max_pct": number(2, 5)},
    "rel_volume": {"length": short, "min": number(0.2, 1)},
    "session": {
        "sessions": st.lists(
            st.sampled_from(["asia", "london", "new_york"]), min_size=1, max_size=2
        ),
        "weekdays": st.just([0, 1, 2, 3, 6]),
    },
    "funding": {"max_abs_bps_8h": number(4, 12)},
    "stop_pct": {"pct": number(0.5, 3)},
    "stop_atr": {"length": short, "mult": number(0.5, 3)},
    "stop_swing": {"lookback": short, "buffer_atr": st.sampled_from([0.0, 0.25])},
    "tp_r": {"r": number(0.5, 4)},
    "tp_pct": {"pct": number(0.5, 5)},
    "tp_atr": {"length": short, "mult": number(0.5, 5)},
    "trail_atr": {"length": short, "mult": number(0.5, 3), "activate_r": number(0, 1)},
    "breakeven": {"at_r": number(0.3, 1.5), "offset_pct": number(0, 0.3)},
    "time_exit": {"bars": st.integers(1, 20)},
}


def block(type_: str) -> Drawn:
    """Draw a block of a type."""
    return st.fixed_dictionaries({"type": st.just(type_), **PARAMETERS[type_]})


def one_of(types: Any) -> Drawn:
    return st.sampled_from(list(types)).flatmap(block)


@st.composite
def strategies(draw: st.DrawFn, *, with_type: str | None = None) -> Strategy:
    """Draw a strategy on hourly bars, one that has a block of `with_type` where that is given."""
    foundations = draw(st.lists(one_of(FOUNDATIONS), min_size=1, max_size=3))
    filters = draw(st.lists(one_of(FILTERS), max_size=1))
    stop, profit = draw(one_of(STOPS)), draw(one_of(TARGETS))
    shares = draw(st.lists(st.sampled_from([0.2, 0.3, 0.5]), max_size=2))
    partials = [{"target": draw(one_of(TARGETS)), "fraction": share} for share in shares]
    manage = draw(st.lists(one_of(MANAGE), max_size=2))
    if with_type in FOUNDATIONS:
        foundations = [draw(block(with_type))]
    elif with_type in FILTERS:
        filters = [draw(block(with_type))]
    elif with_type in STOPS:
        stop = draw(block(with_type))
    elif with_type in TARGETS:
        profit = draw(block(with_type))
    elif with_type is not None:
        manage = [draw(block(with_type))]
    return Strategy.parse(
        {
            "name": "lively",
            "timeframe": "1h",
            "side": draw(st.sampled_from(["long", "short", "both"])),
            "foundations": [{"weight": 1, "block": each} for each in foundations],
            "filters": filters,
            "exits": {
                "stop": stop,
                "take_profit": profit,
                "partials": partials,
                "manage": manage,
            },
            "sizing": {"risk_pct": draw(number(0.5, 3)), "max_leverage": draw(number(1, 5))},
        }
    )


def random_bars(
    seed: int, *, count: int, timeframe: str = "1h", price: float = 100.0, gaps: bool = True
) -> BarSeries:
    """Return a random walk of about 1 % a bar, with bars without a trade and missing ones."""
    chance, length = random.Random(seed), length_of(timeframe=timeframe)
    at, bars = START, []
    for _ in range(count):
        at += length * (chance.randint(2, 4) if gaps and chance.random() < 0.02 else 1)
        if chance.random() < 0.03:
            bars.append(Bar(at, price, price, price, price, 0.0))
            continue
        open_ = price * (1 + chance.gauss(0, 0.002))
        close = open_ * (1 + chance.gauss(0, 0.01))
        high = max(open_, close) * (1 + abs(chance.gauss(0, 0.004)))
        low = min(open_, close) * (1 - abs(chance.gauss(0, 0.004)))
        bars.append(Bar(at, open_, high, low, close, chance.expovariate(0.01)))
        price = close
    return BarSeries.of(instrument="BTC", timeframe=timeframe, bars=bars, sources=("random",))


def random_funding(seed: int, *, bars: BarSeries) -> FundingSeries:
    """Return hourly rates around 0 over the time of the bars, some of them missing."""
    chance = random.Random(seed)
    hours = int((bars.closed_at(len(bars) - 1) - bars.opened_at[0]) / timedelta(hours=1))
    kept = [hour for hour in range(hours + 1) if chance.random() < 0.95]
    return FundingSeries(
        instrument=bars.instrument,
        at=tuple(bars.opened_at[0] + timedelta(hours=hour) for hour in kept),
        rate=tuple(chance.gauss(0, 0.0001) for _ in kept),
    )
