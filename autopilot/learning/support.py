"""What a rule rests on, held against the guards of its promotion (SPEC M6).

A fact is what one insight, or one backtest that confirmed the rule, lends to it. The facts of the
insights are kept with the claim that made the rule, so that it keeps them when they are forgotten.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self
from uuid import UUID

from django.db.models import Q

from autopilot.learning.chance import Slice, apart, of_all, of_best
from autopilot.learning.figures import tally, window_of
from autopilot.models import Backtest, Judgement, SynthesisClaim
from memory.models import Standing
from memory.policies.freshness import iso
from memory.policies.numbers import finite

GUARDS = {"distinct_configs": 3, "sessions": 2, "profitable_holdouts": 2}
"""Guard → how many of it a rule needs."""
CHANCE_MOST = 0.05
"""Where promotion is guarded, luck is to explain a rule's holdouts no more likely than this."""
BEYOND_CHANCE = "beyond_chance"
"""The name of that guard."""
DAYS_PER_YEAR = 365.25
type Tried = Mapping[Slice, set[str]]
"""Slice → the hashes (hex) of the configurations that were tried on it."""
BEFORE_HOLDOUT = frozenset({"distinct_configs", "sessions"})
"""The guards that no holdout has a say in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A strategy's hash (hex), the session that tried it, and the holdout that it was judged on.

    A holdout is a slice of a market, however many strategies were tried on it: instrument, start
    and end. `score` is the t-statistic of its returns there, `won` whether they are a profit. None:
    unknown; it then counts for nothing.
    """

    config: str | None = None
    session: str | None = None
    holdout: tuple[str, str, str] | None = None
    score: float | None = None
    won: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return it as a claim keeps it."""
        return asdict(self)

    @classmethod
    def kept(cls, told: Mapping[str, Any]) -> Self:
        """Return the fact that a claim keeps; the name of a profitable holdout is an older form."""
        holdout = told.get("holdout")
        if isinstance(holdout, str):
            instrument, _, span = holdout.split(" ")
            return cls(**{**told, "holdout": (instrument, *span.split("/")), "won": True})
        return cls(**{**told, "holdout": None if holdout is None else tuple(holdout)})

    @classmethod
    def of_insight(cls, standing: Standing) -> Self:
        """Return what an insight lends: nothing where it does not say (an import may not)."""
        metrics = standing.metrics
        config, session = standing.config_hash, metrics.get("session")
        return cls(
            config=None if config is None else bytes(config).hex(),
            session=session if is_id(session) else None,
            **_judged_on(metrics.get("window"), metrics.get("holdout")),
        )

    @classmethod
    def of_backtest(cls, backtest: Backtest) -> Self:
        """Return what a backtest lends."""
        return cls(
            config=bytes(backtest.config_hash).hex(),
            session=str(backtest.session_id),
            **_judged_on(window_of(backtest), backtest.holdout),
        )

    @property
    def slice(self) -> Slice | None:
        """The bars of the holdout."""
        if self.holdout is None:
            return None
        instrument, start, end = self.holdout
        return Slice(instrument=instrument, start=start, end=end)


def is_id(value: Any) -> bool:
    """Tell whether metrics, which may be imported, hold an id here."""
    try:
        UUID(value)
    except (AttributeError, TypeError, ValueError):
        return False
    return True


def _judged_on(window: Any, kpis: Any) -> dict[str, Any]:
    """Return holdout, score and profit; nothing where they are not told (an import)."""
    try:
        holdout = tuple(str(window[name]) for name in ("instrument", "split", "end"))
        won = tally(kpis).pnl > 0
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        return {}
    return {"holdout": holdout, "score": _score(kpis), "won": won}


def _score(kpis: Mapping[str, Any]) -> float | None:
    """Return the t-statistic of the returns, from a year's Sharpe; None where there is none."""
    sharpe, days = finite(kpis.get("sharpe")), finite(kpis.get("days"))
    if sharpe is None or days is None:
        return None
    return finite(float(sharpe) * math.sqrt(max(days, 0) / DAYS_PER_YEAR))


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """How many distinct configurations, sessions and profitable holdouts a rule rests on.

    Holdouts that share bars are one. `variants_tried` counts the configurations that those sessions
    tried in all: the more, the likelier luck. `chance` is how likely the best of so many would do
    as well on these holdouts without any edge, 0 to 1.
    """

    distinct_configs: int
    sessions: int
    profitable_holdouts: int
    variants_tried: int
    chance: float = field(default=1.0)

    @property
    def missing(self) -> tuple[str, ...]:
        """The guards that are not met."""
        return tuple(name for name, needed in GUARDS.items() if getattr(self, name) < needed)

    @property
    def is_met(self) -> bool:
        """Whether all guards are met."""
        return not self.missing

    @property
    def missing_when_guarded(self) -> tuple[str, ...]:
        """What keeps a rule from promotion where that is guarded: the guards, and chance."""
        return self.missing if self.chance <= CHANCE_MOST else (*self.missing, BEYOND_CHANCE)

    def as_json(self) -> dict[str, Any]:
        """Return guard → count, needed and met; the number of variants tried; and the chance."""
        guards = {
            name: {
                "count": getattr(self, name),
                "needed": needed,
                "met": getattr(self, name) >= needed,
            }
            for name, needed in GUARDS.items()
        }
        return {**guards, "variants_tried": self.variants_tried, "chance": round(self.chance, 4)}

    def describe(self) -> str:
        """Return it in words: `6 configurations (needs 3), 4 sessions (2), …`.

        How many there are is told before how many are needed: there may be more.
        """
        configs = _counted(self.distinct_configs, "configuration")
        sessions = _counted(self.sessions, "session")
        holdouts = _counted(self.profitable_holdouts, "profitable holdout")
        return (
            f"{configs} (needs {GUARDS['distinct_configs']}), {sessions} ({GUARDS['sessions']}), "
            f"{holdouts} on different windows ({GUARDS['profitable_holdouts']}); "
            f"picked from {self.variants_tried} tried"
        )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def weigh(agent_id: UUID, facts: Iterable[Fact]) -> Support:
    """Return what facts come to."""
    known = list(facts)
    sessions = {fact.session for fact in known if fact.session is not None}
    tried = _tried(agent_id, sessions)
    return Support(
        distinct_configs=len({fact.config for fact in known} - {None}),
        sessions=len(sessions),
        profitable_holdouts=len(apart(fact.slice for fact in known if fact.won and fact.slice)),
        variants_tried=len(set[str]().union(*tried.values())),
        chance=_chance(known, tried),
    )


