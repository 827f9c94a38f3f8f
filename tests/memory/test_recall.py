"""Strategy memory as it was at a moment, against a naive replay of every ledger."""

import json
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.policies.freshness import iso
from memory.selectors.recall import (
    POOL_MAX,
    RECALL_MAX,
    View,
    Wanted,
    known_tags_in,
    recall,
    tag_pool,
)
from memory.services import standings
from memory.services.imports import import_lines
from tests.desk import Desk
from tests.memory.recall_oracle import (
    CAUSE,
    DAY,
    EVENTS,
    HOUR,
    SESSION,
    WANTED,
    Expected,
    History,
    expected,
    pool,
)
from tests.strategies import forget, remember

INSIGHTS = Wanted(type="strategy_insight")
RULES = Wanted(type="rule", order="ranked")


def seen(view: View, wanted: Wanted) -> list[Expected]:
    return [
        Expected(
            one.id,
            one.tags,
            one.confidence,
            one.validated_count,
            one.own,
            one.holdout_seen,
        )
        for one in recall(view=view, wanted=wanted)
    ]


@pytest.mark.spec("A9", "A3", "A4", "M3", "M5", "X1")
@given(
    events=EVENTS,
    views=st.lists(
        st.tuples(
            st.integers(0, 100),
            st.sampled_from([None, SESSION]),
            st.sampled_from([None, (-2, 3), (3, 4), (0, 1)]),
        ),
        min_size=3,
        max_size=5,
    ),
    wanted=st.lists(WANTED, min_size=3, max_size=5),
)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_was_known_at_a_moment_equals_the_replay_of_every_ledger(
    *,
    desk: Desk,
    other: Desk,
    now: datetime,
    events: list[dict[str, Any]],
    views: list[tuple[int, Any, Any]],
    wanted: list[Wanted],
) -> None:
    with transaction.atomic():
        start = now - 2 * DAY
        ours, foreign = History(desk, start), History(other, start)
        for hour, event in enumerate(events):
            ours.do(event, hour=hour)
            foreign.do(event, hour=hour)
        for hour, session, hidden in views:
            view = View(
                agent_id=desk.agent.id,
                at=ours.moment(hour % (len(events) + 1) - 1),
                session_id=session,
                hidden=None
                if hidden is None
                else (start + hidden[0] * DAY, start + hidden[1] * DAY),
            )
            for one in wanted:
                assert seen(view, one) == expected(desk, view, one)
            assert tag_pool(view=view) == pool(desk, view)
        transaction.set_rollback(True)


@pytest.mark.spec("A9")
def test_what_a_session_moves_stays_as_it_was_for_that_session(desk: Desk, now: datetime) -> None:
    rule = remember(desk, now=now - DAY, type="rule", confidence="0.8", tags=["adx"])
    view = View(agent_id=desk.agent.id, at=now)
    for step in range(1, 4):
        standings.move(
            agent_id=desk.agent.id,
            record_id=rule,
            event="contradicted",
            cause=CAUSE,
            step=lambda was: replace(
                was,
                confidence=was.confidence - Decimal("0.2"),
                validated_count=was.validated_count - 1,
                expires_at=now + HOUR,
            ),
            now=now + step * HOUR / 60,
        )
    (then,) = recall(view=view, wanted=RULES)
    assert (then.confidence, then.validated_count, then.tags) == (Decimal("0.8"), 1, ("adx",))
    assert recall(view=replace(view, at=now + DAY), wanted=RULES) == []


@pytest.mark.spec("A9")
def test_a_sessions_own_insight_is_its_own_once_though_the_clock_went_back(
    desk: Desk, now: datetime
) -> None:
    mine = {"session": str(SESSION), "in_sample_confidence": "0.62"}
    early = remember(desk, now=now - HOUR, confidence="0.5", metrics=mine, tags=["adx"])
    late = remember(desk, now=now + HOUR, metrics=mine)
    view = View(agent_id=desk.agent.id, at=now, session_id=SESSION)
    assert [(one.id, one.own) for one in recall(view=view, wanted=INSIGHTS)] == [
        (late, True),
        (early, True),
    ]
    assert recall(view=view, wanted=INSIGHTS)[1].confidence == Decimal("0.62")
    assert tag_pool(view=view) == ["adx"]
    # To anybody else the early one is as old as it says, and the late one is not there yet.
    others = recall(view=View(agent_id=desk.agent.id, at=now), wanted=INSIGHTS)
    assert [(one.id, one.own) for one in others] == [(early, False)]


@pytest.mark.spec("A9")
def test_a_rule_that_an_overlapping_holdout_judged_is_marked(desk: Desk, now: datetime) -> None:
    rules = [remember(desk, now=now - 2 * DAY, type="rule") for _ in range(3)]
    hidden = (now - 9 * DAY, now)
    for rule, split, end in ((rules[0], -20, -8), (rules[1], -20, -9), (rules[2], 0, 4)):
        window = {"split": iso(now + split * DAY), "end": iso(now + end * DAY)}
        standings.move(
            agent_id=desk.agent.id,
            record_id=rule,
            event="confirmed",
            cause=CAUSE,
            step=lambda was: replace(was, validated_count=was.validated_count + 1),
            detail={"window": window},
            now=now - DAY,
        )
    view = View(agent_id=desk.agent.id, at=now, hidden=hidden)
    marked = {one.id for one in recall(view=view, wanted=RULES) if one.holdout_seen}
    assert marked == {rules[0]}
    before = recall(view=replace(view, at=now - DAY - HOUR), wanted=RULES)
    assert [one.holdout_seen for one in before] == [False] * 3


