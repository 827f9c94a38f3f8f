"""Importing strategy memory: whole or not at all, the bad line named, and twice is once."""

import io
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from memory.errors import TidebookError
from memory.ids import id_at
from memory.models import AgentTail, Posting, Record, RecordTarget, Standing, StandingChange
from memory.policies.freshness import iso
from memory.policies.retention import content_digest
from memory.schemas.records import RecordDraft
from memory.schemas.search import SearchQuery
from memory.selectors.search import search
from memory.services import postings, standings
from memory.services.publish import Stamped, said_by
from tests.desk import Desk
from tests.strategies import forget, remember

WRITTEN = datetime(2026, 9, 1, 8, 0, tzinfo=UTC)

type Write = Callable[..., str]


def insight(**more: Any) -> dict[str, Any]:
    """Return a line's object with `more` over the defaults; None leaves a key out."""
    whole = {
        "id": str(id_at(WRITTEN)),
        "type": "strategy_insight",
        "content": "Breakouts hold when volume doubles",
        "created_at": iso(WRITTEN),
        "tags": ["Volume", "breakout"],
        "symbol": "ETH",
        "strategy_type": "breakout",
        "outcome": "success",
        **more,
    }
    return {key: value for key, value in whole.items() if value is not ...}


def rule(**more: Any) -> dict[str, Any]:
    return insight(type="rule", symbol=..., outcome=..., **more)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return what writes lines into a file: objects as JSON, texts and bytes as they are."""

    def lines(*some: Any) -> str:
        path = tmp_path / "memories.jsonl"
        path.write_bytes(
            b"".join(
                (one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n"
                for one in some
            )
        )
        return str(path)

    return lines


def run(file: str, *words: str, agent: str = "ours") -> dict[str, Any]:
    out = StringIO()
    call_command("import_memories", file, "--agent", agent, "--json", *words, stdout=out)
    report: dict[str, Any] = json.loads(out.getvalue())
    return report


def counts(report: dict[str, Any]) -> tuple[int, int]:
    """Return how many memories an import stored, and how many were here."""
    return report["created"], report["unchanged"]


def code_of(error: CommandError) -> str:
    """Return the code of the refusal behind a command's error."""
    cause = error.__cause__
    assert isinstance(cause, TidebookError)
    return cause.code


@pytest.mark.spec("M2", "U3", "S2")
def test_what_is_imported_stands_where_the_line_says_and_is_found(
    desk: Desk, now: datetime, write: Write
) -> None:
    told = insight(
        confidence=0.62,
        validated_count=-1,
        relevance_score="0.9",
        visibility="community",
        community_confirmations=3,
        source_node_uuid=str(id_at(now)),
        config={"b": 1, "a": 2},
        metrics={"pnl": 3.5, "trades": 12},
        expires_at="2027-01-01T01:00:00+01:00",
    )
    report = run(write(told, rule()))
    assert counts(report) == (2, 0)
    assert report["agent"] == str(desk.agent.id)
    record = Record.objects.get(id=told["id"])
    standing = Standing.objects.get(record=record)
    assert (record.created_at, record.imported_at) == (WRITTEN, now)
    assert (record.producer_id, record.run_id, record.stale_after) == (None, None, None)
    assert (record.tags, standing.tags) == (["volume", "breakout"], ["volume", "breakout"])
    assert (standing.confidence, standing.validated_count) == (Decimal("0.62"), -1)
    assert (standing.relevance_score, standing.community_confirmations) == (Decimal("0.9"), 3)
    assert standing.expires_at == datetime(2027, 1, 1, tzinfo=UTC)
    assert (standing.config, standing.metrics) == ({"a": 2, "b": 1}, {"pnl": 3.5, "trades": 12})
    assert list(RecordTarget.objects.values_list("record_id", "instrument_id")) == [
        (record.id, "ETH")
    ]
    asked = SearchQuery.parse({"symbol": "ETH", "tags": ["volume"], "query": "volume doubling"})
    assert search(agent_id=desk.agent.id, asked=asked, now=now).text == (
        "**Universal Rules:**\n- [conf: 80%] Breakouts hold when volume doubles\n\n"
        "**ETH Insights:**\n- [SUCCESS] Breakouts hold when volume doubles"
    )


