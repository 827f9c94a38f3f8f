"""Merges that are taken elsewhere: an import follows them, in any batches (SPEC M9, U3)."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest

from memory.models import Agent, Standing
from memory.services import duplicates, imports
from memory.services.imports import LinesRefused
from memory.services.standings import Cause, moving_of, replayed
from tests.desk import Desk
from tests.memory.history import bring, elsewhere, move, whole
from tests.memory.test_merging import AGAIN, SAID, THIRD, insight

HOUR = timedelta(hours=1)


def merge(desk: Desk, *, now: datetime) -> int:
    return duplicates.merge(agent_id=desk.agent.id, by=Cause("test"), now=now).count


def survivors(agent: Agent) -> dict[str, UUID | None]:
    """Return text → what stands for it, after holding each standing against its ledger."""
    rows = Standing.objects.filter(agent=agent).select_related("record")
    for row in rows:
        assert replayed(agent.id, row.record_id) == moving_of(row)
    return {row.record.content: row.merged_into_id for row in rows}


@pytest.mark.spec("M9", "U3")
@pytest.mark.parametrize("lines", [1, 2, 500])
def test_an_import_follows_merges_that_were_pointed_on_and_undone(
    empty: Agent, now: datetime, monkeypatch: pytest.MonkeyPatch, lines: int
) -> None:
    monkeypatch.setattr(imports, "BATCH_LINES", lines)
    told: list[bytes] = []
    ids: list[UUID] = []

    def build(desk: Desk) -> None:
        ids.append(insight(desk, now=now - 9 * HOUR))
        ids.append(insight(desk, AGAIN, now=now - 8 * HOUR))
        assert merge(desk, now=now - 7 * HOUR) == 1
        told.append(whole(desk.agent))
        ids.append(insight(desk, THIRD, now=now - 6 * HOUR, validated_count=5))
        assert merge(desk, now=now - 5 * HOUR) == 1
        told.append(whole(desk.agent))
        duplicates.undo(
            agent_id=desk.agent.id, record_id=ids[2], by=Cause("test"), now=now - 4 * HOUR
        )
        told.append(whole(desk.agent))

    elsewhere(build, now=now)
    a, b, c = ids
    stages = [
        {SAID: None, AGAIN: a},
        {SAID: c, AGAIN: c, THIRD: None},
        {SAID: None, AGAIN: a, THIRD: None},
    ]
    assert b not in {into for stage in stages for into in stage.values()}
    for data, stage in zip(told, stages, strict=True):
        bring(empty, data, now=now)
        assert survivors(empty) == stage


@pytest.mark.spec("M9", "U3")
def test_a_history_that_would_make_a_chain_with_what_happened_here_is_refused(
    empty: Agent, now: datetime
) -> None:
    told: list[bytes] = []
    ids: list[UUID] = []

    def build(desk: Desk) -> None:
        ids.append(insight(desk, now=now - 9 * HOUR))
        ids.append(insight(desk, AGAIN, now=now - 8 * HOUR))
        ids.append(insight(desk, "another thing", now=now - 8 * HOUR))
        told.append(whole(desk.agent))
        assert merge(desk, now=now - 7 * HOUR) == 1
        told.append(whole(desk.agent))

    elsewhere(build, now=now)
    bring(empty, told[0], now=now)
    here = Desk(user=empty.owner, agent=empty)
    move(here, ids[0], now=now, merged_into=ids[2])
    with pytest.raises(LinesRefused, match="standing_merged_once"):
        bring(empty, told[1], now=now)
    assert survivors(empty) == {SAID: ids[2], AGAIN: None, "another thing": None}
