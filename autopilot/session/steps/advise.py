"""Advise: the advisor's second turn, and what a strategy of it must pass (SPEC A4, A5, A6).

Each correction is a step of its own, so that a step makes one model call at the most (A14).
"""

from collections.abc import Iterable, Sequence
from typing import Any

from autopilot.crew import advisor, researcher
from autopilot.crew.advisor import Recommendation
from autopilot.crew.material import Tried
from autopilot.errors import InvalidStrategy
from autopilot.session.history import Attempt, attempts
from autopilot.session.steps.common import (
    assignment_of,
    from_others,
    next_iteration,
    note_seen,
    notes,
    origins,
    wide_view_of,
)
from autopilot.session.work import Book, Job, Next, Work
from autopilot.strategy.critic import Verdict, review
from autopilot.strategy.identity import config_hash
from autopilot.strategy.restrictions import violations
from autopilot.strategy.schema import Strategy
from autopilot.strategy.words import describe
from memory.selectors.recall import Recalled

CORRECTIONS = 3
"""How often a refused strategy goes back in an iteration."""


class Refusal(Exception):
    """Why a strategy is not tried: JSON objects with a code, a place and a sentence each."""

    def __init__(self, *problems: dict[str, Any]) -> None:
        super().__init__("; ".join(said(problem) for problem in problems))
        self.problems = list(problems)


def said(problem: dict[str, Any]) -> str:
    """Return a problem in a few words."""
    place, what = problem.get("path"), problem.get("message") or problem.get("type") or ""
    return ": ".join(part for part in (place, f"{what} ({problem['code']})".strip()) if part)


def advise(job: Job) -> Work:
    """Ask for a strategy and hold it against schema, plan, data, what was tried, and the critic."""
    view, assignment, turn = wide_view_of(job.session), assignment_of(job), job.state.this
    rules = researcher.rules_of(view=view)
    found = advisor.find(view=view, symbol=turn.symbol, tags=turn.tags)
    known = attempts(job.session.id)
    advice = advisor.advise(
        provider=job.provider,
        assignment=assignment,
        summary=job.state.summary,
        rules=rules,
        found=found,
        best=[_tried(attempt) for attempt in known],
        tried=[attempt.config_hash for attempt in known],
        iteration=job.iteration,
        correction=turn.corrections,
        feedback=turn.feedback,
        seed=str(job.session.id),
    )

    def store(book: Book) -> Next:
        note_seen(book.state, (*rules, *found.everything))
        book.state.this.advice = advice.text
        if advice.fell_back:
            return give_up(book, "the advisor gave no answer; the summary of memory is the advice")
        try:
            strategy = accepted(advice, job, known)
        except Refusal as refusal:
            return _refuse(book, refusal)
        used = [one for one in (*rules, *found.everything) if one.id in set(advice.used)]
        return _accept(book, advice, strategy, used=used)

    return Work(store=store, calls=notes(advice.call))


def accepted(advice: Recommendation, job: Job, known: Iterable[Attempt]) -> Strategy:
    """Return the strategy of an advice (Refusal)."""
    if advice.strategy is None:
        raise Refusal({"code": "no_strategy", "message": "there is no strategy in the answer"})
    try:
        strategy = Strategy.parse(advice.strategy)
    except InvalidStrategy as error:
        raise Refusal(
            *(
                {"path": path, "code": error.code, "message": message}
                for path, messages in error.errors.items()
                for message in messages
            )
        ) from None
    _hold_against_session(strategy, job, known)
    if job.session.critic_mode == "enforce" and not (verdict := review(strategy)).approved:
        raise Refusal({"code": verdict.critical_flaw, "message": verdict.reason})
    return strategy


def _hold_against_session(strategy: Strategy, job: Job, known: Iterable[Attempt]) -> None:
    """Refuse what the session cannot try (Refusal)."""
    wanted = job.session.timeframe
    if strategy.timeframe != wanted:
        message = f"the session is on {wanted}"
        raise Refusal({"path": "timeframe", "code": "wrong_timeframe", "message": message})
    found = violations(
        strategy, pro=job.session.plan == "pro", available=frozenset(job.state.available)
    )
    if found:
        raise Refusal(*(violation.as_json() for violation in found))
    if config_hash(strategy) in {attempt.config_hash for attempt in known}:
        raise Refusal({"code": "already_tried", "message": "the session has tried this one"})


def give_up(book: Book, why: str) -> Next:
    """End an iteration without a backtest."""
    number = book.state.this.number
    book.state.end_turn(reason=why)
    book.tell("iteration_failed", f"Iteration {number} failed: {why}.", reason=why)
    return next_iteration(book)


def _refuse(book: Book, refusal: Refusal) -> Next:
    turn = book.state.this
    turn.corrections += 1
    turn.feedback = refusal.problems
    book.tell(
        "strategy_refused",
        f"Iteration {turn.number}: the strategy is refused: {refusal}.",
        problems=refusal.problems,
        corrections=turn.corrections,
    )
    if turn.corrections > CORRECTIONS:
        return give_up(book, f"no strategy passed in {turn.corrections} tries: {refusal}")
    return Next(name="advise", iteration=turn.number)


def _accept(
    book: Book, advice: Recommendation, strategy: Strategy, *, used: Sequence[Recalled]
) -> Next:
    turn = book.state.this
    turn.strategy, turn.cited, turn.feedback = (
        strategy.model_dump(mode="json"),
        list(advice.used),
        [],
    )
    tries = f"Iteration {turn.number} tries: {describe(strategy)}"
    book.tell(
        "advised",
        ". ".join(part for part in (tries, from_others(used)) if part),
        advice=advice.text,
        strategy=turn.strategy,
        origins=origins(used),
        memory_ids=[str(id_) for id_ in advice.used],
        ignored_ids=list(advice.ignored),
    )
    if book.session.critic_mode != "off":
        _tell_verdict(book, review(strategy))
    return Next(name="backtest", iteration=turn.number)


def _tell_verdict(book: Book, verdict: Verdict) -> None:
    book.tell("criticised", verdict.reason, **verdict.as_json(), remarks=list(verdict.remarks))


def _tried(attempt: Attempt) -> Tried:
    return Tried(
        iteration=attempt.iteration,
        strategy=attempt.strategy,
        outcome=attempt.outcome,
        in_sample=attempt.in_sample,
    )
