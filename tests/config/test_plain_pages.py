"""The start page, the API reference, and the pages of errors."""

import re
from typing import Any

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse

from config.admin import StaffSite
from config.api.errors import handler500
from tests.markup import flaws

pytestmark = pytest.mark.django_db


@pytest.mark.spec("X3", "O6")
def test_the_start_page_leads_everywhere() -> None:
    response = Client().get("/")
    assert (response.status_code, flaws(response)) == (200, [])
    links = re.findall(r'<a href="([^"]+)"', response.content.decode())
    assert links == [reverse(name) for name in ("admin:index", "docs", "openapi", "health-ready")]
    for link in links:
        assert Client().get(link).status_code in {200, 302}


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
