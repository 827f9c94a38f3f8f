"""Agents that search markets of chance, a session a day, and what comes of each session."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.contrib.auth.models import User

from config.benchmarks import sittings
from config.benchmarks.walks import Market
from memory.models import Agent, Instrument, Producer, Standing
from memory.services import setup

APART = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Made:
    """A rule that a session made: its strategy type, its tags, and the guards it does not meet."""

    strategy_type: str
    tags: frozenset[str]
    missing: tuple[str, ...]


@dataclass(slots=True)
class Told:
    """What a session came to: the rules it made, the guards that others did not meet, and counts.

    `wins` are variants that succeeded in sample, `kept` those of them with a profit in the holdout.
    """

    variants: int
    wins: int
    kept: int
    made: list[Made] = field(default_factory=list)
    refused: list[tuple[str, ...]] = field(default_factory=list)


@dataclass(slots=True)
class Explorer:
    """An agent whose sessions share one memory, each on a market that no other is on."""

    name: str
    promotion: str
    now: datetime
    sessions: int = 0
    agent: Agent = field(init=False)
    producer: Producer = field(init=False)

    def __post_init__(self) -> None:
        """Set up the agent with its producer."""
        owner = User.objects.create_user(username=self.name)
        self.agent = setup.create_agent(owner=owner, name=self.name, now=self.now)
        self.producer = setup.create_producer(
            agent=self.agent, role="autopilot", name="pilot", schedule=None, now=self.now
        )

    def take(self, market: Market, *, variants: int) -> Told:
        """Take a session of so many variants on a market, a day after the last."""
        self.now += APART
        self.sessions += 1
        symbol = f"WALK{self.sessions}"
        facts = {"kind": "perpetual", "source": "bench", "seen_at": self.now}
        Instrument.objects.get_or_create(id=symbol, defaults=facts)
        setup.select_instrument(agent=self.agent, name=symbol, now=self.now)
        sitting = sittings.begin(
            agent=self.agent,
            producer=self.producer,
            bars=market.series(instrument=symbol, end=self.now),
            seed=market.seed,
            promotion=self.promotion,
            now=self.now,
        )
        sitting.search(variants)
        return _told(sitting)


def _told(sitting: sittings.Sitting) -> Told:
    won = [test for test in sitting.backtests if test.outcome == "success"]
    made = {one.rule_id: one for one in sitting.settled if one.rule_id is not None}
    rules = Standing.objects.filter(agent_id=sitting.session.agent_id, record_id__in=made)
    return Told(
        variants=len(sitting.backtests),
        wins=len(won),
        kept=sum(test.holdout["total_pnl_pct"] > 0 for test in won),
        made=[
            Made(rule.strategy_type or "", frozenset(rule.tags), made[rule.record_id].missing)
            for rule in rules
        ],
        refused=[one.missing for one in sitting.settled if one.status == "refused"],
    )
