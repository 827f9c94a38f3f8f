"""Guessing a password is cut short, for the guesser and not for everybody (SPEC X7)."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.markup import flaws

PASSWORD = "correct horse battery staple"  # noqa: S105 - of a user of these tests
LIMIT = settings.AXES_FAILURE_LIMIT
OFFICE, STRANGER = "192.0.2.10", "198.51.100.7"
AT_LOGIN = "Please enter the correct username and password for a staff account"

pytestmark = [pytest.mark.django_db, pytest.mark.spec("X7")]


@pytest.fixture(autouse=True)
def chief(db: None, now: datetime) -> User:
    """Return a member of staff with a password."""
    del db, now
    return User.objects.create_superuser("chief", password=PASSWORD)


def log_in(
    password: str,
    *,
    name: str = "chief",
    address: str = STRANGER,
    forwarded: str | None = None,
    page: str = "admin:login",
) -> HttpResponse:
    """Try to log in from an address with a browser that has been nowhere before."""
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    body = {"username": name, "password": password, "next": "/admin/"}
    response: Any = Client(REMOTE_ADDR=address, headers=headers).post(reverse(page), body)
    answer: HttpResponse = response
    return answer


def guess(times: int, *, name: str = "chief", address: str = STRANGER) -> HttpResponse:
    """Fail a number of times; return the last answer."""
    return [log_in(f"guess {number}", name=name, address=address) for number in range(times)][-1]


def test_before_the_limit_the_right_password_is_let_in() -> None:
    assert AT_LOGIN in guess(LIMIT - 1).content.decode()
    assert log_in(PASSWORD).status_code == 302


def test_at_the_limit_even_the_right_password_is_refused() -> None:
    assert guess(LIMIT).status_code == 429
    refused = log_in(PASSWORD)
    assert refused.status_code == 429
    assert "sessionid" not in refused.cookies


def test_both_doors_share_one_count() -> None:
    for number in range(LIMIT - 1):
        assert log_in(f"guess {number}", page="login").status_code == 200
    assert guess(1).status_code == 429
    assert log_in(PASSWORD, page="login").status_code == 429


def test_the_page_says_how_long_to_wait_and_who_can_help() -> None:
    page = guess(LIMIT)
    minutes = round(settings.AXES_COOLOFF_TIME * 60)
    assert f"Wait {minutes} minutes before" in page.content.decode()
    assert "manage.py axes_reset" in page.content.decode()
    assert flaws(page) == []


def test_the_lock_tells_programs_in_seconds_how_long_to_wait() -> None:
    seconds = str(round(settings.AXES_COOLOFF_TIME * 3600))
    assert guess(LIMIT)["Retry-After"] == seconds
    assert log_in(PASSWORD)["Retry-After"] == seconds
    assert "Retry-After" not in log_in("wrong", address=OFFICE)


@pytest.mark.parametrize("length", [150, 255, 256, 10_000])
@pytest.mark.parametrize("letter", ["x", "\U0001f30a"])
def test_a_name_of_any_length_is_counted_and_locked(length: int, letter: str) -> None:
    name = letter * length
    assert AT_LOGIN in guess(LIMIT - 1, name=name).content.decode()
    assert log_in("wrong", name=name).status_code == 429
    assert AccessAttempt.objects.get().username == name[:255]
    assert log_in(PASSWORD).status_code == 302


def test_headers_of_any_length_do_not_stop_the_count() -> None:
    long = "x" * 10_000
    client = Client(headers={"User-Agent": long, "Accept": long})
    body = {"username": "chief", "password": "wrong"}
    assert client.post(reverse("admin:login"), body).status_code == 200
    assert AccessAttempt.objects.get().failures_since_start == 1


def test_the_count_is_kept_in_the_database() -> None:
    guess(LIMIT)
    attempt = AccessAttempt.objects.get(username="chief", ip_address=STRANGER)
    assert attempt.failures_since_start == LIMIT
    AccessAttempt.objects.all().delete()
    assert log_in(PASSWORD).status_code == 302, "no other place remembers"


def test_another_address_is_not_locked_out() -> None:
    guess(LIMIT)
    assert log_in(PASSWORD, address=OFFICE).status_code == 302
    assert log_in(PASSWORD).status_code == 429


def test_another_name_from_the_same_address_is_not_locked_out() -> None:
    User.objects.create_superuser("deputy", password=PASSWORD)
    guess(LIMIT)
    assert log_in(PASSWORD, name="deputy").status_code == 302


def test_a_forged_forwarding_header_opens_no_new_count() -> None:
    for number in range(LIMIT):
        log_in("wrong", forwarded=f"203.0.113.{number}")
    assert log_in(PASSWORD, forwarded="203.0.113.200").status_code == 429


def test_the_lock_ends_after_its_time(now: datetime) -> None:
    guess(LIMIT)
    length = timedelta(hours=settings.AXES_COOLOFF_TIME)
    with time_machine.travel(now + length - timedelta(seconds=1), tick=False):
        assert log_in(PASSWORD).status_code == 429
    with time_machine.travel(now + 2 * length + timedelta(seconds=1), tick=False):
        assert log_in(PASSWORD).status_code == 302


def test_a_success_begins_a_new_count() -> None:
    guess(LIMIT - 1)
    assert log_in(PASSWORD).status_code == 302
    assert AT_LOGIN in guess(LIMIT - 1).content.decode()
    assert log_in(PASSWORD).status_code == 302


def test_the_answers_do_not_tell_whether_a_user_exists() -> None:
    def said(name: str) -> list[tuple[int, str]]:
        answers = [log_in(f"wrong {number}", name=name) for number in range(LIMIT + 1)]
        texts = [answer.content.decode().replace(name, "NAME") for answer in answers]
        return [
            (answer.status_code, text.partition("<form")[0])
            for answer, text in zip(answers, texts, strict=True)
        ]

    assert said("chief") == said("nobody")
    assert AT_LOGIN in log_in("wrong", name="somebody").content.decode()


def test_somebody_who_is_no_staff_is_told_the_same() -> None:
    User.objects.create_user("guest", password=PASSWORD)
    assert AT_LOGIN in log_in(PASSWORD, name="guest").content.decode()
