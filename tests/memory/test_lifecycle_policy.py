"""How rules live by backtests, held against an oracle that counts in whole numbers."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from memory.ids import new_id
from memory.policies.lifecycle import (
    COMMUNITY,
    OWN,
    Scale,
    Tally,
    confirm,
    contradict,
    contradicts_insight,
    deprecate,
    insight_confidence,
    rule_confidence,
    verdict_of,
)
from memory.policies.standing import Line, Moving, Terms, replay

NOW = datetime(2026, 9, 30, 12, 1, 7, tzinfo=UTC)
DAY = timedelta(days=1)


def at(confidence: str, *, count: int = 1, shared: bool = False) -> Moving:
    """Return a live rule."""
    return Moving(
        tags=("adx",),
        confidence=Decimal(confidence),
        validated_count=count,
        relevance_score=Decimal("0.95"),
        visibility="community" if shared else "private",
    )


def contradicted(was: Moving, times: int, *, scale: Scale = OWN) -> Moving:
    """Return a rule after so many contradictions."""
    for _ in range(times):
        was = contradict(was, scale=scale, now=NOW)
    return was


@pytest.mark.spec("M4")
def test_a_confirmation_adds_a_tenth_and_one() -> None:
    after = confirm(at("0.8"), now=NOW)
    assert after == replace(at("0.8"), confidence=Decimal("0.9"), validated_count=2)


@pytest.mark.spec("M4")
def test_ten_tenths_make_exactly_one_and_no_more() -> None:
    known = at("0")
    for tenths in range(1, 11):
        known = confirm(known, now=NOW)
        assert known.confidence == Decimal(tenths) / 10
    assert (known.confidence, known.expires_at) == (Decimal(1), None)
    assert confirm(known, now=NOW).confidence == Decimal(1)


@pytest.mark.spec("M4")
def test_three_contradictions_take_nine_tenths_to_exactly_three_and_end_the_rule() -> None:
    known = contradicted(at("0.9", count=5), 2)
    assert (known.confidence, known.expires_at) == (Decimal("0.5"), None)
    known = contradict(known, now=NOW)
    assert (known.confidence, known.validated_count, known.expires_at) == (Decimal("0.3"), 2, NOW)


@pytest.mark.spec("M4")
@pytest.mark.parametrize(
    ("confidence", "count", "copy", "times", "ends"),
    [
        ("0.51", 9, False, 1, False),
        ("0.5", 9, False, 1, True),
        ("1", 1, False, 2, False),
        ("1", 1, False, 3, True),
        ("1", -1, False, 1, True),
        ("0.5", -1, False, 1, True),
        ("0.26", 9, True, 1, False),
        ("0.25", 9, True, 1, True),
        ("1", -3, True, 1, False),
        ("1", -4, True, 1, True),
        ("0.25", -4, True, 1, True),
    ],
)
def test_a_rule_ends_at_its_last_confidence_or_count_whichever_comes_first(
    confidence: str, count: int, copy: bool, times: int, ends: bool
) -> None:
    scale = COMMUNITY if copy else OWN
    after = contradicted(at(confidence, count=count), times, scale=scale)
    assert after.expires_at == (NOW if ends else None)
    assert after.validated_count == count - times


@pytest.mark.spec("M4", "M8")
def test_a_copy_that_others_contradict_loses_a_twentieth_and_the_authors_own_a_fifth() -> None:
    shared = at("0.8", shared=True)
    assert contradict(shared, scale=COMMUNITY, now=NOW).confidence == Decimal("0.75")
    assert contradict(shared, now=NOW).confidence == Decimal("0.6")


@pytest.mark.spec("M4")
def test_confidence_does_not_fall_under_nothing() -> None:
    assert contradict(at("0.31"), now=NOW).confidence == Decimal("0.11")
    assert contradict(at("0.1"), now=NOW).confidence == Decimal(0)


@pytest.mark.spec("M4")
def test_what_has_ended_stays_as_it_is() -> None:
    ended = contradicted(at("0.9"), 3)
    merged = replace(at("0.9"), merged_into=new_id())
    for known in (ended, merged):
        assert confirm(known, now=NOW + DAY) == known
        assert contradict(known, now=NOW + DAY) == known
        assert deprecate(known, now=NOW + DAY) == known


@pytest.mark.spec("M4")
def test_a_confirmation_ends_no_rule_however_low_it_began() -> None:
    assert confirm(at("0.15"), now=NOW).expires_at is None
    assert confirm(at("0.8", count=-4), now=NOW).expires_at is None
    assert contradict(at("0.8", count=-4), now=NOW).expires_at == NOW


@pytest.mark.spec("M6")
def test_a_held_rule_rises_to_six_tenths_and_goes_on_from_there_once_it_is_not() -> None:
    known = at("0.45")
    seen = []
    for held in (True, True, True, False, False):
        known = confirm(known, held=held, now=NOW)
        seen.append(str(known.confidence))
    assert seen == ["0.5500", "0.6000", "0.6000", "0.7000", "0.8000"]
    assert known.validated_count == 6


@pytest.mark.spec("M6")
def test_a_cap_takes_nothing_from_a_rule_above_it() -> None:
    after = confirm(at("0.8"), held=True, now=NOW)
    assert (after.confidence, after.validated_count) == (Decimal("0.8"), 2)
    assert contradict(after, now=NOW).confidence == Decimal("0.6")


@pytest.mark.spec("M2", "M6")
def test_a_rule_begins_at_eight_tenths_or_held_at_six() -> None:
    assert (rule_confidence(held=False), rule_confidence(held=True)) == (
        Decimal("0.8"),
        Decimal("0.6"),
    )


@pytest.mark.spec("M11")
@pytest.mark.parametrize(
    ("in_sample", "holdout", "verdict"),
    [
        (("3", 8), ("1", 5), "confirms"),
        (("-3", 8), ("1", 5), "confirms"),
        (("3", 8), ("-1", 5), "contradicts"),
        (("3", 8), ("0", 5), "contradicts"),
        (("3", 8), ("-9", 4), "confirms"),
        (("3", 4), ("9", 4), "neither"),
        (("0", 8), ("9", 4), "contradicts"),
        (("-1", 1), ("0", 0), "contradicts"),
        (("0", 0), ("0", 0), "contradicts"),
    ],
)
def test_the_holdout_decides_when_it_has_five_trades_else_the_rest(
    in_sample: tuple[str, int], holdout: tuple[str, int], verdict: str
) -> None:
    found = verdict_of(in_sample=tally(in_sample), holdout=tally(holdout), terms=Terms())
    assert found == verdict


@pytest.mark.spec("M1", "M11")
def test_what_is_a_success_is_a_setting_and_a_small_profit_then_says_neither() -> None:
    strict = Terms(success_min_trades=10, success_pnl_above=Decimal(2))
    for figures, verdict in (
        (("3", 10), "confirms"),
        (("3", 9), "neither"),
        (("2", 10), "neither"),
        (("0", 10), "contradicts"),
    ):
        nothing = Tally(pnl=Decimal(0), trades=0)
        assert verdict_of(in_sample=tally(figures), holdout=nothing, terms=strict) == verdict


def tally(figures: tuple[str, int]) -> Tally:
    return Tally(pnl=Decimal(figures[0]), trades=figures[1])


@pytest.mark.spec("A9", "M11")
@pytest.mark.parametrize(
    ("outcome", "holdout", "contradicts"),
    [
        ("success", ("-1", 1), True),
        ("success", ("0", 1), True),
        ("success", ("0.01", 9), False),
        ("success", ("0", 0), False),
        ("failure", ("-1", 9), False),
    ],
)
def test_a_holdout_contradicts_a_success_that_made_no_money_on_it(
    outcome: str, holdout: tuple[str, int], contradicts: bool
) -> None:
    assert contradicts_insight(outcome=outcome, holdout=tally(holdout)) is contradicts


@pytest.mark.spec("A9")
def test_a_contradicted_insight_is_trusted_by_half_at_the_most() -> None:
    assert insight_confidence(Decimal("0.9"), contradicted=True) == Decimal("0.5")
    assert insight_confidence(Decimal("0.4"), contradicted=True) == Decimal("0.4")
    assert insight_confidence(Decimal("0.9"), contradicted=False) == Decimal("0.9")


SHARES = st.integers(0, 10_000)


class Life(RuleBasedStateMachine):
    """Any history of a rule, beside a naive count of it in ten-thousandths, and its ledger."""

    @initialize(confidence=SHARES, count=st.integers(-6, 6), community=st.booleans())
    def born(self, confidence: int, count: int, community: bool) -> None:
        self.rule = at(str(Decimal(confidence) / 10_000), count=count)
        self.now = NOW
        self.parts, self.count, self.community = confidence, count, community
        self.ended: datetime | None = None
        self.lines = [Line(revision=1, event="created", before=None, after=self.rule)]

    @rule(held=st.booleans())
    def confirmed(self, held: bool) -> None:
        self._follow(confirm(self.rule, held=held, now=self.now), "confirmed")
        if self.ended is None:
            most = 6_000 if held else 10_000
            if self.parts < most:
                self.parts = min(self.parts + 1_000, most)
            self.count += 1

    @rule()
    def contradicted(self) -> None:
        scale = COMMUNITY if self.community else OWN
        self._follow(contradict(self.rule, scale=scale, now=self.now), "contradicted")
        if self.ended is None:
            self.parts -= 500 if self.community else 2_000
            self.parts = max(self.parts, 0)
            self.count -= 1
            least, fewest = (2_000, -5) if self.community else (3_000, -2)
            if self.parts <= least or self.count <= fewest:
                self.ended = self.now

    @rule(days=st.integers(0, 3))
    def time_passes(self, days: int) -> None:
        self.now += days * DAY

    def _follow(self, after: Moving, event: str) -> None:
        if after != self.rule:
            self.lines.append(
                Line(revision=len(self.lines) + 1, event=event, before=self.rule, after=after)
            )
        self.rule = after

    @invariant()
    def as_the_oracle_says(self) -> None:
        assert self.rule.confidence * 10_000 == self.parts
        assert self.rule.validated_count == self.count
        assert self.rule.expires_at == self.ended
        assert replay(self.lines) == self.rule


TestAnyLife = pytest.mark.spec("M4", "M5", "M6")(Life.TestCase)
TestAnyLife.settings = settings(max_examples=200, stateful_step_count=30, deadline=None)


@pytest.mark.spec("M4", "M5")
@given(
    confidence=SHARES,
    steps=st.lists(st.sampled_from(["up", "held", "down"]), max_size=40),
    scale=st.sampled_from([OWN, COMMUNITY]),
)
@settings(deadline=None)
def test_steps_never_leave_the_range_and_keep_all_but_what_they_move(
    confidence: int, steps: list[str], scale: Scale
) -> None:
    known = at(str(Decimal(confidence) / 10_000))
    for step in steps:
        was = known
        if step == "down":
            known = contradict(known, scale=scale, now=NOW)
            assert known.confidence <= was.confidence
        else:
            known = confirm(known, held=step == "held", now=NOW)
            assert known.confidence >= was.confidence
        assert 0 <= known.confidence <= 1
        assert Moving.from_json(known.as_json()) == known
        assert replace(known, confidence=Decimal(0), validated_count=0, expires_at=None) == replace(
            was, confidence=Decimal(0), validated_count=0, expires_at=None
        )
