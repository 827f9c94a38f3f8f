"""Fill a database as an earlier release does, and print what that release answers.

In a checkout of that release, with DATABASE_URL leading to an empty database:

    python …/tests/upgrade/fill.py > memory_0005.json
    pg_dump --inserts --rows-per-insert=50 --no-owner --no-privileges --no-comments \\
        > memory_0005.sql

From the dump, lines that begin with --, SET or a backslash are left out: any session can then run
it. Each release writes by its own services, and leaves out what it does not know yet.
"""

import json
import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path.cwd()))
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"

import django

django.setup()

import time_machine  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402

from tests.desk import make_desk  # noqa: E402 - the release's own

NOW = datetime(2026, 9, 30, 12, 1, 7, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def links(*ids: Any, kind: str = "corrects") -> list[dict[str, str]]:
    return [{"target_memory_id": str(one), "link_type": kind} for one in ids]


def life(desk: Any) -> None:
    """Write research, corrections, decisions and reviews, at times out of order."""
    at = iter([NOW - n * MINUTE for n in (9, 300, 7, 6, 5, 4, 3, 2, 1)])
    first = desk.write(
        now=next(at),
        instruments=["ETH", "BTC"],
        timeframe="5m",
        content="Ünïcode ✓ and 'quotes'\nin two lines",
        metadata={"handoff_version": 1, "x": 1e22, "n": [0.1, None, {"a": "b"}]},
        tags=["momentum"],
    )
    desk.write(now=next(at), instruments=["ETH"], content="older, written later")
    second = desk.write(now=next(at), type="market_context", instruments=["BTC"])
    correction = desk.write(now=next(at), instruments=["ETH"], links=links(first.id))
    desk.write(now=next(at), links=links(first.id, second.id))
    desk.write(now=next(at), instruments=["ETH"], links=links(correction.id), type="again")
    desk.write(
        "trading",
        now=next(at),
        type="trading_decision",
        links=links(first.id, kind="evidence"),
        metadata={"valid_for_seconds": 600},
    )
    desk.write("review", now=next(at), type="agent_learnings", content="wait for the close")
    desk.write(now=next(at), content="agent-wide")


def learning(desk: Any) -> None:
    """Write strategy memory: with standings that move where the release has these."""
    try:
        from dataclasses import replace  # noqa: PLC0415

        from memory.services import standings  # noqa: PLC0415
        from memory.services.standings import Cause  # noqa: PLC0415
        from tests.strategies import forget, remember  # noqa: PLC0415
    except ImportError:
        for type_ in ("rule", "strategy_insight", "optimization"):
            desk.write("autopilot", now=NOW - MINUTE, type=type_, instruments=["ETH"], tags=["old"])
        desk.write("autopilot", now=NOW - MINUTE, type="rule", content="a rule of old")
        return
    rule = remember(desk, "trade with the trend", now=NOW - 5 * MINUTE, type="rule", tags=["trend"])
    insight = remember(
        desk,
        "breakouts hold when volume doubles",
        now=NOW - 4 * MINUTE,
        symbol="ETH",
        strategy_type="breakout",
        outcome="success",
        config={"b": 1.5, "a": [1e30]},
        metrics={"pnl": 3.25},
    )
    lost = remember(desk, "lost", now=NOW - 3 * MINUTE, type="optimization")
    forget(lost, now=NOW - 2 * MINUTE)
    moves: list[tuple[Any, dict[str, Any]]] = [
        (rule, {"tags": ("trend", "rule")}),
        (insight, {"validated_count": 3}),
    ]
    for record, to in moves:

        def step(moving: Any, to: dict[str, Any] = to) -> Any:
            return replace(moving, **to)

        standings.move(
            agent_id=desk.agent.id,
            record_id=record,
            event="moved",
            cause=Cause("user", "1"),
            step=step,
            now=NOW - MINUTE,
        )


def sessions(desk: Any) -> None:
    """Leave a session that is over, where the release has these."""
    try:
        from autopilot.models import Event, Session  # noqa: PLC0415
        from memory.models import Run  # noqa: PLC0415
    except ImportError:
        return
    run = Run.objects.create(
        agent=desk.agent,
        producer=desk.producers["autopilot"],
        started_at=NOW,
        ended_at=NOW,
        status="succeeded",
    )
    session = Session.objects.create(
        agent=desk.agent,
        run_id=run.id,
        prompt="breakouts",
        symbol_id="ETH",
        timeframe="1h",
        max_iterations=3,
        plan="free",
        critic_mode="off",
        promotion="three_insights",
        provider="offline",
        status="running",
        created_at=NOW - MINUTE,
        deadline_at=NOW,
    )
    with transaction.atomic():
        Event.objects.create(
            agent=desk.agent, session=session, seq=1, kind="started", iteration=0, text="…", at=NOW
        )
        session.status, session.ended_at, session.last_event = "succeeded", NOW, 1
        session.save()


def answers(desk: Any) -> dict[str, Any]:
    """Return what the routes answer that every release has."""
    client = desk.browser()
    paths = ["memories/?limit=100", "context/ETH/", "context/BTC/"]
    return {path: client.get(desk.path(path)).json() for path in paths}


with time_machine.travel(NOW, tick=False):
    call_command("migrate", verbosity=0)
    told = {}
    for name in ("ours", "theirs"):
        one = make_desk(name, now=NOW)
        life(one)
        learning(one)
        sessions(one)
        told[name] = {"agent": str(one.agent.id), "answers": answers(one)}
    json.dump(told, sys.stdout, indent=1, ensure_ascii=False)
