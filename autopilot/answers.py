"""What readers of sessions get (SPEC E6, A10)."""

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

from memory.schemas.answers import Answer

SessionStatus = Literal["queued", "running", "succeeded", "failed", "cancelled"]

OFFLINE = "offline advisor, no model"
"""What is said wherever the output of deterministic code is shown (SPEC L2)."""


class ProviderOut(Answer):
    """Who plays the model's roles. `mark` is empty for a model."""

    name: str
    offline: bool
    mark: str


class FailureOut(Answer):
    """Why a session failed."""

    code: str
    error: str


class SessionOut(Answer):
    """A session as lists show it. `step` is the step that is due, under way, or done last."""

    id: UUID
    agent: UUID
    run: UUID
    status: SessionStatus
    step: str | None
    step_number: int
    iteration: int
    max_iterations: int
    until_profitable: bool
    prompt: str
    symbol: str | None
    timeframe: str | None
    provider: ProviderOut
    last_event: int
    created_at: datetime
    started_at: datetime | None
    deadline_at: datetime
    cancel_requested_at: datetime | None
    ended_at: datetime | None
    failure: FailureOut | None


class WindowOut(Answer):
    """Half-open on the bars' openings: advisors see [start, split), the rest is the holdout."""

    start: datetime
    split: datetime
    end: datetime


class BacktestOut(Answer):
    """A strategy and what it would have done, in the window that was seen and in the holdout.

    `in_sample` and `holdout` are figures by name: percentages end in `_pct`, null says nothing.
    """

    id: UUID
    words: str
    strategy: dict[str, Any]
    strategy_type: str
    outcome: str
    verdict: str
    in_sample: dict[str, Any]
    holdout: dict[str, Any]
    warnings: list[Any]
    engine: str
    engine_version: str
    data_source: str
    created_at: datetime


class IterationOut(Answer):
    """One turn of the loop. `reason` says why it came to no backtest, '' for no such reason.

    Ids are of memories. `rules_confirmed` and `rules_contradicted` are rules that it applied.
    """

    iteration: int
    reason: str
    advice: str
    backtest: BacktestOut | None
    insight: UUID | None
    rules_confirmed: list[UUID]
    rules_contradicted: list[UUID]


class BestOut(Answer):
    """The best strategy so far, of the iteration that had it."""

    iteration: int
    backtest: UUID


class SuccessOut(Answer):
    """What counted as a success when the session began: a PnL in percent above, trades at least."""

    pnl_above: Decimal
    min_trades: int


class SessionDetailOut(SessionOut):
    """A whole session. `success` is null until its bars are known.

    `holdout_seen` counts memories that know a part of its holdout.
    """

    plan: str
    critic_mode: str
    rule_promotion: str
    success: SuccessOut | None
    window: WindowOut | None
    iterations: list[IterationOut]
    best: BestOut | None
    rules_made: list[UUID]
    holdout_seen: int


class EventOut(Answer):
    """One line of what a session told; `seq` counts from 1 without a gap."""

    seq: int
    kind: str
    step: str
    iteration: int
    text: str
    data: dict[str, Any]
    at: datetime


class EventPage(Answer):
    """Events in order. `next` is null once the session has ended and this was all of it.

    While the session runs, `next` leads to what is still to come.
    """

    next: str | None
    previous: str | None
    results: list[EventOut]
