"""What a rule may be made from."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from autopilot.learning import evidence
from autopilot.learning.evidence import NEWEST
from autopilot.models import Session
from memory.models import Standing
from tests.autopilot.learning.lab import (
    DAY,
    MINUTE,
    TYPE,
    Tags,
    due,
    learn,
    learn_many,
    make_backtest,
    make_session,
)
from tests.desk import Desk
from tests.strategies import forget, remember

HOUR = timedelta(hours=1)
BTC: dict[str, Any] = {"symbol": "BTC", "holdout": ("2", 3)}


@pytest.fixture
def session(desk: Desk, now: datetime) -> Session:
    return make_session(desk, now=now)


@pytest.mark.spec("M6")
def test_three_live_insights_of_one_type_are_evidence_whatever_their_symbol(
    desk: Desk, session: Session, now: datetime
) -> None:
    assert due(session, now=now) is None
    learn_many(desk, session, 1, now=now, **BTC)
    two = learn_many(desk, session, 1, now=now, first=2)
    learn(
        desk,
        make_backtest(session, now=now, iteration=9),
        now=now,
        tags=Tags(strategy_type="scalping"),
    )
    assert due(session, now=now + HOUR) is None
    three = learn_many(desk, session, 1, now=now, first=3)
    found = due(session, now=now + HOUR)
    assert found is not None
    assert [insight.symbol for insight in found.insights] == ["ETH", "ETH", "BTC"]
    assert found.ids[:2] == [three[0].id, two[0].id]
    assert due(session, now=now + HOUR, strategy_type="momentum") is None


@pytest.mark.spec("A9", "M6")
def test_what_others_learned_since_a_session_began_is_evidence_for_later_ones_alone(
    desk: Desk, session: Session, now: datetime
) -> None:
    before = learn_many(desk, make_session(desk, now=now), 3, now=now - HOUR)
    other = make_session(desk, now=now)
    since = learn_many(desk, other, 2, now=now, first=10)
    own = learn_many(desk, session, 2, now=now, first=20)
    found, later = due(session, now=now + HOUR), make_session(desk, now=now + HOUR)
    assert found is not None
    assert found.ids == [one.id for one in [*own[::-1], *before[::-1]]]
    assert [insight.own for insight in found.insights] == [True, True, False, False, False]
    theirs = due(later, now=now + HOUR)
    assert theirs is not None
    assert set(theirs.ids) == {one.id for one in [*own, *before, *since]}


@pytest.mark.spec("A9", "M6")
def test_what_was_learned_on_bars_of_the_holdout_is_no_evidence_and_what_its_bars_judged_is_marked(
    desk: Desk, now: datetime
) -> None:
    def at(month: int) -> datetime:
        return datetime(2026, month, 1, tzinfo=now.tzinfo)

    author = make_session(desk, now=now - DAY)
    # Each saw January to June, and was held against July and August.
    learned = learn_many(desk, author, 3, now=now - DAY, holdout=("-5", 9))
    window = {"window_start": at(1), "window_end": at(9)}
    apart = make_session(desk, now=now, window_start=at(9), window_split=at(10), window_end=at(11))
    judged = make_session(desk, now=now, window_split=at(7), **window)
    inside = make_session(desk, now=now, window_split=at(6), **window)
    for session, marks, confidence in ((apart, False, "0.5"), (judged, True, "0.62")):
        found = due(session, now=now)
        assert found is not None
        assert [insight.id for insight in found.insights] == [one.id for one in learned[::-1]]
        assert {insight.holdout_seen for insight in found.insights} == {marks}
        assert {insight.confidence for insight in found.insights} == {Decimal(confidence)}
    assert due(inside, now=now) is None


@pytest.mark.spec("M3", "M6")
def test_expired_and_deleted_insights_are_no_evidence(
    desk: Desk, session: Session, now: datetime
) -> None:
    learned = learn_many(desk, session, 3, now=now)
    assert due(session, now=now + HOUR) is not None
    assert due(session, now=now + 91 * DAY) is None
    forget(learned[1].id, now=now + HOUR)
    assert due(session, now=now + HOUR) is None


@pytest.mark.spec("X1", "M6")
def test_another_agents_insights_are_no_evidence(desk: Desk, other: Desk, now: datetime) -> None:
    ours, theirs = make_session(desk, now=now), make_session(other, now=now)
    learn_many(desk, ours, 2, now=now)
    learn_many(other, theirs, 2, now=now)
    assert due(ours, now=now + HOUR) is None
    learn_many(desk, ours, 1, now=now, first=3)
    found = due(ours, now=now + HOUR)
    assert found is not None
    assert set(found.ids) == set(
        Standing.objects.filter(agent=desk.agent).values_list("pk", flat=True)
    )
    assert due(theirs, now=now + HOUR) is None


@pytest.mark.spec("A9", "M6")
def test_evidence_shows_the_confidence_that_no_holdout_moved(
    desk: Desk, session: Session, now: datetime
) -> None:
    learn_many(desk, session, 3, now=now, holdout=("-5", 9))
    assert {row.confidence for row in Standing.objects.all()} == {Decimal("0.5")}
    found = due(session, now=now + HOUR)
    assert found is not None
    assert {insight.confidence for insight in found.insights} == {Decimal("0.62")}
    assert all(insight.own for insight in found.insights)
    assert {insight.in_sample["total_pnl_pct"] for insight in found.insights} == {12.345}


@pytest.mark.spec("M6")
@pytest.mark.parametrize("told", [None, "much", 7, "NaN", [], 10**400, True])
def test_an_insight_from_elsewhere_may_say_anything_of_itself(
    desk: Desk, now: datetime, told: Any
) -> None:
    metrics = {"in_sample_confidence": told, "session": told, "window": told, "holdout": told}
    for number in range(3):
        inside = {"holdout": {"total_pnl_pct": told, "trades": told}, "window": {"end": told}}
        remember(
            desk,
            now=now + number * MINUTE,
            strategy_type=TYPE,
            confidence="0.7",
            metrics=metrics if number else inside | {"in_sample": told},
            config={"n": number},
        )
    found = due(make_session(desk, now=now + HOUR), now=now + HOUR)
    assert found is not None
    assert {insight.confidence for insight in found.insights} == {Decimal("0.7")}
    assert (found.support.distinct_configs, found.support.sessions) == (3, 0)
    assert found.support.profitable_holdouts == 0


@pytest.mark.spec("M6")
def test_the_newest_insights_are_shown_and_no_more_than_thirty(
    desk: Desk, session: Session, now: datetime
) -> None:
    learned = learn_many(desk, session, NEWEST + 2, now=now)
    found = due(session, now=now + HOUR)
    assert found is not None
    assert found.ids == [one.id for one in reversed(learned)][:NEWEST]
    assert NEWEST == 30


@pytest.mark.spec("M6")
def test_the_key_of_a_set_is_that_of_its_ids_in_any_order(
    desk: Desk, session: Session, now: datetime
) -> None:
    ids = [one.id for one in learn_many(desk, session, 3, now=now)]
    assert evidence.hash_of(ids) == evidence.hash_of(ids[::-1]) != evidence.hash_of(ids[:2])


@pytest.mark.spec("M6", "M9")
def test_evidence_says_which_insights_say_the_same(
    desk: Desk, session: Session, now: datetime
) -> None:
    before = make_session(desk, now=now - HOUR)
    once = learn_many(desk, before, 2, now=now - HOUR)
    # The first of these was tried before, on the same market.
    again = learn_many(desk, session, 2, now=now, first=2)
    found = due(session, now=now + HOUR)
    assert found is not None
    assert len(found.ids) == 4
    assert found.repeats == ((once[1].id, again[0].id),)
