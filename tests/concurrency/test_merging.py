"""Merging at the same time as others merge, move and delete (SPEC M9)."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from memory.models import Standing, StandingChange
from memory.services import duplicates, standings
from memory.services.forget import forget
from memory.services.standings import Cause, moving_of, replayed
from tests.concurrency.test_publish import in_own_connection, until_it_waits
from tests.desk import Desk, make_desk
from tests.strategies import remember

pytestmark = pytest.mark.django_db(transaction=True)

BY = Cause("user", "1")
MINUTE = timedelta(minutes=1)
WAYS = (
    "Long breakouts on 1h work when volume is above 2x its average.",
    "On 1h, buy the breakout with volume over 2x its mean: it works.",
    "Volume greater than 2x the average made long breakouts on 1h profitable.",
)


@pytest.fixture
def desk(transactional_db: None, now: datetime) -> Desk:  # noqa: ARG001 - opens the database first
    return make_desk("ours", now=now)


@pytest.fixture
def three(desk: Desk, now: datetime) -> list[UUID]:
    facts = {"symbol": "ETH", "strategy_type": "breakout", "outcome": "success"}
    return [remember(desk, way, now=now + n * MINUTE, **facts) for n, way in enumerate(WAYS)]


def merge(desk: Desk, *, now: datetime) -> list[list[UUID]]:
    done = duplicates.merge(agent_id=desk.agent.id, by=BY, now=now)
    return [group.ids for group in done.groups]


def point(desk: Desk, one: UUID, into: UUID, *, now: datetime) -> None:
    standings.move(
        agent_id=desk.agent.id,
        record_id=one,
        event="merged",
        cause=BY,
        step=lambda was: replace(was, merged_into=into),
        now=now,
    )


@pytest.mark.spec("M9")
def test_of_two_workers_at_once_one_merges(desk: Desk, three: list[UUID], now: datetime) -> None:
    then = now + timedelta(hours=1)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first = merge(desk, now=then)
            # It has read the same memories before it waits for the lock.
            second = pool.submit(in_own_connection(lambda: merge(desk, now=then)))
            until_it_waits(second)
        assert second.result() == []
    assert first == [three]
    survivor = Standing.objects.get(record_id=three[0])
    assert survivor.validated_count == 3
    assert StandingChange.objects.filter(event="absorbed").count() == 1
    assert replayed(desk.agent.id, three[0]) == moving_of(survivor)


@pytest.mark.spec("M9", "M4")
def test_a_merge_waits_for_a_confirmation_and_loses_none(
    desk: Desk, three: list[UUID], now: datetime
) -> None:
    then = now + timedelta(hours=1)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            standings.move(
                agent_id=desk.agent.id,
                record_id=three[1],
                event="confirmed",
                cause=BY,
                step=lambda was: replace(was, validated_count=was.validated_count + 1),
                now=then,
            )
            merging = pool.submit(in_own_connection(lambda: merge(desk, now=then)))
            until_it_waits(merging)
        # Equally trusted, it has the higher count by now, and stands for the others.
        assert merging.result() == [[three[1], three[0], three[2]]]
    assert Standing.objects.get(record_id=three[1]).validated_count == 4


@pytest.mark.spec("M9", "M3")
def test_what_is_deleted_while_a_merge_waits_is_not_merged(
    desk: Desk, three: list[UUID], now: datetime
) -> None:
    then = now + timedelta(hours=1)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            forget(agent_id=desk.agent.id, record_ids=[three[0]], by=BY, now=then)
            merging = pool.submit(in_own_connection(lambda: merge(desk, now=then)))
            until_it_waits(merging)
        assert merging.result() == [three[1:]]


@pytest.mark.spec("M9")
def test_two_that_each_see_half_of_a_chain_do_not_make_it(
    desk: Desk, three: list[UUID], now: datetime
) -> None:
    a, b, c = three
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            point(desk, b, c, now=now)
            late = pool.submit(in_own_connection(lambda: point(desk, a, b, now=now)))
            until_it_waits(late)
        error = late.exception()
    assert isinstance(error, IntegrityError)
    cause = error.__cause__
    assert isinstance(cause, psycopg.Error)
    assert cause.diag.constraint_name == "standing_merged_once"
    assert Standing.objects.get(record_id=a).merged_into_id is None
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
