"""Which agent may read another's rules and insights: both are of one owner (SPEC M10)."""

from django.conf import settings
from django.db import models

from memory.models.agents import Agent


class Grant(models.Model):
    """That `reader` may read the live rules and insights of `source`, until it is revoked.

    The database refuses agents of different owners, a second open grant of a pair, and any change
    but the one that closes it: the table is its own ledger. An open grant whose agents have come
    to different owners since counts no more.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    reader = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+", db_index=False)
    source = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+")
    granted_at = models.DateTimeField()
    granted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    revoked_at = models.DateTimeField(null=True)
    revoked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
    )

    class Meta:
        db_table = "memory_grant"
        indexes = [models.Index(fields=["reader", "granted_at"], name="grant_by_reader")]
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(reader=models.F("source")), name="grant_to_another"
            ),
            models.CheckConstraint(
                condition=models.Q(revoked_at__isnull=True, revoked_by__isnull=True)
                | models.Q(
                    revoked_at__isnull=False,
                    revoked_by__isnull=False,
                    revoked_at__gte=models.F("granted_at"),
                ),
                name="grant_revoked_by_somebody",
            ),
            models.UniqueConstraint(
                fields=["reader", "source"],
                name="grant_open_once",
                condition=models.Q(revoked_at__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reader.name} reads {self.source.name}"
