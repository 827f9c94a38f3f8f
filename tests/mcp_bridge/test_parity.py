"""The same bad input has the same code and the same named fields over MCP and REST (SPEC B3)."""

import json
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest

from memory.services import setup
from memory.services.runs import start_run_with_token
from tests.desk import Desk, bearer, make_instrument, note
from tests.mcp_bridge.clients import call
from tests.memory.test_bad_input import MALFORMED

ABSENT = "01990000-0000-7000-8000-000000000000"
HOUR = timedelta(hours=1)
# Not JSON: over the wire it reaches no tool. The transports refuse it.
ON_THE_WIRE = {"overflowing number"}
WRITES = [row for row in MALFORMED if row[0] not in ON_THE_WIRE]


def over_rest(desk: Desk, body: dict[str, Any], *, role: str = "analysis") -> dict[str, Any]:
    response = desk.client(role).generic(
        "POST", desk.path("memories/"), json.dumps(body), content_type="application/json"
    )
    answer: dict[str, Any] = response.json()
    return answer


@pytest.mark.spec("B3", "R5", "R9", "R10", "B1")
@pytest.mark.parametrize("body", [row[1] for row in WRITES], ids=[row[0] for row in WRITES])
def test_a_malformed_write_is_answered_alike(desk: Desk, body: dict[str, Any]) -> None:
    answer = call(desk.tokens["analysis"], "write_memory", note(**body))
    assert answer.body == over_rest(desk, note(**body))
    assert answer.body["code"] == "validation_error"


@pytest.mark.spec("B3", "R7", "R8", "R12", "F6")
@pytest.mark.parametrize(
    ("role", "body", "code"),
    [
        ("analysis", {"instruments": ["ETH", "SOL"]}, "invalid_memory_target"),
        ("analysis", {"instruments": ["NOPE"]}, "invalid_memory_target"),
        ("analysis", {"type": "rule"}, "reserved_memory_type"),
        ("trading", {"type": "observation"}, "reserved_memory_type"),
        ("review", {"type": "review", "metadata": {"stale_after": "x"}}, "validation_error"),
        ("review", {"type": "review", "metadata": {"valid_for_seconds": 0}}, "validation_error"),
    ],
)
def test_a_refused_write_is_answered_alike(
    desk: Desk, now: datetime, role: str, body: dict[str, Any], code: str
) -> None:
    make_instrument("SOL", now=now)
    answer = call(desk.tokens[role], "write_memory", note(**body))
    assert answer.body == over_rest(desk, note(**body), role=role)
    assert answer.body["code"] == code


@pytest.mark.spec("B3", "R7", "X1")
def test_a_bad_link_is_answered_alike_with_its_index(
    desk: Desk, other: Desk, now: datetime
) -> None:
    own, foreign = desk.write(now=now), other.write(now=now)
    for target in (foreign.id, uuid4()):
        links = [
            {"target_memory_id": str(one), "link_type": "evidence"} for one in (own.id, target)
        ]
        answer = call(desk.tokens["analysis"], "write_memory", note(links=links))
        assert answer.body == over_rest(desk, note(links=links))
        assert (answer.body["code"], answer.body["link_index"]) == ("invalid_memory_link", 1)


@pytest.mark.spec("B3", "R5", "R13")
def test_a_write_after_its_run_is_answered_alike(desk: Desk, now: datetime) -> None:
    run, _, token = start_run_with_token(producer=desk.producers["analysis"], now=now, life=HOUR)
    bearer(token).post(f"/api/v1/runs/{run.id}/finish/", {"status": "succeeded"})
    rest = bearer(token).post(desk.path("memories/"), note()).json()
    assert call(token, "write_memory", note()).body == rest
    assert rest["code"] == "run_finished"


@pytest.mark.spec("B3", "F8")
@pytest.mark.parametrize("role", ["analysis", "trading"])
@pytest.mark.parametrize(
    "asked",
    [
        "2026-09-30T12:00:01Z",
        "2026-09-30T12:05:00Z",
        "2026-09-30T12:00:00",
        "yesterday",
        "0001-01-01T00:00:00+14:00",
        1_790_000_000,
        [],
    ],
    ids=str,
)
def test_a_bad_evidence_boundary_is_answered_alike(desk: Desk, role: str, asked: object) -> None:
    body = {"evidence_boundary": asked}
    rest = desk.client(role).post(desk.path("runs/"), body).json()
    assert call(desk.tokens[role], "start_run", body).body == rest