@pytest.mark.spec("M5", "U4", "R1")
def test_an_imported_memory_has_a_ledger_a_digest_a_number_and_its_words(
    desk: Desk, now: datetime, write: Write
) -> None:
    desk.write(now=now)
    told = insight()
    run(write(told, rule()))
    record = Record.objects.get(id=told["id"])
    assert (record.seq, AgentTail.objects.get(agent=desk.agent).last_seq) == (2, 3)
    (line,) = StandingChange.objects.filter(record=record)
    assert (line.event, line.cause_kind, line.at) == ("imported", "import", now)
    assert standings.replayed(desk.agent.id, record.id) == standings.moving_of(
        Standing.objects.get(record=record)
    )
    draft = RecordDraft.parse(
        {
            "type": record.type,
            "scope": record.scope,
            "instruments": ["ETH"],
            "content": record.content,
            "tags": record.tags,
        }
    )
    said = said_by(
        draft,
        id=record.id,
        agent_id=desk.agent.id,
        producer_id=None,
        run_id=None,
        stamped=Stamped({}, None, None),
        created_at=WRITTEN,
    )
    assert content_digest(bytes(record.content_salt or b""), said) == bytes(record.content_digest)
    rows = list(Posting.objects.order_by("lexeme", "record_id").values())
    tail = AgentTail.objects.get(agent=desk.agent)
    postings.rebuild(desk.agent.id)
    assert list(Posting.objects.order_by("lexeme", "record_id").values()) == rows
    again = AgentTail.objects.get(agent=desk.agent)
    assert (again.text_records, again.text_length) == (tail.text_records, tail.text_length)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.mark.spec("M1")
@pytest.mark.parametrize(
    ("line", "days"),
    [
        (insight(), 90),
        (insight(outcome="failure"), 30),
        (insight(outcome=...), 30),
        (insight(type="optimization"), 60),
        (insight(expires_at=None), None),
        (rule(), None),
    ],
)
def test_a_line_without_an_end_gets_that_of_its_tier_from_when_it_was_written(
    desk: Desk, write: Write, line: dict[str, Any], days: int | None
) -> None:
    run(write(line), agent=str(desk.agent.id))
    wanted = None if days is None else WRITTEN + timedelta(days=days)
    assert Standing.objects.get().expires_at == wanted


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("desk")
def test_a_second_import_changes_nothing(now: datetime, write: Write) -> None:
    first, second = insight(), rule(id=str(id_at(now)))
    run(write(first, second))
    before = list(Record.objects.order_by("id").values())
    assert run(write(second, b"", first, insight(id=str(id_at(now))))) == {
        **run(write(first)),
        "created": 1,
        "unchanged": 2,
    }
    kept = Record.objects.filter(id__in=[first["id"], second["id"]])
    assert list(kept.order_by("id").values()) == before
    assert StandingChange.objects.count() == 3


@pytest.mark.spec("M3", "U3")
@pytest.mark.usefixtures("desk")
def test_a_forgotten_memory_stays_forgotten(now: datetime, write: Write) -> None:
    told = insight()
    run(write(told))
    forget(UUID(told["id"]), now=now)
    assert counts(run(write(told))) == (0, 1)
    assert not Standing.objects.exists()


