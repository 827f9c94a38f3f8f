"""Records as written, what they are about, and what they rest on.

Nothing here changes after the write. A trigger refuses every UPDATE and DELETE but the one that
erases content in place (DESIGN "Erasing"), so the models carry no save logic of their own.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Length

from memory.ids import new_id
from memory.models.agents import Agent
from memory.models.instruments import Instrument
from memory.models.producers import Producer, Run
from memory.policies.vocabulary import LINK_TYPES, SCOPES, TYPE_PATTERN

models.BinaryField.register_lookup(Length)

LIVE = models.Q(purged_at__isnull=True)
NEWEST_FIRST = (models.F("created_at").desc(), models.F("id").desc())


class Record(models.Model):
    """One memory. Time order is `(created_at, id)`; `seq` is its place in commit order.

    `originals_hash` is set on corrections alone: SHA-256 over the sorted 16-byte ids that the
    record corrects. `content_digest` is SHA-256 over `content_salt` and the canonical JSON.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    agent = models.ForeignKey(
        Agent, on_delete=models.PROTECT, related_name="records", db_index=False
    )
    seq = models.BigIntegerField()
    producer = models.ForeignKey(
        Producer,
        on_delete=models.PROTECT,
        null=True,
        db_constraint=False,
        related_name="records",
        db_index=False,
    )
    # No database key to the run: provenance outlives its run's row (SPEC C14).
    run = models.ForeignKey(
        Run,
        on_delete=models.DO_NOTHING,
        null=True,
        db_constraint=False,
        related_name="records",
        db_index=False,
    )
    type = models.CharField(max_length=64)
    scope = models.CharField(max_length=11, choices=[(s, s) for s in SCOPES])
    timeframe = models.CharField(max_length=4, null=True, blank=True)
    content = models.TextField()
    metadata = models.JSONField(default=dict, blank=True)
    tags = ArrayField(models.TextField(), default=list, blank=True)
    originals_hash = models.BinaryField(max_length=32, null=True)
    created_at = models.DateTimeField()
    stale_after = models.DateTimeField(null=True)
    expiry_policy = models.CharField(max_length=40, null=True)
    content_digest = models.BinaryField(max_length=32)
    content_salt = models.BinaryField(max_length=32, null=True)
    imported_at = models.DateTimeField(null=True)
    purged_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint("agent", "id", name="record_agent_id"),
            models.UniqueConstraint("agent", "seq", name="record_agent_seq"),
            models.UniqueConstraint("agent", "id", "scope", name="record_agent_id_scope"),
            models.CheckConstraint(
                condition=models.Q(type__regex=TYPE_PATTERN), name="record_type_valid"
            ),
            models.CheckConstraint(
                condition=models.Q(scope__in=list(SCOPES)), name="record_scope_known"
            ),
            models.CheckConstraint(
                condition=~models.Q(content="") | ~LIVE, name="record_content_unless_purged"
            ),
            models.CheckConstraint(
                condition=models.Q(content_salt__isnull=False, purged_at__isnull=True)
                | models.Q(content_salt__isnull=True, purged_at__isnull=False),
                name="record_salt_unless_purged",
            ),
            models.CheckConstraint(
                condition=models.Q(content_digest__length=32), name="record_digest_is_sha256"
            ),
            models.CheckConstraint(
                condition=models.Q(originals_hash__isnull=True)
                | models.Q(originals_hash__length=32),
                name="record_originals_is_sha256",
            ),
            models.CheckConstraint(
                condition=models.Q(imported_at__isnull=False)
                | models.Q(run__isnull=False, producer__isnull=False),
                name="record_has_provenance",
            ),
        ]
        indexes = [
            models.Index("agent", *NEWEST_FIRST, name="record_time", condition=LIVE),
            models.Index("agent", "type", *NEWEST_FIRST, name="record_type_time", condition=LIVE),
            models.Index(
                "agent",
                "producer",
                "type",
                *NEWEST_FIRST,
                name="record_lane",
                condition=models.Q(scope="agent", originals_hash__isnull=True),
            ),
            # What corrections there are, without their heads.
            models.Index(
                "agent",
                "producer",
                "originals_hash",
                *NEWEST_FIRST,
                name="record_correction_lane",
                condition=models.Q(scope="agent", originals_hash__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.id}"


class RecordTarget(models.Model):
    """Record → instrument. The copied columns make the lane index covering."""

    pk = models.CompositePrimaryKey("agent_id", "record_id", "instrument_id")
    agent = models.ForeignKey(
        Agent, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    record = models.ForeignKey(
        Record,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="targets",
        db_index=False,
    )
    instrument = models.ForeignKey(
        Instrument, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    ord = models.SmallIntegerField()
    # Always 'instruments'; with the composite key it makes a target of an agent-wide record
    # impossible (SPEC R2).
    scope = models.CharField(max_length=11, db_default="instruments")
    producer = models.ForeignKey(
        Producer,
        on_delete=models.DO_NOTHING,
        null=True,
        db_constraint=False,
        related_name="+",
        db_index=False,
    )
    type = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    originals_hash = models.BinaryField(max_length=32, null=True)

    class Meta:
        db_table = "memory_target"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(scope="instruments"), name="target_scope_instruments"
            ),
        ]
        indexes = [
            models.Index(
                "agent",
                "instrument",
                "producer",
                "type",
                models.F("created_at").desc(),
                models.F("record").desc(),
                name="target_lane",
                condition=models.Q(originals_hash__isnull=True),
            ),
            models.Index(
                "agent",
                "instrument",
                "producer",
                "originals_hash",
                models.F("created_at").desc(),
                models.F("record").desc(),
                name="target_correction_lane",
                condition=models.Q(originals_hash__isnull=False),
            ),
            models.Index(
                "agent",
                "instrument",
                models.F("created_at").desc(),
                models.F("record").desc(),
                name="target_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.record_id} → {self.instrument_id}"


class RecordTag(models.Model):
    """Record → tag, in time order: what a list by tag walks down. A trigger keeps it."""

    pk = models.CompositePrimaryKey("agent_id", "tag", "created_at", "record_id")
    agent = models.ForeignKey(
        Agent, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    tag = models.TextField(db_collation="C")
    created_at = models.DateTimeField()
    record = models.ForeignKey(
        Record,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="tag_rows",
        db_index=False,
    )

    class Meta:
        db_table = "memory_record_tag"

    def __str__(self) -> str:
        return f"{self.record_id} {self.tag}"


class RecordLink(models.Model):
    """Record → record of the same agent, with a type. `ord` is its index in the write's body."""

    pk = models.CompositePrimaryKey("agent_id", "source_id", "ord")
    agent = models.ForeignKey(
        Agent, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    source = models.ForeignKey(
        Record,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="links",
        db_index=False,
    )
    ord = models.SmallIntegerField()
    target = models.ForeignKey(
        Record,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="back_links",
        db_index=False,
    )
    link_type = models.CharField(max_length=12, choices=[(t, t) for t in LINK_TYPES])

    class Meta:
        db_table = "memory_link"
        constraints = [
            models.UniqueConstraint("agent", "source", "target", "link_type", name="link_once"),
            models.CheckConstraint(
                condition=models.Q(link_type__in=list(LINK_TYPES)), name="link_type_known"
            ),
            models.CheckConstraint(
                condition=~models.Q(source=models.F("target")), name="link_not_self"
            ),
        ]
        indexes = [
            models.Index("agent", "target", "link_type", "source", name="link_back"),
        ]

    def __str__(self) -> str:
        return f"{self.source_id} {self.link_type} {self.target_id}"
