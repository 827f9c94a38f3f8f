"""Histories for tests of what keeps, moves and verifies them: all that can be in one, and lines."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from memory.ids import id_at
from memory.models import Agent, Record
from memory.policies.standing import Moving
from memory.services import imports, standings
from memory.services.exports import export
from memory.services.imports import import_lines
from memory.services.standings import Cause
from tests.desk import Desk, make_desk
from tests.strategies import forget, remember

MINUTE = timedelta(minutes=1)


def whole(agent: Agent, **which: Any) -> bytes:
    return b"".join(some.lines for some in export(agent, **which))


def lines_of(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def records_of(data: bytes) -> list[dict[str, Any]]:
    return [line for line in lines_of(data) if line["kind"] == "record"]


def elsewhere(build: Callable[[Desk], None], *, now: datetime) -> bytes:
    """Return the export of a desk that is gone afterwards, as in another database."""
    with transaction.atomic():
        desk = make_desk("elsewhere", now=now)
        build(desk)
        data = whole(desk.agent)
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        transaction.set_rollback(True)
    return data


def bring(agent: Agent, data: bytes, *, now: datetime, **how: Any) -> imports.ImportReport:
    return import_lines(agent=agent, lines=io.BytesIO(data), now=now, **how)


def life(desk: Desk, *, now: datetime) -> None:
    """Let a desk write, correct, withdraw, erase, learn, forget and merge."""
    at = iter(now - 90 * MINUTE + n * MINUTE for n in range(80))
    first = desk.write(
        now=next(at) + timedelta(microseconds=123_456),
        instruments=["ETH", "BTC"],
        timeframe="1h",
        content="Ünïcode ✓ \u2028 and\n\ttabs",
        metadata={"handoff_version": 1, "x": 1e22, "n": [0.1, -0.0, None, {"a": "b"}]},
        tags=["b", "a"],
    )
    second = desk.write(now=next(at), type="market_context", instruments=["BTC"])
    desk.correct(first.id, second.id, now=next(at), instruments=["ETH", "BTC"])
    chain = desk.correct(first.id, now=next(at), content="agent-wide")
    desk.correct(chain.id, now=next(at), content="again")
    for moment in (next(at), next(at)):
        desk.withdraw(second.id, now=moment)
        desk.restore(second.id, now=moment + timedelta(seconds=1))
    desk.withdraw(first.id, now=next(at))
    gone = desk.write(now=next(at), type="doomed", content="to be erased", instruments=["ETH"])
    evidence = [{"target_memory_id": str(gone.id), "link_type": "evidence"}]
    desk.write("trading", now=next(at), type="trading_decision", links=evidence)
    desk.write("review", now=next(at), type="review", metadata={"valid_for_seconds": 60})
    desk.erase(gone.id, now=next(at))
    rule = remember(desk, "old rule", now=next(at), type="rule", tags=["momentum"])
    insight = remember(
        desk,
        "an insight",
        now=next(at),
        symbol="ETH",
        strategy_type="breakout",
        outcome="success",
        confidence="0.62",
        config={"b": [1.5, 1e30], "a": {"c": None}},
        metrics={"pnl": 3.25, "trades": 12},
    )
    better = remember(desk, "a better rule", now=next(at), type="rule")
    for into in (better, None, better):
        move(desk, rule, now=next(at), merged_into=into)
    move(desk, insight, now=next(at), tags=("moved",))
    lost = remember(desk, "lost", now=next(at), type="optimization")
    forget(lost, now=next(at))


def move(desk: Desk, record_id: UUID, *, now: datetime, **to: Any) -> None:
    def step(moving: Moving) -> Moving:
        return replace(moving, **to)

    standings.move(
        agent_id=desk.agent.id,
        record_id=record_id,
        event="moved",
        cause=Cause("user", "7"),
        step=step,
        detail={"note": "ok"},
        now=now,
    )


def plain(**more: Any) -> dict[str, Any]:
    """Return a line of history from elsewhere with `more` over it; ... leaves a key out."""
    told = {
        "id": str(id_at(datetime(2026, 9, 1, tzinfo=UTC))),
        "type": "market_context",
        "instruments": ["ETH"],
        "content": "a note of old",
        "created_at": "2026-09-01T08:00:00.000001Z",
        **more,
    }
    return {key: value for key, value in told.items() if value is not ...}


def take(desk: Desk, *told: dict[str, Any], now: datetime) -> Record:
    """Import lines and return the record of the last one."""
    bring(desk.agent, b"\n".join(json.dumps(one).encode() for one in told), now=now)
    return Record.objects.get(id=told[-1]["id"])