def _tried(agent_id: UUID, sessions: set[str]) -> Tried:
    rows = Backtest.objects.filter(agent_id=agent_id, session_id__in=sessions).values_list(
        "instrument_id", "window_split", "window_end", "config_hash"
    )
    found: dict[Slice, set[str]] = {}
    for instrument, start, end, config in rows:
        place = Slice(instrument=instrument, start=iso(start), end=iso(end))
        found.setdefault(place, set()).add(bytes(config).hex())
    return found


def _chance(facts: Iterable[Fact], tried: Tried) -> float:
    """Return how likely luck explains the holdouts; those without a profit count, too."""
    scores: dict[Slice, list[float]] = {}
    for fact in facts:
        if fact.slice is not None:
            scores.setdefault(fact.slice, []).extend([] if fact.score is None else [fact.score])
    return of_all(
        [
            of_best(
                [score for place in group for score in scores[place]],
                tried=len(set[str]().union(*(tried.get(place, ()) for place in group))),
            )
            for group in apart(scores)
        ]
    )


def claim_of(agent_id: UUID, rule_id: UUID) -> SynthesisClaim | None:
    """Return the claim that made a rule; None for a rule that came otherwise."""
    return SynthesisClaim.objects.filter(agent_id=agent_id, rule_id=rule_id).first()


def facts_of(claim: SynthesisClaim) -> list[Fact]:
    """Return the facts of the insights that a claim's rule was made from."""
    return [Fact.kept(told) for told in claim.support["facts"]]


def support_of(agent_id: UUID, rule_id: UUID) -> Support | None:
    """Return what a rule rests on by now; None where synthesis did not make it.

    That is its insights and each backtest that has confirmed it since.
    """
    claim = claim_of(agent_id, rule_id)
    if claim is None:
        return None
    judged = Judgement.objects.filter(Q(verdict="confirmed"), agent_id=agent_id, rule_id=rule_id)
    backtests = Backtest.objects.filter(
        agent_id=agent_id, id__in=judged.values("backtest_id")
    ).defer("trades", "equity", "strategy")
    return weigh(agent_id, [*facts_of(claim), *(Fact.of_backtest(row) for row in backtests)])
