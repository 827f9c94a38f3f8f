"""How rules live by backtests: exact steps, caps, ends, and what a backtest says (M4, M6, M11).

Everything here is pure. A contradiction that leaves a rule at or under its bar deprecates it; a
confirmation never does, wherever the rule began. What has ended stays as it is.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Literal

from memory.policies.standing import RULE_CONFIDENCE, WHOLE, Moving, Terms, outcome_of

type Verdict = Literal["confirms", "contradicts", "neither"]

REWARD = Decimal("0.1")
HELD_AT = Decimal("0.6")
"""The most that a rule is trusted while it does not meet the guards of its promotion (M6)."""
DOUBTED_AT = Decimal("0.5")
"""The most that an insight is trusted which its holdout contradicts (A9)."""
HOLDOUT_MIN_TRADES = 5
"""Fewer trades of a holdout decide nothing about a rule (M11)."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What a contradiction costs a rule, and where the rule ends: at or under either figure."""

    penalty: Decimal
    last_confidence: Decimal
    last_count: int


OWN = Scale(penalty=Decimal("0.2"), last_confidence=Decimal("0.3"), last_count=-2)
COMMUNITY = Scale(penalty=Decimal("0.05"), last_confidence=Decimal("0.2"), last_count=-5)


@dataclass(frozen=True, slots=True)
class Tally:
    """What a verdict reads of one window's backtest. `pnl` is the whole window's, in percent."""

    pnl: Decimal
    trades: int


def confirm(was: Moving, *, held: bool = False, now: datetime) -> Moving:
    """Return a rule after a backtest confirmed it at `now`.

    Its confidence rises by 0.1, to 1 at the most, or to 0.6 while it is `held`. Where it is above
    0.6 already it stays: a cap takes nothing away.
    """
    if not was.is_live(now=now):
        return was
    cap = HELD_AT if held else WHOLE
    raised = max(was.confidence, min(was.confidence + REWARD, cap))
    return replace(was, confidence=raised, validated_count=was.validated_count + 1)


def contradict(was: Moving, *, scale: Scale = OWN, now: datetime) -> Moving:
    """Return a rule after a backtest contradicted it at `now`.

    `scale` is `COMMUNITY` for a copy that others judge: an agent's own rule loses as its own does,
    shared or not. It is deprecated by the same step when its confidence or its count is at its last
    or under.
    """
    if not was.is_live(now=now):
        return was
    confidence = max(was.confidence - scale.penalty, Decimal(0))
    count = was.validated_count - 1
    moved = replace(was, confidence=confidence, validated_count=count)
    if confidence <= scale.last_confidence or count <= scale.last_count:
        return deprecate(moved, now=now)
    return moved


def deprecate(was: Moving, *, now: datetime) -> Moving:
    """Return a rule that ends at `now`; one that has ended stays as it is."""
    return replace(was, expires_at=now) if was.is_live(now=now) else was


def revive(was: Moving, *, until: datetime | None, now: datetime) -> Moving:
    """Return a standing that has ended by time with a new end (None: permanent).

    One that is live or merged stays as it is. What is thought of it is not changed: a rule that
    contradictions ended begins where they left it.
    """
    if was.merged_into is not None or was.is_live(now=now):
        return was
    return replace(was, expires_at=until)


def rule_confidence(*, held: bool) -> Decimal:
    """Return the confidence that a synthesised rule begins with (M2, "M6's cap first")."""
    return min(RULE_CONFIDENCE, HELD_AT) if held else RULE_CONFIDENCE


def verdict_of(*, in_sample: Tally, holdout: Tally, terms: Terms) -> Verdict:
    """Return what a backtest says of the rules that were applied to it (M11).

    The holdout says it when it has five trades, else the in-sample window does. A success
    confirms; no profit contradicts, also where nothing was traded; all else does neither.
    """
    said = decisive(in_sample=in_sample, holdout=holdout)
    if outcome_of(pnl=said.pnl, trades=said.trades, terms=terms) == "success":
        return "confirms"
    return "contradicts" if said.pnl <= 0 else "neither"


def decisive(*, in_sample: Tally, holdout: Tally) -> Tally:
    """Return the window that a verdict goes by."""
    return holdout if holdout.trades >= HOLDOUT_MIN_TRADES else in_sample


def contradicts_insight(*, outcome: str, holdout: Tally) -> bool:
    """Tell whether a holdout contradicts an insight: a success that traded there without profit."""
    return outcome == "success" and holdout.trades > 0 and holdout.pnl <= 0


def insight_confidence(in_sample: Decimal, *, contradicted: bool) -> Decimal:
    """Return an insight's confidence, 0.5 at the most when its holdout contradicts it (A9)."""
    return min(in_sample, DOUBTED_AT) if contradicted else in_sample
