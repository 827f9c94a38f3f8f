"""The database refuses a false ledger and a false head, whoever writes (SPEC C6, R15, R17)."""

from datetime import datetime, timedelta
from importlib import import_module
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from memory.ids import new_id
from memory.models import CorrectionHead
from memory.schemas.answers import WrittenRecordOut
from tests.desk import Desk
from tests.memory.test_integrity import refused_by

MINUTE = timedelta(minutes=1)
BACKFILL: str = import_module("memory.migrations.0008_corrections").BACKFILL
WITHDRAW = """INSERT INTO memory_withdrawal (agent_id, record_id, withdrawn_at, restored_at)
              VALUES (%(agent)s, %(record)s, %(since)s, %(until)s)"""
TELL = """INSERT INTO memory_record_change
            (agent_id, record_id, number, event, reason, cause_kind, cause_id, at)
          VALUES (%(agent)s, %(record)s, %(number)s, %(event)s, %(reason)s, %(cause)s, '',
            %(at)s)"""


@pytest.fixture
def record(desk: Desk, now: datetime) -> WrittenRecordOut:
    return desk.write(now=now, instruments=["ETH"])


def values(desk: Desk, record: UUID, now: datetime, **more: Any) -> dict[str, Any]:
    """Return parameters of both statements that go together, but for `more`."""
    return {
        "agent": desk.agent.id,
        "record": record,
        "since": now,
        "until": None,
        "number": 1,
        "event": "withdrawn",
        "reason": "a test",
        "cause": "test",
        "at": now,
        **more,
    }


@pytest.mark.spec("R15")
def test_an_interval_and_its_ledger_line_come_together(
    desk: Desk, record: WrittenRecordOut, now: datetime
) -> None:
    row = values(desk, record.id, now)
    assert refused_by(WITHDRAW, row) == "withdrawal_in_ledger"
    assert refused_by(TELL, row) == "record_change_true"
    assert refused_by(f"{WITHDRAW}; {TELL}", {**row, "at": now + MINUTE}) is not None
    assert refused_by(f"{TELL}; {WITHDRAW}", row) is None


@pytest.mark.spec("R15")
def test_a_restoring_is_told_as_well(desk: Desk, record: WrittenRecordOut, now: datetime) -> None:
    desk.withdraw(record.id, now=now)
    later = now + MINUTE
    row = values(desk, record.id, now, number=2, event="restored", at=later)
    end = """UPDATE memory_withdrawal SET restored_at = %(at)s WHERE record_id = %(record)s"""
    assert refused_by(end, row) == "withdrawal_in_ledger"
    assert refused_by(TELL, row) == "record_change_true"
    assert refused_by(f"{end}; {TELL}", row) is None


@pytest.mark.spec("R15")
@pytest.mark.parametrize(
    ("interval", "constraint"),
    [
        ((9, None), "withdrawal_follows"),
        ((0, 5), "withdrawal_follows"),
        ((4, 6), "withdrawal_follows"),
        ((3, 20), "withdrawal_follows"),
        ((20, 20), "withdrawal_period_forward"),
        ((20, 19), "withdrawal_period_forward"),
        ((11, None), None),
        ((11, 12), None),
        # The ledger tells of them one after the other.
        ((10, None), "record_change_forward"),
        ((0, 2), "record_change_forward"),
    ],
)
def test_withdrawals_of_a_record_do_not_overlap(
    desk: Desk,
    record: WrittenRecordOut,
    now: datetime,
    interval: tuple[int, int | None],
    constraint: str | None,
) -> None:
    since, until = interval
    desk.withdraw(record.id, now=now + 2 * MINUTE)
    desk.restore(record.id, now=now + 10 * MINUTE)
    begin = now + since * MINUTE
    end = None if until is None else now + until * MINUTE
    row = values(desk, record.id, now, since=begin, until=end, number=3, at=begin)
    told = f"{WITHDRAW}; {TELL}"
    if end is not None:
        row |= {"number_2": 4, "event_2": "restored"}
        second = TELL.replace("%(number)s", "%(number_2)s").replace("%(event)s", "%(event_2)s")
        told += f"; {second.replace('%(at)s', '%(until)s')}"
    assert refused_by(told, row) == constraint


@pytest.mark.spec("R15")
def test_one_withdrawal_is_open_and_none_is_changed_or_deleted(
    desk: Desk, record: WrittenRecordOut, now: datetime
) -> None:
    desk.withdraw(record.id, now=now)
    row = values(desk, record.id, now, since=now + MINUTE)
    assert refused_by(WITHDRAW, row) == "withdrawal_open_once"
    for change in (
        "UPDATE memory_withdrawal SET withdrawn_at = withdrawn_at - interval '1 hour'",
        "UPDATE memory_withdrawal SET restored_at = NULL",
        "DELETE FROM memory_withdrawal",
    ):
        assert refused_by(change, {}) == "withdrawal_immutable"
    desk.restore(record.id, now=now + MINUTE)
    again = "UPDATE memory_withdrawal SET restored_at = restored_at + interval '1 hour'"
    assert refused_by(again, {}) == "withdrawal_immutable"


