"""What a backtest is given and gives: the port that every engine fits (SPEC A7)."""

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal, Protocol

from autopilot.strategy.schema import Strategy
from trading.market.bars import BarSeries
from trading.market.rates import FundingSeries

__all__ = [
    "PERPETUAL",
    "SPOT",
    "Account",
    "BacktestEngine",
    "BacktestResult",
    "BarSeries",
    "Costs",
    "FundingSeries",
    "Kpis",
    "Leg",
    "Reason",
    "Trade",
    "Window",
]

type Side = Literal["long", "short"]
type Reason = Literal["stop", "target", "partial", "trail", "breakeven", "time", "end_of_data"]


@dataclass(frozen=True, slots=True)
class Window:
    """The bars with start <= opened_at < end; those before `start` only warm indicators up."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Costs:
    """What a fill costs: fees as fractions of its notional, slippage in basis points of its price.

    Targets pay `maker` and no slippage; entries and all other exits pay `taker` and slippage.
    """

    taker: float = 0.00045
    maker: float = 0.00015
    slippage_bps: float = 1.0


PERPETUAL = Costs()
SPOT = Costs(taker=0.0007, maker=0.0004)
"""Hyperliquid's base fees."""


@dataclass(frozen=True, slots=True)
class Account:
    """With what a backtest starts, and the venue's rules for the size of an order.

    `equity` and `min_notional` are in the quote currency. Sizes are rounded down to `sz_decimals`
    decimals; None takes them as they come.
    """

    equity: float = 10_000.0
    sz_decimals: int | None = None
    min_notional: float = 10.0


@dataclass(frozen=True, slots=True)
class Leg:
    """One exit of a trade: `fraction` of the initial quantity, filled at `price`.

    `at` is the bar's opening for a fill at its open, its close for every other.
    """

    at: datetime
    price: float
    fraction: float
    reason: Reason


@dataclass(frozen=True, slots=True)
class Trade:
    """One position from entry to exit. Prices are fills, slippage included.

    Indexes count in the bars that the engine was given. `exit_price` and `reason` are those of the
    last leg. `pnl` is net of fees (a cost, positive) and funding (received is positive). `r` is
    pnl over the initial risk (quantity x stop distance); `mae` and `mfe` are the worst and the
    best price seen, from the entry, in stop distances: of the bar of the exit only its open and
    the exit count. `blocks` are the foundations that fired: why it opened.
    """

    side: Side
    entry_index: int
    entry_at: datetime
    entry_price: float
    exit_index: int
    exit_at: datetime
    exit_price: float
    reason: Reason
    quantity: float
    stop_distance: float
    legs: tuple[Leg, ...]
    fees: float
    funding: float
    pnl: float
    r: float
    mae: float
    mfe: float
    blocks: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the trade as finite JSON, times in ISO 8601."""
        known = asdict(self) | {
            "entry_at": self.entry_at.isoformat(),
            "exit_at": self.exit_at.isoformat(),
            "blocks": list(self.blocks),
        }
        known["legs"] = [
            {"at": leg.at.isoformat(), "price": leg.price, "fraction": leg.fraction}
            | {"reason": leg.reason}
            for leg in self.legs
        ]
        return known


@dataclass(frozen=True, slots=True)
class Kpis:
    """The figures of one window. What ends in `_pct` is in percent, all else is a plain number.

    `total_pnl_pct` and `max_drawdown_pct` are of equity marked to each close. None means that the
    figure says nothing here: calmar under 5 trades or 30 days, sharpe and sortino of returns that
    do not vary, win_rate and avg_r without a trade, profit_factor without a losing trade, cagr
    and calmar that no float holds, log_return of an account that is gone. `funding` received is
    positive, `fees` paid are positive, both in the quote currency.
    """

    trades: int
    total_pnl_pct: float
    log_return: float | None
    cagr: float | None
    max_drawdown_pct: float
    calmar: float | None
    sharpe: float | None
    sortino: float | None
    win_rate: float | None
    profit_factor: float | None
    avg_r: float | None
    exposure: float
    fees: float
    funding: float
    bars: int
    days: float

    def as_json(self) -> dict[str, Any]:
        """Return the figures as finite JSON."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True, slots=True)
class BacktestResult:
    """What one run found. The same inputs give the same bytes.

    `equity` is marked to the close of each bar of the window; it starts from `start_equity`.
    `rejected` counts signals that became no order: min_notional, zero_size, no_stop_distance.
    `warnings`: signal_at_end (no bar was left to fill it), funding_missing (no series: counted as
    0), funding_partial (it does not span the window), warming_up (no signal in the first bars of
    the window), no_volume (nothing could be filled).
    """

    engine: str
    engine_version: str
    config_hash: str
    data_hash: str
    window: Window
    start_equity: float
    equity: list[float]
    opened_at: tuple[datetime, ...] = field(repr=False)
    trades: tuple[Trade, ...]
    kpis: Kpis
    rejected: dict[str, int]
    warnings: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the whole result as finite JSON."""
        return {
            "engine": self.engine,
            "engine_version": self.engine_version,
            "config_hash": self.config_hash,
            "data_hash": self.data_hash,
            "window": {
                "start": self.window.start.isoformat(),
                "end": self.window.end.isoformat(),
            },
            "start_equity": self.start_equity,
            "equity": self.equity,
            "trades": [trade.as_json() for trade in self.trades],
            "kpis": self.kpis.as_json(),
            "rejected": self.rejected,
            "warnings": list(self.warnings),
        }

    def equity_points(self, *, limit: int = 500) -> list[tuple[str, float]]:
        """Return at most `limit` (opening of a bar, equity at its close), the last one included."""
        step = -(-len(self.equity) // limit) or 1
        first = (len(self.equity) - 1) % step
        return [
            (self.opened_at[index].isoformat(), self.equity[index])
            for index in range(first, len(self.equity), step)
        ]


class BacktestEngine(Protocol):
    """Anything that can say what a strategy would have done."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever the same inputs give another result."""
        ...

    def run(
        self,
        strategy: Strategy,
        bars: BarSeries,
        *,
        costs: Costs,
        window: Window,
        funding: FundingSeries | None = None,
    ) -> BacktestResult:
        """Trade `strategy` on the bars of `window`. Raises NotEnoughBars, BadBars."""
        ...
