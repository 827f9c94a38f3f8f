"""Sessions taken whole, by the real steps, and what they left."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from autopilot.llm.offline.provider import OfflineProvider
from autopilot.llm.port import Ask
from autopilot.models import Event, Session, Step
from autopilot.session.steps import STEPS
from tests.autopilot.session.bench import Clock, begin, take
from tests.autopilot.session.players import Player
from tests.desk import Desk

LOOP = ["select_tags", "advise", "backtest", "learn", "synthesize", "evaluate", "backtrack"]
"""The steps of an iteration."""
OFFLINE = OfflineProvider()


def whole(desk: Desk, clock: Clock, provider: Any = OFFLINE, **body: Any) -> Session:
    """Take a session from its start to its end."""
    session = begin(desk, now=clock(), **body)
    take(session.id, clock=clock, steps=STEPS, provider=provider)
    return Session.objects.get(id=session.id)


def events(session: Session, *kinds: str) -> list[Event]:
    told = Event.objects.filter(session=session).order_by("seq")
    return list(told.filter(kind__in=kinds) if kinds else told)


def steps_of(session: Session) -> list[Step]:
    return list(Step.objects.filter(session=session).order_by("number"))


@contextmanager
def undone() -> Iterator[None]:
    """Undo what is written inside."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def proposal(**over: Any) -> dict[str, Any]:
    """Return a strategy that passes, with `over` in place of its parts."""
    return {
        "name": "a proposal",
        "timeframe": "1h",
        "foundations": [{"weight": 1, "block": {"type": "ema_cross"}}],
        "exits": {"stop": {"type": "stop_atr"}, "take_profit": {"type": "tp_r", "r": 2}},
        **over,
    }


def advising(*strategies: Any) -> Player:
    """Return a model that proposes these strategies in turn, and the last one again."""
    left = list(strategies)

    def advise(ask: Ask[Any]) -> dict[str, Any]:
        del ask
        strategy = left.pop(0) if len(left) > 1 else left[0]
        return {"recommendation": "try this", "strategy": strategy, "used_ids": ["nobody's"]}

    return Player(lines={"advisor": advise})


RULE = {"rule": "Follow the cross of two averages", "tags": ["ema_cross"]}


def trends() -> Player:
    """Return a model whose strategies are all of one type, and that makes a rule of three."""
    player = advising(*(proposal(side=side) for side in ("both", "long", "short")))
    player.lines["synthesizer"] = lambda _: RULE
    return player
