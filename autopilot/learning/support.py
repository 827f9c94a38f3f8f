"""What a rule rests on, held against the guards of its promotion (SPEC M6).

A fact is what one insight, or one backtest that confirmed the rule, lends to it. The facts of the
insights are kept with the claim that made the rule, so that it keeps them when they are forgotten.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Self
from uuid import UUID

from django.db.models import Q

from autopilot.learning.figures import tally, window_of
from autopilot.models import Backtest, Judgement, SynthesisClaim
from memory.models import Standing

GUARDS = {"distinct_configs": 3, "sessions": 2, "profitable_holdouts": 2}
"""Guard → how many of it a rule needs."""
BEFORE_HOLDOUT = frozenset({"distinct_configs", "sessions"})
"""The guards that no holdout has a say in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A strategy's hash (hex), the session that tried it, and the holdout that it made money on.

    A holdout is a slice of a market, however many strategies were tried on it. None: unknown, or
    for the holdout no profit on it; it then counts for nothing.
    """

    config: str | None = None
    session: str | None = None
    holdout: str | None = None

    def as_json(self) -> dict[str, str | None]:
        """Return it as a claim keeps it."""
        return asdict(self)

    @classmethod
    def of_insight(cls, standing: Standing) -> Self:
        """Return what an insight lends: nothing where it does not say (an import may not)."""
        metrics = standing.metrics
        config, session = standing.config_hash, metrics.get("session")
        return cls(
            config=None if config is None else bytes(config).hex(),
            session=session if is_id(session) else None,
            holdout=_profitable(metrics.get("window"), metrics.get("holdout")),
        )

    @classmethod
    def of_backtest(cls, backtest: Backtest) -> Self:
        """Return what a backtest lends."""
        return cls(
            config=bytes(backtest.config_hash).hex(),
            session=str(backtest.session_id),
            holdout=_profitable(window_of(backtest), backtest.holdout),
        )


def is_id(value: Any) -> bool:
    """Tell whether metrics, which may be imported, hold an id here."""
    try:
        UUID(value)
    except (AttributeError, TypeError, ValueError):
        return False
    return True


def _profitable(window: Any, kpis: Any) -> str | None:
    """Return the name of a holdout with a profit, else None; both may be anything (an import)."""
    try:
        name = "{instrument} {timeframe} {split}/{end}".format(**window)
        return name if tally(kpis).pnl > 0 else None
    except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """How many distinct configurations, sessions and profitable holdouts a rule rests on.

    `variants_tried` counts the configurations that those sessions tried in all: the more, the
    likelier luck.
    """

    distinct_configs: int
    sessions: int
    profitable_holdouts: int
    variants_tried: int

    @property
    def missing(self) -> tuple[str, ...]:
        """The guards that are not met."""
        return tuple(name for name, needed in GUARDS.items() if getattr(self, name) < needed)

    @property
    def is_met(self) -> bool:
        """Whether all guards are met."""
        return not self.missing

    def as_json(self) -> dict[str, Any]:
        """Return guard → count, needed and met; and the number of variants tried."""
        guards = {
            name: {
                "count": getattr(self, name),
                "needed": needed,
                "met": getattr(self, name) >= needed,
            }
            for name, needed in GUARDS.items()
        }
        return {**guards, "variants_tried": self.variants_tried}

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
    tried = Backtest.objects.filter(agent_id=agent_id, session_id__in=sessions)
    return Support(
        distinct_configs=len({fact.config for fact in known} - {None}),
        sessions=len(sessions),
        profitable_holdouts=len({fact.holdout for fact in known} - {None}),
        variants_tried=tried.values("config_hash").distinct().count(),
    )


def claim_of(agent_id: UUID, rule_id: UUID) -> SynthesisClaim | None:
    """Return the claim that made a rule; None for a rule that came otherwise."""
    return SynthesisClaim.objects.filter(agent_id=agent_id, rule_id=rule_id).first()


def facts_of(claim: SynthesisClaim) -> list[Fact]:
    """Return the facts of the insights that a claim's rule was made from."""
    return [Fact(**told) for told in claim.support["facts"]]


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
