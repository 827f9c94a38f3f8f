"""What a result says of itself: its data, its account, its warnings, and finite JSON."""

import json
import subprocess
import sys
from dataclasses import replace
from datetime import datetime

import pytest

from autopilot.backtest.engine import BarEngine
from autopilot.backtest.port import (
    Account,
    BacktestEngine,
    BacktestResult,
    Costs,
    FundingSeries,
    Window,
)
from autopilot.strategy.identity import config_hash
from autopilot.strategy.schema import Strategy
from tests.autopilot.backtest.hand import HOUR, START
from tests.autopilot.backtest.lively import random_bars, random_funding
from trading.errors import BadBars, BadFunding, NotEnoughBars
from trading.market.bars import BarSeries

STRATEGY = Strategy.parse(
    {
        "name": "follow",
        "timeframe": "1h",
        "foundations": [
            {"weight": 0.7, "block": {"type": "roc_momentum", "length": 3, "min_pct": 1}},
            {"weight": 0.1, "block": {"type": "ema_cross", "fast": 2, "slow": 5}},
            {"weight": 0.2, "block": {"type": "rsi_reversal", "length": 4}},
        ],
        "entry_threshold": 0.7,
        "exits": {"stop": {"type": "stop_atr", "length": 5}, "take_profit": {"type": "tp_r"}},
    }
)
BARS = random_bars(11, count=400, gaps=False)


def run(
    bars: BarSeries = BARS,
    *,
    start: datetime | None = None,
    end: datetime | None = None,
    funding: FundingSeries | None = None,
    strategy: Strategy = STRATEGY,
) -> BacktestResult:
    window = Window(start or bars.opened_at[0], end or bars.closed_at(len(bars) - 1))
    return BarEngine().run(strategy, bars, costs=Costs(), window=window, funding=funding)


@pytest.mark.spec("A7")
def test_a_result_names_engine_strategy_data_and_why_each_trade_opened() -> None:
    engine: BacktestEngine = BarEngine()
    found = run()
    assert (found.engine, found.engine_version) == (engine.name, engine.version)
    assert (engine.name, engine.version) == ("tidebook-bars", "1")
    assert found.config_hash == config_hash(STRATEGY)
    assert (found.start_equity, len(found.equity)) == (10_000, 400)
    assert found.kpis.trades == len(found.trades) > 5
    assert all("roc_momentum" in trade.blocks for trade in found.trades)
    assert any(len(trade.blocks) > 1 for trade in found.trades)


@pytest.mark.spec("A7")
def test_its_json_is_finite_and_complete() -> None:
    found = run(funding=random_funding(1, bars=BARS))
    told = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert told["kpis"]["trades"] == len(told["trades"])
    first = told["trades"][0]
    assert first["entry_at"].endswith("+00:00")
    assert first["legs"][-1]["reason"] == first["reason"]
    assert set(first) == {
        "side",
        "entry_index",
        "entry_at",
        "entry_price",
        "exit_index",
        "exit_at",
        "exit_price",
        "reason",
        "quantity",
        "stop_distance",
        "legs",
        "fees",
        "funding",
        "pnl",
        "r",
        "mae",
        "mfe",
        "blocks",
    }
    money = sum(trade["pnl"] for trade in told["trades"])
    assert told["equity"][-1] == pytest.approx(told["start_equity"] + money)


@pytest.mark.spec("A7")
def test_the_data_hash_covers_the_bars_read_and_nothing_else() -> None:
    known = run().data_hash
    assert len(known) == 64
    assert run(replace(BARS, sources=("other",))).data_hash == known
    assert run(replace(BARS, instrument="ETH")).data_hash != known
    assert run(replace(BARS, volume=(*BARS.volume[:-1], 7.0))).data_hash != known
    later = tuple(at + HOUR for at in BARS.opened_at)
    assert run(replace(BARS, opened_at=later)).data_hash != known
    border = BARS.opened_at[300]
    cut = run(BARS, end=border)
    assert cut.data_hash != known
    assert (
        cut.data_hash == run(replace(BARS, volume=(*BARS.volume[:-1], 7.0)), end=border).data_hash
    )


