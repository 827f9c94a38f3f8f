"""Bearer tokens: who is calling, for which agent, role and producer (SPEC X2)."""

from django.db import models

from memory.ids import new_id
from memory.models.agents import Agent
from memory.models.producers import Producer, Run


class Token(models.Model):
    """A bearer `key.secret`; the secret's SHA-256 alone is stored.

    With a `run` it is a run token, good for that run alone.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    agent = models.ForeignKey(
        Agent, on_delete=models.PROTECT, related_name="tokens", db_index=False
    )
    producer = models.ForeignKey(
        Producer,
        on_delete=models.PROTECT,
        db_constraint=False,
        related_name="tokens",
        db_index=False,
    )
    run = models.ForeignKey(
        Run,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        db_constraint=False,
        related_name="tokens",
        db_index=False,
    )
    key = models.CharField(max_length=32, unique=True)
    secret_sha256 = models.BinaryField(max_length=32)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint("agent", "id", name="token_agent_id"),
            models.CheckConstraint(
                condition=models.Q(run__isnull=True) | models.Q(expires_at__isnull=False),
                name="token_of_run_expires",
            ),
        ]

    def __str__(self) -> str:
        return self.key
