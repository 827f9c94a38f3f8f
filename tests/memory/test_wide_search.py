"""Search beyond an agent's own memory: what others share, and what was granted (SPEC M8, M10)."""

from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.models import Agent, SharedMemory
from memory.schemas.search import SearchAnswer, SearchQuery
from memory.selectors.reach import look_up_reach
from memory.selectors.search import cascade, search
from memory.services import grants
from tests.copies import copy, let_read, move_copy, switch, withdraw
from tests.desk import Desk, make_desk
from tests.memory.search_oracle import DAY, QUESTION, end
from tests.memory.wide_oracle import HISTORY, NAMES, Place, live_through
from tests.strategies import forget, remember

SHARED = ("memory_shared", "memory_shared_change", "memory_shared_term", "memory_shared_tail")


@pytest.fixture
def second(desk: Desk, now: datetime) -> Desk:
    """Return another agent of the first desk's user."""
    return make_desk("second", now=now, user=desk.user)


def ask(desk: Desk, *, now: datetime, **asked: Any) -> SearchAnswer:
    return search(agent_id=desk.agent.id, asked=SearchQuery.parse(asked), now=now)


def ids(answer: SearchAnswer) -> list[UUID]:
    return [item.memory_id for item in answer.items]


@pytest.mark.spec("S2", "S3", "M3", "M8", "M10", "X1")
@given(history=HISTORY, questions=st.lists(QUESTION, min_size=2, max_size=4))
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_the_cascade_over_agents_equals_the_naive_oracle_on_random_histories(
    db: None,  # noqa: ARG001 - opens the database first
    now: datetime,
    history: dict[str, Any],
    questions: list[dict[str, Any]],
) -> None:
    with transaction.atomic():
        first = make_desk(NAMES[0], now=now)
        third = make_desk(NAMES[2], now=now)
        desks = [
            first,
            make_desk(NAMES[1], now=now, user=first.user),
            third,
            make_desk(NAMES[3], now=now, user=third.user),
        ]
        crowd = live_through(desks, history, now=now)
        for reader, desk in enumerate(desks):
            reach = look_up_reach(desk.agent.id)
            for question in questions:
                asked = SearchQuery.parse(question)
                found = cascade(agent_id=desk.agent.id, asked=asked, reach=reach, now=now)
                told = [
                    Place(
                        one.item.section,
                        one.item.memory_id,
                        one.item.score or 0.0,
                        one.item.community,
                        one.item.granted_from,
                    )
                    for one in found
                ]
                wanted = crowd.expected(reader, asked, now=now)
                assert [(one.section, one.id) for one in told] == [
                    (one.section, one.id) for one in wanted
                ]
                for one, other in zip(told, wanted, strict=True):
                    assert (one.community, one.granted_from) == (
                        other.community,
                        other.granted_from,
                    )
                    assert one.score == pytest.approx(other.score, abs=1e-8)
        transaction.set_rollback(True)


