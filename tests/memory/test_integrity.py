"""The database refuses what must never be, whoever writes: each rule is tried by raw SQL."""

from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import Error, connection, transaction

from memory.ids import new_id
from memory.schemas.answers import WrittenRecordOut
from memory.services.runs import start_run
from tests.desk import Desk, make_desk


def refused_by(sql: str, parameters: dict[str, Any]) -> str | None:
    """Run a statement in a transaction of its own; return the constraint that refused it."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except Error as error:
        assert isinstance(error.__cause__, psycopg.Error)
        return error.__cause__.diag.constraint_name
    return None


@pytest.fixture
def record(desk: Desk, now: datetime) -> WrittenRecordOut:
    return desk.write(now=now, instruments=["ETH"])


@pytest.fixture
def foreign(other: Desk, now: datetime) -> WrittenRecordOut:
    return other.write(now=now)


def insert_record(desk: Desk, now: datetime, **columns: Any) -> str | None:
    """Insert a row that is valid but for `columns`; return the constraint that refused it."""
    row: dict[str, Any] = {
        "id": new_id(),
        "agent_id": desk.agent.id,
        "seq": 1_000,
        "producer_id": desk.producers["analysis"].id,
        "run_id": open_run(desk, now),
        "type": "observation",
        "scope": "agent",
        "content": "x",
        "metadata": "{}",
        "tags": [],
        "created_at": now,
        "content_digest": bytes(32),
        "content_salt": bytes(16),
        **columns,
    }
    names = ", ".join(row)
    values = ", ".join(f"%({name})s" for name in row)
    return refused_by(f"INSERT INTO memory_record ({names}) VALUES ({values})", row)


def open_run(desk: Desk, now: datetime) -> UUID:
    """Return a run of the desk's analysis producer."""
    return start_run(producer=desk.producers["analysis"], now=now).id


@pytest.mark.spec("R2")
@pytest.mark.parametrize(
    ("columns", "constraint"),
    [
        ({}, None),
        ({"scope": "instruments"}, "record_needs_target"),
        ({"scope": "universe"}, "record_scope_known"),
        ({"type": "Observation"}, "record_type_valid"),
        ({"type": "observation\n"}, "record_type_valid"),
        ({"content": ""}, "record_content_unless_purged"),
        ({"metadata": "[]"}, "record_metadata_is_object"),
        ({"content_salt": None}, "record_salt_unless_purged"),
        ({"content_digest": bytes(31)}, "record_digest_is_sha256"),
        ({"originals_hash": bytes(33)}, "record_originals_is_sha256"),
        ({"run_id": None}, "record_has_provenance"),
        ({"producer_id": None}, "record_has_provenance"),
        ({"producer_id": new_id()}, "record_producer_fk"),
    ],
)
def test_a_row_that_breaks_a_rule_is_refused(
    desk: Desk, now: datetime, columns: dict[str, Any], constraint: str | None
) -> None:
    assert insert_record(desk, now, **columns) == constraint


@pytest.mark.spec("R4", "X1")
def test_a_record_cannot_name_another_agents_producer(
    desk: Desk, other: Desk, now: datetime
) -> None:
    theirs = other.producers["analysis"].id
    assert insert_record(desk, now, producer_id=theirs) == "record_producer_fk"


@pytest.mark.spec("R2")
def test_an_agent_wide_record_can_have_no_target(desk: Desk, now: datetime) -> None:
    wide = desk.write(now=now)
    for scope, constraint in (
        ("instruments", "target_scope_fk"),
        ("agent", "target_scope_instruments"),
    ):
        sql = """INSERT INTO memory_target
                   (agent_id, record_id, instrument_id, ord, scope, type, created_at)
                 VALUES (%(agent)s, %(record)s, 'ETH', 0, %(scope)s, 'observation', %(now)s)"""
        values = {"agent": desk.agent.id, "record": wide.id, "scope": scope, "now": now}
        assert refused_by(sql, values) == constraint


