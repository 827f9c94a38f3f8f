"""One strategy on the window that is learned from and on its holdout (SPEC A9)."""

from dataclasses import dataclass

from autopilot.backtest.engine import BarEngine
from autopilot.backtest.port import (
    BacktestEngine,
    BacktestResult,
    BarSeries,
    Costs,
    FundingSeries,
    Window,
)
from autopilot.strategy.schema import Strategy


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Both results of a strategy. Nothing of `holdout` may be shown to a model."""

    in_sample: BacktestResult
    holdout: BacktestResult


def evaluate(
    strategy: Strategy,
    bars: BarSeries,
    *,
    windows: tuple[Window, Window],
    costs: Costs,
    funding: FundingSeries | None = None,
    engine: BacktestEngine | None = None,
) -> Evaluation:
    """Run a strategy in sample, and then on the holdout with all earlier bars as warm-up.

    The first run sees no bar of the holdout: an engine looks at no bar from its window's end on.
    Each starts with the engine's whole account. Raises what the engine raises.
    """
    chosen: BacktestEngine = engine or BarEngine()
    in_sample, holdout = (
        chosen.run(strategy, bars, costs=costs, window=window, funding=funding)
        for window in windows
    )
    return Evaluation(in_sample, holdout)
