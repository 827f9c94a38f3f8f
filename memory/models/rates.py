"""What callers did lately, for all processes to share.

Both tables are unlogged: a crash of the server empties them, and the counts begin anew.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.policies.rates import KINDS


class RateCount(models.Model):
    """How many calls of a kind a caller made in each of the last ticks, up to `tick` (SPEC E5)."""

    pk = models.CompositePrimaryKey("subject", "kind")
    subject = models.CharField(max_length=50, help_text="A token, a producer or a user.")
    kind = models.CharField(max_length=7, choices=[(kind, kind) for kind in KINDS])
    tick = models.BigIntegerField()
    counts = ArrayField(models.IntegerField())
    used_at = models.DateTimeField()

    class Meta:
        db_table = "memory_rate"

    def __str__(self) -> str:
        return f"{self.kind} of {self.subject}"


class OpenStream(models.Model):
    """A stream of events that a caller follows. It says from time to time that it lives."""

    pk = models.CompositePrimaryKey("subject", "stream")
    subject = models.CharField(max_length=50)
    stream = models.UUIDField()
    until = models.DateTimeField(help_text="It counts no longer unless it says so again.")

    class Meta:
        db_table = "memory_stream"

    def __str__(self) -> str:
        return f"{self.stream} of {self.subject}"
