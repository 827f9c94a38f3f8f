"""What the database itself refuses of sessions and learning, by raw SQL."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import Error, connection, transaction
from psycopg.types.json import Jsonb

from autopilot.models import Backtest, Event, Session, Step, SynthesisClaim
from memory.ids import new_id
from tests.autopilot.learning.lab import (
    claimed,
    judged,
    learn_many,
    make_backtest,
    make_rule,
    make_session,
    settle,
)
from tests.desk import Desk
from tests.strategies import forget, remember

HOUR = timedelta(hours=1)


def refused_by(sql: str, **values: Any) -> str | None:
    """Run a statement in a transaction of its own; return the constraint that refused it."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql, values)
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except Error as error:
        assert isinstance(error.__cause__, psycopg.Error)
        return error.__cause__.diag.constraint_name
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    return None


def insert(table: str, row: dict[str, Any], **columns: Any) -> str | None:
    """Insert a row that is valid but for `columns`; return the constraint that refused it."""
    whole = row | columns
    values = ", ".join(f"%({name})s" for name in whole)
    return refused_by(f"INSERT INTO {table} ({', '.join(whole)}) VALUES ({values})", **whole)


@pytest.fixture
def session(desk: Desk, now: datetime) -> Session:
    return make_session(desk, now=now)


@pytest.fixture
def open_session(desk: Desk, now: datetime) -> Session:
    return make_session(desk, now=now, status="running", ended_at=None)


@pytest.fixture
def foreign(other: Desk, now: datetime) -> Session:
    return make_session(other, now=now)


@pytest.fixture
def backtest(session: Session, now: datetime) -> Backtest:
    return make_backtest(session, now=now, holdout=("-1", 9))


@pytest.fixture
def rule(desk: Desk, now: datetime) -> UUID:
    return remember(desk, "a rule", now=now, type="rule")


def session_row(session: Session, now: datetime) -> dict[str, Any]:
    return {
        "id": new_id(),
        "agent_id": session.agent_id,
        "run_id": session.run_id,
        "prompt": "x",
        "symbol_id": "ETH",
        "timeframe": "1h",
        "max_iterations": 5,
        "until_profitable": False,
        "plan": "free",
        "critic_mode": "off",
        "promotion": "guarded",
        "provider": "offline",
        "status": "queued",
        "step_number": 1,
        "iteration": 0,
        "state": "{}",
        "last_event": 0,
        "created_at": now,
        "deadline_at": now,
        "ended_at": None,
        "error_code": "",
        "error": "",
    }


@pytest.mark.spec("A1", "A11")
@pytest.mark.parametrize(
    ("columns", "constraint"),
    [
        ({}, None),
        ({"status": "asleep"}, "session_end_matches_status"),
        ({"status": "succeeded"}, "session_end_matches_status"),
        ({"ended_at": "2026-09-30T13:00Z"}, "session_end_matches_status"),
        ({"max_iterations": 31}, "session_iterations_bounded"),
        ({"max_iterations": 0}, "session_iterations_bounded"),
        ({"iteration": 6}, "session_iteration_in_range"),
        ({"iteration": -1}, "session_iteration_in_range"),
        ({"prompt": ""}, "session_asked"),
        ({"step_number": 0}, "session_counts_forward"),
        ({"last_event": -1}, "session_counts_forward"),
        ({"window_start": "2026-01-01"}, "session_window_forward"),
        (
            {
                "window_start": "2026-01-02",
                "window_split": "2026-01-02",
                "window_end": "2026-02-01",
            },
            "session_window_forward",
        ),
        (
            {
                "window_start": "2026-01-01",
                "window_split": "2026-03-01",
                "window_end": "2026-02-01",
            },
            "session_window_forward",
        ),
        ({"best_id": new_id()}, "session_best_fk"),
    ],
)
def test_a_session_that_contradicts_itself_is_refused(
    session: Session, now: datetime, columns: dict[str, Any], constraint: str | None
) -> None:
    assert insert("autopilot_session", session_row(session, now), **columns) == constraint


