"""Merging what says the same, and undoing it: ledgers, counts, races (SPEC M9)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from memory.errors import NotFound, NotMerged
from memory.models import SharedMemory, Standing, StandingChange
from memory.services import duplicates, endings
from memory.services.forget import forget as forget_for_good
from memory.services.purge import purge
from memory.services.standings import Cause, move, moving_of, replayed
from tests.copies import copy as share_copy
from tests.desk import BECAUSE, Desk
from tests.strategies import forget, remember

BY = Cause("user", "7")
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
SAID = "Long breakouts on 1h work when volume is above 2x its average."
AGAIN = "On 1h, buy the breakout with volume over 2x its mean: it works."
THIRD = "Volume greater than 2x the average made long breakouts on 1h profitable."
OTHER = "Long breakouts on 1h work when volume is below 2x its average."


def insight(desk: Desk, content: str = SAID, *, now: datetime, **told: Any) -> UUID:
    facts = {"symbol": "ETH", "strategy_type": "breakout", "outcome": "success", **told}
    return remember(desk, content, now=now, **facts)


def merge(desk: Desk, *, now: datetime, **how: Any) -> list[list[UUID]]:
    done = duplicates.merge(agent_id=desk.agent.id, by=BY, now=now, **how)
    return [group.ids for group in done.groups]


def undo(desk: Desk, record_id: UUID, *, now: datetime) -> list[UUID]:
    return duplicates.undo(agent_id=desk.agent.id, record_id=record_id, by=BY, now=now)


def standing(record_id: UUID) -> Standing:
    return Standing.objects.get(record_id=record_id)


def lines(record_id: UUID) -> list[StandingChange]:
    return list(StandingChange.objects.filter(record_id=record_id).order_by("revision"))


def states(desk: Desk) -> dict[UUID, Any]:
    """Return all standings of a desk, after holding each against its ledger."""
    rows = Standing.objects.filter(agent=desk.agent)
    for row in rows:
        assert replayed(desk.agent.id, row.record_id) == moving_of(row)
    return {row.record_id: moving_of(row) for row in rows}


@pytest.fixture(autouse=True)
def _checked_at_once(db: None) -> Iterator[None]:  # noqa: ARG001 - opens the database first
    """Check at the end of a test what is checked at the end of a transaction."""
    yield
    if not connection.needs_rollback:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.mark.spec("M9")
def test_the_most_trusted_one_stands_for_what_says_the_same(desk: Desk, now: datetime) -> None:
    old = insight(desk, now=now, confidence="0.6", validated_count=2, tags=["volume"])
    best = insight(desk, AGAIN, now=now + MINUTE, confidence="0.9", tags=["breakout"])
    new = insight(desk, THIRD, now=now + 5 * DAY, confidence="0.7", validated_count=3)
    apart = insight(desk, OTHER, now=now)
    then = now + 6 * DAY
    assert merge(desk, now=then) == [[best, new, old]]
    survivor = standing(best)
    assert (survivor.confidence, survivor.validated_count) == (Decimal("0.9"), 6)
    assert survivor.tags == ["breakout", "volume"]
    assert survivor.expires_at == now + 95 * DAY
    assert [standing(id_).merged_into_id for id_ in (old, new, apart)] == [best, best, None]
    line = lines(best)[-1]
    assert (line.event, line.cause_kind, line.cause_id, line.at) == ("absorbed", "user", "7", then)
    assert {one["id"] for one in line.detail["merged"]} == {str(old), str(new)}
    assert all(0 < Decimal(one["score"]) <= 1 for one in line.detail["merged"])
    assert [lines(id_)[-1].event for id_ in (old, new)] == ["merged", "merged"]
    states(desk)


@pytest.mark.spec("M9")
def test_one_configuration_is_one_insight_whatever_is_said_of_it(desk: Desk, now: datetime) -> None:
    config = {"side": "long", "timeframe": "1h", "n": 1}
    one = insight(desk, "January.", now=now, config=config)
    two = insight(desk, "A good month: February.", now=now + MINUTE, config=config)
    insight(desk, "March.", now=now, config=config | {"n": 2})
    assert merge(desk, now=now + DAY) == [[one, two]]
    assert lines(two)[-1].detail["how"] == "config"


@pytest.mark.spec("M9")
@pytest.mark.parametrize(
    "flip",
    [
        {"symbol": "BTC"},
        {"outcome": "failure"},
        {"outcome": None},
        {"strategy_type": "momentum"},
        {"config": {"side": "short"}},
        {"type": "optimization"},
    ],
    ids=lambda flip: next(iter(flip.items())),
)
def test_what_differs_in_a_typed_field_never_merges(
    desk: Desk, now: datetime, flip: dict[str, Any]
) -> None:
    base = {"config": {"side": "long"}} if "config" in flip else {}
    insight(desk, "the same words", now=now, **base)
    insight(desk, "the same words", now=now + MINUTE, **{**base, **flip})
    assert merge(desk, now=now + DAY) == []


@pytest.mark.spec("M9", "X1")
def test_nothing_merges_across_agents(desk: Desk, other: Desk, now: datetime) -> None:
    insight(desk, now=now)
    insight(other, now=now)
    assert merge(desk, now=now + DAY) == []
    theirs = insight(other, AGAIN, now=now)
    assert merge(desk, now=now + DAY) == []
    with pytest.raises(NotFound):
        undo(desk, theirs, now=now)


@pytest.mark.spec("M9", "M3")
def test_what_is_over_takes_no_part(desk: Desk, now: datetime) -> None:
    insight(desk, now=now)
    late = insight(desk, AGAIN, now=now + 60 * DAY)
    assert merge(desk, now=now + 91 * DAY) == []
    also = insight(desk, THIRD, now=now + 91 * DAY)
    assert merge(desk, now=now + 92 * DAY) == [[late, also]]


@pytest.mark.spec("M9")
def test_a_dry_run_tells_all_and_changes_nothing(desk: Desk, now: datetime) -> None:
    one, two = insight(desk, now=now), insight(desk, AGAIN, now=now + MINUTE)
    flipped = insight(desk, OTHER, now=now)
    before = states(desk)
    told = duplicates.merge(agent_id=desk.agent.id, by=BY, dry_run=True, now=now + DAY)
    assert [group.ids for group in told.groups] == [[one, two]]
    assert {pair.differs for pair in told.related} == {"numbers"}
    assert all(flipped in (pair.one, pair.other) for pair in told.related)
    assert states(desk) == before


@pytest.mark.spec("M9")
def test_doing_it_again_changes_nothing(desk: Desk, now: datetime) -> None:
    for content in (SAID, AGAIN, THIRD, OTHER):
        insight(desk, content, now=now)
    assert len(merge(desk, now=now + DAY)) == 1
    before = states(desk), StandingChange.objects.count()
    assert merge(desk, now=now + 2 * DAY) == []
    assert (states(desk), StandingChange.objects.count()) == before


@pytest.mark.spec("M9")
def test_what_stands_behind_a_survivor_is_pointed_on_and_never_chained(
    desk: Desk, now: datetime
) -> None:
    first, second = insight(desk, now=now), insight(desk, AGAIN, now=now + MINUTE)
    assert merge(desk, now=now + DAY) == [[first, second]]
    best = insight(desk, THIRD, now=now + DAY, confidence="1", validated_count=9)
    assert merge(desk, now=now + 2 * DAY) == [[best, first]]
    assert {standing(id_).merged_into_id for id_ in (first, second)} == {best}
    assert standing(best).validated_count == 11
    assert undo(desk, best, now=now + 3 * DAY) == [first]
    assert (standing(first).merged_into_id, standing(second).merged_into_id) == (None, first)
    assert standing(best).validated_count == 9
    assert undo(desk, first, now=now + 3 * DAY) == [second]
    assert standing(second).merged_into_id is None
    states(desk)


@pytest.mark.spec("M9")
def test_undo_restores_exactly_where_nothing_else_has_moved(desk: Desk, now: datetime) -> None:
    one = insight(desk, now=now, confidence="1", tags=["b", "a"], validated_count=2)
    two = insight(desk, AGAIN, now=now + 9 * DAY, tags=["c", "a"])
    before = states(desk)
    merge(desk, now=now + 10 * DAY)
    assert undo(desk, one, now=now + 11 * DAY) == [two]
    assert states(desk) == before
    parts = [[str(one)], [str(two)]]
    assert lines(one)[-1].detail == {"undoes": 2, "ids": [str(two)], "parts": parts}
    assert [lines(id_)[-1].event for id_ in (one, two)] == ["unmerged", "unmerged"]
    with pytest.raises(NotMerged):
        undo(desk, one, now=now + 11 * DAY)
    assert merge(desk, again=True, now=now + 12 * DAY) == [[one, two]]
    assert undo(desk, one, now=now + 13 * DAY) == [two]
    assert states(desk) == before


@pytest.mark.spec("M9")
def test_what_an_undo_parted_is_merged_again_by_none_but_who_asks_for_it(
    desk: Desk, now: datetime
) -> None:
    one = insight(desk, now=now, validated_count=3)
    two = insight(desk, AGAIN, now=now + MINUTE, validated_count=2)
    three = insight(desk, THIRD, now=now + 2 * MINUTE)
    assert merge(desk, now=now + DAY) == [[one, two, three]]
    assert set(undo(desk, one, now=now + 2 * DAY)) == {two, three}
    before = states(desk)
    found = duplicates.preview(agent_id=desk.agent.id, now=now + 3 * DAY)
    assert found.groups == ()
    assert {(pair.one, pair.other, pair.differs) for pair in found.related} == {
        (one, two, "parted"),
        (one, three, "parted"),
        (two, three, "parted"),
    }
    assert merge(desk, now=now + 3 * DAY) == []
    assert states(desk) == before
    # What is new joins one of them, and no second one with it.
    four = insight(desk, SAID, now=now + 4 * DAY)
    assert merge(desk, now=now + 4 * DAY) == [[one, four]]
    assert merge(desk, now=now + 5 * DAY) == []
    assert merge(desk, now=now + 5 * DAY, again=True) == [[one, two, three]]
    # It was asked for, and is parted no longer.
    five = insight(desk, SAID, now=now + 6 * DAY)
    assert merge(desk, now=now + 6 * DAY) == [[one, five]]
    states(desk)


@pytest.mark.spec("M9")
@pytest.mark.parametrize("best", ["last", "first"])
def test_what_stood_behind_the_parts_of_a_group_is_parted_with_them(
    desk: Desk, now: datetime, best: str
) -> None:
    trusts = {"last": ("0.7", "0.6", "0.9"), "first": ("0.9", "0.7", "0.6")}[best]
    ids = [
        insight(desk, way, now=now + n * MINUTE, confidence=trusts[n])
        for n, way in enumerate((SAID, AGAIN))
    ]
    assert merge(desk, now=now + DAY) == [ids]
    ids.append(insight(desk, THIRD, now=now + 2 * DAY, confidence=trusts[2]))
    (group,) = merge(desk, now=now + 3 * DAY)
    undo(desk, group[0], now=now + 4 * DAY)
    assert merge(desk, now=now + 5 * DAY) == []
    undo(desk, ids[0], now=now + 6 * DAY)
    assert {standing(id_).merged_into_id for id_ in ids} == {None}
    assert merge(desk, now=now + 7 * DAY) == []
    states(desk)


@pytest.mark.spec("M9")
def test_an_undo_by_a_clock_behind_the_merges_parts_all_the_same(desk: Desk, now: datetime) -> None:
    one = insight(desk, now=now - DAY)
    insight(desk, AGAIN, now=now)
    merge(desk, now=now + MINUTE)
    undo(desk, one, now=now)
    assert merge(desk, now=now + DAY) == []


@pytest.mark.spec("M9")
def test_what_an_undo_parted_stays_so_whatever_configuration_it_has(
    desk: Desk, now: datetime
) -> None:
    ids = [insight(desk, f"text {n}", now=now + n * MINUTE, config={"n": 1}) for n in range(3)]
    assert merge(desk, now=now + DAY) == [ids]
    undo(desk, ids[0], now=now + 2 * DAY)
    more = [insight(desk, f"more {n}", now=now + 3 * DAY, config={"n": 1}) for n in range(2)]
    (group,) = merge(desk, now=now + 4 * DAY)
    assert set(more) < set(group)
    assert len(set(group) & set(ids)) == 1
    assert merge(desk, now=now + 5 * DAY) == []
    states(desk)


@pytest.mark.spec("M9")
def test_undo_takes_away_what_the_merge_added_where_the_survivor_has_moved_since(
    desk: Desk, now: datetime
) -> None:
    one = insight(desk, now=now, confidence="0.9", tags=["a"], validated_count=2)
    two = insight(desk, AGAIN, now=now + DAY, confidence="0.5", tags=["b"], validated_count=3)
    merge(desk, now=now + 2 * DAY)
    move(
        agent_id=desk.agent.id,
        record_id=one,
        event="confirmed",
        cause=BY,
        step=lambda was: type(was)(
            tags=(*was.tags, "d"),
            confidence=Decimal("0.8"),
            validated_count=was.validated_count + 1,
            relevance_score=was.relevance_score,
            expires_at=was.expires_at,
        ),
        now=now + 3 * DAY,
    )
    assert undo(desk, one, now=now + 4 * DAY) == [two]
    row = standing(one)
    assert (row.validated_count, row.tags, row.confidence) == (3, ["a", "d"], Decimal("0.8"))
    assert row.expires_at == now + 90 * DAY
    states(desk)


@pytest.mark.spec("M9", "M3")
def test_undo_leaves_what_was_deleted_meanwhile(desk: Desk, now: datetime) -> None:
    one, two = insight(desk, now=now), insight(desk, AGAIN, now=now + MINUTE)
    three = insight(desk, THIRD, now=now + 2 * MINUTE)
    merge(desk, now=now + DAY)
    forget(two, now=now + DAY)
    assert undo(desk, one, now=now + 2 * DAY) == [three]
    assert standing(three).merged_into_id is None
    states(desk)


@pytest.mark.spec("M9", "M3")
def test_a_survivor_that_is_deleted_takes_along_what_it_stands_for(
    desk: Desk, now: datetime
) -> None:
    one, two = insight(desk, now=now), insight(desk, AGAIN, now=now + MINUTE)
    merge(desk, now=now + DAY)
    gone = forget_for_good(agent_id=desk.agent.id, record_ids=[one], by=BY, now=now + DAY)
    assert set(gone) == {one, two}
    with pytest.raises(NotFound):
        undo(desk, one, now=now + DAY)


@pytest.mark.spec("M9")
def test_only_what_a_person_saw_is_merged(desk: Desk, now: datetime) -> None:
    one, two = insight(desk, now=now), insight(desk, AGAIN, now=now + MINUTE)
    seen = [frozenset({one, two})]
    insight(desk, THIRD, now=now + 2 * MINUTE)
    assert merge(desk, only=seen, now=now + DAY) == []
    assert len(merge(desk, now=now + DAY)) == 1


@pytest.mark.spec("M9")
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_database_refuses_a_chain(desk: Desk, now: datetime, order: Sequence[int]) -> None:
    a, b, c = (insight(desk, f"text {n}", now=now, strategy_type=None) for n in range(3))
    pairs = [(a, b), (b, c)]
    for number in order:
        one, into = pairs[number]
        move(
            agent_id=desk.agent.id,
            record_id=one,
            event="merged",
            cause=BY,
            step=partial(replace, merged_into=into),
            now=now,
        )
    with connection.cursor() as cursor, pytest.raises(IntegrityError) as refused:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    cause = refused.value.__cause__
    assert isinstance(cause, psycopg.Error)
    assert cause.diag.constraint_name == "standing_merged_once"
    transaction.set_rollback(True)


@pytest.mark.spec("M9", "B3", "E6")
def test_lineage_and_a_records_own_answer_lead_from_what_was_merged_to_its_survivor(
    desk: Desk, now: datetime
) -> None:
    one = insight(desk, now=now)
    two = insight(desk, AGAIN, now=now + MINUTE)
    rule = desk.write(
        "autopilot",
        now=now + 2 * MINUTE,
        type="rule",
        content="a rule",
        links=[{"target_memory_id": str(two), "link_type": "derived_from"}],
    ).id
    merge(desk, now=now + 3 * MINUTE)
    client = desk.client("autopilot")

    def graph(record_id: UUID) -> dict[UUID, tuple[str, int, UUID | None]]:
        nodes = client.get(desk.path(f"memories/{record_id}/lineage/")).json()["nodes"]
        return {
            UUID(node["id"]): (
                node["relation"],
                node["distance"],
                node["merged_into"] and UUID(node["merged_into"]),
            )
            for node in nodes
        }

    assert graph(rule) == {
        rule: ("self", 0, None),
        two: ("ancestor", 1, one),
        one: ("ancestor", 2, None),
    }
    assert graph(one) == {
        one: ("self", 0, None),
        two: ("descendant", 1, one),
        rule: ("descendant", 2, None),
    }
    told = {id_: client.get(desk.path(f"memories/{id_}/")).json() for id_ in (one, two)}
    assert [told[id_]["merged_into"] for id_ in (one, two)] == [None, str(one)]
    assert [row["id"] for row in client.get(desk.path("memories/")).json()["results"]] == [
        str(rule),
        str(one),
    ]
    counted = client.get(desk.path("memory-types/")).json()["results"]
    assert {row["type"]: row["count"] for row in counted} == {"rule": 1, "strategy_insight": 1}


@pytest.mark.spec("M9", "M3")
def test_what_is_merged_is_read_as_long_as_what_stands_for_it(desk: Desk, now: datetime) -> None:
    long_ago = now - 80 * DAY
    old = insight(desk, now=long_ago, confidence="0.5")
    new = insight(desk, AGAIN, now=now - DAY)
    merge(desk, now=now - DAY)
    client = desk.client("autopilot")
    path = desk.path(f"memories/{old}/")
    assert client.get(path).json()["merged_into"] == str(new)
    move(
        agent_id=desk.agent.id,
        record_id=new,
        event="deprecated",
        cause=BY,
        step=lambda was: replace(was, expires_at=now),
        now=now,
    )
    assert client.get(path).status_code == 404


@pytest.mark.spec("M9", "M8")
def test_the_shared_copy_of_what_is_merged_away_is_withdrawn_and_not_shared_again(
    desk: Desk, now: datetime
) -> None:
    one = insight(desk, now=now - DAY, confidence="0.9")
    two = insight(desk, AGAIN, now=now - DAY, confidence="0.5")
    for id_ in (one, two):
        share_copy(id_, now=now - DAY)
    merge(desk, now=now)
    assert list(SharedMemory.objects.values_list("source_id", flat=True)) == [one]
    assert [line.event for line in lines(two)][-2:] == ["unshared", "merged"]
    assert standing(two).visibility == "private"
    undo(desk, one, now=now)
    assert standing(two).visibility == "private"
    assert SharedMemory.objects.count() == 1
    states(desk)


@pytest.mark.spec("M9", "M3")
def test_what_is_parted_after_its_own_time_ends_then_and_can_be_restored_for_the_grace(
    desk: Desk, now: datetime
) -> None:
    one = insight(desk, now=now, outcome="failure", confidence="0.9")
    two = insight(desk, AGAIN, now=now + 5 * DAY, outcome="failure", confidence="0.5")
    live = insight(desk, THIRD, now=now + 29 * DAY, outcome="failure", confidence="0.4")
    merge(desk, now=now + 29 * DAY)
    assert standing(one).expires_at == now + 59 * DAY
    then = now + 50 * DAY
    assert set(undo(desk, one, now=then)) == {two, live}
    # Over for weeks by their own time, and not before anybody could see it.
    assert [standing(id_).expires_at for id_ in (one, two, live)] == [then, then, now + 59 * DAY]
    told = {id_: lines(id_)[-1].detail.get("own_end") for id_ in (one, two, live)}
    assert told == {one: "2026-10-30T12:01:07Z", two: "2026-11-04T12:01:07Z", live: None}
    assert purge(by=BY, now=then + 7 * DAY - MINUTE).rows == 0
    endings.restore(agent_id=desk.agent.id, record_id=two, now=then + 6 * DAY, **BECAUSE)
    assert purge(by=BY, now=then + 7 * DAY).rows == 1
    assert set(states(desk)) == {two, live}


@pytest.mark.spec("M9", "M3")
def test_an_end_that_no_merge_moved_stays_when_it_is_undone(desk: Desk, now: datetime) -> None:
    one = insight(desk, now=now + MINUTE, confidence="0.9")
    insight(desk, AGAIN, now=now, confidence="0.5")
    merge(desk, now=now + DAY)
    assert len(undo(desk, one, now=now + 95 * DAY)) == 1
    assert standing(one).expires_at == now + MINUTE + 90 * DAY
