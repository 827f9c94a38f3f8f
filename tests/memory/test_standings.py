"""Standings: what they begin with, how they move, and what the database refuses whoever writes."""

import hashlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.db import Error, connection, connections, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from memory.errors import NotFound, ReservedMemoryType, ValidationFailed
from memory.models import Posting, Record, Standing, StandingChange
from memory.policies.standing import (
    BrokenLedger,
    Line,
    Moving,
    Terms,
    config_hash,
    outcome_of,
    replay,
)
from memory.schemas.records import RecordDraft
from memory.schemas.strategies import StandingDraft
from memory.services import postings, standings
from memory.services.standings import Cause
from memory.services.strategies import publish_strategy
from tests.desk import Desk, make_desk, note
from tests.strategies import forget, remember

DAY = timedelta(days=1)


def refused_by(sql: str, **values: Any) -> str | None:
    """Run a statement in a transaction of its own; return the constraint that refused it."""

    def attempt() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql, values)
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
    with pytest.raises(Error) as refusal:
        attempt()
    cause = refusal.value.__cause__
    assert isinstance(cause, psycopg.Error)
    return cause.diag.constraint_name


def tags_of(record_id: UUID) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tag, type, symbol, strategy_type, relevance, confidence, expires_at::text"
            " FROM memory_tag WHERE record_id = %s ORDER BY tag",
            [record_id],
        )
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def bump(step: str = "-0.2", event: str = "contradicted") -> dict[str, Any]:
    """Return a move of the confidence."""
    return {
        "event": event,
        "cause": Cause("backtest", "b1"),
        "step": lambda was: replace(
            was,
            confidence=was.confidence + Decimal(step),
            validated_count=was.validated_count + (1 if Decimal(step) > 0 else -1),
        ),
    }


@pytest.mark.spec("M1", "M2")
@pytest.mark.parametrize(
    ("type_", "outcome", "begins"),
    [
        ("rule", None, (None, "0.9500", "0.8000")),
        ("strategy_insight", "success", (90, "1.0000", "1.0000")),
        ("strategy_insight", "failure", (30, "0.8000", "1.0000")),
        ("strategy_insight", None, (30, "0.8000", "1.0000")),
        ("optimization", "success", (60, "0.9500", "1.0000")),
        ("optimization", None, (60, "0.9500", "1.0000")),
    ],
)
def test_a_standing_begins_by_the_terms_of_its_tier(
    desk: Desk,
    now: datetime,
    type_: str,
    outcome: str | None,
    begins: tuple[int | None, str, str],
) -> None:
    days, relevance, confidence = begins
    record_id = remember(desk, now=now, type=type_, outcome=outcome)
    standing = Standing.objects.get(record_id=record_id)
    assert standing.expires_at == (None if days is None else now + days * DAY)
    assert str(standing.relevance_score) == relevance
    assert str(standing.confidence) == confidence
    assert (standing.validated_count, standing.visibility) == (1, "private")
    assert standing.created_at == Record.objects.get(id=record_id).created_at == now


@pytest.mark.spec("M1")
def test_the_terms_are_settings(desk: Desk, now: datetime, settings: Any) -> None:
    settings.STANDING_TERMS = {**settings.STANDING_TERMS, "success_days": 7}
    record_id = remember(desk, now=now, outcome="success")
    assert Standing.objects.get(record_id=record_id).expires_at == now + 7 * DAY


@pytest.mark.spec("M1")
@pytest.mark.parametrize(
    ("pnl", "trades", "outcome"),
    [("0.01", 5, "success"), ("0", 5, "failure"), ("9", 4, "failure"), ("-1", 50, "failure")],
)
def test_a_success_has_a_profit_and_enough_trades(pnl: str, trades: int, outcome: str) -> None:
    assert outcome_of(pnl=Decimal(pnl), trades=trades, terms=Terms()) == outcome


