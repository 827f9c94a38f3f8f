"""What an advisor may propose, and what becomes of the rest (SPEC A4, A5, A6)."""

from datetime import datetime
from typing import Any

import pytest

from autopilot.models import Backtest, Session
from autopilot.session import reading
from autopilot.session.steps import STEPS
from memory.models import Agent, Run
from tests.autopilot.session.bench import Clock, begin, take
from tests.autopilot.session.players import Player
from tests.autopilot.session.whole import advising, events, proposal, steps_of, trends, whole
from tests.desk import Desk

SQUEEZE = [{"weight": 1, "block": {"type": "squeeze_break"}}]
FUNDING = [{"type": "funding"}]
DAILY = {"timeframe": "1d", "filters": [{"type": "session", "sessions": ["asia"]}]}


@pytest.mark.spec("A5", "A6", "L5")
@pytest.mark.parametrize(
    ("bad", "code", "place"),
    [
        (proposal(foundations=SQUEEZE), "pro_only", "foundations[0].block"),
        (proposal(filters=FUNDING), "kline_only", "filters[0]"),
        (proposal(**DAILY), "wrong_timeframe", "timeframe"),
        (proposal(entry_threshold=3), "invalid_strategy", None),
        (proposal(foundations=[]), "invalid_strategy", "foundations"),
        ({"moon": True}, "invalid_strategy", None),
        (None, "no_strategy", None),
    ],
)
def test_a_strategy_that_may_not_be_tried_goes_back_by_name_and_then_the_iteration_fails(
    ready: Desk, now: datetime, bad: Any, code: str, place: str | None
) -> None:
    provider = advising(bad)
    session = whole(ready, Clock(now), provider, max_iterations=1)
    refusals = events(session, "strategy_refused")
    assert [event.data["corrections"] for event in refusals] == [1, 2, 3, 4]
    assert code in {problem["code"] for problem in refusals[0].data["problems"]}
    if place is not None:
        assert place in {problem.get("path") for problem in refusals[0].data["problems"]}
    # Each try is a step of its own, with one call; what was wrong goes into the next prompt.
    tries = [step for step in steps_of(session) if step.name == "advise"]
    assert [len(step.calls) for step in tries] == [1, 1, 1, 1]
    feedback = [ask.material["feedback"] for ask in provider.asked if ask.role == "advisor"]
    assert feedback[0] == []
    assert feedback[1:] == [event.data["problems"] for event in refusals[:3]]
    (failed,) = events(session, "iteration_failed")
    assert code in failed.data["reason"]
    assert reading.answer(session).iterations[0].reason == failed.data["reason"]
    # It was the only iteration, so there is nothing to conclude.
    assert (session.status, session.error_code) == ("failed", "nothing_finished")
    assert not Backtest.objects.exists()


@pytest.mark.spec("A5")
def test_a_corrected_strategy_is_tried_and_a_failed_iteration_does_not_end_the_session(
    ready: Desk, now: datetime
) -> None:
    bad, good = proposal(foundations=SQUEEZE), proposal()
    provider = advising(bad, good, bad, bad, bad, bad, proposal(side="long"))
    session = whole(ready, Clock(now), provider, max_iterations=3)
    answer = reading.answer(session)
    assert [one.backtest is not None for one in answer.iterations] == [True, False, True]
    assert session.status == "succeeded"
    assert [event.iteration for event in events(session, "iteration_failed")] == [2]
    # An id that nobody offered is told, and counts for nothing.
    assert events(session, "advised")[0].data["ignored_ids"] == ["nobody's"]


@pytest.mark.spec("A5")
def test_what_was_tried_already_is_refused(ready: Desk, now: datetime) -> None:
    session = whole(ready, Clock(now), advising(proposal()), max_iterations=2)
    answer = reading.answer(session)
    assert [one.backtest is not None for one in answer.iterations] == [True, False]
    assert "already_tried" in answer.iterations[1].reason


@pytest.mark.spec("A5")
def test_a_pro_agent_may_use_pro_blocks_and_its_plan_is_that_of_the_start(
    ready: Desk, now: datetime
) -> None:
    Agent.objects.filter(id=ready.agent.id).update(plan="pro")
    ready.agent.refresh_from_db()
    clock = Clock(now)
    session = begin(ready, now=clock(), max_iterations=1)
    Agent.objects.filter(id=ready.agent.id).update(plan="free")
    provider = advising(proposal(foundations=SQUEEZE))
    take(session.id, clock=clock, steps=STEPS, provider=provider)
    assert Session.objects.get(id=session.id).status == "succeeded"


CONTRADICTORY = proposal(filters=[{"type": "natr", "max_pct": 1}, {"type": "natr", "min_pct": 5}])


@pytest.mark.spec("A6")
@pytest.mark.parametrize(
    ("mode", "counts"), [("off", (0, 0)), ("advise", (0, 1)), ("enforce", (4, 0))]
)
def test_the_critics_no_counts_only_where_it_is_enforced(
    ready: Desk, now: datetime, settings: Any, mode: str, counts: tuple[int, int]
) -> None:
    settings.AI_CRITIC_MODE = mode
    session = whole(ready, Clock(now), advising(CONTRADICTORY), max_iterations=1)
    refused, criticised = events(session, "strategy_refused"), events(session, "criticised")
    assert (len(refused), len(criticised)) == counts
    assert not any(event.data["approved"] for event in criticised)
    assert Backtest.objects.count() == (0 if refused else 1)


@pytest.mark.spec("A4", "M7", "A3", "L4")
def test_a_model_that_is_away_leaves_a_session_that_goes_on_by_the_fallbacks(
    ready: Desk, now: datetime
) -> None:
    clock = Clock(now)
    whole(ready, clock, trends(), max_iterations=3)
    dumb = Player(mute=("researcher", "advisor_tags", "tagger", "synthesizer", "evaluator"))
    session = whole(ready, clock, dumb, prompt="trend_following on BTC", max_iterations=2)
    assert session.status == "succeeded"
    (researched,) = events(session, "researched")
    assert researched.text.startswith("Memory returned ")
    assert all(event.data["fell_back"] for event in events(session, "tags_selected", "learned"))
    assert "btc" in events(session, "tags_selected")[0].data["tags"]
    fallbacks = {
        (call["role"], call["fallback"]) for step in steps_of(session) for call in step.calls
    }
    assert ("tagger", "unavailable") in fallbacks
    assert ("advisor", None) in fallbacks


@pytest.mark.spec("A1", "A4")
def test_without_any_advice_thirty_iterations_fail_and_the_session_says_so(
    ready: Desk, now: datetime
) -> None:
    session = whole(ready, Clock(now), Player(mute=("advisor",)), max_iterations="until_profitable")
    assert len(events(session, "iteration_failed")) == session.iteration == 30
    assert (session.status, session.error_code) == ("failed", "nothing_finished")
    assert Run.objects.get(id=session.run_id).status == "failed"
