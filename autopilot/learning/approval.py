"""What people decide of proposed rules: approved, and so published, or rejected (SPEC M6).

A decision is one transaction under the lock of synthesis, so that no like rule comes in between. It
is told by the proposal itself, and an approval by the rule's ledger, too: its first line names who
approved it, in place of a run.
"""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from autopilot.errors import AlreadyDecided, EvidenceGone, RuleExists
from autopilot.learning.claims import like
from autopilot.learning.evidence import NEEDED
from autopilot.learning.insights import living
from autopilot.learning.rules import live_rules, one_at_a_time, publish_rule
from autopilot.learning.support import facts_of, weigh
from autopilot.models import RuleProposal, Session, SynthesisClaim
from memory.errors import NotFound
from memory.models import Agent, Run, Standing
from memory.policies.ownership import TokenActor
from memory.schemas.answers import WrittenRecordOut
from memory.schemas.records import RecordDraft
from memory.services.changes import reasoned
from memory.services.publish import bounds
from memory.services.runs import finish_run, start_run
from memory.services.standings import Cause
from memory.services.tokens import built_in_writer


def approve(
    *, agent_id: UUID, proposal_id: UUID, user_id: int, reason: str, now: datetime
) -> WrittenRecordOut:
    """Publish a proposed rule as synthesis would have, and return its record.

    It begins with what its insights support by now; its own session never judges it, as ever.
    NotFound. AlreadyDecided. EvidenceGone: fewer than three of its insights are live. RuleExists: a
    live rule claims the same. ValidationFailed: no reason, or it does not fit the bounds any more.
    """
    why = reasoned(reason)
    with transaction.atomic():
        proposal = _pending(agent_id, proposal_id)
        claim = claim_of(proposal)
        ids = [UUID(told) for told in claim.evidence]
        _check_evidence(agent_id, ids, now=now)
        _check_new(proposal, now=now)
        draft = {
            "type": "rule",
            "scope": "agent",
            "content": proposal.content,
            "metadata": proposal.metadata,
            "tags": proposal.tags,
            # As synthesis has it: the newest first.
            "links": living(agent_id, sorted(ids, reverse=True))[: bounds().max_links],
        }
        run, writer = _run_of(claim, now=now)
        record = publish_rule(
            actor=writer,
            draft=RecordDraft.parse(draft, context=bounds()),
            strategy_type=proposal.strategy_type,
            support=weigh(agent_id, facts_of(claim)),
            windows=proposal.windows,
            opposed=claim.support.get("opposed", []),
            cause=Cause("user", str(user_id)),
            now=now,
        )
        finish_run(run=run, status="succeeded", error="", now=now)
        _settle(proposal, status="made", rule_id=record.id, reason=f"approved: {why}")
        _decide(proposal, status="approved", user_id=user_id, reason=why, now=now, rule=record.id)
    return record


def reject(*, agent_id: UUID, proposal_id: UUID, user_id: int, reason: str, now: datetime) -> None:
    """Reject a proposed rule: its evidence set is never proposed again.

    NotFound. AlreadyDecided. ValidationFailed: no reason.
    """
    why = reasoned(reason)
    with transaction.atomic():
        proposal = _pending(agent_id, proposal_id)
        _settle(proposal, status="refused", rule_id=None, reason=f"rejected: {why}")
        _decide(proposal, status="rejected", user_id=user_id, reason=why, now=now)


def claim_of(proposal: RuleProposal) -> SynthesisClaim:
    """Return the claim of a proposal's evidence set, which says what it rests on."""
    return SynthesisClaim.objects.get(
        agent_id=proposal.agent_id,
        strategy_type=proposal.strategy_type,
        evidence_hash=proposal.evidence_hash,
    )


def live_evidence(agent_id: UUID, ids: list[UUID], *, now: datetime) -> set[UUID]:
    """Return those of the insights that are live, or merged into one that is."""
    rows = Standing.objects.filter(agent_id=agent_id, record_id__in=ids)
    lives = Q(expires_at__isnull=True) | Q(expires_at__gt=now)
    alone = Q(merged_into__isnull=True) & lives
    stood_for = Q(merged_into__expires_at__isnull=True) | Q(merged_into__expires_at__gt=now)
    merged = Q(merged_into__isnull=False) & stood_for
    return set(rows.filter(alone | merged).values_list("record_id", flat=True))


def _pending(agent_id: UUID, proposal_id: UUID) -> RuleProposal:
    """Return a proposal that nobody else decides on until the commit."""
    found = RuleProposal.objects.filter(agent_id=agent_id, id=proposal_id)
    strategy_type = found.values_list("strategy_type", flat=True).first()
    if strategy_type is None:
        raise NotFound("this agent has no such proposal")
    # First, as synthesis has it.
    one_at_a_time(agent_id, strategy_type)
    proposal = found.select_for_update(no_key=True).get()
    if proposal.status != "pending":
        raise AlreadyDecided(f"this proposal is {proposal.status} already", status=proposal.status)
    return proposal


def _check_evidence(agent_id: UUID, ids: list[UUID], *, now: datetime) -> None:
    alive = len(live_evidence(agent_id, ids, now=now))
    if alive < NEEDED:
        raise EvidenceGone(
            f"{alive} of the {len(ids)} insights that it was made from are live; a rule needs "
            f"{NEEDED}",
            live=alive,
            needed=NEEDED,
        )


def _check_new(proposal: RuleProposal, *, now: datetime) -> None:
    rules = live_rules(proposal.agent_id, proposal.strategy_type, now=now)
    known = like(proposal.content, rules)
    if known is not None:
        raise RuleExists(f"rule {known.id} claims the same", rule_id=str(known.id))


def _run_of(claim: SynthesisClaim, *, now: datetime) -> tuple[Run, TokenActor]:
    """Open a run of the producer whose session proposed it; that session's own may be over."""
    session = Session.objects.get(agent_id=claim.agent_id, id=claim.session_id)
    proposed_in = Run.objects.select_related("producer").get(
        agent_id=claim.agent_id, id=session.run_id
    )
    run = start_run(producer=proposed_in.producer, now=now)
    agent = Agent.objects.get(id=claim.agent_id)
    return run, built_in_writer(agent=agent, producer=proposed_in.producer, run=run)


def _settle(proposal: RuleProposal, *, status: str, rule_id: UUID | None, reason: str) -> None:
    SynthesisClaim.objects.filter(
        agent_id=proposal.agent_id,
        strategy_type=proposal.strategy_type,
        evidence_hash=proposal.evidence_hash,
    ).update(status=status, rule_id=rule_id, reason=reason)


def _decide(
    proposal: RuleProposal,
    *,
    status: str,
    user_id: int,
    reason: str,
    now: datetime,
    rule: UUID | None = None,
) -> None:
    decided = {
        "status": status,
        "decided_at": now,
        "decided_by_id": user_id,
        "reason": reason,
        "rule_id": rule,
    }
    if rule is not None:
        # The text is the rule's alone from now on, and is forgotten with it.
        decided |= {"content": "", "metadata": {}}
    RuleProposal.objects.filter(id=proposal.pk).update(**decided)
