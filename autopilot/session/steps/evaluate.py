"""Evaluate: the rules that the strategy applied are confirmed or contradicted (SPEC M4, M11)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

import structlog

from autopilot.crew import evaluator, researcher
from autopilot.crew.material import cut
from autopilot.learning.copies import judge_copies
from autopilot.learning.lifecycle import judge
from autopilot.models import Backtest
from autopilot.session.steps.common import backtest_of, notes, seed_of, wide_view_of
from autopilot.session.work import Book, Job, Next, Work
from autopilot.strategy.schema import Strategy
from memory.selectors.reach import Origin
from memory.selectors.recall import Recalled

WORDS_MAX = 80
"""So much of a rule is quoted where it is told of."""
log = structlog.get_logger(__name__)


def evaluate(job: Job) -> Work:
    """Ask which of the rules on offer were applied, and let the backtest judge those.

    Rules that others share are on offer, too. What was granted is read alone (SPEC M10).
    """
    seen = backtest_of(job)
    shown = researcher.rules_of(view=wide_view_of(job.session))
    rules = [rule for rule in shown if rule.origin != "granted"]
    applied = evaluator.evaluate(
        provider=job.provider,
        strategy=Strategy.parse(seen.strategy),
        symbol=seen.instrument_id,
        outcome=seen.outcome,
        in_sample=seen.in_sample,
        rules=rules,
        cited=job.state.this.cited,
        seed=seed_of(job),
    )
    if applied.ignored:
        log.warning("rules_not_offered", session=str(job.session.id), ids=list(applied.ignored))

    def store(book: Book) -> Next:
        moves = list(_judge(book, seen.id, rules, applied.applied))
        book.tell(
            "evaluated",
            _text(job.iteration, rules, applied.applied, moves),
            offered=[str(rule.id) for rule in rules],
            applied=[str(id_) for id_ in applied.applied],
            ignored_ids=list(applied.ignored),
            moved=[
                {
                    "memory_id": str(move.rule_id),
                    "origin": move.origin,
                    "event": move.event,
                    "before": str(move.before),
                    "after": str(move.after),
                }
                for move in moves
            ],
        )
        return Next(name="backtrack", iteration=job.iteration)

    return Work(store=store, calls=notes(applied.call))


@dataclass(frozen=True, slots=True)
class Move:
    """What came of a rule: `before` and `after` are its confidence."""

    rule_id: UUID
    origin: Origin
    event: str
    before: Decimal
    after: Decimal


def _judge(
    book: Book, backtest_id: UUID, rules: Sequence[Recalled], applied: Sequence[UUID]
) -> Iterator[Move]:
    """Judge the agent's own rules, then the copies: all who judge both take them in this order."""
    agent_id = book.session.agent_id
    backtest = Backtest.objects.get(agent_id=agent_id, id=backtest_id)
    own = {rule.id for rule in rules if rule.origin == "own"}
    judged = judge(
        agent_id=agent_id,
        backtest=backtest,
        applied=[id_ for id_ in applied if id_ in own],
        offered=own,
        now=book.now,
    )
    for moved in judged.moved:
        before, after = moved.before.confidence, moved.after.confidence
        yield Move(moved.rule_id, "own", moved.event, before, after)
    copies = [id_ for id_ in applied if id_ not in own]
    for copy in judge_copies(agent_id=agent_id, backtest=backtest, applied=copies, now=book.now):
        before, after = copy.before.confidence, copy.after.confidence
        yield Move(copy.shared_id, "community", copy.event, before, after)


def _text(
    iteration: int, rules: Sequence[Recalled], applied: Sequence[UUID], moves: Sequence[Move]
) -> str:
    if not rules:
        return f"Iteration {iteration}: no rule to judge."
    if not applied:
        return f"Iteration {iteration} applies no rule."
    if not moves:
        return f"Iteration {iteration} judges no rule."
    words = {rule.id: _shortened(rule.content) for rule in rules}
    told = "; ".join(
        f"{move.event} {'a community rule ' if move.origin == 'community' else ''}"
        f"“{words[move.rule_id]}” (confidence {move.before} to {move.after})"
        for move in moves
    )
    return f"Iteration {iteration} judges rules: {told}."


def _shortened(content: str) -> str:
    """Return a rule's claim: its first sentence, or the beginning of that."""
    claim = content.strip().partition("\n")[0]
    return cut(claim.partition(". ")[0].removesuffix("."), WORDS_MAX)
