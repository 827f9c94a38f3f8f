"""What a session recalls beyond its agent's own memory, as it was (SPEC A9, M8, M10)."""

from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.policies.freshness import iso
from memory.selectors.reach import OWN_ALONE, Reach
from memory.selectors.recall import Recalled, View, Wanted, recall, tag_pool
from memory.services import grants, standings
from tests.copies import copy, let_read, move_copy, switch, withdraw
from tests.desk import Desk, make_desk
from tests.memory.recall_oracle import CAUSE, DAY, EVENTS, HOUR, SESSION, WANTED, Expected, History
from tests.memory.wide_recall_oracle import SHARING, Sharing, Wide, expected, pool
from tests.strategies import remember

INSIGHTS = Wanted(type="strategy_insight")
RULES = Wanted(type="rule", order="ranked")
WIDE = Reach(community=True, granted=True)


@pytest.fixture
def second(desk: Desk, now: datetime) -> Desk:
    """Return another agent of the first desk's user."""
    return make_desk("second", now=now, user=desk.user)


def told(one: Recalled) -> Wide:
    seen = Expected(
        one.id, one.tags, one.confidence, one.validated_count, one.own, one.holdout_seen
    )
    return Wide(one.origin, one.granted_from, seen)


@pytest.mark.spec("A9", "A3", "M8", "M10", "M3", "X1")
@given(
    ours=EVENTS,
    theirs=SHARING,
    granted=SHARING,
    views=st.lists(
        st.tuples(
            st.integers(0, 30),
            st.sampled_from([None, SESSION]),
            st.sampled_from([None, (-2, 3), (3, 4), (0, 1)]),
            st.sampled_from([WIDE, WIDE, Reach(community=True), Reach(granted=True)]),
        ),
        min_size=3,
        max_size=4,
    ),
    wanted=st.lists(WANTED, min_size=2, max_size=4),
    switched_on=st.sampled_from([True, True, True, False]),
    given_at=st.sampled_from([-1, 4, None]),
)
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_was_known_of_others_at_a_moment_equals_the_replay_of_every_line(
    *,
    desk: Desk,
    other: Desk,
    second: Desk,
    now: datetime,
    ours: list[dict[str, Any]],
    theirs: list[dict[str, Any]],
    granted: list[dict[str, Any]],
    views: list[tuple[int, Any, Any, Reach]],
    wanted: list[Wanted],
    switched_on: bool,
    given_at: int | None,
) -> None:
    with transaction.atomic():
        start = now - 2 * DAY
        history = History(desk, start)
        for hour, event in enumerate(ours):
            history.do(event, hour=hour)
        for owner, events, judge in ((other, theirs, desk), (second, granted, other)):
            sharing = Sharing(owner, start, judge=judge.agent)
            for hour, event in enumerate(events):
                sharing.do(event, hour=hour)
        switch(desk.agent, on=switched_on)
        if given_at is not None:
            let_read(desk, second, now=history.moment(given_at))
        for hour, session, hidden, reach in views:
            days = hidden and (start + hidden[0] * DAY, start + hidden[1] * DAY)
            view = View(
                agent_id=desk.agent.id,
                at=history.moment(hour - 1),
                session_id=session,
                hidden=days,
                reach=reach,
            )
            for one in wanted:
                assert [told(found) for found in recall(view=view, wanted=one)] == expected(
                    view, one
                )
            assert tag_pool(view=view) == pool(view)
        transaction.set_rollback(True)


@pytest.mark.spec("M8", "M10")
def test_a_view_of_ones_own_names_no_table_of_others(
    desk: Desk, other: Desk, second: Desk, now: datetime
) -> None:
    switch(desk.agent, on=True)
    copy(remember(other, now=now, type="rule"), now=now)
    remember(second, now=now, type="rule")
    let_read(desk, second, now=now)
    view = View(agent_id=desk.agent.id, at=now, hidden=(now - DAY, now))
    assert view.reach == OWN_ALONE
    with CaptureQueriesContext(connection) as queries:
        for wanted in (INSIGHTS, RULES):
            assert recall(view=view, wanted=wanted) == []
        assert tag_pool(view=view) == []
    said = " ".join(query["sql"] for query in queries)
    assert "memory_shared" not in said
    assert "memory_grant" not in said
    one_side = recall(view=replace(view, reach=Reach(granted=True)), wanted=RULES)
    assert [one.granted_from for one in one_side] == ["second"]


@pytest.mark.spec("A9", "M8")
def test_what_a_session_makes_of_a_copy_stays_as_it_was_for_that_session(
    desk: Desk, other: Desk, now: datetime
) -> None:
    switch(desk.agent, on=True)
    rule = copy(remember(other, now=now - DAY, type="rule", confidence="0.8"), now=now - DAY)
    view = View(agent_id=desk.agent.id, at=now, reach=Reach(community=True))
    for step in range(1, 4):
        move_copy(
            rule,
            by=desk.agent,
            event="contradicted" if step < 3 else "deprecated",
            now=now + step * HOUR / 60,
            confidence=Decimal("0.8") - step * Decimal("0.05"),
            validated_count=1 - step,
            expires_at=None if step < 3 else now + HOUR,
        )
    (then,) = recall(view=view, wanted=RULES)
    assert (then.confidence, then.validated_count) == (Decimal("0.8"), 1)
    (later,) = recall(view=replace(view, at=now + HOUR / 30), wanted=RULES)
    assert (later.confidence, later.validated_count) == (Decimal("0.7"), -1)
    assert recall(view=replace(view, at=now + DAY), wanted=RULES) == []
    # Withdrawn, it is gone for sessions that run, too.
    withdraw(rule, now=now + 2 * HOUR)
    assert recall(view=view, wanted=RULES) == []


