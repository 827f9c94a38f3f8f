"""The demo's two autopilot sessions, driven over REST as anybody would, and what they learned."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from textwrap import shorten
from typing import Any
from uuid import UUID

import httpx

from autopilot.learning.support import support_of
from config.processes import ProcessError
from memory.models import Record, RecordLink, Standing

PROMPT = "Find a strategy for {symbol} that earns its drawdown"
ITERATIONS = 5
WAIT_SECONDS = 120.0
PROGRESS_MAX = 80


@dataclass(frozen=True, slots=True)
class Learned:
    """A memory of strategy as it stands. `origins` are the insights that a rule is derived from.

    `support` says which guards of its promotion a rule meets; None for an insight.
    """

    id: UUID
    type: str
    symbol: str | None
    strategy_type: str | None
    outcome: str | None
    confidence: str
    validated_count: int
    content: str
    origins: list[UUID] = field(default_factory=list)
    support: dict[str, Any] | None = None
    support_text: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it for `--json`."""
        ids = {"id": str(self.id), "origins": [str(one) for one in self.origins]}
        return asdict(self) | ids


@dataclass(frozen=True, slots=True)
class Lesson:
    """One session: what REST says of it, and what it left in memory."""

    session: dict[str, Any]
    insights: list[Learned]
    rules: list[Learned]


def learn(
    client: httpx.Client, *, symbol: str, timeframe: str, say: Callable[[str], None]
) -> Lesson:
    """Start a session on `symbol`, tell how far it is, and return what it learned.

    ProcessError: it did not succeed, or not in time.
    """
    body = {
        "prompt": PROMPT.format(symbol=symbol),
        "symbol": symbol,
        "timeframe": timeframe,
        "max_iterations": ITERATIONS,
    }
    started = client.post("/api/v1/ai/autopilot/", json=body).raise_for_status().json()
    path = f"/api/v1/ai/autopilot/{started['id']}/"
    for event in _events(client, path):
        if told := progress(event):
            say(f"  {symbol}: {told}")
    session: dict[str, Any] = client.get(path).raise_for_status().json()
    if session["status"] != "succeeded":
        raise ProcessError(f"the session on {symbol} {session['status']}: {session['failure']}")
    agent = UUID(session["agent"])
    insights = [UUID(one["insight"]) for one in session["iterations"] if one["insight"]]
    return Lesson(
        session=session,
        insights=learned(agent, insights),
        rules=learned(agent, [UUID(one) for one in session["rules_made"]]),
    )


def progress(event: dict[str, Any]) -> str:
    """Return a few words on what memory had and on the end of an iteration, else ""."""
    if event["kind"] == "backtracked":
        return f"iteration {event['iteration']} of {ITERATIONS} is done"
    if event["step"] == "research":
        return shorten(event["text"], PROGRESS_MAX, placeholder=" …")
    return ""


def learned(agent_id: UUID, ids: list[UUID]) -> list[Learned]:
    """Return strategy memories as they stand now, in the order of `ids`."""
    standings = Standing.objects.in_bulk(ids)
    contents = dict(
        Record.objects.filter(agent_id=agent_id, id__in=ids).values_list("id", "content")
    )
    return [_learned(standings[one], contents[one]) for one in ids]


def _learned(standing: Standing, content: str) -> Learned:
    links = RecordLink.objects.filter(
        agent_id=standing.agent_id, source_id=standing.record_id, link_type="derived_from"
    )
    support = support_of(standing.agent_id, standing.record_id) if standing.type == "rule" else None
    return Learned(
        id=standing.record_id,
        type=standing.type,
        symbol=standing.symbol_id,
        strategy_type=standing.strategy_type,
        outcome=standing.outcome,
        confidence=str(standing.confidence),
        validated_count=standing.validated_count,
        content=content,
        origins=list(links.order_by("ord").values_list("target_id", flat=True)),
        support=support.as_json() if support else None,
        support_text=support.describe() if support else "",
    )


def _events(client: httpx.Client, path: str) -> Iterator[dict[str, Any]]:
    """Yield a session's events as they come, until its last (ProcessError: not in time)."""
    until = time.monotonic() + WAIT_SECONDS
    headers = {"Accept": "text/event-stream"}
    with client.stream("GET", f"{path}events/", headers=headers, timeout=WAIT_SECONDS) as stream:
        stream.raise_for_status()
        # A stream says something at least every few seconds, whether there are events or not.
        for line in stream.iter_lines():
            if line.startswith("data:"):
                yield json.loads(line.removeprefix("data:"))
            if time.monotonic() > until:
                raise ProcessError(
                    f"a session is not done after {WAIT_SECONDS:.0f} s: is the worker alive?"
                )