@pytest.mark.spec("B3", "R9")
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"status": "running"},
        {"status": "failed", "error": "x" * 2_001},
        {"status": "failed", "error": "\x00"},
        {"status": "failed", "why": "x"},
    ],
    ids=str,
)
def test_a_bad_end_of_a_run_is_answered_alike(desk: Desk, body: dict[str, Any]) -> None:
    run = desk.client().post(desk.path("runs/"), {}).json()
    rest = desk.client().post(f"/api/v1/runs/{run['id']}/finish/", body).json()
    assert call(desk.tokens["analysis"], "finish_run", body).body == rest


@pytest.mark.spec("B3", "E3")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("type", "Note"),
        ("type", "note\n"),
        ("scope", "world"),
        ("limit", 0),
        ("limit", 201),
        ("limit", "x"),
        ("cursor", "x"),
        ("colour", "blue"),
        ("instrument", "x" * 65),
        ("tag", " "),
        ("q", "of the"),
        ("q", "x" * 401),
        ("window", "7h"),
    ],
)
def test_a_bad_filter_of_the_list_names_the_same_place(
    desk: Desk, name: str, value: object
) -> None:
    rest = desk.client().get(f"{desk.path('memories/')}?{urlencode({name: value})}").json()
    answer = call(desk.tokens["analysis"], "list_memories", {name: value})
    assert answer.body["code"] == rest["code"] == "validation_error"
    assert list(answer.body["fields"]) == list(rest["fields"]) == [name]


@pytest.mark.spec("B1", "B3", "E6")
def test_a_lineage_is_the_same_over_both(desk: Desk, now: datetime) -> None:
    first = desk.write(now=now).id
    link = {"target_memory_id": str(first), "link_type": "evidence"}
    second = desk.write(now=now, links=[link]).id
    desk.erase(first, now=now)
    answer = call(desk.tokens["review"], "trace_lineage", {"memory_id": str(second)})
    rest = desk.client("review").get(desk.path(f"memories/{second}/lineage/")).json()
    assert {**rest, "note": None} == answer.data


@pytest.mark.spec("B3", "C10", "C12", "R9")
@pytest.mark.parametrize(
    ("instrument", "extra"),
    [
        ("SOL", {}),
        ("ETH", {"max_chars": 0}),
        ("ETH", {"max_chars": "x"}),
        ("ETH", {"memory_id": "x"}),
        ("ETH", {"memory_id": ABSENT}),
    ],
    ids=str,
)
def test_a_bad_context_read_is_answered_alike(
    desk: Desk, instrument: str, extra: dict[str, Any]
) -> None:
    path = desk.path(f"context/{instrument}/?{urlencode(extra)}")
    rest = desk.client("trading").get(path).json()
    arguments = {"instrument": instrument, **extra}
    answer = call(desk.tokens["trading"], "get_instrument_context", arguments)
    assert answer.body == rest


@pytest.mark.spec("B1", "E2")
def test_what_a_context_read_does_not_take_is_refused_at_the_same_place(desk: Desk) -> None:
    path = desk.path("context/ETH/?colour=blue")
    rest = desk.client("trading").get(path).json()
    arguments = {"instrument": "ETH", "colour": "blue"}
    said = call(desk.tokens["trading"], "get_instrument_context", arguments).body
    # A tool takes other things than a route: each says what it takes in its own words.
    assert said["code"] == rest["code"] == "validation_error"
    assert list(said["fields"]) == list(rest["fields"]) == ["colour"]


@pytest.mark.spec("B3", "B1", "R14")
def test_a_write_and_its_reads_are_the_same_over_both(desk: Desk, now: datetime) -> None:
    setup.select_instrument(
        agent=desk.agent, name=make_instrument("PURR/USDC", now=now).id, now=now
    )
    body = note(
        instruments=["PURR/USDC", "ETH"],
        timeframe="5m",
        tags=["Momentum "],
        metadata={"handoff_version": 1, "x": 1e22, "valid_for_seconds": "never"},
    )
    written = call(desk.tokens["analysis"], "write_memory", body).data
    path = desk.path(f"memories/{written['id']}/")
    assert call(desk.tokens["review"], "get_memory", {"memory_id": written["id"]}).data[
        "record"
    ] == (desk.client("review").get(path).json())
    assert written["metadata"]["expiry_policy"] == "analysis_schedule_v2"
    assert "valid_for_seconds" not in written["metadata"]
    rest = desk.client("trading").get(desk.path("context/PURR%2FUSDC/")).json()
    served = call(
        desk.tokens["trading"], "get_instrument_context", {"instrument": "PURR/USDC"}
    ).data
    for key in ("evidence", "learnings", "instrument", "coverage", "more_corrections"):
        assert served[key] == rest[key]
