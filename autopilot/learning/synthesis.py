"""From insights to a rule, once per evidence set (SPEC M6).

`evidence.due` → `claim`, in a transaction of its own → the model's call, with none open → `settle`,
in the transaction that ends the step. The claim's key keeps two workers from the same set; the lock
of `settle` keeps two sets that overlap from making a rule each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from psycopg.types.json import Jsonb

from autopilot.errors import ClaimLost
from autopilot.learning.claims import Like, like
from autopilot.learning.evidence import NEEDED, Evidence, fresh
from autopilot.learning.insights import living, produced_by
from autopilot.learning.proposals import propose, waiting_like
from autopilot.learning.rules import (
    begins_at,
    live_rules,
    one_at_a_time,
    publish_rule,
    told_support,
)
from autopilot.models import SynthesisClaim
from memory.errors import ValidationFailed
from memory.ids import id_at
from memory.policies.ownership import TokenActor
from memory.schemas.records import RecordDraft
from memory.services.publish import bounds

SUMMARY_MAX = 600
ALWAYS_TAGGED = ("rule", "all_symbols")

# One statement, so that of two that come at once one finds the other's row. A claim is taken over
# when its lease has run out, or by the session that holds it: its step is being done again.
CLAIM = """
INSERT INTO autopilot_synthesis_claim AS held (agent_id, strategy_type, evidence_hash, evidence,
    session_id, claim, lease_until, status, reason, support, claimed_at)
VALUES (%(agent)s, %(type)s, %(hash)s, %(evidence)s, %(session)s, %(claim)s, %(lease)s, 'claimed',
    '', %(support)s, %(now)s)
ON CONFLICT (agent_id, strategy_type, evidence_hash) DO UPDATE
SET claim = excluded.claim, session_id = excluded.session_id, lease_until = excluded.lease_until,
    claimed_at = excluded.claimed_at
WHERE held.status = 'claimed'
    AND (held.lease_until <= %(now)s OR held.session_id = excluded.session_id)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """An evidence set that this worker holds until it is settled, or another takes it over."""

    evidence: Evidence
    id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What came of a claim: a rule `made`, `duplicate` or `refused`, and why in a sentence.

    `proposed`: a person is to decide on it; `content` and `confidence` are what it would have.

    `unanswered`: the model failed, so nothing came of it yet; the claim stays open, and the set is
    due again for its session, and for others once its lease has run out. `missing` names the guards
    that are not met, also where the rule was made all the same. `like` is the rule that a duplicate
    is like, and `score` how much, where it is known; `summary` says in in-sample figures what a
    rule that was made rests on, where its synthesizer said so.
    """

    status: str
    reason: str
    missing: tuple[str, ...]
    support: dict[str, Any]
    rule_id: UUID | None = None
    content: str = ""
    confidence: Decimal | None = None
    like: UUID | None = None
    score: Decimal | None = None
    summary: str = ""


def claim(*, evidence: Evidence, now: datetime) -> Claim | None:
    """Claim an evidence set before the model is asked; None: another has it, or has settled it.

    To be committed before the call. It lasts STEP_LEASE_SECONDS, then anybody may take it over.
    """
    held = Claim(evidence=evidence, id=id_at(now))
    values: dict[str, Any] = {
        "agent": evidence.agent_id,
        "type": evidence.strategy_type,
        "hash": evidence.hash,
        "evidence": Jsonb(sorted(str(id_) for id_ in evidence.ids)),
        "session": evidence.session_id,
        "claim": held.id,
        "lease": now + timedelta(seconds=settings.STEP_LEASE_SECONDS),
        "support": Jsonb(evidence.as_kept()),
        "now": now,
    }
    with connection.cursor() as cursor:
        cursor.execute(CLAIM, values)
        return held if cursor.rowcount == 1 else None


def settle(
    *,
    claim: Claim,
    actor: TokenActor,
    rule: str,
    tags: Sequence[str],
    promotion: str,
    call: Mapping[str, Any] | None,
    reason: str = "",
    review: bool = False,
    now: datetime,
) -> Settled:
    """Store the rule that was proposed, or say why not, in the caller's transaction.

    With `review` it is stored for a person to decide on, and no session reads it before.

    `reason` is what the synthesizer says of it: what a rule rests on, or why there is none.
    `promotion` is the session's RULE_PROMOTION, `call` the note of the synthesizer's call as JSON.
    An empty `rule` says that one like it is there, or, with a `fallback` in the note, that the
    model failed. ClaimLost: the claim was taken over or settled, and nothing was stored. Else as
    `publish_strategy`.
    """
    evidence = claim.evidence
    one_at_a_time(evidence.agent_id, evidence.strategy_type)
    _hold(claim)
    links = living(evidence.agent_id, evidence.ids)
    settled = _refusal(evidence, rule, promotion=promotion, alive=len(links), now=now)
    if settled is None and not rule.strip():
        if call is not None and call.get("fallback"):
            return _nothing(evidence, "unanswered", "the model gave no answer")
        settled = _unmade(evidence, reason, now=now)
    if settled is None:
        told = {"evidence_summary": reason[:SUMMARY_MAX]} if reason else {}
        draft = {
            "type": "rule",
            "scope": "agent",
            "content": rule.strip()[: bounds().content_max_chars],
            "metadata": {
                "produced_by": produced_by(call),
                "session": str(evidence.session_id),
                **told,
            },
            "tags": list(dict.fromkeys([*tags, evidence.strategy_type, *ALWAYS_TAGGED])),
            "links": links[: bounds().max_links],
        }
        settled = _make(evidence, draft, actor=actor, review=review, now=now)
    _close(claim, settled, now=now)
    return settled


def _unmade(evidence: Evidence, reason: str, *, now: datetime) -> Settled:
    """Return what comes of an empty rule; its reason may name the rule that says the same."""
    rules = live_rules(evidence.agent_id, evidence.strategy_type, now=now)
    known = next((id_ for id_, _ in rules if str(id_) in reason), None)
    why = reason[:SUMMARY_MAX] or "the synthesizer knows a rule like it, or none"
    return replace(_nothing(evidence, "duplicate", why), like=known)


def _hold(claim: Claim) -> None:
    """Lock the claim's row, so that nobody takes it over before the commit (ClaimLost)."""
    held = _row(claim).select_for_update().first()
    if held is None:
        raise ClaimLost("this evidence set was taken over or settled by another worker")


