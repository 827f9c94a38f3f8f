"""Garbage from a model at each call that a session makes: its fallback, an event, nothing lost."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from autopilot.llm.port import Ask, ModelUnavailable, Role
from autopilot.models import Backtest, Event, Judgement, Session, Step, SynthesisClaim
from autopilot.session.steps import STEPS
from memory.models import Standing
from tests.autopilot.session.babble import Babbler, Says, everything
from tests.autopilot.session.bench import Clock, begin, store_bars, take
from tests.desk import Desk

HOUR, MEGABYTE, NOBODYS = timedelta(hours=1), 1_000_000, str(UUID(int=7))
STEP: dict[Role, str] = {
    "researcher": "research",
    "advisor_tags": "select_tags",
    "advisor": "advise",
    "tagger": "learn",
    "synthesizer": "synthesize",
    "evaluator": "evaluate",
}
"""Role → the step that asks in it: these are all the calls of a session."""
PROPER: dict[Role, dict[str, Any]] = {
    "researcher": {"summary": "s"},
    "advisor_tags": {"tags": ["adx"]},
    "advisor": {"recommendation": "r", "strategy": None},
    "tagger": {"strategy_type": "momentum", "tags": ["a"], "outcome": "success", "confidence": 1},
    "synthesizer": {"rule": "Wait"},
    "evaluator": {"applied_rule_ids": []},
}
"""Role → an answer in its shape, what matters most first for one that has several keys."""
KEY: dict[Role, str] = {role: next(iter(answer)) for role, answer in PROPER.items()}
LISTS: set[Role] = {"advisor_tags", "evaluator"}


def with_(role: Role, value: Any) -> str:
    """Return a proper answer with another value under the role's first key."""
    return json.dumps(PROPER[role] | {KEY[role]: value})


GARBAGE: dict[str, Callable[[Role], Says]] = {
    "not JSON": lambda role: f"Sure! Here is the {KEY[role]}: {{",
    "empty": lambda _: "",
    "wrong types": lambda role: with_(role, {"a": [1, None, "b"]}),
    "null": lambda role: with_(role, None),
    "1 MB": lambda role: with_(role, ["x" * MEGABYTE] if role in LISTS else "x" * MEGABYTE),
    "1 MB of brackets": lambda _: "[" * MEGABYTE,
    "a NUL": lambda role: with_(role, ["a\x00"] if role in LISTS else "a\x00"),
    "half a character": lambda role: with_(role, ["\ud800"] if role in LISTS else "\ud800"),
    "nobody there": lambda _: ModelUnavailable("nobody there"),
    "time is up": lambda _: TimeoutError("time is up"),
}
WHY = {"nobody there": "unavailable", "time is up": "failed"}
"""What the note of the call says of garbage that is no nonsense."""


def strategies() -> Callable[[Ask[Any]], str]:
    """Return an advisor that proposes momentum, each time another."""
    lengths = iter(range(8, 80))

    def advise(_: Ask[Any]) -> str:
        block = {"type": "roc_momentum", "length": next(lengths), "min_pct": 1.5}
        strategy = {
            "name": "a momentum",
            "timeframe": "1h",
            "foundations": [{"weight": 1, "block": block}],
            "exits": {"stop": {"type": "stop_atr"}, "take_profit": {"type": "tp_r", "r": 2}},
        }
        return json.dumps({"recommendation": "try this", "strategy": strategy})

    return advise


NONE_APPLIED = json.dumps({"applied_rule_ids": []})


def model(**says: Says) -> Babbler:
    """Return a model that tries momentum and applies no rule, but for what it `says`."""
    calm: dict[Role, Says] = {"advisor": strategies(), "evaluator": NONE_APPLIED}
    return Babbler(says=calm | says)  # type: ignore[operator]  # the keywords are roles


