"""Every page of the staff admin opens, for staff alone, at a cost that rows do not raise."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memory.models import Agent, Grant, Instrument, Producer, Record, Run, Selection, Token
from tests.desk import Desk
from tests.markup import flaws
from tests.memory.admin.conftest import client_of, page

OURS: list[type[Model]] = [Agent, Grant, Instrument, Producer, Record, Run, Selection, Token]
REGISTERED = sorted(admin.site._registry, key=lambda model: model._meta.label)  # noqa: SLF001 - the only list there is
LABELS = [model._meta.label for model in REGISTERED]  # noqa: SLF001 - public


def opened(client: Client, path: str) -> str:
    """Open a page that has to answer 200 under the strict policy, and return it."""
    response = client.get(path)
    assert response.status_code == 200, path
    assert flaws(response) == []
    return response.content.decode()


@pytest.mark.parametrize("model", REGISTERED, ids=LABELS)
@pytest.mark.spec("O5", "X3")
def test_every_list_opens_with_a_search_and_each_filter(
    staff: Client, grow: Callable[[int], None], model: type[Model]
) -> None:
    grow(3)
    html = opened(staff, page(model))
    filters = html.partition('id="changelist-filter"')[2].partition("</nav>")[0]
    links = re.findall(r'href="(\?[^"]*)"', filters)
    assert links or model not in OURS
    for link in links:
        opened(staff, page(model) + link.replace("&amp;", "&"))
    if admin.site._registry[model].search_fields:  # noqa: SLF001 - as above
        for words in ("a", "O'Reilly % _", "019a0000-0000-7000-8000-000000000000"):
            opened(staff, f"{page(model)}?q={words}")


@pytest.mark.parametrize("model", REGISTERED, ids=LABELS)
@pytest.mark.spec("O5", "X3")
def test_every_row_has_a_page(
    staff: Client, grow: Callable[[int], None], model: type[Model]
) -> None:
    grow(2)
    rows = list(model._default_manager.order_by("pk")[:20])  # noqa: SLF001 - public
    assert rows or model not in OURS
    for row in rows:
        opened(staff, page(row, "change"))
        opened(staff, page(row, "history"))


@pytest.mark.parametrize("model", [Agent, Grant, Producer, Selection])
@pytest.mark.spec("O5", "X3")
def test_the_forms_that_add_open(staff: Client, model: type[Model]) -> None:
    opened(staff, page(model, "add"))
    opened(staff, f"{page(model, 'add')}?agent=no-key&owner=no-key")


@pytest.mark.usefixtures("db")
@pytest.mark.spec("O5", "X3")
def test_the_pages_around_open(staff: Client) -> None:
    assert "Tidebook" in opened(staff, reverse("admin:index"))
    opened(staff, reverse("admin:app_list", args=["memory"]))
    opened(staff, reverse("admin:password_change"))
    assert "Log in" in opened(Client(), reverse("admin:login"))


@pytest.mark.usefixtures("db")
@pytest.mark.spec("O5")
def test_the_index_begins_with_what_the_desk_works_with(staff: Client) -> None:
    for path in (reverse("admin:index"), page(Record)):
        apps = staff.get(path).context["available_apps"]
        found = [app["app_label"] for app in apps]
        assert found == ["memory", "trading", "autopilot", "auth", "django_q", "axes"]


@pytest.mark.spec("O5")
def test_filters_are_closed_and_say_what_is_chosen(
    staff: Client, grow: Callable[[int], None]
) -> None:
    grow(1)
    html = opened(staff, f"{page(Run)}?status__exact=running")
    filters = html.partition('id="changelist-filter"')[2].partition("</search>")[0]
    assert re.findall(r"<summary>(By status.*?)</summary>", filters) == [
        "By status: <strong>running</strong>"
    ]
    assert "<summary>By implicit</summary>" in filters
    assert not re.search(r"<details[^>]*\sopen", filters)


@pytest.mark.spec("O5")
def test_all_is_offered_where_something_is_left_out(
    staff: Client, grow: Callable[[int], None]
) -> None:
    grow(1)
    assert "Show all" not in opened(staff, page(Run))
    for query in ("q=p1", "status__exact=running"):
        assert "Show all" in opened(staff, f"{page(Run)}?{query}")


@pytest.mark.spec("O5")
def test_runs_say_in_words_whether_they_are_implicit(
    staff: Client, desk: Desk, now: datetime, grow: Callable[[int], None]
) -> None:
    grow(1)
    desk.write(now=now)
    html = opened(staff, page(Run))
    assert set(re.findall(r'class="field-kind">([^<]*)<', html)) == {"implicit", "-"}
    assert "icon-no" not in html
    run = Run.objects.filter(implicit=True).latest("id")
    assert "icon-yes" not in opened(staff, page(run, "change"))


@pytest.mark.spec("O5")
def test_a_selection_is_listed_by_its_instrument(
    staff: Client, grow: Callable[[int], None]
) -> None:
    grow(1)
    heads = re.findall(r">([^<>]*)</a></div>", opened(staff, page(Selection)))
    assert "Instrument" in heads
    assert "Instrument id" not in heads


@pytest.mark.parametrize("model", OURS)
@pytest.mark.spec("O5")
def test_a_list_costs_the_same_statements_for_3_rows_and_for_30(
    staff: Client, grow: Callable[[int], None], model: type[Model]
) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert staff.get(page(model)).status_code == 200
        return len(queries)

    grow(3)
    cost()
    few = cost()
    grow(27)
    assert model._default_manager.count() >= 30  # noqa: SLF001 - public
    assert cost() == few
    assert few <= 10


@pytest.mark.parametrize("model", REGISTERED, ids=LABELS)
@pytest.mark.spec("O5", "X1")
def test_who_is_not_staff_is_sent_to_the_login(desk: Desk, model: type[Model]) -> None:
    for client in (Client(), client_of(desk.user)):
        response = client.get(page(model))
        assert response.status_code == 302
        assert response.headers["Location"].startswith(reverse("admin:login"))


@pytest.mark.parametrize("model", OURS)
@pytest.mark.spec("O5")
def test_staff_see_what_they_have_a_permission_for(desk: Desk, model: type[Model]) -> None:
    desk.user.is_staff = True
    desk.user.save()
    assert client_of(desk.user).get(page(model)).status_code == 403
    name = model._meta.model_name  # noqa: SLF001 - public
    desk.user.user_permissions.add(Permission.objects.get(codename=f"view_{name}"))
    html = opened(client_of(User.objects.get(pk=desk.user.pk)), page(model))
    assert 'name="action"' not in html, "who may only look is offered no action"


@pytest.mark.spec("O5")
def test_a_row_is_found_by_its_id(staff: Client, grow: Callable[[int], None]) -> None:
    grow(3)
    for model in (Agent, Producer, Record, Run, Selection, Token):
        row: Any = model._default_manager.order_by("pk").first()  # noqa: SLF001 - public
        html = opened(staff, f"{page(model)}?q={row.pk}")
        assert html.count('class="action-select"') in {0, 1}
        assert page(row, "change") in html
        assert re.search(r"\b1 [a-z]+\s", html.partition('class="paginator"')[2])