LINK = """INSERT INTO memory_link (agent_id, source_id, ord, target_id, link_type)
          VALUES (%(agent)s, %(source)s, 9, %(target)s, %(kind)s)"""


@pytest.mark.spec("R4", "R11")
def test_a_link_never_crosses_agents_and_has_a_known_type(
    desk: Desk, other: Desk, record: WrittenRecordOut, foreign: WrittenRecordOut, now: datetime
) -> None:
    mine = desk.write(now=now)

    def link(agent: UUID, source: UUID, target: UUID, kind: str = "evidence") -> str | None:
        values = {"agent": agent, "source": source, "target": target, "kind": kind}
        return refused_by(LINK, values)

    assert link(desk.agent.id, record.id, foreign.id) == "link_target_fk"
    assert link(other.agent.id, record.id, foreign.id) == "link_source_fk"
    assert link(desk.agent.id, record.id, new_id()) == "link_target_fk"
    assert link(desk.agent.id, record.id, record.id) == "link_not_self"
    assert link(desk.agent.id, mine.id, record.id, "inspired_by") == "link_type_known"
    assert link(desk.agent.id, mine.id, record.id) is None


ERASE = "purged_at = created_at, content = '', metadata = '{}', tags = '{}', content_salt = NULL"


TELL = """INSERT INTO memory_record_change
              (agent_id, record_id, number, event, reason, cause_kind, cause_id, at)
          SELECT agent_id, id, 1, 'erased', 'a test', 'test', '', created_at
          FROM memory_record WHERE id = %(id)s"""


@pytest.mark.spec("R1", "R6")
@pytest.mark.parametrize(
    "change",
    [
        "content = 'rewritten'",
        "metadata = '{\"a\": 1}'",
        "created_at = created_at - interval '1 hour'",
        "stale_after = 'infinity'",
        "seq = 77",
        "purged_at = created_at",
        "purged_at = created_at, content = '', metadata = '{}', tags = '{}'",
        f"{ERASE}, type = 'other'",
        f"{ERASE}, stale_after = NULL",
    ],
)
def test_a_record_never_changes_after_the_write(record: WrittenRecordOut, change: str) -> None:
    sql = f"UPDATE memory_record SET {change} WHERE id = %(id)s"
    assert refused_by(sql, {"id": record.id}) == "record_immutable"


@pytest.mark.spec("R1")
def test_erasing_empties_a_record_in_place_once_and_nothing_deletes_it(
    record: WrittenRecordOut,
) -> None:
    values = {"id": record.id}
    erase = f"UPDATE memory_record SET {ERASE} WHERE id = %(id)s"
    assert refused_by("DELETE FROM memory_record WHERE id = %(id)s", values) == "record_immutable"
    assert refused_by(erase, values) == "record_erasure_in_ledger"
    assert refused_by(f"{TELL}; {erase}", values) is None
    assert refused_by(erase, values) == "record_immutable"
    assert refused_by("DELETE FROM memory_record WHERE id = %(id)s", values) == "record_immutable"


@pytest.mark.spec("R3", "R4")
def test_targets_and_links_never_change(desk: Desk, now: datetime) -> None:
    first = desk.write(now=now, instruments=["ETH"])
    links = [{"target_memory_id": str(first.id), "link_type": "evidence"}]
    second = desk.write(now=now, links=links)
    for table, column, record_id, refusal in (
        ("memory_target", "record_id", first.id, "target_immutable"),
        ("memory_link", "source_id", second.id, "link_immutable"),
    ):
        where = f"WHERE {column} = %(id)s"
        assert refused_by(f"DELETE FROM {table} {where}", {"id": record_id}) == refusal
        assert refused_by(f"UPDATE {table} SET ord = 5 {where}", {"id": record_id}) == refusal