BAD = [
    (b"nonsense", "JSON"),
    (b"[]", "JSON object"),
    (b'{"a": 1, "a": 2}', "a key twice"),
    (b'{"confidence": NaN}', "JSON"),
    (b"\xff\xfe", "UTF-8"),
    (b"[" * 100_000, "JSON"),
    (b'{"confidence": ' + b"9" * 5_000 + b"}", "JSON"),
    (insight(colour="red"), "colour"),
    (insight(agent="x"), "agent"),
    (insight(id=...), "id"),
    (insight(id="1"), "id"),
    (insight(type="observation"), "symbol"),
    (insight(content="  "), "content"),
    (insight(content="x" * 32_769), "content"),
    (insight(content="a\x00b"), "content"),
    (insight(content="a\ud800b"), "content"),
    (insight(tags=["x" * 65]), "tags"),
    (insight(tags=[""]), "tags"),
    (insight(confidence=1.5), "confidence"),
    (insight(confidence="much"), "confidence"),
    (insight(created_at=...), "created_at"),
    (insight(created_at="2026-09-01"), "created_at"),
    (insight(created_at="2099-01-01T00:00Z"), "created_at"),
    (insight(expires_at="soon"), "expires_at"),
    (insight(symbol="NOPE"), "symbol"),
    (insight(strategy_type="astrology"), "strategy_type"),
    (insight(metrics={"a": [1, {"b": "\x00"}]}), "metrics"),
    (insight(type="rule"), "cross-asset"),
    (insight(community_confirmations=-1), "community_confirmations"),
]


@pytest.mark.spec("U3", "R6", "R10")
@pytest.mark.parametrize(
    ("line", "says"), BAD, ids=[f"{i}-{says}" for i, (_, says) in enumerate(BAD)]
)
@pytest.mark.usefixtures("desk")
def test_a_bad_line_is_named_and_nothing_is_stored(
    now: datetime, write: Write, line: Any, says: str
) -> None:
    with pytest.raises(CommandError) as refusal:
        run(write(rule(id=str(id_at(now))), b"", line))
    said = str(refusal.value)
    assert said.startswith("line 3: ")
    assert code_of(refusal.value) == "invalid_line"
    assert says in said
    assert "\x00" not in said
    for model in (Record, Standing, StandingChange, Posting):
        assert not model.objects.exists()


@pytest.mark.spec("X1", "U3")
def test_an_id_that_something_else_has_is_refused_alike_whosever_it_is(
    desk: Desk, other: Desk, now: datetime, write: Write
) -> None:
    texts = []
    for taken in (
        remember(other, now=now),
        remember(desk, now=now),
        desk.write(now=now).id,
        other.write(now=now).id,
    ):
        with pytest.raises(CommandError) as refusal:
            run(write(insight(id=str(taken))))
        texts.append(str(refusal.value))
    assert set(texts) == {
        "line 1: id: is stored already, with other content, and what is stored never changes"
    }


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("desk")
def test_a_line_that_repeats_an_id_is_refused(write: Write) -> None:
    told = insight()
    with pytest.raises(CommandError, match=r"^line 2: id: repeats line 1$"):
        run(write(told, told))


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("desk")
def test_lines_come_from_standard_input_and_a_missing_file_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = io.TextIOWrapper(io.BytesIO(json.dumps(insight()).encode()))
    monkeypatch.setattr("sys.stdin", lines)
    out = StringIO()
    call_command("import_memories", "-", "--agent", "ours", stdout=out)
    assert out.getvalue() == "ours: 1 memories stored, 0 were there.\n"
    with pytest.raises(CommandError, match=r"No such file or directory$"):
        run(str(tmp_path / "none.jsonl"))
    with pytest.raises(CommandError) as refusal:
        run(str(tmp_path / "none.jsonl"), agent="nobody")
    assert code_of(refusal.value) == "not_found"


@pytest.mark.spec("U3")
def test_a_thousand_lines_get_numbers_in_their_order(desk: Desk, write: Write) -> None:
    told = [rule(id=str(id_at(WRITTEN + timedelta(seconds=9 - i % 9)))) for i in range(1_100)]
    run(write(*told))
    in_order = Record.objects.filter(agent=desk.agent).order_by("seq").values_list("id", flat=True)
    assert [str(id_) for id_ in in_order] == [one["id"] for one in told]
