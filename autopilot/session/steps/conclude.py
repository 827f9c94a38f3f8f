"""Conclude: the best strategy becomes an optimization, and the session ends (SPEC A8)."""

from typing import Any

from django.db import transaction

from autopilot.errors import SymbolNotSelected
from autopilot.learning.insights import publish_optimization
from autopilot.models import Backtest, Step
from autopilot.session.history import Attempt, attempts
from autopilot.session.work import Book, End, Job, Work

NOTHING = "no iteration came to a backtest"


def conclude(job: Job) -> Work:
    """Store the best of what was tried; a session that tried nothing has failed.

    Each backtest counts, also that of an iteration which came no further before the time was over.
    """
    tried = attempts(job.session.id)
    if not tried:
        return Work(store=lambda _: End(status="failed", code="nothing_finished", error=NOTHING))
    best = tried[0]
    insight = next((past.insight for past in job.state.past if past.backtest == best.id), None)
    call = _call(job, best.iteration)

    def store(book: Book) -> End:
        book.state.base = book.session.best_id = best.id
        try:
            with transaction.atomic():
                learned = publish_optimization(
                    actor=book.writer(),
                    backtest=Backtest.objects.get(agent_id=book.session.agent_id, id=best.id),
                    insight_id=insight,
                    tried=len(tried),
                    call=call,
                    now=book.now,
                )
        except SymbolNotSelected as error:
            return _not_kept(book, best, error)
        book.tell(
            "concluded",
            f"The best of {len(tried)} is that of iteration {best.iteration}: {learned.outcome}.",
            memory_id=str(learned.id),
            backtest=str(best.id),
            best_iteration=best.iteration,
            tried=len(tried),
            outcome=learned.outcome,
        )
        return End(status="succeeded")

    return Work(store=store)


def _not_kept(book: Book, best: Attempt, error: SymbolNotSelected) -> End:
    """End a session whose instrument is the agent's no longer: nothing is published on such."""
    text = f"The best, that of iteration {best.iteration}, is not kept: {error.message}."
    book.tell("not_kept", text, backtest=str(best.id), best_iteration=best.iteration)
    return End(status="failed", code=error.code, error=error.message)


def _call(job: Job, iteration: int) -> dict[str, Any] | None:
    """Return the note of the call that proposed the best strategy: the iteration's last one."""
    step = Step.objects.filter(session_id=job.session.id, iteration=iteration, name="advise")
    calls = step.order_by("-number").values_list("calls", flat=True).first()
    return calls[-1] if calls else None