@pytest.mark.spec("A11")
def test_one_session_of_an_agent_on_a_market_is_open_at_a_time(
    session: Session, foreign: Session, now: datetime
) -> None:
    table, row = "autopilot_session", session_row(session, now)
    assert insert(table, row) is None
    assert insert(table, row, id=new_id()) == "session_open_once"
    assert insert(table, row, id=new_id(), symbol_id="BTC") is None
    assert insert(table, row, id=new_id(), timeframe="4h") is None
    assert insert(table, row, id=new_id(), agent_id=foreign.agent_id) is None
    ended = {"status": "failed", "ended_at": now}
    assert insert(table, row, id=new_id(), **ended) is None


@pytest.mark.spec("X1", "A8")
def test_a_sessions_best_backtest_is_its_own_agents(
    session: Session, foreign: Session, now: datetime
) -> None:
    theirs = make_backtest(foreign, now=now)
    row = session_row(session, now)
    assert insert("autopilot_session", row, best_id=theirs.id) == "session_best_fk"


@pytest.mark.spec("A11")
@pytest.mark.parametrize(
    "change", ["status = 'running', ended_at = NULL", "last_event = 9", "state = '{\"a\": 1}'"]
)
def test_a_session_that_has_ended_stays_as_it_ended(session: Session, change: str) -> None:
    sql = f"UPDATE autopilot_session SET {change} WHERE id = %(id)s"
    assert refused_by(sql, id=session.id) == "session_ended"
    delete = "DELETE FROM autopilot_session WHERE id = %(id)s"
    assert refused_by(delete, id=session.id) == "session_ended"


@pytest.mark.spec("A11", "X1")
@pytest.mark.parametrize(
    ("columns", "constraint"),
    [
        ({}, None),
        ({"name": "dream"}, "step_name_known"),
        ({"status": "claimed"}, "step_claim_matches_status"),
        ({"status": "claimed", "claim": new_id()}, "step_claim_matches_status"),
        ({"claim": new_id()}, "step_claim_matches_status"),
        ({"status": "done"}, "step_claim_matches_status"),
        ({"status": "asleep"}, "step_claim_matches_status"),
        ({"finished_at": "2026-09-30T13:00Z"}, "step_claim_matches_status"),
        ({"number": 1}, "autopilot_step_pkey"),
        ({"session_id": new_id()}, "step_session_fk"),
    ],
)
def test_a_step_that_contradicts_itself_is_refused(
    session: Session, now: datetime, columns: dict[str, Any], constraint: str | None
) -> None:
    done = {"name": "resolve", "status": "done", "finished_at": now, "due_at": now, "iteration": 0}
    Step.objects.create(agent_id=session.agent_id, session=session, number=1, **done)
    row = step_row(session, now)
    assert insert("autopilot_step", row, **columns) == constraint


def step_row(session: Session, now: datetime) -> dict[str, Any]:
    return {
        "agent_id": session.agent_id,
        "session_id": session.id,
        "number": 2,
        "name": "research",
        "iteration": 0,
        "status": "due",
        "tries": 0,
        "claim": None,
        "lease_until": None,
        "due_at": now,
        "finished_at": None,
        "calls": "[]",
    }


@pytest.mark.spec("A11", "X1")
def test_a_session_has_one_open_step_and_it_is_its_agents(
    session: Session, foreign: Session, now: datetime
) -> None:
    row = step_row(session, now)
    assert insert("autopilot_step", row) is None
    assert insert("autopilot_step", row, number=3) == "step_open_once"
    done = {"status": "done", "finished_at": now}
    assert insert("autopilot_step", row, number=3, **done) is None
    assert insert("autopilot_step", row, agent_id=foreign.agent_id, number=4, **done) == (
        "step_session_fk"
    )


@pytest.mark.spec("A11")
@pytest.mark.parametrize("status", ["due", "done"])
def test_a_step_stays_and_one_that_is_done_is_never_done_again(
    session: Session, now: datetime, status: str
) -> None:
    done = {"status": status, "finished_at": now if status == "done" else None}
    Step.objects.create(**step_row(session, now) | {"calls": []} | done)
    where = "WHERE session_id = %(id)s"
    assert refused_by(f"DELETE FROM autopilot_step {where}", id=session.id) == "step_stays"
    again = f"UPDATE autopilot_step SET status = 'due', finished_at = NULL {where}"
    assert refused_by(again, id=session.id) == ("step_stays" if status == "done" else None)