@pytest.mark.spec("M2")
def test_the_hash_of_a_config_is_that_of_its_canonical_json(desk: Desk, now: datetime) -> None:
    config = {"b": [1, 2.5], "a": {"tp": 3, "sl": 1e22}}
    record_id = remember(desk, now=now, config=config)
    standing = Standing.objects.get(record_id=record_id)
    text = '{"a":{"sl":10000000000000000000000,"tp":3},"b":[1,2.5]}'
    assert bytes(standing.config_hash or b"") == hashlib.sha256(text.encode()).digest()
    assert standing.config is not None
    assert config_hash(standing.config) == bytes(standing.config_hash or b"")
    other = remember(desk, now=now, config={"a": {"sl": 1e22, "tp": 3}, "b": [1, 2.5]})
    assert Standing.objects.get(record_id=other).config_hash == standing.config_hash


@pytest.mark.spec("M2", "R12")
def test_a_plain_write_of_a_tier_has_a_standing_too(desk: Desk, now: datetime) -> None:
    insight = desk.write("autopilot", now=now, type="strategy_insight", instruments=["ETH"])
    both = desk.write("autopilot", now=now, type="optimization", instruments=["ETH", "BTC"])
    rule = desk.write("autopilot", now=now, type="rule", instruments=["ETH"], tags=["a"])
    standing = Standing.objects.get(record_id=insight.id)
    assert (standing.symbol_id, standing.outcome) == ("ETH", None)
    assert Standing.objects.get(record_id=both.id).symbol_id is None
    assert Standing.objects.get(record_id=rule.id).symbol_id is None
    assert tags_of(rule.id)[0][:3] == ("a", "rule", "")


@pytest.mark.spec("R6", "R12", "M2")
@pytest.mark.parametrize(
    ("role", "type_", "standing"),
    [
        ("review", "rule", {}),
        ("autopilot", "observation", {}),
        ("autopilot", "rule", {"symbol": "ETH"}),
        ("autopilot", "strategy_insight", {"symbol": "NOPE"}),
    ],
)
def test_a_refused_strategy_memory_leaves_nothing(
    desk: Desk, now: datetime, role: str, type_: str, standing: dict[str, Any]
) -> None:
    with pytest.raises((ReservedMemoryType, ValidationFailed)):
        publish_strategy(
            actor=desk.actor(role, now=now),
            draft=RecordDraft.parse(note(type=type_)),
            standing=StandingDraft.parse(standing),
            now=now,
        )
    for model in (Record, Standing, StandingChange, Posting):
        assert not model.objects.exists()


@pytest.mark.spec("M2")
@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"confidence": "1.01"}, "confidence"),
        ({"confidence": "NaN"}, "confidence"),
        ({"strategy_type": "astrology"}, "strategy_type"),
        ({"outcome": "draw"}, "outcome"),
        ({"validated_count": 1.5}, "validated_count"),
        ({"config": {"a": "\x00"}}, "config"),
        ({"metrics": []}, "metrics"),
        ({"expires_at": "2027-01-01T00:00Z"}, "expires_at"),
    ],
)
def test_a_malformed_standing_is_refused_by_its_place(body: dict[str, Any], place: str) -> None:
    with pytest.raises(ValidationFailed) as refusal:
        StandingDraft.parse(body)
    assert list(refusal.value.errors) == [place]


@pytest.mark.spec("M4", "M5")
def test_exact_steps_come_to_exact_sums(desk: Desk, now: datetime) -> None:
    up = remember(desk, now=now, type="rule", confidence="0")
    for _ in range(10):
        standings.move(agent_id=desk.agent.id, record_id=up, now=now, **bump("0.1", "confirmed"))
    assert Standing.objects.get(record_id=up).confidence == 1
    down = remember(desk, now=now, type="rule", confidence="0.9")
    for _ in range(3):
        standings.move(agent_id=desk.agent.id, record_id=down, now=now, **bump())
    assert Standing.objects.get(record_id=down).confidence == Decimal("0.3")