@pytest.mark.spec("F3", "R5")
@pytest.mark.parametrize(
    "change",
    [
        "schedule = '1h'",
        "evidence_boundary = evidence_boundary - interval '5 minutes'",
        "status = 'failed'",
        "started_at = started_at - interval '1 hour'",
    ],
)
def test_a_run_keeps_what_it_began_with_and_ends_once(
    record: WrittenRecordOut, change: str
) -> None:
    assert record.run is not None
    sql = f"UPDATE memory_run SET {change} WHERE id = %(id)s"
    assert refused_by(sql, {"id": record.run.id}) == "run_frozen"


@pytest.mark.spec("F8", "R5")
@pytest.mark.parametrize(
    ("columns", "constraint"),
    [
        ({}, None),
        ({"status": "succeeded"}, "run_end_matches_status"),
        ({"status": "asleep"}, "run_end_matches_status"),
        ({"ended_at": "2026-09-30T13:00Z"}, "run_end_matches_status"),
        ({"schedule": "7m"}, "run_boundary_matches_schedule"),
        ({"schedule": None}, "run_boundary_matches_schedule"),
        ({"evidence_boundary": None}, "run_boundary_matches_schedule"),
        ({"evidence_boundary": "2026-09-30T13:00Z"}, "run_boundary_matches_schedule"),
        ({"producer_id": new_id()}, "run_producer_fk"),
    ],
)
def test_a_run_that_contradicts_itself_is_refused(
    desk: Desk, now: datetime, columns: dict[str, Any], constraint: str | None
) -> None:
    row: dict[str, Any] = {
        "id": new_id(),
        "agent_id": desk.agent.id,
        "producer_id": desk.producers["analysis"].id,
        "schedule": "5m",
        "evidence_boundary": "2026-09-30T12:00Z",
        "started_at": now,
        "ended_at": None,
        "status": "running",
        "error": "",
        "implicit": False,
        **columns,
    }
    values = ", ".join(f"%({name})s" for name in row)
    sql = f"INSERT INTO memory_run ({', '.join(row)}) VALUES ({values})"
    assert refused_by(sql, row) == constraint


@pytest.mark.spec("X1", "B4")
def test_a_token_belongs_to_one_agents_producer_and_run(
    desk: Desk, other: Desk, foreign: WrittenRecordOut, now: datetime
) -> None:
    assert foreign.run is not None
    row: dict[str, Any] = {
        "agent": desk.agent.id,
        "id": new_id(),
        "producer": desk.producers["analysis"].id,
        "run": None,
        "expires": None,
        "now": now,
    }
    sql = """INSERT INTO memory_token
               (agent_id, id, producer_id, run_id, key, secret_sha256, created_at, expires_at)
             VALUES (%(agent)s, %(id)s, %(producer)s, %(run)s, 'k', '\\x00', %(now)s,
                     %(expires)s)"""
    theirs = other.producers["analysis"].id
    assert refused_by(sql, {**row, "producer": theirs}) == "token_producer_fk"
    assert refused_by(sql, {**row, "run": foreign.run.id, "expires": now}) == "token_run_fk"
    assert refused_by(sql, {**row, "run": foreign.run.id}) == "token_of_run_expires"
    assert refused_by(sql, row) is None


@pytest.mark.spec("R1")
def test_every_agent_is_born_with_its_tail_row(desk: Desk) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT last_seq, erasures FROM memory_agent_tail WHERE agent_id = %s", [desk.agent.id]
        )
        assert cursor.fetchone() == (0, 0)


@pytest.mark.spec("C1")
@pytest.mark.usefixtures("record")
def test_a_head_names_a_record_of_its_own_agent(desk: Desk, foreign: WrittenRecordOut) -> None:
    sql = "UPDATE memory_head SET record_id = %(foreign)s WHERE agent_id = %(agent)s"
    assert refused_by(sql, {"foreign": foreign.id, "agent": desk.agent.id}) == "head_record_fk"


