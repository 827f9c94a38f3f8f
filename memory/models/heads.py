"""The newest record of each lane, kept by the publish statement (SPEC C1, C13)."""

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
