"""Pages of producers with their enabled intervals, and of runs."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memory.admin.base import (
    NOTHING,
    ConditionFilter,
    ReadOnly,
    StaffAdmin,
    block,
    link_to,
    link_to_list,
    moment,
    table,
    utc,
    words,
)
from memory.admin.operations import Operation, operate
from memory.models import Head, Producer, ProducerEnablement, Record, Run, Token
from memory.policies.runners import misfit
from memory.services import setup
from memory.services.runners import choose_runner

CHOSEN = ("schedule", "runner", "lens", "timeframe")
LANES_SHOWN = 100
ENABLED = Exists(
    ProducerEnablement.objects.filter(
        agent_id=OuterRef("agent_id"), producer_id=OuterRef("id"), disabled_at__isnull=True
    )
)

DISABLE = Operation[Producer](
    name="disable",
    title="Disable producers",
    consequence="From now on their records are shown as disabled in every context. "
    "Nothing is deleted, and their tokens still write.",
    done="disabled",
    only="Only what is enabled is disabled",
    due=lambda rows: rows.filter(ENABLED),
    apply=lambda producer, now: setup.disable_producer(producer=producer, now=now),
)
ENABLE = Operation[Producer](
    name="enable",
    title="Enable producers",
    consequence="From now on their records count again in every context.",
    done="enabled",
    only="Only what is disabled is enabled",
    due=lambda rows: rows.exclude(ENABLED),
    apply=lambda producer, now: setup.enable_producer(producer=producer, now=now),
)


class EnabledFilter(ConditionFilter):
    """Enabled producers, or disabled ones."""

    def conditions(self, *, now: datetime) -> dict[str, Q | Exists]:
        """By whether an interval is open."""
        del now
        return {"enabled": ENABLED, "disabled": ~Q(ENABLED)}


class ProducerForm(ModelForm[Producer]):
    """A producer; once there, its schedule and who runs it change."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "runner" in self.fields:
            self.fields["runner"].required = False

    def clean_runner(self) -> str:
        """Leave a producer to whom it is, a new one to callers, when nothing is chosen."""
        is_new = self.instance._state.adding  # noqa: SLF001 - documented
        stored = "caller" if is_new else self.instance.runner
        return self.cleaned_data["runner"] or stored

    def clean(self) -> dict[str, Any]:
        """Refuse a name that the agent's producers use already, and a runner that does not fit."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        agent, name = data.get("agent"), data.get("name")
        if agent and name and Producer.objects.filter(agent=agent, name=name).exists():
            self.add_error("name", "This agent has a producer of that name already.")
        chosen = {field: data.get(field) or None for field in ("schedule", "lens", "timeframe")}
        role, runner = data.get("role") or self.instance.role, data.get("runner")
        if role and runner and (wrong := misfit(role=role, runner=runner, **chosen)):
            self.add_error(wrong[0], f"{wrong[1][0].upper()}{wrong[1][1:]}.")
        return data


@admin.register(Producer)
class ProducerAdmin(StaffAdmin[Producer]):
    """Stand up a producer, change its schedule or who runs it, enable and disable it."""

    form = ProducerForm
    list_display = ("name", "role", "schedule", "runner", "enabled", "agent", utc("created_at"))
    list_filter = (EnabledFilter, "role", "schedule", "runner", "agent")
    list_select_related = ("agent",)
    search_fields = ("name", "agent__name")
    search_help_text = "A part of a producer's or agent's name, or an id."
    autocomplete_fields = ("agent",)
    ordering = ("agent__name", "name", "id")
    actions = ("disable", "enable")
    settled_fields = (
        *("agent", "role", "name", "id", utc("created_at"), "enabled"),
        *("intervals", "lanes", "belongings"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Producer]:
        """Tell of each producer whether it is enabled, in the same statement."""
        return super().get_queryset(request).annotate(is_enabled=ENABLED)

    def in_words(self, producer: Producer) -> str:
        """Its name, role and agent."""
        return words(producer.name, producer.role, f"agent {producer.agent.name}")

    def get_fields(self, request: HttpRequest, obj: Producer | None = None) -> list[Any]:
        """Show the rest of a producer once there is one."""
        del request
        if obj is None:
            return ["agent", "role", "name", *CHOSEN]
        return [*CHOSEN, *self.settled_fields]

    def get_readonly_fields(self, request: HttpRequest, obj: Producer | None = None) -> list[Any]:
        """Leave the schedule and the runner to be edited."""
        del request
        return [] if obj is None else list(self.settled_fields)

    def save_model(self, request: HttpRequest, obj: Producer, form: Any, change: bool) -> None:
        """Stand up, or change the schedule and who runs it, through the services."""
        del request, form
        now = timezone.now()
        if not change:
            made = setup.create_producer(
                agent=obj.agent, role=obj.role, name=obj.name, schedule=obj.schedule, now=now
            )
            obj.pk, obj.created_at = made.pk, made.created_at
        # The built-in analyst needs a schedule: what gives one goes first, what takes it away last.
        if obj.runner == "built_in":
            setup.change_schedule(producer=obj, schedule=obj.schedule)
        choose_runner(
            producer=obj,
            runner=obj.runner,
            lens=obj.lens or None,
            timeframe=obj.timeframe or None,
            now=now,
        )
        if obj.runner != "built_in":
            setup.change_schedule(producer=obj, schedule=obj.schedule)

    @admin.display(description="enabled", boolean=True)
    def enabled(self, producer: Producer) -> bool:
        """Whether it is enabled now."""
        return bool(producer.is_enabled)  # type: ignore[attr-defined]  # annotated in get_queryset

    @admin.display(description="enabled intervals (UTC)")
    def intervals(self, producer: Producer) -> SafeString:
        """From when until when it was enabled, newest first."""
        rows = ProducerEnablement.objects.filter(
            agent_id=producer.agent_id, producer_id=producer.pk
        ).order_by("-enabled_at")
        cells = ((moment(row.enabled_at), moment(row.disabled_at)) for row in rows)
        return table(("from", "until before"), cells)

    @admin.display(description="newest records, corrections apart")
    def lanes(self, producer: Producer) -> SafeString:
        """The newest record of each instrument and type.

        Heads' deadlines can be infinite, which the driver cannot load: they are not read.
        """
        heads = (
            Head.objects.filter(agent_id=producer.agent_id, producer_id=producer.pk)
            .order_by("instrument_id", "type")
            .values_list("instrument_id", "type", "created_at", "record_id")[:LANES_SHOWN]
        )
        cells = (
            (name or "the agent", type_, moment(at), link_to(Record, pk, str(pk)))
            for name, type_, at, pk in heads
        )
        return table(("about", "type", "written (UTC)", "record"), cells)

    @admin.display(description="lists")
    def belongings(self, producer: Producer) -> SafeString:
        """Links to its runs, records and tokens."""
        key = {"agent__id__exact": producer.agent_id, "producer__id__exact": producer.pk}
        return format_html(
            "{} · {} · {}",
            link_to_list(Run, "runs", **key),
            link_to_list(Record, "records", **key),
            link_to_list(Token, "tokens", **key),
        )

    @admin.action(description="Disable…", permissions=["operate"])
    def disable(self, request: HttpRequest, queryset: QuerySet[Producer]) -> HttpResponse | None:
        """Ask, then disable the chosen producers."""
        return operate(self, request, queryset, DISABLE)

    @admin.action(description="Enable…", permissions=["operate"])
    def enable(self, request: HttpRequest, queryset: QuerySet[Producer]) -> HttpResponse | None:
        """Ask, then enable the chosen producers."""
        return operate(self, request, queryset, ENABLE)


@admin.register(Run)
class RunAdmin(ReadOnly[Run]):
    """Executions of producers, newest first."""

    list_display = (
        *(utc("started_at"), "producer", "status", "schedule", utc("evidence_boundary")),
        *("kind", "agent", utc("ended_at")),
    )
    list_filter = (
        "status",
        "built_in",
        "implicit",
        "schedule",
        "started_at",
        "producer__role",
        "agent",
    )
    list_select_related = ("agent", "producer")
    search_fields = ("producer__name", "agent__name", "error")
    search_help_text = "A part of a producer's or agent's name or of an error, or an id."
    ordering = ("-id",)
    sortable_by = ()
    fields = (
        *("id", "agent", "producer", "status", "schedule", utc("evidence_boundary")),
        *(utc("started_at"), utc("deadline_at"), utc("ended_at"), "error_text", "kind"),
        *("bound_token", "records"),
    )
    readonly_fields = (
        *(utc("evidence_boundary"), utc("started_at"), utc("deadline_at"), utc("ended_at")),
        *("error_text", "records", "kind"),
    )

    @admin.display(description="kind")
    def kind(self, run: Run) -> str:
        """A word: a cross would read as a failure."""
        if run.built_in:
            return "built-in"
        return "implicit" if run.implicit else NOTHING

    @admin.display(description="error")
    def error_text(self, run: Run) -> SafeString:
        """What a failed run said."""
        return block(run.error)

    @admin.display(description="records")
    def records(self, run: Run) -> SafeString:
        """Link to what it wrote."""
        key = {"agent__id__exact": run.agent_id, "run__id__exact": run.pk}
        return link_to_list(Record, "records of this run", **key)
