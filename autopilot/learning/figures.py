"""Figures of a backtest's window, as learning reads them from stored KPIs (JSON)."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from autopilot.models import Backtest
from memory.policies.freshness import iso
from memory.policies.lifecycle import Tally


def tally(kpis: Mapping[str, Any]) -> Tally:
    """Return what a verdict reads of a window's KPIs."""
    return Tally(pnl=Decimal(str(kpis["total_pnl_pct"])), trades=int(kpis["trades"]))


def window_of(backtest: Backtest) -> dict[str, str]:
    """Return which bars a backtest ran on: in-sample from start to split, its holdout to end."""
    return {
        "instrument": backtest.instrument_id,
        "timeframe": backtest.timeframe,
        "start": iso(backtest.window_start),
        "split": iso(backtest.window_split),
        "end": iso(backtest.window_end),
    }
