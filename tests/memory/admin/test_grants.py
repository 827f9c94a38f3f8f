"""The admin's pages of grants: made and revoked through the service (SPEC O5, M10)."""

from datetime import datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory.models import Grant
from tests.copies import let_read
from tests.desk import Desk, make_desk
from tests.memory.admin.conftest import page
from tests.memory.admin.test_actions import confirm


@pytest.fixture
def second(desk: Desk, now: datetime) -> Desk:
    """Return another agent of the first desk's user."""
    return make_desk("second", now=now, user=desk.user)


@pytest.mark.spec("O5", "M10")
def test_staff_let_an_agent_read_another_of_its_owner_and_of_nobody_else(
    staff: Client, desk: Desk, second: Desk, other: Desk, now: datetime
) -> None:
    body = {"reader": desk.agent.pk, "source": second.agent.pk}
    assert staff.post(page(Grant, "add"), body).status_code == 302
    given = Grant.objects.get()
    assert (given.reader, given.source, given.granted_at) == (desk.agent, second.agent, now)
    assert given.granted_by == User.objects.get(username="chief")
    # One that is open stays as it is.
    assert staff.post(page(Grant, "add"), body).status_code == 302
    assert Grant.objects.get() == given
    refusals = {other.agent: "is of another owner than ours", desk.agent: "the reader itself"}
    for source, said in refusals.items():
        refused = staff.post(page(Grant, "add"), body | {"source": source.pk})
        assert said in refused.context["adminform"].errors["source"][0]
        # What was chosen is still there.
        assert f'<option value="{source.pk}" selected>' in refused.content.decode()
        assert Grant.objects.get() == given


@pytest.mark.spec("O5", "M10")
def test_the_page_that_grants_says_what_it_does_and_names_who_reads_whom(
    staff: Client, desk: Desk, second: Desk
) -> None:
    assert "Another agent of the same owner" in staff.get(page(Grant, "add")).content.decode()
    body = {"reader": desk.agent.pk, "source": second.agent.pk}
    done = staff.post(page(Grant, "add"), body, follow=True).content.decode()
    assert "ours reads second" in done


@pytest.mark.spec("O5", "M10")
def test_an_agents_page_leads_to_what_it_may_read(
    staff: Client, desk: Desk, second: Desk, now: datetime
) -> None:
    row = page(let_read(desk, second, now=now), "change")
    for agent, is_reader in ((desk.agent, True), (second.agent, False)):
        path = f"{page(Grant)}?reader__id__exact={agent.pk}"
        assert path in staff.get(page(agent, "change")).content.decode()
        assert (row in staff.get(path).content.decode()) == is_reader


@pytest.mark.spec("O5", "M10")
def test_staff_revoke_grants_which_stay_as_history(
    staff: Client, desk: Desk, second: Desk, now: datetime
) -> None:
    given = let_read(desk, second, now=now)
    assert "1 grant revoked." in confirm(staff, [given], "revoke")
    given.refresh_from_db()
    assert (given.revoked_at, given.revoked_by) == (now, User.objects.get(username="chief"))
    assert "0 grants revoked." in confirm(staff, [given], "revoke")
    assert staff.post(page(given, "delete"), {"post": "yes"}).status_code == 403
