"""Producers set up by a person: stood up whole, changed from a state that was seen (SPEC E4)."""

from datetime import datetime

from django.db import transaction

from memory.errors import NotFound, PreconditionFailed
from memory.models import Agent, Producer
from memory.policies.versions import Condition
from memory.schemas.setup import ProducerChange, ProducerDraft
from memory.selectors.setup import etag_of, producers_of
from memory.services import setup
from memory.services.runners import choose_runner


def stand_up(*, agent: Agent, draft: ProducerDraft, now: datetime) -> Producer:
    """Make a producer with all that is said of it, or not at all.

    BadRequest: its parts do not fit together. NameTaken: the agent has one of that name.
    """
    with transaction.atomic():
        made = setup.create_producer(
            agent=agent, role=draft.role, name=draft.name, schedule=draft.schedule, now=now
        )
        choose_runner(
            producer=made,
            runner=draft.runner,
            lens=draft.lens,
            timeframe=draft.timeframe,
            now=now,
        )
        return producers_of(agent.id).get(id=made.id)


def change(
    *, producer: Producer, to: ProducerChange, condition: Condition, now: datetime
) -> Producer:
    """Change what is given, if the producer is still as the condition says.

    PreconditionFailed: others changed it meanwhile. BadRequest: its parts would not fit together.
    """
    with transaction.atomic():
        # Changes of one producer wait here for one another. What the last one left is read after
        # the wait: a statement that waits sees other tables as they were before it.
        held = Producer.objects.select_for_update(no_key=True)
        if not held.filter(agent_id=producer.agent_id, id=producer.id).exists():
            raise NotFound("there is no such producer")
        found = producers_of(producer.agent_id).get(id=producer.id)
        etag = etag_of(found)
        if not condition.holds(etag):
            raise PreconditionFailed(
                "this producer was changed meanwhile; read it again in the list, GET producers/",
                etag,
            )
        _apply(found, to, now=now)
        return producers_of(producer.agent_id).get(id=producer.id)


def _apply(producer: Producer, to: ProducerChange, *, now: datetime) -> None:
    given = to.changed()
    was_enabled: bool = producer.is_enabled  # type: ignore[attr-defined]  # annotated
    runner = {
        name: given.get(name, getattr(producer, name)) for name in ("runner", "lens", "timeframe")
    }
    rescheduled = "schedule" in given and given["schedule"] != producer.schedule
    moved = any(runner[name] != getattr(producer, name) for name in runner)
    # The built-in analyst needs a schedule: it comes before one, and goes after.
    if rescheduled and runner["runner"] != "caller":
        setup.change_schedule(producer=producer, schedule=given["schedule"])
    if moved:
        choose_runner(producer=producer, now=now, **runner)
    if rescheduled and runner["runner"] == "caller":
        setup.change_schedule(producer=producer, schedule=given["schedule"])
    enabled = given.get("enabled", was_enabled)
    if enabled and not was_enabled:
        setup.enable_producer(producer=producer, now=now)
    if was_enabled and not enabled:
        setup.disable_producer(producer=producer, now=now)
