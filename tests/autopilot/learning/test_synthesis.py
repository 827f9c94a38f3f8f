"""From insights to a rule: when it is due, who does it, what comes of it."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction

from autopilot.errors import ClaimLost
from autopilot.learning import synthesis
from autopilot.models import Session, SynthesisClaim
from memory.models import Record, RecordLink, Standing, StandingChange
from memory.services.standings import replayed
from tests.autopilot.learning.lab import (
    CALL,
    DAY,
    MINUTE,
    TYPE,
    claimed,
    due,
    learn,
    learn_many,
    make_backtest,
    make_rule,
    make_session,
    settle,
)
from tests.desk import Desk
from tests.strategies import forget, remember

HOUR = timedelta(hours=1)
BTC: dict[str, Any] = {"symbol": "BTC", "holdout": ("2", 3)}


@pytest.fixture
def session(desk: Desk, now: datetime) -> Session:
    return make_session(desk, now=now)


@pytest.fixture
def two_sessions(desk: Desk, session: Session, now: datetime) -> Session:
    """Return a session that finds three insights of its own and one of another market: all met."""
    learn_many(desk, make_session(desk, now=now - HOUR, symbol_id="BTC"), 1, now=now - HOUR, **BTC)
    learn_many(desk, session, 3, now=now - HOUR, first=2)
    return session


def made(settled: synthesis.Settled) -> UUID:
    """Return the id of the rule that was made."""
    assert settled.rule_id is not None
    return settled.rule_id


@pytest.mark.spec("M6", "M2")
def test_three_insights_make_a_rule_that_leads_back_to_them(
    desk: Desk, session: Session, now: datetime
) -> None:
    learned = learn_many(desk, session, 3, now=now)
    then = now + HOUR
    settled = settle(desk, claimed(session, now=then), "  Cross with the trend. ", now=then)
    assert (settled.status, settled.confidence) == ("made", Decimal("0.6"))
    record = Record.objects.get(id=made(settled))
    assert (record.type, record.scope, record.content) == ("rule", "agent", "Cross with the trend.")
    assert record.tags == ["trend", "trend_following", "rule", "all_symbols"]
    assert record.metadata["produced_by"]["role"] == "synthesizer"
    links = RecordLink.objects.filter(source_id=record.id).order_by("ord")
    assert [(link.target_id, link.link_type) for link in links] == [
        (one.id, "derived_from") for one in reversed(learned)
    ]
    standing = Standing.objects.get(record_id=record.id)
    assert (standing.strategy_type, standing.symbol_id, standing.expires_at) == (TYPE, None, None)
    assert standing.validated_count == 1


@pytest.mark.spec("M6")
def test_a_rule_carries_which_guards_it_meets_and_how_many_variants_were_tried(
    desk: Desk, session: Session, now: datetime
) -> None:
    learn_many(desk, session, 3, now=now)
    make_backtest(session, now=now, variant=77, iteration=29)
    make_backtest(session, now=now, variant=77, iteration=30)
    then = now + HOUR
    settled = settle(desk, claimed(session, now=then), now=then)
    support = {
        "distinct_configs": {"count": 3, "needed": 3, "met": True},
        "sessions": {"count": 1, "needed": 2, "met": False},
        # Three strategies on one slice of one market: a single holdout.
        "profitable_holdouts": {"count": 1, "needed": 2, "met": False},
        "variants_tried": 4,
        # That the best of four scores 3.7 by luck.
        "chance": 0.0004,
    }
    assert settled.support == support
    assert settled.missing == ("sessions", "profitable_holdouts")
    window = Standing.objects.filter(type="strategy_insight")[0].metrics["window"]
    metrics = Standing.objects.get(record_id=made(settled)).metrics
    assert metrics == {"support": support, "windows": [window]}
    claim = SynthesisClaim.objects.get()
    assert claim.rule_id == settled.rule_id
    assert {key: claim.support[key] for key in support} == support
    assert len(claim.support["facts"]) == 3


@pytest.mark.spec("M6", "M2")
@pytest.mark.parametrize("promotion", ["three_insights", "guarded"])
def test_a_rule_that_meets_all_guards_begins_at_eight_tenths(
    desk: Desk, two_sessions: Session, now: datetime, promotion: str
) -> None:
    settled = settle(desk, claimed(two_sessions, now=now), now=now, promotion=promotion)
    assert (settled.status, settled.missing) == ("made", ())
    assert Standing.objects.get(record_id=made(settled)).confidence == Decimal("0.8")


@pytest.mark.spec("M6")
@pytest.mark.parametrize(
    ("tried", "holdouts", "missing"),
    [
        ((2, 3), [("1", 1), ("1", 1)], []),
        ((1, 3), [("1", 1), ("1", 1)], ["sessions"]),
        ((2, 2), [("1", 1), ("1", 1)], ["distinct_configs"]),
        ((2, 3), [("1", 1), ("-1", 9)], ["profitable_holdouts"]),
        ((2, 3), [("1", 1), ("0", 0)], ["profitable_holdouts"]),
        (
            (1, 1),
            [("0", 0), ("0", 0)],
            ["distinct_configs", "sessions", "profitable_holdouts", "beyond_chance"],
        ),
    ],
)
def test_guarded_refuses_a_rule_and_names_the_guard_that_is_missing(
    desk: Desk,
    now: datetime,
    tried: tuple[int, int],
    holdouts: list[tuple[str, int]],
    missing: list[str],
) -> None:
    sessions, variants = tried
    made = [make_session(desk, now=now, symbol_id=symbol) for symbol in ("ETH", "BTC")]
    for number in range(4):
        test = make_backtest(
            made[number % sessions],
            now=now + number * MINUTE,
            symbol=("ETH", "BTC")[number % 2],
            iteration=number + 1,
            variant=number % variants,
            holdout=holdouts[number % 2],
        )
        learn(desk, test, now=now + number * MINUTE)
    then = now + HOUR
    later = make_session(desk, now=then)
    settled = settle(desk, claimed(later, now=then), now=then, promotion="guarded")
    assert settled.status == ("refused" if missing else "made")
    assert list(settled.missing) == missing
    assert all(name in settled.reason for name in missing)
    assert Record.objects.filter(type="rule").count() == (0 if missing else 1)
    claim = SynthesisClaim.objects.get()
    assert (claim.status, claim.reason) == (settled.status, settled.reason)


@pytest.mark.spec("M6", "A9")
def test_thirty_lucky_variants_of_one_session_promote_nothing_when_guarded(
    desk: Desk, session: Session, now: datetime
) -> None:
    refusals = []
    for number in range(1, 31):
        moment = now + number * MINUTE
        learn_many(desk, session, 1, now=now, first=number, holdout=("50", 30))
        if (found := due(session, now=moment)) is not None:
            assert found.is_refused_anyway(promotion="guarded")
            assert not found.is_refused_anyway(promotion="three_insights")
            settled = settle(desk, claimed(session, now=moment), now=moment, promotion="guarded")
            refusals.append(settled.missing)
    assert refusals == [("sessions", "profitable_holdouts")] * 10
    assert not Record.objects.filter(type="rule").exists()


@pytest.mark.spec("M6", "A9")
def test_which_sets_are_due_and_asked_about_depends_on_no_holdout(
    desk: Desk, now: datetime
) -> None:
    asked: list[list[tuple[list[int], bool]]] = []
    for holdout in (("9", 9), ("-9", 9)):
        session = make_session(desk, now=now)
        now += 100 * DAY  # what is before has expired
        told = []
        numbers: dict[UUID, int] = {}
        for number in range(1, 9):
            moment = now + number * MINUTE
            for one in learn_many(desk, session, 1, now=now, first=number, holdout=holdout):
                numbers[one.id] = number
            if (found := due(session, now=moment)) is not None:
                told.append(
                    (
                        [numbers[id_] for id_ in found.ids],
                        found.is_refused_anyway(promotion="guarded"),
                    )
                )
                settle(desk, claimed(session, now=moment), now=moment, promotion="guarded")
        asked.append(told)
    assert asked[0] == asked[1] != []


@pytest.mark.spec("M6")
def test_the_same_set_is_never_done_twice_and_three_new_insights_make_a_new_one(
    desk: Desk, session: Session, now: datetime
) -> None:
    learn_many(desk, session, 3, now=now)
    then = now + HOUR
    make_rule(desk, session, now=then)
    for number in range(4, 7):
        assert due(session, now=then) is None
        learn_many(desk, session, 1, now=now, first=number)
    found = due(session, now=then)
    assert found is not None
    assert len(found.insights) == 6
    assert settle(desk, claimed(session, now=then), "Another", now=then).status == "made"
    assert due(session, now=then) is None


@pytest.mark.spec("M6")
def test_a_claimed_set_is_nobody_elses_and_a_settled_one_is_over(
    desk: Desk, two_sessions: Session, now: datetime
) -> None:
    other = make_session(desk, now=now)
    theirs = due(other, now=now)
    assert theirs is not None
    held = claimed(two_sessions, now=now)
    assert held.evidence.hash == theirs.hash
    assert synthesis.claim(evidence=theirs, now=now) is None
    assert due(other, now=now) is None
    settle(desk, held, now=now)
    assert synthesis.claim(evidence=theirs, now=now + DAY) is None
    assert due(other, now=now + DAY) is None
    assert SynthesisClaim.objects.count() == 1


@pytest.mark.spec("M6")
def test_a_set_is_not_due_while_another_session_works_on_its_insights(
    desk: Desk, session: Session, now: datetime
) -> None:
    then = now + HOUR
    other = make_session(desk, now=then)
    learn_many(desk, session, 3, now=now)
    claimed(session, now=then)
    learn_many(desk, session, 1, now=now, first=4)
    assert due(other, now=then) is None
    learn_many(desk, session, 2, now=now, first=5)
    assert due(other, now=then) is not None


@pytest.mark.spec("M6", "A11")
def test_a_claim_whose_worker_died_is_taken_over_when_its_lease_has_run_out(
    desk: Desk, two_sessions: Session, now: datetime, settings: Any
) -> None:
    settings.STEP_LEASE_SECONDS = 150.0
    dead = claimed(two_sessions, now=now)
    heir = make_session(desk, now=now)
    assert due(heir, now=now + timedelta(seconds=149)) is None
    assert synthesis.claim(evidence=dead.evidence, now=now) is not None, "its own session may"
    later = now + timedelta(seconds=151)
    taken = claimed(heir, now=later)
    with pytest.raises(ClaimLost):
        settle(desk, dead, now=later)
    assert not Record.objects.filter(type="rule").exists()
    assert settle(desk, taken, now=later).status == "made"
    claim = SynthesisClaim.objects.get()
    assert (claim.session_id, claim.claim) == (heir.id, taken.id)
    with pytest.raises(ClaimLost):
        settle(desk, taken, now=later)


@pytest.mark.spec("M6", "A11")
def test_a_session_that_died_with_a_claim_does_the_same_set_again(
    desk: Desk, two_sessions: Session, now: datetime
) -> None:
    before = claimed(two_sessions, now=now)
    learn_many(desk, make_session(desk, now=now), 4, now=now - HOUR, first=10)
    again = claimed(two_sessions, now=now + MINUTE)
    assert again.evidence == before.evidence
    assert again.id != before.id
    with pytest.raises(ClaimLost):
        settle(desk, before, now=now)
    assert settle(desk, again, now=now + MINUTE).status == "made"
    assert SynthesisClaim.objects.count() == 1


@pytest.mark.spec("A11")
def test_a_lost_claim_stores_nothing_and_leaves_the_transaction_usable(
    desk: Desk, two_sessions: Session, now: datetime
) -> None:
    before = claimed(two_sessions, now=now)
    claimed(two_sessions, now=now)
    with transaction.atomic():
        with pytest.raises(ClaimLost):
            settle_bare(desk, before, now=now)
        kept = desk.write(now=now)
    assert Record.objects.filter(id=kept.id).exists()


def settle_bare(desk: Desk, claim: synthesis.Claim, *, now: datetime) -> synthesis.Settled:
    """Settle in whatever transaction is open."""
    return synthesis.settle(
        claim=claim,
        actor=desk.actor("autopilot", now=now),
        rule="Cross with the trend",
        tags=[],
        promotion="three_insights",
        call=CALL,
        now=now,
    )


@pytest.mark.spec("A11", "R6")
def test_what_fails_after_a_rule_takes_the_rule_and_the_settling_with_it(
    desk: Desk, two_sessions: Session, now: datetime
) -> None:
    held = claimed(two_sessions, now=now)
    before = StandingChange.objects.count()
    with transaction.atomic():
        assert settle_bare(desk, held, now=now).status == "made"
        transaction.set_rollback(True)
    assert not Record.objects.filter(type="rule").exists()
    assert StandingChange.objects.count() == before
    assert SynthesisClaim.objects.get().status == "claimed"
    assert settle(desk, held, now=now).status == "made"


@pytest.mark.spec("M6")
@pytest.mark.parametrize("said", ["", "  \n "])
def test_an_empty_answer_says_that_a_rule_like_it_is_there(
    desk: Desk, two_sessions: Session, now: datetime, said: str
) -> None:
    settled = settle(desk, claimed(two_sessions, now=now), said, now=now)
    assert (settled.status, settled.rule_id) == ("duplicate", None)
    assert due(two_sessions, now=now) is None


@pytest.mark.spec("M6")
def test_a_model_that_failed_leaves_the_set_to_its_session_and_later_to_others(
    desk: Desk, two_sessions: Session, now: datetime
) -> None:
    held = claimed(two_sessions, now=now)
    settled = settle(desk, held, "", now=now, fallback="unavailable")
    assert (settled.status, settled.rule_id) == ("unanswered", None)
    assert SynthesisClaim.objects.get().status == "claimed"
    other = make_session(desk, now=now)
    assert due(other, now=now) is None
    again, theirs = due(two_sessions, now=now), due(other, now=now + HOUR)
    assert again is not None
    assert theirs is not None
    assert again.ids == theirs.ids == held.evidence.ids
    assert settle(desk, claimed(other, now=now + HOUR), now=now + HOUR).status == "made"


@pytest.mark.spec("M6")
def test_guards_come_before_a_failed_model(desk: Desk, session: Session, now: datetime) -> None:
    learn_many(desk, session, 3, now=now)
    held = claimed(session, now=now + HOUR)
    settled = settle(desk, held, "", now=now + HOUR, promotion="guarded", fallback="unavailable")
    assert settled.status == "refused"


@pytest.mark.spec("M6")
@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("cross  WITH the\ttrend.", "duplicate"),
        ("\uff23ross with the trend", "duplicate"),
        (
            "Cross, with the trend! 7 of 10 backtests won, median +14.2 %. Offline, no model.",
            "duplicate",
        ),
        ("Do not cross with the trend", "made"),
        ("Cross with the trend above 25", "made"),
    ],
)
def test_a_rule_that_claims_the_same_is_not_stored_even_if_the_model_returned_it(
    desk: Desk, two_sessions: Session, now: datetime, said: str, status: str
) -> None:
    rule = make_rule(desk, two_sessions, now=now)
    learn_many(desk, two_sessions, 3, now=now, first=10)
    then = now + HOUR
    settled = settle(desk, claimed(two_sessions, now=then), said, now=then)
    assert (settled.status, settled.like) == (status, rule if status == "duplicate" else None)
    claim = SynthesisClaim.objects.get(settled_at=then)
    assert (str(rule) in claim.reason) == (status == "duplicate")
    assert claim.support.get("duplicate_of") == (str(rule) if settled.like else None)


@pytest.mark.spec("M6")
def test_a_synthesizer_that_knows_a_rule_like_it_names_it(
    desk: Desk, two_sessions: Session, now: datetime
) -> None:
    rule = make_rule(desk, two_sessions, now=now)
    learn_many(desk, two_sessions, 3, now=now, first=10)
    then = now + HOUR
    said = f"rule {rule} says the same already"
    settled = settle(desk, claimed(two_sessions, now=then), "", reason=said, now=then)
    assert (settled.status, settled.like, settled.reason) == ("duplicate", rule, said)


@pytest.mark.spec("M6")
def test_what_a_rule_rests_on_is_beside_its_text(
    desk: Desk, two_sessions: Session, now: datetime
) -> None:
    told = "3 of 4 backtests in-sample won."
    settled = settle(desk, claimed(two_sessions, now=now), reason=told, now=now)
    record = Record.objects.get(id=made(settled))
    assert (record.content, record.metadata["evidence_summary"]) == ("Cross with the trend", told)
    assert settled.summary == told


@pytest.mark.spec("M6", "M3")
def test_a_rule_of_another_type_or_agent_or_one_that_ended_is_no_rule_like_it(
    desk: Desk, other: Desk, two_sessions: Session, now: datetime
) -> None:
    words = "Cross with the trend"
    remember(desk, words, now=now, type="rule", strategy_type="momentum")
    remember(desk, words, now=now, type="rule")
    remember(other, words, now=now, type="rule", strategy_type=TYPE)
    forget(remember(desk, words, now=now, type="rule", strategy_type=TYPE), now=now)
    assert settle(desk, claimed(two_sessions, now=now), words, now=now).status == "made"


@pytest.mark.spec("M6")
@pytest.mark.parametrize("said", ["a\x00b", "\ud800"])
def test_a_rule_that_cannot_be_stored_is_refused(
    desk: Desk, two_sessions: Session, now: datetime, said: str
) -> None:
    settled = settle(desk, claimed(two_sessions, now=now), said, now=now)
    assert (settled.status, settled.rule_id) == ("refused", None)


@pytest.mark.spec("M6", "M3")
def test_insights_deleted_during_the_call_make_no_rule(
    desk: Desk, session: Session, now: datetime
) -> None:
    learned = learn_many(desk, session, 3, now=now)
    then = now + HOUR
    held = claimed(session, now=then)
    forget(learned[0].id, now=then)
    settled = settle(desk, held, now=then)
    assert (settled.status, settled.rule_id) == ("refused", None)


@pytest.mark.spec("M6", "M5")
def test_a_rule_has_a_ledger_from_its_first_line(
    desk: Desk, two_sessions: Session, now: datetime
) -> None:
    rule = make_rule(desk, two_sessions, now=now)
    line = StandingChange.objects.get(record_id=rule)
    assert (line.event, line.cause_kind, line.at) == ("created", "run", now)
    state = replayed(desk.agent.id, rule)
    assert state is not None
    assert state.confidence == Decimal("0.8")
