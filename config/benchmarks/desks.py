"""Agents with an autopilot on the shipped bars, and their sessions."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from autopilot.models import Session
from autopilot.models.sessions import OPEN
from autopilot.schemas import SessionDraft
from autopilot.session.services import start
from memory.models import Agent
from memory.policies.ownership import UserActor
from memory.services import setup
from trading.market.sample import INSTRUMENTS, TIMEFRAME, load_sample

PROMPT = "Find a strategy for {symbol} that earns its drawdown"


def make(names: list[str]) -> None:
    """Load the shipped bars, and set up an agent of each name with all of their instruments."""
    now = timezone.now()
    load_sample(now=now)
    for name in names:
        agent = setup.create_agent(
            owner=User.objects.create_user(username=name), name=name, now=now
        )
        for instrument in INSTRUMENTS:
            setup.select_instrument(agent=agent, name=instrument, now=now)
        setup.create_producer(agent=agent, role="autopilot", name="pilot", schedule=None, now=now)


def begin(names: list[str], *, turn: int, iterations: int) -> datetime:
    """Start a session of each agent, all at one moment, and return what they have as their start.

    Workers see them all at once. The instruments take turns, from agent to agent and from turn to
    turn.
    """
    now = timezone.now()
    agents = {agent.name: agent for agent in Agent.objects.filter(name__in=names)}
    with transaction.atomic():
        for place, name in enumerate(names):
            _start(agents[name], INSTRUMENTS[(place + turn) % len(INSTRUMENTS)], iterations, now)
    return now


def _start(agent: Agent, symbol: str, iterations: int, now: datetime) -> Session:
    asked = SessionDraft.parse(
        {
            "prompt": PROMPT.format(symbol=symbol),
            "symbol": symbol,
            "timeframe": TIMEFRAME,
            "max_iterations": iterations,
        }
    )
    person = UserActor(user_id=agent.owner_id, is_staff=False)
    return start(agent=agent, actor=person, asked=asked, now=now)


def some_open() -> bool:
    """Tell whether a session has not ended."""
    return Session.objects.filter(status__in=OPEN).exists()


def check_ended() -> None:
    """Hold that every session found something (AssertionError): a failed one is no figure."""
    bad = Session.objects.exclude(status="succeeded").values_list("status", "error")
    if bad:
        raise AssertionError(f"sessions did not succeed: {list(bad)[:5]}")
