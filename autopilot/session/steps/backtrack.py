"""Backtrack: the next iteration starts from the best strategy so far (SPEC A8)."""

from autopilot.session.history import attempts
from autopilot.session.steps.common import next_iteration
from autopilot.session.work import Book, Job, Next, Work


def backtrack(job: Job) -> Work:
    """Compare what was tried by its in-sample figures, and end the iteration."""
    ranked = attempts(job.session.id)
    best, present = ranked[0], next(one for one in ranked if one.iteration == job.iteration)

    def store(book: Book) -> Next:
        book.state.base = book.session.best_id = best.id
        calmar = present.in_sample.get("calmar")
        told = f"Calmar {'unknown' if calmar is None else f'{calmar:.2f}'}"
        if best.id == present.id:
            text = f"Iteration {job.iteration}, {told}: it is the best so far."
        else:
            text = f"Iteration {job.iteration}, {told}: back to iteration {best.iteration}."
        book.tell(
            "backtracked",
            text,
            is_best=best.id == present.id,
            best_iteration=best.iteration,
            best_backtest=str(best.id),
        )
        book.state.end_turn()
        return next_iteration(book, succeeded=present.outcome == "success")

    return Work(store=store)
