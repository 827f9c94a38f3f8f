"""Actions ask with a count, go through the services, and can be repeated without harm."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db.models import Model
from django.test import Client

from memory.models import Producer, ProducerEnablement, Selection, Token
from memory.services import setup, tokens
from tests.desk import Desk
from tests.memory.admin.conftest import client_of, page


def ask(client: Client, rows: Sequence[Model], action: str, **more: str) -> str:
    """Choose an action for rows, as the list's form does; return the page that follows."""
    body = {"action": action, "_selected_action": [str(row.pk) for row in rows], **more}
    response = client.post(page(type(rows[0])), body, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def confirm(client: Client, rows: Sequence[Model], action: str, **more: str) -> str:
    """Do an action, as the page that asks does."""
    return ask(client, rows, action, confirmed="yes", **more)


@pytest.mark.spec("O5")
def test_nothing_happens_before_the_count_is_confirmed(
    staff: Client, desk: Desk, now: datetime
) -> None:
    rows = list(desk.producers.values())
    setup.disable_producer(producer=rows[0], now=now - timedelta(days=1))
    html = ask(staff, rows, "disable")
    assert "You chose 4 producers. <strong>3</strong> of them would change" in html
    assert "Nothing is deleted" in html
    assert ProducerEnablement.objects.filter(disabled_at=None).count() == 3
    assert "nothing to do" in ask(staff, rows[:1], "disable")


@pytest.mark.spec("O5", "F3")
def test_producers_are_disabled_and_enabled_again(staff: Client, desk: Desk, now: datetime) -> None:
    rows = [desk.producers["analysis"], desk.producers["review"]]
    assert "2 producers disabled." in confirm(staff, rows, "disable")
    closed = ProducerEnablement.objects.filter(producer__in=rows)
    assert {row.disabled_at for row in closed} == {now}
    assert "0 producers disabled." in confirm(staff, rows, "disable")
    assert "2 producers enabled." in confirm(staff, rows, "enable")
    assert "0 producers enabled." in confirm(staff, rows, "enable")
    assert closed.filter(disabled_at=None, enabled_at=now).count() == 2
    assert LogEntry.objects.filter(object_id=str(rows[0].pk)).count() == 2


@pytest.mark.spec("O5", "X2")
def test_a_revoked_token_is_refused_from_then_on(staff: Client, desk: Desk, now: datetime) -> None:
    client = desk.client("analysis")
    assert client.get(desk.path("memories/")).status_code == 200
    token = Token.objects.get(producer=desk.producers["analysis"])
    assert "<strong>1</strong>" in ask(staff, [token], "revoke")
    assert "1 token revoked." in confirm(staff, [token], "revoke")
    assert client.get(desk.path("memories/")).status_code == 401
    assert "0 tokens revoked." in confirm(staff, [token], "revoke")
    token.refresh_from_db()
    assert token.revoked_at == now


@pytest.mark.spec("O5", "R3")
def test_selections_are_ended_and_stay_as_history(staff: Client, desk: Desk, now: datetime) -> None:
    written = desk.write(now=now, instruments=["ETH"])
    selection = Selection.objects.get(agent=desk.agent, instrument_id="ETH")
    assert "1 selection ended." in confirm(staff, [selection], "deselect")
    selection.refresh_from_db()
    assert selection.deselected_at == now
    kept = desk.client().get(desk.path(f"memories/{written.id}/")).json()
    assert kept["instruments"] == ["ETH"]


@pytest.mark.spec("O5")
def test_a_whole_filtered_list_can_be_chosen(staff: Client, desk: Desk, other: Desk) -> None:
    spare = [tokens.issue_token(producer=desk.producers["review"], now=desk.agent.created_at)[0]]
    path = f"{page(Token)}?agent__id__exact={desk.agent.id}"
    body = {"action": "revoke", "select_across": "1", "_selected_action": [str(spare[0].pk)]}
    html = staff.post(path, body).content.decode()
    assert "You chose 5 tokens. <strong>5</strong> of them" in html
    assert 'name="select_across" value="1"' in html
    assert staff.post(path, body | {"confirmed": "yes"}).status_code == 302
    assert not Token.objects.filter(agent=desk.agent, revoked_at=None).exists()
    assert not Token.objects.filter(agent=other.agent, revoked_at__isnull=False).exists()


@pytest.mark.parametrize(
    ("model", "action"),
    [(Producer, "disable"), (Producer, "enable"), (Selection, "deselect"), (Token, "revoke")],
)
@pytest.mark.spec("O5")
def test_who_may_only_look_cannot_post_an_action(
    desk: Desk, model: type[Model], action: str
) -> None:
    looker = User.objects.create_user("looker", is_staff=True)
    name = model._meta.model_name  # noqa: SLF001 - public
    looker.user_permissions.add(Permission.objects.get(codename=f"view_{name}"))
    rows = list(model._default_manager.order_by("pk"))  # noqa: SLF001 - public
    before = list(model._default_manager.order_by("pk").values())  # noqa: SLF001 - public
    intervals = list(ProducerEnablement.objects.values_list("enabled_at", "disabled_at"))
    confirm(client_of(looker), rows, action)
    assert list(model._default_manager.order_by("pk").values()) == before  # noqa: SLF001 - public
    assert list(ProducerEnablement.objects.values_list("enabled_at", "disabled_at")) == intervals
    assert desk.agent.producers.count() == 4
