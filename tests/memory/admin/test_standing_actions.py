"""Staff deprecate rules and restore what has ended, and say why (SPEC O5)."""

import re
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client

from memory.models import Standing, StandingChange
from tests.desk import Desk
from tests.memory.admin.conftest import client_of, page
from tests.memory.admin.test_actions import ask, confirm
from tests.strategies import end, merge, remember

WHY = "it held on one market alone"
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def standings(*ids: UUID) -> list[Standing]:
    return list(Standing.objects.filter(record_id__in=ids).order_by("record_id"))


@pytest.mark.spec("O5", "M5")
def test_rules_are_deprecated_and_restored_with_a_reason(
    staff: Client, desk: Desk, now: datetime
) -> None:
    rule = remember(desk, now=now - DAY, type="rule")
    insight = remember(desk, now=now - DAY, outcome="success")
    rows = standings(rule, insight)
    html = ask(staff, rows, "deprecate")
    assert "You chose 2 standings. <strong>1</strong> of them would change" in html
    assert 'name="reason"' in html
    assert "1 standing deprecated." in confirm(staff, rows, "deprecate", reason=f" {WHY} ")
    line = StandingChange.objects.filter(record_id=rule).latest("revision")
    chief = User.objects.get(username="chief")
    assert (line.event, line.at, line.detail) == ("deprecated", now, {"reason": WHY})
    assert (line.cause_kind, line.cause_id) == ("user", str(chief.pk))
    shown = staff.get(page(standings(rule)[0], "change")).content.decode()
    assert f"<td>{WHY}</td><td>user {chief.pk}</td>" in shown
    assert "0 standings deprecated." in confirm(staff, rows, "deprecate", reason=WHY)
    assert "1 standing restored." in confirm(staff, rows, "restore", reason="it was right")
    assert standings(rule)[0].expires_at is None
    assert "0 standings restored." in confirm(staff, rows, "restore", reason=WHY)
    assert LogEntry.objects.filter(object_id=str(rule)).count() == 2


@pytest.mark.spec("O5", "M9")
def test_what_is_merged_or_lives_is_left_alone(staff: Client, desk: Desk, now: datetime) -> None:
    merged, survivor = (remember(desk, now=now - DAY, type="rule") for _ in range(2))
    over = remember(desk, now=now - DAY)
    merge(merged, survivor, now=now)
    end(over, now=now)
    rows = standings(merged, survivor, over)
    assert "<strong>1</strong> of them would change" in ask(staff, rows, "restore")
    assert "<strong>1</strong> of them would change" in ask(staff, rows, "deprecate")
    confirm(staff, rows, "restore", reason=WHY)
    assert standings(over)[0].expires_at == now + 30 * DAY


@pytest.mark.spec("O5")
@pytest.mark.parametrize("action", ["deprecate", "restore"])
@pytest.mark.parametrize("reason", ["", "   ", "x" * 501, "no\x00thing"])
def test_without_a_reason_nothing_happens_and_the_page_asks_again(
    staff: Client, desk: Desk, now: datetime, action: str, reason: str
) -> None:
    rule = remember(desk, now=now - DAY, type="rule")
    if action == "restore":
        end(rule, now=now)
    before = StandingChange.objects.count()
    html = confirm(staff, standings(rule), action, reason=reason)
    assert 'class="error"' in html
    assert 'name="reason"' in html
    assert StandingChange.objects.count() == before


@pytest.mark.spec("O5", "X3")
def test_what_a_reason_says_is_escaped(staff: Client, desk: Desk, now: datetime) -> None:
    attack = '"><script>alert(1)</script>'
    rule = remember(desk, now=now - DAY, type="rule")
    confirm(staff, standings(rule), "deprecate", reason=attack)
    assert "<script>alert" not in staff.get(page(standings(rule)[0], "change")).content.decode()


@pytest.mark.spec("O5", "X1")
@pytest.mark.parametrize("action", ["deprecate", "restore"])
def test_who_may_only_look_changes_nothing(desk: Desk, now: datetime, action: str) -> None:
    looker = User.objects.create_user("looker", is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_standing"))
    live, over = (remember(desk, now=now - DAY, type="rule") for _ in range(2))
    end(over, now=now)
    before = StandingChange.objects.count()
    for client in (client_of(looker), client_of(desk.user)):
        client.post(
            page(Standing),
            {
                "action": action,
                "_selected_action": [str(live), str(over)],
                "confirmed": "yes",
                "reason": WHY,
            },
        )
    assert StandingChange.objects.count() == before


@pytest.mark.spec("O5")
def test_the_list_tells_what_lives_and_what_ended_the_rest_by_the_date_that_is_shown(
    staff: Client, desk: Desk, now: datetime
) -> None:
    ages = (3 * HOUR, 2 * HOUR, HOUR)
    rule, gone, survivor = (remember(desk, now=now - DAY - age, type="rule") for age in ages)
    over, merged = (remember(desk, now=now - 2 * DAY - age) for age in ages[1:])
    end(gone, now=now - HOUR)
    end(over, now=now - HOUR)
    merge(merged, survivor, now=now)
    fresh = remember(desk, now=now - 3 * DAY)
    rows = staff.get(page(Standing)).context["cl"].result_list
    assert [row.record_id for row in rows] == [survivor, gone, rule, merged, over, fresh]
    html = staff.get(page(Standing)).content.decode()
    told = re.findall(r"field-life[^>]*>([a-z]+)( until)? ?(2026-[0-9: -]+)?<", html)
    ended = f"{now - HOUR:%Y-%m-%d}"
    until = f"{now + 27 * DAY:%Y-%m-%d}"
    assert told == [
        ("live", "", ""),
        ("deprecated", "", ended),
        ("live", "", ""),
        ("merged", "", ""),
        ("expired", "", ended),
        ("live", " until", until),
    ]
