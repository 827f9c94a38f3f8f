"""Research: what memory says before anything is tried (SPEC A3)."""

from autopilot.crew import researcher
from autopilot.session.steps.common import (
    assignment_of,
    from_others,
    note_seen,
    notes,
    origins,
    wide_view_of,
)
from autopilot.session.work import Book, Job, Next, Work


def research(job: Job) -> Work:
    """Read memory and let the researcher sum it up; with no memories nobody is asked."""
    assignment = assignment_of(job)
    gathered = researcher.gather(view=wide_view_of(job.session), assignment=assignment)
    found = researcher.research(
        provider=job.provider,
        assignment=assignment,
        gathered=gathered,
        seed=str(job.session.id),
    )

    def store(book: Book) -> Next:
        book.state.summary = found.summary
        note_seen(book.state, gathered.everything)
        counts = {
            "rules": len(gathered.rules),
            "insights": len(gathered.exact),
            "cross_asset_insights": len(gathered.cross),
        }
        if found.is_empty:
            book.tell("no_memories", "Memory has nothing for this session yet.", **counts)
        else:
            ids = [str(one.id) for one in gathered.everything]
            book.tell(
                "researched",
                f"{found.summary} {from_others(gathered.everything)}".strip(),
                **counts,
                origins=origins(gathered.everything),
                memory_ids=ids,
            )
        return Next(name="select_tags", iteration=1)

    return Work(store=store, calls=notes(found.call))
