"""The start page, the API reference, and the pages of errors."""

import re

import pytest
from django.test import Client, RequestFactory
from django.urls import reverse

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
