"""Conclude: the best strategy becomes an optimization, and the session ends (SPEC A8)."""

from typing import Any

from autopilot.learning.insights import publish_optimization
from autopilot.models import Backtest, Step
from autopilot.session.work import Book, End, Job, Work

NOTHING = "no iteration came to a backtest that could be learned from"


def conclude(job: Job) -> Work:
    """Store the best of what was tried; a session that tried nothing to its end has failed."""
    base = job.state.base
    kept = next((past for past in job.state.past if past.backtest == base), None)
    if base is None or kept is None or kept.insight is None:
        return Work(store=lambda _: End(status="failed", code="nothing_finished", error=NOTHING))
    insight, call = kept.insight, _call(job, kept.number)
    tried = Backtest.objects.filter(session_id=job.session.id).count()

    def store(book: Book) -> End:
        best = Backtest.objects.get(agent_id=book.session.agent_id, id=base)
        learned = publish_optimization(
            actor=book.writer(),
            backtest=best,
            insight_id=insight,
            tried=tried,
            call=call,
            now=book.now,
        )
        book.tell(
            "concluded",
            f"The best of {tried} is that of iteration {kept.number}: {learned.outcome}.",
            memory_id=str(learned.id),
            backtest=str(best.id),
            best_iteration=kept.number,
            tried=tried,
            outcome=learned.outcome,
        )
        return End(status="succeeded")

    return Work(store=store)


def _call(job: Job, iteration: int) -> dict[str, Any] | None:
    """Return the note of the call that proposed the best strategy: the iteration's last one."""
    step = Step.objects.filter(session_id=job.session.id, iteration=iteration, name="advise")
    calls = step.order_by("-number").values_list("calls", flat=True).first()
    return calls[-1] if calls else None
