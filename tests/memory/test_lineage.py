"""The graph around a record, both ways, within bounds (SPEC B3, E6, O3, R17)."""

import random
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from memory.models import RecordLink
from memory.policies.vocabulary import LINK_TYPES
from memory.schemas.answers import OneRecordOut
from tests.desk import Desk
from tests.strategies import remember

Graph = dict[str, dict[str, Any]]


def traced(desk: Desk, id_: UUID, **asked: int) -> dict[str, Any]:
    """Ask for a lineage."""
    answer = desk.client("review").get(desk.path(f"memories/{id_}/lineage/"), asked)
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def write(desk: Desk, *targets: UUID, kind: str = "evidence", now: datetime, **body: Any) -> UUID:
    """Write a record that rests on others."""
    links = [{"target_memory_id": str(one), "link_type": kind} for one in targets]
    return desk.write(now=now, links=links, **body).id


def oracle(root: UUID, *, up: bool) -> dict[UUID, int]:
    """Return the distance of all ancestors, or of all descendants, by a plain search."""
    links = list(RecordLink.objects.values_list("source_id", "target_id"))
    found, edge, distance = {root: 0}, {root}, 0
    while edge:
        distance += 1
        edge = {
            (target if up else source)
            for source, target in links
            if (source if up else target) in edge
        } - set(found)
        found |= dict.fromkeys(edge, distance)
    del found[root]
    return found


@pytest.fixture
def web(desk: Desk, now: datetime) -> list[UUID]:
    """Write 40 records, each resting on up to three of those before it."""
    dice = random.Random(5)
    ids: list[UUID] = []
    for number in range(40):
        targets = dice.sample(ids[-12:], min(len(ids), dice.randrange(4)))
        at = now + timedelta(seconds=number)
        ids.append(write(desk, *targets, kind=dice.choice(LINK_TYPES), now=at))
    return ids


@pytest.mark.spec("B3", "E6", "O3")
def test_the_graph_is_all_that_a_record_rests_on_and_all_that_rests_on_it(
    desk: Desk, web: list[UUID]
) -> None:
    for root in web[::5]:
        found = traced(desk, root, depth=20, limit=200)
        assert found["left_out"] == {"ancestors": False, "descendants": False}
        expected = {
            relation: {str(id_): distance for id_, distance in oracle(root, up=up).items()}
            for relation, up in (("ancestor", True), ("descendant", False))
        }
        for relation in ("ancestor", "descendant"):
            told = {
                one["id"]: one["distance"] for one in found["nodes"] if one["relation"] == relation
            }
            assert told == expected[relation]
        assert found["nodes"][0] | {"links": []} == found["nodes"][0] | {
            "id": str(root),
            "relation": "self",
            "distance": 0,
            "links": [],
        }
        for one in found["nodes"]:
            links = RecordLink.objects.filter(source_id=one["id"]).order_by("ord")
            assert one["links"] == [
                {"target_memory_id": str(link.target_id), "link_type": link.link_type}
                for link in links
            ]


@pytest.mark.spec("B3", "E6")
@pytest.mark.parametrize(
    ("depth", "limit"), [(1, 200), (2, 200), (20, 1), (20, 2), (3, 7), (20, 9)]
)
def test_bounds_keep_the_nearest_and_say_on_which_side_something_is_left_out(
    desk: Desk, web: list[UUID], depth: int, limit: int
) -> None:
    for root in web[::7]:
        found = traced(desk, root, depth=depth, limit=limit)
        distances = [one["distance"] for one in found["nodes"]]
        assert distances == sorted(distances)
        assert len(distances) <= limit
        shown = {}
        for relation, side, up in (
            ("ancestor", "ancestors", True),
            ("descendant", "descendants", False),
        ):
            every = oracle(root, up=up)
            nodes = [one for one in found["nodes"] if one["relation"] == relation]
            assert {UUID(one["id"]): one["distance"] for one in nodes}.items() <= every.items()
            assert all(one["distance"] <= depth for one in nodes)
            assert found["left_out"][side] is (len(nodes) < len(every))
            missing = set(every) - {UUID(one["id"]) for one in nodes}
            if nodes and missing:
                assert max(one["distance"] for one in nodes) <= min(every[id_] for id_ in missing)
            within = sum(distance <= depth for distance in every.values())
            shown[side] = (len(nodes), within)
        if any(has < within for has, within in shown.values()):
            assert len(distances) == limit, "room is left while something within reach is not shown"
            half = (limit - 1) // 2
            assert all(has >= min(within, half) for has, within in shown.values())


