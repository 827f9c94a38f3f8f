"""Whole sessions, step by step, by the real steps (SPEC A1, A3-A5, A7-A11, A14)."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from autopilot.llm.offline.provider import OfflineProvider
from autopilot.llm.port import Ask
from autopilot.models import Backtest, Event, Judgement, Session, Step, SynthesisClaim
from autopilot.models.sessions import STEPS as NAMES
from autopilot.session import reading
from autopilot.session.history import Attempt
from autopilot.session.services import cancel
from autopilot.session.steps import STEPS
from autopilot.session.work import Job, Steps, Work
from autopilot.strategy.schema import Strategy
from memory.models import Agent, Instrument, Record, RecordLink, Run, Standing, StandingChange
from memory.services import setup
from memory.services.standings import moving_of, replayed
from tests.autopilot.session.bench import Clock, begin, due, store_bars, take
from tests.autopilot.session.players import Names, Player
from tests.desk import Desk
from trading.models import Candle

LOOP = ["select_tags", "advise", "backtest", "learn", "synthesize", "evaluate", "backtrack"]
OFFLINE = OfflineProvider()
SECOND = timedelta(seconds=1)


@pytest.fixture
def ready(desk: Desk, now: datetime) -> Desk:
    """Return a desk whose ETH and BTC have synthetic hourly bars."""
    store_bars(now=now)
    store_bars(now=now, instrument="BTC", seed=11)
    return desk


def whole(desk: Desk, clock: Clock, provider: Any = OFFLINE, **body: Any) -> Session:
    """Take a session from its start to its end."""
    session = begin(desk, now=clock(), **body)
    take(session.id, clock=clock, steps=STEPS, provider=provider)
    return Session.objects.get(id=session.id)


def events(session: Session, *kinds: str) -> list[Event]:
    told = Event.objects.filter(session=session).order_by("seq")
    return list(told.filter(kind__in=kinds) if kinds else told)


def steps_of(session: Session) -> list[Step]:
    return list(Step.objects.filter(session=session).order_by("number"))


@contextmanager
def undone() -> Iterator[None]:
    """Undo what is written inside."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def proposal(**over: Any) -> dict[str, Any]:
    """Return a strategy that passes, with `over` in place of its parts."""
    return {
        "name": "a proposal",
        "timeframe": "1h",
        "foundations": [{"weight": 1, "block": {"type": "ema_cross"}}],
        "exits": {"stop": {"type": "stop_atr"}, "take_profit": {"type": "tp_r", "r": 2}},
        **over,
    }


def advising(*strategies: Any) -> Player:
    """Return a model that proposes these strategies in turn, and the last one again."""
    left = list(strategies)

    def advise(ask: Ask[Any]) -> dict[str, Any]:
        del ask
        strategy = left.pop(0) if len(left) > 1 else left[0]
        return {"recommendation": "try this", "strategy": strategy, "used_ids": ["nobody's"]}

    return Player(lines={"advisor": advise})


RULE = {"rule": "Follow the cross of two averages", "tags": ["ema_cross"]}


def trends() -> Player:
    """Return a model whose strategies are all of one type, and that makes a rule of three."""
    player = advising(*(proposal(side=side) for side in ("both", "long", "short")))
    player.lines["synthesizer"] = lambda _: RULE
    return player


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
    assert all(call["prompt_version"] == 1 and len(call["prompt_sha256"]) == 64 for call in calls)
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


@pytest.mark.spec("A11")
def test_a_session_can_be_cancelled_before_each_of_its_steps(ready: Desk, now: datetime) -> None:
    session = begin(ready, now=now, max_iterations=1)
    for taken in range(len(NAMES)):
        with undone():
            clock = Clock(now)
            take(session.id, clock=clock, steps=STEPS, provider=OFFLINE, at_most=taken)
            ended = cancel(session=session, now=clock())
            assert (ended.status, due(session.id)) == ("cancelled", None)
            assert not Record.objects.filter(type="optimization").exists()
            assert Run.objects.get(id=session.run_id).status == "failed"
            assert events(session)[-1].seq == ended.last_event


@pytest.mark.spec("A11")
@pytest.mark.parametrize("name", NAMES)
def test_a_session_cancelled_in_the_midst_of_a_step_keeps_what_the_step_did_and_ends(
    ready: Desk, now: datetime, name: str
) -> None:
    session = begin(ready, now=now, max_iterations=1)

    def cancelled(job: Job) -> Work:
        cancel(session=session, now=job.now)
        return STEPS[job.name](job)

    take(session.id, clock=Clock(now), steps={**STEPS, name: cancelled}, provider=OFFLINE)
    ended = Session.objects.get(id=session.id)
    # The last step has done all there was to do.
    assert ended.status == ("succeeded" if name == "conclude" else "cancelled")
    steps = steps_of(session)
    assert [step.name for step in steps] == list(NAMES[: NAMES.index(name) + 1])
    assert steps[-1].calls or name not in {"select_tags", "advise", "learn"}
    assert Record.objects.filter(type="strategy_insight").count() == (
        NAMES.index(name) >= NAMES.index("learn")
    )


