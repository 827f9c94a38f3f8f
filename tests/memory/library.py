"""A random library of strategy memory, and what a plain loop finds in it."""

import random
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from rest_framework.test import APIClient

from memory.models import Standing
from memory.policies.vocabulary import STRATEGY_TYPES, TIERS
from memory.services import standings
from memory.services.standings import Cause
from tests.desk import Desk
from tests.strategies import end, forget, merge, remember

LIST = "/api/v1/ai/memories/"
TAGS = ("calm", "a/b", "größe", "<p", "the")
TYPES = STRATEGY_TYPES[:3]
SYMBOLS = (None, "BTC", "ETH")


@dataclass
class Library:
    """An agent's strategy memories, as a naive reader remembers them."""

    desk: Desk
    hidden: set[UUID] = field(default_factory=set)

    def oracle(self, asked: dict[str, str]) -> list[str]:
        """Return the ids of what matches, newest first."""
        rows = [one for one in Standing.objects.all() if self.shows(one, asked)]
        rows.sort(key=lambda one: (one.created_at, one.record_id), reverse=True)
        return [str(one.record_id) for one in rows]

    def shows(self, one: Standing, asked: dict[str, str]) -> bool:
        """Tell whether a standing is in the list."""
        told = {
            "type": one.type,
            "symbol": one.symbol_id,
            "strategy_type": one.strategy_type,
            "visibility": one.visibility,
        }
        return (
            one.agent_id == self.desk.agent.id
            and one.record_id not in self.hidden
            and ("tag" not in asked or asked["tag"] in one.tags)
            and all(told[name] == value for name, value in asked.items() if name in told)
        )


def make_library(desk: Desk, other: Desk, *, seed: int, now: datetime) -> Library:
    """Write 40 random memories; some expire, are merged, shared, retagged or forgotten.

    Times are equal, and out of order. The other desk gets one of each tier.
    """
    dice = random.Random(seed)
    made = Library(desk)
    last: UUID | None = None
    for number in range(40):
        type_ = dice.choice(TIERS)
        given: dict[str, Any] = {"strategy_type": dice.choice([None, *TYPES])}
        if type_ != "rule":
            given["symbol"] = dice.choice(SYMBOLS)
        at = now - timedelta(seconds=dice.randrange(6))
        tags = dice.sample(TAGS, dice.randrange(3))
        id_ = remember(desk, f"memory {number}", now=at, type=type_, tags=tags, **given)
        match dice.randrange(8):
            case 0:
                end(id_, now=now)
                made.hidden.add(id_)
            case 1 if last is not None:
                merge(id_, last, now=now)
                made.hidden.add(id_)
            case 2:
                move(id_, now=now, visibility="community")
                last = id_
            case 3:
                move(id_, now=now, tags=("calm", "added"))
                last = id_
            case 4:
                forget(id_, now=now)
    for type_ in TIERS:
        remember(other, now=now, type=type_, tags=TAGS)
    return made


def move(id_: UUID, *, now: datetime, **to: Any) -> None:
    """Move a standing as a service does."""
    standings.move(
        agent_id=Standing.objects.get(record_id=id_).agent_id,
        record_id=id_,
        event="moved",
        cause=Cause("test"),
        step=lambda was: replace(was, **to),
        now=now,
    )


def walk(client: APIClient, path: str) -> tuple[list[dict[str, Any]], list[int]]:
    """Follow `next` to the end; return the memories in order and the size of each page."""
    found, sizes, url = [], [], path
    while url:
        page = client.get(url).json()
        found += page["results"]
        sizes.append(len(page["results"]))
        url = page["next"]
    return found, sizes
