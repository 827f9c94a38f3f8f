"""What the machinery of jobs knows of itself: runs, clusters of workers, who holds which row."""

from django.db import models

from memory.ids import new_id

JOB_STATUSES = ("running", "succeeded", "failed", "lost")

Q = models.Q


class JobRun(models.Model):
    """A scheduled job at one intended time (SPEC J2).

    The row is the claim: it is inserted before any effect, and a second worker finds it. `lost` is
    one whose worker died or outstayed `lease_until`; it may be tried again. `task` is the queue's
    id of the task, the same at every try.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=100)
    intended_at = models.DateTimeField(help_text="The minute, hour or day that it is for.")
    status = models.CharField(max_length=9, choices=[(s, s) for s in JOB_STATUSES])
    attempts = models.SmallIntegerField(default=1)
    task = models.UUIDField(null=True, blank=True)
    started_at = models.DateTimeField()
    lease_until = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    result = models.JSONField(null=True, blank=True)
    error = models.TextField(blank=True, help_text="An error's code and sentence, or its class.")

    class Meta:
        constraints = [
            models.UniqueConstraint("name", "intended_at", name="job_run_once"),
            models.UniqueConstraint(
                fields=["name"], condition=Q(status="running"), name="job_run_alone"
            ),
            models.CheckConstraint(
                condition=Q(status="running", finished_at__isnull=True)
                | Q(status__in=["succeeded", "failed", "lost"], finished_at__isnull=False),
                name="job_run_end_matches_status",
            ),
            models.CheckConstraint(
                condition=Q(attempts__gte=1, lease_until__gt=models.F("started_at")),
                name="job_run_counts_forward",
            ),
        ]
        indexes = [
            models.Index(models.F("started_at").desc(), name="job_run_started"),
            models.Index(models.F("finished_at").desc(), name="job_run_finished"),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.intended_at:%Y-%m-%d %H:%M}"


class Cluster(models.Model):
    """A group of worker processes under one supervisor.

    It is alive while it says so: `seen_at` is moved by the cluster itself every few seconds, and
    only while `ended_at` is null, so that one that was given up can never come back. `progress_at`
    is when one of its workers last began or ended a task, to a fifth of a second.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    host = models.CharField(max_length=255)
    place = models.CharField(
        max_length=255, blank=True, help_text="Within which process ids mean the same."
    )
    group = models.IntegerField(
        null=True, blank=True, help_text="The process group of its workers."
    )
    supervisor = models.IntegerField(help_text="The process id of its supervisor.")
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    progress_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    ending = models.CharField(max_length=40, blank=True, help_text="Why it ended.")

    def __str__(self) -> str:
        return f"{self.host}, supervisor {self.supervisor}"


class QueueClaim(models.Model):
    """Which cluster took a queue row, and which process is at it until when, if one is.

    django-q2 stores when a row may be taken again and not who took it; this tells a dead worker's
    row from a busy one's. It goes with the row.
    """

    row = models.OneToOneField(
        "django_q.OrmQ", on_delete=models.DB_CASCADE, primary_key=True, related_name="+"
    )
    cluster_id = models.UUIDField(db_index=True)
    worker = models.IntegerField(null=True, help_text="A process id on the cluster's host.")
    worker_until = models.DateTimeField(null=True)

    class Meta:
        db_table = "memory_queue_claim"
        constraints = [
            models.CheckConstraint(
                condition=Q(worker__isnull=False) | Q(worker_until__isnull=True),
                name="queue_claim_limit_is_a_workers",
            ),
        ]

    def __str__(self) -> str:
        return f"queue row {self.row_id}"


class WriteFault(models.Model):
    """How many writes failed within a minute for no fault of their callers (SPEC E6)."""

    minute = models.DateTimeField(primary_key=True)
    count = models.IntegerField()

    class Meta:
        db_table = "memory_write_fault"
        constraints = [
            models.CheckConstraint(condition=Q(count__gte=1), name="write_fault_counted"),
        ]

    def __str__(self) -> str:
        return f"{self.count} at {self.minute:%Y-%m-%d %H:%M}"
