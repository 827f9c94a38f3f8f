"""`verify_memory`: each invariant broken by raw SQL is found, and what can be repaired is."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from memory.ids import new_id
from memory.models import Record, Standing
from memory.selectors.heads import chosen
from memory.selectors.history import chosen_from_history
from memory.services.verification import rules, verify
from tests.desk import Desk, make_desk
from tests.memory.history import life


def verified(*words: str) -> dict[str, Any]:
    """Run the command and return its report, whose exit status must fit."""
    out = StringIO()
    status = 0
    try:
        call_command("verify_memory", "--json", *words, stdout=out, stderr=StringIO())
    except CommandError as error:
        status = error.returncode
    report: dict[str, Any] = json.loads(out.getvalue())
    assert status == (0 if report["ok"] else 1)
    assert report["ok"] == (report["faults"] == 0)
    return report


def found(*words: str) -> list[tuple[str, str | None]]:
    """Return what is found wrong: the check and the record of each."""
    return [(one["check"], one["record"]) for one in verified(*words)["found"]]


def past_all_rules(statement: str, **values: Any) -> None:
    """Run a statement as nobody can who is not the database's owner: no trigger looks at it."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET session_replication_role = replica")
        try:
            cursor.execute(statement, values)
            assert cursor.rowcount > 0
        finally:
            cursor.execute("SET session_replication_role = origin")


@pytest.fixture
def lived(desk: Desk, now: datetime) -> Desk:
    """Return a desk with all kinds of history."""
    life(desk, now=now)
    return desk


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("lived")
def test_what_the_services_wrote_is_as_it_must_be(other: Desk) -> None:
    assert verified() == {"ok": True, "faults": 0, "repaired": 0, "found": []}
    assert verified("--agent", other.agent.name, "--repair")["ok"]
    out = StringIO()
    call_command("verify_memory", stdout=out, stderr=StringIO())
    assert out.getvalue() == "All is as it must be.\n"


def first(desk: Desk, **which: Any) -> Record:
    record = Record.objects.filter(agent=desk.agent, **which).order_by("seq").first()
    assert record is not None
    return record


