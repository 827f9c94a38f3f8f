"""Agents, instruments, producers and selections over REST (SPEC E2, E4, E6)."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from rest_framework.test import APIClient

from memory.models import Instrument, ProducerEnablement, Run, Selection
from memory.policies.versions import condition_of, tag_of
from memory.policies.vocabulary import ROLES
from memory.services import setup
from memory.services.runs import start_run
from tests.desk import Desk, make_instrument

SECOND = timedelta(seconds=1)


@pytest.fixture
def owner(desk: Desk) -> APIClient:
    return desk.browser()


def producers(desk: Desk) -> dict[str, dict[str, Any]]:
    """Return an agent's producers as its owner lists them, by name."""
    page = desk.browser().get(desk.path("producers/")).json()
    return {one["name"]: one for one in page["results"]}


def analysis(desk: Desk) -> dict[str, Any]:
    return producers(desk)["ours-analysis"]


def patch(desk: Desk, body: dict[str, Any], *, if_match: str | None) -> Any:
    """Change the analysis producer."""
    return desk.browser().patch(
        desk.path(f"producers/{desk.producers['analysis'].id}/"),
        body,
        headers={} if if_match is None else {"If-Match": if_match},
    )


@pytest.mark.spec("E6", "X1")
def test_each_caller_lists_the_agents_that_are_theirs(
    desk: Desk, other: Desk, now: datetime
) -> None:
    second = setup.create_agent(owner=desk.user, name="second", now=now)
    staff = User.objects.create_user(username="staff", is_staff=True)
    browser = APIClient()
    browser.force_login(staff, backend="django.contrib.auth.backends.ModelBackend")
    seen = {
        "owner": desk.browser(),
        "bearer": desk.client("trading"),
        "staff": browser,
    }
    listed = {
        name: [one["name"] for one in client.get("/api/v1/agents/").json()["results"]]
        for name, client in seen.items()
    }
    assert listed["owner"] == ["second", "ours"]
    assert listed["bearer"] == ["ours"]
    assert sorted(listed["staff"]) == ["ours", "second", "theirs"]
    assert desk.browser().get(f"/api/v1/agents/{second.id}/").json()["name"] == "second"
    assert desk.client().get(f"/api/v1/agents/{second.id}/").status_code == 404
    assert other.browser().get(f"/api/v1/agents/{second.id}/").status_code == 404


@pytest.mark.spec("E6")
def test_an_agent_is_answered_with_what_it_is_set_to(desk: Desk) -> None:
    for role in ROLES:
        answer = desk.client(role).get(f"/api/v1/agents/{desk.agent.id}/").json()
        assert answer == {
            "id": str(desk.agent.id),
            "name": "ours",
            "plan": "free",
            "expiry_policy": "analysis_schedule_v2",
            "trading_may_search": False,
            "created_at": "2026-08-31T12:01:07Z",
        }


@pytest.mark.spec("E3", "X1")
def test_a_cursor_of_ones_agents_is_none_of_anothers(
    desk: Desk, other: Desk, now: datetime
) -> None:
    for ours in (desk, other):
        setup.create_agent(owner=ours.user, name="second", now=now)
    page = desk.browser().get("/api/v1/agents/?limit=1").json()
    assert desk.browser().get(page["next"]).json()["results"][0]["name"] == "ours"
    assert other.browser().get(page["next"]).status_code == 400


@pytest.mark.spec("E3", "E6")
def test_instruments_are_paged_by_name_with_those_that_are_gone(desk: Desk, now: datetime) -> None:
    for name in ("@107", "PURR/USDC", "xyz:TSLA"):
        make_instrument(name, now=now, is_active=name != "@107")
    client = desk.client("trading")
    names: list[str] = []
    url = "/api/v1/instruments/?limit=2"
    pages = []
    while url:
        pages.append(client.get(url).json())
        names += [one["id"] for one in pages[-1]["results"]]
        url = pages[-1]["next"]
    assert names == sorted(Instrument.objects.values_list("id", flat=True))
    assert [one["is_active"] for one in pages[0]["results"]] == [False, True]
    back = client.get(pages[2]["previous"]).json()
    assert back["results"] == pages[1]["results"]


@pytest.mark.spec("E3")
@pytest.mark.parametrize("path", ["/api/v1/agents/", "/api/v1/instruments/", "producers/"])
def test_lists_of_a_set_up_take_no_filter(desk: Desk, path: str) -> None:
    whole = path if path.startswith("/") else desk.path(path)
    response = desk.browser().get(f"{whole}?role=analysis")
    assert response.status_code == 400
    assert list(response.json()["fields"]) == ["role"]