@pytest.mark.spec("A11")
def test_a_session_whose_time_is_over_is_concluded_with_what_there_is(
    ready: Desk, now: datetime
) -> None:
    session = begin(ready, now=now, max_iterations=2)
    for taken in (0, 2, 4, 5, 6, 7, 8, 9, 13, 16):
        with undone():
            clock = Clock(now)
            take(session.id, clock=clock, steps=STEPS, provider=OFFLINE, at_most=taken)
            clock.moment = session.deadline_at
            take(session.id, clock=clock, steps=STEPS, provider=OFFLINE)
            ended = Session.objects.get(id=session.id)
            # A backtest counts, though its iteration came no further: it is the fifth step.
            is_any = taken >= 5
            assert ended.status == ("succeeded" if is_any else "failed")
            assert ended.error_code == ("" if is_any else "nothing_finished")
            assert Record.objects.filter(type="optimization").count() == is_any
            links = RecordLink.objects.filter(source__type="optimization")
            assert links.count() == (taken >= 6), "derived from its insight, where there is one"
            assert (ended.best_id is not None) == is_any
            assert len(events(session, "out_of_time")) == (taken < 2 + 2 * len(LOOP))


@pytest.mark.spec("R3", "R8", "A11", "A8")
@pytest.mark.parametrize("iterations", [0, 1])
@pytest.mark.parametrize("way", ["deselected", "delisted"])
def test_an_instrument_that_goes_meanwhile_ends_the_session_by_its_code_and_names_the_best(
    ready: Desk, now: datetime, iterations: int, way: str
) -> None:
    session, clock = begin(ready, now=now), Clock(now + SECOND)
    many = 2 + iterations * len(LOOP)
    take(session.id, clock=clock, steps=STEPS, provider=OFFLINE, at_most=many)
    go(ready, way, now=clock())
    take(session.id, clock=clock, steps=STEPS, provider=OFFLINE)
    ended = Session.objects.get(id=session.id)
    assert (ended.status, ended.error_code) == ("failed", "symbol_not_selected")
    assert ended.error == "ETH is no longer an active instrument selected by this agent"
    assert [event.kind for event in events(session)][-3:] == ["broken_off", "not_kept", "failed"]
    (not_kept,) = events(session, "not_kept")
    assert not_kept.data["backtest"] == str(ended.best_id)
    assert [step.name for step in steps_of(session)][-2:] == ["learn", "conclude"]
    answer = reading.answer(ended)
    assert [one.reason for one in answer.iterations] == [""] * iterations + [ended.error]
    assert answer.best is not None
    assert not Record.objects.filter(type="optimization").exists()
    assert Backtest.objects.filter(session=session).count() == iterations + 1


def go(desk: Desk, way: str, *, now: datetime) -> None:
    """Take ETH from the desk's agent, or off the exchange."""
    if way == "deselected":
        setup.deselect_instrument(agent=desk.agent, name="ETH", now=now)
    else:
        Instrument.objects.filter(id="ETH").update(is_active=False)


@pytest.mark.spec("R3", "A8", "A11")
def test_an_instrument_that_was_away_for_a_moment_costs_the_iterations_and_not_the_best(
    ready: Desk, now: datetime
) -> None:
    session, clock = begin(ready, now=now), Clock(now + SECOND)
    take(session.id, clock=clock, steps=STEPS, provider=OFFLINE, at_most=2 + len(LOOP) + 3)
    Instrument.objects.filter(id="ETH").update(is_active=False)
    take(session.id, clock=clock, steps=STEPS, provider=OFFLINE, at_most=1)
    Instrument.objects.filter(id="ETH").update(is_active=True)
    take(session.id, clock=clock, steps=STEPS, provider=OFFLINE)
    assert Session.objects.get(id=session.id).status == "succeeded"
    assert Record.objects.filter(type="optimization").count() == 1


@pytest.mark.spec("A8", "A11")
def test_a_session_that_cannot_go_on_keeps_the_best_of_what_it_tried(
    ready: Desk, now: datetime
) -> None:
    session, clock = begin(ready, now=now), Clock(now)
    take(session.id, clock=clock, steps=STEPS, provider=OFFLINE, at_most=2 + len(LOOP) + 2)
    Candle.objects.all().delete()
    take(session.id, clock=clock, steps=STEPS, provider=OFFLINE)
    ended = Session.objects.get(id=session.id)
    assert (ended.status, ended.error_code) == ("succeeded", "")
    (broken,) = events(session, "broken_off")
    assert (broken.step, broken.data) == ("backtest", {"code": "not_enough_bars"})
    assert Record.objects.filter(type="optimization").count() == 1
    assert "candles" in reading.answer(ended).iterations[-1].reason


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