@pytest.mark.spec("M5")
def test_each_move_has_a_line_with_what_why_and_when(desk: Desk, now: datetime) -> None:
    record_id = remember(desk, now=now, type="rule", tags=["adx"])
    standings.move(
        agent_id=desk.agent.id, record_id=record_id, detail={"n": 1}, now=now + DAY, **bump()
    )
    first, second = StandingChange.objects.filter(record_id=record_id).order_by("revision")
    assert (first.event, first.before, first.cause_kind) == ("created", None, "run")
    assert first.after is not None
    assert second.before == first.after
    assert second.after == {**first.after, "confidence": "0.6000", "validated_count": 0}
    assert (second.event, second.cause_kind, second.cause_id) == ("contradicted", "backtest", "b1")
    assert (second.at, second.detail) == (now + DAY, {"n": 1})


@pytest.mark.spec("M5")
def test_a_step_that_changes_nothing_writes_nothing(desk: Desk, now: datetime) -> None:
    record_id = remember(desk, now=now)
    standings.move(
        agent_id=desk.agent.id,
        record_id=record_id,
        event="confirmed",
        cause=Cause("user"),
        step=lambda was: replace(was, confidence=was.confidence + 1),
        now=now,
    )
    assert StandingChange.objects.filter(record_id=record_id).count() == 1


@pytest.mark.spec("M5", "X1")
def test_another_agents_standing_is_not_found(desk: Desk, other: Desk, now: datetime) -> None:
    record_id = remember(other, now=now)
    with pytest.raises(NotFound):
        standings.move(agent_id=desk.agent.id, record_id=record_id, now=now, **bump())


STEPS = st.one_of(
    st.builds(lambda c: {"confidence": c}, st.decimals(0, 1, places=3)),
    st.builds(lambda n: {"validated_count": n}, st.integers(-3, 9)),
    st.builds(lambda t: {"tags": tuple(t)}, st.lists(st.sampled_from("abc"), unique=True)),
    st.builds(lambda v: {"visibility": v}, st.sampled_from(["private", "community"])),
    st.builds(lambda d: {"expires_days": d}, st.none() | st.integers(-5, 5)),
    st.just({"merged": True}),
    st.just({"merged": False}),
)


@pytest.mark.spec("M5")
@given(steps=st.lists(STEPS, max_size=12))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_standing_always_equals_the_replay_of_its_ledger_and_its_tags_follow(
    desk: Desk, now: datetime, steps: list[dict[str, Any]]
) -> None:
    survivor = remember(desk, now=now)
    record_id = remember(desk, now=now, symbol="ETH", strategy_type="momentum")

    def stepping(change: dict[str, Any]) -> Callable[[Moving], Moving]:
        known = dict(change)
        if "expires_days" in known:
            days = known.pop("expires_days")
            known["expires_at"] = None if days is None else now + days * DAY
        if "merged" in known:
            known["merged_into"] = survivor if known.pop("merged") else None
        return lambda was: replace(was, **known)

    for step in steps:
        standings.move(
            agent_id=desk.agent.id,
            record_id=record_id,
            event="changed",
            cause=Cause("user", "7"),
            step=stepping(step),
            now=now,
        )
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
        standing = Standing.objects.get(record_id=record_id)
        assert standings.replayed(desk.agent.id, record_id) == standings.moving_of(standing)
        rows = tags_of(record_id)
        wanted = [] if standing.merged_into_id else sorted(standing.tags) or [""]
        assert [row[0] for row in rows] == wanted
        for row in rows:
            assert row[1:6] == (
                *("strategy_insight", "ETH", "momentum"),
                *(standing.relevance_score, standing.confidence),
            )
            assert (row[6] == "infinity") == (standing.expires_at is None)


@pytest.mark.spec("M5")
def test_a_ledger_with_a_gap_or_a_jump_is_broken() -> None:
    one = Moving(tags=(), confidence=Decimal(1), validated_count=1, relevance_score=Decimal(1))
    two = replace(one, validated_count=2)
    made = Line(revision=1, event="created", before=None, after=one)
    moved = Line(revision=2, event="confirmed", before=one, after=two)
    assert replay([]) is None
    assert replay([made, moved]) == two
    assert replay([made, Line(revision=2, event="purged", before=one, after=None)]) is None
    for lines in (
        [moved],
        [made, replace(moved, revision=3)],
        [made, replace(moved, before=two)],
        [made, replace(moved, after=None)],
        [made, replace(moved, event="purged")],
    ):
        with pytest.raises(BrokenLedger):
            replay(lines)


