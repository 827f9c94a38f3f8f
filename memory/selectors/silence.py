"""Producers that should have run and did not (SPEC E6)."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Case, DateTimeField, Exists, F, OuterRef, QuerySet, Value, When

from memory.models import Agent, Producer, ProducerEnablement, Run
from memory.policies.timeframes import SCHEDULES

CYCLES = 2
"""A producer's records are fresh for this long (SPEC F2): after it its lanes hold nothing fresh."""
MOST = 100


@dataclass(frozen=True, slots=True)
class SilentProducer:
    """A scheduled producer without a run in its last two cycles."""

    agent: UUID
    id: UUID
    name: str
    schedule: str


def silent_producers(agents: QuerySet[Agent], *, now: datetime) -> list[SilentProducer]:
    """Return the enabled, scheduled producers of these agents that are silent, at most 100."""
    limits = [
        When(schedule=name, then=Value(now - CYCLES * cycle)) for name, cycle in SCHEDULES.items()
    ]
    own = {"agent_id": OuterRef("agent_id"), "producer_id": OuterRef("id")}
    enabled = ProducerEnablement.objects.filter(
        **own, disabled_at__isnull=True, enabled_at__lt=OuterRef("limit")
    )
    runs = Run.objects.filter(**own, started_at__gte=OuterRef("limit"))
    found = (
        Producer.objects.filter(agent__in=agents, schedule__isnull=False)
        .annotate(limit=Case(*limits, output_field=DateTimeField()))
        .filter(Exists(enabled), ~Exists(runs))
        .order_by("agent_id", "name", "id")
        .values_list("agent_id", "id", "name", F("schedule"))
    )
    return [
        SilentProducer(agent=agent, id=producer, name=name, schedule=schedule or "")
        for agent, producer, name, schedule in found[:MOST]
    ]
