"""What clocks that differ write is a history like any other: it goes out and in again as it is."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.errors import TidebookError
from memory.models import Agent
from memory.services import runs, setup
from memory.services.verification import verify
from tests.desk import Desk
from tests.memory.history import bring, elsewhere, whole
from tests.memory.test_change_integrity import TELL, WITHDRAW, values
from tests.memory.test_integrity import refused_by
from tests.memory.test_verify_memory import past_all_rules, verified

HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)
KINDS = ("write", "withdraw", "restore", "erase", "enable", "disable", "choose", "end", "run")
STORY = st.lists(
    st.tuples(
        st.sampled_from(KINDS),
        st.integers(0, 3),
        # How far the clocks of three hosts are apart, and how long after the last step it is.
        st.sampled_from([-30, -5, 0, 0, 0, 5, 30]),
        st.sampled_from([0, 0, 1, 7]),
    ),
    min_size=5,
    max_size=40,
)


class Nothing:
    """A progress that nobody watches."""

    def stage(self, what: str, total: int | None = 1) -> None:
        """Ignore it."""

    def advance(self, steps: int = 1) -> None:
        """Ignore it."""


def tell(desk: Desk, story: list[tuple[str, int, int, int]], *, now: datetime) -> None:
    """Let hosts whose clocks differ do all this, one after the other."""
    records = [desk.write(now=now, instruments=["ETH"]).id]
    for kind, which, skew, passed in story:
        now += passed * SECOND
        at = now + skew * SECOND
        role = ("analysis", "trading", "review", "autopilot")[which]
        record = records[which % len(records)]
        try:
            if kind == "write":
                records.insert(0, desk.write(now=at).id)
            elif kind in ("withdraw", "restore", "erase"):
                getattr(desk, kind)(record, now=at)
            elif kind == "enable":
                setup.enable_producer(producer=desk.producers[role], now=at)
            elif kind == "disable":
                setup.disable_producer(producer=desk.producers[role], now=at)
            elif kind == "choose":
                setup.choose_instrument(agent=desk.agent, name=("BTC", "ETH")[which % 2], now=at)
            elif kind == "end":
                setup.deselect_instrument(agent=desk.agent, name=("BTC", "ETH")[which % 2], now=at)
            else:
                run = runs.start_run(producer=desk.producers["analysis"], now=at)
                written = desk.write(now=at)
                runs.finish_run(run=run, status="succeeded", error="", now=now)
                records.insert(0, written.id)
        except TidebookError:
            # Refused by what is so by now: a record that is withdrawn, or erased.
            continue
    assert list(verify(desk.agent, progress=Nothing())) == []


@pytest.mark.spec("U3", "R15", "C11")
@given(story=STORY)
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_clocks_say_an_export_is_imported_byte_for_byte(
    empty: Agent, now: datetime, story: list[tuple[str, int, int, int]]
) -> None:
    data = elsewhere(lambda desk: tell(desk, story, now=now), now=now)
    with transaction.atomic():
        bring(empty, data, now=now + HOUR)
        assert whole(empty) == data
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        transaction.set_rollback(True)


ENABLE = """INSERT INTO memory_producer_enablement (agent_id, producer_id, enabled_at, disabled_at)
            VALUES (%(agent)s, %(producer)s, %(since)s, %(until)s)"""
SELECT = """INSERT INTO memory_selection (id, agent_id, instrument_id, selected_at, deselected_at)
            VALUES (gen_random_uuid(), %(agent)s, 'ETH', %(since)s, %(until)s)"""


@pytest.mark.spec("U3", "C11")
@pytest.mark.parametrize("kind", ["enablement", "selection"])
@pytest.mark.parametrize(
    ("interval", "refusal"),
    [
        ((4, 6), "follows"),
        ((-9, 1), "follows"),
        ((4, None), "follows"),
        ((12, 13), "follows"),
        ((9, 99), "follows"),
        ((20, None), "open_once"),
        ((14, 14), "period_forward"),
        ((5, 10), None),
        ((-9, -2), None),
    ],
    ids=str,
)
def test_raw_sql_cannot_make_intervals_overlap(
    desk: Desk, now: datetime, kind: str, interval: tuple[int, int | None], refusal: str | None
) -> None:
    setup.disable_producer(producer=desk.producers["analysis"], now=now + 5 * SECOND)
    setup.enable_producer(producer=desk.producers["analysis"], now=now + 10 * SECOND)
    setup.deselect_instrument(agent=desk.agent, name="ETH", now=now + 5 * SECOND)
    setup.select_instrument(agent=desk.agent, name="ETH", now=now + 10 * SECOND)
    since, until = interval
    begin = now + since * SECOND - (timedelta(days=31) if since == -9 else timedelta())
    ends_before = until is not None and until < 0
    end = None if until is None else now + until * SECOND
    if ends_before and end is not None:
        end -= timedelta(days=31)
    row = {
        "agent": desk.agent.id,
        "producer": desk.producers["analysis"].id,
        "since": begin,
        "until": end,
    }
    expected = None if refusal is None else f"{kind}_{refusal}"
    assert refused_by(ENABLE if kind == "enablement" else SELECT, row) == expected


@pytest.mark.spec("U3", "C11")
@pytest.mark.parametrize(
    ("statement", "constraint"),
    [
        (
            "UPDATE memory_producer_enablement SET enabled_at = enabled_at - interval '1 h'",
            "enablement_immutable",
        ),
        ("DELETE FROM memory_producer_enablement", "enablement_immutable"),
        ("UPDATE memory_selection SET selected_at = now()", "selection_immutable"),
        ("UPDATE memory_selection SET deselected_at = NULL", "selection_immutable"),
        ("DELETE FROM memory_selection", "selection_immutable"),
        ("UPDATE memory_agent_tail SET last_seq = last_seq - 1", "tail_forward"),
        ("UPDATE memory_agent_tail SET erasures = -1", "tail_forward"),
        ("DELETE FROM memory_agent_tail", "agent_keeps_tail"),
        (
            (
                "UPDATE memory_run SET status = 'failed', ended_at = started_at - interval '1 s'"
                " WHERE status = 'running'"
            ),
            "run_period_forward",
        ),
    ],
)
def test_raw_sql_cannot_move_or_delete_history_or_turn_it_back(
    desk: Desk, now: datetime, statement: str, constraint: str
) -> None:
    desk.write(now=now)
    runs.start_run(producer=desk.producers["analysis"], now=now)
    assert refused_by(statement, {}) == constraint


@pytest.mark.spec("U3", "C11")
def test_an_interval_that_has_ended_ends_no_more(desk: Desk, now: datetime) -> None:
    setup.disable_producer(producer=desk.producers["analysis"], now=now)
    setup.deselect_instrument(agent=desk.agent, name="ETH", now=now)
    for table, column, constraint in (
        ("memory_producer_enablement", "disabled_at", "enablement_immutable"),
        ("memory_selection", "deselected_at", "selection_immutable"),
    ):
        moved = (
            f"UPDATE {table} SET {column} = {column} + interval '1 h' WHERE {column} > '2000-1-1'"
        )
        assert refused_by(moved, {}) == constraint


@pytest.mark.spec("R15", "U3")
@pytest.mark.parametrize(
    ("more", "constraint"),
    [
        ({"type": "rule"}, "withdrawal_of_a_record"),
        ({"before": SECOND}, "withdrawal_after_write"),
    ],
    ids=str,
)
def test_a_withdrawal_is_of_a_record_that_is_no_strategy_memory_and_was_there(
    desk: Desk, now: datetime, more: dict[str, Any], constraint: str
) -> None:
    type_ = more.get("type", "observation")
    written = desk.write("autopilot" if type_ == "rule" else "analysis", now=now, type=type_)
    at = now - more.get("before", timedelta())
    row = values(desk, written.id, now, since=at, at=at)
    assert refused_by(f"{TELL}; {WITHDRAW}", row) == constraint


@pytest.mark.spec("R15", "R17")
def test_a_line_of_a_ledger_is_later_than_the_one_before(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now)
    desk.withdraw(written.id, now=now + SECOND)
    row = values(desk, written.id, now, number=2, event="restored", at=now + SECOND)
    assert refused_by(TELL, row) == "record_change_forward"


@pytest.mark.spec("U3", "C11")
def test_what_an_earlier_release_let_overlap_is_named(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now)
    desk.withdraw(written.id, now=now + SECOND)
    desk.restore(written.id, now=now + 2 * SECOND)
    earlier = {"since": now - HOUR, "until": now, "agent": desk.agent.id}
    past_all_rules(ENABLE, **earlier, producer=desk.producers["analysis"].id)
    past_all_rules(SELECT, **earlier)
    past_all_rules("UPDATE memory_run SET ended_at = started_at - interval '1 s'")
    past_all_rules("UPDATE memory_record_change SET at = at - interval '1 h' WHERE number = 2")
    shown = {(one["check"], one["what"]) for one in verified()["found"]}
    assert ("changes", "its ledger of changes goes back in time") in shown
    assert ("selections", "intervals in which ETH was selected overlap") in shown
    name = desk.producers["analysis"].name
    assert (
        "enablements",
        f"intervals in which the producer {name} was enabled overlap",
    ) in shown
    assert any(check == "runs" and "ended before it began" in what for check, what in shown)
