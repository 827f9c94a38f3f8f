"""The list of strategy memory: filters before limits, held against a plain loop (SPEC E3, E6)."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.ids import id_at
from memory.models import Agent, Standing
from memory.policies.vocabulary import TIERS, VISIBILITIES
from memory.services import setup
from tests.desk import LEAD, Desk
from tests.memory.browse_oracle import BROWSING
from tests.memory.library import LIST, TAGS, TYPES, Library, make_library, move, walk
from tests.strategies import end, merge, remember

MINUTE = timedelta(minutes=1)
QUESTIONS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(TIERS),
        "tag": st.sampled_from([*TAGS, "added", "nobody's"]),
        "symbol": st.sampled_from(["BTC", "ETH", "DOGE"]),
        "strategy_type": st.sampled_from(TYPES),
        "visibility": st.sampled_from(VISIBILITIES),
    },
)


@pytest.fixture(params=[1, 2])
def library(request: pytest.FixtureRequest, desk: Desk, other: Desk, now: datetime) -> Library:
    """Return a random library, and what a plain loop finds in it."""
    return make_library(desk, other, seed=request.param, now=now)


@pytest.mark.spec("E3", "E6", "M3", "M9", "X1")
def test_any_filters_show_what_a_plain_loop_finds_in_full_pages(library: Library) -> None:
    client = library.desk.client("autopilot")

    @BROWSING
    @given(asked=QUESTIONS, limit=st.sampled_from([1, 3, 200]))
    def hold(asked: dict[str, str], limit: int) -> None:
        found, sizes = walk(client, f"{LIST}?{urlencode({**asked, 'limit': limit})}")
        assert [one["id"] for one in found] == library.oracle(asked), asked
        assert all(size == limit for size in sizes[:-1])

    hold()
    assert len(walk(client, LIST)[0]) > 15


@pytest.mark.spec("E3")
@pytest.mark.parametrize("asked", [{}, {"tag": "calm"}, {"type": "rule"}])
def test_previous_leads_back_and_pages_stay_while_memories_arrive(
    library: Library, now: datetime, asked: dict[str, str]
) -> None:
    client = library.desk.client("autopilot")
    before = library.oracle(asked)
    first = client.get(f"{LIST}?{urlencode({**asked, 'limit': 2})}").json()
    assert first["previous"] is None
    ids, page = [one["id"] for one in first["results"]], first
    while page["next"]:
        remember(library.desk, now=now + MINUTE, type="rule", tags=["calm"])
        page = client.get(page["next"]).json()
        ids += [one["id"] for one in page["results"]]
    assert ids == before
    assert (
        client.get(client.get(first["next"]).json()["previous"]).json()["results"]
        == (first["results"])
    )


@pytest.mark.spec("E6", "M2")
def test_a_memory_is_told_with_all_that_is_thought_of_it(desk: Desk, now: datetime) -> None:
    config = {"size": 1.50, "side": "long"}
    written = remember(
        desk,
        "buy the second test",
        now=now,
        tags=["b", "a"],
        symbol="ETH",
        strategy_type="breakout",
        outcome="success",
        confidence="0.7",
        validated_count=3,
        config=config,
        metrics={"trades": 31},
    )
    answer = desk.client("autopilot").get(f"{LIST}{written}/")
    (listed,) = desk.client("autopilot").get(LIST).json()["results"]
    told = answer.json()
    assert told == listed
    assert answer.headers["ETag"] == told["etag"]
    standing = Standing.objects.get(record_id=written)
    assert standing.config_hash is not None
    assert told == {
        "id": str(written),
        "agent": str(desk.agent.id),
        "type": "strategy_insight",
        "symbol": "ETH",
        "strategy_type": "breakout",
        "outcome": "success",
        "content": "buy the second test",
        "tags": ["b", "a"],
        "confidence": "0.7000",
        "validated_count": 3,
        "relevance_score": "1.0000",
        "visibility": "private",
        "community_confirmations": 0,
        "source_node_uuid": None,
        "author": None,
        "config": {"size": 1.5, "side": "long"},
        "config_hash": bytes(standing.config_hash).hex(),
        "metrics": {"trades": 31},
        "created_at": "2026-09-30T12:01:07Z",
        "expires_at": "2026-12-29T12:01:07Z",
        "etag": told["etag"],
    }


@pytest.mark.spec("E4")
def test_a_memory_has_another_etag_after_each_move(desk: Desk, now: datetime) -> None:
    written = remember(desk, now=now, type="rule")
    client = desk.client("autopilot")
    seen = {client.get(f"{LIST}{written}/").headers["ETag"]}
    for tags in (("a",), ()):
        move(written, now=now, tags=tags)
        seen.add(client.get(f"{LIST}{written}/").headers["ETag"])
    assert len(seen) == 3


@pytest.mark.spec("E6", "R3")
@pytest.mark.parametrize("spelled", ["ETH", "ETHUSDT", "eth-perp"])
def test_another_venues_name_of_a_symbol_will_do(desk: Desk, now: datetime, spelled: str) -> None:
    mine = remember(desk, now=now, symbol="ETH")
    remember(desk, now=now, symbol="BTC")
    found = desk.client("review").get(f"{LIST}?symbol={spelled}").json()["results"]
    assert [one["id"] for one in found] == [str(mine)]
    assert desk.client("review").get(f"{LIST}?symbol=NOBODYS").json()["results"] == []


@pytest.mark.spec("E3", "R9")
@pytest.mark.parametrize(
    "query",
    [
        *("limit=0", "limit=201", "limit=x", "cursor=x", "cursor=", "all=true", "q=word"),
        *("type=observation", "type=review", "type=", "type=rule&type=rule", "tag=", "tag=%00"),
        *("visibility=public", "strategy_type=luck", "symbol=", "agent=nonsense"),
        "symbol=" + "x" * 65,
    ],
)
def test_what_the_list_does_not_take_is_a_400_and_never_shows_everything(
    desk: Desk, now: datetime, query: str
) -> None:
    remember(desk, now=now)
    response = desk.client("autopilot").get(f"{LIST}?{query}")
    assert response.status_code == 400
    assert list(response.json()["fields"]) == [query.partition("=")[0]]


@pytest.mark.spec("E3", "X1")
def test_a_cursor_is_good_for_its_own_list_alone(desk: Desk, other: Desk, now: datetime) -> None:
    for one in (desk, other):
        for number in range(3):
            remember(one, f"memory {number}", now=now, tags=["calm"])
    page = desk.client("autopilot").get(f"{LIST}?limit=1").json()
    cursor = page["next"].partition("cursor=")[2]
    assert desk.client("autopilot").get(f"{LIST}?limit=2&cursor={cursor}").status_code == 200
    assert desk.client("autopilot").get(f"{LIST}?tag=calm&cursor={cursor}").status_code == 400
    assert other.client("autopilot").get(f"{LIST}?limit=1&cursor={cursor}").status_code == 400


@pytest.mark.spec("E7", "X1")
def test_a_person_names_one_of_several_agents_and_need_not_name_the_only_one(
    desk: Desk, other: Desk, now: datetime
) -> None:
    mine = remember(desk, now=now)
    person = desk.browser()
    assert [one["id"] for one in person.get(LIST).json()["results"]] == [str(mine)]
    second = setup.create_agent(owner=desk.user, name="second", now=now - LEAD)
    for call in (person.get, person.delete):
        answer = call(f"{LIST}?type=rule")
        assert (answer.status_code, answer.json()["code"]) == (400, "agent_required")
    assert person.get(f"{LIST}?agent={second.id}").json()["results"] == []
    assert len(person.get(f"{LIST}?agent={desk.agent.id}").json()["results"]) == 1
    for foreign in (other.agent.id, id_at(now)):
        assert person.get(f"{LIST}?agent={foreign}").status_code == 404
    # An id is of one agent; where another is named, it is not there.
    assert person.get(f"{LIST}{mine}/").status_code == 200
    assert person.get(f"{LIST}{mine}/?agent={second.id}").status_code == 404
    Agent.objects.filter(id=second.id).update(owner=other.user)
    assert person.get(LIST).status_code == 200


@pytest.mark.spec("X1", "C10")
def test_staff_name_any_agent_and_the_trading_role_reads_nothing_here(
    desk: Desk, other: Desk, now: datetime
) -> None:
    mine = remember(desk, now=now)
    other.user.is_staff = True
    other.user.save()
    staff = other.browser()
    assert len(staff.get(f"{LIST}?agent={desk.agent.id}").json()["results"]) == 1
    assert staff.get(f"{LIST}{mine}/").status_code == 200
    for path in (LIST, f"{LIST}{mine}/"):
        refused = desk.client("trading").get(path)
        assert (refused.status_code, refused.json()["code"]) == (403, "not_this_role")
        for role in ("analysis", "review", "autopilot"):
            assert desk.client(role).get(path).status_code == 200


@pytest.mark.spec("M3", "M9", "E6")
def test_what_is_expired_or_merged_has_no_page_of_its_own(desk: Desk, now: datetime) -> None:
    over, merged, survivor = (remember(desk, now=now - MINUTE) for _ in range(3))
    end(over, now=now)
    merge(merged, survivor, now=now)
    research = desk.write(now=now).id
    client = desk.client("autopilot")
    for gone in (over, merged, research, id_at(now)):
        assert client.get(f"{LIST}{gone}/").status_code == 404
    assert client.get(f"{LIST}{survivor}/").status_code == 200


@pytest.mark.spec("E3")
def test_a_page_costs_the_same_statements_whatever_its_length(
    library: Library, django_assert_num_queries: Any
) -> None:
    client = library.desk.client("autopilot")
    client.get(LIST)
    for query in ("limit=1", "limit=200", "limit=200&tag=calm&visibility=private"):
        # Who calls and how often, the agent, and the page.
        with django_assert_num_queries(3):
            client.get(f"{LIST}?{query}")
