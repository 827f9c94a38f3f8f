"""Staff can look at indicator runs and change nothing."""

from datetime import UTC, datetime

import pytest
from django.contrib.admin.sites import site
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memory.models import Agent, Instrument
from tests.markup import flaws
from trading.admin import IndicatorRunAdmin
from trading.models import IndicatorRun

NOW = datetime(2026, 9, 30, 12, 5, tzinfo=UTC)
LIST = "admin:trading_indicatorrun_changelist"


@pytest.fixture
def root(db: None) -> User:  # noqa: ARG001 - opens the database
    return User.objects.create_superuser("root")


@pytest.fixture
def stored(root: User) -> list[IndicatorRun]:
    agent = Agent.objects.create(owner=root, name="Tidewatch", created_at=NOW)
    btc = Instrument.objects.create(id="BTC", kind="perpetual", source="test", seen_at=NOW)
    return [
        IndicatorRun.objects.create(
            agent=agent,
            instrument=btc,
            timeframe="1h",
            computed_at=NOW,
            engine="ta-lib",
            indicators=[],
            bars={},
            values={"rsi_14": 61.5},
            data_source="test",
        )
        for _ in range(3)
    ]


@pytest.mark.spec("A12")
def test_indicator_runs_are_read_only_even_for_a_superuser(root: User) -> None:
    page = site.get_model_admin(IndicatorRun)
    assert isinstance(page, IndicatorRunAdmin)
    request = RequestFactory().get("/")
    request.user = root
    assert page.has_view_permission(request)
    assert not page.has_add_permission(request)
    assert not page.has_change_permission(request)
    assert not page.has_delete_permission(request)


@pytest.mark.spec("A12")
def test_the_list_and_a_run_can_be_looked_at_and_searched(
    client: Client, root: User, stored: list[IndicatorRun]
) -> None:
    client.force_login(root)
    for query, found in (("", 3), (str(stored[0].id), 1), ("BTC", 3), ("nothing like it", 0)):
        answer = client.get(reverse(LIST), {"q": query})
        assert (answer.status_code, answer.context["cl"].result_count) == (200, found)
    one = client.get(reverse("admin:trading_indicatorrun_change", args=[stored[0].id]))
    assert "rsi_14" in one.content.decode()


@pytest.mark.spec("A12")
def test_times_are_utc_to_the_second_and_json_is_indented(
    client: Client, root: User, stored: list[IndicatorRun]
) -> None:
    client.force_login(root)
    row = client.get(reverse("admin:trading_indicatorrun_change", args=[stored[0].id]))
    for page in (client.get(reverse(LIST)), row):
        text = page.content.decode()
        assert "2026-09-30 12:05:00" in text
        assert "Computed at (UTC)" in text
        assert flaws(page) == []
    assert "{\n  &quot;rsi_14&quot;: 61.5\n}</pre>" in row.content.decode()


def test_the_list_asks_as_often_for_many_runs_as_for_one(
    client: Client, root: User, stored: list[IndicatorRun]
) -> None:
    client.force_login(root)
    counted = []
    for query in (str(stored[0].id), "BTC"):
        with CaptureQueriesContext(connection) as queries:
            client.get(reverse(LIST), {"q": query})
        counted.append(len(queries))
    assert counted[0] == counted[1]
