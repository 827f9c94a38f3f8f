"""Two people set up one agent at once: nothing of either is overwritten unseen (SPEC E4, E6)."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import pytest
from django.db import transaction

from memory.errors import PreconditionFailed
from memory.models import Producer, Selection
from memory.policies.versions import Condition
from memory.schemas.setup import ProducerChange
from memory.selectors.setup import etag_of, producers_of
from memory.services import producers, setup
from tests.concurrency.test_publish import in_own_connection, until_it_waits
from tests.desk import Desk, make_desk, make_instrument

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(transactional_db: None, now: datetime) -> Desk:  # noqa: ARG001 - opens the database first
    return make_desk("ours", now=now)


@pytest.mark.spec("E4")
@pytest.mark.parametrize("first", [{"schedule": "1h"}, {"enabled": False}], ids=str)
def test_of_two_changes_from_one_version_the_second_is_told_of_the_first(
    desk: Desk, now: datetime, first: dict[str, Any]
) -> None:
    seen = producers_of(desk.agent.id).get(id=desk.producers["analysis"].id)
    condition = Condition(frozenset({etag_of(seen)}))

    def changing(**given: Any) -> Callable[[], Producer]:
        to = ProducerChange.parse(given)
        return lambda: producers.change(producer=seen, to=to, condition=condition, now=now)

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            changing(**first)()
            late = pool.submit(in_own_connection(changing(schedule="4h")))
            until_it_waits(late)
        with pytest.raises(PreconditionFailed) as refused:
            late.result()
    kept = producers_of(desk.agent.id).get(id=seen.id)
    assert kept.schedule == first.get("schedule", "5m")
    assert refused.value.fields == {"etag": etag_of(kept)}


@pytest.mark.spec("E6")
def test_an_instrument_that_many_select_at_once_is_selected_once(desk: Desk, now: datetime) -> None:
    make_instrument("SOL", now=now)

    def choose() -> bool:
        return setup.choose_instrument(agent=desk.agent, name="SOL", now=now)[1]

    with ThreadPoolExecutor(8) as pool:
        tries = [pool.submit(in_own_connection(choose)) for _ in range(8)]
        found = Counter(one.result() for one in tries)
    assert found == {True: 1, False: 7}
    assert Selection.objects.filter(instrument_id="SOL").count() == 1