BREAKS: dict[str, tuple[dict[str, Any], str, str]] = {
    # which record, by what statement, found by which check
    "content": ({"seq": 1}, "UPDATE memory_record SET content = 'x' WHERE id = %(id)s", "digest"),
    "metadata": (
        {"seq": 2},
        "UPDATE memory_record SET metadata = metadata || '{\"a\": 1}' WHERE id = %(id)s",
        "digest",
    ),
    "deadline": (
        {"seq": 8},
        "UPDATE memory_record SET stale_after = stale_after + interval '1 s' WHERE id = %(id)s",
        "digest",
    ),
    "producer": (
        {"seq": 7},
        (
            "UPDATE memory_record SET producer_id = (SELECT id FROM memory_producer p"
            " WHERE p.agent_id = memory_record.agent_id AND role = 'review') WHERE id = %(id)s"
        ),
        "digest",
    ),
    "target order": (
        {"seq": 1},
        "UPDATE memory_target SET ord = 1 - ord WHERE record_id = %(id)s",
        "digest",
    ),
    "link type": (
        {"seq": 7},
        "UPDATE memory_link SET link_type = 'supports' WHERE source_id = %(id)s",
        "digest",
    ),
    "salt of a tombstone": (
        {"purged_at__isnull": False},
        "UPDATE memory_record SET tags = '{left}' WHERE id = %(id)s",
        "digest",
    ),
    "originals": (
        {"seq": 3},
        "UPDATE memory_record SET originals_hash = sha256('x') WHERE id = %(id)s",
        "links",
    ),
    "gap": ({"seq": 5}, "UPDATE memory_record SET seq = 1005 WHERE id = %(id)s", "seq"),
    "a target that says else": (
        {"seq": 2},
        "UPDATE memory_target SET created_at = now() WHERE record_id = %(id)s",
        "targets",
    ),
    "a link to a newer one": (
        {"seq": 1},
        (
            "INSERT INTO memory_link (agent_id, source_id, ord, target_id, link_type)"
            " SELECT agent_id, id, 0, (SELECT id FROM memory_record n"
            " WHERE n.agent_id = r.agent_id AND n.seq = 2), 'evidence'"
            " FROM memory_record r WHERE id = %(id)s"
        ),
        "links",
    ),
    "no target": (
        {"seq": 2},
        "DELETE FROM memory_target WHERE record_id = %(id)s",
        "targets",
    ),
    "a standing moved in silence": (
        {"type": "strategy_insight"},
        "UPDATE memory_standing SET confidence = 0.63 WHERE record_id = %(id)s",
        "ledger",
    ),
    "a ledger line rewritten": (
        {"type": "strategy_insight"},
        (
            "UPDATE memory_standing_change SET after = after || '{\"validated_count\": 9}'"
            " WHERE record_id = %(id)s AND revision = 1"
        ),
        "ledger",
    ),
    "a ledger line lost": (
        {"type": "rule"},
        "DELETE FROM memory_standing_change WHERE record_id = %(id)s AND revision = 2",
        "ledger",
    ),
    "a ledger line that means nothing": (
        {"type": "rule"},
        "UPDATE memory_standing_change SET after = '{}' WHERE record_id = %(id)s AND revision = 2",
        "ledger",
    ),
    "no standing": (
        {"type": "strategy_insight"},
        "DELETE FROM memory_standing WHERE record_id = %(id)s",
        "ledger",
    ),
    "another revision": (
        {"type": "strategy_insight"},
        "UPDATE memory_standing SET revision = 7 WHERE record_id = %(id)s",
        "ledger",
    ),
    "the config": (
        {"type": "strategy_insight"},
        "UPDATE memory_standing SET config = '{}' WHERE record_id = %(id)s",
        "digest",
    ),
    "the tag table": (
        {"type": "strategy_insight"},
        "UPDATE memory_tag SET confidence = 0.1 WHERE record_id = %(id)s",
        "tags",
    ),
    "a chain of merges": (
        {"type": "rule"},
        (
            "UPDATE memory_standing SET merged_into_id = (SELECT record_id FROM memory_standing"
            " WHERE type = 'strategy_insight' LIMIT 1) WHERE record_id ="
            " (SELECT merged_into_id FROM memory_standing WHERE record_id = %(id)s)"
        ),
        "merges",
    ),
    "a tag that lists no record": (
        {"seq": 1},
        "DELETE FROM memory_record_tag WHERE record_id = %(id)s",
        "record_tags",
    ),
    "a tag nobody gave": (
        {"seq": 1},
        (
            "INSERT INTO memory_record_tag SELECT agent_id, 'gold', created_at, id"
            " FROM memory_record WHERE id = %(id)s"
        ),
        "record_tags",
    ),
    "the table of records' tags": (
        {"seq": 1},
        "UPDATE memory_record_tag SET tag = 'c' WHERE record_id = %(id)s AND tag = 'a'",
        "record tags",
    ),
    "a tag of what is erased": (
        {"type": "doomed"},
        (
            "INSERT INTO memory_record_tag (agent_id, tag, created_at, record_id)"
            " SELECT agent_id, 'a', created_at, id FROM memory_record WHERE id = %(id)s"
        ),
        "record tags",
    ),
    "a withdrawal untold": (
        {"seq": 3},
        (
            "INSERT INTO memory_withdrawal (agent_id, record_id, withdrawn_at)"
            " SELECT agent_id, id, created_at FROM memory_record WHERE id = %(id)s"
        ),
        "changes",
    ),
    "an erasure untold": (
        {"type": "doomed"},
        "DELETE FROM memory_record_change WHERE record_id = %(id)s",
        "changes",
    ),
    "a change missing": (
        {"seq": 2},
        "UPDATE memory_record_change SET number = 9 WHERE record_id = %(id)s AND number = 4",
        "changes",
    ),
    "words that are not posted": (
        {"seq": 1},
        "DELETE FROM memory_term WHERE record_id = %(id)s AND lexeme LIKE 'tab%%'",
        "postings",
    ),
    "words posted otherwise": (
        {"seq": 1},
        "UPDATE memory_term SET tf = tf + 1, len = len + 1 WHERE record_id = %(id)s",
        "postings",
    ),
    "words nobody said": (
        {"seq": 1},
        (
            "INSERT INTO memory_term SELECT agent_id, 'gold', id, 1, 1 FROM memory_record"
            " WHERE id = %(id)s"
        ),
        "postings",
    ),
    "the run of another": (
        {"seq": 4},
        (
            "UPDATE memory_run SET producer_id = (SELECT id FROM memory_producer p"
            " WHERE p.agent_id = memory_run.agent_id AND role = 'review')"
            " WHERE id = (SELECT run_id FROM memory_record WHERE id = %(id)s)"
        ),
        "runs",
    ),
}


