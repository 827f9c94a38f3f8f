"""What a backtest does to the rules that were applied to it: once each (SPEC M4, M11).

A judgement is one row and one ledger line. Where the step ends the rule too, that line's event is
`deprecated`, and its detail has the verdict.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from autopilot.learning.figures import tally, window_of
from autopilot.learning.support import Support, claim_of, facts_of, support_of
from autopilot.models import Backtest, SynthesisClaim
from memory.models import Standing
from memory.policies.lifecycle import HOLDOUT_MIN_TRADES, confirm, contradict
from memory.policies.standing import Moving
from memory.services import standings
from memory.services.standings import Cause

VERDICTS = {"confirms": "confirmed", "contradicts": "contradicted"}

JUDGE = """
INSERT INTO autopilot_judgement (agent_id, rule_id, backtest_id, verdict, at)
VALUES (%(agent)s, %(rule)s, %(backtest)s, %(verdict)s, %(now)s)
ON CONFLICT (agent_id, rule_id, backtest_id) DO NOTHING
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A rule that a backtest moved. `support` is None for a rule that synthesis did not make."""

    rule_id: UUID
    event: str
    before: Moving
    after: Moving
    support: Support | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a backtest did. All but `moved` are ids that were named and left as they were.

    `not_offered`: as they were named, whatever that was. `own`: made from this very session's run.
    `already`: this backtest has judged them before. `ended`: deprecated, merged or deleted.
    """

    moved: tuple[Moved, ...] = ()
    not_offered: tuple[str, ...] = ()
    own: tuple[UUID, ...] = ()
    already: tuple[UUID, ...] = ()
    ended: tuple[UUID, ...] = ()


def judge(
    *,
    agent_id: UUID,
    backtest: Backtest,
    applied: Iterable[UUID | str],
    offered: Collection[UUID],
    made_in_session: Collection[UUID] = (),
    now: datetime,
) -> Judged:
    """Let a backtest confirm or contradict the rules that a model named as applied.

    Each rule moves once per backtest, however often this is called and by whomever. Ids that were
    not offered are returned, for an event. A rule made in this session, or from an insight of it,
    is never judged by it. Works within the caller's transaction.
    """
    names = dict.fromkeys(str(name).strip().lower() for name in applied)
    known = {str(id_): id_ for id_ in offered}
    # In the order of ids: two backtests that judge the same rules cannot block each other.
    rules = sorted(known[name] for name in names if name in known)
    told: dict[str, list[UUID]] = {"own": [], "already": [], "ended": []}
    moved: list[Moved] = []
    if backtest.verdict in VERDICTS:
        for rule_id in rules:
            claim = claim_of(agent_id, rule_id)
            if rule_id in made_in_session or (claim and _made_from(claim, backtest.session_id)):
                told["own"].append(rule_id)
                continue
            came = _judge_one(agent_id, backtest, rule_id, now=now)
            if isinstance(came, Moved):
                moved.append(came)
            else:
                told[came].append(rule_id)
    return Judged(
        moved=tuple(moved),
        not_offered=tuple(name for name in names if name not in known),
        own=tuple(told["own"]),
        already=tuple(told["already"]),
        ended=tuple(told["ended"]),
    )


def _made_from(claim: SynthesisClaim, session_id: UUID) -> bool:
    sessions = {str(claim.session_id), *(fact.session for fact in facts_of(claim))}
    return str(session_id) in sessions


def _judge_one(agent_id: UUID, backtest: Backtest, rule_id: UUID, *, now: datetime) -> Moved | str:
    # The lock orders the judgements of a rule: each sees what the ones before made of it, and of
    # its support. So the step below is the one that its event tells of.
    standing = (
        Standing.objects.select_for_update(no_key=True)
        .filter(agent_id=agent_id, record_id=rule_id, type="rule")
        .first()
    )
    if standing is None:
        return "ended"
    before = standings.moving_of(standing)
    if not before.is_live(now=now):
        return "ended"
    verdict = VERDICTS[backtest.verdict]
    values = {"agent": agent_id, "rule": rule_id, "backtest": backtest.id}
    with connection.cursor() as cursor:
        cursor.execute(JUDGE, {**values, "verdict": verdict, "now": now})
        if cursor.rowcount == 0:
            return "already"
    support = support_of(agent_id, rule_id)
    held = support is not None and not support.is_met

    def step(was: Moving) -> Moving:
        if verdict == "confirmed":
            return confirm(was, held=held, now=now)
        return contradict(was, now=now)

    event = verdict if step(before).is_live(now=now) else "deprecated"
    after = standings.move(
        agent_id=agent_id,
        record_id=rule_id,
        event=event,
        cause=Cause("backtest", str(backtest.id)),
        step=step,
        detail=_detail(backtest, verdict, support),
        now=now,
    )
    return Moved(rule_id=rule_id, event=event, before=before, after=after, support=support)


def _detail(backtest: Backtest, verdict: str, support: Support | None) -> dict[str, Any]:
    # The window lets later sessions know whose holdout this judgement has seen (SPEC A9).
    by_holdout = tally(backtest.holdout).trades >= HOLDOUT_MIN_TRADES
    told = {
        "verdict": verdict,
        "by": "holdout" if by_holdout else "in_sample",
        "window": window_of(backtest),
    }
    return told if support is None else {**told, "support": support.as_json()}
