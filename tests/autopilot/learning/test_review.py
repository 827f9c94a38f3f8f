"""A rule that waits for a person: proposed, approved or rejected, each once (SPEC M6)."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction

from autopilot.errors import AlreadyDecided, EvidenceGone, RuleExists
from autopilot.learning import approval
from autopilot.learning.support import support_of
from autopilot.models import RuleProposal, Session, SynthesisClaim
from autopilot.session.steps.common import view_of
from memory.errors import NotFound, ValidationFailed
from memory.ids import id_at
from memory.models import RecordLink, Run, Standing, StandingChange
from memory.selectors.recall import Wanted, recall
from memory.services import endings
from memory.services.forget import forget
from memory.services.standings import Cause
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
from tests.desk import BECAUSE, Desk, make_desk

HOUR = timedelta(hours=1)
WHY = "it holds on three markets"
RULE = "Cross with the trend"


@pytest.fixture
def chief(desk: Desk) -> User:
    del desk
    return User.objects.create_superuser("chief")


def proposed(desk: Desk, *, now: datetime, rule: str = RULE, count: int = 3) -> RuleProposal:
    """Return the proposal of a session that was shown so many new insights."""
    learn_many(desk, make_session(desk, now=now - HOUR), count, now=now - HOUR)
    settled = settle(
        desk, claimed(make_session(desk, now=now), now=now), rule, review=True, now=now
    )
    assert settled.status == "proposed"
    assert settled.rule_id is None
    return RuleProposal.objects.get(status="pending", content=rule)


def decide(
    decision: Callable[..., Any],
    proposal: RuleProposal,
    chief: User,
    *,
    now: datetime,
    reason: str = WHY,
) -> Any:
    return decision(
        agent_id=proposal.agent_id,
        proposal_id=proposal.pk,
        user_id=chief.pk,
        reason=reason,
        now=now,
    )


def claim_of(proposal: RuleProposal) -> SynthesisClaim:
    return approval.claim_of(proposal)


@pytest.mark.spec("M6")
def test_a_rule_that_waits_is_no_rule_and_its_evidence_is_not_read_again(
    desk: Desk, now: datetime
) -> None:
    proposal = proposed(desk, now=now)
    assert not Standing.objects.filter(type="rule").exists()
    assert claim_of(proposal).status == "proposed"
    assert (proposal.content, proposal.status) == (RULE, "pending")
    assert proposal.tags == ["trend", TYPE, "rule", "all_symbols"]
    later = make_session(desk, now=now + HOUR)
    assert due(later, now=now + HOUR) is None


@pytest.mark.spec("M6", "M5")
def test_an_approved_rule_is_published_as_synthesis_would_have(
    desk: Desk, chief: User, now: datetime
) -> None:
    proposal = proposed(desk, now=now)
    ids = claim_of(proposal).evidence
    then = now + HOUR
    record = decide(approval.approve, proposal, chief, now=then)
    standing = Standing.objects.get(record_id=record.id)
    assert (standing.type, standing.strategy_type, str(standing.confidence)) == (
        *("rule", TYPE),
        "0.6000",
    )
    assert standing.expires_at is None
    assert set(standing.metrics) == {"support", "windows"}
    assert standing.metrics["windows"] == proposal.windows
    links = RecordLink.objects.filter(source_id=record.id)
    assert {str(link.target_id) for link in links} == set(ids)
    assert {link.link_type for link in links} == {"derived_from"}
    # The first line of its ledger names who approved it.
    line = StandingChange.objects.get(record_id=record.id)
    assert (line.event, line.cause_kind, line.cause_id) == ("created", "user", str(chief.pk))
    assert record.run is not None
    run = Run.objects.get(id=record.run.id)
    assert (run.status, run.ended_at) == ("succeeded", then)
    # Later confirmations count on top of what its insights support.
    support = support_of(desk.agent.id, record.id)
    assert support is not None
    assert support.as_json() == standing.metrics["support"]
    proposal.refresh_from_db()
    assert (proposal.status, proposal.rule_id, proposal.reason) == ("approved", record.id, WHY)
    assert (proposal.decided_by_id, proposal.decided_at) == (chief.pk, then)
    claim = claim_of(proposal)
    assert (claim.status, claim.rule_id, claim.reason) == ("made", record.id, f"approved: {WHY}")


@pytest.mark.spec("M6", "M11", "A9")
def test_the_session_that_proposed_a_rule_neither_reads_nor_judges_it(
    desk: Desk, chief: User, now: datetime
) -> None:
    proposal = proposed(desk, now=now)
    session = Session.objects.get(id=claim_of(proposal).session_id)
    record = decide(approval.approve, proposal, chief, now=now + HOUR)
    assert not recall(view=view_of(session), wanted=Wanted(type="rule"))
    test = make_backtest(session, now=now + HOUR)
    assert judged(test, record.id, now=now + HOUR).own == (record.id,)
    other = make_session(desk, now=now + 2 * HOUR, symbol_id="BTC")
    test = make_backtest(other, now=now + 2 * HOUR, symbol="BTC")
    assert [one.rule_id for one in judged(test, record.id, now=now + 2 * HOUR).moved] == [record.id]


@pytest.mark.spec("M6")
def test_a_rejected_evidence_set_is_not_proposed_again_and_a_new_one_is(
    desk: Desk, chief: User, now: datetime
) -> None:
    proposal = proposed(desk, now=now)
    decide(approval.reject, proposal, chief, now=now, reason="  luck  ")
    proposal.refresh_from_db()
    assert (proposal.status, proposal.reason, proposal.rule_id) == ("rejected", "luck", None)
    claim = claim_of(proposal)
    assert (claim.status, claim.reason) == ("refused", "rejected: luck")
    later = now + HOUR
    assert due(make_session(desk, now=later), now=later) is None
    learn_many(desk, make_session(desk, now=later), 3, now=later, first=11)
    again = later + HOUR
    found = settle(
        desk, claimed(make_session(desk, now=again), now=again), RULE, review=True, now=again
    )
    assert found.status == "proposed"


@pytest.mark.spec("M6")
def test_what_waits_already_is_not_proposed_in_other_words_of_the_same(
    desk: Desk, now: datetime
) -> None:
    first = proposed(desk, now=now)
    learn_many(desk, make_session(desk, now=now), 3, now=now, first=11)
    later = now + HOUR
    session = make_session(desk, now=later)
    found = settle(
        desk, claimed(session, now=later), "cross, with the TREND!", review=True, now=later
    )
    assert found.status == "duplicate"
    assert str(first.pk) in found.reason
    assert RuleProposal.objects.count() == 1


@pytest.mark.spec("M6", "M3")
@pytest.mark.parametrize("how", ["expired", "deleted"])
def test_a_rule_whose_insights_are_gone_can_be_rejected_alone(
    desk: Desk, chief: User, now: datetime, how: str
) -> None:
    proposal = proposed(desk, now=now)
    ids = [UUID(one) for one in claim_of(proposal).evidence]
    then = now + HOUR
    if how == "expired":
        then = now + timedelta(days=200)
    else:
        forget(agent_id=desk.agent.id, record_ids=ids[:1], by=Cause("test"), now=now)
    with pytest.raises(EvidenceGone) as caught:
        decide(approval.approve, proposal, chief, now=then)
    assert caught.value.fields["needed"] == 3
    proposal.refresh_from_db()
    assert proposal.status == "pending"
    assert not Standing.objects.filter(type="rule").exists()
    decide(approval.reject, proposal, chief, now=then)


@pytest.mark.spec("M6")
def test_a_rule_that_says_what_a_live_one_says_is_not_approved_until_that_has_ended(
    desk: Desk, chief: User, now: datetime
) -> None:
    proposal = proposed(desk, now=now)
    learn_many(desk, make_session(desk, now=now), 3, now=now, first=11)
    later = now + HOUR
    made = settle(
        desk, claimed(make_session(desk, now=later), now=later), "Cross with the trend.", now=later
    )
    assert made.rule_id is not None
    with pytest.raises(RuleExists) as caught:
        decide(approval.approve, proposal, chief, now=later)
    assert caught.value.fields == {"rule_id": str(made.rule_id)}
    endings.deprecate(agent_id=desk.agent.id, record_id=made.rule_id, now=later, **BECAUSE)
    assert decide(approval.approve, proposal, chief, now=later + MINUTE).content == RULE


@pytest.mark.spec("M6")
@pytest.mark.parametrize("first", [approval.approve, approval.reject])
@pytest.mark.parametrize("second", [approval.approve, approval.reject])
def test_a_decision_is_made_once(
    desk: Desk, chief: User, now: datetime, first: Any, second: Any
) -> None:
    proposal = proposed(desk, now=now)
    decide(first, proposal, chief, now=now)
    with pytest.raises(AlreadyDecided):
        decide(second, proposal, chief, now=now)


@pytest.mark.spec("M6", "X1")
def test_a_decision_has_a_reason_and_is_of_the_agents_own_proposal(
    desk: Desk, other: Desk, chief: User, now: datetime
) -> None:
    proposal = proposed(desk, now=now)
    for decision in (approval.approve, approval.reject):
        with pytest.raises(ValidationFailed):
            decide(decision, proposal, chief, now=now, reason="  ")
        for agent, id_ in ((other.agent.id, proposal.pk), (desk.agent.id, id_at(now))):
            with pytest.raises(NotFound):
                decision(agent_id=agent, proposal_id=id_, user_id=chief.pk, reason=WHY, now=now)
    proposal.refresh_from_db()
    assert proposal.status == "pending"


@pytest.mark.spec("M3", "M6")
def test_a_forgotten_rule_leaves_no_word_with_its_proposal(
    desk: Desk, chief: User, now: datetime
) -> None:
    proposal = proposed(desk, now=now)
    record = decide(approval.approve, proposal, chief, now=now)
    forget(agent_id=desk.agent.id, record_ids=[record.id], by=Cause("test"), now=now)
    proposal.refresh_from_db()
    assert (proposal.content, proposal.metadata) == ("", {})


DECIDED = "decided_at = now(), decided_by_id = {chief}, reason = 'so'"
AGAIN = """
INSERT INTO autopilot_rule_proposal (id, agent_id, strategy_type, evidence_hash, content, tags,
    metadata, windows, status, proposed_at, reason)
