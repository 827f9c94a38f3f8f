"""What a session may not know: its holdout, and what became of memory since it began (SPEC A9)."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import transaction

from autopilot.models import Backtest, Session, Step
from autopilot.session import reading
from autopilot.session.state import State
from autopilot.session.steps import STEPS
from memory.models import Record, Standing
from memory.policies.freshness import iso
from memory.policies.lifecycle import confirm, contradict
from memory.services import standings
from memory.services.standings import Cause
from tests.autopilot.session.bench import Clock, begin, store_bars, take
from tests.autopilot.session.players import Names, Player
from tests.autopilot.session.whole import trends, whole
from tests.desk import Desk
from tests.strategies import remember
from trading.models import Candle, FundingRate

ITERATIONS = 4
HELD_OUT = 180
HOUR = timedelta(hours=1)


@pytest.fixture
def learned(desk: Desk, now: datetime) -> Desk:
    """Return a desk with three insights and a rule of a session on BTC, a month before.

    Its bars end before those of ETH's holdout begin, so that its memories are in view.
    """
    early = now - timedelta(days=20)
    store_bars(now=early, instrument="BTC", seed=3, count=400)
    whole(desk, Clock(early), trends(), prompt="trends on BTC", max_iterations=3)
    bars = store_bars(now=now)
    FundingRate.objects.bulk_create(
        FundingRate(instrument_id="ETH", at=bars.closed_at(index), rate=0.0001)
        for index in range(len(bars))
    )
    return desk


@dataclass(frozen=True)
class Seen:
    """What came of a session: all that a model was shown or said, and what people see besides."""

    prompts: list[str]
    steps: list[str]
    strategies: list[str]
    texts: list[str]
    insights: list[str]
    holdouts: list[Any]
    data: set[bytes]


def taken(session: Session, *, clock: Clock, listener: Player | None = None) -> Seen:
    """Take a session to its end and return what came of it."""
    listener = listener or Player()
    take(session.id, clock=clock, steps=STEPS, provider=listener)
    ended = Session.objects.get(id=session.id)
    assert ended.status == "succeeded"
    tests = Backtest.objects.filter(session=session).order_by("iteration")
    steps = Step.objects.filter(session=session).order_by("number")
    records = Record.objects.filter(run_id=session.run_id).exclude(type="rule").order_by("seq")
    names = Names()
    insights = Standing.objects.filter(record_id__in=records.values("id")).order_by("created_at")
    return Seen(
        prompts=listener.prompts,
        steps=names.of(f"{step.name} {step.iteration} {len(step.calls)}" for step in steps),
        strategies=[
            json.dumps([test.strategy, test.strategy_type, test.outcome, test.in_sample])
            for test in tests
        ],
        texts=names.of(_text(record) for record in records),
        insights=[
            f"{one.outcome} {one.relevance_score} {one.metrics['in_sample_confidence']}"
            f" {one.config}"
            for one in insights
        ],
        holdouts=[test.holdout for test in tests],
        data={bytes(test.data_hash) for test in tests},
    )


def _text(record: Record) -> str:
    # The prompt's digest is over ids, which chance draws.
    produced = {**record.metadata["produced_by"], "sha256": ""}
    return f"{record.content} {record.metadata | {'produced_by': produced}} {record.tags}"


def untouched(_: list[Candle]) -> None:
    """Leave the holdout as it is."""


def crash(held: list[Candle]) -> None:
    """Let prices fall by 3 % a bar."""
    for age, candle in enumerate(held, start=1):
        for name in ("open", "high", "low", "close"):
            setattr(candle, name, getattr(candle, name) * 0.97**age)


def silence(held: list[Candle]) -> None:
    """Let nothing be traded, at one price."""
    price = held[0].open
    for candle in held:
        candle.open = candle.high = candle.low = candle.close = price
        candle.volume = 0.0


def storm(held: list[Candle]) -> None:
    """Let prices jump at random."""
    rng = random.Random(5)
    for candle in held:
        factor = rng.uniform(0.5, 2)
        candle.open, candle.close = candle.open * factor, candle.close / factor
        candle.high = max(candle.open, candle.close) * rng.uniform(1, 1.1)
        candle.low = min(candle.open, candle.close) * rng.uniform(0.9, 1)
        candle.volume *= rng.uniform(0, 50)


def mirror(held: list[Candle]) -> None:
    """Let every move go the other way."""
    pivot = held[0].open ** 2
    for candle in held:
        candle.open, candle.close = pivot / candle.open, pivot / candle.close
        candle.high, candle.low = pivot / candle.low, pivot / candle.high


def with_holdout(
    session: Session, change: Callable[[list[Candle]], None], *, now: datetime
) -> Seen:
    """Return what comes of the session when its holdout is changed; all of it is undone."""
    with transaction.atomic():
        newest = Candle.objects.filter(instrument_id="ETH").order_by("-opened_at")[:HELD_OUT]
        held = list(newest)[::-1]
        change(held)
        if change is not untouched:
            later = FundingRate.objects.filter(instrument_id="ETH", at__gt=held[0].opened_at)
            later.update(rate=-0.002)
        Candle.objects.bulk_update(held, ["open", "high", "low", "close", "volume"])
        seen = taken(session, clock=Clock(now))
        transaction.set_rollback(True)
    return seen


@pytest.mark.spec("A9", "A4", "M7", "M6", "L2", "X5")
@pytest.mark.parametrize(
    ("promotion", "changes"),
    [("three_insights", (crash, silence, storm, mirror)), ("guarded", (storm,))],
)
def test_whatever_happens_in_the_holdout_prompts_strategies_and_in_sample_figures_stay(
    learned: Desk,
    now: datetime,
    settings: Any,
    promotion: str,
    changes: tuple[Callable[[list[Candle]], None], ...],
) -> None:
    settings.RULE_PROMOTION = promotion
    session = begin(learned, now=now, max_iterations=ITERATIONS)
    first = with_holdout(session, untouched, now=now)
    assert len(first.strategies) == ITERATIONS
    assert any("Follow the cross of two averages" in prompt for prompt in first.prompts)
    others = [with_holdout(session, change, now=now) for change in changes]
    for other in others:
        assert other.prompts == first.prompts
        assert other.steps == first.steps
        assert other.strategies == first.strategies
        assert other.texts == first.texts
        assert other.insights == first.insights
    # It was no idle test: the bars that were read did change.
    assert not any(other.data & first.data for other in others)


@pytest.mark.spec("A9")
def test_no_figure_of_a_holdout_is_in_a_prompt_a_memorys_text_or_the_state(
    learned: Desk, now: datetime
) -> None:
    session = begin(learned, now=now, max_iterations=3)
    seen = taken(session, clock=Clock(now), listener=trends())
    state = json.dumps(Session.objects.get(id=session.id).state)
    figures = {
        f"{abs(held[name]):.{places}f}"
        for held in seen.holdouts
        for name in ("total_pnl_pct", "max_drawdown_pct", "sharpe", "sortino")
        if held[name]
        for places in (4, 6)
    }
    assert figures
    for text in (*seen.prompts, *seen.texts, state):
        assert not [figure for figure in figures if figure in text]
        assert "holdout" not in text.replace("holdout_seen", "")


@pytest.mark.spec("A9", "A3")
def test_a_session_sees_memory_as_it_was_when_it_started(learned: Desk, now: datetime) -> None:
    session = begin(learned, now=now, max_iterations=3)
    rule = Standing.objects.get(type="rule")
    was = rule.confidence
    with transaction.atomic():
        first = taken(session, clock=Clock(now))
        transaction.set_rollback(True)
    later = now + timedelta(milliseconds=1)

    def moved(step: Callable[[Any], Any], event: str) -> None:
        standings.move(
            agent_id=rule.agent_id,
            record_id=rule.record_id,
            event=event,
            cause=Cause("user", "somebody"),
            step=step,
            now=later,
        )

    with transaction.atomic():
        moved(lambda standing: confirm(standing, now=later), "confirmed")
        remember(learned, "a rule of later", type="rule", tags=["momentum"], now=later)
        remember(learned, "an insight of later", symbol="ETH", tags=["momentum"], now=later)
        rule.refresh_from_db()
        assert rule.confidence != was
        second = taken(session, clock=Clock(now))
        transaction.set_rollback(True)
    with transaction.atomic():
        for _ in range(3):
            moved(lambda standing: contradict(standing, now=later), "contradicted")
        rule.refresh_from_db()
        assert rule.expires_at == later
        third = taken(session, clock=Clock(now))
        transaction.set_rollback(True)
    assert first.prompts == second.prompts == third.prompts
    assert first.strategies == second.strategies == third.strategies
    assert first.steps == second.steps == third.steps


@pytest.mark.spec("A9")
def test_what_moved_before_the_start_is_seen(learned: Desk, now: datetime) -> None:
    rule = Standing.objects.get(type="rule")
    before = now - HOUR
    standings.move(
        agent_id=rule.agent_id,
        record_id=rule.record_id,
        event="confirmed",
        cause=Cause("user", "somebody"),
        step=lambda standing: confirm(standing, now=before),
        now=before,
    )
    rule.refresh_from_db()
    session = begin(learned, now=now, max_iterations=1)
    listener = Player()
    take(session.id, clock=Clock(now), steps=STEPS, provider=listener)
    shown = [memory for ask in listener.asked for memory in ask.material["memories"]]
    told = {Decimal(memory["confidence"]) for memory in shown if memory["id"] == str(rule.pk)}
    assert told == {rule.confidence}


@pytest.mark.spec("A9")
def test_its_own_insights_are_seen_with_the_confidence_of_the_bars_before_the_holdout(
    learned: Desk, now: datetime
) -> None:
    session = begin(learned, now=now, max_iterations=ITERATIONS)
    listener = Player()
    take(session.id, clock=Clock(now), steps=STEPS, provider=listener)
    own = {
        str(one.record_id): Decimal(one.metrics["in_sample_confidence"])
        for one in Standing.objects.filter(type="strategy_insight", symbol="ETH")
    }
    assert len(own) == ITERATIONS
    shown = [
        (memory["id"], Decimal(memory["confidence"]), memory["from"])
        for ask in listener.asked
        for memory in ask.material["memories"]
        if memory["id"] in own
    ]
    assert shown
    assert {(id_, confidence) for id_, confidence, _ in shown} <= set(own.items())
    assert {whose for *_, whose in shown} == {"this session"}


@pytest.mark.spec("A9")
def test_memories_that_a_sessions_holdout_taught_are_left_out_or_counted(
    desk: Desk, now: datetime
) -> None:
    # ETH's holdout are the last 180 hours. What was learned on them is not shown; where they were
    # another's holdout, it counts.
    clock = Clock(now)
    asked: dict[str, Any] = {"prompt": "whatever works", "max_iterations": 1}
    for instrument, timeframe in (("ETH", "1h"), ("BTC", "1h"), ("BTC", "15m")):
        store_bars(now=now, instrument=instrument, timeframe=timeframe)
    assert whole(desk, clock, symbol="BTC", timeframe="15m", **asked).status == "succeeded"
    first = begin(desk, now=clock(), symbol="ETH", **asked)
    seen = taken(first, clock=clock)
    assert not any("BTC" in prompt for prompt in seen.prompts)
    assert reading.answer(Session.objects.get(id=first.id)).holdout_seen == 0
    assert whole(desk, clock, symbol="BTC", timeframe="1h", **asked).status == "succeeded"
    second = begin(desk, now=clock(), symbol="ETH", **asked)
    seen = taken(second, clock=clock)
    assert any("BTC" in prompt for prompt in seen.prompts)
    # The insight of BTC on 1h, and that of ETH before.
    assert reading.answer(Session.objects.get(id=second.id)).holdout_seen == 2


@pytest.mark.spec("A9", "M6")
def test_the_synthesizer_is_shown_what_its_session_sees_and_that_is_counted(
    desk: Desk, now: datetime
) -> None:
    store_bars(now=now)
    clock, listener = Clock(now), trends()
    session = begin(desk, now=clock(), max_iterations=3)
    facts: dict[str, Any] = {"type": "strategy_insight", "strategy_type": "trend_following"}
    take(session.id, clock=clock, steps=STEPS, provider=listener, at_most=2)
    begun = Session.objects.get(id=session.id)
    assert begun.window_split is not None
    assert begun.window_end is not None
    bars = {"start": "2020-01-01T00:00:00Z", "split": "2020-02-01T00:00:00Z"}
    held = {"window": bars | {"end": iso(begun.window_end)}}
    on_them = {"window": bars | {"split": iso(begun.window_end), "end": iso(begun.window_end)}}
    then = begun.created_at - HOUR
    marked = remember(desk, "marked", now=then, metrics=held, **facts)
    hidden = remember(desk, "hidden", now=then, metrics=on_them, **facts)
    late = [remember(desk, "late", now=clock(), **facts) for _ in range(3)]
    take(session.id, clock=clock, steps=STEPS, provider=listener)
    asked = [ask for ask in listener.asked if ask.role == "synthesizer"]
    assert asked
    shown = {memory["id"] for ask in asked for memory in ask.material["memories"]}
    assert str(marked) in shown
    assert not {str(id_) for id_ in (hidden, *late)} & shown
    ended = Session.objects.get(id=session.id)
    assert marked in State.read(ended.state).seen
    assert ended.status == "succeeded"
