"""Evaluate: the rules that the strategy applied are confirmed or contradicted (SPEC M4, M11)."""

from collections.abc import Sequence
from uuid import UUID

import structlog

from autopilot.crew import evaluator, researcher
from autopilot.crew.material import cut
from autopilot.learning.lifecycle import Judged, judge
from autopilot.models import Backtest
from autopilot.session.steps.common import backtest_of, notes, seed_of, view_of
from autopilot.session.work import Book, Job, Next, Work
from autopilot.strategy.schema import Strategy
from memory.selectors.recall import Recalled

WORDS_MAX = 80
"""So much of a rule is quoted where it is told of."""
log = structlog.get_logger(__name__)


def evaluate(job: Job) -> Work:
    """Ask which of the rules on offer were applied, and let the backtest judge those."""
    seen = backtest_of(job)
    rules = researcher.rules_of(view=view_of(job.session))
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
        judged = judge(
            agent_id=seen.agent_id,
            backtest=Backtest.objects.get(agent_id=seen.agent_id, id=seen.id),
            applied=applied.applied,
            offered=[rule.id for rule in rules],
            now=book.now,
        )
        book.tell(
            "evaluated",
            _text(job.iteration, rules, applied.applied, judged),
            offered=[str(rule.id) for rule in rules],
            applied=[str(id_) for id_ in applied.applied],
            ignored_ids=list(applied.ignored),
            moved=[
                {
                    "memory_id": str(moved.rule_id),
                    "event": moved.event,
                    "before": str(moved.before.confidence),
                    "after": str(moved.after.confidence),
                }
                for moved in judged.moved
            ],
        )
        return Next(name="backtrack", iteration=job.iteration)

    return Work(store=store, calls=notes(applied.call))


def _text(
    iteration: int, rules: Sequence[Recalled], applied: Sequence[UUID], judged: Judged
) -> str:
    if not rules:
        return f"Iteration {iteration}: no rule to judge."
    if not applied:
        return f"Iteration {iteration} applies no rule."
    if not judged.moved:
        return f"Iteration {iteration} judges no rule."
    words = {rule.id: _shortened(rule.content) for rule in rules}
    told = "; ".join(
        f"{moved.event} “{words[moved.rule_id]}” "
        f"(confidence {moved.before.confidence} to {moved.after.confidence})"
        for moved in judged.moved
    )
    return f"Iteration {iteration} judges rules: {told}."


def _shortened(content: str) -> str:
    """Return a rule's claim: its first sentence, or the beginning of that."""
    claim = content.strip().partition("\n")[0]
    return cut(claim.partition(". ")[0].removesuffix("."), WORDS_MAX)