@pytest.mark.spec("U3", "M5", "U4")
@pytest.mark.parametrize("name", BREAKS)
def test_what_was_altered_past_the_rules_is_found(lived: Desk, name: str) -> None:
    which, statement, check = BREAKS[name]
    record = first(lived, **which)
    past_all_rules(statement, id=record.id)
    shown = found()
    assert check in {one for one, _ in shown}
    assert str(record.id) in {one for _, one in shown} or check == "seq"


@pytest.mark.spec("U3")
def test_the_tail_row_is_compared_with_what_there_is(lived: Desk) -> None:
    past_all_rules("UPDATE memory_agent_tail SET last_seq = last_seq + 1")
    past_all_rules("UPDATE memory_agent_tail SET text_length = text_length + 1")
    assert found() == [("seq", None), ("postings", None)]
    assert [one["agent"] for one in verified()["found"]] == [str(lived.agent.id)] * 2


HEADS = [
    "UPDATE {table} SET record_id = %(other)s WHERE record_id = %(id)s",
    "UPDATE {table} SET stale_after = 'infinity' WHERE record_id = %(id)s",
    "UPDATE {table} SET created_at = created_at - interval '1 s' WHERE record_id = %(id)s",
    "DELETE FROM {table} WHERE record_id = %(id)s",
    (
        "INSERT INTO {table} (agent_id, instrument_id, producer_id, {key}, record_id, created_at,"
        " stale_after) SELECT agent_id, 'NOPE', producer_id, {key}, record_id, created_at,"
        " stale_after FROM {table} WHERE record_id = %(id)s LIMIT 1"
    ),
]


@pytest.mark.spec("U3", "C1", "C6")
@pytest.mark.parametrize("statement", HEADS)
@pytest.mark.parametrize(
    "lane", [("memory_head", "type", 2), ("memory_correction_head", "originals_hash", 5)]
)
def test_a_head_that_history_does_not_give_is_found_and_repaired(
    lived: Desk, now: datetime, statement: str, lane: tuple[str, str, int]
) -> None:
    table, key, seq = lane
    record, wrong = first(lived, seq=seq), first(lived, seq=7)
    past_all_rules(statement.format(table=table, key=key), id=record.id, other=wrong.id)
    assert {check for check, _ in found()} == {"heads"}
    fixed = verified("--repair", "--agent", lived.agent.name)
    assert fixed["ok"]
    assert fixed["repaired"] == len(fixed["found"]) > 0
    assert verified()["found"] == []
    for name in ("BTC", "ETH"):
        asked: dict[str, Any] = {"instrument": name, "past": 20, "now": now}
        read = chosen(lived.agent.id, **asked)
        assert read == chosen_from_history(lived.agent.id, **asked)


@pytest.mark.spec("U3", "S3")
def test_postings_are_repaired_and_nothing_else_is(lived: Desk) -> None:
    record = first(lived, seq=1)
    past_all_rules("DELETE FROM memory_term WHERE record_id = %(id)s", id=record.id)
    past_all_rules(
        "INSERT INTO memory_term SELECT agent_id, 'x', %(new)s, 1, 1"
        " FROM memory_record WHERE id = %(id)s",
        id=record.id,
        new=new_id(),
    )
    past_all_rules("UPDATE memory_agent_tail SET text_records = 0")
    past_all_rules("UPDATE memory_standing SET confidence = 0.5 WHERE type = 'strategy_insight'")
    moved = Standing.objects.get(type="strategy_insight")
    out = StringIO()
    with pytest.raises(CommandError, match=r"^2 faults are left\.$"):
        call_command("verify_memory", "--repair", stdout=out, stderr=StringIO())
    lines = out.getvalue().splitlines()
    assert sum(line.startswith("repaired: postings: agent ") for line in lines) == 3
    assert {check for check, _ in found()} == {"ledger", "tags"}
    moved.refresh_from_db()
    assert str(moved.confidence) == "0.5000"


def sql(statement: str) -> Callable[[], None]:
    def run() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            cursor.execute(statement)

    return run


