"""Pages of records: as written, what they are about, and what they rest on."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import DateTimeField, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe

from memory.admin import changes
from memory.admin.base import (
    NOTHING,
    SAID_CHARS,
    ConditionFilter,
    ReadOnly,
    block,
    cut,
    json_block,
    link_to,
    moment,
    table,
    utc,
    visible,
    words,
)
from memory.admin.operations import operate
from memory.models import Head, Record, RecordChange, RecordLink, RecordTarget, Run
from memory.policies import visibility
from memory.policies.vocabulary import RESERVED_TYPES
from memory.selectors.handoffs import handoff_warnings
from memory.selectors.timeline import enabled_at, withdrawn_at

BACK_LINKS_SHOWN = 100
LINES_SHOWN = 200
TYPES_SHOWN = 200
OPENING_CHARS = 48


class ErasedFilter(ConditionFilter):
    """Records with their content, withdrawn ones, and erased ones."""

    title = "content"
    parameter_name = "content"

    def conditions(self, *, now: datetime) -> dict[str, Q | Exists]:
        """By whether the content is shown, held back or gone."""
        del now
        return {
            "kept": Q(purged_at=None),
            "withdrawn": Q(changes.WITHDRAWN, purged_at=None),
            "erased": Q(purged_at__isnull=False),
        }


class TypeFilter(admin.SimpleListFilter):
    """Records of one type. The choices come from the heads: the records are too many to ask."""

    title = "type"
    parameter_name = "type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Name the reserved types and those of research."""
        del request, model_admin
        research = Head.objects.order_by("type").values_list("type", flat=True).distinct()
        return [(name, name) for name in sorted({*RESERVED_TYPES, *research[:TYPES_SHOWN]})]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Keep the rows of the chosen type."""
        del request
        return queryset if self.value() is None else queryset.filter(type=self.value())


@admin.register(Record)
class RecordAdmin(ReadOnly[Record]):
    """What agents wrote, newest first. Nothing here can be changed by hand."""

    list_display = (
        *(utc("created_at"), "type", "about", "opening", "status"),
        *("producer", "agent"),
    )
    list_filter = (TypeFilter, "scope", ErasedFilter, "created_at", "producer__role", "agent")
    list_select_related = ("agent", "producer")
    search_fields = ("^type", "content")
    search_help_text = "The beginning of a type, words of the content, or an id."
    ordering = ("-id",)
    sortable_by = ()
    actions = ("withdraw", "restore", "erase")
    fieldsets = (
        (None, {"fields": ("content_text", "metadata_text", "handoff", "tag_list")}),
        (
            "What it is",
            {"fields": ("id", "agent", "seq", "type", "scope", "timeframe", "status", "about")},
        ),
        (
            "Where it comes from",
            {"fields": ("producer", "run_link", utc("created_at"), utc("imported_at"), "digest")},
        ),
        ("How long it holds", {"fields": (utc("stale_after"), "expiry_policy", utc("purged_at"))}),
        ("What was done to it", {"fields": ("ledger",)}),
        ("What it rests on, and what rests on it", {"fields": ("links_out", "links_back")}),
    )
    readonly_fields = (
        *("content_text", "metadata_text", "handoff", "tag_list", "status", "about", "run_link"),
        *(
            "digest",
            "links_out",
            "links_back",
            utc("created_at"),
            utc("imported_at"),
            utc("stale_after"),
        ),
        *(utc("purged_at"), "ledger"),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Record | None = None) -> Any:
        """Leave out what is odd in a handoff where nothing is: most records are none."""
        told = super().get_fieldsets(request, obj)
        if obj is None or self.handoff(obj) != NOTHING:
            return told
        return [
            (name, {**more, "fields": [one for one in more["fields"] if one != "handoff"]})
            for name, more in told
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Record]:
        """Add targets and what a status needs: nothing is asked row by row.

        A list of whole records could be megabytes: it gets their openings alone.
        """
        now = timezone.now()
        targets = RecordTarget.objects.filter(
            agent_id=OuterRef("agent_id"), record_id=OuterRef("id")
        ).order_by("ord")
        return (
            super()
            .get_queryset(request)
            .defer("content", "metadata")
            .annotate(
                opening=Left("content", SAID_CHARS + 1),
                target_names=ArraySubquery(targets.values("instrument_id")),
                producer_enabled=Exists(enabled_at(now)),
                withdrawn=Exists(withdrawn_at(now)),
                seen_at=Value(now, output_field=DateTimeField()),
            )
        )

    def in_words(self, record: Record) -> str:
        """Type, instruments, status and agent, and how its text begins."""
        told = (record.type, self.about(record), self.status(record))
        return words(*told, f"agent {record.agent.name}", said=_opening(record))

    @admin.display(description="status")
    def status(self, record: Record) -> str:
        """What a reader would be told now."""
        if record.purged_at is not None:
            return "erased"
        now: datetime = record.seen_at  # type: ignore[attr-defined]  # annotated in get_queryset
        enabled: bool = record.producer_enabled  # type: ignore[attr-defined]  # likewise
        return visibility.status(
            deadline=record.stale_after,
            producer_enabled=record.producer_id is None or enabled,
            withdrawn=record.withdrawn,  # type: ignore[attr-defined]  # likewise
            now=now,
        )

    @admin.display(description="about")
    def about(self, record: Record) -> str:
        """The instruments it targets."""
        names: list[str] = record.target_names  # type: ignore[attr-defined]  # annotated
        return ", ".join(names) or "the agent"

    @admin.display(description="content")
    def opening(self, record: Record) -> str:
        """The beginning of the text."""
        return cut(_opening(record), OPENING_CHARS)

    @admin.display(description="content")
    def content_text(self, record: Record) -> SafeString:
        """The text as written."""
        return block(record.content)

    @admin.display(description="metadata")
    def metadata_text(self, record: Record) -> SafeString:
        """The metadata as JSON."""
        return json_block(record.metadata)

    @admin.display(description="odd in its handoff")
    def handoff(self, record: Record) -> SafeString | str:
        """What a writer was told of its metadata as a handoff."""
        if record.purged_at is not None:
            return NOTHING
        run = _run_of(record)
        found = handoff_warnings(
            record.metadata,
            instruments=record.target_names,  # type: ignore[attr-defined]  # annotated
            boundary=None if run is None else run.evidence_boundary,
        )
        return format_html_join(mark_safe("<br>"), "{}", ((visible(one),) for one in found)) or (
            NOTHING
        )

    @admin.display(description="tags")
    def tag_list(self, record: Record) -> str:
        """Its tags."""
        return ", ".join(visible(tag) for tag in record.tags) or NOTHING

    @admin.display(description="run")
    def run_link(self, record: Record) -> SafeString | str:
        """Link to its run, or the id alone once the run's row is gone."""
        if record.run_id is None:
            return NOTHING
        run = _run_of(record)
        return f"{record.run_id} (gone)" if run is None else link_to(Run, run.pk, str(run))

    @admin.display(description="digest")
    def digest(self, record: Record) -> str:
        """SHA-256 over salt and content."""
        return bytes(record.content_digest).hex()

    @admin.display(description="ledger")
    def ledger(self, record: Record) -> SafeString:
        """When it was withdrawn, restored or erased, by whom and why, newest first."""
        lines = RecordChange.objects.filter(agent_id=record.agent_id, record_id=record.pk)
        rows = (
            (
                line.number,
                moment(line.at),
                line.event,
                visible(line.reason),
                visible(f"{line.cause_kind} {line.cause_id}".strip()),
            )
            for line in lines.order_by("-number")[:LINES_SHOWN]
        )
        return table(("line", "when (UTC)", "event", "reason", "cause"), rows)

    @admin.action(description="Withdraw…", permissions=["operate"])
    def withdraw(self, request: HttpRequest, queryset: QuerySet[Record]) -> HttpResponse | None:
        """Ask why, then withdraw the chosen records."""
        return operate(self, request, queryset, changes.withdrawing(request))

    @admin.action(description="Restore…", permissions=["operate"])
    def restore(self, request: HttpRequest, queryset: QuerySet[Record]) -> HttpResponse | None:
        """Ask why, then restore the chosen records."""
        return operate(self, request, queryset, changes.restoring(request))

    @admin.action(description="Erase for good…", permissions=["operate"])
    def erase(self, request: HttpRequest, queryset: QuerySet[Record]) -> HttpResponse | None:
        """Ask why, then destroy what the chosen records say."""
        return operate(self, request, queryset, changes.erasing(request))

    @admin.display(description="links to")
    def links_out(self, record: Record) -> SafeString:
        """What it rests on."""
        links = RecordLink.objects.filter(agent_id=record.agent_id, source_id=record.pk)
        return _linked(links.select_related("target").order_by("ord"), end="target")

    @admin.display(description="linked from")
    def links_back(self, record: Record) -> SafeString:
        """What rests on it, newest first."""
        links = RecordLink.objects.filter(agent_id=record.agent_id, target_id=record.pk)
        newest = links.select_related("source").order_by("-source_id", "ord")
        return _linked(newest[:BACK_LINKS_SHOWN], end="source")


def _opening(record: Record) -> str:
    text: str = record.opening  # type: ignore[attr-defined]  # annotated in get_queryset
    return text


def _run_of(record: Record) -> Run | None:
    """Return a record's run; None where it has none, or none any more."""
    if record.run_id is None:
        return None
    return Run.objects.filter(agent_id=record.agent_id, id=record.run_id).first()


def _linked(links: QuerySet[RecordLink], *, end: str) -> SafeString:
    rows = []
    for link in links:
        record: Record = getattr(link, end)
        page = link_to(Record, record.pk, str(record.pk))
        rows.append((link.link_type, record.type, moment(record.created_at), page))
    return table(("link", "type", "written (UTC)", "record"), rows)
