"""The newest record of each lane, kept by the publish statement (SPEC C1, C6, C13)."""

from django.db import models

from memory.models.agents import Agent
from memory.models.producers import Producer
from memory.models.records import Record


class Head(models.Model):
    """One row per (instrument or agent-wide, analysis producer, type): its newest record.

    `instrument_id` is '' for agent-wide lanes, so it is no key to the instrument table.
    `stale_after` is 'infinity' without a deadline and '-infinity' when the newest record was
    erased: the lane keeps its place and shows nothing. psycopg cannot load infinities, so read
    this column in SQL, never through the ORM.
    """

    pk = models.CompositePrimaryKey("agent_id", "instrument_id", "producer_id", "type")
    agent = models.ForeignKey(
        Agent, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    instrument_id = models.CharField(max_length=64)
    producer = models.ForeignKey(
        Producer, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    type = models.CharField(max_length=64)
    record = models.ForeignKey(
        Record, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    created_at = models.DateTimeField()
    stale_after = models.DateTimeField()

    class Meta:
        db_table = "memory_head"

    def __str__(self) -> str:
        return f"{self.instrument_id or 'agent'} {self.type}"


class CorrectionHead(models.Model):
    """One row per (instrument or agent-wide, analysis producer, set of originals): the newest.

    A correction has no lane among the research: its own is what it corrects, whatever its type
    (SPEC C6). `originals_hash` is that of its records. `instrument_id` and `stale_after` are as in
    `Head`.
    """

    pk = models.CompositePrimaryKey("agent_id", "instrument_id", "producer_id", "originals_hash")
    agent = models.ForeignKey(
        Agent, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    instrument_id = models.CharField(max_length=64)
    producer = models.ForeignKey(
        Producer, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    originals_hash = models.BinaryField(max_length=32)
    record = models.ForeignKey(
        Record, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    created_at = models.DateTimeField()
    stale_after = models.DateTimeField()

    class Meta:
        db_table = "memory_correction_head"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(originals_hash__length=32),
                name="correction_head_originals_is_sha256",
            ),
        ]
        indexes = [
            # Those before their deadline, which are all shown.
            models.Index("agent", "instrument_id", "stale_after", name="correction_head_live"),
            # What a correction corrects, where that is a correction itself.
            models.Index("agent", "record", name="correction_head_record"),
        ]

    def __str__(self) -> str:
        return f"{self.instrument_id or 'agent'} {self.record_id}"