RULES = {
    "the trigger record_immutable is off on memory_record": sql(
        "ALTER TABLE memory_record DISABLE TRIGGER record_immutable"
    ),
    "a trigger of its keys is off on memory_link": sql(
        "ALTER TABLE memory_link DISABLE TRIGGER ALL"
    ),
    "link_target_fk, which the migrations made, is not there": sql(
        "ALTER TABLE memory_link DROP CONSTRAINT link_target_fk"
    ),
    "record_needs_target, which the migrations made, is not there": sql(
        "DROP TRIGGER record_needs_target ON memory_record"
    ),
    "record_scope_known, which the migrations made, is not there": sql(
        "ALTER TABLE memory_record DROP CONSTRAINT record_scope_known"
    ),
    "withdrawal_open_once, which the migrations made, is not there": sql(
        "DROP INDEX withdrawal_open_once"
    ),
    "standing_by_symbol, which the migrations made, is not there": sql(
        "DROP INDEX standing_by_symbol"
    ),
    "the constraint record_salt_unless_purged of memory_record was never checked": sql(
        "ALTER TABLE memory_record DROP CONSTRAINT record_salt_unless_purged;"
        "ALTER TABLE memory_record ADD CONSTRAINT record_salt_unless_purged CHECK (true) NOT VALID"
    ),
    "memory_target has no foreign key on instrument_id": sql(
        """DO $$ BEGIN EXECUTE (
            SELECT format('ALTER TABLE memory_target DROP CONSTRAINT %I', conname)
            FROM pg_constraint WHERE conrelid = 'memory_target'::regclass AND contype = 'f'
                AND confrelid = 'memory_instrument'::regclass); END $$"""
    ),
}


@pytest.mark.spec("U3", "R4")
@pytest.mark.parametrize("says", RULES)
def test_a_rule_of_the_database_that_is_gone_or_off_is_found(lived: Desk, says: str) -> None:
    RULES[says]()
    shown = verified("--agent", lived.agent.name)["found"]
    assert {one["check"] for one in shown} == {"rules"}
    assert any(one["what"].startswith(says) for one in shown)


@pytest.mark.spec("U3", "U7")
@pytest.mark.usefixtures("lived")
def test_a_database_that_is_behind_is_told_to_be_migrated_first() -> None:
    sql(
        "DELETE FROM django_migrations WHERE id ="
        " (SELECT max(id) FROM django_migrations WHERE app = 'memory')"
    )()
    (fault,) = verified()["found"]
    assert fault["what"] == "1 migrations are not applied: run migrate, and verify again"


@pytest.mark.spec("U3")
def test_the_rules_that_are_looked_for_are_the_many_that_there_are(db: None) -> None:
    del db
    names = rules.promised()
    assert {
        "record_immutable",
        "link_target_fk",
        "term_key",
        "correction_head_past",
        "autopilot_step_pkey",
    } - names == {"autopilot_step_pkey"}
    assert len(names) > 150


@pytest.mark.spec("U3", "R4", "X1")
def test_a_row_that_refers_across_agents_past_the_keys_is_found(
    lived: Desk, other: Desk, now: datetime
) -> None:
    theirs = other.write(now=now, instruments=["ETH"])
    past_all_rules(
        "UPDATE memory_link SET target_id = %(theirs)s WHERE source_id = %(id)s AND ord = 0",
        theirs=theirs.id,
        id=first(lived, seq=3).id,
    )
    shown = verified()["found"]
    (crossed,) = [one for one in shown if one["check"] == "ownership"]
    assert crossed["agent"] == str(lived.agent.id)
    assert "breaks link_target_fk" in crossed["what"]
    assert str(theirs.id) in crossed["what"]
    assert verified("--agent", other.agent.name)["ok"]


@pytest.mark.spec("U3")
@pytest.mark.django_db(transaction=True)
def test_writers_at_work_are_no_fault(now: datetime) -> None:
    desk = make_desk("ours", now=now)
    life(desk, now=now)

    def write() -> None:
        desk.write(now=now, instruments=["ETH"])
        desk.correct(desk.write(now=now).id, now=now)
        connections.close_all()

    class Meanwhile:
        """Lets somebody write at each step."""

        def stage(self, what: str, total: int | None = 1) -> None:
            del what, total
            self.advance()

        def advance(self, steps: int = 1) -> None:
            del steps
            with ThreadPoolExecutor(1) as pool:
                pool.submit(write).result()

    before = Record.objects.count()
    assert list(verify(desk.agent, progress=Meanwhile())) == []
    assert Record.objects.count() > before
    assert verified()["found"] == []
