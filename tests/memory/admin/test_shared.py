"""Staff see what is shared and by whom it was judged, share, and withdraw with a reason."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory.models import Agent, SharedMemory, Standing, StandingChange
from tests.community import figures, judged, let_share, proven, shared
from tests.desk import Desk
from tests.memory.admin.conftest import client_of, page
from tests.memory.admin.test_actions import ask, confirm
from tests.memory.admin.test_pages import opened


@pytest.fixture
def copy(desk: Desk, now: datetime) -> SharedMemory:
    let_share(desk.agent)
    record = proven(desk, "<b>volume</b> \u202efirst", now=now, tags=["volume"])
    return shared(desk, record, now=now)


@pytest.mark.spec("O5", "M8", "X3")
def test_a_copy_has_a_page_with_its_lines(
    staff: Client, copy: SharedMemory, other: Desk, now: datetime
) -> None:
    line = judged(copy.id, other, "confirms", now=now)
    html = opened(staff, page(copy, "change"))
    assert "&lt;b&gt;volume&lt;/b&gt; ⟦U+202E⟧first" in html
    assert str(copy.source_node_uuid) in html
    assert "confidence: 0.8000 → 0.9000" in html
    assert f"{other.agent.name}, " in html
    assert line.event in html
    assert "1 shared memory" in opened(staff, page(SharedMemory))
    assert "1 shared memory" in opened(staff, f"{page(SharedMemory)}?life=live")
    assert "0 shared memories" in opened(staff, f"{page(SharedMemory)}?life=over")
    assert staff.post(page(copy, "change"), {"confidence": "1"}).status_code == 403
    for kind in ("add", "delete"):
        row = SharedMemory if kind == "add" else copy
        assert staff.get(page(row, kind)).status_code == 403


@pytest.mark.spec("O5")
def test_the_list_costs_no_more_with_more_copies(
    staff: Client, copy: SharedMemory, desk: Desk, now: datetime
) -> None:
    del copy

    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            opened(staff, page(SharedMemory))
        return len(queries)

    cost()
    before = cost()
    for _ in range(3):
        shared(desk, proven(desk, now=now), now=now)
    assert cost() == before


@pytest.mark.spec("O5", "M8")
def test_staff_withdraw_a_copy_with_a_reason(
    staff: Client, copy: SharedMemory, now: datetime
) -> None:
    assert "You chose 1 shared memory." in ask(staff, [copy], "withdraw")
    assert "is needed" in confirm(staff, [copy], "withdraw")
    assert SharedMemory.objects.exists()
    assert "1 shared memory withdrawn." in confirm(staff, [copy], "withdraw", reason="a secret")
    assert not SharedMemory.objects.exists()
    line = StandingChange.objects.get(record_id=copy.source_id, event="unshared")
    assert (line.cause_kind, line.detail["reason"], line.at) == ("user", "a secret", now)
    assert Standing.objects.get(record_id=copy.source_id).visibility == "private"


@pytest.mark.spec("O5", "M8")
def test_staff_share_and_withdraw_from_the_list_of_standings(
    staff: Client, desk: Desk, now: datetime
) -> None:
    rows = [
        Standing.objects.get(record_id=proven(desk, now=now, metrics=metrics))
        for metrics in (figures(), figures(trades=(20, 9)))
    ]
    assert "does not share" in confirm(staff, rows, "share")
    let_share(desk.agent)
    html = confirm(staff, rows, "share")
    assert "1 standing shared." in html
    assert "it is short of: trades" in html
    assert [copy.source_id for copy in SharedMemory.objects.all()] == [rows[0].pk]
    assert "<strong>1</strong> of them" in ask(staff, rows, "share")
    assert "1 standing withdrawn." in confirm(staff, rows, "unshare", reason="not yet")
    assert not SharedMemory.objects.exists()


@pytest.mark.spec("O5", "M8", "E4")
def test_the_flag_is_on_the_agents_page(
    staff: Client, desk: Desk, now: datetime, grow: Callable[[int], None]
) -> None:
    del now, grow
    agent = Agent.objects.get(id=desk.agent.id)
    html = opened(staff, page(agent, "change"))
    assert str(agent.node_uuid) in html
    form = {"name": agent.name, "expiry_policy": agent.expiry_policy, "plan": agent.plan}
    for revision, sent in ((2, {"share_community_memories": "on"}), (3, {})):
        response = staff.post(page(agent, "change"), form | sent)
        assert response.status_code == 302
        agent.refresh_from_db()
        assert (agent.share_community_memories, agent.sharing_revision) == (bool(sent), revision)
    assert staff.post(page(agent, "change"), form).status_code == 302
    agent.refresh_from_db()
    assert agent.sharing_revision == 3
    added = form | {"name": "another", "owner": str(desk.user.pk), "share_community_memories": "on"}
    assert staff.post(page(Agent, "add"), added).status_code == 302
    assert Agent.objects.get(name="another").share_community_memories


@pytest.mark.spec("O5", "M8")
def test_who_may_only_look_withdraws_nothing(copy: SharedMemory) -> None:
    looker = User.objects.create_user("looker", is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_sharedmemory"))
    confirm(client_of(looker), [copy], "withdraw", reason="because")
    assert SharedMemory.objects.filter(id=copy.id).exists()
