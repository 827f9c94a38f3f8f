"""Whole sessions, step by step, by the real steps (SPEC A1, A3-A5, A7-A11, A14)."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings

from autopilot.models import Backtest, Judgement, Session, SynthesisClaim
from autopilot.session import reading
from autopilot.session.history import Attempt
from autopilot.session.steps import STEPS
from autopilot.session.work import Job, Steps, Work
from autopilot.strategy.schema import Strategy
from memory.models import Record, RecordLink, Run, Standing, StandingChange
from memory.policies.standing import PRESETS
from memory.services.standings import moving_of, replayed
from tests.autopilot.session.bench import Clock, begin, take
from tests.autopilot.session.players import Names, Player
from tests.autopilot.session.whole import (
    LOOP,
    RULE,
    events,
    proposal,
    steps_of,
    trends,
    undone,
    whole,
)
from tests.desk import Desk


@pytest.mark.spec("A1", "A4", "A7", "A8", "A10", "A11", "A14", "L2", "L5")
def test_a_session_goes_through_its_loop_and_ends_with_its_best_strategy(
    ready: Desk, now: datetime
) -> None:
    session = whole(ready, Clock(now), max_iterations=3)
    assert (session.status, session.iteration) == ("succeeded", 3)
    steps = steps_of(session)
    assert [step.name for step in steps] == ["resolve", "research", *LOOP * 3, "conclude"]
    assert {step.status for step in steps} == {"done"}
    assert max(len(step.calls) for step in steps) == 1
    calls = [call for step in steps for call in step.calls]
    assert {call["provider"] for call in calls} == {"offline"}
    pinned = settings.PROMPT_VERSIONS
    assert all(call["prompt_version"] == pinned[call["role"]] for call in calls)
    assert all(len(call["prompt_sha256"]) == 64 for call in calls)
    assert [event.seq for event in events(session)] == list(range(1, session.last_event + 1))
    # Every step tells something, each iteration anew.
    told = {(event.step, event.iteration) for event in events(session)}
    assert told == {("", 0), *((step.name, step.iteration) for step in steps)}
    backtests = list(Backtest.objects.filter(session=session).order_by("iteration"))
    assert [test.iteration for test in backtests] == [1, 2, 3]
    assert len({bytes(test.config_hash) for test in backtests}) == 3
    best = Standing.objects.get(type="optimization")
    assert best.record.run_id == session.run_id
    assert best.metrics["backtest"] == str(session.best_id)
    assert Run.objects.get(id=session.run_id).status == "succeeded"


@pytest.mark.spec("A8", "A9", "M1", "M2", "M11")
def test_each_iteration_leaves_an_insight_with_the_figures_of_both_windows(
    ready: Desk, now: datetime
) -> None:
    session = whole(ready, Clock(now), max_iterations=2)
    answer = reading.answer(session)
    assert [one.reason for one in answer.iterations] == ["", ""]
    for one in answer.iterations:
        assert one.backtest is not None
        assert one.insight is not None
        insight = Standing.objects.get(record_id=one.insight)
        assert (insight.symbol_id, insight.outcome) == ("ETH", one.backtest.outcome)
        assert insight.metrics["in_sample"] == one.backtest.in_sample
        assert insight.metrics["holdout"] == one.backtest.holdout
        assert insight.metrics["session"] == str(session.id)
        window = insight.metrics["window"]
        assert (window["instrument"], window["timeframe"]) == ("ETH", "1h")
        confidence = Decimal(insight.metrics["in_sample_confidence"])
        held = one.backtest.holdout
        doubted = insight.outcome == "success" and held["trades"] and held["total_pnl_pct"] <= 0
        assert insight.confidence == (min(confidence, Decimal("0.5")) if doubted else confidence)
        record = Record.objects.get(id=one.insight)
        assert record.run_id == session.run_id
        assert record.metadata["produced_by"]["provider"] == "offline"
    # 600 bars: 420 are seen, 180 held out.
    test = Backtest.objects.filter(session=session).defer("trades").first()
    assert test is not None
    assert (test.window_split - test.window_start) == timedelta(hours=420)
    assert (test.window_end - test.window_split) == timedelta(hours=180)
    assert (test.in_sample["bars"], test.holdout["bars"]) == (420, 180)
    assert test.data_source == "synthetic"


@pytest.mark.spec("M1", "A10", "E6")
def test_a_session_tells_by_which_terms_a_backtest_of_it_is_a_success(
    ready: Desk, now: datetime, settings: Any
) -> None:
    settings.STANDING_TERMS = settings.STANDING_TERMS | PRESETS["strict"]
    clock = Clock(now)
    session = begin(ready, now=clock())
    assert reading.answer(session).success is None
    take(session.id, clock=clock, steps=STEPS, at_most=1)
    (resolved,) = events(session, "resolved")
    assert resolved.text.endswith(" A success has a PnL above 5 % and 20 trades or more.")
    assert resolved.data["success"] == {"pnl_above": "5", "min_trades": 20}
    settings.STANDING_TERMS = settings.STANDING_TERMS | PRESETS["s3"]
    told = reading.answer(Session.objects.get(id=session.id)).success
    assert told is not None
    assert (told.pnl_above, told.min_trades) == (Decimal(5), 20)


@pytest.mark.spec("A8", "M6", "A3", "S2")
def test_a_second_session_on_another_market_uses_what_the_first_one_learned(
    ready: Desk, now: datetime
) -> None:
    clock = Clock(now)
    first = whole(ready, clock, trends(), max_iterations=3)
    rules = list(Standing.objects.filter(type="rule").order_by("created_at"))
    assert len(rules) == 1
    for rule in rules:
        links = RecordLink.objects.filter(source_id=rule.record_id, link_type="derived_from")
        insights = Standing.objects.filter(record_id__in=links.values("target_id"))
        assert insights.count() == links.count() >= 3
        assert {one.strategy_type for one in insights} == {rule.strategy_type}
        assert {"rule", "all_symbols", rule.strategy_type} <= set(rule.tags)
    listener = Player()
    second = whole(ready, clock, listener, prompt="what works on BTC", max_iterations=4)
    assert events(first, "no_memories")
    (researched,) = events(second, "researched")
    assert researched.data["rules"] == 1
    assert researched.data["cross_asset_insights"] == 3
    advice = [ask for ask in listener.asked if ask.role == "advisor"]
    shown = {memory["id"] for ask in advice for memory in ask.material["memories"]}
    assert {str(rule.record_id) for rule in rules} <= shown
    # The same bars' holdout formed all of them, and the result says so.
    assert reading.answer(second).holdout_seen == 4
    for event in events(second, "evaluated"):
        assert (f"“{RULE['rule']}”" in event.text) == bool(event.data["moved"])
        assert str(rules[0].record_id) not in event.text
    # What the second one judged, it judged once each, with a ledger line.
    judged = Judgement.objects.filter(backtest_id__in=second.backtests.values("id"))
    lines = StandingChange.objects.filter(cause_kind="backtest")
    assert sorted(judged.values_list("rule_id", flat=True)) == sorted(
        lines.values_list("record_id", flat=True)
    )
    for rule in Standing.objects.all():
        assert replayed(rule.agent_id, rule.record_id) == moving_of(rule)


@pytest.mark.spec("L2", "A11")
def test_the_same_session_is_the_same_again(ready: Desk, now: datetime) -> None:
    session = begin(ready, now=now, max_iterations=3)
    told = []
    for _ in range(2):
        with undone():
            listener = Player()
            take(session.id, clock=Clock(now), steps=STEPS, provider=listener)
            texts = [f"{event.kind} {event.text} {event.data}" for event in events(session)]
            told.append((listener.prompts, Names().of(texts)))
    assert told[0] == told[1]


@pytest.mark.spec("A1")
def test_until_profitable_stops_at_the_first_success(ready: Desk, now: datetime) -> None:
    session = whole(ready, Clock(now), max_iterations="until_profitable")
    outcomes = list(
        Backtest.objects.filter(session=session)
        .order_by("iteration")
        .values_list("outcome", flat=True)
    )
    assert outcomes == ["failure"] * (len(outcomes) - 1) + ["success"]
    assert session.status == "succeeded"
    assert session.iteration == len(outcomes) < 30


@pytest.mark.spec("M6")
def test_where_promotion_is_guarded_a_refusal_names_the_guard_and_asks_no_model(
    ready: Desk, now: datetime, settings: Any
) -> None:
    settings.RULE_PROMOTION = "guarded"
    listener = trends()
    session = whole(ready, Clock(now), listener, max_iterations=3)
    refused = events(session, "rule_refused")
    assert refused
    assert all("sessions" in event.data["missing"] for event in refused)
    assert not [ask for ask in listener.asked if ask.role == "synthesizer"]
    assert not Record.objects.filter(type="rule").exists()


@pytest.mark.spec("M6", "A11")
def test_an_evidence_set_that_was_taken_over_makes_no_rule_here_and_the_session_goes_on(
    ready: Desk, now: datetime
) -> None:
    def robbed(job: Job) -> Work:
        work = STEPS["synthesize"](job)
        SynthesisClaim.objects.filter(status="claimed").update(claim=job.session.id)
        return work

    session = begin(ready, now=now, max_iterations=3)
    steps: Steps = {**STEPS, "synthesize": robbed}
    take(session.id, clock=Clock(now), steps=steps, provider=trends())
    assert Session.objects.get(id=session.id).status == "succeeded"
    assert events(session, "synthesis_lost")
    assert not Record.objects.filter(type="rule").exists()


def attempt(**over: Any) -> Attempt:
    figures = {"calmar": over.pop("calmar", None), "total_pnl_pct": over.pop("pnl", 0.0)}
    filters = [{"type": "adx"}] * over.pop("filters", 0)
    strategy = Strategy.parse(proposal(filters=filters))
    known: dict[str, Any] = {"id": None, "config_hash": "", "outcome": "success", **over}
    return Attempt(strategy=strategy, in_sample=figures, **known)


@pytest.mark.spec("A8")
def test_strategies_are_ranked_by_calmar_then_pnl_then_fewer_blocks_then_age() -> None:
    ordered = [
        attempt(iteration=9, calmar=2.0),
        attempt(iteration=3, calmar=0.0),
        attempt(iteration=4, calmar=-1.0, pnl=50.0),
        attempt(iteration=5, calmar=-1.0, pnl=90.0),
        attempt(iteration=1, calmar=-1.0, filters=1),
        attempt(iteration=6, pnl=3.0),
        attempt(iteration=2, pnl=-3.0),
        attempt(iteration=7, pnl=-3.0),
        attempt(iteration=8, pnl=-4.0),
    ]
    ranked = sorted(ordered[4:] + ordered[:4], key=lambda one: one.rank, reverse=True)
    assert [one.iteration for one in ranked] == [one.iteration for one in ordered]


@pytest.mark.spec("A8")
def test_the_base_of_the_next_iteration_is_the_best_so_far(ready: Desk, now: datetime) -> None:
    listener = Player()
    session = whole(ready, Clock(now), listener, max_iterations=5)
    tests = {test.iteration: test for test in Backtest.objects.filter(session=session)}

    def better(one: int, than: int) -> bool:
        return _rank(tests[one]) > _rank(tests[than])

    best = 1
    for event in events(session, "backtracked"):
        if better(event.iteration, best):
            best = event.iteration
        assert event.data["best_iteration"] == best
    assert session.best_id == tests[best].id
    for ask in (ask for ask in listener.asked if ask.role == "advisor"):
        shown = ask.material["best"]
        before = [one for one in tests if one < ask.material["iteration"]]
        top = max(before, key=lambda one: _rank(tests[one]), default=None)
        assert [one["iteration"] for one in shown[:1]] == ([] if top is None else [top])


def _rank(test: Backtest) -> tuple[bool, float, int, int]:
    calmar = test.in_sample["calmar"]
    figure = test.in_sample["total_pnl_pct"] if calmar is None else calmar
    blocks = len(list(Strategy.parse(test.strategy).blocks()))
    return calmar is not None, figure, -blocks, -test.iteration
