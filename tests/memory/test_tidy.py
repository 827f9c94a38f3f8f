"""What grows with use goes by its age, in batches (SPEC J1, J5)."""

from datetime import datetime, timedelta
from importlib import import_module
from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session

from memory.models import IdempotencyKey, Record
from memory.services import tidy
from tests.desk import Desk
from tests.memory.test_idempotency import send

DAY = timedelta(days=1)


@pytest.mark.spec("R13", "J5")
@pytest.mark.parametrize("batch", [1, 2, 9])
def test_old_keys_go_the_oldest_first_and_so_many_as_were_asked_for(
    desk: Desk, now: datetime, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tidy, "BATCH", batch)
    record = Record.objects.get(id=send(desk, None).json()["id"])
    for days in range(6):
        IdempotencyKey.objects.create(
            agent=desk.agent,
            producer=desk.producers["analysis"],
            key=uuid4(),
            body_sha256=b"x" * 32,
            record=record,
            created_at=now - days * DAY,
        )
    before = now - DAY
    assert tidy.forget_keys(before=before, most=3) == 3
    ages = [(now - one.created_at).days for one in IdempotencyKey.objects.order_by("-created_at")]
    assert ages == [0, 1, 2]
    assert tidy.forget_keys(before=before, most=3) == 1
    assert tidy.forget_keys(before=before, most=3) == 0
    assert IdempotencyKey.objects.count() == 2
    assert Record.objects.count() == 1


@pytest.mark.spec("J5")
def test_logins_that_are_over_go_and_others_stay(db: None, now: datetime) -> None:
    del db
    store = import_module(settings.SESSION_ENGINE).SessionStore
    for seconds in (-1, 1):
        session = store()
        session.set_expiry(now + timedelta(seconds=seconds))
        session.create()
    assert tidy.forget_logins(now=now) == 1
    assert Session.objects.get().expire_date == now + timedelta(seconds=1)
