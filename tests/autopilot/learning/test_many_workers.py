"""Many workers at once: one rule per evidence, one step per judgement, none lost, none stuck."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from django.db import transaction

from autopilot.learning import synthesis
from autopilot.learning.lifecycle import Judged
from autopilot.models import Judgement, Session, SynthesisClaim
from memory.models import Record, Standing, StandingChange
from memory.services import standings
from tests.autopilot.learning.lab import (
    MINUTE,
    TYPE,
    at_once,
    claimed,
    due,
    judged,
    learn_many,
    make_backtest,
    make_session,
    settle,
)
from tests.concurrency.test_publish import in_own_connection, until_it_waits
from tests.desk import Desk, make_desk
from tests.strategies import remember

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)
WORKERS = 8


@pytest.fixture
def desk(transactional_db: None, now: datetime) -> Desk:  # noqa: ARG001 - opens the database first
    return make_desk("ours", now=now)


def synthesising(
    desk: Desk, session: Session, barrier: threading.Barrier, *, now: datetime
) -> Callable[[], str]:
    """Return the work of one worker: what is due, claimed, asked about, and settled."""

    def work() -> str:
        found = due(session, now=now)
        barrier.wait()
        if found is None:
            return "nothing due"
        held = synthesis.claim(evidence=found, now=now)
        if held is None:
            return "claimed by another"
        return settle(desk, held, f"In words of {session.id}", now=now).status

    return work


@pytest.mark.spec("M6")
def test_eight_workers_that_synthesise_at_once_make_one_rule(desk: Desk, now: datetime) -> None:
    learn_many(desk, make_session(desk, now=now), 3, now=now)
    then = now + HOUR
    sessions = [make_session(desk, now=then) for _ in range(WORKERS)]
    barrier = threading.Barrier(WORKERS)
    came = at_once([synthesising(desk, session, barrier, now=then) for session in sessions])
    assert sorted(came) == ["claimed by another"] * (WORKERS - 1) + ["made"]
    assert Record.objects.filter(type="rule").count() == 1
    claim = SynthesisClaim.objects.get()
    assert claim.rule_id == Record.objects.get(type="rule").id


@pytest.mark.spec("M6")
def test_workers_whose_sets_overlap_make_one_rule_in_whatever_words(
    desk: Desk, now: datetime
) -> None:
    author, found = make_session(desk, now=now), []
    # The last set has two insights that the first has not: not enough for a rule of its own.
    for first, count in ((1, 3), (4, 1), (5, 1)):
        learn_many(desk, author, count, now=now, first=first)
        session = make_session(desk, now=now + (first + count - 1) * MINUTE)
        found.append(due(session, now=now + HOUR))
    held = [synthesis.claim(evidence=one, now=now + HOUR) for one in found if one is not None]
    assert len({one.evidence.hash for one in held if one is not None}) == len(found)
    barrier = threading.Barrier(len(held))

    def settling(number: int) -> Callable[[], str]:
        def work() -> str:
            claim = held[number]
            assert claim is not None
            barrier.wait()
            return settle(desk, claim, f"In words of {number}", now=now + HOUR).status

        return work

    came = at_once([settling(number) for number in range(len(held))])
    assert sorted(came) == ["duplicate"] * (len(held) - 1) + ["made"]
    assert Record.objects.filter(type="rule").count() == 1


@pytest.mark.spec("M6", "A11")
def test_a_rule_waits_for_another_of_its_type_and_is_then_found_to_be_one_too_many(
    desk: Desk, now: datetime
) -> None:
    session, other = make_session(desk, now=now), make_session(desk, now=now)
    learn_many(desk, session, 3, now=now)
    then = now + HOUR
    first = claimed(session, now=then)
    learn_many(desk, other, 3, now=now, first=10)
    second = claimed(other, now=then)
    words = "Cross with the trend"
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            made = settle(desk, first, words, now=then)
            late = pool.submit(in_own_connection(lambda: settle(desk, second, words, now=then)))
            until_it_waits(late)
        assert made.status == "made"
        assert late.result().like == made.rule_id


@pytest.mark.spec("M6")
def test_a_claim_waits_for_one_that_is_being_made_and_is_then_nobodys(
    desk: Desk, now: datetime
) -> None:
    then = now + HOUR
    session, other = make_session(desk, now=now), make_session(desk, now=then)
    learn_many(desk, session, 3, now=now)
    theirs = due(other, now=then)
    assert theirs is not None
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            claimed(session, now=then)
            late = pool.submit(
                in_own_connection(lambda: synthesis.claim(evidence=theirs, now=then))
            )
            until_it_waits(late)
        assert late.result() is None


@pytest.mark.spec("M6", "A11")
def test_a_claim_that_is_being_settled_is_not_taken_over_meanwhile(
    desk: Desk, now: datetime
) -> None:
    session, heir = make_session(desk, now=now), make_session(desk, now=now + HOUR)
    learn_many(desk, session, 3, now=now)
    slow = claimed(session, now=now + HOUR)
    much_later = now + 2 * HOUR
    found = due(heir, now=much_later)
    assert found is not None
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            assert settle(desk, slow, now=much_later).status == "made"
            late = pool.submit(
                in_own_connection(lambda: synthesis.claim(evidence=found, now=much_later))
            )
            until_it_waits(late)
        assert late.result() is None
    assert SynthesisClaim.objects.get().session_id == session.id


@pytest.mark.spec("M4", "A11")
def test_of_two_that_judge_the_same_backtest_one_moves_the_rule(desk: Desk, now: datetime) -> None:
    rule = remember(desk, "a rule", now=now, type="rule", confidence="0.9")
    test = make_backtest(make_session(desk, now=now), now=now, holdout=("-1", 9))
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            assert len(judged(test, rule, now=now).moved) == 1
            late = pool.submit(in_own_connection(lambda: judged(test, rule, now=now)))
            until_it_waits(late)
        again: Judged = late.result()
    assert (again.moved, again.already) == ((), (rule,))
    assert Standing.objects.get(record_id=rule).confidence == Decimal("0.7")
    assert StandingChange.objects.filter(record_id=rule).count() == 2


@pytest.mark.spec("M4", "M5")
def test_backtests_that_judge_the_same_rules_at_once_lose_no_step_and_block_nobody(
    desk: Desk, now: datetime
) -> None:
    rules = [
        remember(desk, f"rule {number}", now=now, type="rule", confidence="0.1")
        for number in range(4)
    ]
    tests = [
        make_backtest(make_session(desk, now=now), now=now, holdout=("1", 9), variant=number)
        for number in range(WORKERS)
    ]
    barrier = threading.Barrier(WORKERS)

    def judging(number: int) -> Callable[[], Judged]:
        # Each names them in another order, as models do.
        turn = number % len(rules)
        order = (rules[turn:] + rules[:turn])[:: -1 if number % 2 else 1]

        def work() -> Judged:
            barrier.wait()
            return judged(tests[number], *order, now=now)

        return work

    came = at_once([judging(number) for number in range(WORKERS)])
    assert all(len(one.moved) == len(rules) for one in came)
    for rule in rules:
        standing = Standing.objects.get(record_id=rule)
        assert (standing.confidence, standing.validated_count) == (Decimal("0.9"), 1 + WORKERS)
        assert standings.replayed(desk.agent.id, rule) == standings.moving_of(standing)
    assert Judgement.objects.count() == WORKERS * len(rules)


@pytest.mark.spec("M4", "M6")
def test_a_step_counts_the_support_of_those_that_it_waited_for(desk: Desk, now: datetime) -> None:
    session = make_session(desk, now=now)
    learn_many(desk, session, 3, now=now, holdout=("-1", 1))
    settled = settle(desk, claimed(session, now=now + HOUR), now=now + HOUR)
    rule = settled.rule_id
    assert rule is not None
    first, second = (
        make_backtest(
            make_session(desk, now=now), now=now, holdout=("1", 9), symbol=symbol, variant=70
        )
        for symbol in ("ETH", "BTC")
    )
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            confidence = judged(first, rule, now=now).moved[0].after.confidence
            late = pool.submit(in_own_connection(lambda: judged(second, rule, now=now)))
            until_it_waits(late)
        assert confidence == Decimal("0.6")
        assert late.result().moved[0].after.confidence == Decimal("0.7")


@pytest.mark.spec("A11", "M4")
def test_a_judgement_whose_step_is_not_stored_is_passed_again(desk: Desk, now: datetime) -> None:
    rule: UUID = remember(desk, "a rule", now=now, type="rule", strategy_type=TYPE)
    test = make_backtest(make_session(desk, now=now), now=now, holdout=("-1", 9))
    with transaction.atomic():
        assert len(judged(test, rule, now=now).moved) == 1
        transaction.set_rollback(True)
    assert not Judgement.objects.exists()
    assert StandingChange.objects.filter(record_id=rule).count() == 1
    assert len(judged(test, rule, now=now).moved) == 1
