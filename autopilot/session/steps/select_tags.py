"""Select tags: the advisor's first turn, what memory is searched for (SPEC A4)."""

from autopilot.crew import advisor, researcher
from autopilot.session.state import Turn
from autopilot.session.steps.common import assignment_of, note_seen, notes, wide_view_of
from autopilot.session.work import Book, Job, Next, Work
from memory.selectors.recall import tag_pool


def select_tags(job: Job) -> Work:
    """Begin an iteration: ask what to search for; the session's own tags where that fails."""
    view, assignment = wide_view_of(job.session), assignment_of(job)
    gathered = researcher.gather(view=view, assignment=assignment)
    chosen = advisor.select_tags(
        provider=job.provider,
        assignment=assignment,
        gathered=gathered,
        summary=job.state.summary,
        pool=tag_pool(view=view),
        iteration=job.iteration,
        seed=str(job.session.id),
    )

    def store(book: Book) -> Next:
        book.state.turn = Turn(number=job.iteration, symbol=chosen.symbol, tags=list(chosen.tags))
        note_seen(book.state, gathered.everything)
        tags = ", ".join(chosen.tags) or "no tags"
        book.tell(
            "tags_selected",
            f"Iteration {job.iteration} searches memory for {tags} ({chosen.symbol}).",
            tags=list(chosen.tags),
            symbol=chosen.symbol,
            fell_back=chosen.fell_back,
        )
        return Next(name="advise", iteration=job.iteration)

    return Work(store=store, calls=notes(chosen.call))