@pytest.mark.spec("M2", "M5")
@pytest.mark.parametrize(
    ("change", "constraint"),
    [
        ("confidence = 0.5", "standing_frozen"),
        ("confidence = 0.5, revision = revision + 1", "standing_in_ledger"),
        ("tags = '{x}', revision = revision + 1", "standing_in_ledger"),
        ("expires_at = NULL, revision = revision + 1", "standing_in_ledger"),
        ("revision = revision + 2", "standing_frozen"),
        ("outcome = 'failure', revision = revision + 1", "standing_frozen"),
        ("symbol_id = 'BTC', revision = revision + 1", "standing_frozen"),
        ("metrics = '{\"pnl\": 9}', revision = revision + 1", "standing_frozen"),
        ("confidence = 1.1, revision = revision + 1", "standing_confidence_in_range"),
        ("relevance_score = -0.1, revision = revision + 1", "standing_relevance_in_range"),
        ("visibility = 'public', revision = revision + 1", "standing_visibility_known"),
        ("tags = '{\"\"}', revision = revision + 1", "standing_tags_not_empty"),
        ("merged_into_id = record_id, revision = revision + 1", "standing_not_merged_into_itself"),
        (
            "community_confirmations = -1, revision = revision + 1",
            "standing_counts_not_negative",
        ),
    ],
)
def test_no_standing_moves_but_as_its_ledger_tells(
    desk: Desk, now: datetime, change: str, constraint: str
) -> None:
    record_id = remember(desk, now=now, symbol="ETH", outcome="success")
    sql = f"UPDATE memory_standing SET {change} WHERE record_id = %(id)s"
    assert refused_by(sql, id=record_id) == constraint


INSERT = """
INSERT INTO memory_standing (record_id, agent_id, type, symbol_id, strategy_type, outcome, tags,
    confidence, validated_count, relevance_score, config, config_hash, metrics, visibility,
    community_confirmations, created_at, merged_into_id, revision)
VALUES (%(record)s, %(agent)s, %(type)s, %(symbol)s, %(strategy)s, %(outcome)s, '{}', 1, 1, 1,
    %(config)s, %(hash)s, '{}', 'private', 0, %(now)s, %(merged)s, 1)
"""


@pytest.mark.spec("M2", "X1")
def test_a_standing_is_of_its_own_agents_record_and_of_its_type(
    desk: Desk, other: Desk, now: datetime
) -> None:
    plain = desk.write(now=now)
    foreign = remember(other, now=now)
    row: dict[str, Any] = {
        "record": plain.id,
        "agent": desk.agent.id,
        "type": "strategy_insight",
        "now": now,
        "symbol": None,
        "strategy": None,
        "outcome": None,
        "config": None,
        "hash": None,
        "merged": None,
    }
    for columns, constraint in (
        ({}, "standing_matches_record"),
        ({"type": "observation"}, "standing_type_is_a_tier"),
        ({"type": "rule", "symbol": "ETH"}, "standing_rule_is_cross_asset"),
        ({"strategy": "astrology"}, "standing_strategy_type_known"),
        ({"outcome": "draw"}, "standing_outcome_known"),
        ({"config": "{}"}, "standing_config_has_its_hash"),
        ({"hash": bytes(32)}, "standing_config_has_its_hash"),
        ({"config": "{}", "hash": bytes(31)}, "standing_config_has_its_hash"),
        ({"record": foreign, "agent": other.agent.id}, "memory_standing_pkey"),
        ({"record": foreign}, "memory_standing_pkey"),
    ):
        assert refused_by(INSERT, **{**row, **columns}) == constraint
    forget(foreign, now=now)
    gone = {**row, "record": foreign}
    assert refused_by(INSERT, **gone) == "standing_record_fk"
    assert refused_by(INSERT, **{**gone, "agent": other.agent.id}) == "standing_matches_record"
    mine, theirs = remember(desk, now=now), remember(other, now=now)
    merge = """UPDATE memory_standing SET merged_into_id = %(into)s, revision = revision + 1
               WHERE record_id = %(id)s"""
    assert refused_by(merge, id=mine, into=theirs) == "standing_merged_fk"


