"""What a backtest costs beside a bare pass over the same bars, and what memory it takes.

The bars are synthetic, of 5 minutes. One strategy does all that the engine can do at once: two
foundations, a filter, partial exits, a trailing stop, breakeven, a time exit, funding; a run is
the whole of it, from bars to figures and hashes. The bare pass is a Python loop over the same five
columns that adds up a typical price times volume. They take turns, and what counts is CPU time of
the process. Memory is traced in a run of its own.
"""

import gc
import statistics
import sys
import time
import tracemalloc
from dataclasses import dataclass
from datetime import timedelta

from autopilot.backtest.engine import BarEngine
from autopilot.backtest.port import PERPETUAL, BacktestResult, FundingSeries, Window
from autopilot.backtest.synthetic import synthetic_market
from autopilot.strategy.schema import Strategy
from config.benchmarks.progress import Progress
from config.benchmarks.report import Group, Report, Scale, computer
from trading.market.bars import BarSeries

STRATEGY = Strategy.parse(
    {
        "name": "all at once",
        "timeframe": "5m",
        "foundations": [
            {"weight": 1, "block": {"type": "ema_cross"}},
            {"weight": 1, "block": {"type": "donchian_break"}},
        ],
        "filters": [{"type": "htf_trend", "timeframe": "1h", "length": 20}],
        "exits": {
            "stop": {"type": "stop_atr"},
            "take_profit": {"type": "tp_r", "r": 4},
            "partials": [{"target": {"type": "tp_r", "r": 1.5}, "fraction": 0.5}],
            "manage": [
                {"type": "trail_atr", "mult": 5},
                {"type": "breakeven"},
                {"type": "time_exit"},
            ],
        },
        # So little that the account lasts: one that is gone would trade no more.
        "sizing": {"risk_pct": 0.01},
    }
)
HOUR = timedelta(hours=1)
RATE = 0.0000125


@dataclass(frozen=True, slots=True)
class Size:
    """How many bars a session, a short and a long series have, and how often each is run."""

    session: int
    short: int
    long: int
    rounds: int


SIZES: dict[Scale, Size] = {
    "small": Size(session=1_000, short=2_000, long=4_000, rounds=2),
    "full": Size(session=5_000, short=100_000, long=1_000_000, rounds=7),
}


def run(*, scale: Scale, progress: Progress) -> Report:
    """Run the engine over a short and a long series, and hold it against the bare pass."""
    size = SIZES[scale]
    report = Report("backtest", scale, computer())
    for bars in (size.session, size.short, size.long):
        progress.stage(f"making {bars:,} bars")
        series = synthetic_market(seed=1, bars=bars).bars
        progress.advance()
        report.figures[f"{bars:,} bars"] = _measured(series, size.rounds, progress)
    _judge(report, size)
    return report


def _measured(series: BarSeries, rounds: int, progress: Progress) -> Group:
    hours = (series.closed_at(len(series) - 1) - series.opened_at[0]) // HOUR
    funding = FundingSeries(
        instrument=series.instrument,
        at=tuple(series.opened_at[0] + hour * HOUR for hour in range(hours + 1)),
        rate=(RATE,) * (hours + 1),
    )
    result = _run(series, funding)  # warms up what is imported or made at the first call
    progress.stage(f"backtesting {len(series):,} bars", rounds + 1)
    engine, bare, ratios = [], [], []
    for _ in range(rounds):
        gc.collect()
        began = time.process_time()
        _bare(series)
        between = time.process_time()
        _run(series, funding)
        ended = time.process_time()
        bare.append(between - began)
        engine.append(ended - between)
        ratios.append(engine[-1] / bare[-1])
        progress.advance()
    memory = _memory(series, funding)
    progress.advance()
    return {
        "trades": result.kpis.trades,
        "exposure": result.kpis.exposure,
        "engine_cpu_ms": 1000 * statistics.median(engine),
        "bare_cpu_ms": 1000 * statistics.median(bare),
        "engine_to_bare": statistics.median(ratios),
        "engine_us_per_bar": 1e6 * statistics.median(engine) / len(series),
        "memory_bytes_per_bar": memory / len(series),
    }


def _run(series: BarSeries, funding: FundingSeries) -> BacktestResult:
    window = Window(series.opened_at[0], series.closed_at(len(series) - 1))
    return BarEngine().run(STRATEGY, series, costs=PERPETUAL, window=window, funding=funding)


def _bare(series: BarSeries) -> float:
    """Pass over the columns once; return what was added up."""
    columns = (series.open, series.high, series.low, series.close, series.volume)
    total = 0.0
    for open_, high, low, close, volume in zip(*columns, strict=True):
        total += (open_ + high + low + close) / 4 * volume
    return total


def _memory(series: BarSeries, funding: FundingSeries) -> int:
    """Return the bytes of a run at its peak, beyond its input and the equity it returns."""
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        result = _run(series, funding)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # A flat stretch is one number many times over.
    numbers = {id(number): number for number in result.equity}
    equity = sys.getsizeof(result.equity) + sum(map(sys.getsizeof, numbers.values()))
    return peak - before - equity


def _judge(report: Report, size: Size) -> None:
    short, long = (report.figures[f"{bars:,} bars"] for bars in (size.short, size.long))
    for bars, group in ((size.short, short), (size.long, long)):
        report.bar(f"{bars:,} bars: engine over a bare pass", group["engine_to_bare"], "<=", 40)
    grown = long["memory_bytes_per_bar"] / short["memory_bytes_per_bar"]
    report.bar("memory per bar, long over short series", grown, "<=", 1.2)
