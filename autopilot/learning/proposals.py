"""Rules that wait for a person's decision, as synthesis proposes them (SPEC M6, RULE_REVIEW)."""

from datetime import datetime

from autopilot.learning.claims import Like, like
from autopilot.learning.evidence import Evidence
from autopilot.models import RuleProposal
from memory.ids import id_at
from memory.schemas.records import RecordDraft


def waiting_like(evidence: Evidence, rule: str) -> Like | None:
    """Return the proposal that waits for a decision and claims the same; None: there is none."""
    waiting = RuleProposal.objects.filter(
        agent_id=evidence.agent_id, strategy_type=evidence.strategy_type, status="pending"
    )
    return like(rule, waiting.order_by("id").values_list("id", "content"))


def propose(evidence: Evidence, draft: RecordDraft, *, now: datetime) -> RuleProposal:
    """Store a rule to be decided on, in the transaction that settles the claim as `proposed`."""
    return RuleProposal.objects.create(
        id=id_at(now),
        agent_id=evidence.agent_id,
        strategy_type=evidence.strategy_type,
        evidence_hash=evidence.hash,
        content=draft.content,
        tags=draft.tags,
        metadata=draft.metadata,
        windows=list(evidence.windows),
        status="pending",
        proposed_at=now,
    )
