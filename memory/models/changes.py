"""What was done to records after the write: withdrawn, restored, erased (SPEC R15, R17)."""

from django.db import models

from memory.models.agents import Agent
from memory.models.records import Record
from memory.policies.vocabulary import RECORD_EVENTS

REASON_MAX_CHARS = 500


class Withdrawal(models.Model):
    """An interval in which a record is withdrawn: from `withdrawn_at` until before `restored_at`.

    It ends at most once, and overlaps with no other of its record.
    """

    pk = models.CompositePrimaryKey("agent_id", "record_id", "withdrawn_at")
    agent = models.ForeignKey(
        Agent, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    record = models.ForeignKey(
        Record,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="withdrawals",
        db_index=False,
    )
    withdrawn_at = models.DateTimeField()
    restored_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "memory_withdrawal"
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "record"],
                condition=models.Q(restored_at__isnull=True),
                name="withdrawal_open_once",
            ),
            models.CheckConstraint(
                condition=models.Q(restored_at__isnull=True)
                | models.Q(restored_at__gt=models.F("withdrawn_at")),
                name="withdrawal_period_forward",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.record_id} since {self.withdrawn_at:%Y-%m-%d}"


class RecordChange(models.Model):
    """One line of a record's ledger: what was done, why, by whom and when.

    `number` counts from 1 without a gap, and an erasure is the last line. Triggers hold the ledger
    against what it tells of, both ways.
    """

    pk = models.CompositePrimaryKey("agent_id", "record_id", "number")
    agent = models.ForeignKey(
        Agent, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    record = models.ForeignKey(
        Record,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="changes",
        db_index=False,
    )
    number = models.IntegerField()
    event = models.CharField(max_length=9, choices=[(e, e) for e in RECORD_EVENTS])
    reason = models.CharField(max_length=REASON_MAX_CHARS)
    # Who, in the words of a standing's ledger: `user` and the user's id, or `command`.
    cause_kind = models.CharField(max_length=32)
    cause_id = models.CharField(max_length=64, blank=True)
    at = models.DateTimeField()

    class Meta:
        db_table = "memory_record_change"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(event__in=list(RECORD_EVENTS)), name="record_change_event_known"
            ),
            models.CheckConstraint(
                condition=~models.Q(reason="") & ~models.Q(cause_kind=""),
                name="record_change_says_why",
            ),
            models.CheckConstraint(
                condition=models.Q(number__gte=1), name="record_change_counts_from_one"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.record_id}"
