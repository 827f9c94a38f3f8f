"""A session as a stored state machine: where it is, each step it took, each event it told."""

from django.conf import settings
from django.db import models

from memory.ids import new_id
from memory.models import Agent, Instrument
from memory.policies.timeframes import TIMEFRAMES
from memory.policies.vocabulary import PLANS

SESSION_STATUSES = ("queued", "running", "succeeded", "failed", "cancelled")
OPEN = ("queued", "running")
STEPS = (
    "resolve",
    "research",
    "select_tags",
    "advise",
    "backtest",
    "learn",
    "synthesize",
    "evaluate",
    "backtrack",
    "conclude",
)
"""In the order of a session; select_tags to backtrack are taken once an iteration (SPEC §10)."""
CRITIC_MODES = ("off", "advise", "enforce")
PROMOTIONS = ("three_insights", "guarded")
MAX_ITERATIONS = 30

Q, F = models.Q, models.F


class Session(models.Model):
    """One run of an agent's autopilot producer (SPEC A14), and what it was asked.

    `step_number` is the step that is due or done last; its row says which. `plan`, `critic_mode`
    and `promotion` are as they were at the start. The window is half-open on `opened_at`: the
    advisor sees bars before `window_split` alone, the rest is the holdout (SPEC A9). `state` is
    what later steps need of earlier ones, without a number of the holdout. `run_id` has no foreign
    key: provenance outlives its run's row.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    agent = models.ForeignKey(
        Agent, on_delete=models.PROTECT, related_name="sessions", db_index=False
    )
    run_id = models.UUIDField()
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
        help_text="The person who started it; none for a token.",
    )
    prompt = models.TextField()
    symbol = models.ForeignKey(
        Instrument,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
    )
    timeframe = models.CharField(
        max_length=4, null=True, blank=True, choices=[(t, t) for t in TIMEFRAMES]
    )
    max_iterations = models.SmallIntegerField()
    until_profitable = models.BooleanField(default=False)
    plan = models.CharField(max_length=4, choices=[(p, p) for p in PLANS])
    critic_mode = models.CharField(max_length=7, choices=[(m, m) for m in CRITIC_MODES])
    promotion = models.CharField(max_length=14, choices=[(p, p) for p in PROMOTIONS])
    provider = models.CharField(max_length=40, help_text="Who plays the model's roles.")
    window_start = models.DateTimeField(null=True, blank=True)
    window_split = models.DateTimeField(null=True, blank=True)
    window_end = models.DateTimeField(null=True, blank=True)
    status = models.CharField(max_length=9, choices=[(s, s) for s in SESSION_STATUSES])
    step_number = models.IntegerField(default=1)
    iteration = models.SmallIntegerField(default=0)
    state = models.JSONField(default=dict)
    last_event = models.BigIntegerField(default=0)
    best = models.ForeignKey(
        "autopilot.Backtest",
        on_delete=models.DO_NOTHING,
        null=True,
        blank=True,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    deadline_at = models.DateTimeField(help_text="It is concluded at its next step after that.")
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    error_code = models.CharField(max_length=64, blank=True)
    error = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint("agent", "id", name="session_agent_id"),
            # Two at once would learn the same twice; on other markets they run side by side.
            models.UniqueConstraint(
                fields=["agent", "symbol", "timeframe"],
                condition=Q(status__in=list(OPEN)),
                name="session_open_once",
            ),
            models.CheckConstraint(
                condition=Q(status__in=list(SESSION_STATUSES)), name="session_status_known"
            ),
            models.CheckConstraint(
                condition=Q(status__in=list(OPEN), ended_at__isnull=True)
                | Q(status__in=["succeeded", "failed", "cancelled"], ended_at__isnull=False),
                name="session_end_matches_status",
            ),
            models.CheckConstraint(
                condition=Q(max_iterations__gte=1, max_iterations__lte=MAX_ITERATIONS),
                name="session_iterations_bounded",
            ),
            models.CheckConstraint(
                condition=Q(iteration__gte=0, iteration__lte=F("max_iterations")),
                name="session_iteration_in_range",
            ),
            models.CheckConstraint(
                condition=Q(
                    window_start__isnull=True, window_split__isnull=True, window_end__isnull=True
                )
                | Q(
                    window_start__isnull=False,
                    window_split__isnull=False,
                    window_end__isnull=False,
                    window_start__lt=F("window_split"),
                    window_split__lt=F("window_end"),
                ),
                name="session_window_forward",
            ),
            models.CheckConstraint(condition=~Q(prompt=""), name="session_asked"),
            models.CheckConstraint(
                condition=Q(step_number__gte=1, last_event__gte=0), name="session_counts_forward"
            ),
        ]
        indexes = [
            models.Index("agent", F("created_at").desc(), F("id").desc(), name="session_recent"),
            models.Index("status", "id", condition=Q(status__in=list(OPEN)), name="session_open"),
        ]

    def __str__(self) -> str:
        return f"{self.status} session {self.id}"


class Step(models.Model):
    """One step of a session: due, claimed by a worker until `lease_until`, or done.

    A claim is taken by compare-and-set, and what a step does is stored in one transaction that
    holds the claim still (SPEC A11). `calls` names each model call: role, prompt version, SHA-256
    of the rendered prompt, provider, model, usage (SPEC L5).
    """

    pk = models.CompositePrimaryKey("session_id", "number")
    agent = models.ForeignKey(
        Agent, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    session = models.ForeignKey(
        Session,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="steps",
    )
    number = models.IntegerField()
    name = models.CharField(max_length=16, choices=[(s, s) for s in STEPS])
    iteration = models.SmallIntegerField()
    status = models.CharField(max_length=7, choices=[(s, s) for s in ("due", "claimed", "done")])
    tries = models.IntegerField(default=0)
    claim = models.UUIDField(null=True)
    lease_until = models.DateTimeField(null=True)
    due_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    calls = models.JSONField(default=list)

    class Meta:
        db_table = "autopilot_step"
        constraints = [
            models.CheckConstraint(condition=Q(name__in=list(STEPS)), name="step_name_known"),
            models.CheckConstraint(
                condition=Q(status="due", claim__isnull=True, finished_at__isnull=True)
                | Q(
                    status="claimed",
                    claim__isnull=False,
                    lease_until__isnull=False,
                    finished_at__isnull=True,
                )
                | Q(status="done", finished_at__isnull=False),
                name="step_claim_matches_status",
            ),
            models.UniqueConstraint(
                fields=["session"], condition=~Q(status="done"), name="step_open_once"
            ),
        ]
        indexes = [
            models.Index("lease_until", condition=Q(status="claimed"), name="step_lease"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.session_id}/{self.number}"


class Event(models.Model):
    """One line of what a session told, gap-free from 1 (SPEC A10). It never changes."""

    pk = models.CompositePrimaryKey("session_id", "seq")
    agent = models.ForeignKey(
        Agent, on_delete=models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    session = models.ForeignKey(
        Session,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="events",
    )
    seq = models.BigIntegerField()
    kind = models.CharField(max_length=40)
    step = models.CharField(max_length=16, blank=True)
    iteration = models.SmallIntegerField()
    text = models.TextField(help_text="What happened, in a sentence.")
    data = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        db_table = "autopilot_event"
        constraints = [
            models.CheckConstraint(condition=Q(seq__gte=1), name="event_seq_positive"),
            models.CheckConstraint(
                condition=Q(kind__regex=r"^[a-z][a-z_]{0,39}$"), name="event_named"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.session_id}/{self.seq}"
