"""Staff look at what says the same, merge what they confirm, and undo it (SPEC M9, O5)."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from memory.admin.duplicates import shown_of
from memory.models import Standing, StandingChange
from memory.services import duplicates
from tests.desk import Desk
from tests.memory.admin.conftest import client_of, page
from tests.memory.test_merging import AGAIN, OTHER, SAID, insight
from tests.strategies import forget

MERGE = "/admin/memory/standing/merge/"


@pytest.fixture
def alike(desk: Desk, now: datetime) -> list[UUID]:
    then = now - timedelta(days=1)
    told = (SAID, AGAIN, f"{OTHER} <script>\u202e")
    return [insight(desk, text, now=then + n * timedelta(minutes=1)) for n, text in enumerate(told)]


def survivors() -> list[UUID | None]:
    return list(Standing.objects.order_by("record_id").values_list("merged_into_id", flat=True))


def undo(record_id: UUID) -> str:
    return reverse("admin:memory_standing_unmerge", args=[record_id])


@pytest.mark.spec("M9", "O5")
def test_a_person_sees_groups_side_by_side_merges_them_and_undoes_it(
    staff: Client, desk: Desk, alike: list[UUID]
) -> None:
    one, two, other = alike
    assert MERGE in staff.get(page(Standing)).content.decode()
    where = f"{MERGE}?agent={desk.agent.id}"
    html = staff.get(where).content.decode()
    assert "would stand for the others" in html
    assert "alike: the same facts in other words" in html
    assert "kept apart by a number, or what bounds it" in html
    assert "&lt;script&gt;⟦U+202E⟧" in html
    assert f'value="{one},{two}"' in html
    assert survivors() == [None, None, None]
    done = staff.post(where, {"group": f"{one},{two}"}, follow=True).content.decode()
    assert "1 merged into 1." in done
    assert "Nothing says the same." in done
    assert survivors() == [None, one, None]
    line = StandingChange.objects.get(record_id=one, event="absorbed")
    assert (line.cause_kind, line.cause_id) == ("user", str(User.objects.get(username="chief").pk))
    shown = staff.get(page(Standing.objects.get(record_id=one), "change")).content.decode()
    assert "Undo the last merge" in shown
    assert str(two) in shown
    assert "1 stand for themselves again." in staff.post(undo(one), follow=True).content.decode()
    assert survivors() == [None, None, None]
    assert "kept apart by an undo" in staff.get(where).content.decode()
    assert f'value="{one},{two}"' not in staff.get(where).content.decode()
    assert f'value="{one},{two}"' in staff.get(f"{where}&again=true").content.decode()
    assert "o merge into this memory is left" in staff.post(undo(one), follow=True).content.decode()
    assert LogEntry.objects.filter(object_id=str(one)).count() == 2
    assert str(other) in html


@pytest.mark.spec("M9", "O5")
def test_a_group_that_has_changed_since_is_left_for_another_look(
    staff: Client, desk: Desk, alike: list[UUID]
) -> None:
    where = f"{MERGE}?agent={desk.agent.id}"
    for forged in (f"{alike[0]},{alike[2]}", str(alike[0]), "", "no id", f"{alike[0]},x"):
        html = staff.post(where, {"group": forged}, follow=True).content.decode()
        assert "0 merged into 0. 1 changed meanwhile: look again." in html
    assert survivors() == [None, None, None]


@pytest.mark.spec("O5", "X1")
@pytest.mark.parametrize("codename", ["view_standing", "change_standing"])
def test_only_who_may_change_standings_merges_and_undoes(
    desk: Desk, alike: list[UUID], codename: str
) -> None:
    person = User.objects.create_user("helper", is_staff=True)
    person.user_permissions.add(Permission.objects.get(codename="view_standing"))
    person.user_permissions.add(Permission.objects.get(codename=codename))
    client, may = client_of(person), codename == "change_standing"
    assert (MERGE in client.get(page(Standing)).content.decode()) is may
    where = f"{MERGE}?agent={desk.agent.id}"
    assert client.get(where).status_code == (200 if may else 403)
    posted = client.post(where, {"group": f"{alike[0]},{alike[1]}"})
    assert posted.status_code == (302 if may else 403)
    assert client.post(undo(alike[0])).status_code == (302 if may else 403)
    assert survivors() == [None, None, None]
    assert client.get(undo(alike[0])).status_code == (405 if may else 403)


@pytest.mark.spec("O5")
@pytest.mark.parametrize("agent", ["", "x", "01900000-0000-7000-8000-000000000000"])
def test_without_an_agent_the_page_asks_for_one(staff: Client, desk: Desk, agent: str) -> None:
    html = staff.get(f"{MERGE}?agent={agent}").content.decode()
    assert f'<option value="{desk.agent.id}"' in html
    assert "Merge the checked groups" not in html
    assert staff.post(f"{MERGE}?agent={agent}", {"group": "x"}).status_code == 200


@pytest.mark.spec("M9", "O5", "M3")
@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_page_leaves_out_what_was_deleted_since_it_was_looked_for_and_says_so(
    desk: Desk, alike: list[UUID], now: datetime, place: int
) -> None:
    plan = duplicates.preview(agent_id=desk.agent.id, now=now)
    whole = shown_of(plan)
    assert (len(whole["groups"]), len(whole["related"]) > 0, whole["gone"]) == (1, True, 0)
    forget(alike[place], now=now)
    told = shown_of(plan)
    assert (len(told["groups"]), told["gone"]) == (place == 2, 1)
    for one in (*told["groups"], *told["related"]):
        assert alike[place] not in {side.standing.pk for side in one.sides}
