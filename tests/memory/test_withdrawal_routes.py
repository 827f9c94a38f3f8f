"""An owner withdraws and restores records over REST, each with a reason (SPEC R15)."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from memory.ids import id_at
from memory.models import RecordChange
from tests.desk import Desk

MINUTE = timedelta(minutes=1)

pytestmark = [pytest.mark.spec("R15", "E6")]


@pytest.fixture
def owner(desk: Desk) -> APIClient:
    return desk.browser()


def post(
    client: APIClient, desk: Desk, memory: Any, verb: str, reason: Any = "the feed was down"
) -> Any:
    return client.post(desk.path(f"memories/{memory}/{verb}/"), {"reason": reason}, format="json")


def test_an_owner_withdraws_a_record_and_restores_it(
    desk: Desk, owner: APIClient, now: datetime
) -> None:
    written = desk.write(now=now)
    done = post(owner, desk, written.id, "withdraw")
    assert (done.status_code, done.json()["status"]) == (200, "withdrawn")
    (listed,) = owner.get(desk.path("memories/")).json()["results"]
    assert (listed["status"], "content" in listed) == ("withdrawn", False)
    again = post(owner, desk, written.id, "withdraw")
    assert (again.status_code, again.json()["code"]) == (409, "already_withdrawn")
    with time_machine.travel(now + MINUTE, tick=False):
        back = post(owner, desk, written.id, "restore", "it was up after all")
        assert (back.status_code, back.json()["status"]) == (200, "fresh")
        again = post(owner, desk, written.id, "restore")
    assert (again.status_code, again.json()["code"]) == (409, "not_withdrawn")
    lines = RecordChange.objects.filter(record_id=written.id).order_by("number")
    assert [(line.event, line.reason, line.cause_kind, line.cause_id) for line in lines] == [
        ("withdrawn", "the feed was down", "user", str(desk.user.pk)),
        ("restored", "it was up after all", "user", str(desk.user.pk)),
    ]


@pytest.mark.parametrize("reason", ["", "  ", None, 5, "x" * 501, "a\x00b", ["why"]])
def test_without_a_proper_reason_nothing_is_done(
    desk: Desk, owner: APIClient, now: datetime, reason: Any
) -> None:
    written = desk.write(now=now)
    refused = post(owner, desk, written.id, "withdraw", reason)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["reason"])
    assert not RecordChange.objects.exists()


def test_a_token_does_neither_and_staff_do_both(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now)
    for role in desk.tokens:
        refused = post(desk.client(role), desk, written.id, "withdraw")
        assert (refused.status_code, refused.json()["code"]) == (403, "not_this_role")
    chief = APIClient()
    user = User.objects.create_user(username="chief", is_staff=True)
    chief.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    assert post(chief, desk, written.id, "withdraw").status_code == 200
    with time_machine.travel(now + MINUTE, tick=False):
        assert post(chief, desk, written.id, "restore").status_code == 200


def test_a_record_that_is_not_there_is_a_404(desk: Desk, owner: APIClient, now: datetime) -> None:
    for verb in ("withdraw", "restore"):
        assert post(owner, desk, id_at(now), verb).status_code == 404