@pytest.mark.spec("A9", "M9")
def test_a_merge_counts_from_when_it_was_made_until_it_was_undone(
    desk: Desk, now: datetime
) -> None:
    first, second = (remember(desk, now=now - DAY, symbol="ETH") for _ in range(2))
    for survivor, at in ((first, now), (None, now + 2 * HOUR)):
        standings.move(
            agent_id=desk.agent.id,
            record_id=second,
            event="merged",
            cause=CAUSE,
            step=partial(replace, merged_into=survivor),
            now=at,
        )
    both = sorted([first, second])
    for at, found in ((now - HOUR, both), (now + HOUR, [first]), (now + 3 * HOUR, both)):
        view = View(agent_id=desk.agent.id, at=at)
        assert sorted(one.id for one in recall(view=view, wanted=INSIGHTS)) == found


@pytest.mark.spec("A9", "M3")
def test_the_dead_and_the_later_never_count_against_a_limit(desk: Desk, now: datetime) -> None:
    old = [remember(desk, now=now - DAY, symbol="ETH") for _ in range(2)]
    for number in range(6):
        remember(desk, now=now + HOUR, symbol="ETH")
        dead = remember(desk, now=now - HOUR, symbol="ETH")
        if number % 2:
            forget(dead, now=now)
        else:
            standings.move(
                agent_id=desk.agent.id,
                record_id=dead,
                event="deprecated",
                cause=CAUSE,
                step=lambda was: replace(was, expires_at=now),
                now=now,
            )
    view = View(agent_id=desk.agent.id, at=now)
    found = recall(view=view, wanted=replace(INSIGHTS, symbol="ETH", limit=2))
    assert sorted(one.id for one in found) == sorted(old)


@pytest.mark.spec("A9")
def test_no_figure_of_a_holdout_leaves_the_database(desk: Desk, now: datetime) -> None:
    metrics = {
        "in_sample": {"trades": 12, "total_pnl_pct": 3.5},
        "holdout": {"trades": 77, "total_pnl_pct": -88.25},
        "in_sample_confidence": "0.74",
    }
    remember(desk, now=now, symbol="ETH", metrics=metrics, confidence="0.5")
    (one,) = recall(view=View(agent_id=desk.agent.id, at=now), wanted=INSIGHTS)
    assert one.in_sample == metrics["in_sample"]
    assert "88.25" not in repr(one)
    assert "77" not in repr(one.in_sample)


@pytest.mark.spec("A9")
def test_an_import_is_known_from_its_import_on(desk: Desk, now: datetime) -> None:
    line = {
        "id": "0192f0c8-0000-7000-8000-000000000001",
        "type": "strategy_insight",
        "content": "imported",
        "created_at": (now - 5 * DAY).isoformat(),
        "symbol": "ETH",
    }
    import_lines(agent=desk.agent, lines=[json.dumps(line).encode()], now=now)
    view = View(agent_id=desk.agent.id, at=now)
    assert len(recall(view=view, wanted=INSIGHTS)) == 1
    assert recall(view=replace(view, at=now - HOUR), wanted=INSIGHTS) == []


@pytest.mark.spec("A9")
@pytest.mark.parametrize(
    "metrics",
    [
        {"window": {"start": "yesterday", "split": 7, "end": None}},
        {"window": {"start": "2026-13-99T99:99:99Z", "split": "2026-01-01T00:00:00Z"}},
        {"window": ["start"], "windows": {"start": 1}},
        {"windows": [1, None, {"start": 1}, ["a"]]},
        {"window": "start", "in_sample": [1], "in_sample_confidence": "1e9"},
        {"in_sample_confidence": {"a": 1}, "session": 12},
        {"session": str(SESSION), "in_sample_confidence": "seven"},
    ],
)
def test_metrics_that_mean_nothing_break_no_recall(
    desk: Desk, now: datetime, metrics: dict[str, Any]
) -> None:
    remember(desk, now=now, symbol="ETH", metrics=metrics)
    remember(desk, now=now, type="rule", metrics=metrics, confidence="1")
    view = View(
        agent_id=desk.agent.id, at=now, session_id=UUID(int=8), hidden=(now - 900 * DAY, now + DAY)
    )
    for wanted in (INSIGHTS, RULES):
        (one,) = recall(view=view, wanted=wanted)
        assert one.in_sample == {}
        assert one.confidence == 1
    # Of the one that names the session, the form of its confidence is left alone, too.
    own = recall(view=replace(view, session_id=SESSION), wanted=INSIGHTS)
    assert [one.confidence for one in own] == [1]


@pytest.mark.spec("A3")
def test_both_answers_are_bounded_whatever_is_asked(desk: Desk, now: datetime) -> None:
    for number in range(RECALL_MAX + 2):
        remember(desk, now=now, tags=[f"tag{number}-{place}" for place in range(5)])
    view = View(agent_id=desk.agent.id, at=now)
    assert len(recall(view=view, wanted=replace(INSIGHTS, limit=10_000))) == RECALL_MAX
    assert len(tag_pool(view=view, limit=10_000)) == POOL_MAX


@pytest.mark.spec("A3")
@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Find me a mean reversion on ETH with ADX.", ["adx", "mean_reversion", "eth"]),
        ("mean-reversion", ["mean_reversion"]),
        ("MEAN_REVERSION!", ["mean_reversion"]),
        ("meanreversion, adxx, method", []),
        ("trade xyz:AAPL", ["xyz:aapl"]),
        ("", []),
        ("$^.*[](", []),
    ],
)
def test_known_tags_are_found_in_a_request_as_words(text: str, known: list[str]) -> None:
    tags = ["adx", "mean_reversion", "eth", "xyz:aapl", "..."]
    assert known_tags_in(text, tags=tags) == known
