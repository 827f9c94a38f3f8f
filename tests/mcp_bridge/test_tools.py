"""What each role sees and gets, and that nobody gets what is another's (SPEC B3, B4, X1, C10)."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from mcp import Client

from mcp_bridge.errors import UNAUTHENTICATED
from memory.models import Record, Run, Token
from memory.policies.vocabulary import ROLES
from memory.services import tokens
from memory.services.runs import start_run_with_token
from tests.desk import Desk, note
from tests.mcp_bridge.clients import MODES, Told, call, inside, listed, refusal, told

EVERYONES = {"get_instrument_context", "get_learnings", "write_memory", "start_run", "finish_run"}
BROWSING = {"list_memories", "get_memory", "trace_lineage", "search_agent_memory"}
ALL = sorted(EVERYONES | BROWSING)
MINIMAL: dict[str, dict[str, Any]] = {
    "get_instrument_context": {"instrument": "ETH"},
    "get_memory": {"memory_id": str(uuid4())},
    "trace_lineage": {"memory_id": str(uuid4())},
    "write_memory": note(),
    "finish_run": {"status": "succeeded"},
}
OWN_TYPE = {
    "analysis": "observation",
    "trading": "trading_decision",
    "review": "agent_learnings",
    "autopilot": "rule",
}
HOUR = timedelta(hours=1)


def seen_by(role: str) -> set[str]:
    return EVERYONES if role == "trading" else EVERYONES | BROWSING


@pytest.mark.spec("B3", "C10")
@pytest.mark.parametrize("role", ROLES)
def test_a_role_sees_its_own_tools_alone(desk: Desk, role: str) -> None:
    assert {tool.name for tool in listed(desk.tokens[role])} == seen_by(role)


@pytest.mark.spec("B3", "B4", "R12")
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", ALL)
def test_a_role_calls_what_it_sees_and_the_rest_is_as_unknown_as_nothing(
    desk: Desk, role: str, name: str
) -> None:
    arguments = dict(MINIMAL.get(name, {}))
    if name == "write_memory":
        arguments["type"] = OWN_TYPE[role]
    if name in seen_by(role):
        answer = call(desk.tokens[role], name, arguments)
        assert answer.body.get("code") in {None, "not_found", "run_finished"}
        return
    messages = []
    for asked in (name, "no_such_tool"):
        with pytest.raises(BaseException) as caught:  # noqa: PT011 - looked at by refusal()
            call(desk.tokens[role], asked, arguments)
        error = refusal(caught.value)
        messages.append((error.error.code, error.error.message.replace(asked, "…")))
    assert messages[0] == messages[1]


IDENTITIES = ("agent_id", "agent", "user", "user_id", "run", "run_id", "producer", "token", "role")


@pytest.mark.spec("B4", "R5")
@pytest.mark.parametrize("name", ALL)
def test_no_tool_has_an_argument_that_says_who_is_calling(desk: Desk, name: str) -> None:
    [tool] = [one for one in listed(desk.tokens["review"]) if one.name == name]
    assert not set(IDENTITIES) & set(tool.input_schema["properties"])
    assert tool.input_schema["additionalProperties"] is False
    for extra in (*IDENTITIES, "colour"):
        answer = call(desk.tokens["review"], name, {**MINIMAL.get(name, {}), extra: str(uuid4())})
        assert answer.body["code"] == "validation_error"
        assert list(answer.body["fields"]) == [extra]
    assert not Record.objects.exists()
    assert not Run.objects.exists()


@pytest.mark.spec("R5", "B4")
@pytest.mark.parametrize(
    "key", ["run_id", "producer_id", "agent_id", "created_at", "expires_at", "id", "seq"]
)
def test_provenance_in_a_write_is_refused_by_name(desk: Desk, key: str) -> None:
    answer = call(desk.tokens["analysis"], "write_memory", note(**{key: str(uuid4())}))
    assert list(answer.body["fields"]) == [key]


def linked(target: object) -> dict[str, Any]:
    return note(links=[{"target_memory_id": str(target), "link_type": "evidence"}])


CASES: dict[str, tuple[str, Callable[[Any], dict[str, Any]]]] = {
    "read a record": ("get_memory", lambda one: {"memory_id": str(one)}),
    "trace a record": ("trace_lineage", lambda one: {"memory_id": str(one)}),
    "go on after a record": ("list_memories", lambda one: {"cursor": str(one)}),
    "link to a record": ("write_memory", linked),
    "fetch a record of a context": (
        "get_instrument_context",
        lambda one: {"instrument": "ETH", "memory_id": str(one)},
    ),
    "fetch a lesson": ("get_learnings", lambda one: {"memory_id": str(one)}),
}


@pytest.mark.spec("X1", "R7", "B4")
@pytest.mark.parametrize(("name", "arguments"), CASES.values(), ids=CASES)
def test_what_is_anothers_looks_as_if_it_did_not_exist(
    desk: Desk, other: Desk, now: datetime, name: str, arguments: Callable[[Any], dict[str, Any]]
) -> None:
    for ours in (desk, other):
        ours.write("review", now=now, type="agent_learnings", instruments=["ETH"])
        ours.write(now=now, instruments=["ETH"])
    lesson = name == "get_learnings"
    own, foreign = (
        Record.objects.get(agent=one.agent, type="agent_learnings" if lesson else "observation").id
        for one in (desk, other)
    )
    assert not call(desk.tokens["analysis"], name, arguments(own)).body
    bodies = [
        call(desk.tokens["analysis"], name, arguments(one)).body for one in (foreign, uuid4())
    ]
    assert bodies[0] == bodies[1]
    assert bodies[0]["code"] in {"not_found", "validation_error", "invalid_memory_link"}


@pytest.mark.spec("X1", "C10", "B3")
def test_lists_contexts_and_lessons_hold_the_callers_own_alone(
    desk: Desk, other: Desk, now: datetime
) -> None:
    theirs = "only theirs"
    other.write("review", now=now, type="agent_learnings", content=theirs)
    other.write(now=now, instruments=["ETH"], content=theirs)
    own = desk.write(now=now, instruments=["ETH"])
    for name in ("list_memories", "get_instrument_context", "get_learnings"):
        assert theirs not in call(desk.tokens["review"], name, MINIMAL.get(name)).text
    answer = call(desk.tokens["review"], "list_memories")
    assert [one["id"] for one in answer.data["results"]] == [str(own.id)]


@pytest.mark.spec("C10", "X1")
@pytest.mark.parametrize("name", ["SOL", "eth", "", "x" * 300, "PURR/USDC", "\x00"])
def test_context_of_what_is_not_selected_is_refused_like_what_is_unknown(
    desk: Desk, name: str
) -> None:
    answer = call(desk.tokens["trading"], "get_instrument_context", {"instrument": name})
    assert answer.body["code"] == "instrument_not_selected"


@pytest.mark.spec("R5", "B3")
@pytest.mark.parametrize("role", ROLES)
def test_a_run_is_started_written_in_and_finished_without_a_secret(desk: Desk, role: str) -> None:
    token = desk.tokens[role]
    issued = Token.objects.count()
    started = call(token, "start_run")
    assert set(started.data) == {
        "id",
        "producer",
        "schedule",
        "evidence_boundary",
        "started_at",
        "deadline_at",
        "status",
    }
    assert Token.objects.count() == issued
    assert call(token, "start_run").body["code"] == "run_open"
    inside_it = call(token, "write_memory", note(type=OWN_TYPE[role]))
    assert inside_it.data["run"]["id"] == started.data["id"]
    finished = call(token, "finish_run", {"status": "failed", "error": "feed lost"})
    assert (finished.data["id"], finished.data["status"]) == (started.data["id"], "failed")
    assert call(token, "finish_run", {"status": "succeeded"}).body["code"] == "run_finished"
    after = call(token, "write_memory", note(type=OWN_TYPE[role]))
    assert after.data["run"]["id"] != started.data["id"]
    assert not call(token, "start_run").body


@pytest.mark.spec("R5", "X1")
def test_a_run_is_bound_to_one_token_and_ended_by_it_alone(desk: Desk, other: Desk) -> None:
    started = call(desk.tokens["analysis"], "start_run")
    for stranger in (desk.tokens["review"], other.tokens["analysis"]):
        ended = call(stranger, "finish_run", {"status": "failed"})
        assert ended.body["code"] == "run_finished"
    assert Run.objects.get(id=started.data["id"]).status == "running"


@pytest.mark.spec("B4", "R5")
def test_a_run_token_is_good_for_its_run_and_says_run_finished_after_it(
    desk: Desk, now: datetime
) -> None:
    run, _, token = start_run_with_token(producer=desk.producers["analysis"], now=now, life=HOUR)
    assert call(token, "write_memory", note()).data["run"]["id"] == str(run.id)
    assert call(token, "start_run").body["code"] == "run_open"
    assert call(token, "finish_run", {"status": "succeeded"}).data["id"] == str(run.id)

    async def work(client: Client) -> list[Told]:
        asked = [("write_memory", note()), ("list_memories", {}), ("start_run", {})]
        return [told(await client.call_tool(name, body)) for name, body in asked]

    for mode in MODES:
        for answer in inside(token, work, mode=mode):
            assert answer.body["code"] == "run_finished"


@pytest.mark.spec("B4", "X2")
@pytest.mark.parametrize("mode", MODES)
def test_a_token_that_is_unknown_expired_or_revoked_gets_nothing(
    desk: Desk, now: datetime, mode: str
) -> None:
    producer = desk.producers["analysis"]
    _, expired = tokens.issue_token(producer=producer, now=now, expires_at=now)
    gone, revoked = tokens.issue_token(producer=producer, now=now)
    tokens.revoke_token(token=gone, now=now)

    async def work(client: Client) -> Any:
        return await client.call_tool("write_memory", note())

    wrong = desk.tokens["analysis"][:-1] + "!"
    for token in ("", "x", wrong, expired, revoked, f"{desk.tokens['trading']}x"):
        with pytest.raises(BaseException) as caught:  # noqa: PT011 - looked at by refusal()
            inside(token, work, mode=mode)
        error = refusal(caught.value).error
        assert error.code == UNAUTHENTICATED
        assert error.data["code"] in {"invalid_token", "not_authenticated"}
    assert not Record.objects.exists()


@pytest.mark.spec("B4")
@pytest.mark.parametrize("mode", MODES)
def test_a_token_revoked_in_mid_connection_is_refused_at_the_next_call(
    desk: Desk, now: datetime, mode: str
) -> None:
    token = Token.objects.get(producer=desk.producers["analysis"])

    async def work(client: Client) -> None:
        assert not told(await client.call_tool("write_memory", note())).body
        await token_gone()
        with pytest.raises(BaseException) as caught:  # noqa: PT011 - looked at by refusal()
            await client.call_tool("write_memory", note())
        assert refusal(caught.value).error.data["code"] == "invalid_token"

    async def token_gone() -> None:
        from mcp_bridge.orm import run_orm  # noqa: PLC0415 - the door that tests share

        await run_orm(lambda: tokens.revoke_token(token=token, now=now))

    inside(desk.tokens["analysis"], work, mode=mode)
    assert Record.objects.count() == 1


@pytest.mark.spec("B4", "X2")
def test_a_call_records_the_last_use_of_its_token(desk: Desk, now: datetime) -> None:
    call(desk.tokens["review"], "list_memories")
    assert Token.objects.get(producer=desk.producers["review"]).last_used_at == now


@pytest.mark.spec("R9", "B3")
def test_a_fault_says_nothing_but_an_id_that_is_in_the_log(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE memory_link RENAME TO memory_gone")
    answer = call(desk.tokens["analysis"], "write_memory", note(content="a secret thought"))
    assert set(answer.body) == {"error", "code", "request_id"}
    assert answer.body["code"] == "server_error"
    assert "memory" not in answer.text
    faults = [one for one in caplog.records if one.levelname == "ERROR"]
    assert any(answer.body["request_id"] in str(one.msg) for one in faults)
    assert "a secret thought" not in json.dumps([str(one.msg) for one in caplog.records])
