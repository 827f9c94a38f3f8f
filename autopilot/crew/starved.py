"""Producers of the built-in analyst with instruments that it cannot read now (SPEC A12, E6)."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from memory.models import Agent, Producer, ProducerEnablement, Selection
from trading.market.currency import newest_of

MOST = 100
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Unread:
    """An instrument without current bars; `newest_closed_at` is None where there are none."""

    instrument: str
    newest_closed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Starved:
    """A producer, the bars that it reads, and the first 20 instruments that lack current ones."""

    agent: UUID
    id: UUID
    name: str
    timeframe: str
    instruments: tuple[Unread, ...]


def starved_producers(agents: QuerySet[Agent], *, now: datetime) -> list[Starved]:
    """Return the enabled built-in producers of these agents without current bars, at most 100."""
    enabled = ProducerEnablement.objects.filter(
        agent_id=OuterRef("agent_id"), producer_id=OuterRef("id"), disabled_at__isnull=True
    )
    producers = list(
        Producer.objects.filter(Exists(enabled), agent__in=agents, runner="built_in").order_by(
            "agent_id", "name", "id"
        )
    )
    chosen: dict[UUID, list[str]] = defaultdict(list)
    selections = Selection.objects.filter(
        agent_id__in={one.agent_id for one in producers},
        deselected_at__isnull=True,
        instrument__is_active=True,
    )
    if producers:
        for agent, name in selections.order_by("agent_id", "instrument_id").values_list(
            "agent_id", "instrument_id"
        ):
            chosen[agent].append(name)
    unread = _unread(producers, chosen, now=now)
    found = []
    for one in producers:
        frame = bars_of(one)
        missing = [unread[frame][name] for name in chosen[one.agent_id] if name in unread[frame]]
        if missing:
            found.append(Starved(one.agent_id, one.id, one.name, frame, tuple(missing[:SHOWN])))
    return found[:MOST]


def bars_of(producer: Producer) -> str:
    """Return the timeframe of the bars that a built-in producer reads."""
    return producer.timeframe or producer.schedule or ""


def _unread(
    producers: list[Producer], chosen: dict[UUID, list[str]], *, now: datetime
) -> dict[str, dict[str, Unread]]:
    """Return what is not current, by timeframe and instrument: a statement a timeframe."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for one in producers:
        wanted[bars_of(one)].update(chosen[one.agent_id])
    unread: dict[str, dict[str, Unread]] = {}
    for frame, names in wanted.items():
        known = newest_of(instruments=sorted(names), timeframe=frame, at=now)
        unread[frame] = {
            name: Unread(name, known[name].closed_at if name in known else None)
            for name in names
            if name not in known or not known[name].is_current(at=now)
        }
    return unread
