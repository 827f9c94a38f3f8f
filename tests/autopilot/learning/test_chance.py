"""How likely luck explains a rule's holdouts, held against draws of nothing but luck."""

import random
import statistics
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autopilot.learning.chance import Slice, apart, of_all, of_best
from autopilot.learning.support import CHANCE_MOST, Fact, weigh
from autopilot.models import Session
from tests.autopilot.learning.lab import (
    MINUTE,
    claimed,
    learn,
    make_backtest,
    make_session,
    settle,
)
from tests.desk import Desk

DRAWS, HOUR = 4_000, timedelta(hours=1)
DAYS = st.integers(1, 20)
SLICES = st.lists(st.tuples(st.sampled_from(["BTC", "ETH"]), DAYS, DAYS), max_size=8)


def days(instrument: str, start: int, length: int) -> Slice:
    """Return a slice that begins on a day of January or February, and its length in days."""
    first = datetime(2026, 1, 1) + timedelta(days=start)  # noqa: DTZ001 - a form of text is made
    last = first + timedelta(days=length)
    return Slice(
        instrument=instrument, start=f"{first:%Y-%m-%dT%H:%M:%SZ}", end=f"{last:%Y-%m-%dT%H:%M:%SZ}"
    )


@pytest.mark.spec("M6", "A9")
@given(drawn=SLICES)
def test_slices_that_share_a_bar_are_one_piece_of_luck_and_others_are_not(drawn: Any) -> None:
    slices = [days(*one) for one in drawn]
    groups = apart(slices)
    assert sorted(map(repr, set(slices))) == sorted(repr(one) for group in groups for one in group)
    place = {one: number for number, group in enumerate(groups) for one in group}
    for one in slices:
        for other in slices:
            meets = one.start < other.end and other.start < one.end
            if meets and one.instrument == other.instrument:
                assert place[one] == place[other]
    # A group is held together by slices that meet: none can be parted without a cut.
    for group in groups:
        reached, left = {min(group, key=lambda one: one.start)}, set(group)
        while more := {
            one
            for one in left - reached
            if any(one.start < been.end and been.start < one.end for been in reached)
        }:
            reached |= more
        assert reached == left
        assert len({one.instrument for one in group}) == 1
    assert apart(reversed(slices)) == groups


@pytest.mark.spec("M6")
@pytest.mark.parametrize(("slices", "tried"), [(1, 1), (1, 30), (2, 1), (2, 30), (5, 7)])
def test_luck_alone_is_told_to_be_beyond_luck_as_often_as_the_limit_says(
    slices: int, tried: int
) -> None:
    chance = random.Random(7)
    told = [
        of_all(
            [
                of_best([chance.gauss(0, 1) for _ in range(tried)], tried=tried)
                for _ in range(slices)
            ]
        )
        for _ in range(DRAWS)
    ]
    # Chances of nothing but luck are spread evenly; four standard errors around.
    for limit in (CHANCE_MOST, 0.2, 0.5):
        share = statistics.mean(one <= limit for one in told)
        assert share == pytest.approx(limit, abs=4 * (limit * (1 - limit) / DRAWS) ** 0.5)


@pytest.mark.spec("M6")
def test_more_tries_make_the_same_score_likelier_and_more_slices_less_likely() -> None:
    assert of_best([3.0], tried=1) == pytest.approx(0.00135, abs=1e-5)
    assert of_best([3.0, -9.0], tried=30) == pytest.approx(0.0397, abs=1e-4)
    assert of_best([3.0], tried=60) > of_best([3.0], tried=30)
    assert of_all([0.04, 0.04]) == pytest.approx(0.0119, abs=1e-4)
    assert of_all([0.04]) == pytest.approx(0.04)
    # A slice where it failed speaks against it.
    assert of_all([0.04, 1.0]) > of_all([0.04])
    assert of_best([], tried=30) == of_all([]) == of_best([-50.0], tried=3) == 1.0
    assert of_best([60.0], tried=30) == of_all([0.0, 0.5]) == 0.0


@pytest.mark.spec("M6", "A9")
def test_an_hour_later_the_same_market_is_no_second_holdout(desk: Desk, now: datetime) -> None:
    start = datetime(2026, 1, 1, tzinfo=now.tzinfo)
    for number in range(3):
        session = make_session(desk, now=now + number * MINUTE)
        later = number * HOUR
        test = make_backtest(
            session,
            now=now + number * MINUTE,
            variant=number,
            window_start=start + later,
            window_split=start + timedelta(days=180) + later,
            window_end=start + timedelta(days=240) + later,
        )
        learn(desk, test, now=now + number * MINUTE)
    then = now + HOUR
    held = claimed(make_session(desk, now=then), now=then)
    assert (held.evidence.support.sessions, held.evidence.support.profitable_holdouts) == (3, 1)
    settled = settle(desk, held, now=then, promotion="guarded")
    assert (settled.status, settled.missing) == ("refused", ("profitable_holdouts",))


@pytest.mark.spec("M6")
def test_profits_that_the_best_of_many_would_have_had_by_luck_are_refused_and_named(
    desk: Desk, now: datetime
) -> None:
    weak = {"trades": 9, "total_pnl_pct": 1.5, "sharpe": 2.5, "days": 62.0}  # a t-statistic of 1
    for number, symbol in enumerate(("ETH", "BTC", "ETH")):
        session = make_session(desk, now=now + number * MINUTE, symbol_id=symbol)
        test = make_backtest(
            session,
            now=now + number * MINUTE,
            variant=number,
            symbol=symbol,
            holdout=("1", 9),
        )
        test.holdout = weak  # what is learned is what this says
        learn(desk, test, now=now + number * MINUTE)
    then = now + HOUR
    later: Session = make_session(desk, now=then)
    held = claimed(later, now=then)
    settled = settle(desk, held, now=then, promotion="guarded")
    assert (settled.status, settled.missing) == ("refused", ("beyond_chance",))
    assert "beyond_chance" in settled.reason
    assert settled.support["chance"] == pytest.approx(held.evidence.support.chance, abs=1e-4)
    assert held.evidence.support.chance > CHANCE_MOST
    # S3's own rule asks only for what it did before.
    assert held.evidence.support.is_met


@pytest.mark.spec("M6")
def test_facts_that_a_claim_keeps_are_read_again_also_those_of_an_older_form(desk: Desk) -> None:
    fact = Fact(config="ab", session=None, holdout=("ETH", "a", "b"), score=1.5, won=True)
    assert Fact.kept(fact.as_json() | {"holdout": ["ETH", "a", "b"]}) == fact
    older = Fact.kept({"config": "ab", "session": None, "holdout": "ETH 4h a/b"})
    assert older == Fact(config="ab", holdout=("ETH", "a", "b"), won=True)
    assert Fact.kept({"config": None, "session": None, "holdout": None}) == Fact()
    assert weigh(desk.agent.id, [older]).profitable_holdouts == 1
    assert weigh(desk.agent.id, [older]).chance == 1.0