@pytest.mark.spec("B3", "E6")
def test_of_many_at_one_distance_the_newest_are_shown(desk: Desk, now: datetime) -> None:
    root = desk.write(now=now).id
    many = [
        write(desk, root, kind=LINK_TYPES[i % 3], now=now + timedelta(seconds=i)) for i in range(12)
    ]
    found = traced(desk, root, limit=5)
    assert [one["id"] for one in found["nodes"][1:]] == [str(id_) for id_ in many[:-5:-1]]
    assert found["left_out"] == {"ancestors": False, "descendants": True}


@pytest.mark.spec("R17", "C14", "B3")
def test_an_erased_record_keeps_its_place_by_identity(desk: Desk, now: datetime) -> None:
    below = desk.write(now=now, content="a secret", tags=["hush"], instruments=["ETH"]).id
    middle = write(desk, below, now=now, content="another secret")
    above = write(desk, middle, now=now)
    for id_ in (below, middle):
        desk.erase(id_, now=now)
    found = traced(desk, above)
    assert [(one["id"], one["erased"], one["status"]) for one in found["nodes"]] == [
        (str(above), False, "fresh"),
        (str(middle), True, None),
        (str(below), True, None),
    ]
    assert found["nodes"][2]["instruments"] == ["ETH"]
    assert "secret" not in str(found)
    assert "hush" not in str(found)
    # From the tombstone itself, too.
    assert len(traced(desk, middle)["nodes"]) == 3


@pytest.mark.spec("R15", "C3", "B3")
def test_a_lineage_says_who_records_are_and_never_what_they_say(desk: Desk, now: datetime) -> None:
    old = write(desk, now=now - timedelta(hours=3), content="the first words")
    gone = write(desk, old, now=now, content="the second words")
    root = write(desk, old, gone, now=now, content="the third words")
    desk.withdraw(gone, now=now)
    found = traced(desk, root)
    assert [one["status"] for one in found["nodes"]] == ["fresh", "withdrawn", "stale"]
    silent = {"content", "metadata", "tags", "handoff_warnings", "expiry_policy", "agent"}
    shown = set(OneRecordOut.model_fields) - silent
    for one in found["nodes"]:
        assert set(one) == shown | {"relation", "distance", "erased"}
    assert "words" not in str(found)


@pytest.mark.spec("E6", "M3")
def test_strategy_memory_that_is_over_stays_in_the_lineage_of_what_rests_on_it(
    desk: Desk, now: datetime
) -> None:
    over = remember(desk, now=now - timedelta(days=200))
    root = write(desk, over, now=now)
    assert [one["id"] for one in traced(desk, root)["nodes"]] == [str(root), str(over)]


@pytest.mark.spec("R9", "E3")
@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("depth=0", "depth"),
        ("depth=21", "depth"),
        ("depth=x", "depth"),
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("limit=1&limit=2", "limit"),
        ("cursor=x", "cursor"),
    ],
)
def test_a_bad_bound_is_a_400(desk: Desk, now: datetime, query: str, place: str) -> None:
    id_ = desk.write(now=now).id
    response = desk.client().get(desk.path(f"memories/{id_}/lineage/?{query}"))
    assert response.status_code == 400
    assert list(response.json()["fields"]) == [place]


@pytest.mark.spec("C10", "X1")
def test_the_trading_role_traces_nothing_and_a_foreign_record_is_none(
    desk: Desk, other: Desk, now: datetime
) -> None:
    mine, theirs = desk.write(now=now).id, other.write(now=now).id
    response = desk.client("trading").get(desk.path(f"memories/{mine}/lineage/"))
    assert (response.status_code, response.json()["code"]) == (403, "not_this_role")
    assert desk.client().get(desk.path(f"memories/{theirs}/lineage/")).status_code == 404


@pytest.mark.spec("E6")
def test_a_lineage_costs_two_statements_a_step_and_three_for_its_records(
    desk: Desk, now: datetime, django_assert_num_queries: Any
) -> None:
    base = desk.write(now=now).id
    root = write(desk, base, now=now)
    for _ in range(5):
        write(desk, root, now=now)
    client = desk.client()
    client.get(desk.path("memories/"))
    # Token, agent, record; one step up and one down, and one each that finds no more.
    with django_assert_num_queries(3 + 4 + 3):
        client.get(desk.path(f"memories/{root}/lineage/"))