@pytest.mark.spec("E6", "E4")
def test_a_producer_is_stood_up_by_the_owner_and_listed_with_its_etag(
    desk: Desk, owner: APIClient
) -> None:
    body = {"role": "analysis", "name": " momentum-15m ", "schedule": "15m"}
    answer = owner.post(desk.path("producers/"), body)
    assert answer.status_code == 201, answer.content
    assert answer.json() == {
        "id": answer.json()["id"],
        "role": "analysis",
        "name": "momentum-15m",
        "schedule": "15m",
        "runner": "caller",
        "lens": None,
        "timeframe": None,
        "enabled": True,
        "created_at": "2026-09-30T12:01:07Z",
        "etag": answer.headers["ETag"],
    }
    assert producers(desk)["momentum-15m"] == answer.json()
    assert len(producers(desk)) == len(ROLES) + 1


@pytest.mark.spec("E6", "A12")
def test_a_producer_can_be_stood_up_for_the_built_in_analyst_whole_or_not_at_all(
    desk: Desk, owner: APIClient
) -> None:
    body = {"role": "analysis", "name": "built-in", "runner": "built_in", "lens": "trend"}
    refused = owner.post(desk.path("producers/"), body)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert "built-in" not in producers(desk)
    made = owner.post(desk.path("producers/"), {**body, "schedule": "1h", "timeframe": "15m"})
    assert made.status_code == 201
    assert (made.json()["runner"], made.json()["lens"]) == ("built_in", "trend")


@pytest.mark.spec("E2", "E6")
@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"name": "x"}, "role"),
        ({"role": "owner", "name": "x"}, "role"),
        ({"role": "analysis"}, "name"),
        ({"role": "analysis", "name": " "}, "name"),
        ({"role": "analysis", "name": "x" * 81}, "name"),
        ({"role": "analysis", "name": "a\nb"}, "name"),
        ({"role": "analysis", "name": "a\x00b"}, "name"),
        ({"role": "analysis", "name": "x", "schedule": "7m"}, "schedule"),
        ({"role": "analysis", "name": "x", "lens": "none such"}, "lens"),
        ({"role": "analysis", "name": "x", "enabled": False}, "enabled"),
        ({"role": "analysis", "name": "x", "id": "y"}, "id"),
    ],
)
def test_a_malformed_producer_is_a_400_that_names_the_place(
    desk: Desk, owner: APIClient, body: dict[str, Any], place: str
) -> None:
    answer = owner.post(desk.path("producers/"), body)
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == [place]
    assert len(producers(desk)) == len(ROLES)


@pytest.mark.spec("E2", "E6")
def test_a_name_is_taken_once(desk: Desk, owner: APIClient) -> None:
    answer = owner.post(desk.path("producers/"), {"role": "review", "name": "ours-analysis"})
    assert (answer.status_code, answer.json()["code"]) == (409, "name_taken")


@pytest.mark.spec("E4", "F3")
def test_a_change_needs_the_version_that_was_seen(desk: Desk, now: datetime) -> None:
    run = start_run(producer=desk.producers["analysis"], now=now)
    etag = analysis(desk)["etag"]
    changed = patch(desk, {"schedule": "1h"}, if_match=etag)
    assert (changed.status_code, changed.json()["schedule"]) == (200, "1h")
    assert changed.headers["ETag"] == changed.json()["etag"] == analysis(desk)["etag"] != etag
    stale = patch(desk, {"schedule": "4h"}, if_match=etag)
    assert (stale.status_code, stale.json()["code"]) == (412, "precondition_failed")
    # There is no route of one producer to read.
    assert "read it again in the list, GET producers/" in stale.json()["error"]
    assert stale.json()["etag"] == changed.json()["etag"]
    assert analysis(desk)["schedule"] == "1h"
    # What has begun keeps what it began with.
    assert Run.objects.get(id=run.id).schedule == "5m"


