"""Making agents, choosing instruments, and standing up producers."""

import difflib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import psycopg
from django.db import IntegrityError, transaction

from memory.errors import BadRequest, Conflict, NameTaken
from memory.models import Agent, Instrument, Producer, ProducerEnablement, Selection
from memory.policies.text import unstorable
from memory.policies.timeframes import SCHEDULES
from memory.policies.vocabulary import ROLES


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
        raise BadRequest(f"{name} is not an active instrument{_alike(name)}")
    return Selection.objects.get_or_create(
        agent=agent, instrument_id=name, deselected_at=None, defaults={"selected_at": now}
    )


def deselect_instrument(*, agent: Agent, name: str, now: datetime) -> bool:
    """End the selection of an instrument; False when it was not selected.

    Records keep their targets (SPEC R3).
    """
    if unstorable(name):
        return False
    return bool(
        Selection.objects.filter(
            agent=agent, instrument_id=name, deselected_at=None, selected_at__lt=now
        ).update(deselected_at=now)
    )


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
    return bool(
        ProducerEnablement.objects.filter(
            agent_id=producer.agent_id, producer=producer, disabled_at=None, enabled_at__lt=now
        ).update(disabled_at=now)
    )


def enable_producer(*, producer: Producer, now: datetime) -> bool:
    """Enable a producer from `now`; False when it was enabled already."""
    _, created = ProducerEnablement.objects.get_or_create(
        agent_id=producer.agent_id,
        producer=producer,
        disabled_at=None,
        defaults={"enabled_at": now},
    )
    return created


def _alike(name: str) -> str:
    """Return a hint: names that are spelled alike, or where instruments come from."""
    known = list(Instrument.objects.filter(is_active=True).values_list("id", flat=True))
    if not known:
        return "; there are none yet: manage.py sync_instruments, or sync_candles --sample"
    spelled = {one.casefold(): one for one in known}
    near = difflib.get_close_matches(name.casefold(), spelled, n=3)
    found = ", ".join(spelled[one] for one in near)
    return f"; did you mean {found}?" if found else "; manage.py sync_instruments brings more"


def _known_schedule(schedule: str | None) -> None:
    if schedule is not None and schedule not in SCHEDULES:
        raise BadRequest(f"schedule must be one of {', '.join(SCHEDULES)}, or none")
