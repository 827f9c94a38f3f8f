"""Backtest: what the strategy would have done, on the bars seen and on the holdout (A7, A9)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from autopilot.backtest.engine import BarEngine
from autopilot.backtest.port import PERPETUAL, SPOT, Account, BacktestResult, Window
from autopilot.backtest.run import Evaluation
from autopilot.backtest.run import evaluate as run_both
from autopilot.learning.figures import tally
from autopilot.models import Backtest, Session
from autopilot.session.work import Book, Job, Next, Work
from autopilot.strategy.identity import strategy_type_of
from autopilot.strategy.schema import Strategy
from memory.ids import id_at
from memory.models import Instrument
from memory.policies.lifecycle import verdict_of
from memory.policies.standing import outcome_of
from memory.services.standings import terms
from trading.errors import NotEnoughBars
from trading.market import candles, funding

IN_SAMPLE, HOLDOUT = "in_sample", "holdout"


@dataclass(frozen=True, slots=True)
class Bounds:
    """A session's window: [start, split) is seen, [split, end) is held out."""

    start: datetime
    split: datetime
    end: datetime

    @classmethod
    def of(cls, session: Session) -> "Bounds":
        """Return what `resolve` froze (LookupError: it has not)."""
        start, split, end = session.window_start, session.window_split, session.window_end
        if start is None or split is None or end is None:
            raise LookupError("the session has no window yet")
        return cls(start, split, end)

    @property
    def windows(self) -> tuple[Window, Window]:
        """The two windows."""
        return Window(self.start, self.split), Window(self.split, self.end)


def backtest(job: Job) -> Work:
    """Run the iteration's strategy twice; only the first figures are ever shown to a model.

    NotEnoughBars: the candles of a window were deleted since.
    """
    session, bounds = job.session, Bounds.of(job.session)
    strategy = Strategy.parse(job.state.this.strategy)
    instrument = Instrument.objects.get(id=session.symbol_id)
    bars = candles.read(
        instrument=instrument.id,
        timeframe=strategy.timeframe,
        start=bounds.start,
        end=bounds.end,
    )
    if not bars:
        raise NotEnoughBars(f"the candles of {instrument.id} {strategy.timeframe} are gone")
    rates = funding.read(instrument=instrument.id, start=bounds.start, end=bounds.end)
    is_spot = instrument.kind == Instrument.Kind.SPOT
    both = run_both(
        strategy,
        bars,
        windows=bounds.windows,
        costs=SPOT if is_spot else PERPETUAL,
        funding=rates,
        engine=BarEngine(account=Account(sz_decimals=instrument.sz_decimals)),
    )
    row = _row(job, bounds, strategy, both, sources=bars.sources)

    def store(book: Book) -> Next:
        row.id, row.created_at = id_at(book.now), book.now
        row.save(force_insert=True)
        book.state.this.backtest = row.id
        book.tell(
            "backtested",
            f"Iteration {job.iteration}: {_told(both.in_sample)} in sample; "
            f"{_told(both.holdout)} in the holdout.",
            backtest=str(row.id),
            outcome=row.outcome,
            verdict=row.verdict,
            in_sample=row.in_sample,
            holdout=row.holdout,
        )
        return Next(name="learn", iteration=job.iteration)

    return Work(store=store)


def _row(
    job: Job, bounds: Bounds, strategy: Strategy, both: Evaluation, *, sources: Sequence[str]
) -> Backtest:
    session = job.session
    seen, held = both.in_sample, both.holdout
    results = ((IN_SAMPLE, seen), (HOLDOUT, held))
    in_sample, holdout = seen.kpis.as_json(), held.kpis.as_json()
    return Backtest(
        agent_id=session.agent_id,
        session_id=session.id,
        iteration=job.iteration,
        instrument_id=session.symbol_id or "",
        timeframe=strategy.timeframe,
        window_start=bounds.start,
        window_split=bounds.split,
        window_end=bounds.end,
        strategy=strategy.model_dump(mode="json"),
        strategy_type=strategy_type_of(strategy),
        config_hash=bytes.fromhex(seen.config_hash),
        # Of the whole window: the second run read all of its bars.
        data_hash=bytes.fromhex(held.data_hash),
        data_source=", ".join(sources),
        engine=seen.engine,
        engine_version=seen.engine_version,
        in_sample=in_sample,
        holdout=holdout,
        outcome=outcome_of(
            pnl=Decimal(str(in_sample["total_pnl_pct"])),
            trades=in_sample["trades"],
            terms=terms(),
        ),
        verdict=verdict_of(in_sample=tally(in_sample), holdout=tally(holdout), terms=terms()),
        trades=[
            {"window": window, **trade.as_json()}
            for window, result in results
            for trade in result.trades
        ],
        equity=[
            {"window": window, "at": at, "equity": equity}
            for window, result in results
            for at, equity in result.equity_points()
        ],
        warnings=[
            {"window": window, **warning} for window, result in results for warning in _odd(result)
        ],
    )


def _odd(result: BacktestResult) -> list[dict[str, Any]]:
    """Return what a reader of the figures should know: warnings, and signals without an order."""
    rejected = [
        {"code": "rejected", "cause": cause, "count": count}
        for cause, count in result.rejected.items()
        if count
    ]
    return [{"code": code} for code in result.warnings] + rejected


def _told(result: BacktestResult) -> str:
    kpis = result.kpis
    calmar = "unknown" if kpis.calmar is None else f"{kpis.calmar:.2f}"
    return (
        f"PnL {kpis.total_pnl_pct:+.2f} %, drawdown {kpis.max_drawdown_pct:.2f} %, "
        f"Calmar {calmar}, {kpis.trades} trades"
    )
