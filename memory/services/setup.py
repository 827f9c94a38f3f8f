"""Making agents, choosing instruments, and standing up producers."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import psycopg
from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet

from memory.errors import BadRequest, Conflict, NameTaken
from memory.models import Agent, Instrument, Producer, ProducerEnablement, Selection
from memory.policies import times
from memory.policies.text import unstorable
from memory.policies.timeframes import SCHEDULES
from memory.policies.vocabulary import ROLES
from memory.selectors.instruments import alike


@contextmanager
def once(constraint: str, error: Conflict) -> Iterator[None]:
    """Turn a violation of that unique constraint, and no other, into `error`."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as violation:
        cause = violation.__cause__
        if isinstance(cause, psycopg.Error) and cause.diag.constraint_name == constraint:
            raise error from violation
        raise


def create_agent(*, owner: Any, name: str, now: datetime) -> Agent:
    """Make an agent of `owner` (a user). NameTaken: the owner has one of that name."""
    with once("agent_name_once", NameTaken(f"there is an agent called {name} already")):
        return Agent.objects.create(owner=owner, name=name, created_at=now)


def select_instrument(*, agent: Agent, name: str, now: datetime) -> Selection:
    """Choose an instrument from `now` on; see `choose_instrument`."""
    selection, _ = choose_instrument(agent=agent, name=name, now=now)
    return selection


def choose_instrument(*, agent: Agent, name: str, now: datetime) -> tuple[Selection, bool]:
    """Choose an instrument from `now` on; tell whether it was not chosen before.

    Choosing it again changes nothing. BadRequest: no such instrument, or it is delisted.
    """
    if not Instrument.objects.filter(id=name, is_active=True).exists():
        raise BadRequest(f"{name} is not an active instrument{alike(name)}")
    with transaction.atomic():
        chosen = _selections(agent, name)
        is_open = chosen.filter(deselected_at=None).first()
        if is_open is not None:
            return is_open, False
        ended = chosen.aggregate(last=Max("deselected_at"))["last"]
        begin = times.not_before(now, ended)
        return chosen.create(agent=agent, instrument_id=name, selected_at=begin), True


def deselect_instrument(*, agent: Agent, name: str, now: datetime) -> bool:
    """End the selection of an instrument; False when it was not selected.

    Records keep their targets (SPEC R3).
    """
    if unstorable(name):
        return False
    with transaction.atomic():
        is_open = _selections(agent, name).filter(deselected_at=None)
        begun = is_open.values_list("selected_at", flat=True).first()
        return bool(is_open.update(deselected_at=times.after(now, begun)))


def create_producer(
    *, agent: Agent, role: str, name: str, schedule: str | None, now: datetime
) -> Producer:
    """Stand up a producer, enabled from `now`.

    BadRequest: unknown role or schedule. NameTaken: the agent has one of that name.
    """
    if role not in ROLES:
        raise BadRequest(f"role must be one of {', '.join(ROLES)}")
    _known_schedule(schedule)
    taken = NameTaken(f"this agent has a producer called {name} already")
    with once("producer_name_once", taken):
        producer = Producer.objects.create(
            agent=agent, role=role, name=name, schedule=schedule, created_at=now
        )
        ProducerEnablement.objects.create(agent=agent, producer=producer, enabled_at=now)
    return producer


def change_schedule(*, producer: Producer, schedule: str | None) -> None:
    """Give a producer another schedule; runs and records keep the one they had (SPEC F3).

    BadRequest: unknown, or none for a producer that the built-in analyst runs.
    """
    _known_schedule(schedule)
    changing = Producer.objects.filter(agent_id=producer.agent_id, id=producer.id)
    if schedule is None:
        changing = changing.filter(runner="caller")
    if not changing.update(schedule=schedule):
        raise BadRequest("the built-in analyst runs this producer: it needs a schedule")


def disable_producer(*, producer: Producer, now: datetime) -> bool:
    """Disable a producer from `now`; False when it was disabled already."""
    with transaction.atomic():
        is_open = _intervals(producer).filter(disabled_at=None)
        begun = is_open.values_list("enabled_at", flat=True).first()
        return bool(is_open.update(disabled_at=times.after(now, begun)))


def enable_producer(*, producer: Producer, now: datetime) -> bool:
    """Enable a producer from `now`; False when it was enabled already."""
    with transaction.atomic():
        intervals = _intervals(producer)
        if intervals.filter(disabled_at=None).exists():
            return False
        ended = intervals.aggregate(last=Max("disabled_at"))["last"]
        begin = times.not_before(now, ended)
        intervals.create(agent_id=producer.agent_id, producer=producer, enabled_at=begin)
    return True


def _selections(agent: Agent, name: str) -> QuerySet[Selection]:
    """Wait for others who choose for the agent; return what it has chosen of an instrument."""
    Agent.objects.select_for_update(no_key=True).only("id").get(id=agent.id)
    return Selection.objects.filter(agent=agent, instrument_id=name)


def _intervals(producer: Producer) -> QuerySet[ProducerEnablement]:
    """Wait for others who change the producer; return the intervals in which it is enabled."""
    held = Producer.objects.select_for_update(no_key=True).only("id")
    held.get(agent_id=producer.agent_id, id=producer.id)
    return ProducerEnablement.objects.filter(agent_id=producer.agent_id, producer=producer)


def _known_schedule(schedule: str | None) -> None:
    if schedule is not None and schedule not in SCHEDULES:
        raise BadRequest(f"schedule must be one of {', '.join(SCHEDULES)}, or none")
