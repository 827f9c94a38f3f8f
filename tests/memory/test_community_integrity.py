"""Copies and grants: what the database refuses, whoever writes; each rule is tried by raw SQL."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import Error, connection, transaction
from psycopg.types.json import Jsonb

from memory.ids import id_at, new_id
from memory.models import (
    Agent,
    SharedChange,
    SharedMemory,
    SharedPosting,
    SharedTail,
)
from memory.services import setup
from tests.community import judged, let_share, proven, shared
from tests.desk import Desk, make_desk
from tests.strategies import forget

DAY = timedelta(days=1)
STATE = {
    "confidence": "0.8000",
    "validated_count": 1,
    "community_confirmations": 0,
    "expires_at": None,
}


def refused_by(*statements: str, **values: Any) -> str | None:
    """Run statements in one transaction; return the constraint that refused them, if any did."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement, values)
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except Error as error:
        assert isinstance(error.__cause__, psycopg.Error)
        return error.__cause__.diag.constraint_name
    return None


@pytest.fixture
def copy(desk: Desk, now: datetime) -> SharedMemory:
    let_share(desk.agent)
    return shared(desk, proven(desk, now=now, tags=["volume"]), now=now)


@pytest.fixture
def insert(desk: Desk, now: datetime) -> Callable[..., str | None]:
    """Return what inserts a valid copy with its line, but for some columns."""
    let_share(desk.agent)
    source = proven(desk, "as written", now=now)
    agent = Agent.objects.get(id=desk.agent.id)

    def attempt(*, line: bool = True, community: bool = True, **columns: Any) -> str | None:
        row: dict[str, Any] = {
            "id": id_at(now),
            "agent_id": agent.id,
            "source_id": source,
            "source_node_uuid": agent.node_uuid,
            "type": "strategy_insight",
            "symbol_id": "ETH",
            "strategy_type": "breakout",
            "outcome": "success",
            "tags": [],
            "content": "as written",
            "confidence": "0.8",
            "validated_count": 1,
            "relevance_score": 1,
            "community_confirmations": 0,
            "evidence": Jsonb({}),
            "windows": Jsonb([]),
            "shared_at": now,
            "expires_at": None,
            "revision": 1,
            **columns,
        }
        names = ", ".join(row)
        places = ", ".join(f"%({name})s" for name in row)
        statements = [f"INSERT INTO memory_shared ({names}) VALUES ({places})"]
        if line:
            statements.append(
                "INSERT INTO memory_shared_change (shared_id, revision, event, after, at)"
                " VALUES (%(id)s, 1, 'shared', %(state)s, %(shared_at)s)"
            )
        if community:
            statements.append(PUBLISH)
        return refused_by(*statements, **row, source=source, state=Jsonb(STATE))

    return attempt


# A standing that says `community`, with a line that says so, too.
PUBLISH = """
WITH told AS (
    INSERT INTO memory_standing_change (agent_id, record_id, revision, event, before, after,
        cause_kind, cause_id, detail, at)
    SELECT agent_id, record_id, revision + 1, 'shared', after,
        after || '{"visibility": "community"}', 'test', '', '{}', at
    FROM memory_standing_change WHERE record_id = %(source)s AND revision = 1
)
UPDATE memory_standing SET visibility = 'community', revision = 2 WHERE record_id = %(source)s
"""
PRIVATE = """
WITH told AS (
    INSERT INTO memory_standing_change (agent_id, record_id, revision, event, before, after,
        cause_kind, cause_id, detail, at)
    SELECT c.agent_id, c.record_id, c.revision + 1, 'unshared', c.after,
        c.after || '{"visibility": "private"}', 'test', '', '{}', c.at
    FROM memory_standing_change c JOIN memory_standing s ON s.record_id = c.record_id
        AND s.revision = c.revision
    WHERE c.record_id = %(source)s
)
UPDATE memory_standing SET visibility = 'private', revision = revision + 1
WHERE record_id = %(source)s
"""


@pytest.mark.spec("M8")
def test_a_whole_copy_is_taken(insert: Callable[..., str | None]) -> None:
    assert insert() is None
    assert SharedMemory.objects.count() == 1


