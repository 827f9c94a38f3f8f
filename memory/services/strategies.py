"""The write of strategy memory: record, standing, tags and ledger together (SPEC M1, M2)."""

from datetime import datetime

from memory.errors import ValidationFailed
from memory.models import Instrument
from memory.policies.ownership import TokenActor
from memory.policies.vocabulary import TIERS
from memory.schemas.answers import WrittenRecordOut
from memory.schemas.records import RecordDraft
from memory.schemas.strategies import StandingDraft
from memory.services import standings
from memory.services.publish import publish
from memory.services.standings import Cause, Facts, NewStanding


def publish_strategy(
    *,
    actor: TokenActor,
    draft: RecordDraft,
    standing: StandingDraft,
    cause: Cause | None = None,
    now: datetime,
) -> WrittenRecordOut:
    """Store a record of a strategy tier with its standing at `now`, whole or not at all.

    The standing's tags are the record's; `cause` is told by its ledger in place of the run.
    ValidationFailed: no tier, a symbol that is no instrument, a rule with a symbol; else as
    `publish`.
    """
    if draft.type not in TIERS:
        raise ValidationFailed({"type": [f"must be one of {', '.join(TIERS)}"]})
    if problem := standing.problem_as(draft.type):
        raise ValidationFailed({problem[0]: [problem[1]]})
    if standing.symbol is not None and not Instrument.objects.filter(id=standing.symbol).exists():
        raise ValidationFailed({"symbol": ["is the canonical name of no instrument"]})
    facts = Facts(
        type=draft.type,
        symbol=standing.symbol,
        strategy_type=standing.strategy_type,
        outcome=standing.outcome,
        config=standing.config,
        metrics=standing.metrics,
    )
    begins = standings.beginning(
        facts,
        tags=draft.tags,
        created_at=now,
        confidence=standing.confidence,
        validated_count=standing.validated_count,
    )
    return publish(
        actor=actor, draft=draft, standing=NewStanding(facts, begins), cause=cause, now=now
    )
