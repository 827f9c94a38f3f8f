"""Pages of background jobs: their runs, and the clusters of workers."""

from django.contrib import admin
from django.db.models import Q
from django.utils.safestring import SafeString

from memory.admin.base import ConditionFilter, ReadOnly, block, json_block, utc
from memory.models import Cluster, JobRun


@admin.register(JobRun)
class JobRunAdmin(ReadOnly[JobRun]):
    """Runs of scheduled jobs, newest first; each shows its result or error (SPEC J2)."""

    list_display = (
        *("name", utc("intended_at"), "status", "attempts", utc("started_at")),
        *(utc("finished_at"), "error"),
    )
    list_display_links = ("name",)
    list_filter = ("status", "name", "intended_at")
    search_fields = ("name", "error")
    search_help_text = "A part of a job's name or of an error, or an id."
    ordering = ("-started_at", "-id")
    sortable_by = ()
    fields = (
        *("id", "name", utc("intended_at"), "status", "attempts", utc("started_at")),
        *(utc("finished_at"), utc("lease_until"), "outcome", "error_text", "task"),
    )
    readonly_fields = (
        *(utc("intended_at"), utc("started_at"), utc("finished_at"), utc("lease_until")),
        *("outcome", "error_text"),
    )

    @admin.display(description="result")
    def outcome(self, run: JobRun) -> SafeString:
        """What it said that it did."""
        return block("") if run.result is None else json_block(run.result)

    @admin.display(description="error")
    def error_text(self, run: JobRun) -> SafeString:
        """Why it failed."""
        return block(run.error)


class OpenFilter(ConditionFilter):
    """Clusters that run, or those that have ended."""

    def conditions(self, *, now: object) -> dict[str, Q]:
        """By whether an end is stored."""
        del now
        return {"open": Q(ended_at__isnull=True), "ended": Q(ended_at__isnull=False)}


@admin.register(Cluster)
class ClusterAdmin(ReadOnly[Cluster]):
    """Groups of workers, newest first."""

    list_display = (
        *(utc("started_at"), "host", "supervisor", utc("seen_at"), utc("progress_at")),
        *(utc("ended_at"), "ending"),
    )
    list_filter = (OpenFilter, "ending", "host")
    search_fields = ("host",)
    search_help_text = "A part of a host's name, or an id."
    ordering = ("-started_at", "-id")
    sortable_by = ()
    fields = (
        *("id", "host", "supervisor", "group", utc("started_at"), utc("seen_at")),
        *(utc("progress_at"), utc("ended_at"), "ending"),
    )
    readonly_fields = (*(utc("started_at"), utc("seen_at"), utc("progress_at"), utc("ended_at")),)
