"""The start page, the API reference, and the pages of errors."""

import re
from typing import Any

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse

from config.admin import StaffSite
from config.api.errors import handler500
from tests.desk import Desk
from tests.markup import flaws
from tests.memory.admin.conftest import BACKEND

pytestmark = pytest.mark.django_db


@pytest.mark.spec("X3", "O6")
def test_the_start_page_leads_everywhere() -> None:
    response = Client().get("/")
    assert (response.status_code, flaws(response)) == (200, [])
    links = re.findall(r'<a href="([^"]+)"', response.content.decode())
    doors = ("login", "admin:index", "docs", "openapi", "health-ready")
    assert links == [reverse(name) for name in doors]
    for link in links:
        assert Client().get(link).status_code in {200, 302}


@pytest.mark.spec("X3", "O6")
def test_the_start_page_offers_the_admin_to_staff_and_not_to_an_owner(desk: Desk) -> None:
    door, owner = reverse("admin:index"), Client()
    owner.force_login(desk.user, backend=BACKEND)
    assert f'href="{door}"' not in owner.get("/").content.decode()
    desk.user.is_staff = True
    desk.user.save()
    assert f'href="{door}"' in owner.get("/").content.decode()


@pytest.mark.spec("X3", "O6")
def test_the_api_reference_has_no_inline_part_and_all_its_files_are_ours() -> None:
    response = Client().get(reverse("docs"))
    assert (response.status_code, flaws(response)) == (200, [])
    files = re.findall(r'(?:src|href)="([^"]+)"', response.content.decode())
    assert len(files) == 7
    for file in files:
        answer = Client().get(file)
        assert answer.status_code == 200, file
        assert answer.getvalue(), file


@pytest.mark.spec("X3")
def test_a_path_that_is_not_there_has_a_page() -> None:
    response = Client().get("/<script>alert(1)</script>")
    assert (response.status_code, flaws(response)) == (404, [])
    assert "Not found" in response.content.decode()


@pytest.mark.spec("X3", "X7")
def test_a_form_from_elsewhere_has_a_page() -> None:
    client = Client(enforce_csrf_checks=True)
    response = client.post(reverse("admin:login"), {"username": "x", "password": "y"})
    assert (response.status_code, flaws(response)) == (403, [])
    assert "has expired" in response.content.decode()


@pytest.mark.spec("X3", "R9")
def test_a_fault_has_a_page_that_says_nothing_of_the_cause() -> None:
    response = handler500(RequestFactory().get("/somewhere"))
    assert response.status_code == 500
    assert "Something went wrong" in response.content.decode()


@pytest.mark.spec("X3", "R9")
def test_the_page_of_a_fault_shows_the_request_id_escaped_and_asks_no_database(
    django_assert_num_queries: Any,
) -> None:
    request: Any = RequestFactory().get("/somewhere")
    request.id = "0b1c-<b>"
    with django_assert_num_queries(0):
        text = handler500(request).content.decode()
    assert "<code>0b1c-&lt;b&gt;</code>" in text


@pytest.mark.spec("X3", "R9")
def test_the_page_of_a_fault_in_the_admin_names_the_id_of_its_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(StaffSite, "each_context", lambda *_args: 1 / 0)
    client = Client(raise_request_exception=False)
    response = client.get(reverse("admin:login"))
    assert (response.status_code, flaws(response)) == (500, [])
    assert f"<code>{response.headers['X-Request-ID']}</code>" in response.content.decode()


@pytest.mark.spec("E1", "E6")
def test_an_owner_who_is_no_staff_logs_in_and_sets_up_an_agent_in_the_browser(desk: Desk) -> None:
    desk.user.set_password("correct horse battery staple")
    desk.user.save()
    client = Client(enforce_csrf_checks=True)
    page = client.get(reverse("login"), {"next": "/api/v1/docs/"})
    assert (page.status_code, flaws(page)) == (200, [])
    form = {
        "username": desk.user.username,
        "next": "/api/v1/docs/",
        "csrfmiddlewaretoken": client.cookies["csrftoken"].value,
    }
    wrong = client.post(reverse("login"), {**form, "password": "wrong"})
    assert (wrong.status_code, "not those of an active user" in wrong.text) == (200, True)
    right = client.post(reverse("login"), {**form, "password": "correct horse battery staple"})
    assert (right.status_code, right["Location"]) == (302, "/api/v1/docs/")
    assert f"logged in as {desk.user.username}" in client.get("/").text
    body = {"role": "review", "name": "second review"}
    token = {"X-CSRFToken": client.cookies["csrftoken"].value}
    path = desk.path("producers/")
    made = client.post(path, body, content_type="application/json", headers=token)
    assert made.status_code == 201
    out = {"csrfmiddlewaretoken": client.cookies["csrftoken"].value}
    assert client.post(reverse("logout"), out)["Location"] == "/"
    assert client.get(path).status_code == 401


@pytest.mark.spec("X3")
def test_a_login_leads_nowhere_else(desk: Desk) -> None:
    desk.user.set_password("correct horse battery staple")
    desk.user.save()
    form = {"username": desk.user.username, "password": "correct horse battery staple"}
    there = Client().post(reverse("login"), {**form, "next": "https://elsewhere.example/"})
    assert there["Location"] == reverse("docs")
