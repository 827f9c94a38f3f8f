"""Copies beside what they are copies of: renewed, ended by others, merged away (SPEC M8, M9)."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, transaction

from memory.errors import CommunityGate, MemoryEnded, SharingOff
from memory.models import SharedChange, SharedMemory, Standing
from memory.schemas.search import SearchQuery
from memory.selectors.search import search
from memory.services import community, duplicates, endings
from memory.services.copies import state_of
from tests.community import OWNER, judged, let_share, proven, ruled, shared
from tests.desk import BECAUSE, Desk
from tests.memory.test_merging import AGAIN, SAID
from tests.memory.test_verify_memory import verified
from tests.strategies import end

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)


@pytest.fixture(autouse=True)
def _sharing(desk: Desk, other: Desk) -> None:
    for one in (desk, other):
        let_share(one.agent)


def again(desk: Desk, record_id: UUID, *, now: datetime) -> SharedMemory:
    """Share once more what is shared already."""
    copy, is_new = community.share(agent_id=desk.agent.id, record_id=record_id, by=OWNER, now=now)
    assert not is_new
    assert copy == SharedMemory.objects.get(id=copy.id)
    return copy


def found(desk: Desk, *, now: datetime) -> list[UUID]:
    asked = SearchQuery.parse({"symbol": "ETH"})
    return [one.memory_id for one in search(agent_id=desk.agent.id, asked=asked, now=now).items]


def events(copy: SharedMemory) -> list[str]:
    lines = SharedChange.objects.filter(shared_id=copy.id).order_by("revision")
    return list(lines.values_list("event", flat=True))


def ended(desk: Desk, by: Desk, record_id: UUID, *, now: datetime) -> SharedMemory:
    """Share a memory, and let another's backtests end the copy."""
    copy = shared(desk, record_id, now=now)
    while judged(copy.id, by, "contradicts", now=now).event != "deprecated":
        pass
    return copy


@pytest.mark.spec("M8", "O5")
def test_what_is_restored_is_shared_again_with_its_new_life_and_what_others_found(
    desk: Desk, other: Desk, now: datetime
) -> None:
    mine = proven(desk, now=now)
    copy = shared(desk, mine, now=now)
    judged(copy.id, other, "confirms", now=now)
    then = now + 95 * DAY
    endings.restore(agent_id=desk.agent.id, record_id=mine, now=then, **BECAUSE)
    assert found(other, now=then) == []
    renewed = again(desk, mine, now=then)
    assert renewed.id == copy.id
    assert renewed.expires_at == Standing.objects.get(record_id=mine).expires_at == then + 90 * DAY
    assert (renewed.confidence, renewed.community_confirmations) == (Decimal("0.9"), 1)
    assert found(other, now=then) == [copy.id]
    assert events(copy) == ["shared", "confirmed", "renewed"]
    line = SharedChange.objects.get(shared_id=copy.id, event="renewed")
    assert (line.agent_id, line.backtest_id, line.at) == (None, None, then)
    assert line.after == state_of(renewed).as_json()
    assert again(desk, mine, now=then).revision == renewed.revision
    assert judged(copy.id, other, "confirms", now=then).event == "confirmed"
    assert verified()["ok"]


@pytest.mark.spec("M8", "M9")
def test_what_a_merge_lengthens_is_shared_as_long_when_it_is_shared_again(
    desk: Desk, now: datetime
) -> None:
    mine = proven(desk, SAID, now=now, confidence="0.9")
    proven(desk, AGAIN, now=now + 30 * DAY, confidence="0.5")
    copy, then = shared(desk, mine, now=now), now + 31 * DAY
    duplicates.merge(agent_id=desk.agent.id, by=OWNER, now=then)
    assert SharedMemory.objects.get().expires_at == now + 90 * DAY
    assert again(desk, mine, now=then).expires_at == now + 120 * DAY
    assert events(copy) == ["shared", "renewed"]
    assert verified()["ok"]


@pytest.mark.spec("M8")
def test_a_copy_is_not_renewed_where_a_new_one_would_be_refused(
    desk: Desk, other: Desk, now: datetime
) -> None:
    mine, lost = proven(desk, now=now), ruled(desk, [proven(desk, now=now)], now=now)
    copies = [shared(desk, mine, now=now), ended(desk, other, lost, now=now)]
    own: dict[str, Any] = {"agent_id": desk.agent.id}
    # Others have ended the rule's copy, and the rule lives.
    with pytest.raises(CommunityGate) as refused:
        community.share(**own, record_id=lost, by=OWNER, now=now)
    assert refused.value.fields["missing"] == ["community"]
    then = now + 95 * DAY
    # Over, and longer than its copy.
    end(mine, now=then - DAY)
    with pytest.raises(MemoryEnded):
        community.share(**own, record_id=mine, by=OWNER, now=then)
    endings.restore(**own, record_id=mine, now=then, **BECAUSE)
    let_share(desk.agent, enabled=False)
    with pytest.raises(SharingOff):
        community.share(**own, record_id=mine, by=OWNER, now=then)
    assert [one.revision for one in copies[:1]] == [1]
    assert "renewed" not in events(copies[0]) + events(copies[1])


@pytest.mark.spec("M8")
@pytest.mark.parametrize(
    "told",
    [
        {"revision": 1, "before": None},
        {"backtest_id": UUID(int=1)},
        {"agent_id": UUID(int=1)},
        {"event": "revived"},
    ],
)
def test_a_renewal_has_no_judge_and_is_no_beginning(
    desk: Desk, now: datetime, told: dict[str, Any]
) -> None:
    copy = shared(desk, proven(desk, now=now), now=now)
    state = state_of(copy).as_json()
    line = {"revision": 2, "event": "renewed", "before": state, "after": state, "at": now, **told}
    with pytest.raises(IntegrityError), transaction.atomic():
        SharedChange.objects.create(shared_id=copy.id, **line)


@pytest.mark.spec("M8", "M9")
def test_what_others_ended_is_not_shared_anew_by_the_twin_that_stands_for_it(
    desk: Desk, other: Desk, now: datetime
) -> None:
    lost = proven(desk, SAID, now=now, confidence="0.5")
    ended(desk, other, lost, now=now)
    twin = proven(desk, AGAIN, now=now + MINUTE, confidence="0.9")
    own: dict[str, Any] = {"agent_id": desk.agent.id, "by": OWNER}
    duplicates.merge(**own, now=now + DAY)
    assert Standing.objects.get(record_id=lost).merged_into_id == twin
    assert not SharedMemory.objects.exists()
    with pytest.raises(CommunityGate) as refused:
        community.share(**own, record_id=twin, now=now + DAY)
    assert refused.value.fields["missing"] == ["community"]
    # Apart again, each answers for itself.
    duplicates.undo(**own, record_id=twin, now=now + 2 * DAY)
    assert community.share(**own, record_id=twin, now=now + 2 * DAY)[1]
    with pytest.raises(CommunityGate):
        community.share(**own, record_id=lost, now=now + 2 * DAY)