def _row(claim: Claim) -> QuerySet[SynthesisClaim]:
    return SynthesisClaim.objects.filter(
        agent_id=claim.evidence.agent_id,
        strategy_type=claim.evidence.strategy_type,
        evidence_hash=claim.evidence.hash,
        claim=claim.id,
        status="claimed",
    )


def _refusal(
    evidence: Evidence, rule: str, *, promotion: str, alive: int, now: datetime
) -> Settled | None:
    """Return why no rule is made; None: one is."""
    missing = evidence.missing_when_guarded
    if promotion == "guarded" and missing:
        why = f"the guards are not met: {', '.join(missing)}"
        return replace(_nothing(evidence, "refused", why), missing=missing)
    if alive < NEEDED:
        return _nothing(evidence, "refused", "insights it was made from were deleted meanwhile")
    if len(fresh(evidence.agent_id, evidence.strategy_type, evidence.ids)) < NEEDED:
        return _nothing(evidence, "duplicate", "another synthesis read these insights meanwhile")
    rules = live_rules(evidence.agent_id, evidence.strategy_type, now=now)
    known = like(rule, rules) if rule.strip() else None
    return None if known is None else _duplicate(evidence, known, "rule")


def _duplicate(evidence: Evidence, known: Like, what: str) -> Settled:
    """Return that a rule or a proposal is there that claims the same, and how alike it is."""
    why = f"{what} {known.id} claims the same"
    if known.score < 1:
        why += f" in other words (likeness {known.score})"
    rule_id = known.id if what == "rule" else None
    return replace(_nothing(evidence, "duplicate", why), like=rule_id, score=known.score)


def _nothing(evidence: Evidence, status: str, reason: str) -> Settled:
    return Settled(
        status=status,
        reason=reason,
        missing=evidence.support.missing,
        support=told_support(evidence.support, evidence.told_opposed),
    )


def _make(
    evidence: Evidence, draft: dict[str, Any], *, actor: TokenActor, review: bool, now: datetime
) -> Settled:
    support = evidence.support
    try:
        parsed = RecordDraft.parse(draft, context=bounds())
    except ValidationFailed as error:
        return _nothing(evidence, "refused", f"the proposed rule cannot be stored: {error}")
    if review:
        return _leave_to_people(evidence, parsed, now=now)
    record = publish_rule(
        actor=actor,
        draft=parsed,
        strategy_type=evidence.strategy_type,
        support=support,
        windows=evidence.windows,
        opposed=evidence.told_opposed,
        now=now,
    )
    return Settled(
        status="made",
        reason=f"made from {len(evidence.insights)} insights: {support.describe()}",
        missing=support.missing,
        support=told_support(support, evidence.told_opposed),
        rule_id=record.id,
        content=record.content,
        confidence=begins_at(support),
        summary=draft["metadata"].get("evidence_summary", ""),
    )


def _leave_to_people(evidence: Evidence, draft: RecordDraft, *, now: datetime) -> Settled:
    waiting = waiting_like(evidence, draft.content)
    if waiting is not None:
        return _duplicate(evidence, waiting, "proposal")
    propose(evidence, draft, now=now)
    support = evidence.support
    return replace(
        _nothing(evidence, "proposed", f"it waits for a person: {support.describe()}"),
        content=draft.content,
        confidence=begins_at(support),
        summary=draft.metadata.get("evidence_summary", ""),
    )


def _close(claim: Claim, settled: Settled, *, now: datetime) -> None:
    like = {} if settled.like is None else {"duplicate_of": str(settled.like)}
    _row(claim).update(
        status=settled.status,
        reason=settled.reason,
        rule_id=settled.rule_id,
        support=claim.evidence.as_kept() | like,
        settled_at=now,
    )