@pytest.mark.spec("R3")
def test_one_selection_of_an_instrument_is_open_and_its_period_runs_forward(
    desk: Desk, now: datetime
) -> None:
    sql = """INSERT INTO memory_selection (id, agent_id, instrument_id, selected_at, deselected_at)
             VALUES (%(id)s, %(agent)s, 'ETH', %(now)s, %(until)s)"""
    row = {"id": new_id(), "agent": desk.agent.id, "now": now}
    assert refused_by(sql, {**row, "until": None}) == "selection_open_once"
    assert refused_by(sql, {**row, "until": now}) == "selection_period_forward"


TARGET = """INSERT INTO memory_target
              (agent_id, record_id, instrument_id, ord, producer_id, type, created_at)
            SELECT agent_id, id, %(instrument)s, 9, producer_id, %(type)s, created_at
            FROM memory_record WHERE id = %(record)s"""


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("R1", "R3", "C8")
def test_nothing_is_added_to_a_record_after_its_write(
    transactional_db: None, now: datetime
) -> None:
    del transactional_db
    desk = make_desk("whole", now=now)
    old = desk.write(now=now, instruments=["ETH"])
    new = desk.write(now=now)
    target = {"record": old.id, "instrument": "BTC", "type": "observation"}
    assert refused_by(TARGET, target) == "target_whole"
    for source, other in ((old, new), (new, old)):
        values = {"agent": desk.agent.id, "source": source.id, "target": other.id}
        assert refused_by(LINK, {**values, "kind": "corrects"}) == "link_whole"


@pytest.mark.spec("C8", "R4")
def test_a_link_leads_to_an_older_record_so_that_no_cycle_closes(desk: Desk, now: datetime) -> None:
    first, second = desk.write(now=now), desk.write(now=now)
    values = {"agent": desk.agent.id, "kind": "corrects"}
    back = {**values, "source": first.id, "target": second.id}
    assert refused_by(LINK, back) == "link_whole"
    assert refused_by(LINK, {**values, "source": second.id, "target": first.id}) is None


@pytest.mark.spec("C1", "R2")
def test_a_targets_copies_say_what_its_record_says(desk: Desk, now: datetime) -> None:
    record = desk.write(now=now, instruments=["ETH"])
    values = {"record": record.id, "instrument": "BTC", "type": "another"}
    assert refused_by(TARGET, values) == "target_whole"
    assert refused_by(TARGET, {**values, "type": "observation"}) is None


@pytest.mark.spec("R1", "X1")
def test_a_record_is_written_in_a_run_of_its_own_producer(
    desk: Desk, other: Desk, now: datetime
) -> None:
    sibling = desk.write("review", now=now, type="review")
    theirs = other.write(now=now)
    for record in (sibling, theirs):
        assert record.run is not None
        refusal = insert_record(desk, now, run_id=record.run.id)
        assert refusal == "record_run_of_producer"
    assert insert_record(desk, now, run_id=new_id()) == "record_run_of_producer"


@pytest.mark.spec("R5", "X2", "B4")
def test_a_producer_keeps_its_role_and_a_token_its_producer(desk: Desk, now: datetime) -> None:
    review = desk.producers["review"].id
    values = {"id": desk.producers["analysis"].id, "review": review, "now": now}
    role = "UPDATE memory_producer SET role = 'trading' WHERE id = %(id)s"
    assert refused_by(role, values) == "producer_frozen"
    moved = "UPDATE memory_token SET producer_id = %(review)s WHERE producer_id = %(id)s"
    assert refused_by(moved, values) == "token_frozen"
    revoke = "UPDATE memory_token SET revoked_at = %(now)s WHERE producer_id = %(id)s"
    assert refused_by(revoke, values) is None
    pardon = "UPDATE memory_token SET revoked_at = NULL WHERE producer_id = %(id)s"
    assert refused_by(pardon, values) == "token_frozen"
