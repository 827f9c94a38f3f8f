"""Rules that wait for a person: proposed by synthesis, approved or rejected with a reason (M6)."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models import Agent
from memory.policies.vocabulary import STRATEGY_TYPES

PROPOSAL_STATUSES = ("pending", "approved", "rejected")

Q = models.Q


class RuleProposal(models.Model):
    """A rule as synthesis wrote it, for its evidence set, and what was decided of it.

    What it rests on is told by the claim of the set, which is `proposed` meanwhile, then `made` or
    `refused`. What was proposed never changes, and neither does what was decided. Once approved,
    its text is the rule's alone, so that it is forgotten with the rule.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+", db_index=False)
    strategy_type = models.CharField(max_length=20, choices=[(t, t) for t in STRATEGY_TYPES])
    evidence_hash = models.BinaryField(max_length=32)
    content = models.TextField()
    tags = ArrayField(models.TextField(), default=list)
    metadata = models.JSONField(default=dict)
    windows = models.JSONField(default=list, help_text="The bars that it was learned on.")
    status = models.CharField(max_length=8, choices=[(s, s) for s in PROPOSAL_STATUSES])
    proposed_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
    )
    reason = models.TextField(blank=True)
    rule_id = models.UUIDField(null=True, blank=True)

    class Meta:
        db_table = "autopilot_rule_proposal"
        indexes = [
            models.Index(
                fields=["agent", "strategy_type"],
                name="proposal_pending",
                condition=Q(status="pending"),
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "strategy_type", "evidence_hash"],
                name="proposal_once_per_evidence",
            ),
            models.CheckConstraint(
                condition=Q(status__in=list(PROPOSAL_STATUSES)), name="proposal_status_known"
            ),
            models.CheckConstraint(
                condition=Q(
                    status="pending", decided_at__isnull=True, decided_by__isnull=True, reason=""
                )
                | (
                    ~Q(status="pending")
                    & Q(decided_at__isnull=False, decided_by__isnull=False)
                    & ~Q(reason="")
                ),
                name="proposal_decided_by_somebody",
            ),
            models.CheckConstraint(
                condition=Q(status="approved", rule_id__isnull=False)
                | (~Q(status="approved") & Q(rule_id__isnull=True)),
                name="proposal_approved_names_rule",
            ),
            models.CheckConstraint(
                condition=Q(status="approved", content="")
                | (~Q(status="approved") & ~Q(content="")),
                name="proposal_says_something",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} {self.strategy_type} rule"
