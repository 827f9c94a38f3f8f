"""Choosing who runs a producer (SPEC A12)."""

from datetime import datetime

from django.db import transaction

from memory.errors import BadRequest
from memory.models import Producer
from memory.policies.runners import misfit


def choose_runner(
    *, producer: Producer, runner: str, lens: str | None, timeframe: str | None, now: datetime
) -> Producer:
    """Have callers run a producer, or the built-in analyst from `now` on; return what it is then.

    With `built_in` the next boundary is the first that is run. BadRequest: it does not fit.
    """
    with transaction.atomic():
        held = Producer.objects.select_for_update(no_key=True).get(
            agent_id=producer.agent_id, id=producer.id
        )
        wrong = misfit(
            role=held.role, schedule=held.schedule, runner=runner, lens=lens, timeframe=timeframe
        )
        if wrong:
            raise BadRequest(wrong[1])
        if runner == "caller":
            held.built_in_since = None
        elif held.runner != runner:
            held.built_in_since = now
        held.runner, held.lens, held.timeframe = runner, lens, timeframe
        held.save(update_fields=["runner", "lens", "timeframe", "built_in_since"])
    return held
