"""Who writes: standing jobs, the intervals in which they are enabled, and their executions."""

from django.db import models

from memory.ids import new_id
from memory.models.agents import Agent
from memory.policies.timeframes import SCHEDULES, TIMEFRAMES
from memory.policies.vocabulary import LENSES, ROLES, RUN_STATUSES, RUNNERS


class Producer(models.Model):
    """A standing job of an agent: a role, a name, and a schedule or none.

    With the runner `built_in` the server runs it at each boundary of its schedule (SPEC A12); at
    those since `built_in_since`, for which no caller can have run it.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    agent = models.ForeignKey(
        Agent, on_delete=models.PROTECT, related_name="producers", db_index=False
    )
    role = models.CharField(max_length=10, choices=[(r, r) for r in ROLES])
    name = models.CharField(max_length=80)
    schedule = models.CharField(
        max_length=4, null=True, blank=True, choices=[(s, s) for s in SCHEDULES]
    )
    runner = models.CharField(
        max_length=8,
        db_default="caller",
        choices=[(r, r.replace("_", "-")) for r in RUNNERS],
        help_text="Who runs it: callers with its tokens, or the built-in analyst on schedule.",
    )
    lens = models.CharField(
        max_length=16,
        null=True,
        blank=True,
        choices=[(name, name) for name in LENSES],
        help_text="How the built-in analyst looks at a market.",
    )
    timeframe = models.CharField(
        max_length=4,
        null=True,
        blank=True,
        choices=[(t, t) for t in TIMEFRAMES],
        help_text="The bars that the built-in analyst reads. Empty: those of the schedule.",
    )
    built_in_since = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint("agent", "id", name="producer_agent_id"),
            models.UniqueConstraint("agent", "name", name="producer_name_once"),
            models.CheckConstraint(
                condition=models.Q(role__in=list(ROLES)), name="producer_role_known"
            ),
            models.CheckConstraint(
                condition=models.Q(schedule__isnull=True) | models.Q(schedule__in=list(SCHEDULES)),
                name="producer_schedule_known",
            ),
            models.CheckConstraint(condition=~models.Q(name=""), name="producer_named"),
            models.CheckConstraint(
                condition=models.Q(
                    runner="caller",
                    lens__isnull=True,
                    timeframe__isnull=True,
                    built_in_since__isnull=True,
                )
                | models.Q(
                    models.Q(timeframe__isnull=True) | models.Q(timeframe__in=list(TIMEFRAMES)),
                    runner="built_in",
                    role="analysis",
                    schedule__isnull=False,
                    # NULL IN (…) is NULL, which a check would let pass.
                    lens__isnull=False,
                    lens__in=list(LENSES),
                    built_in_since__isnull=False,
                ),
                name="producer_runner_whole",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ProducerEnablement(models.Model):
    """An interval in which a producer is enabled: from `enabled_at` until before `disabled_at`.

    It ends at most once, and overlaps with no other of its producer: a trigger sees to it.
    """

    pk = models.CompositePrimaryKey("agent_id", "producer_id", "enabled_at")
    agent = models.ForeignKey(
        Agent, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    producer = models.ForeignKey(
        Producer,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="enablements",
        db_index=False,
    )
    enabled_at = models.DateTimeField()
    disabled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "memory_producer_enablement"
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "producer"],
                condition=models.Q(disabled_at__isnull=True),
                name="enablement_open_once",
            ),
            models.CheckConstraint(
                condition=models.Q(disabled_at__isnull=True)
                | models.Q(disabled_at__gt=models.F("enabled_at")),
                name="enablement_period_forward",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.producer_id} since {self.enabled_at:%Y-%m-%d}"


class Run(models.Model):
    """One execution of a producer with its own frozen copy of the schedule (SPEC F3, F8).

    `bound_token` is the bearer that started it over MCP, and writes to it while it is open (R5).
    `implicit` runs were opened and closed by the server around one write, `built_in` ones started
    by it at a boundary. A run still open at its `deadline_at` is failed (SPEC J1); one without is
    ended by the machinery that it belongs to.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, related_name="runs", db_index=False)
    producer = models.ForeignKey(
        Producer, on_delete=models.PROTECT, db_constraint=False, related_name="runs", db_index=False
    )
    schedule = models.CharField(max_length=4, null=True, blank=True)
    evidence_boundary = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    status = models.CharField(max_length=10, choices=[(s, s) for s in RUN_STATUSES])
    error = models.TextField(blank=True)
    implicit = models.BooleanField(default=False)
    built_in = models.BooleanField("built-in", db_default=False)
    deadline_at = models.DateTimeField(null=True, blank=True)
    bound_token = models.ForeignKey(
        "memory.Token",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        db_constraint=False,
        related_name="bound_runs",
        db_index=False,
    )

    class Meta:
        constraints = [
            models.UniqueConstraint("agent", "id", name="run_agent_id"),
            models.UniqueConstraint(
                fields=["agent", "bound_token"],
                condition=models.Q(status="running"),
                name="run_bound_once",
            ),
            # However many dispatchers there are, a boundary is run once (SPEC J1).
            models.UniqueConstraint(
                fields=["agent", "producer", "evidence_boundary"],
                condition=models.Q(built_in=True),
                name="run_built_in_once",
            ),
            models.CheckConstraint(
                condition=models.Q(built_in=False)
                | models.Q(
                    evidence_boundary__isnull=False, implicit=False, bound_token__isnull=True
                ),
                name="run_built_in_scheduled",
            ),
            models.CheckConstraint(
                condition=models.Q(status="running", ended_at__isnull=True)
                | models.Q(status__in=["succeeded", "failed"], ended_at__isnull=False),
                name="run_end_matches_status",
            ),
            models.CheckConstraint(
                condition=models.Q(schedule__isnull=True, evidence_boundary__isnull=True)
                | models.Q(
                    # NULL IN (…) is NULL, which a check would let pass.
                    schedule__isnull=False,
                    schedule__in=list(SCHEDULES),
                    evidence_boundary__isnull=False,
                    evidence_boundary__lte=models.F("started_at"),
                ),
                name="run_boundary_matches_schedule",
            ),
        ]
        indexes = [
            models.Index("agent", "producer", models.F("started_at").desc(), name="run_recent"),
            models.Index(
                "deadline_at",
                name="run_overdue",
                condition=models.Q(status="running", deadline_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} run {self.id}"
