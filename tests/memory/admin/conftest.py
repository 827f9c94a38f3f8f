"""A staff member's browser, and a desk with something in every table."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from memory.models import Producer
from memory.services import runs, setup, tokens
from tests.copies import let_read
from tests.desk import Desk, make_instrument

BACKEND = "django.contrib.auth.backends.ModelBackend"

type Page = Callable[..., str]


def page(model: type[Model] | Model, kind: str = "changelist") -> str:
    """Return the path of a model's list, or of a row's own page (`change`, `delete`, …)."""
    meta = model._meta  # noqa: SLF001 - public
    args = [model.pk] if isinstance(model, Model) else []
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{kind}", args=args)


def client_of(user: User) -> Client:
    """Return a browser in which `user` is logged in."""
    client = Client()
    client.force_login(user, backend=BACKEND)
    return client


@pytest.fixture
def staff(db: None) -> Client:
    """Return a browser of a superuser."""
    del db
    return client_of(User.objects.create_superuser("chief"))


@pytest.fixture
def grow(desk: Desk, now: datetime) -> Callable[[int], None]:
    """Return what adds a number of rows to every table of the store."""

    def more(number: int) -> None:
        then, first = now - timedelta(days=1), Producer.objects.count()
        for index in range(first, first + number):
            another = setup.create_agent(owner=desk.user, name=f"agent {index}", now=then)
            let_read(desk.agent, another, now=then)
            name = f"C{index}"
            make_instrument(name, now=then)
            setup.select_instrument(agent=desk.agent, name=name, now=then)
            producer = setup.create_producer(
                agent=desk.agent, role="analysis", name=f"p{index}", schedule="1h", now=then
            )
            _, clear = tokens.issue_token(producer=producer, now=then)
            actor = tokens.authenticate(clear, now=now)
            runs.start_run_with_token(producer=producer, now=then, life=timedelta(days=2))
            root = desk.write(now=then, content=f"root {index}")
            links: list[dict[str, Any]] = [
                {"target_memory_id": str(root.id), "link_type": "evidence"}
            ]
            desk.write(now=now, type=f"t_{index}", instruments=[name, "BTC"], links=links)
            assert actor.producer_id == producer.id

    return more