@pytest.mark.spec("M8", "M10")
def test_an_original_takes_the_place_of_its_copy_and_a_copy_is_known_since_it_was_shared(
    desk: Desk, second: Desk, now: datetime
) -> None:
    for one in (desk, second):
        switch(one.agent, on=True)
    rule = remember(second, now=now - DAY, type="rule")
    shared = copy(rule, now=now)
    view = View(agent_id=desk.agent.id, at=now + HOUR, reach=WIDE)

    def ids(seen: View) -> list[UUID]:
        return [one.id for one in recall(view=seen, wanted=RULES)]

    assert ids(view) == [shared]
    assert ids(replace(view, at=now - HOUR)) == []
    # The author has it anyway.
    assert ids(replace(view, agent_id=second.agent.id)) == [rule]
    let_read(desk, second, now=now - HOUR)
    assert ids(view) == [rule]
    assert ids(replace(view, at=now - HOUR)) == [rule]
    assert ids(replace(view, reach=Reach(community=True))) == [shared]


@pytest.mark.spec("M8", "M10")
def test_what_is_recalled_says_whose_it_is_and_a_copy_has_nothing_private(
    desk: Desk, other: Desk, second: Desk, now: datetime
) -> None:
    metrics = {"in_sample": {"trades": 40}, "session": str(SESSION), "in_sample_confidence": "0.3"}
    facts: dict[str, Any] = {
        "symbol": "ETH",
        "outcome": "success",
        "metrics": metrics,
        "config": {"size": 1},
    }
    switch(desk.agent, on=True)
    shared = copy(remember(other, "theirs", now=now, **facts), now=now)
    granted = remember(second, "granted", now=now, **facts)
    let_read(desk, second, now=now)
    # Even the session that others' memories name is not this one: own is what the agent made.
    view = View(agent_id=desk.agent.id, at=now, session_id=SESSION, reach=WIDE)
    found = {one.id: one for one in recall(view=view, wanted=INSIGHTS)}
    assert set(found) == {shared, granted}
    copied, read = found[shared], found[granted]
    assert (copied.origin, copied.granted_from, copied.own) == ("community", None, False)
    assert (copied.config, copied.in_sample) == (None, {})
    assert (read.origin, read.granted_from, read.own) == ("granted", "second", False)
    assert (read.config, read.in_sample) == ({"size": 1}, {"trades": 40})
    assert read.confidence == 1


@pytest.mark.spec("A9", "M8")
def test_copies_learned_on_hidden_bars_are_hidden_and_those_of_an_overlapping_holdout_marked(
    desk: Desk, other: Desk, now: datetime
) -> None:
    switch(desk.agent, on=True)

    def window(start: int, split: int, end: int) -> dict[str, str]:
        days = {"start": start, "split": split, "end": end}
        return {key: iso(now + day * DAY) for key, day in days.items()}

    made = {
        "inside": [window(-8, -2, -1)],
        "overlapping": [window(-30, -10, -4)],
        "before": [window(-30, -20, -10)],
        "judged": [window(-30, -20, -10), {"split": iso(now - 9 * DAY), "end": iso(now - 6 * DAY)}],
        "garbled": [{"start": "yesterday"}, 7, None],
    }
    then = now - DAY
    ids = {
        copy(remember(other, name, now=then, type="rule"), windows=windows, now=then): name  # type: ignore[arg-type]  # an import may hold anything
        for name, windows in made.items()
    }
    late = copy(remember(other, "late", now=then, type="rule"), now=then)
    ids[late] = "late"
    move_copy(late, by=other_judge(now).agent, window=window(-20, -9, -6), now=now)
    view = View(
        agent_id=desk.agent.id,
        at=now,
        hidden=(now - 7 * DAY, now),
        reach=Reach(community=True),
    )
    insights = {}
    for name in ("inside", "overlapping", "before"):
        memory_id = remember(other, name, now=then, symbol="ETH", outcome="success")
        insights[copy(memory_id, windows=made[name], now=then)] = name  # type: ignore[arg-type]  # as above
    seen = {insights[one.id]: one.holdout_seen for one in recall(view=view, wanted=INSIGHTS)}
    assert seen == {"overlapping": True, "before": False}
    found = {ids[one.id]: one.holdout_seen for one in recall(view=view, wanted=RULES)}
    assert found == {
        "overlapping": True,
        "before": False,
        "judged": True,
        "garbled": False,
        "late": True,
    }
    earlier = recall(view=replace(view, at=now - HOUR), wanted=RULES)
    assert {ids[one.id]: one.holdout_seen for one in earlier}["late"] is False


def other_judge(now: datetime) -> Desk:
    return make_desk("judge", now=now)


@pytest.mark.spec("M10")
def test_a_grant_counts_from_when_it_was_given_until_it_is_revoked(
    desk: Desk, second: Desk, now: datetime
) -> None:
    rule = remember(second, now=now - DAY, type="rule", confidence="0.8")
    given = let_read(desk, second, now=now)
    view = View(agent_id=desk.agent.id, at=now, reach=WIDE)
    standings.move(
        agent_id=second.agent.id,
        record_id=rule,
        event="confirmed",
        cause=CAUSE,
        step=lambda was: replace(was, confidence=Decimal("0.9")),
        now=now + HOUR,
    )
    assert [one.confidence for one in recall(view=view, wanted=RULES)] == [Decimal("0.8")]
    later = replace(view, at=now + 2 * HOUR)
    assert [one.confidence for one in recall(view=later, wanted=RULES)] == [Decimal("0.9")]
    assert recall(view=replace(view, at=now - HOUR), wanted=RULES) == []
    assert grants.revoke(grant=given, by_id=desk.user.pk, now=now + 3 * HOUR)
    assert recall(view=view, wanted=RULES) == []