@pytest.mark.spec("M8")
@pytest.mark.parametrize(
    ("columns", "constraint"),
    [
        ({"type": "optimization"}, "shared_matches_source"),
        ({"content": "embellished"}, "shared_matches_source"),
        ({"symbol_id": "BTC"}, "shared_matches_source"),
        ({"strategy_type": None}, "shared_matches_source"),
        ({"outcome": "failure"}, "shared_matches_source"),
        ({"source_node_uuid": uuid4()}, "shared_matches_source"),
        ({"source_id": uuid4()}, "shared_matches_source"),
        ({"confidence": "1.1"}, "shared_shares_in_range"),
        ({"relevance_score": "-0.1"}, "shared_shares_in_range"),
        ({"community_confirmations": -1}, "shared_counts_not_negative"),
        ({"revision": 0}, "shared_counts_not_negative"),
        ({"tags": [""]}, "shared_tags_not_empty"),
        ({"evidence": Jsonb([])}, "shared_evidence_is_told"),
        ({"evidence": Jsonb(None)}, "shared_evidence_is_told"),
        ({"windows": Jsonb({})}, "shared_windows_are_a_list"),
        ({"confidence": "0.9"}, "shared_in_ledger"),
        ({"validated_count": 2}, "shared_in_ledger"),
        ({"community_confirmations": 1}, "shared_in_ledger"),
        ({"expires_at": "2027-01-01T00:00:00Z"}, "shared_in_ledger"),
        ({"revision": 2}, "shared_in_ledger"),
        ({"line": False}, "shared_in_ledger"),
        ({"community": False}, "shared_told_by_source"),
    ],
)
def test_a_copy_that_is_not_right_is_refused(
    insert: Callable[..., str | None], columns: dict[str, Any], constraint: str
) -> None:
    assert insert(**columns) == constraint
    assert not SharedMemory.objects.exists()


@pytest.mark.spec("M8")
def test_only_rules_and_successes_are_copied(
    desk: Desk, insert: Callable[..., str | None], now: datetime
) -> None:
    for type_, outcome in (("optimization", "success"), ("strategy_insight", "failure")):
        source = proven(desk, "another", now=now, type=type_, outcome=outcome)
        told = {"source_id": source, "content": "another", "type": type_, "outcome": outcome}
        assert insert(**told) == "shared_is_rule_or_success"


@pytest.mark.spec("M8", "X1")
def test_a_copy_is_its_authors_own_and_there_is_one(
    insert: Callable[..., str | None], other: Desk, now: datetime
) -> None:
    let_share(other.agent)
    theirs = proven(other, "as written", now=now)
    assert insert(source_id=theirs) == "shared_matches_source"
    assert insert() is None
    assert insert() == "memory_shared_source_id_key"


@pytest.mark.spec("M8")
def test_nothing_is_copied_of_an_agent_that_does_not_share(
    desk: Desk, insert: Callable[..., str | None]
) -> None:
    let_share(desk.agent, enabled=False)
    assert insert() == "shared_matches_source"


@pytest.mark.spec("M8")
@pytest.mark.parametrize(
    "change",
    [
        *("content = 'x'", "tags = '{x}'", "relevance_score = 0.5", "evidence = '[]'"),
        *("windows = '{}'", "source_node_uuid = gen_random_uuid()", "id = gen_random_uuid()"),
        *("shared_at = now()", "strategy_type = NULL", "symbol_id = 'BTC'", "revision = 1"),
        "revision = 3",
    ],
)
def test_a_copy_keeps_what_it_was_shared_with(copy: SharedMemory, change: str) -> None:
    moves = "" if change.startswith("revision") else ", revision = revision + 1"
    sql = f"UPDATE memory_shared SET {change}{moves} WHERE id = %(id)s"
    assert refused_by(sql, id=copy.id) == "shared_frozen"


UP = """
UPDATE memory_shared SET validated_count = validated_count + 1, revision = revision + 1
WHERE id = %(id)s
"""
LINE = """
INSERT INTO memory_shared_change (shared_id, revision, event, agent_id, backtest_id, before, after,
    at, "window")
SELECT shared_id, revision + 1, %(event)s, %(agent)s, %(backtest)s, after,
    after || '{"validated_count": 2}', at, %(window)s
FROM memory_shared_change WHERE shared_id = %(id)s AND revision = 1
"""


LINE_OF: dict[str, Any] = {"event": "confirmed", "window": None}


@pytest.mark.spec("M8", "M5")
def test_a_copy_moves_with_a_line_and_a_line_with_its_copy(
    copy: SharedMemory, other: Desk, desk: Desk
) -> None:
    line = {**LINE_OF, "agent": other.agent.id, "backtest": uuid4()}
    assert refused_by(UP, id=copy.id) == "shared_in_ledger"
    assert refused_by(LINE, id=copy.id, **line) == "ledger_in_shared"
    own = {**line, "agent": desk.agent.id}
    assert refused_by(UP, LINE, id=copy.id, **own) == "shared_judged_by_others"
    assert refused_by(UP, LINE, id=copy.id, **line) is None


