"""What several steps need: what a session may read, and where an iteration leads."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from autopilot.crew.material import Assignment
from autopilot.llm.port import CallNote
from autopilot.models import Backtest, Session
from autopilot.session.state import State
from autopilot.session.work import Book, Job, Next
from memory.policies.layout import COMMUNITY, defused
from memory.selectors.reach import ORIGINS, look_up_reach
from memory.selectors.recall import Recalled, View

HOLDOUT_FREE = ("trades", "equity", "holdout", "verdict")
"""Fields of a backtest that a step leaves unread where something of it may reach a model."""


def view_of(session: Session) -> View:
    """Return what of the agent's own memory the session sees (SPEC A9).

    That is memory as it was when the session started, without what was learned on the bars of its
    holdout, and with what it learned itself.
    """
    hidden = None
    if session.window_split is not None and session.window_end is not None:
        hidden = (session.window_split, session.window_end)
    return View(
        agent_id=session.agent_id, at=session.created_at, session_id=session.id, hidden=hidden
    )


def wide_view_of(session: Session) -> View:
    """Return what the session's researcher and advisor see: also what others share, and grants.

    What they see beside the agent's own memory is no evidence for a rule, and lends no tag (SPEC
    M6, M10).
    """
    return replace(view_of(session), reach=look_up_reach(session.agent_id))


def origins(shown: Iterable[Recalled]) -> dict[str, int]:
    """Return how many memories came from where."""
    found = [one.origin for one in shown]
    return {origin: found.count(origin) for origin in ORIGINS}


def from_others(shown: Iterable[Recalled]) -> str:
    """Return, with the marks of a search answer, how many memories are others'; "" for none."""
    marks = Counter(_mark_of(one) for one in shown if one.origin != "own")
    told = ", ".join(f"{count} {mark}" for mark, count in sorted(marks.items()))
    return f"From others: {told}." if told else ""


def _mark_of(recalled: Recalled) -> str:
    if recalled.origin == "community":
        return COMMUNITY
    return f"[FROM {defused(recalled.granted_from or '')}]"


def assignment_of(job: Job) -> Assignment:
    """Return what the session is asked for."""
    session = job.session
    return Assignment(
        prompt=session.prompt,
        symbol=session.symbol_id or "",
        timeframe=session.timeframe or "",
        pro=session.plan == "pro",
        available=frozenset(job.state.available),
    )


def seed_of(job: Job) -> str:
    """Return what makes chance repeatable: the same session draws the same again."""
    return f"{job.session.id}|{job.iteration}"


def notes(*calls: CallNote | None) -> list[dict[str, object]]:
    """Return the notes of calls that were made, as a step keeps them."""
    return [call.as_json() for call in calls if call is not None]


def note_seen(state: State, shown: Iterable[Recalled]) -> None:
    """Count the memories that know a part of the session's holdout."""
    state.note_seen(one.id for one in shown if one.holdout_seen)


def backtest_of(job: Job) -> Backtest:
    """Return the iteration's backtest as models may know of it (see HOLDOUT_FREE)."""
    return Backtest.objects.defer(*HOLDOUT_FREE).get(
        agent_id=job.session.agent_id, session_id=job.session.id, iteration=job.iteration
    )


def next_iteration(book: Book, *, succeeded: bool = False) -> Next:
    """Return what follows an iteration that is over."""
    session = book.session
    is_enough = session.until_profitable and succeeded
    if is_enough or session.iteration >= session.max_iterations:
        return Next(name="conclude", iteration=session.iteration)
    return Next(name="select_tags", iteration=session.iteration + 1)