@pytest.mark.spec("A10", "X1")
@pytest.mark.parametrize(
    ("columns", "constraint"),
    [
        ({}, None),
        ({"seq": 0}, "event_seq_positive"),
        ({"kind": "Noted"}, "event_named"),
        ({"kind": ""}, "event_named"),
        ({"session_id": new_id()}, "event_session_fk"),
        ({"seq": 1}, "autopilot_event_pkey"),
        ({"seq": 3}, "event_follows"),
    ],
)
def test_an_event_that_contradicts_itself_is_refused(
    open_session: Session, now: datetime, columns: dict[str, Any], constraint: str | None
) -> None:
    tell(open_session, now)
    assert add_event(open_session, now, **columns) == constraint


def tell(session: Session, now: datetime) -> None:
    Event.objects.create(
        agent_id=session.agent_id,
        session=session,
        seq=1,
        kind="noted",
        iteration=0,
        text="",
        at=now,
    )
    Session.objects.filter(id=session.id).update(last_event=1)


EVENT = """
INSERT INTO autopilot_event (agent_id, session_id, seq, kind, step, iteration, text, data, at)
VALUES (%(agent_id)s, %(session_id)s, %(seq)s, %(kind)s, '', 0, '', '{}', %(at)s);
"""
COUNT = "UPDATE autopilot_session SET last_event = 2 WHERE id = %(id)s;"


def add_event(session: Session, now: datetime, *, after: str = COUNT, **columns: Any) -> str | None:
    """Insert the session's second event, and what is to be done after it."""
    row = {"agent_id": session.agent_id, "session_id": session.id, "seq": 2, "kind": "noted"}
    return refused_by(EVENT + after, **row | {"at": now, "id": session.id} | columns)


@pytest.mark.spec("A10", "A11")
def test_a_session_counts_its_events_and_tells_none_after_its_end(
    open_session: Session, now: datetime
) -> None:
    session = open_session
    tell(session, now)
    assert add_event(session, now, after="") == "session_counts_events"
    assert add_event(session, now, after=COUNT.replace("2", "3")) == "session_counts_events"
    for count in (0, 2):
        sql = "UPDATE autopilot_session SET last_event = %(count)s WHERE id = %(id)s"
        assert refused_by(sql, id=session.id, count=count) == "session_counts_events"
    end = "UPDATE autopilot_session SET status = 'failed', ended_at = %(at)s, last_event = 2"
    end += " WHERE id = %(id)s;"
    assert refused_by(end, id=session.id, at=now) == "session_counts_events"
    assert add_event(session, now, after=end) is None, "its last word"
    assert add_event(session, now, after="", seq=3) == "event_before_end"


@pytest.mark.spec("A10", "A11", "X1")
def test_events_never_change_and_belong_to_their_sessions_agent(
    open_session: Session, foreign: Session, now: datetime
) -> None:
    session = open_session
    tell(session, now)
    where = "WHERE session_id = %(id)s"
    change = f"UPDATE autopilot_event SET text = 'otherwise' {where}"
    assert refused_by(change, id=session.id) == "event_immutable"
    assert refused_by(f"DELETE FROM autopilot_event {where}", id=session.id) == "event_immutable"
    assert add_event(session, now, agent_id=foreign.agent_id) == "event_session_fk"


