"""What is thought of a strategy record today, how it came to that, and what search reads of it.

A standing moves by compare-and-set on `revision`, each time with a ledger line (SPEC M2, M5).
The database refuses a standing that its ledger does not tell, and keeps the tag table in step.
"""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.agents import Agent
from memory.models.instruments import Instrument
from memory.models.records import Record
from memory.policies.vocabulary import (
    EVENT_PATTERN,
    OUTCOMES,
    STRATEGY_TYPES,
    TIERS,
    VISIBILITIES,
)


class Standing(models.Model):
    """One row per record of a strategy tier. Its key is the record's.

    It moves in `tags`, `confidence`, `validated_count`, `relevance_score`, `visibility`,
    `community_confirmations`, `expires_at` and `merged_into`; all else is as it was made.
    `expires_at` is the end of the memory's life (None: permanent), inclusive like deadlines.
    """

    record = models.OneToOneField(
        Record,
        on_delete=models.DO_NOTHING,
        primary_key=True,
        db_constraint=False,
        related_name="standing",
    )
    agent = models.ForeignKey(
        Agent, on_delete=models.PROTECT, related_name="standings", db_index=False
    )
    type = models.CharField(max_length=64, choices=[(t, t) for t in TIERS])
    symbol = models.ForeignKey(
        Instrument,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
    )
    strategy_type = models.CharField(
        max_length=20, null=True, blank=True, choices=[(t, t) for t in STRATEGY_TYPES]
    )
    outcome = models.CharField(
        max_length=7, null=True, blank=True, choices=[(o, o) for o in OUTCOMES]
    )
    tags = ArrayField(models.TextField(), default=list, blank=True)
    confidence = models.DecimalField(max_digits=5, decimal_places=4)
    validated_count = models.IntegerField()
    relevance_score = models.DecimalField(max_digits=5, decimal_places=4)
    config = models.JSONField(null=True, blank=True)
    config_hash = models.BinaryField(max_length=32, null=True)
    metrics = models.JSONField(default=dict, blank=True)
    visibility = models.CharField(max_length=9, choices=[(v, v) for v in VISIBILITIES])
    source_node_uuid = models.UUIDField(null=True, blank=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
    )
    community_confirmations = models.IntegerField(default=0)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    merged_into = models.ForeignKey(
        "self",
        on_delete=models.DO_NOTHING,
        null=True,
        blank=True,
        db_constraint=False,
        related_name="absorbed",
        db_index=False,
    )
    revision = models.IntegerField(default=1)

    class Meta:
        indexes = [
            # What the purge looks for, over all agents.
            models.Index(
                fields=["expires_at"],
                name="standing_by_end",
                condition=models.Q(expires_at__isnull=False, merged_into__isnull=True),
            ),
            # What goes with a survivor, and what its deletion is checked against.
            models.Index(
                fields=["agent", "merged_into"],
                name="standing_by_survivor",
                condition=models.Q(merged_into__isnull=False),
            ),
            # The shared are few among many.
            models.Index(
                fields=["agent", "created_at", "record"],
                name="standing_shared",
                condition=models.Q(visibility="community", merged_into__isnull=True),
            ),
            # Lists: all that filters is in it, so that no row is read that is not shown.
            models.Index(
                fields=["agent", "created_at", "record"],
                name="standing_newest",
                include=["expires_at", "type", "symbol", "strategy_type", "visibility"],
                condition=models.Q(merged_into__isnull=True),
            ),
        ]
        constraints = [
            models.UniqueConstraint("agent", "record", name="standing_agent_record"),
            models.CheckConstraint(
                condition=models.Q(type__in=list(TIERS)), name="standing_type_is_a_tier"
            ),
            models.CheckConstraint(
                condition=~models.Q(type="rule") | models.Q(symbol__isnull=True),
                name="standing_rule_is_cross_asset",
            ),
            models.CheckConstraint(
                condition=models.Q(strategy_type__isnull=True)
                | models.Q(strategy_type__in=list(STRATEGY_TYPES)),
                name="standing_strategy_type_known",
            ),
            models.CheckConstraint(
                condition=models.Q(outcome__isnull=True) | models.Q(outcome__in=list(OUTCOMES)),
                name="standing_outcome_known",
            ),
            models.CheckConstraint(
                condition=models.Q(confidence__gte=0, confidence__lte=1),
                name="standing_confidence_in_range",
            ),
            models.CheckConstraint(
                condition=models.Q(relevance_score__gte=0, relevance_score__lte=1),
                name="standing_relevance_in_range",
            ),
            models.CheckConstraint(
                condition=models.Q(config__isnull=True, config_hash__isnull=True)
                | models.Q(
                    # The length of NULL is NULL, which a check would let pass.
                    config__isnull=False,
                    config_hash__isnull=False,
                    config_hash__length=32,
                ),
                name="standing_config_has_its_hash",
            ),
            models.CheckConstraint(
                condition=models.Q(visibility__in=list(VISIBILITIES)),
                name="standing_visibility_known",
            ),
            models.CheckConstraint(
                condition=models.Q(community_confirmations__gte=0, revision__gte=1),
                name="standing_counts_not_negative",
            ),
            # Its row of the tag table says that a standing has no tags.
            models.CheckConstraint(
                condition=~models.Q(tags__contains=[""]), name="standing_tags_not_empty"
            ),
            models.CheckConstraint(
                condition=models.Q(merged_into__isnull=True)
                | ~models.Q(merged_into=models.F("record")),
                name="standing_not_merged_into_itself",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.record_id}"


class StandingChange(models.Model):
    """One line of a standing's ledger: what happened, from what to what, why and when.

    `before` is None in the first line and `after` in the last (purged), each otherwise the whole
    moving state. The key to the record has no key to the standing: a ledger outlives it.
    """

    pk = models.CompositePrimaryKey("agent_id", "record_id", "revision")
    agent = models.ForeignKey(
        Agent, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    record = models.ForeignKey(
        Record,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="standing_changes",
        db_index=False,
    )
    revision = models.IntegerField()
    event = models.CharField(max_length=32)
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    cause_kind = models.CharField(max_length=32)
    cause_id = models.CharField(max_length=64, blank=True)
    detail = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField()

    class Meta:
        db_table = "memory_standing_change"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(revision=1, before__isnull=True)
                | models.Q(revision__gt=1, before__isnull=False),
                name="standing_change_begins_with_nothing",
            ),
            models.CheckConstraint(
                condition=models.Q(event__regex=EVENT_PATTERN, cause_kind__regex=EVENT_PATTERN),
                name="standing_change_named",
            ),
            models.CheckConstraint(
                condition=models.Q(event="purged", after__isnull=True)
                | (~models.Q(event="purged") & models.Q(after__isnull=False)),
                name="standing_change_ends_when_purged",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.record_id}"


class Tag(models.Model):
    """Standing → tag, written by a trigger. Copies make the indexes covering.

    One row per tag, or one with the tag '' for a standing without any; none once it is merged.
    `symbol` and `strategy_type` are '' for none, and `expires_at` is 'infinity' for permanent:
    psycopg cannot load that, so read the column in SQL.
    """

    pk = models.CompositePrimaryKey("agent_id", "record_id", "tag")
    agent = models.ForeignKey(
        Agent, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    record = models.ForeignKey(
        Record, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    tag = models.TextField()
    type = models.CharField(max_length=64)
    symbol = models.CharField(max_length=64)
    strategy_type = models.CharField(max_length=20)
    relevance = models.DecimalField(max_digits=5, decimal_places=4)
    confidence = models.DecimalField(max_digits=5, decimal_places=4)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    class Meta:
        db_table = "memory_tag"
        # The deadline is part of the keys, before what is sorted by: overlap precedes confidence,
        # so every live match is read anyway, and no expired one is (SPEC M3).
        indexes = [
            models.Index(
                fields=["agent", "type", "tag", "symbol", "expires_at"],
                include=["relevance", "confidence", "created_at", "record"],
                name="tag_by_symbol",
            ),
            models.Index(
                fields=["agent", "type", "tag", "strategy_type", "expires_at"],
                include=["symbol", "relevance", "confidence", "created_at", "record"],
                name="tag_by_strategy",
            ),
            # Lists by tag, newest first.
            models.Index(
                fields=["agent", "tag", "created_at", "record"],
                name="tag_newest",
                include=["expires_at", "type", "symbol", "strategy_type"],
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tag} {self.record_id}"


class Posting(models.Model):
    """Lexeme → record with its frequency and the record's length: what BM25 reads.

    There is no key to the record: its check would need a second index. Made in SQL, for the
    collation and the covering key that Django cannot say.
    """

    pk = models.CompositePrimaryKey("agent_id", "lexeme", "record_id")
    agent_id = models.UUIDField()
    lexeme = models.TextField(db_collation="C")
    record_id = models.UUIDField()
    tf = models.SmallIntegerField()
    len = models.IntegerField()

    class Meta:
        db_table = "memory_term"

    def __str__(self) -> str:
        return f"{self.lexeme} {self.record_id}"
