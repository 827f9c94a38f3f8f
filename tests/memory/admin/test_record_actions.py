"""Staff withdraw, restore and erase records, and say why (SPEC R15, R17, O5)."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
import time_machine
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client

from memory.models import Record, RecordChange, Withdrawal
from tests.desk import Desk
from tests.memory.admin.conftest import client_of, page
from tests.memory.admin.test_actions import ask, confirm
from tests.strategies import remember

WHY = "the feed was wrong"


def row(record_id: UUID) -> Record:
    return Record.objects.get(id=record_id)


@pytest.mark.spec("R15", "O5")
def test_records_are_withdrawn_and_restored_with_a_reason(
    staff: Client, desk: Desk, now: datetime
) -> None:
    rows = [row(desk.write(now=now - timedelta(minutes=1)).id) for _ in range(2)]
    desk.withdraw(rows[0].id, now=now - timedelta(minutes=1))
    html = ask(staff, rows, "withdraw")
    assert "<strong>1</strong> of them would change" in html
    assert 'name="reason"' in html
    assert "1 record withdrawn." in confirm(staff, rows, "withdraw", reason=f" {WHY} ")
    line = RecordChange.objects.get(record_id=rows[1].id)
    chief = User.objects.get(username="chief")
    assert (line.event, line.reason, line.at) == ("withdrawn", WHY, now)
    assert (line.cause_kind, line.cause_id) == ("user", str(chief.pk))
    assert "0 records withdrawn." in confirm(staff, rows, "withdraw", reason=WHY)
    shown = staff.get(page(rows[1], "change")).content.decode()
    assert f"<td>{WHY}</td>" in shown
    assert f"<td>user {chief.pk}</td>" in shown
    listed = staff.get(f"{page(Record)}?content=withdrawn").content.decode()
    assert "2 records" in listed
    assert "2 records restored." in confirm(staff, rows, "restore", reason="it was right")
    assert "0 records restored." in confirm(staff, [rows[1]], "restore", reason="it was right")
    assert not Withdrawal.objects.filter(restored_at=None).exists()
    # By a clock that has gone back since.
    with time_machine.travel(now - timedelta(seconds=30), tick=False):
        assert "2 records withdrawn." in confirm(staff, rows, "withdraw", reason=WHY)


@pytest.mark.spec("R17", "O5")
def test_records_are_erased_with_a_reason_and_strategy_memory_is_left_alone(
    staff: Client, desk: Desk, now: datetime
) -> None:
    rows = [row(desk.write(now=now, content="a secret").id), row(remember(desk, now=now))]
    html = ask(staff, rows, "erase")
    assert "You chose 2 records. <strong>1</strong> of them would change" in html
    assert "cannot be undone" in html
    assert "1 record erased." in confirm(staff, rows, "erase", reason=WHY)
    rows[0].refresh_from_db()
    assert (rows[0].content, rows[0].purged_at) == ("", now)
    assert RecordChange.objects.get().reason == WHY
    assert row(rows[1].id).purged_at is None
    assert "0 records erased." in confirm(staff, rows, "erase", reason=WHY)
    assert LogEntry.objects.filter(object_id=str(rows[0].pk)).count() == 1


@pytest.mark.spec("R15", "R17")
@pytest.mark.parametrize("action", ["withdraw", "restore", "erase"])
@pytest.mark.parametrize("reason", ["", "   ", "x" * 501, "no\x00thing"])
def test_without_a_reason_nothing_happens_and_the_page_asks_again(
    staff: Client, desk: Desk, now: datetime, action: str, reason: str
) -> None:
    written = desk.write(now=now)
    if action == "restore":
        desk.withdraw(written.id, now=now - timedelta(minutes=1))
    before = RecordChange.objects.count()
    html = confirm(staff, [row(written.id)], action, reason=reason)
    assert 'class="error"' in html
    assert 'name="reason"' in html
    assert RecordChange.objects.count() == before


@pytest.mark.spec("X3", "R15")
def test_what_a_reason_says_is_escaped(staff: Client, desk: Desk, now: datetime) -> None:
    attack = '"><script>alert(1)</script>'
    written = desk.write(now=now)
    html = confirm(staff, [row(written.id)], "withdraw", reason=attack + "x" * 500)
    assert "<script>alert" not in html
    confirm(staff, [row(written.id)], "withdraw", reason=attack)
    assert RecordChange.objects.get().reason == attack
    assert "<script>alert" not in staff.get(page(row(written.id), "change")).content.decode()


@pytest.mark.spec("O5", "R17", "X1")
@pytest.mark.parametrize("action", ["withdraw", "restore", "erase"])
def test_who_may_only_look_changes_nothing(desk: Desk, now: datetime, action: str) -> None:
    looker = User.objects.create_user("looker", is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_record"))
    written = desk.write(now=now)
    desk.withdraw(desk.write(now=now).id, now=now - timedelta(minutes=1))
    for client in (client_of(looker), client_of(desk.user)):
        client.post(
            page(Record),
            {
                "action": action,
                "_selected_action": [str(one.pk) for one in Record.objects.all()],
                "confirmed": "yes",
                "reason": WHY,
            },
        )
    assert RecordChange.objects.count() == 1
    assert row(written.id).purged_at is None
