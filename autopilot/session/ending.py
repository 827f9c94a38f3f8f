"""How a session ends: its run ends with it, and its last event says how."""

from contextlib import suppress

from autopilot.errors import UnreadableState
from autopilot.models import Backtest, Session
from autopilot.session.work import Book, End
from memory.errors import RunFinished
from memory.models import Run
from memory.services.runs import finish_run

UNEXPECTED = "unexpected"
"""The code of an error that nobody foresaw."""
RUN_STATUS = {"succeeded": "succeeded", "failed": "failed", "cancelled": "failed"}
SAYS = {
    "succeeded": "The session is finished.",
    "failed": "The session failed: {error}",
    "cancelled": "The session was cancelled.",
}


def cancelled(book: Book) -> End:
    """Return the end of a session that somebody cancelled; an open iteration ends with it."""
    with suppress(UnreadableState):
        if book.state.turn is not None:
            book.state.end_turn(reason="cancelled")
    return End(status="cancelled", code="cancelled", error="cancelled")


def leaves_something(end: End, *, session: Session, step: str) -> bool:
    """Tell whether a session that fails so in `step` has tried something that can be concluded.

    The last step says itself why it cannot; and on what nobody foresaw nothing is built.
    """
    if step == "conclude" or end.code in (UNEXPECTED, UnreadableState.code):
        return False
    return Backtest.objects.filter(session_id=session.id).exists()


def end(book: Book, how: End) -> None:
    """End the session and its run, in the book's transaction; the session is not saved here."""
    session = book.session
    failed = how.status == "failed"
    book.tell(how.status, SAYS[how.status].format(error=how.error), code=how.code)
    book.close()
    session.status, session.ended_at = how.status, book.now
    session.error_code, session.error = (how.code, how.error) if failed else ("", "")
    run = Run.objects.get(agent_id=session.agent_id, id=session.run_id)
    # Somebody with the producer's token may have finished the run before.
    with suppress(RunFinished):
        finish_run(run=run, status=RUN_STATUS[how.status], error=how.error, now=book.now)
