"""Memories that may be shared, for tests: made by the services, and shared through the gate."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from memory.models import Agent, SharedMemory
from memory.policies.community import Finding
from memory.policies.freshness import iso
from memory.policies.versions import Condition
from memory.schemas.records import RecordDraft
from memory.schemas.strategies import StandingDraft
from memory.services import community
from memory.services.standings import Cause
from memory.services.strategies import publish_strategy
from tests.desk import Desk, note
from tests.strategies import remember

OWNER = Cause("user", "1")
ALWAYS = Condition(None)
BEGAN = datetime(2026, 6, 1, tzinfo=UTC)
MONTH = timedelta(days=28)


def figures(*, trades: tuple[int, int] = (20, 10), span: timedelta = MONTH) -> dict[str, Any]:
    """Return metrics as a backtest leaves them, private parts and all."""
    return {
        "in_sample": {"trades": trades[0], "total_pnl_pct": "4.2"},
        "holdout": {"trades": trades[1], "total_pnl_pct": "1.1"},
        "window": {
            "instrument": "ETH",
            "timeframe": "15m",
            "start": iso(BEGAN),
            "split": iso(BEGAN + timedelta(days=1)),
            "end": iso(BEGAN + span),
        },
        "in_sample_confidence": "0.9",
        "session": str(uuid4()),
        "backtest": str(uuid4()),
    }


def proven(desk: Desk, content: str = "volume first", *, now: datetime, **facts: Any) -> UUID:
    """Write an insight that passes the gate, but for what `facts` say otherwise."""
    whole: dict[str, Any] = {
        "symbol": "ETH",
        "strategy_type": "breakout",
        "outcome": "success",
        "confidence": "0.8",
        "metrics": figures(),
        "config": {"secret": "blocks"},
        **facts,
    }
    return remember(desk, content, now=now, **whole)


def ruled(
    desk: Desk,
    insights: Sequence[UUID],
    content: str = "wait for volume",
    *,
    now: datetime,
    **facts: Any,
) -> UUID:
    """Write a rule that is derived from these insights."""
    links = [{"target_memory_id": str(one), "link_type": "derived_from"} for one in insights]
    draft = note(type="rule", content=content, links=links, tags=["breakout", "volume"])
    written = publish_strategy(
        actor=desk.actor("autopilot", now=now),
        draft=RecordDraft.parse(draft),
        standing=StandingDraft.parse({"strategy_type": "breakout", **facts}),
        now=now,
    )
    return written.id


def let_share(agent: Agent, *, enabled: bool = True) -> None:
    """Turn an agent's sharing on or off."""
    community.set_sharing(agent_id=agent.id, enabled=enabled, condition=ALWAYS)


def shared(desk: Desk, record_id: UUID, *, now: datetime) -> SharedMemory:
    """Share a memory and return its copy."""
    copy, _ = community.share(agent_id=desk.agent.id, record_id=record_id, by=OWNER, now=now)
    return copy


def judged(
    copy_id: UUID, by: Desk, finding: Finding, *, now: datetime, backtest: UUID | None = None
) -> Any:
    """Let a backtest of another desk's agent judge a copy."""
    return community.judge_shared(
        shared_id=copy_id,
        agent_id=by.agent.id,
        backtest_id=backtest or uuid4(),
        verdict=finding,
        window=None,
        now=now,
    )
