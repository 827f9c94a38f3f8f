"""The route that merges what says the same (SPEC M9, E6, E7)."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from memory.models import Standing
from tests.desk import Desk
from tests.strategies import remember

PATH = "/api/v1/ai/memories/deduplicate/"
ETH: dict[str, Any] = {"symbol": "ETH", "strategy_type": "breakout", "outcome": "success"}
SAID = "Long breakouts on 1h work when volume is above 2x its average."
AGAIN = "On 1h, buy the breakout with volume over 2x its mean: it works."
OTHER = "Long breakouts on 1h work when volume is above 3x its average."


@pytest.mark.spec("M9", "E6")
def test_insights_that_say_the_same_are_merged_and_told(desk: Desk, now: datetime) -> None:
    minute = timedelta(minutes=1)
    one = remember(desk, SAID, now=now - 3 * minute, **ETH)
    two = remember(desk, AGAIN, now=now - 2 * minute, **ETH)
    other = remember(desk, OTHER, now=now - minute, **ETH)
    client = desk.client("autopilot")
    tried = client.post(f"{PATH}?dry_run=true")
    assert tried.status_code == 200
    told = tried.json()
    assert (told["deleted_count"], told["dry_run"]) == (1, True)
    assert not Standing.objects.filter(merged_into__isnull=False).exists()
    done = client.post(PATH).json()
    assert done == {**told, "dry_run": False}
    (group,) = done["groups"]
    assert group["survivor"] == str(one)
    assert [merged["memory_id"] for merged in group["merged"]] == [str(two)]
    assert group["merged"][0]["how"] == "words"
    assert {pair["differs"] for pair in done["related"]} == {"numbers"}
    assert all(str(other) in pair["memory_ids"] for pair in done["related"])
    assert Standing.objects.get(record_id=two).merged_into_id == one
    again = client.post(PATH).json()
    assert (again["deleted_count"], again["groups"]) == (0, [])
    listed = client.get("/api/v1/ai/memories/").json()["results"]
    assert [row["id"] for row in listed] == [str(other), str(one)]


@pytest.mark.spec("M9", "E6")
@pytest.mark.parametrize("by", ["autopilot", "a person"])
def test_a_merge_is_undone_on_its_survivor(desk: Desk, now: datetime, by: str) -> None:
    one = remember(desk, SAID, now=now - timedelta(minutes=2), **ETH)
    two = remember(desk, AGAIN, now=now - timedelta(minutes=1), **ETH)
    client = desk.browser() if by == "a person" else desk.client(by)
    before = client.get(f"/api/v1/ai/memories/{one}/").json()
    assert client.post(PATH).json()["deleted_count"] == 1
    behind = client.post(f"/api/v1/ai/memories/{two}/unmerge/")
    assert (behind.status_code, behind.json()["code"]) == (409, "not_merged")
    answer = client.post(f"/api/v1/ai/memories/{one}/unmerge/")
    assert (answer.status_code, answer.json()) == (
        200,
        {"survivor": str(one), "parted": [str(two)]},
    )
    after = client.get(f"/api/v1/ai/memories/{one}/").json()
    moved = {"revision", "etag", "updated_at"}
    assert {name: value for name, value in after.items() if name not in moved} == {
        name: value for name, value in before.items() if name not in moved
    }
    assert client.get(f"/api/v1/ai/memories/{two}/").status_code == 200
    assert client.post(f"/api/v1/ai/memories/{one}/unmerge/").status_code == 409
    later = client.post(PATH).json()
    assert (later["deleted_count"], later["related"][0]["differs"]) == (0, "parted")
    assert client.post(f"{PATH}?again=true").json()["deleted_count"] == 1


@pytest.mark.spec("E6", "X1")
def test_a_merge_is_undone_by_nobody_but_who_may_merge(
    desk: Desk, other: Desk, now: datetime
) -> None:
    one = remember(desk, SAID, now=now - timedelta(minutes=2), **ETH)
    remember(desk, AGAIN, now=now - timedelta(minutes=1), **ETH)
    assert desk.client("autopilot").post(PATH).json()["deleted_count"] == 1
    path = f"/api/v1/ai/memories/{one}/unmerge/"
    for role in ("analysis", "trading"):
        answer = desk.client(role).post(path)
        assert (answer.status_code, answer.json()["code"]) == (403, "not_this_role")
    assert other.client("autopilot").post(path).status_code == 404
    assert other.browser().post(path).status_code == 404
    assert desk.browser().post(f"{path}?agent={other.agent.id}").status_code == 404
    assert Standing.objects.filter(merged_into=one).count() == 1


@pytest.mark.spec("E6")
@pytest.mark.parametrize(
    ("role", "status", "code"),
    [
        ("autopilot", 200, None),
        ("analysis", 403, "not_this_role"),
        ("trading", 403, "not_this_role"),
    ],
)
def test_only_the_role_that_writes_strategy_memory_merges_it(
    desk: Desk, role: str, status: int, code: str | None
) -> None:
    answer = desk.client(role).post(PATH)
    assert (answer.status_code, answer.json().get("code")) == (status, code)


@pytest.mark.spec("E7", "X1")
def test_a_person_names_one_of_several_agents(desk: Desk, other: Desk) -> None:
    browser = desk.browser()
    assert browser.post(PATH).status_code == 200
    assert browser.post(f"{PATH}?agent={other.agent.id}").status_code == 404
    assert browser.post(f"{PATH}?agent={desk.agent.id}&dry_run=false").status_code == 200


@pytest.mark.spec("E2", "E6")
@pytest.mark.parametrize("query", ["dry_run=1", "dry_run=", "dry=true", "again=yes", "agent=7"])
def test_what_is_not_understood_is_refused(desk: Desk, query: str) -> None:
    answer = desk.client("autopilot").post(f"{PATH}?{query}")
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_error")
