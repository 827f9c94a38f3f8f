"""What a backtest does to rules that others share: it moves the copies, once each (SPEC M4, M8)."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from autopilot.learning.figures import window_of
from autopilot.models import Backtest
from memory.services.community import JudgedCopy, judge_shared


def judge_copies(
    *, agent_id: UUID, backtest: Backtest, applied: Iterable[UUID], now: datetime
) -> list[JudgedCopy]:
    """Let a backtest confirm or contradict the copies that it applied; return those that moved.

    Each moves once per agent and backtest, however often this is called; what was withdrawn or has
    ended meanwhile stays as it is. Works within the caller's transaction, after `lifecycle.judge`.
    """
    verdict = backtest.verdict
    if verdict not in ("confirms", "contradicts"):
        return []
    # In the order of ids: two backtests that judge the same copies cannot block each other.
    judged = [
        judge_shared(
            shared_id=shared_id,
            agent_id=agent_id,
            backtest_id=backtest.id,
            verdict="confirms" if verdict == "confirms" else "contradicts",
            window=window_of(backtest),
            now=now,
        )
        for shared_id in sorted(set(applied))
    ]
    return [one for one in judged if isinstance(one, JudgedCopy)]