@pytest.mark.spec("A7")
@pytest.mark.parametrize("hours", [-10, 400])
def test_a_window_without_bars_is_refused(hours: int) -> None:
    start = BARS.opened_at[0] + hours * HOUR
    with pytest.raises(NotEnoughBars):
        run(start=start, end=start + 5 * HOUR)
    with pytest.raises(NotEnoughBars):
        run(BarSeries.of(instrument="BTC", timeframe="1h", bars=[]), start=START, end=START + HOUR)


@pytest.mark.spec("A7")
def test_bars_of_another_timeframe_are_refused() -> None:
    with pytest.raises(BadBars) as caught:
        run(random_bars(1, count=50, timeframe="4h"))
    assert caught.value.fields["timeframe"] == "4h"


@pytest.mark.spec("A7")
def test_one_bar_is_enough_for_an_answer() -> None:
    found = run(end=BARS.opened_at[1])
    assert (found.kpis.bars, found.kpis.trades, found.kpis.sharpe) == (1, 0, None)


@pytest.mark.spec("A7")
def test_warnings_tell_what_a_reader_must_know() -> None:
    whole = random_funding(1, bars=BARS)
    half = replace(whole, at=whole.at[:100], rate=whole.rate[:100])
    empty = replace(whole, at=(), rate=())
    assert "funding_missing" in run().warnings
    assert not {"funding_missing", "funding_partial"} & set(run(funding=whole).warnings)
    assert "funding_partial" in run(funding=half).warnings
    assert "funding_partial" in run(funding=empty).warnings
    assert "warming_up" in run().warnings
    assert "warming_up" not in run(start=BARS.opened_at[50]).warnings
    still = replace(BARS, volume=(0.0,) * len(BARS))
    assert "no_volume" in run(still).warnings
    assert run(still).kpis.trades == 0


@pytest.mark.spec("A7")
def test_no_signal_comes_before_the_blocks_have_warmed_up() -> None:
    first = min(trade.entry_index for trade in run().trades)
    assert first > STRATEGY.warmup()


@pytest.mark.spec("A7")
def test_the_account_is_the_engines_own() -> None:
    window = Window(BARS.opened_at[0], BARS.closed_at(399))
    rich = BarEngine(Account(equity=1e6, sz_decimals=0)).run(
        STRATEGY, BARS, costs=Costs(), window=window
    )
    assert rich.start_equity == 1e6
    assert all(trade.quantity == int(trade.quantity) for trade in rich.trades)


@pytest.mark.spec("A7")
@pytest.mark.parametrize("limit", [1, 2, 7, 399, 400, 401, 5_000])
def test_equity_can_be_thinned_and_keeps_its_last_point(limit: int) -> None:
    found = run()
    points = found.equity_points(limit=limit)
    assert 0 < len(points) <= min(limit, 400)
    assert points[-1] == (BARS.opened_at[-1].isoformat(), found.equity[-1])


@pytest.mark.spec("A7")
def test_a_funding_series_refuses_what_cannot_be_one() -> None:
    at = (START, START + HOUR)
    for wrong in (
        {"at": at, "rate": (0.1,)},
        {"at": at[::-1], "rate": (0.1, 0.1)},
        {"at": (START, START), "rate": (0.1, 0.1)},
        {"at": at, "rate": (0.1, float("nan"))},
        {"at": at, "rate": (1.5, 0.1)},
    ):
        with pytest.raises(BadFunding):
            FundingSeries(instrument="BTC", **wrong)
    assert len(FundingSeries(instrument="BTC", at=at, rate=(-1, 1))) == 2


@pytest.mark.spec("A7")
def test_it_runs_where_there_is_no_django() -> None:
    code = (
        "import sys, autopilot.backtest.run, autopilot.backtest.windows, "
        "autopilot.backtest.synthetic; "
        "print([name for name in sys.modules if name.partition('.')[0] == 'django'])"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout == "[]\n"


@pytest.mark.spec("A9")
def test_rates_after_the_window_do_not_make_a_series_whole() -> None:
    whole, border = random_funding(1, bars=BARS), BARS.opened_at[200]
    early = [place for place, at in enumerate(whole.at) if at < border - 20 * HOUR]
    late = [place for place, at in enumerate(whole.at) if at > border]
    holed = FundingSeries(
        instrument="BTC",
        at=tuple(whole.at[place] for place in early + late),
        rate=tuple(whole.rate[place] for place in early + late),
    )
    for series in (holed, replace(holed, at=holed.at[: len(early)], rate=holed.rate[: len(early)])):
        assert "funding_partial" in run(end=border, funding=series).warnings