@pytest.mark.spec("E4")
@pytest.mark.parametrize(
    ("if_match", "status"),
    [
        ("*", 200),
        (" * ", 200),
        ("{etag}", 200),
        ('"nothing", {etag}', 200),
        ("W/{etag}", 412),
        ('"nothing"', 412),
        ('""', 412),
        (None, 400),
        ("", 400),
        ("nothing", 400),
        ('"open', 400),
        ('"a" "b"', 400),
        ('"a",', 400),
        ("*, *", 400),
    ],
)
def test_a_condition_is_an_etag_a_list_of_them_or_any(
    desk: Desk, if_match: str | None, status: int
) -> None:
    etag = analysis(desk)["etag"]
    asked = None if if_match is None else if_match.replace("{etag}", etag)
    answer = patch(desk, {"schedule": None}, if_match=asked)
    assert answer.status_code == status, answer.content
    if status == 400:
        assert list(answer.json()["fields"]) == ["If-Match"]
    assert (analysis(desk)["schedule"] is None) is (status == 200)


@pytest.mark.spec("E4")
def test_a_list_of_tags_keeps_commas_inside_of_quotes_together() -> None:
    condition = condition_of('"a,b" ,W/"c", "d"')
    assert [condition.holds(f'"{tag}"') for tag in ("a,b", "a", "b", "c", "d")] == [
        *(True, False, False, False, True)
    ]
    assert tag_of({"a": 1, "b": None}) == tag_of({"b": None, "a": 1}) != tag_of({"a": 1})


@pytest.mark.spec("E4", "C3")
def test_a_producer_is_disabled_and_enabled_with_the_intervals_kept(
    desk: Desk, now: datetime
) -> None:
    first = analysis(desk)["etag"]
    off = patch(desk, {"enabled": False}, if_match=first)
    assert (off.status_code, off.json()["enabled"]) == (200, False)
    again = patch(desk, {"enabled": False}, if_match=off.json()["etag"])
    assert again.json() == off.json()
    on = patch(desk, {"enabled": True, "schedule": "5m"}, if_match=off.json()["etag"])
    assert (on.json()["enabled"], on.json()["etag"]) == (True, first)
    intervals = ProducerEnablement.objects.filter(producer=desk.producers["analysis"])
    ends = intervals.order_by("enabled_at").values_list("disabled_at", flat=True)
    assert list(ends) == [now, None]
    # In the same moment, or by a clock that is behind, it comes after what was before.
    with time_machine.travel(now - SECOND, tick=False):
        assert patch(desk, {"enabled": False}, if_match=first).status_code == 200
    assert list(ends.all()) == [now, now + timedelta(microseconds=1)]


@pytest.mark.spec("E6", "A12")
def test_the_built_in_analyst_takes_a_producer_over_and_gives_it_back(desk: Desk) -> None:
    none = patch(desk, {"schedule": None}, if_match="*")
    assert none.status_code == 200
    refused = patch(desk, {"runner": "built_in", "lens": "trend"}, if_match="*")
    assert refused.status_code == 400
    taken = {"runner": "built_in", "lens": "trend", "schedule": "1h"}
    assert patch(desk, taken, if_match="*").json() == {**analysis(desk), **taken}
    assert patch(desk, {"schedule": None}, if_match="*").status_code == 400
    back = {"runner": "caller", "lens": None, "schedule": None}
    assert patch(desk, back, if_match="*").json() == {**analysis(desk), **back}


@pytest.mark.spec("E2", "E4")
@pytest.mark.parametrize(
    "body", [{"name": "x"}, {"role": "review"}, {"enabled": "yes"}, {"schedule": "7m"}, {"x": 1}]
)
def test_what_of_a_producer_cannot_be_changed_is_named(desk: Desk, body: dict[str, Any]) -> None:
    before = analysis(desk)
    answer = patch(desk, body, if_match="*")
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == list(body)
    assert analysis(desk) == before


@pytest.mark.spec("E4", "X1")
def test_an_etag_of_anothers_producer_is_worth_no_more_than_any(desk: Desk, other: Desk) -> None:
    foreign = other.browser().get(other.path("producers/")).json()["results"][0]["etag"]
    answers = [patch(desk, {"schedule": "1h"}, if_match=tag) for tag in (foreign, '"x"')]
    assert answers[0].json() == answers[1].json()
    assert {one.status_code for one in answers} == {412}