@pytest.mark.spec("M8", "M5")
@pytest.mark.parametrize(
    ("wrong", "constraint"),
    [
        ({"agent": None}, "shared_change_has_a_judge"),
        ({"backtest": None}, "shared_change_has_a_judge"),
        ({"event": "shared"}, "shared_change_has_a_judge"),
        ({"event": "praised"}, "shared_change_named"),
        ({"window": Jsonb([])}, "shared_change_window_is_told"),
    ],
)
def test_a_line_says_who_judged_by_which_backtest(
    copy: SharedMemory, other: Desk, wrong: dict[str, Any], constraint: str
) -> None:
    line = {**LINE_OF, "agent": other.agent.id, "backtest": uuid4(), **wrong}
    assert refused_by(UP, LINE, id=copy.id, **line) == constraint


@pytest.mark.spec("M8", "M5")
def test_a_line_begins_where_the_one_before_ended_and_counts_once(
    copy: SharedMemory, other: Desk, now: datetime
) -> None:
    backtest = uuid4()
    judged(copy.id, other, "confirms", backtest=backtest, now=now)
    again = """
    INSERT INTO memory_shared_change (shared_id, revision, event, agent_id, backtest_id, before,
        after, at)
    SELECT shared_id, 3, event, agent_id, %(backtest)s, {before}, after, at
    FROM memory_shared_change WHERE shared_id = %(id)s AND revision = 2
    """
    unmoved = {"id": copy.id, "backtest": uuid4()}
    assert refused_by(again.format(before="before"), **unmoved) == "shared_change_follows"
    twice = {"id": copy.id, "backtest": backtest}
    assert refused_by(again.format(before="after"), **twice) == "shared_judged_once"


@pytest.mark.spec("M8", "M5")
def test_lines_never_change_and_go_with_their_copy_alone(copy: SharedMemory) -> None:
    for sql in (
        "UPDATE memory_shared_change SET at = now() WHERE shared_id = %(id)s",
        "DELETE FROM memory_shared_change WHERE shared_id = %(id)s",
    ):
        assert refused_by(sql, id=copy.id) == "shared_change_immutable"


GONE = "DELETE FROM memory_shared WHERE id = %(id)s"


@pytest.mark.spec("M8")
def test_a_copy_goes_when_its_source_is_private_again_and_not_before(copy: SharedMemory) -> None:
    values = {"id": copy.id, "source": copy.source_id}
    assert refused_by(GONE, **values) == "shared_told_by_source"
    assert refused_by(PRIVATE, **values) == "shared_told_by_source"
    assert refused_by(GONE, PRIVATE, **values) is None
    assert not SharedChange.objects.exists()


@pytest.mark.spec("M8", "M9")
def test_what_is_shared_is_not_merged_away(copy: SharedMemory, desk: Desk, now: datetime) -> None:
    survivor = proven(desk, "the better one", now=now)
    merged = """
    WITH told AS (
        INSERT INTO memory_standing_change (agent_id, record_id, revision, event, before, after,
            cause_kind, cause_id, detail, at)
        SELECT agent_id, record_id, 3, 'merged', after,
            after || jsonb_build_object('merged_into', %(into)s::text), 'test', '', '{}', at
        FROM memory_standing_change WHERE record_id = %(source)s AND revision = 2
    )
    UPDATE memory_standing SET merged_into_id = %(into)s, revision = 3 WHERE record_id = %(source)s
    """
    values = {"source": copy.source_id, "into": survivor, "id": copy.id}
    assert refused_by(merged, **values) == "shared_told_by_source"


@pytest.mark.spec("M8", "M3")
def test_a_copy_its_lines_and_its_words_go_with_the_authors_memory(
    copy: SharedMemory, other: Desk, now: datetime
) -> None:
    judged(copy.id, other, "confirms", now=now)
    assert SharedPosting.objects.exists()
    forget(copy.source_id, now=now)
    assert not SharedMemory.objects.exists()
    assert not SharedChange.objects.exists()
    assert not SharedPosting.objects.exists()
    tail = SharedTail.objects.get()
    assert (tail.text_records, tail.text_length) == (0, 0)
    assert refused_by("SELECT 1") is None


@pytest.mark.spec("M8", "S3")
def test_the_words_of_copies_are_counted_apart_from_their_authors(
    copy: SharedMemory, desk: Desk, now: datetime
) -> None:
    proven(desk, "a private word", now=now)
    second = shared(desk, proven(desk, "volume, volume and volume", now=now), now=now)
    lexemes = SharedPosting.objects.filter(shared=second).values_list("lexeme", "tf", "len")
    assert sorted(lexemes) == [("breakout", 1, 5), ("eth", 1, 5), ("volum", 3, 5)]
    assert not SharedPosting.objects.filter(lexeme="privat").exists()
    mine = sum(tf for _, tf, _ in lexemes)
    mine += sum(SharedPosting.objects.filter(shared=copy).values_list("tf", flat=True))
    tail = SharedTail.objects.get()
    assert (tail.text_records, tail.text_length) == (2, mine)
    assert refused_by("INSERT INTO memory_shared_tail VALUES (2, 0, 0)") == "shared_tail_is_one_row"
    less = "UPDATE memory_shared_tail SET text_records = -1"
    assert refused_by(less) == "shared_tail_not_negative"
    of_none = "INSERT INTO memory_shared_term VALUES ('x', %(id)s, 1, 1)"
    assert refused_by(of_none, id=new_id()) == "shared_term_copy_fk"