@pytest.mark.spec("M2", "M3")
def test_a_live_record_of_a_tier_has_a_standing_and_an_erased_one_has_none(
    desk: Desk, now: datetime
) -> None:
    record_id = remember(desk, now=now)
    bare = """INSERT INTO memory_record (agent_id, id, seq, type, scope, content, metadata, tags,
                  created_at, content_digest, content_salt, imported_at)
              SELECT agent_id, gen_random_uuid(), 99, 'rule', scope, content, metadata, tags,
                  created_at, content_digest, content_salt, created_at
              FROM memory_record WHERE id = %(id)s"""
    assert refused_by(bare, id=record_id) == "record_has_standing"
    erase = """UPDATE memory_record SET purged_at = created_at, content = '', metadata = '{}',
                   tags = '{}', content_salt = NULL WHERE id = %(id)s"""
    assert refused_by(erase, id=record_id) == "record_has_standing"
    delete = "DELETE FROM memory_standing WHERE record_id = %(id)s"
    assert refused_by(delete, id=record_id) == "standing_in_ledger"
    first = StandingChange.objects.get(record_id=record_id)
    line = LINE + ";" + delete.replace("%(id)s", "%(record)s")
    told = {"agent": desk.agent.id, "record": record_id, "revision": 2, "event": "purged"}
    told |= {"before": Jsonb(first.after), "after": None, "now": now}
    assert refused_by(line, **told) == "ledger_in_standing", "the record is still there"


LINE = """
INSERT INTO memory_standing_change (agent_id, record_id, revision, event, before, after,
    cause_kind, cause_id, detail, at)
VALUES (%(agent)s, %(record)s, %(revision)s, %(event)s, %(before)s, %(after)s, 'test', '', '{}',
    %(now)s)
"""


@pytest.mark.spec("M5", "X1")
def test_a_ledger_only_grows_and_each_line_follows_the_last(
    desk: Desk, other: Desk, now: datetime
) -> None:
    record_id = remember(desk, now=now)
    row: dict[str, Any] = {
        "agent": desk.agent.id,
        "record": record_id,
        "revision": 2,
        "event": "confirmed",
        "before": '{"a": 1}',
        "after": "{}",
        "now": now,
    }
    for columns, constraint in (
        ({}, "standing_change_follows"),
        ({"revision": 3}, "standing_change_follows"),
        ({"revision": 1, "before": None}, "memory_standing_change_pkey"),
        ({"revision": 1}, "standing_change_begins_with_nothing"),
        ({"agent": other.agent.id, "revision": 1, "before": None}, "standing_change_record_fk"),
    ):
        assert refused_by(LINE, **{**row, **columns}) == constraint
    own = {**row, "record": desk.write(now=now).id, "revision": 1, "before": None}
    assert refused_by(LINE, **{**own, "event": "Confirmed!"}) == "standing_change_named"
    assert refused_by(LINE, **{**own, "after": None}) == "standing_change_ends_when_purged"
    for sql in (
        "UPDATE memory_standing_change SET event = 'confirmed' WHERE record_id = %(id)s",
        "DELETE FROM memory_standing_change WHERE record_id = %(id)s",
    ):
        assert refused_by(sql, id=record_id) == "standing_change_immutable"