@pytest.mark.spec("R15", "R17")
@pytest.mark.parametrize(
    ("columns", "constraint"),
    [
        ({"number": 0}, "record_change_counts_from_one"),
        ({"number": 3}, "record_change_follows"),
        ({"event": "forgotten"}, "record_change_event_known"),
        ({"reason": ""}, "record_change_says_why"),
        ({"cause": ""}, "record_change_says_why"),
        ({"event": "erased"}, "record_change_true"),
        ({"event": "restored"}, "record_change_true"),
    ],
)
def test_a_line_that_breaks_a_rule_is_refused(
    desk: Desk,
    record: WrittenRecordOut,
    now: datetime,
    columns: dict[str, Any],
    constraint: str,
) -> None:
    assert refused_by(TELL, values(desk, record.id, now, **columns)) == constraint


@pytest.mark.spec("R17")
def test_a_ledger_never_changes_and_an_erasure_is_its_last_line(
    desk: Desk, record: WrittenRecordOut, now: datetime
) -> None:
    desk.erase(record.id, now=now)
    for change in (
        "UPDATE memory_record_change SET reason = 'another'",
        "DELETE FROM memory_record_change",
    ):
        assert refused_by(change, {}) == "record_change_immutable"
    later = now + MINUTE
    row = values(desk, record.id, now, number=2, since=later, at=later)
    assert refused_by(f"{WITHDRAW}; {TELL}", row) == "record_change_follows"


@pytest.mark.spec("R15", "X1")
def test_changes_are_of_records_of_the_same_agent(
    desk: Desk, other: Desk, record: WrittenRecordOut, now: datetime
) -> None:
    theirs = other.write(now=now)
    for wrong in (theirs.id, new_id()):
        row = values(desk, wrong, now)
        refusal = refused_by(f"{WITHDRAW}; {TELL}", row)
        assert refusal in {"withdrawal_record_fk", "record_change_record_fk"}
    head = "UPDATE memory_correction_head SET record_id = %(theirs)s WHERE agent_id = %(agent)s"
    desk.correct(record.id, now=now)
    row = {"theirs": theirs.id, "agent": desk.agent.id}
    assert refused_by(head, row) == "correction_head_record_fk"


@pytest.mark.spec("C6")
def test_a_set_of_originals_is_named_by_a_sha256(
    desk: Desk, record: WrittenRecordOut, now: datetime
) -> None:
    desk.correct(record.id, now=now)
    short = "UPDATE memory_correction_head SET originals_hash = '\\x00'"
    assert refused_by(short, {}) == "correction_head_originals_is_sha256"


@pytest.mark.spec("U7", "C6", "C14")
def test_the_migration_makes_the_heads_that_the_writes_had_made(
    desk: Desk, other: Desk, now: datetime
) -> None:
    for one in (desk, other):
        research = [
            one.write(now=now, type=f"t{i}", instruments=["ETH"] if i else []).id for i in range(3)
        ]
        decision = one.write("trading", now=now, type="trading_decision").id
        made = []
        for i, at in enumerate((5, 3, 9, 9, 1, 7, 2)):
            originals = {*research[: 1 + i % 3], *([decision] if i == 4 else [])}
            about: list[str] = [[], ["ETH"], ["BTC", "ETH"]][i % 3 if i < 5 else 2]
            made.append(one.correct(*originals, now=now + at * MINUTE, instruments=about).id)
        one.correct(made[-1], now=now)
        one.correct(research[0], role="trading", now=now, type="trading_decision")
        one.erase(made[3], now=now)
        one.erase(made[0], now=now)
    assert CorrectionHead.objects.count() > 10
    with connection.cursor() as cursor:
        before = texts(cursor)
        assert any("-infinity" in row for row in before)
        cursor.execute("DELETE FROM memory_correction_head")
        cursor.execute(BACKFILL)
        assert texts(cursor) == before


def texts(cursor: Any) -> list[tuple[str, ...]]:
    """Return all heads of corrections as text."""
    cursor.execute(
        "SELECT agent_id::text, instrument_id, producer_id::text, encode(originals_hash, 'hex'),"
        " record_id::text, created_at::text, stale_after::text"
        " FROM memory_correction_head ORDER BY 1, 2, 3, 4"
    )
    rows: list[tuple[str, ...]] = cursor.fetchall()
    return rows