@pytest.mark.spec("M8", "E4")
def test_each_change_of_sharing_has_a_number_and_the_name_among_others_stays(desk: Desk) -> None:
    sql = "UPDATE memory_agent SET {} WHERE id = %(id)s"
    for change in (
        "share_community_memories = true",
        "sharing_revision = 2",
        "share_community_memories = true, sharing_revision = 3",
    ):
        assert refused_by(sql.format(change), id=desk.agent.id) == "agent_sharing_counted"
    node = "node_uuid = gen_random_uuid()"
    assert refused_by(sql.format(node), id=desk.agent.id) == "agent_node_frozen"
    right = "share_community_memories = true, sharing_revision = 2"
    assert refused_by(sql.format(right), id=desk.agent.id) is None


@pytest.mark.spec("M8", "X1")
def test_agents_have_random_names_among_others(desk: Desk, other: Desk) -> None:
    names = set(Agent.objects.values_list("node_uuid", flat=True))
    assert len(names) == 2
    assert {name.version for name in names} == {4}
    assert not names & {desk.agent.id, other.agent.id}


@pytest.mark.spec("M8")
def test_an_agent_with_memories_cannot_be_deleted_from_under_its_copies(
    copy: SharedMemory, desk: Desk
) -> None:
    assert refused_by("DELETE FROM memory_agent WHERE id = %(id)s", id=desk.agent.id) is not None
    assert SharedMemory.objects.filter(id=copy.id).exists()


GRANT = """
INSERT INTO memory_grant (id, reader_id, source_id, granted_at, granted_by_id, revoked_at,
    revoked_by_id)
VALUES (%(id)s, %(reader)s, %(source)s, %(at)s, %(by)s, %(until)s, %(ender)s)
"""


@pytest.fixture
def grant(desk: Desk, now: datetime) -> Callable[..., str | None]:
    """Return what grants the desk's agent to read a second one of its owner."""
    second = setup.create_agent(owner=desk.user, name="second", now=now)

    def attempt(*more: str, **columns: Any) -> str | None:
        row = {
            "id": UUID(int=1),
            "reader": desk.agent.id,
            "source": second.id,
            "at": now,
            "by": desk.user.pk,
            "until": None,
            "ender": None,
            **columns,
        }
        return refused_by(GRANT, *more, **row)

    return attempt


@pytest.mark.spec("M10")
def test_a_grant_is_between_two_agents_of_one_owner_and_open_once(
    desk: Desk, grant: Callable[..., str | None], now: datetime
) -> None:
    stranger = make_desk("stranger", now=now).agent.id
    assert grant(source=stranger) == "grant_of_one_owner"
    assert grant(reader=stranger) == "grant_of_one_owner"
    assert grant(source=desk.agent.id) == "grant_to_another"
    assert grant(until=now - DAY, ender=desk.user.pk) == "grant_revoked_by_somebody"
    assert grant(until=now) == "grant_revoked_by_somebody"
    assert grant(ender=desk.user.pk) == "grant_revoked_by_somebody"
    assert grant() is None
    assert grant(id=UUID(int=2)) == "grant_open_once"


@pytest.mark.spec("M10")
def test_a_grant_is_closed_once_and_never_changes_otherwise(
    desk: Desk, grant: Callable[..., str | None], now: datetime
) -> None:
    close = "UPDATE memory_grant SET revoked_at = now(), revoked_by_id = granted_by_id"
    assert grant() is None
    for change in (
        "UPDATE memory_grant SET granted_at = granted_at - interval '1 day'",
        f"{close}, granted_at = granted_at - interval '1 day'",
        f"{close}, id = gen_random_uuid()",
        f"{close}, reader_id = source_id, source_id = reader_id",
        "UPDATE memory_grant SET revoked_by_id = granted_by_id",
        "DELETE FROM memory_grant",
    ):
        assert refused_by(change) == "grant_closed_once", change
    assert refused_by(f"{close} WHERE revoked_at IS NULL".replace("now()", "granted_at")) is None
    assert refused_by(close) == "grant_closed_once"
    assert refused_by("UPDATE memory_grant SET revoked_at = NULL, revoked_by_id = NULL") == (
        "grant_closed_once"
    )
    # A new one may follow.
    assert grant(id=UUID(int=3), at=now + DAY) is None
    del desk