SELECT gen_random_uuid(), agent_id, strategy_type, {evidence}, content, tags, metadata, windows,
    status, proposed_at, reason
FROM autopilot_rule_proposal
"""
CHANGE = "UPDATE autopilot_rule_proposal SET "
SETTLE = "UPDATE autopilot_synthesis_claim SET "
BREAKS = [
    ("proposal_frozen", "DELETE FROM autopilot_rule_proposal"),
    ("proposal_frozen", CHANGE + "content = 'another'"),
    ("proposal_frozen", CHANGE + "tags = ARRAY['another']"),
    ("proposal_frozen", CHANGE + "windows = '[1]'"),
    ("proposal_decided_by_somebody", CHANGE + "status = 'rejected'"),
    ("proposal_decided_by_somebody", CHANGE + "reason = 'early'"),
    (
        "proposal_says_something",
        f"{CHANGE} status = 'approved', rule_id = gen_random_uuid(), {DECIDED}",
    ),
    ("proposal_approved_names_rule", CHANGE + "rule_id = gen_random_uuid()"),
    ("proposal_matches_claim", f"{CHANGE} status = 'rejected', {DECIDED}"),
    ("proposal_matches_claim", SETTLE + "status = 'refused'"),
    ("proposal_matches_claim", AGAIN.replace("{evidence}", "sha256('another')")),
    ("proposal_once_per_evidence", AGAIN.replace("{evidence}", "evidence_hash")),
    ("synthesis_frozen", SETTLE + "status = 'claimed', settled_at = NULL"),
    ("synthesis_frozen", SETTLE + "status = 'duplicate'"),
    ("synthesis_frozen", SETTLE + "support = '[]'"),
]


def break_it(sql: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.mark.spec("M6")
@pytest.mark.parametrize(("rule", "sql"), BREAKS)
def test_the_database_refuses_what_is_no_decision(
    desk: Desk, chief: User, now: datetime, rule: str, sql: str
) -> None:
    proposed(desk, now=now)
    with pytest.raises(IntegrityError) as caught:
        break_it(sql.replace("{chief}", str(chief.pk)))
    cause = caught.value.__cause__
    assert isinstance(cause, psycopg.Error)
    assert cause.diag.constraint_name == rule


@pytest.mark.spec("M6")
@pytest.mark.django_db(transaction=True)
def test_of_eight_who_decide_at_once_one_does(transactional_db: None, now: datetime) -> None:  # noqa: ARG001 - opens the database first
    desk = make_desk("ours", now=now)
    chief = User.objects.create_superuser("chief")
    proposal = proposed(desk, now=now)
    barrier = threading.Barrier(8)

    def deciding(decision: Any) -> Callable[[], str]:
        def work() -> str:
            barrier.wait()
            try:
                decide(decision, proposal, chief, now=now)
            except AlreadyDecided:
                return "late"
            return "decided"

        return work

    came = at_once([deciding(one) for one in (approval.approve, approval.reject) * 4])
    assert sorted(came) == ["decided"] + ["late"] * 7
    rules = Standing.objects.filter(type="rule").count()
    proposal.refresh_from_db()
    assert rules == (1 if proposal.status == "approved" else 0)
