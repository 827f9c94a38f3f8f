"""Health routes answer anybody, and say by name what is missing (SPEC E6)."""

from typing import Any

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from rest_framework.test import APIClient

from tests.desk import Desk


@pytest.mark.spec("E6", "E8")
@pytest.mark.parametrize("path", ["/health/live", "/health/live/"])
def test_the_process_says_that_it_lives_and_asks_no_database(path: str) -> None:
    # Without the database mark, a statement would fail this test.
    response = Client().get(path)
    assert response.status_code == 200
    assert response.json() == {"status": "ok"}
    assert response.headers["X-Request-ID"]


@pytest.mark.spec("E6", "E8")
@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/health/ready", "/health/ready/"])
def test_a_migrated_database_is_ready(path: str) -> None:
    response = Client().get(path)
    assert response.status_code == 200
    assert response.json() == {"status": "ok", "checks": {"database": "ok", "migrations": "ok"}}


@pytest.mark.spec("E6")
@pytest.mark.django_db
def test_migrations_that_are_not_applied_make_it_unready_and_are_counted() -> None:
    recorder = MigrationRecorder(connection)
    newest = max(name for app, name in recorder.applied_migrations() if app == "memory")
    recorder.record_unapplied("memory", newest)
    response = Client().get("/health/ready")
    assert response.status_code == 503
    body = response.json()
    assert body["status"] == "unready"
    assert body["checks"]["database"] == "ok"
    assert body["checks"]["migrations"].endswith("not applied")


@pytest.mark.spec("E6", "J4")
def test_credentials_of_whatever_kind_change_nothing(desk: Desk) -> None:
    forged = APIClient()
    forged.credentials(HTTP_AUTHORIZATION="Bearer no.such")
    for client in (desk.client("trading"), desk.browser(), forged):
        assert client.get("/health/live").status_code == 200
        assert client.get("/health/ready").status_code == 200


@pytest.mark.spec("E6")
def test_the_containers_own_check_over_plain_http_is_not_redirected(settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_REDIRECT_EXEMPT = [r"^health/"]
    for path in ("/health/live", "/health/live/"):
        assert Client().get(path).status_code == 200
    assert Client().get("/api/v1/openapi.json").status_code == 301
