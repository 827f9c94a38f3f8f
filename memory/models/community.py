"""What agents share: copies of their strategy memory, moved by others alone (SPEC M8).

A copy holds nothing private: no metadata, config, session or id of what it was made from but
`source_id`, which keeps it alive and is shown to its author alone. The database takes it away with
its source, and refuses one that its lines do not tell.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from memory.models.agents import Agent
from memory.models.instruments import Instrument
from memory.models.standings import Standing
from memory.policies.vocabulary import OUTCOMES, SHARED_EVENTS, SHARED_TIERS, STRATEGY_TYPES


class SharedMemory(models.Model):
    """A rule or insight as its author shared it, under an id of its own.

    It moves in `confidence`, `validated_count`, `community_confirmations` and `expires_at`.
    `source_node_uuid` names the author. `evidence` is {"trades", "days", "timeframe"} of what
    passed the gate; `windows` are the bars that it was learned on, each {"instrument", "timeframe",
    "start", "split", "end"}. `expires_at` is inclusive, None: permanent.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="+", db_index=False)
    # The key to it is of (agent, source), and takes the copy away with it.
    source = models.OneToOneField(
        Standing, on_delete=models.DO_NOTHING, db_constraint=False, related_name="copy"
    )
    source_node_uuid = models.UUIDField()
    type = models.CharField(max_length=64, choices=[(t, t) for t in SHARED_TIERS])
    symbol = models.ForeignKey(
        Instrument, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    strategy_type = models.CharField(
        max_length=20, null=True, choices=[(t, t) for t in STRATEGY_TYPES]
    )
    outcome = models.CharField(max_length=7, null=True, choices=[(o, o) for o in OUTCOMES])
    tags = ArrayField(models.TextField(), default=list)
    content = models.TextField()
    confidence = models.DecimalField(max_digits=5, decimal_places=4)
    validated_count = models.IntegerField()
    relevance_score = models.DecimalField(max_digits=5, decimal_places=4)
    community_confirmations = models.IntegerField(default=0)
    evidence = models.JSONField()
    windows = models.JSONField(default=list)
    shared_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    revision = models.IntegerField(default=1)

    class Meta:
        db_table = "memory_shared"
        verbose_name_plural = "shared memories"
        indexes = [
            models.Index(fields=["agent", "shared_at"], name="shared_by_author"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(type="rule", symbol__isnull=True)
                | models.Q(type="strategy_insight", outcome__isnull=False, outcome="success"),
                name="shared_is_rule_or_success",
            ),
            models.CheckConstraint(
                condition=models.Q(strategy_type__isnull=True)
                | models.Q(strategy_type__in=list(STRATEGY_TYPES)),
                name="shared_strategy_type_known",
            ),
            models.CheckConstraint(
                condition=models.Q(outcome__isnull=True) | models.Q(outcome__in=list(OUTCOMES)),
                name="shared_outcome_known",
            ),
            models.CheckConstraint(
                condition=models.Q(confidence__gte=0, confidence__lte=1)
                & models.Q(relevance_score__gte=0, relevance_score__lte=1),
                name="shared_shares_in_range",
            ),
            models.CheckConstraint(
                condition=models.Q(community_confirmations__gte=0, revision__gte=1),
                name="shared_counts_not_negative",
            ),
            models.CheckConstraint(
                condition=~models.Q(tags__contains=[""]), name="shared_tags_not_empty"
            ),
            models.CheckConstraint(
                condition=~models.Q(content=""), name="shared_content_not_empty"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.id}"


class SharedChange(models.Model):
    """One line of a copy: shared, renewed, or judged by a backtest of another agent, once by each.

    `before` is None in the first line; each state is {"confidence", "validated_count",
    "community_confirmations", "expires_at"}. `window` says which bars the backtest saw. Lines never
    change and go with their copy.
    """

    pk = models.CompositePrimaryKey("shared_id", "revision")
    shared = models.ForeignKey(
        SharedMemory,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="changes",
        db_index=False,
    )
    revision = models.IntegerField()
    event = models.CharField(max_length=12, choices=[(e, e) for e in SHARED_EVENTS])
    agent = models.ForeignKey(
        Agent,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        related_name="+",
        db_index=False,
    )
    backtest_id = models.UUIDField(null=True)
    before = models.JSONField(null=True)
    after = models.JSONField()
    at = models.DateTimeField()
    window = models.JSONField(null=True)

    class Meta:
        db_table = "memory_shared_change"
        indexes = [
            # What moved since a moment.
            models.Index(fields=["at"], name="shared_change_by_time"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(event__in=list(SHARED_EVENTS)), name="shared_change_named"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    event="shared",
                    revision=1,
                    before__isnull=True,
                    agent__isnull=True,
                    backtest_id__isnull=True,
                )
                | models.Q(
                    event="renewed",
                    revision__gt=1,
                    before__isnull=False,
                    agent__isnull=True,
                    backtest_id__isnull=True,
                )
                | (
                    ~models.Q(event__in=["shared", "renewed"])
                    & models.Q(
                        revision__gt=1,
                        before__isnull=False,
                        agent__isnull=False,
                        backtest_id__isnull=False,
                    )
                ),
                name="shared_change_has_a_judge",
            ),
            models.UniqueConstraint(
                fields=["shared", "agent", "backtest_id"],
                name="shared_judged_once",
                condition=models.Q(backtest_id__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.shared_id}"


class SharedPosting(models.Model):
    """Lexeme → copy with its frequency and the copy's length: BM25 of what is shared.

    Apart from the agents' own, so that no private word moves a ranking of others. Written by a
    trigger with the copy, and gone with it. Made in SQL, like `Posting`.
    """

    pk = models.CompositePrimaryKey("lexeme", "shared_id")
    lexeme = models.TextField(db_collation="C")
    shared = models.ForeignKey(
        SharedMemory,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="+",
        db_index=False,
    )
    tf = models.SmallIntegerField()
    len = models.IntegerField()

    class Meta:
        db_table = "memory_shared_term"
        indexes = [models.Index(fields=["shared"], name="shared_term_of_copy")]

    def __str__(self) -> str:
        return f"{self.lexeme} {self.shared_id}"


class SharedTail(models.Model):
    """How many copies the postings cover, and the sum of their lengths: one row, or none yet."""

    id = models.SmallIntegerField(primary_key=True)
    text_records = models.BigIntegerField()
    text_length = models.BigIntegerField()

    class Meta:
        db_table = "memory_shared_tail"
        constraints = [
            models.CheckConstraint(condition=models.Q(id=1), name="shared_tail_is_one_row"),
            models.CheckConstraint(
                condition=models.Q(text_records__gte=0, text_length__gte=0),
                name="shared_tail_not_negative",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.text_records} copies"
