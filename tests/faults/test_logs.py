"""What the logs hold of a fault: who asked and where it broke, and nothing of what was said."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from datetime import datetime
from uuid import UUID

import psycopg
import pytest
from django.db import IntegrityError, connection

from config.settings.logs import configure_logs
from tests.desk import Desk, make_desk, note

CONTENT = "sell everything at nine"


@contextmanager
def logs(*, json: bool) -> Iterator[io.StringIO]:
    """Return what is logged in this format until the block ends."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    stream = io.StringIO()
    try:
        with redirect_stderr(stream):
            configure_logs(level="INFO", json=json)
        yield stream
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("R9", "E2", "X6", "X2")
@pytest.mark.parametrize("json", [True, False], ids=["json", "console"])
def test_a_fault_is_logged_with_its_request_and_place_but_no_content_and_no_secret(
    json: bool, now: datetime
) -> None:
    desk: Desk = make_desk("ours", now=now)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE memory_record ADD CONSTRAINT unforeseen CHECK (seq < 1)")
    try:
        with logs(json=json) as stream:
            client = desk.client()
            response = client.post(desk.path("memories/"), note(content=CONTENT))
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE memory_record DROP CONSTRAINT unforeseen")
    assert response.status_code == 500
    logged = stream.getvalue()
    assert UUID(response.json()["request_id"]).version == 4
    assert response.json()["request_id"] in logged
    assert "unexpected_error" in logged
    assert "publish.py" in logged
    assert "violates check constraint" in logged
    assert ('"exception": [' if json else "Traceback (most recent call last)") in logged
    assert CONTENT not in logged
    assert "Failing row" not in logged
    assert desk.tokens["analysis"].partition(".")[2] not in logged
    # Local variables would show as name = value, or under "locals".
    assert "locals" not in logged
    assert "content_salt" not in logged


@pytest.mark.spec("X6", "X2")
@pytest.mark.parametrize("json", [True, False], ids=["json", "console"])
def test_a_refused_token_leaves_no_secret_in_the_log(desk: Desk, json: bool) -> None:
    secret = desk.tokens["analysis"].partition(".")[2]
    with logs(json=json) as stream:
        client = desk.client()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer unknown.{secret}")
        assert client.get(desk.path("memories/")).status_code == 401
        assert client.get(desk.path("memories/?q=1")).status_code == 401
    assert "Unauthorized" in stream.getvalue()
    assert secret not in stream.getvalue()


@pytest.mark.spec("X6")
def test_each_error_of_a_chain_is_cut_to_what_went_wrong() -> None:
    message = "broken\nDETAIL:  Failing row (a secret)"
    with logs(json=False) as stream:
        try:
            try:
                raise psycopg.errors.CheckViolation(message)
            except psycopg.Error as error:
                raise IntegrityError(*error.args) from error
        except IntegrityError:
            logging.getLogger("somewhere").exception("it failed")
    assert "broken" in stream.getvalue()
    assert "a secret" not in stream.getvalue()