def copy_backtest(backtest: Backtest, **columns: Any) -> str | None:
    """Insert a copy of a backtest with other columns; return the constraint that refused it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM autopilot_backtest LIMIT 0")
        names = [column.name for column in cursor.description]
    given = {"id": new_id(), "iteration": 2, **columns}
    chosen = ", ".join(f"%({name})s" if name in given else name for name in names)
    sql = (
        f"INSERT INTO autopilot_backtest ({', '.join(names)})"
        f" SELECT {chosen} FROM autopilot_backtest WHERE id = %(copied)s"
    )
    return refused_by(sql, copied=backtest.id, **given)


@pytest.mark.spec("A7", "M11")
@pytest.mark.parametrize(
    ("columns", "constraint"),
    [
        ({}, None),
        ({"iteration": 1}, "backtest_of_iteration"),
        ({"outcome": "draw"}, "backtest_outcome"),
        ({"verdict": "perhaps"}, "backtest_verdict"),
        ({"config_hash": bytes(31)}, "backtest_hashes"),
        ({"data_hash": bytes(33)}, "backtest_hashes"),
        ({"window_split": "2026-01-01T00:00Z"}, "backtest_window_forward"),
        ({"window_end": "2026-07-01T00:00Z"}, "backtest_window_forward"),
        ({"session_id": new_id()}, "backtest_session_fk"),
    ],
)
def test_a_backtest_that_contradicts_itself_is_refused(
    backtest: Backtest, columns: dict[str, Any], constraint: str | None
) -> None:
    assert copy_backtest(backtest, **columns) == constraint


@pytest.mark.spec("A7", "X1")
def test_a_backtest_never_changes_and_belongs_to_its_sessions_agent(
    backtest: Backtest, foreign: Session
) -> None:
    where = "WHERE id = %(id)s"
    for change in ("holdout = '{}'", "verdict = 'confirms'", "created_at = now()"):
        sql = f"UPDATE autopilot_backtest SET {change} {where}"
        assert refused_by(sql, id=backtest.id) == "backtest_immutable"
    delete = f"DELETE FROM autopilot_backtest {where}"
    assert refused_by(delete, id=backtest.id) == "backtest_immutable"
    assert copy_backtest(backtest, agent_id=foreign.agent_id) == "backtest_session_fk"


def claim_row(session: Session, now: datetime) -> dict[str, Any]:
    return {
        "agent_id": session.agent_id,
        "strategy_type": "momentum",
        "evidence_hash": bytes(32),
        "evidence": Jsonb([str(new_id()) for _ in range(3)]),
        "session_id": session.id,
        "claim": new_id(),
        "lease_until": now,
        "status": "claimed",
        "rule_id": None,
        "reason": "",
        "support": "{}",
        "claimed_at": now,
        "settled_at": None,
    }


@pytest.mark.spec("M6")
@pytest.mark.parametrize(
    ("columns", "constraint"),
    [
        ({}, None),
        ({"status": "asleep", "settled_at": "2026-09-30"}, "synthesis_status_known"),
        ({"status": "refused"}, "synthesis_settled_matches_status"),
        ({"settled_at": "2026-09-30"}, "synthesis_settled_matches_status"),
        ({"status": "refused", "settled_at": "2026-09-30"}, None),
        ({"status": "made", "settled_at": "2026-09-30"}, "synthesis_made_names_rule"),
        ({"rule_id": new_id()}, "synthesis_made_names_rule"),
        ({"evidence_hash": bytes(31)}, "synthesis_hash_is_sha256"),
        ({"evidence": "{}"}, "synthesis_evidence_enough"),
        ({"evidence": "null"}, "synthesis_evidence_enough"),
        ({"evidence": '["a", "b"]'}, "synthesis_evidence_enough"),
        ({"session_id": new_id()}, "synthesis_session_fk"),
    ],
)
def test_a_claim_that_contradicts_itself_is_refused(
    session: Session, now: datetime, columns: dict[str, Any], constraint: str | None
) -> None:
    table = "autopilot_synthesis_claim"
    assert insert(table, claim_row(session, now), **columns) == constraint


@pytest.mark.spec("M6", "X1")
def test_a_claim_is_made_once_and_of_its_own_agents_session_and_rule(
    desk: Desk, other: Desk, session: Session, rule: UUID, now: datetime
) -> None:
    foreign = make_session(other, now=now)
    table, row = "autopilot_synthesis_claim", claim_row(session, now)
    made = {"status": "made", "settled_at": now}
    assert insert(table, row) is None
    assert insert(table, row) == "autopilot_synthesis_claim_pkey"
    row["evidence_hash"] = bytes(31) + b"\x01"
    assert insert(table, row, session_id=foreign.id) == "synthesis_session_fk"
    theirs = remember(other, "theirs", now=now, type="rule")
    insight = remember(desk, "no rule", now=now)
    assert insert(table, row, **made, rule_id=theirs) == "synthesis_rule_fk"
    assert insert(table, row, **made, rule_id=new_id()) == "synthesis_rule_fk"
    assert insert(table, row, **made, rule_id=insight) == "synthesis_made_rule"
    assert insert(table, row, **made, rule_id=rule) is None
    again = {"evidence_hash": bytes(31) + b"\x02", "rule_id": rule}
    assert insert(table, row, **made, **again) == "synthesis_rule_once"


@pytest.mark.spec("M6")
def test_a_set_stays_what_it_is_and_is_settled_once(
    desk: Desk, session: Session, now: datetime
) -> None:
    learn_many(desk, session, 3, now=now)
    then = now + HOUR
    held = claimed(session, now=then)
    sql = "UPDATE autopilot_synthesis_claim SET {change} WHERE agent_id = %(agent)s"
    moves = (
        "evidence = '[1, 2, 3]'",
        "strategy_type = 'momentum'",
        "evidence_hash = decode(repeat('00', 32), 'hex')",
    )
    for change in moves:
        assert refused_by(sql.format(change=change), agent=desk.agent.id) == "synthesis_frozen"
    delete = "DELETE FROM autopilot_synthesis_claim WHERE agent_id = %(agent)s"
    assert refused_by(delete, agent=desk.agent.id) == "synthesis_frozen"
    assert settle(desk, held, now=then).status == "made"
    for change in (
        *moves,
        "status = 'claimed', settled_at = NULL, rule_id = NULL",
        "support = '{}'",
    ):
        assert refused_by(sql.format(change=change), agent=desk.agent.id) == "synthesis_frozen"
    assert SynthesisClaim.objects.get().status == "made"


JUDGE = """
INSERT INTO autopilot_judgement (agent_id, rule_id, backtest_id, verdict, at)
VALUES (%(agent)s, %(rule)s, %(backtest)s, %(verdict)s, %(now)s)
"""


@pytest.mark.spec("M4", "M5", "X1")
def test_a_judgement_is_of_its_own_agents_rule_and_backtest_and_in_the_ledger(
    desk: Desk, other: Desk, backtest: Backtest, rule: UUID, now: datetime
) -> None:
    row: dict[str, Any] = {
        "agent": desk.agent.id,
        "rule": rule,
        "backtest": backtest.id,
        "verdict": "contradicted",
        "now": now,
    }
    theirs = make_backtest(make_session(other, now=now), now=now, holdout=("-1", 9))
    neither = make_backtest(
        make_session(desk, now=now), now=now, in_sample=("1", 4), holdout=("0", 0)
    )
    for columns, constraint in (
        ({}, "judgement_in_ledger"),
        ({"verdict": "confirmed"}, "judgement_matches"),
        ({"verdict": "praised"}, "judgement_known"),
        ({"backtest": neither.id}, "judgement_matches"),
        ({"rule": remember(desk, "no rule", now=now)}, "judgement_matches"),
        ({"rule": remember(other, "theirs", now=now, type="rule")}, "judgement_rule_fk"),
        ({"rule": new_id()}, "judgement_rule_fk"),
        ({"backtest": theirs.id}, "judgement_backtest_fk"),
        ({"backtest": new_id()}, "judgement_backtest_fk"),
        ({"agent": other.agent.id}, "judgement_rule_fk"),
    ):
        assert refused_by(JUDGE, **{**row, **columns}) == constraint


@pytest.mark.spec("M4", "M3")
def test_a_judgement_is_passed_once_never_changes_and_outlives_its_rule(
    desk: Desk, backtest: Backtest, rule: UUID, now: datetime
) -> None:
    assert len(judged(backtest, rule, now=now).moved) == 1
    row = {"agent": desk.agent.id, "rule": rule, "backtest": backtest.id, "now": now}
    assert refused_by(JUDGE, **row, verdict="contradicted") == "autopilot_judgement_pkey"
    where = "WHERE rule_id = %(rule)s"
    change = f"UPDATE autopilot_judgement SET at = now() {where}"
    assert refused_by(change, rule=rule) == "judgement_immutable"
    assert (
        refused_by(f"DELETE FROM autopilot_judgement {where}", rule=rule) == "judgement_immutable"
    )
    forget(rule, now=now)
    assert refused_by("SELECT 1") is None


@pytest.mark.spec("M6", "M3")
def test_a_rule_that_synthesis_made_can_be_forgotten(
    desk: Desk, session: Session, now: datetime
) -> None:
    learn_many(desk, session, 3, now=now)
    made = make_rule(desk, session, now=now + HOUR)
    forget(made, now=now + HOUR)
    assert refused_by("SELECT 1") is None
    assert SynthesisClaim.objects.get().rule_id == made
