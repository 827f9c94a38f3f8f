"""Every malformed write is a typed error that names the place, and leaves nothing (SPEC R5-R12)."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from memory.models import Instrument, Record, RecordLink, RecordTarget, Run
from memory.services import setup
from tests.desk import Desk, note

HIGH = "\ud800"


def nested(levels: int) -> Any:
    """Return an object nested `levels` deep, itself counted."""
    value: Any = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


def link(target: object = None, kind: str = "evidence") -> dict[str, Any]:
    return {"target_memory_id": str(target or uuid4()), "link_type": kind}


def stored_rows() -> int:
    """Count everything that a write could leave."""
    models = (Record, RecordTarget, RecordLink, Run)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM memory_head")
        heads: int = cursor.fetchone()[0]
    return heads + sum(model.objects.count() for model in models)


SAME = uuid4()

MALFORMED: list[tuple[str, dict[str, Any], str]] = [
    ("unknown key", {"colour": "blue"}, "colour"),
    ("server-owned run", {"run_id": str(uuid4())}, "run_id"),
    ("server-owned producer", {"producer_id": str(uuid4())}, "producer_id"),
    ("server-owned agent", {"agent_id": str(uuid4())}, "agent_id"),
    ("server-owned time", {"created_at": "2026-01-01T00:00:00Z"}, "created_at"),
    ("server-owned deadline", {"expires_at": "2026-01-01T00:00:00Z"}, "expires_at"),
    ("server-owned id", {"id": str(uuid4())}, "id"),
    ("no content", {"content": None}, "content"),
    ("blank content", {"content": " \n\t "}, "content"),
    ("40 KiB of content", {"content": "x" * 40_960}, "content"),
    ("NUL in content", {"content": "a\x00b"}, "content"),
    ("lone surrogate in content", {"content": f"a{HIGH}b"}, "content"),
    ("number as content", {"content": 7}, "content"),
    ("upper-case type", {"type": "Note"}, "type"),
    ("type with a line break", {"type": "note\n"}, "type"),
    ("65-character type", {"type": "n" * 65}, "type"),
    ("unknown scope", {"scope": "world"}, "scope"),
    ("agent scope with targets", {"scope": "agent", "instruments": ["ETH"]}, "instruments"),
    ("instrument scope without", {"scope": "instruments", "instruments": []}, "instruments"),
    ("duplicate target", {"instruments": ["ETH", "ETH"]}, "instruments"),
    ("51 targets", {"instruments": [f"X{i}" for i in range(51)]}, "instruments"),
    ("NUL in a target", {"instruments": ["E\x00TH"]}, "instruments"),
    ("number as target", {"instruments": [7]}, "instruments[0]"),
    ("unknown timeframe", {"timeframe": "7m"}, "timeframe"),
    ("metadata as list", {"metadata": []}, "metadata"),
    ("33-deep metadata", {"metadata": nested(33)}, "metadata"),
    ("70 KB of metadata", {"metadata": {"a": "x" * 70_000}}, "metadata"),
    ("NUL in metadata", {"metadata": {"a": ["ok", "\x00"]}}, "metadata.a[1]"),
    ("surrogate in metadata", {"metadata": {"a": {"b": HIGH}}}, "metadata.a.b"),
    ("NUL in a metadata key", {"metadata": {"a": {"\x00": 1}}}, "metadata.a"),
    ("overflowing number", {"metadata": {"a": float("inf")}}, ""),
    ("33 tags", {"tags": [f"t{i}" for i in range(33)]}, "tags"),
    ("65-character tag", {"tags": ["t" * 65]}, "tags"),
    ("empty tag", {"tags": [" "]}, "tags"),
    ("NUL in a tag", {"tags": ["a\x00"]}, "tags"),
    ("65 links", {"links": [link() for _ in range(65)]}, "links"),
    ("duplicate link", {"links": [link(SAME), link(SAME)]}, "links"),
    ("malformed link id", {"links": [link(), link("no-uuid")]}, "links[1].target_memory_id"),
    ("braced link id", {"links": [link("{" + str(SAME) + "}")]}, "links[0].target_memory_id"),
    ("unknown link type", {"links": [link(kind="inspired_by")]}, "links[0].link_type"),
    ("key inside a link", {"links": [{**link(), "agent_id": "x"}]}, "links[0].agent_id"),
]


@pytest.mark.spec("R5", "R9", "R10", "R2", "R11")
@pytest.mark.parametrize(
    ("body", "place"), [row[1:] for row in MALFORMED], ids=[row[0] for row in MALFORMED]
)
def test_a_malformed_body_is_a_400_that_names_the_place(
    desk: Desk, body: dict[str, Any], place: str
) -> None:
    text = json.dumps(note(**body))
    response = desk.client().generic(
        "POST", desk.path("memories/"), text, content_type="application/json"
    )
    assert response.status_code == 400, response.content
    answer = response.json()
    if "fields" in answer:
        assert answer["code"] == "validation_error"
        assert list(answer["fields"]) == [place]
    else:
        assert answer["code"] == "invalid"
    assert stored_rows() == 0


@pytest.mark.spec("R2", "E2")
def test_a_place_is_named_whatever_is_wrong(desk: Desk) -> None:
    client, path = desk.client(), desk.path("memories/")
    body = {
        name: value for name, value in note(scope="instruments").items() if name != "instruments"
    }
    for wrong, place in ((body, "instruments"), ([], "body"), ("x", "body")):
        answer = client.post(path, wrong, format="json").json()
        assert list(answer["fields"]) == [place]
        assert answer["error"] == f"{place}: {answer['fields'][place][0]}"


@pytest.mark.spec("R9", "R10", "E2")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[]",
        "null",
        '{"type": NaN}',
        '{"type": -Infinity}',
        '{"metadata": {"a": 1e999}, "type": "note", "scope": "agent", "content": "x"}',
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"metadata": ' + "9" * 5_000 + "}",
        b'{"content": "\xff"}',
        '{"type": "note", "type": "note"}',
        '{"metadata": {"a": {"b": 1, "b": 1}}}',
        b"\xff\xfe",
    ],
    ids=lambda text: repr(text[:20]),
)
def test_what_is_not_json_is_a_400(desk: Desk, text: str | bytes) -> None:
    response = desk.client().post(desk.path("memories/"), text, content_type="application/json")
    assert response.status_code == 400, response.content
    assert {"error", "code"} <= set(response.json())
    assert stored_rows() == 0


BOMBS: dict[str, dict[str, Any]] = {
    "links": {"links": [{}] * 200_000},
    "tags": {"tags": [7] * 300_000},
    "instruments": {"instruments": [7] * 300_000},
    "many wrong links": {"links": [{"a": 1}] * 64},
    "unknown keys": {f"key{i}": 1 for i in range(50_000)},
    "one long key": {"k" * 900_000: 1},
    "metadata": {"metadata": {"k" * 1_000: ["\x00"] * 100_000}},
    "metadata keys": {"metadata": {"k" * 900 + str(i): "\x00" for i in range(60)}},
}


@pytest.mark.spec("R10", "E2")
@pytest.mark.parametrize("body", BOMBS.values(), ids=BOMBS)
def test_a_body_full_of_faults_gets_a_short_answer(desk: Desk, body: dict[str, Any]) -> None:
    text = json.dumps(note(**body))
    response = desk.client().generic(
        "POST", desk.path("memories/"), text, content_type="application/json"
    )
    assert response.status_code == 400
    assert len(response.content) < 20_000
    assert len(response.json()["fields"]) <= 21
    assert stored_rows() == 0


@pytest.mark.spec("R10")
def test_bounds_are_inclusive(desk: Desk) -> None:
    body = note(
        type="n" * 64,
        content="  " + "x" * 32_768 + "  ",
        metadata={"deep": nested(31)},
        tags=[f"T{i:<62}." for i in range(32)],
    )
    response = desk.client().post(desk.path("memories/"), body)
    assert response.status_code == 201, response.content
    assert len(response.json()["content"]) == 32_768
    assert len(response.json()["tags"]) == 32


@pytest.mark.spec("R10")
def test_tags_are_lower_cased_stripped_and_unique(desk: Desk) -> None:
    body = note(tags=[" Momentum", "momentum ", "ÄTHER"])
    answer = desk.client().post(desk.path("memories/"), body).json()
    assert answer["tags"] == ["momentum", "äther"]


@pytest.mark.spec("R10", "E2")
def test_a_request_over_the_size_limit_is_a_413(desk: Desk) -> None:
    response = desk.client().post(desk.path("memories/"), note(content="x" * 1_100_000))
    assert response.status_code == 413
    assert response.json()["code"] == "request_too_large"


@pytest.mark.spec("E2")
def test_another_content_type_is_a_415(desk: Desk) -> None:
    response = desk.client().generic(
        "POST", desk.path("memories/"), "a=b", content_type="application/x-www-form-urlencoded"
    )
    assert response.status_code == 415
    assert response.json()["code"] == "unsupported_media_type"


@pytest.mark.spec("R12")
@pytest.mark.parametrize(
    ("role", "type_", "status"),
    [
        ("analysis", "observation", 201),
        ("analysis", "preference", 201),
        ("analysis", "trading_decision", 403),
        ("analysis", "review", 403),
        ("analysis", "rule", 403),
        ("trading", "trading_decision", 201),
        ("trading", "observation", 403),
        ("trading", "agent_learnings", 403),
        ("review", "review", 201),
        ("review", "agent_learnings", 201),
        ("review", "strategy_insight", 403),
        ("autopilot", "rule", 201),
        ("autopilot", "strategy_insight", 201),
        ("autopilot", "optimization", 201),
        ("autopilot", "observation", 403),
    ],
)
def test_reserved_types_are_written_by_their_role_alone(
    desk: Desk, role: str, type_: str, status: int
) -> None:
    response = desk.client(role).post(desk.path("memories/"), note(type=type_))
    assert response.status_code == status
    if status == 403:
        assert response.json()["code"] == "reserved_memory_type"
        assert stored_rows() == 0


TARGET_REFUSAL = {
    "error": "instruments[1] is not an active instrument selected by this agent",
    "code": "invalid_memory_target",
    "instrument_index": 1,
}


@pytest.mark.spec("R3", "R8")
@pytest.mark.parametrize("name", ["SOL", "MATIC", "NOPE", "eth", "ΣΗΤΑ"])
def test_an_unselected_a_delisted_and_an_unknown_target_are_answered_alike(
    desk: Desk, now: Any, name: str
) -> None:
    for unselected in ("SOL", "MATIC"):
        Instrument.objects.create(id=unselected, kind="perpetual", source="test", seen_at=now)
    setup.select_instrument(agent=desk.agent, name="MATIC", now=now)
    Instrument.objects.filter(id="MATIC").update(is_active=False)
    body = note(instruments=["BTC", name, "NOPE2"], links=[link()])
    response = desk.client().post(desk.path("memories/"), body)
    assert response.status_code == 422
    assert response.json() == TARGET_REFUSAL
    assert stored_rows() == 0


@pytest.mark.spec("R3")
def test_old_targets_stay_attached_after_a_deselection(desk: Desk, now: Any) -> None:
    written = desk.write(now=now, instruments=["ETH", "BTC"])
    setup.deselect_instrument(agent=desk.agent, name="ETH", now=now)
    read = desk.client().get(desk.path(f"memories/{written.id}/")).json()
    assert read["instruments"] == ["ETH", "BTC"]
    refused = desk.client().post(desk.path("memories/"), note(instruments=["ETH"]))
    assert refused.json()["code"] == "invalid_memory_target"


@pytest.mark.spec("R6", "R7", "X1")
def test_an_unknown_and_a_foreign_link_are_answered_alike_with_the_same_work(
    desk: Desk, other: Desk, now: Any, django_assert_num_queries: Any
) -> None:
    mine, theirs = desk.write(now=now), other.write(now=now)
    rows = stored_rows()
    client = desk.client()
    answers = []
    for bad in (uuid4(), theirs.id):
        body = note(instruments=["ETH"], links=[link(mine.id), link(bad), link(uuid4())])
        with django_assert_num_queries(4):
            answers.append(client.post(desk.path("memories/"), body))
    assert [answer.status_code for answer in answers] == [422, 422]
    assert (
        answers[0].json()
        == answers[1].json()
        == {
            "error": "links[1].target_memory_id is unavailable; copy the exact ID from authorized "
            "same-agent context and retry once",
            "code": "invalid_memory_link",
            "link_index": 1,
        }
    )
    assert stored_rows() == rows


@pytest.mark.spec("R11")
def test_every_link_type_is_stored_in_the_order_of_the_body(desk: Desk, now: Any) -> None:
    first = desk.write(now=now)
    kinds = ["outcome_of", "evidence", "corrects", "supports", "contradicts", "derived_from"]
    written = desk.write(now=now, links=[link(first.id, kind) for kind in kinds])
    read = desk.client().get(desk.path(f"memories/{written.id}/")).json()
    assert [one["link_type"] for one in read["links"]] == kinds


@pytest.mark.spec("R16")
def test_no_write_is_refused_for_what_it_claims(desk: Desk) -> None:
    claims = {
        "handoff_version": 1,
        "evidence_boundary": "1999-13-45",
        "sources": [{"bar_index": -1, "closed_at": "never"}],
        "interpretation": {"bias": "sideways-up", "confidence": {"label": 5}},
    }
    body = note(content="BTC closed at -7 on the 31st of February", metadata=claims)
    response = desk.client().post(desk.path("memories/"), body)
    assert response.status_code == 201
    assert 0 < len(response.json()["handoff_warnings"]) <= 10
    assert claims.items() <= response.json()["metadata"].items()