@pytest.mark.spec("M5")
def test_no_ledger_tells_a_move_that_its_standing_did_not_make(desk: Desk, now: datetime) -> None:
    record_id = remember(desk, now=now)
    first = StandingChange.objects.get(record_id=record_id).after
    assert first is not None
    line: dict[str, Any] = {"agent": desk.agent.id, "record": record_id, "revision": 2, "now": now}
    line |= {"event": "confirmed", "before": Jsonb(first), "after": Jsonb(first)}
    assert refused_by(LINE, **line) == "ledger_in_standing", "whatever it tells"
    false = Jsonb({**first, "confidence": "0.1"})
    assert refused_by(LINE, **{**line, "after": false}) == "ledger_in_standing"
    purged = {**line, "event": "purged", "after": None}
    assert refused_by(LINE, **purged) == "ledger_in_standing", "the standing is still there"
    plain = {**line, "record": desk.write(now=now).id, "revision": 1, "before": None}
    assert refused_by(LINE, **plain) == "ledger_in_standing", "it has no standing"
    forget(record_id, now=now)
    assert StandingChange.objects.filter(record_id=record_id).count() == 2
    assert refused_by(LINE, **{**line, "revision": 3}) == "standing_change_follows"


@pytest.mark.spec("M3", "M5")
def test_a_forgotten_standing_leaves_its_ledger_and_nothing_else(desk: Desk, now: datetime) -> None:
    record_id = remember(desk, now=now, tags=["a", "b"])
    forget(record_id, now=now)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    assert standings.replayed(desk.agent.id, record_id) is None
    assert StandingChange.objects.filter(record_id=record_id).count() == 2
    assert tags_of(record_id) == []
    assert not Standing.objects.filter(record_id=record_id).exists()
    assert not Posting.objects.filter(record_id=record_id).exists()
    assert counters(desk) == (0, 0)


def counters(desk: Desk) -> tuple[int, int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT text_records, text_length FROM memory_agent_tail WHERE agent_id = %s",
            [desk.agent.id],
        )
        found: tuple[int, int] = cursor.fetchone()
    return found


def posted(desk: Desk) -> list[tuple[Any, ...]]:
    rows = Posting.objects.filter(agent_id=desk.agent.id).order_by("lexeme", "record_id")
    return list(rows.values_list("lexeme", "record_id", "tf", "len"))


@pytest.mark.spec("S3")
def test_every_write_leaves_its_words_and_they_can_be_made_anew(desk: Desk, now: datetime) -> None:
    written = desk.write(
        now=now, content="SL/TP hit: shorts, short", tags=["adx"], instruments=["ETH", "BTC"]
    )
    mine = {(lexeme, tf) for lexeme, id_, tf, _ in posted(desk) if id_ == written.id}
    assert mine == {
        *(("sl", 1), ("tp", 1), ("hit", 1), ("short", 2)),
        *(("adx", 1), ("eth", 1), ("btc", 1)),
    }
    remember(desk, "wait", now=now, symbol="ETH", strategy_type="mean_reversion", tags=["eth"])
    desk.write(now=now, content="the of and")
    before, counted = posted(desk), counters(desk)
    assert counted == (3, sum(tf for _, _, tf, _ in before))
    for _, id_, _, length in before:
        assert length == sum(tf for _, other, tf, _ in before if other == id_)
    postings.rebuild(desk.agent.id)
    assert (posted(desk), counters(desk)) == (before, counted)


@pytest.mark.spec("M5")
@pytest.mark.django_db(transaction=True)
def test_concurrent_moves_lose_no_step(transactional_db: None, now: datetime) -> None:
    del transactional_db
    desk = make_desk("ours", now=now)
    record_id = remember(desk, now=now, type="rule", validated_count=0)
    barrier = threading.Barrier(6)

    def work() -> None:
        barrier.wait()
        try:
            for _ in range(5):
                standings.move(
                    agent_id=desk.agent.id, record_id=record_id, now=now, **bump("0.001", "up")
                )
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(work) for _ in range(6)]:
            done.result()
    standing = Standing.objects.get(record_id=record_id)
    assert (standing.validated_count, standing.revision) == (30, 31)
    assert standing.confidence == Decimal("0.83")
    assert standings.replayed(desk.agent.id, record_id) == standings.moving_of(standing)
