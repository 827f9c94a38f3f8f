"""What backtests do to rules: each step once, told in the ledger, held until guards are met."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autopilot.learning.support import Support, support_of
from autopilot.models import Backtest, Judgement, Session
from memory.ids import new_id
from memory.models import Standing, StandingChange
from memory.services import standings
from memory.services.standings import Cause
from tests.autopilot.learning.lab import (
    DAY,
    MINUTE,
    TYPE,
    judged,
    learn_many,
    make_backtest,
    make_rule,
    make_session,
)
from tests.desk import Desk
from tests.strategies import forget, remember

HOUR = timedelta(hours=1)
CONFIRMS, CONTRADICTS, NEITHER = ("2", 6), ("-2", 6), ("9", 4)
"""Holdouts; with NEITHER the in-sample window decides, and says neither, too."""


@pytest.fixture
def session(desk: Desk, now: datetime) -> Session:
    return make_session(desk, now=now)


@pytest.fixture
def rule(desk: Desk, now: datetime) -> UUID:
    """Return a rule that came otherwise than by synthesis."""
    return remember(desk, "old wisdom", now=now, type="rule", strategy_type=TYPE, confidence="0.9")


def seen(
    session: Session, *, now: datetime, says: str = "contradicts", iteration: int = 1
) -> Backtest:
    """Return a backtest that says this of the rules that were applied."""
    holdout = {"confirms": CONFIRMS, "contradicts": CONTRADICTS, "neither": NEITHER}[says]
    in_sample = ("1", 4) if says == "neither" else ("9", 20)
    test = make_backtest(
        session, now=now, iteration=iteration, variant=50, in_sample=in_sample, holdout=holdout
    )
    assert test.verdict == says
    return test


def confidence_of(record_id: UUID) -> str:
    return str(Standing.objects.get(record_id=record_id).confidence)


@pytest.mark.spec("M4", "M5", "M11")
def test_a_confirming_backtest_raises_a_rule_and_its_ledger_says_why(
    session: Session, rule: UUID, now: datetime
) -> None:
    test = seen(session, now=now, says="confirms")
    (moved,) = judged(test, rule, now=now + HOUR).moved
    assert (moved.rule_id, moved.event) == (rule, "confirmed")
    assert (moved.before.confidence, moved.after.confidence) == (Decimal("0.9"), Decimal(1))
    standing = Standing.objects.get(record_id=rule)
    assert (standing.confidence, standing.validated_count) == (Decimal(1), 2)
    line = StandingChange.objects.get(record_id=rule, revision=2)
    assert (line.event, line.cause_kind, line.cause_id, line.at) == (
        *("confirmed", "backtest", str(test.id)),
        now + HOUR,
    )
    assert line.detail == {
        "verdict": "confirmed",
        "by": "holdout",
        "window": {
            "instrument": "ETH",
            "timeframe": "4h",
            "start": "2026-01-01T00:00:00Z",
            "split": "2026-07-01T00:00:00Z",
            "end": "2026-09-01T00:00:00Z",
        },
    }
    judgement = Judgement.objects.get()
    assert (judgement.rule_id, judgement.backtest_id) == (rule, test.id)
    assert (judgement.verdict, judgement.at) == ("confirmed", now + HOUR)


@pytest.mark.spec("M11")
def test_a_ledger_line_tells_which_window_decided(
    session: Session, rule: UUID, now: datetime
) -> None:
    test = make_backtest(session, now=now, holdout=("-9", 4))
    judged(test, rule, now=now)
    line = StandingChange.objects.get(record_id=rule, revision=2)
    assert (line.event, line.detail["by"]) == ("confirmed", "in_sample")


@pytest.mark.spec("M4", "M5")
def test_three_contradictions_from_nine_tenths_deprecate_by_one_line_each(
    desk: Desk, session: Session, rule: UUID, now: datetime
) -> None:
    told = []
    for number in range(1, 5):
        moment = now + number * MINUTE
        came = judged(seen(session, now=moment, iteration=number), rule, now=moment)
        told.append([(moved.event, str(moved.after.confidence)) for moved in came.moved])
        assert came.ended == ((rule,) if number == 4 else ())
        standing = Standing.objects.get(record_id=rule)
        assert standings.replayed(desk.agent.id, rule) == standings.moving_of(standing)
    assert told == [
        [("contradicted", "0.7000")],
        [("contradicted", "0.5000")],
        [("deprecated", "0.3000")],
        [],
    ]
    standing = Standing.objects.get(record_id=rule)
    assert (standing.validated_count, standing.expires_at) == (-2, now + 3 * MINUTE)
    lines = StandingChange.objects.filter(record_id=rule).order_by("revision")
    assert [line.event for line in lines][1:] == ["contradicted", "contradicted", "deprecated"]
    assert lines[3].detail["verdict"] == "contradicted"
    assert Judgement.objects.count() == 3


@pytest.mark.spec("M4", "M8")
def test_ones_own_rule_loses_as_its_own_does_though_it_is_shared(
    desk: Desk, session: Session, now: datetime
) -> None:
    shared = remember(desk, "shared", now=now, type="rule", confidence="0.7")
    standings.move(
        agent_id=desk.agent.id,
        record_id=shared,
        event="shared",
        cause=Cause("user", "1"),
        step=lambda was: replace(was, visibility="community"),
        now=now,
    )
    for number, (event, confidence) in enumerate(
        [("contradicted", "0.5000"), ("deprecated", "0.3000")], start=1
    ):
        (moved,) = judged(seen(session, now=now, iteration=number), shared, now=now).moved
        assert (moved.event, str(moved.after.confidence)) == (event, confidence)


@pytest.mark.spec("M11")
def test_a_backtest_that_says_neither_moves_nothing(
    session: Session, rule: UUID, now: datetime
) -> None:
    came = judged(seen(session, now=now, says="neither"), rule, now=now, applied=[rule, "zzz"])
    assert (came.moved, came.not_offered) == ((), ("zzz",))
    assert StandingChange.objects.filter(record_id=rule).count() == 1
    assert not Judgement.objects.exists()


@pytest.mark.spec("M4", "X5")
def test_only_rules_that_were_offered_are_judged_and_each_once(
    desk: Desk, other: Desk, session: Session, rule: UUID, now: datetime
) -> None:
    hidden = remember(desk, "not offered", now=now, type="rule")
    theirs = remember(other, "theirs", now=now, type="rule")
    named = [str(rule).upper(), f" {rule} ", rule, str(hidden), "drop table", str(new_id()), ""]
    came = judged(seen(session, now=now), rule, now=now, applied=named, offered=[rule, theirs])
    assert [moved.rule_id for moved in came.moved] == [rule]
    assert came.not_offered == (str(hidden), "drop table", named[5], "")
    assert StandingChange.objects.filter(record_id=hidden).count() == 1
    # A foreign rule is never offered; if it were, it would be as if it were not there.
    came = judged(seen(session, now=now, iteration=2), theirs, now=now)
    assert came.ended == (theirs,)
    assert confidence_of(theirs) == "0.8000"


@pytest.mark.spec("M4", "A11")
def test_the_same_backtest_judges_a_rule_once_however_often_it_is_asked(
    session: Session, rule: UUID, now: datetime
) -> None:
    test = seen(session, now=now)
    assert len(judged(test, rule, now=now).moved) == 1
    again = judged(test, rule, now=now + DAY)
    assert (again.moved, again.already) == ((), (rule,))
    assert confidence_of(rule) == "0.7000"
    assert StandingChange.objects.filter(record_id=rule).count() == 2


@pytest.mark.spec("M4")
def test_insights_and_forgotten_rules_are_not_judged(
    desk: Desk, session: Session, rule: UUID, now: datetime
) -> None:
    insight = remember(desk, "an insight", now=now)
    forget(rule, now=now)
    came = judged(seen(session, now=now), insight, rule, now=now)
    assert (came.moved, set(came.ended)) == ((), {insight, rule})


@pytest.mark.spec("M6")
def test_a_run_never_judges_the_rule_that_was_made_from_it(
    desk: Desk, session: Session, now: datetime
) -> None:
    earlier = now - HOUR
    before = make_session(desk, now=earlier)
    learn_many(desk, before, 1, now=earlier)
    learn_many(desk, session, 2, now=now, first=2)
    then = now + HOUR
    made = make_rule(desk, session, now=then)
    for own in (session, before):
        came = judged(seen(own, now=then, iteration=30), made, now=then)
        assert (came.moved, came.own) == ((), (made,))
    outside = make_session(desk, now=then)
    named = judged(seen(outside, now=then), made, now=then, made_in_session=[made])
    assert named.own == (made,)
    came = judged(seen(outside, now=then, iteration=2), made, now=then)
    assert [moved.rule_id for moved in came.moved] == [made]


def later(
    desk: Desk,
    made: UUID,
    *,
    now: datetime,
    variant: int,
    market: tuple[str, int] = ("ETH", 1),
    holdout: tuple[str, int] = CONFIRMS,
) -> tuple[str, Support]:
    """Confirm a rule in a new session: `market` is an instrument and the month it is held out."""
    symbol, month = market
    session = make_session(desk, now=now)
    test = make_backtest(
        session,
        now=now,
        variant=variant,
        symbol=symbol,
        holdout=holdout,
        window_start=now - 400 * DAY,
        window_split=datetime(2026, month, 1, tzinfo=now.tzinfo),
        window_end=datetime(2026, month, 28, tzinfo=now.tzinfo),
    )
    (moved,) = judged(test, made, now=now).moved
    assert moved.support is not None
    return str(moved.after.confidence), moved.support


@pytest.mark.spec("M6")
def test_a_rule_is_held_at_six_tenths_until_later_backtests_meet_its_guards(
    desk: Desk, session: Session, now: datetime
) -> None:
    learn_many(desk, session, 3, now=now, holdout=("-1", 1))
    made = make_rule(desk, session, now=now + HOUR)
    assert confidence_of(made) == "0.6000"
    # Two sessions now, and one profitable holdout: held still.
    confidence, support = later(desk, made, now=now + HOUR, variant=60)
    assert (confidence, support.missing) == ("0.6000", ("profitable_holdouts",))
    # The same slice of the market again is no other holdout, nor is one that decided nothing.
    confidence, support = later(desk, made, now=now + HOUR, variant=61)
    assert (confidence, support.profitable_holdouts) == ("0.6000", 1)
    confidence, support = later(
        desk, made, now=now + HOUR, variant=62, market=("BTC", 1), holdout=("-1", 1)
    )
    assert (confidence, support.profitable_holdouts) == ("0.6000", 1)
    # The backtest that meets the last guard lifts the cap, and steps go on from there.
    confidence, support = later(desk, made, now=now + HOUR, variant=63, market=("BTC", 2))
    assert (confidence, support.is_met) == ("0.7000", True)
    assert (support.distinct_configs, support.sessions) == (7, 5)
    confidence, _ = later(desk, made, now=now + HOUR, variant=64)
    assert confidence == "0.8000"
    line = StandingChange.objects.filter(record_id=made).latest("revision")
    assert line.detail["support"]["profitable_holdouts"] == {"count": 2, "needed": 2, "met": True}


@pytest.mark.spec("M6", "M3")
def test_what_a_rule_rests_on_outlives_the_insights_that_it_came_from(
    desk: Desk, session: Session, now: datetime
) -> None:
    learned = learn_many(desk, session, 3, now=now)
    made = make_rule(desk, session, now=now + HOUR)
    before = support_of(desk.agent.id, made)
    for one in learned:
        forget(one.id, now=now + HOUR)
    assert support_of(desk.agent.id, made) == before
    confidence, support = later(desk, made, now=now + DAY, variant=60, market=("BTC", 1))
    assert (confidence, support.is_met) == ("0.7000", True)


@pytest.mark.spec("M6")
def test_a_contradicting_backtest_supports_nothing(
    desk: Desk, session: Session, now: datetime
) -> None:
    learn_many(desk, session, 3, now=now)
    made = make_rule(desk, session, now=now + HOUR)
    before = support_of(desk.agent.id, made)
    judged(seen(make_session(desk, now=now), now=now), made, now=now + HOUR)
    assert support_of(desk.agent.id, made) == before


@pytest.mark.spec("M6", "X1")
def test_a_rule_from_elsewhere_has_no_support_and_no_cap(
    desk: Desk, other: Desk, session: Session, rule: UUID, now: datetime
) -> None:
    learn_many(desk, session, 3, now=now)
    made = make_rule(desk, session, now=now + HOUR)
    assert support_of(desk.agent.id, rule) is None
    assert support_of(other.agent.id, made) is None
    (moved,) = judged(seen(session, now=now, says="confirms", iteration=9), rule, now=now).moved
    assert (moved.support, moved.after.confidence) == (None, Decimal(1))


@pytest.mark.spec("M4", "M5", "M11")
@given(
    begins=st.integers(0, 10),
    says=st.lists(st.sampled_from(["confirms", "contradicts", "neither", "again"]), max_size=10),
)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_rule_stands_where_its_judgements_and_its_ledger_put_it(
    desk: Desk, session: Session, now: datetime, begins: int, says: Sequence[str]
) -> None:
    Oracle(desk, session, now=now, tenths=begins).follow(says)


class Oracle:
    """A naive count of one rule in tenths, beside the service."""

    def __init__(self, desk: Desk, session: Session, *, now: datetime, tenths: int) -> None:
        self.desk, self.session, self.now = desk, session, now
        self.tenths, self.count, self.lines, self.ended = tenths, 1, 1, False
        share = str(Decimal(tenths) / 10)
        self.rule = remember(desk, "a rule", now=now, type="rule", confidence=share)
        self.last: Backtest | None = None

    def follow(self, says: Sequence[str]) -> None:
        for word in says:
            if word == "again":
                if self.last is not None:
                    judged(self.last, self.rule, now=self.now)
            else:
                self.now += MINUTE
                own = make_session(self.desk, now=self.now)
                self.last = seen(own, now=self.now, says=word)
                judged(self.last, self.rule, now=self.now)
                self._count(word)
            self._compare()

    def _count(self, word: str) -> None:
        if self.ended or word == "neither":
            return
        self.lines += 1
        if word == "confirms":
            self.tenths, self.count = min(self.tenths + 1, 10), self.count + 1
        else:
            self.tenths, self.count = max(self.tenths - 2, 0), self.count - 1
            self.ended = self.tenths <= 3 or self.count <= -2

    def _compare(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
        standing = Standing.objects.get(record_id=self.rule)
        assert standing.confidence * 10 == self.tenths
        assert standing.validated_count == self.count
        assert (standing.expires_at is not None) == self.ended
        assert standing.revision == self.lines
        assert Judgement.objects.filter(rule_id=self.rule).count() == self.lines - 1
        assert standings.replayed(self.desk.agent.id, self.rule) == standings.moving_of(standing)
