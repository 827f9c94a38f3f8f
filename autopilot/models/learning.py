"""What keeps learning exact: evidence sets that were worked on, and judgements that were passed."""

from django.db import models

from autopilot.models.sessions import Session
from memory.models import Agent
from memory.policies.vocabulary import STRATEGY_TYPES

CLAIM_STATUSES = ("claimed", "proposed", "made", "duplicate", "refused")
JUDGEMENTS = ("confirmed", "contradicted")

Q = models.Q


class SynthesisClaim(models.Model):
    """An evidence set of one strategy type: claimed before the model call, then settled (SPEC M6).

    Its key makes two workers at the same set one. A claim whose lease ran out is taken over by
    compare-and-set. `refused` names the guard in `reason`. Once settled it never changes, but where
    it was `proposed` and people decide: the facts in `support` outlive the insights that they are
    of.
    """

    pk = models.CompositePrimaryKey("agent_id", "strategy_type", "evidence_hash")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+", db_index=False)
    strategy_type = models.CharField(max_length=20, choices=[(t, t) for t in STRATEGY_TYPES])
    evidence_hash = models.BinaryField(max_length=32)
    evidence = models.JSONField(help_text="The ids of the insights, sorted.")
    session = models.ForeignKey(
        Session,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    claim = models.UUIDField()
    lease_until = models.DateTimeField()
    status = models.CharField(max_length=9, choices=[(s, s) for s in CLAIM_STATUSES])
    rule_id = models.UUIDField(null=True, blank=True)
    reason = models.TextField(blank=True)
    support = models.JSONField(default=dict, help_text="Guard → met or not, and what was counted.")
    claimed_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "autopilot_synthesis_claim"
        constraints = [
            models.UniqueConstraint(fields=["agent", "rule_id"], name="synthesis_rule_once"),
            models.CheckConstraint(
                condition=Q(status__in=list(CLAIM_STATUSES)), name="synthesis_status_known"
            ),
            models.CheckConstraint(
                condition=Q(status="claimed", settled_at__isnull=True)
                | (~Q(status="claimed") & Q(settled_at__isnull=False)),
                name="synthesis_settled_matches_status",
            ),
            models.CheckConstraint(
                condition=Q(status="made", rule_id__isnull=False)
                | (~Q(status="made") & Q(rule_id__isnull=True)),
                name="synthesis_made_names_rule",
            ),
            models.CheckConstraint(
                condition=Q(evidence_hash__length=32), name="synthesis_hash_is_sha256"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} synthesis of {self.strategy_type}"


class Judgement(models.Model):
    """That a backtest confirmed or contradicted a rule: once, with its ledger line (SPEC M4).

    It says what the backtest's verdict says, and never changes.
    """

    pk = models.CompositePrimaryKey("agent_id", "rule_id", "backtest_id")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+", db_index=False)
    rule_id = models.UUIDField()
    backtest_id = models.UUIDField()
    verdict = models.CharField(max_length=12, choices=[(j, j) for j in JUDGEMENTS])
    at = models.DateTimeField()

    class Meta:
        db_table = "autopilot_judgement"
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict__in=list(JUDGEMENTS)), name="judgement_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verdict} {self.rule_id}"
