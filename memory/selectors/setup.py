"""How an agent is set up: its producers and its chosen instruments (SPEC E6)."""

from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from memory.models import Agent, Instrument, Producer, ProducerEnablement, Selection
from memory.schemas.setup import (
    AgentOut,
    InstrumentOut,
    ProducerSetUpOut,
    SelectionOut,
    etag_of_producer,
)


def producers_of(agent_id: UUID) -> QuerySet[Producer]:
    """Return an agent's producers, each with whether it is enabled."""
    enabled = ProducerEnablement.objects.filter(
        agent_id=OuterRef("agent_id"), producer_id=OuterRef("id"), disabled_at__isnull=True
    )
    return Producer.objects.filter(agent_id=agent_id).annotate(is_enabled=Exists(enabled))


def selections_of(agent_id: UUID) -> QuerySet[Selection]:
    """Return what an agent has selected now."""
    return Selection.objects.filter(agent_id=agent_id, deselected_at__isnull=True)


def agent_answer(agent: Agent) -> AgentOut:
    """Return an agent as it is answered."""
    return AgentOut(**{name: getattr(agent, name) for name in AgentOut.model_fields})


def instrument_answer(instrument: Instrument) -> InstrumentOut:
    """Return an instrument as it is answered."""
    return InstrumentOut(**{name: getattr(instrument, name) for name in InstrumentOut.model_fields})


def selection_answer(selection: Selection) -> SelectionOut:
    """Return a selection as it is answered."""
    return SelectionOut(instrument=selection.instrument_id, selected_at=selection.selected_at)


def producer_answer(producer: Producer) -> ProducerSetUpOut:
    """Return a producer of `producers_of` as it is answered."""
    return ProducerSetUpOut(
        id=producer.id,
        role=producer.role,
        name=producer.name,
        schedule=producer.schedule,
        runner=producer.runner,
        lens=producer.lens,
        timeframe=producer.timeframe,
        enabled=producer.is_enabled,  # type: ignore[attr-defined]  # annotated by producers_of
        created_at=producer.created_at,
        etag=etag_of(producer),
    )


def etag_of(producer: Producer) -> str:
    """Return the entity tag of a producer of `producers_of`."""
    return etag_of_producer(
        id=producer.id,
        schedule=producer.schedule,
        runner=producer.runner,
        lens=producer.lens,
        timeframe=producer.timeframe,
        enabled=producer.is_enabled,  # type: ignore[attr-defined]  # annotated by producers_of
    )
