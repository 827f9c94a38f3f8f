"""What a session has tried: its backtests as the advisor may know them, best first (SPEC A8)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from autopilot.models import Backtest
from autopilot.strategy.schema import Strategy


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A backtest without a word of its holdout."""

    id: UUID
    iteration: int
    strategy: Strategy
    config_hash: str
    outcome: str
    in_sample: Mapping[str, Any]

    @property
    def rank(self) -> tuple[bool, float, int, int]:
        """What attempts are compared by: the greater is the better.

        Calmar; one that has none is below any, and two such go by total PnL. Then fewer blocks,
        then the older.
        """
        calmar = self.in_sample.get("calmar")
        measure: float = self.in_sample["total_pnl_pct"] if calmar is None else calmar
        blocks = sum(1 for _ in self.strategy.blocks())
        return calmar is not None, measure, -blocks, -self.iteration


def attempts(session_id: UUID) -> list[Attempt]:
    """Return what a session has tried, best first. Nothing of a holdout is read."""
    rows = Backtest.objects.filter(session_id=session_id).values_list(
        "id", "iteration", "strategy", "config_hash", "outcome", "in_sample"
    )
    known = [
        Attempt(
            id=id_,
            iteration=iteration,
            strategy=Strategy.parse(strategy),
            config_hash=bytes(hash_).hex(),
            outcome=outcome,
            in_sample=in_sample,
        )
        for id_, iteration, strategy, hash_, outcome, in_sample in rows
    ]
    return sorted(known, key=lambda attempt: attempt.rank, reverse=True)
