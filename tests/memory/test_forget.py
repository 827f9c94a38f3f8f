"""Strategy memory forgotten for good: a tombstone, a last line, and nothing in its place (M3)."""

from datetime import datetime, timedelta
from io import StringIO
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from memory.errors import ValidationFailed
from memory.management.progress import Lines
from memory.models import AgentTail, Posting, Record, Standing, StandingChange, Tag
from memory.services import standings, verification
from memory.services.forget import forget
from memory.services.standings import Cause
from tests.desk import Desk
from tests.strategies import merge, remember

MINUTE = timedelta(minutes=1)
BY: dict[str, Any] = {"by": Cause("test", "7"), "reason": "a test"}


def forgotten(desk: Desk, *ids: UUID, now: datetime) -> list[UUID]:
    """Forget for a test, and hold all that is left against its rules."""
    gone = forget(agent_id=desk.agent.id, record_ids=ids, now=now, **BY)
    assert [*verification.verify(desk.agent, progress=Lines(StringIO()))] == []
    return gone


@pytest.mark.spec("M3", "M5", "U4")
def test_a_tombstone_keeps_all_but_what_the_memory_said(desk: Desk, now: datetime) -> None:
    written = remember(desk, "a heron", now=now, tags=["a"], symbol="ETH", confidence="0.7")
    before = Record.objects.filter(id=written).values().get()
    stood = standings.moving_of(Standing.objects.get(record_id=written))
    texts = AgentTail.objects.get(agent=desk.agent).text_records
    assert forgotten(desk, written, now=now + MINUTE) == [written]
    gone: dict[str, Any] = {"content": "", "metadata": {}, "tags": [], "content_salt": None}
    after = Record.objects.filter(id=written).values().get()
    assert after == {**before, **gone, "purged_at": now + MINUTE}
    for rows in (Standing.objects, Tag.objects, Posting.objects):
        assert not rows.filter(record_id=written).exists()
    last = StandingChange.objects.filter(record_id=written).order_by("revision").last()
    assert last is not None
    assert (last.event, last.before, last.after) == ("purged", stood.as_json() | {"tags": []}, None)
    lines = StandingChange.objects.filter(record_id=written)
    assert not [
        line for line in lines for told in (line.before, line.after) if told and told["tags"]
    ]
    assert (last.cause_kind, last.cause_id, last.detail) == ("test", "7", {"reason": "a test"})
    assert standings.replayed(desk.agent.id, written) is None
    tail = AgentTail.objects.get(agent=desk.agent)
    assert (tail.text_records, tail.erasures) == (texts - 1, 1)


@pytest.mark.spec("M3", "M9")
def test_what_is_merged_into_a_memory_goes_with_it_through_however_many_mergers(
    desk: Desk, now: datetime
) -> None:
    # No chain is made any more; a database of before may hold one.
    survivor, middle, first, beside = (remember(desk, now=now) for _ in range(4))
    merge(first, middle, now=now)
    merge(middle, survivor, now=now)
    assert forgotten(desk, survivor, now=now + MINUTE) == sorted([survivor, middle, first])
    assert Standing.objects.get().record_id == beside


@pytest.mark.spec("M3", "M9")
def test_what_is_merged_can_be_forgotten_alone(desk: Desk, now: datetime) -> None:
    survivor, merged = (remember(desk, now=now) for _ in range(2))
    merge(merged, survivor, now=now)
    assert forgotten(desk, merged, now=now + MINUTE) == [merged]
    assert Standing.objects.get().record_id == survivor


@pytest.mark.spec("M3", "X1")
def test_what_is_unknown_another_agents_forgotten_or_no_strategy_memory_is_left_alone(
    desk: Desk, other: Desk, now: datetime
) -> None:
    theirs, ours = remember(other, now=now), remember(desk, now=now)
    plain = desk.write(now=now)
    forgotten(desk, ours, now=now)
    assert forgotten(desk, theirs, ours, plain.id, uuid4(), now=now) == []
    assert Standing.objects.get().record_id == theirs
    assert Record.objects.get(id=plain.id).purged_at is None
    assert AgentTail.objects.get(agent=desk.agent).erasures == 1


@pytest.mark.spec("M5")
def test_a_reason_may_be_left_out_and_is_bounded(desk: Desk, now: datetime) -> None:
    one, two = (remember(desk, now=now) for _ in range(2))
    forget(agent_id=desk.agent.id, record_ids=[one], by=Cause("user", "1"), now=now)
    assert StandingChange.objects.get(record_id=one, event="purged").detail == {}
    with pytest.raises(ValidationFailed):
        forget(
            agent_id=desk.agent.id, record_ids=[two], by=Cause("user"), reason="x" * 501, now=now
        )
    assert Standing.objects.filter(record_id=two).exists()


@pytest.mark.spec("M3", "M5")
@pytest.mark.parametrize(
    "change",
    [
        """after = jsonb_set(after, '{tags}', '["b"]')""",
        """after = jsonb_set(after, '{confidence}', '"0.1"')""",
        "event = 'other'",
        "before = jsonb_set(before, '{tags}', '[]'), at = at + interval '1 s'",
    ],
)
def test_nothing_but_the_tags_is_taken_out_of_a_ledger_and_of_the_forgotten_alone(
    desk: Desk, now: datetime, change: str
) -> None:
    forgotten_one = remember(desk, now=now, tags=["a"])
    kept = remember(desk, now=now, tags=["a"])
    forgotten(desk, forgotten_one, now=now)
    untag = "after = jsonb_set(after, '{tags}', '[]')"
    for record, told in ((forgotten_one, change), (kept, change), (kept, untag)):
        with (
            pytest.raises(IntegrityError, match="a ledger never changes"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(
                f"UPDATE memory_standing_change SET {told}"
                " WHERE record_id = %s AND after IS NOT NULL",
                [record],
            )