def scans() -> dict[str, int]:
    """Return how often each table of the community was scanned in this transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, seq_scan + coalesce(idx_scan, 0) FROM pg_stat_xact_user_tables"
            " WHERE relname LIKE 'memory\\_shared%%'"
        )
        return dict(cursor.fetchall())


QUESTIONS: list[dict[str, Any]] = [
    {},
    {"symbol": "ETH"},
    {"symbol": "ETH", "strategy_type": "breakout", "tags": ["adx"], "query": "wait for volume"},
    {"strategy_type": "breakout", "query": "wait"},
]


@pytest.mark.spec("M8", "M10")
def test_with_sharing_off_not_one_community_row_is_read(
    desk: Desk, other: Desk, now: datetime
) -> None:
    memory_id = remember(other, now=now, type="rule")
    copy_id = copy(memory_id, now=now)
    own = remember(desk, now=now, type="rule")
    before = scans()
    assert set(before) == set(SHARED)
    with CaptureQueriesContext(connection) as queries:
        for question in QUESTIONS:
            answer = ask(desk, now=now, why_not=str(copy_id), **question)
            assert ids(answer) == [own]
            assert answer.why_not is not None
            assert answer.why_not.cause == "unknown"
    assert scans() == before
    said = " ".join(query["sql"] for query in queries)
    assert "memory_shared" not in said
    # What was granted is asked after, and nothing else of it is read.
    assert said.count("memory_grant") == len(QUESTIONS)
    assert "sources" not in said
    # The same is true of what the planner makes of it.
    with connection.cursor() as cursor:
        for query in queries:
            cursor.execute(f"EXPLAIN {query['sql']}")
            assert "memory_shared" not in str(cursor.fetchall())
    switch(desk.agent, on=True)
    assert copy_id in ids(ask(desk, now=now))
    assert scans() != before


@pytest.mark.spec("M8")
def test_a_switch_and_a_grant_count_at_the_moment_of_the_statement(
    desk: Desk, other: Desk, second: Desk, now: datetime
) -> None:
    copy(remember(other, now=now, type="rule"), now=now)
    remember(second, now=now, type="rule")
    switch(desk.agent, on=True)
    given = let_read(desk, second, now=now)
    known = look_up_reach(desk.agent.id)
    assert (known.community, known.granted) == (True, True)
    asked = SearchQuery.parse({"query": "wait"})
    assert len(cascade(agent_id=desk.agent.id, asked=asked, reach=known, now=now)) == 2
    switch(desk.agent, on=False)
    assert grants.revoke(grant=given, by_id=desk.user.pk, now=now)
    assert cascade(agent_id=desk.agent.id, asked=asked, reach=known, now=now) == []


@pytest.mark.spec("M8", "M10", "S4")
def test_marks_say_where_a_memory_is_from_and_never_its_ids(
    desk: Desk, other: Desk, second: Desk, now: datetime
) -> None:
    facts: dict[str, Any] = {"strategy_type": "breakout", "outcome": "success"}
    switch(desk.agent, on=True)
    let_read(desk, second, now=now)
    shared = remember(other, "Wait for volume", now=now, type="rule", confidence="0.7")
    copy_id = copy(shared, now=now)
    granted = remember(
        second, "Flags fail", now=now, symbol="BTC", **{**facts, "outcome": "failure"}
    )
    own = remember(desk, "Triangles hold", now=now, symbol="ETH", **facts)
    answer = ask(desk, now=now, symbol="ETH", strategy_type="breakout")
    assert answer.text == (
        "**Universal Rules:**\n- [COMMUNITY 🌐] [conf: 70%] Wait for volume\n\n"
        "**ETH Insights:**\n- [SUCCESS] Triangles hold\n\n"
        "**Cross-Asset Transfer:**\n- ⚡ [Transfer from BTC] [FROM second] [FAILURE] Flags fail"
    )
    rule, mine, theirs = answer.items
    node = Agent.objects.get(id=other.agent.id).node_uuid
    assert (rule.memory_id, rule.community, rule.source_node_uuid) == (copy_id, True, node)
    assert (rule.granted_from, theirs.granted_from) == (None, "second")
    assert (theirs.memory_id, theirs.community, theirs.source_node_uuid) == (granted, False, None)
    assert (mine.memory_id, mine.community, mine.granted_from) == (own, False, None)
    whole = answer.model_dump_json()
    for private in (shared, other.agent.id, second.agent.id, desk.agent.id):
        assert str(private) not in whole


@pytest.mark.spec("M8", "M3")
def test_what_has_ended_or_was_withdrawn_never_counts_against_a_limit(
    desk: Desk, other: Desk, second: Desk, now: datetime
) -> None:
    """The dead would take every place: they are surer and newer."""
    facts: dict[str, Any] = {"strategy_type": "breakout", "outcome": "success", "tags": ["adx"]}
    switch(desk.agent, on=True)
    let_read(desk, second, now=now)
    live = [
        remember(desk, now=now - DAY, symbol="ETH", confidence="0.4", **facts) for _ in range(2)
    ]
    live.append(
        copy(remember(other, now=now - DAY, symbol="ETH", confidence="0.3", **facts), now=now)
    )
    for number in range(8):
        memory_id = remember(other, now=now, symbol="ETH", **facts)
        copy_id = copy(memory_id, now=now)
        if number % 3 == 0:
            withdraw(copy_id, now=now)
        elif number % 3 == 1:
            forget(memory_id, now=now)
        else:
            move_copy(copy_id, by=desk.agent, event="deprecated", now=now, expires_at=now)
        granted = remember(second, now=now, symbol="ETH", **facts)
        if number % 2:
            end(second, granted, at=now)
        else:
            forget(granted, now=now)
    for question in ({}, {"tags": ["adx", "x"]}, {"query": "wait"}):
        answer = ask(desk, now=now, symbol="ETH", **question)
        assert sorted(ids(answer)) == sorted(live)


@pytest.mark.spec("M8", "M10", "S3")
def test_tags_keep_out_insights_of_others_as_they_do_own_ones(
    desk: Desk, other: Desk, second: Desk, now: datetime
) -> None:
    switch(desk.agent, on=True)
    let_read(desk, second, now=now)
    found = []
    for tags in (["adx"], [], ["range"]):
        facts: dict[str, Any] = {"symbol": "ETH", "outcome": "success", "tags": tags}
        shared = copy(remember(other, now=now, **facts), now=now)
        found.append({shared, remember(second, now=now, **facts)})
    answer = ask(desk, now=now, symbol="ETH", strategy_type="breakout", tags=["adx", "x"])
    assert len(answer.items) == 3
    assert found[0] < set(ids(answer)) < found[0] | found[1]


@pytest.mark.spec("M8", "M10", "S3")
def test_an_original_takes_the_place_of_its_copy(
    desk: Desk, second: Desk, other: Desk, now: datetime
) -> None:
    switch(desk.agent, on=True)
    memory_id = remember(second, now=now, type="rule")
    copy_id = copy(memory_id, now=now)
    # Another agent, though of one owner: without a grant it reads the copy.
    assert ids(ask(desk, now=now)) == [copy_id]
    given = let_read(desk, second, now=now)
    assert ids(ask(desk, now=now)) == [memory_id]
    kept_out = ask(desk, now=now, why_not=str(copy_id)).why_not
    assert kept_out is not None
    assert kept_out.cause == "original"
    # The author has the original, and is not offered what others made of the copy.
    assert ids(ask(second, now=now)) == [memory_id]
    kept_out = ask(second, now=now, why_not=str(copy_id)).why_not
    assert kept_out is not None
    assert kept_out.cause == "original"
    # A copy outlives its original's end, where the community still trusts it.
    end(second, memory_id, at=now)
    assert ids(ask(desk, now=now)) == [copy_id]
    assert grants.revoke(grant=given, by_id=desk.user.pk, now=now)
    assert ids(ask(desk, now=now)) == [copy_id]
    assert ids(ask(other, now=now)) == []


@pytest.mark.spec("S3", "M8", "M10", "X1")
def test_why_not_names_what_kept_out_what_is_shared_or_granted(
    desk: Desk, other: Desk, second: Desk, now: datetime
) -> None:
    facts: dict[str, Any] = {"strategy_type": "breakout", "outcome": "success"}
    switch(desk.agent, on=True)
    let_read(desk, second, now=now)

    def pair(tags: list[str], symbol: str) -> tuple[UUID, UUID]:
        theirs = remember(other, now=now - DAY, symbol=symbol, tags=tags, **facts)
        return (
            copy(theirs, now=now - DAY),
            remember(second, now=now - DAY, symbol=symbol, tags=tags, **facts),
        )

    tagged, far, slot = pair(["range"], "ETH"), pair(["adx"], "BTC"), pair(["adx"], "ETH")
    ended = pair(["adx"], "ETH")
    move_copy(ended[0], by=desk.agent, event="deprecated", now=now, expires_at=now)
    end(second, ended[1], at=now)
    best = remember(second, now=now, type="optimization", symbol="ETH")
    hidden = remember(other, now=now, symbol="ETH", **facts)
    for _ in range(3):
        remember(desk, now=now, symbol="ETH", tags=["adx"], **facts)

    def cause(memory_id: UUID) -> str:
        answer = ask(desk, now=now, symbol="ETH", tags=["adx"], why_not=str(memory_id))
        assert answer.why_not is not None
        return answer.why_not.cause

    for both, said in ((tagged, "tag"), (far, "symbol"), (slot, "slot_full"), (ended, "expired")):
        assert [cause(one) for one in both] == [said, said]
    # Optimizations are not granted; and what is private is told from nothing by nothing.
    assert cause(best) == cause(hidden) == cause(uuid4()) == "unknown"


@pytest.mark.spec("X1", "M8", "M10")
def test_a_foreign_id_costs_what_a_random_one_does_however_far_an_agent_reads(
    desk: Desk, other: Desk, second: Desk, now: datetime
) -> None:
    switch(desk.agent, on=True)
    let_read(desk, second, now=now)
    private = remember(other, now=now, type="rule")
    shared = remember(other, now=now, type="rule")
    copy(shared, now=now)
    best = remember(second, now=now, type="optimization")
    said = set()
    for memory_id in (private, shared, best, uuid4()):
        with CaptureQueriesContext(connection) as queries:
            answer = ask(desk, now=now, why_not=str(memory_id))
        assert answer.why_not is not None
        said.add((answer.text, answer.why_not.cause, len(queries)))
    assert len(said) == 1


@pytest.mark.spec("M10", "X1")
def test_a_grant_is_one_way_and_not_handed_on_and_ends_with_the_owner(
    desk: Desk, other: Desk, second: Desk, now: datetime
) -> None:
    third = make_desk("third", now=now, user=desk.user)
    rules = {one.agent.id: remember(one, now=now, type="rule") for one in (desk, second, third)}
    let_read(desk, second, now=now)
    let_read(second, third, now=now)
    assert ids(ask(desk, now=now)) == sorted(
        [rules[desk.agent.id], rules[second.agent.id]], reverse=True
    )
    assert ids(ask(third, now=now)) == [rules[third.agent.id]]
    Agent.objects.filter(id=second.agent.id).update(owner=other.user)
    assert ids(ask(desk, now=now)) == [rules[desk.agent.id]]
    assert ids(ask(second, now=now)) == [rules[second.agent.id]]


@pytest.mark.spec("S3", "M8", "M10")
def test_words_of_one_scope_move_no_ranking_of_another(
    desk: Desk, other: Desk, second: Desk, now: datetime
) -> None:
    switch(desk.agent, on=True)
    let_read(desk, second, now=now)
    facts: dict[str, Any] = {"symbol": "ETH", "outcome": "success"}
    own = remember(desk, "volume confirms", now=now, **facts)
    shared = copy(remember(other, "volume holds", now=now, **facts), now=now)
    granted = remember(second, "volume rises", now=now, **facts)

    def scores() -> dict[UUID, float | None]:
        answer = ask(desk, now=now, symbol="ETH", query="volume")
        return {item.memory_id: item.score for item in answer.items}

    before = scores()
    assert len(before) == 3
    for _ in range(3):
        remember(other, "volume volume", now=now, type="optimization")
    assert scores() == before
    remember(desk, "volume again", now=now, type="optimization")
    after = scores()
    assert after[own] != before[own]
    assert (after[shared], after[granted]) == (before[shared], before[granted])


@pytest.mark.spec("S3", "M10")
def test_each_agent_that_was_granted_weighs_words_for_itself(
    desk: Desk, second: Desk, now: datetime
) -> None:
    third = make_desk("third", now=now, user=desk.user)
    let_read(desk, second, now=now)
    let_read(desk, third, now=now)
    rare = remember(second, "volume confirms", now=now, symbol="ETH", outcome="success")
    common = remember(third, "volume confirms", now=now, symbol="ETH", outcome="success")
    for one in (desk, second):
        for _ in range(4):
            remember(one, "range holds", now=now, type="optimization")
    for _ in range(4):
        remember(third, "volume holds", now=now, type="optimization")
    answer = ask(desk, now=now, symbol="ETH", query="volume")
    assert [(item.memory_id, item.granted_from) for item in answer.items] == [
        (rare, "second"),
        (common, "third"),
    ]
    assert [bool(item.score) for item in answer.items] == [True, True]
    assert answer.items[0].score != answer.items[1].score


@pytest.mark.spec("S3", "M8")
def test_the_same_question_has_the_same_answer_and_ties_go_to_the_nearer(
    desk: Desk, other: Desk, second: Desk, now: datetime
) -> None:
    switch(desk.agent, on=True)
    let_read(desk, second, now=now)
    facts: dict[str, Any] = {"symbol": "ETH", "outcome": "success"}
    for number in range(4):
        at = now - timedelta(minutes=number % 2)
        copy(remember(other, now=at, **facts), now=at, confidence=Decimal(1))
        remember(second, now=at, **facts)
        remember(desk, now=at, **facts)
    answers = {ask(desk, now=now, symbol="ETH", query="close").model_dump_json() for _ in range(4)}
    assert len(answers) == 1


@pytest.mark.spec("M8")
def test_the_end_of_a_copy_tells_a_reader_the_day_and_not_when_its_author_wrote(
    desk: Desk, other: Desk, now: datetime
) -> None:
    theirs = remember(other, "Crosses carry", now=now - DAY, symbol="ETH", outcome="success")
    switch(desk.agent, on=True)
    copied = copy(theirs, now=now)
    (item,) = ask(desk, now=now, symbol="ETH").items
    exact = SharedMemory.objects.get(id=copied).expires_at
    assert item.memory_id == copied
    assert item.expires_at is not None
    assert exact is not None
    assert item.expires_at.timetz() == time(tzinfo=UTC)
    assert timedelta(0) < item.expires_at - exact <= DAY
