"""What the demo does, step by step, through the same services and routes that anybody uses."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

import httpx
from django.contrib.auth import get_user_model

from autopilot.crew.analyst import analyse
from autopilot.crew.lenses import REVERSION, TREND, Lens
from config.demo.host import Heard, talk
from config.demo.learning import Lesson, learn
from config.demo.market import Candles
from config.processes import Running
from memory.ids import new_id
from memory.models import Agent, Producer
from memory.policies.timeframes import SCHEDULES, latest_boundary
from memory.schemas.answers import WrittenRecordOut
from memory.services import setup
from memory.services.onboarding import Onboarding, onboard

OWNER, AGENT, STRANGER = "demo", "demo", "demo-stranger"
DESKS: dict[str, tuple[Lens, str]] = {"trend-1d": (TREND, "1d"), "reversion-4h": (REVERSION, "4h")}
"""Analysis producers of the demo: name → lens and schedule."""
LATE_BY = 3


@dataclass
class Story:
    """All that the demo did; `refusals` are REST answers, `contexts` are by instrument."""

    candles: Candles
    ours: Onboarding
    password: str
    records: list[WrittenRecordOut] = field(default_factory=list)
    late: WrittenRecordOut | None = None
    refusals: dict[str, dict[str, Any]] = field(default_factory=dict)
    contexts: dict[str, dict[str, Any]] = field(default_factory=dict)
    lessons: list[Lesson] = field(default_factory=list)
    heard: Heard | None = None


def begin(candles: Candles, *, now: datetime) -> Story:
    """Set up the demo's owner, with a new random password, and its agent with two producers."""
    ours = _agent(AGENT, candles, now=now)
    password = secrets.token_urlsafe(12)
    owner = get_user_model().objects.get(username=OWNER)
    owner.set_password(password)
    owner.is_staff = owner.is_superuser = True
    owner.save()
    return Story(candles=candles, ours=ours, password=password)


def _agent(name: str, candles: Candles, *, now: datetime) -> Onboarding:
    return onboard(
        username=OWNER,
        create_user=True,
        name=name,
        instruments=candles.instruments,
        schedule="1h",
        keep_schedule=True,
        with_tokens=True,
        now=now,
    )


def desk(agent: Agent, name: str, *, now: datetime) -> tuple[Producer, Lens]:
    """Return a producer of the demo, stood up when it is missing."""
    lens, schedule = DESKS[name]
    producer = Producer.objects.filter(agent=agent, name=name).first()
    if producer is None:
        producer = setup.create_producer(
            agent=agent, role="analysis", name=name, schedule=schedule, now=now
        )
    return producer, lens


def research(story: Story, *, now: datetime, say: Callable[[WrittenRecordOut], None]) -> None:
    """Let both producers read the market; the second instrument's reversion comes late.

    The late record belongs to a boundary `LATE_BY` cycles ago: it is born stale, and accepted.
    """
    agent = story.ours.agent
    first, second = story.candles.instruments
    trend, trend_lens = desk(agent, "trend-1d", now=now)
    reversion, reversion_lens = desk(agent, "reversion-4h", now=now)
    for producer, lens, instruments in (
        (trend, trend_lens, [first, second]),
        (reversion, reversion_lens, [first]),
    ):
        done = analyse(
            agent=agent,
            producer=producer,
            lens=lens,
            instruments=instruments,
            timeframe=story.candles.timeframe,
            now=now,
            # The shipped bars end in 2013: each record says the date of its last one.
            old_bars=True,
        )
        for record in done.records:
            story.records.append(record)
            say(record)
    schedule = DESKS["reversion-4h"][1]
    missed = latest_boundary(schedule, at=now) - LATE_BY * SCHEDULES[schedule]
    late = analyse(
        agent=agent,
        producer=reversion,
        lens=reversion_lens,
        instruments=[second],
        timeframe=story.candles.timeframe,
        now=now + timedelta(microseconds=1),
        old_bars=True,
        evidence_boundary=missed,
    )
    story.late = late.records[0]
    say(story.late)


def refuse(story: Story, web: Running, *, now: datetime) -> None:
    """Try a foreign and an unknown link over REST, and keep the two answers."""
    stranger = _agent(STRANGER, story.candles, now=now)
    with _client(web, stranger.tokens["analysis"]) as client:
        answer = client.post(
            f"/api/v1/agents/{stranger.agent.id}/memories/",
            json={"type": "observation", "scope": "agent", "content": "another agent's note"},
        ).raise_for_status()
        foreign = answer.json()["id"]
    with _client(web, story.ours.tokens["analysis"]) as client:
        for what, target in (("foreign", foreign), ("unknown", str(new_id()))):
            link = {"target_memory_id": target, "link_type": "evidence"}
            answer = client.post(
                f"/api/v1/agents/{story.ours.agent.id}/memories/",
                json={
                    "type": "observation",
                    "scope": "agent",
                    "content": f"rests on a record with {what} id",
                    "links": [link],
                },
            )
            story.refusals[what] = {"status": answer.status_code, **answer.json()}


def serve_context(story: Story, web: Running) -> None:
    """Read the context of both instruments as the trading role does, over REST."""
    with _client(web, story.ours.tokens["trading"]) as client:
        for instrument in story.candles.instruments:
            path = quote(instrument, safe="/:@")
            answer = client.get(f"/api/v1/agents/{story.ours.agent.id}/context/{path}/")
            story.contexts[instrument] = answer.raise_for_status().json()


def learn_twice(story: Story, web: Running, *, say: Callable[[str], None]) -> Iterator[Lesson]:
    """Run a session on each instrument, the second with what the first has learned."""
    with _client(web, story.ours.tokens["autopilot"]) as client:
        for symbol in story.candles.instruments:
            lesson = learn(client, symbol=symbol, timeframe=story.candles.timeframe, say=say)
            story.lessons.append(lesson)
            yield lesson


def host(story: Story, bridge: Running) -> None:
    """Let an MCP host write, read, and search for the second instrument through the bridge.

    It asks for the kind of strategy that the first session tried most.
    """
    tried = [one.strategy_type for one in story.lessons[0].insights if one.strategy_type]
    story.heard = talk(
        url=f"{bridge.url}/mcp",
        token=story.ours.tokens["analysis"],
        instrument=story.candles.instruments[1],
        strategy_type=max(tried, key=tried.count),
    )


def _client(web: Running, token: str) -> httpx.Client:
    return httpx.Client(base_url=web.url, headers={"Authorization": f"Bearer {token}"}, timeout=30)
