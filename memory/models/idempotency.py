"""Keys by which a write is known again (SPEC R13)."""

from django.db import models

from memory.models.agents import Agent
from memory.models.producers import Producer
from memory.models.records import Record


class IdempotencyKey(models.Model):
    """A producer's key for one write: its body's SHA-256, and the record that came of it.

    It is stored in the transaction of its record, and stays the same for good. The digest is over
    the record's salt and the body, so that an erasure takes its meaning, too.
    """

    pk = models.CompositePrimaryKey("agent_id", "producer_id", "key")
    agent = models.ForeignKey(
        Agent, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    producer = models.ForeignKey(
        Producer, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    key = models.UUIDField()
    body_sha256 = models.BinaryField(max_length=32)
    record = models.ForeignKey(
        Record, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    created_at = models.DateTimeField()

    class Meta:
        db_table = "memory_idempotency_key"
        indexes = [models.Index(fields=["created_at"], name="idempotency_by_age")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(body_sha256__length=32), name="idempotency_body_is_sha256"
            ),
        ]

    def __str__(self) -> str:
        return str(self.key)