@pytest.fixture
def learned(desk: Desk, now: datetime) -> Desk:
    """Return a desk with a rule and two insights more: with a third one a new rule is due."""
    store_bars(now=now, count=300)
    store_bars(now=now, count=300, instrument="BTC", seed=11)
    session = begin(desk, now=now, symbol="ETH", prompt="momentum", max_iterations=5)
    take(session.id, clock=Clock(now), steps=STEPS, provider=model())
    assert Standing.objects.filter(type="rule").count() == 1
    return desk


def listened_to(desk: Desk, babbler: Babbler, *, now: datetime) -> Session:
    """Take a session with this model that asks in each role; what was there before is there after.

    Every row of memory and of the autopilot is compared: records, standings, ledgers, and all else.
    """
    before = everything()
    session = begin(desk, now=now + HOUR, symbol="BTC", prompt="momentum", max_iterations=1)
    taken = take(session.id, clock=Clock(now + HOUR), steps=STEPS, provider=babbler, at_most=20)
    assert taken < 20
    assert list(before - everything()) == []
    return Session.objects.get(id=session.id)


def fallbacks(session: Session, role: Role) -> list[str | None]:
    """Return what replaced the answers in a role, call by call."""
    calls = Step.objects.filter(session=session).order_by("number").values_list("calls", flat=True)
    return [call["fallback"] for some in calls for call in some if call["role"] == role]


def told(session: Session, kind: str) -> list[Event]:
    return list(Event.objects.filter(session=session, kind=kind).order_by("seq"))


def assert_fell_back(session: Session, role: Role) -> None:
    """Assert the documented fallback of a role (SPEC A3, A4, M4, M6, M7)."""
    if role == "researcher":
        (event,) = told(session, "researched")
        assert event.text == "Memory returned rules: 1; insights of BTC: 0, of other markets: 5."
    elif role == "advisor_tags":
        for event in told(session, "tags_selected"):
            assert (event.data["tags"], event.data["symbol"]) == (["momentum", "btc"], "BTC")
    elif role == "advisor":
        assert (session.status, session.error_code) == ("failed", "nothing_finished")
        assert len(told(session, "iteration_failed")) == 1
    elif role == "tagger":
        for event in told(session, "learned"):
            test = Backtest.objects.get(session=session, iteration=event.iteration)
            assert (event.data["strategy_type"], event.data["tags"]) == (
                "momentum",
                ["btc", "momentum"],
            )
            sign = Decimal(str(test.in_sample["total_pnl_pct"])).compare(0)
            measured = Decimal("0.5") + Decimal("0.02") * test.in_sample["trades"] * sign
            clamped = min(max(measured, Decimal("0.1")), Decimal("0.9"))
            assert Decimal(event.data["in_sample_confidence"]) == clamped
    elif role == "synthesizer":
        (event,) = told(session, "rule_unanswered")
        assert event.data["memory_id"] is None
        assert SynthesisClaim.objects.get(session_id=session.id).status == "claimed"
        assert Standing.objects.filter(type="rule").count() == 1
    else:
        assert all(event.data["applied"] == [] for event in told(session, "evaluated"))
        assert not Judgement.objects.exists()


@contextmanager
def undone() -> Iterator[None]:
    """Undo what is written inside."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.mark.spec("A3", "A4", "A10", "L4", "M4", "M6", "M7", "X5")
@pytest.mark.parametrize("role", STEP)
def test_garbage_at_a_call_costs_that_answer_alone_and_an_event_says_so(
    learned: Desk, now: datetime, role: Role
) -> None:
    for kind, garbage in GARBAGE.items():
        with undone():
            session = listened_to(learned, model(**{role: garbage(role)}), now=now)
            assert session.status == ("failed" if role == "advisor" else "succeeded"), kind
            why = WHY.get(kind, "nonsense")
            assert fallbacks(session, role) == [why], kind
            others = [one for other in STEP if other != role for one in fallbacks(session, other)]
            assert set(others) == {None}, kind
            (said,) = told(session, "model_failed")
            assert (said.step, said.data) == (STEP[role], {"role": role, "fallback": why})
            # What a model says is kept only where it is an answer.
            assert len(said.text) < 100
            assert_fell_back(session, role)