@pytest.mark.spec("E6", "R3")
def test_instruments_are_selected_once_and_deselected_with_their_records_kept(
    desk: Desk, owner: APIClient, now: datetime
) -> None:
    make_instrument("PURR/USDC", now=now)
    body = {"instrument": "PURR/USDC"}
    answers = [owner.post(desk.path("selections/"), body) for _ in range(2)]
    assert [one.status_code for one in answers] == [201, 200]
    assert answers[0].json() == answers[1].json()
    listed = owner.get(desk.path("selections/")).json()["results"]
    assert listed[0]["instrument"] == "PURR/USDC"
    assert {one["instrument"] for one in listed} == {"BTC", "ETH", "PURR/USDC"}
    written = desk.write(now=now, instruments=["PURR/USDC"])
    with time_machine.travel(now + SECOND, tick=False):
        for path in ("selections/PURR%2FUSDC/", "selections/ETH"):
            assert owner.delete(desk.path(path)).status_code == 204
            assert owner.delete(desk.path(path)).status_code == 404
        kept = owner.get(desk.path(f"memories/{written.id}/")).json()
        assert kept["instruments"] == ["PURR/USDC"]
        listed = owner.get(desk.path("selections/")).json()["results"]
    assert [one["instrument"] for one in listed] == ["BTC"]
    assert Selection.objects.count() == 3


@pytest.mark.spec("E2", "E6", "R9")
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"instrument": ""}, 400),
        ({"instrument": "\x00"}, 400),
        ({"instrument": "NOPE"}, 400),
        ({"instrument": "GONE"}, 400),
        ({"instrument": "eth"}, 400),
        ({"instrument": "ETH", "selected_at": "now"}, 400),
    ],
)
def test_what_cannot_be_selected_is_told(
    desk: Desk, owner: APIClient, now: datetime, body: dict[str, Any], status: int
) -> None:
    make_instrument("GONE", now=now, is_active=False)
    assert owner.post(desk.path("selections/"), body).status_code == status
    assert Selection.objects.count() == 2


@pytest.mark.spec("E2", "R9")
@pytest.mark.parametrize("name", ["NOPE", "%00", "x" * 300, "a%2Fb", "%ED%A0%80"])
def test_deselecting_what_is_not_selected_is_a_404(desk: Desk, owner: APIClient, name: str) -> None:
    assert owner.delete(desk.path(f"selections/{name}/")).status_code == 404


@pytest.mark.spec("E6", "C10", "X1")
@pytest.mark.parametrize("role", ROLES)
def test_a_bearer_reads_the_set_up_and_changes_none_of_it(desk: Desk, role: str) -> None:
    client = desk.client(role)
    path = desk.path(f"producers/{desk.producers['analysis'].id}/")
    attempts = [
        client.post(desk.path("producers/"), {"role": "review", "name": "x"}),
        client.patch(path, {"enabled": False}, headers={"If-Match": "*"}),
        client.post(desk.path("selections/"), {"instrument": "ETH"}),
        client.delete(desk.path("selections/ETH/")),
    ]
    assert {(one.status_code, one.json()["code"]) for one in attempts} == {(403, "not_this_role")}
    assert client.get(desk.path("selections/")).status_code == 200
    reads = client.get(desk.path("producers/")).status_code
    assert reads == (403 if role == "trading" else 200)


@pytest.mark.spec("E6")
def test_staff_sets_up_any_agent(desk: Desk) -> None:
    staff = User.objects.create_user(username="staff", is_staff=True)
    browser = APIClient()
    browser.force_login(staff, backend="django.contrib.auth.backends.ModelBackend")
    answer = browser.post(desk.path("producers/"), {"role": "review", "name": "by staff"})
    assert answer.status_code == 201
    assert "by staff" in producers(desk)


@pytest.mark.spec("E1")
def test_a_browser_changes_a_set_up_only_with_its_csrf_token(desk: Desk) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(desk.user, backend="django.contrib.auth.backends.ModelBackend")
    answer = client.post(desk.path("selections/"), {"instrument": "ETH"})
    assert answer.status_code == 403


@pytest.mark.spec("E3")
@pytest.mark.parametrize(
    ("path", "statements"),
    [("agents/", 3), ("instruments/", 3), ("producers/", 4), ("selections/", 4)],
)
def test_lists_of_a_set_up_cost_the_same_statements_whatever_their_length(
    desk: Desk, path: str, statements: int, django_assert_num_queries: Any
) -> None:
    whole = f"/api/v1/{path}" if statements == 3 else desk.path(path)
    browser = desk.browser()
    for limit in (1, 200):
        # Session, user, the agent where the path names one, the rows.
        with django_assert_num_queries(statements):
            assert browser.get(f"{whole}?limit={limit}").status_code == 200
