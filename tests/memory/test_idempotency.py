"""A write that is sent again under its key is made once (SPEC R13)."""

import json
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
import time_machine
from django.db import connection, transaction
from django.db.utils import DatabaseError

from memory.models import IdempotencyKey, Record, Run, Standing
from memory.services import setup
from memory.services.runs import finish_run, start_run_with_token
from memory.services.tokens import issue_token
from tests.desk import Desk, bearer, note

KEY = "01990000-0000-7000-8000-00000000beef"


def send(desk: Desk, key: str | None = KEY, role: str = "analysis", **body: Any) -> Any:
    """Write over REST, with a key or without."""
    return desk.client(role).generic(
        "POST",
        desk.path("memories/"),
        json.dumps(note(**body)),
        content_type="application/json",
        headers={} if key is None else {"Idempotency-Key": key},
    )


@pytest.mark.spec("R13")
def test_the_same_key_and_body_give_the_first_record_with_200(desk: Desk) -> None:
    metadata = {"handoff_version": 1, "sources": "none"}
    first = send(desk, instruments=["ETH"], metadata=metadata, tags=["calm"])
    again = send(desk, instruments=["ETH"], metadata=metadata, tags=["calm"])
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.json() == first.json()
    assert first.json()["handoff_warnings"]
    assert Record.objects.count() == Run.objects.count() == 1


@pytest.mark.spec("R13", "M3")
def test_a_retry_shows_no_strategy_memory_whose_time_is_over(desk: Desk, now: datetime) -> None:
    body = {"type": "optimization", "content": "a stop at two ranges"}
    first = send(desk, role="autopilot", **body)
    own = desk.path(f"memories/{first.json()['id']}/")
    for days, status, shown in ((59, 200, 200), (60, 409, 404), (400, 409, 404)):
        with time_machine.travel(now + timedelta(days=days), tick=False):
            again = send(desk, role="autopilot", **body)
            assert (again.status_code, desk.browser().get(own).status_code) == (status, shown)
    assert again.json()["code"] == "idempotency_conflict"
    assert "stop at two ranges" not in json.dumps(again.json())
    assert Record.objects.count() == 1


@pytest.mark.spec("R13")
def test_a_body_that_says_the_same_is_the_same(desk: Desk) -> None:
    first = send(desk, tags=["Calm "])
    again = send(desk, tags=["calm", "calm"], links=[], metadata={}, timeframe=None, instruments=[])
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])


@pytest.mark.spec("R13")
@pytest.mark.parametrize(
    "other",
    [
        {"content": "a loud market"},
        {"type": "preference"},
        {"metadata": {"x": 1}},
        {"tags": ["calm"]},
        {"timeframe": "5m"},
        {"instruments": ["ETH"]},
        # What a first write would be refused for is not even looked at.
        {"type": "rule"},
        {"metadata": {"\ud800": 1}},
    ],
    ids=str,
)
def test_the_same_key_and_another_body_are_a_conflict(desk: Desk, other: dict[str, Any]) -> None:
    send(desk)
    answer = send(desk, **other)
    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_conflict")
    assert Record.objects.count() == 1


@pytest.mark.spec("R13")
def test_without_a_key_every_write_is_a_record(desk: Desk) -> None:
    ids = {send(desk, key=None).json()["id"] for _ in range(2)}
    assert len(ids) == 2
    assert not IdempotencyKey.objects.exists()


@pytest.mark.spec("R13", "X1")
def test_a_key_is_a_producers_own(desk: Desk, other: Desk, now: datetime) -> None:
    second = setup.create_producer(
        agent=desk.agent, role="analysis", name="second", schedule=None, now=now
    )
    _, clear = issue_token(producer=second, now=now)
    headers = {"Idempotency-Key": KEY}
    answers = [
        send(desk),
        send(other),
        bearer(clear).post(desk.path("memories/"), note(), headers=headers),
        send(desk, role="review", type="review"),
    ]
    assert [one.status_code for one in answers] == [201] * 4
    assert len({one.json()["id"] for one in answers}) == 4


@pytest.mark.spec("R13", "R8")
def test_a_retry_after_the_instrument_was_deselected_gives_the_first_record(
    desk: Desk, now: datetime
) -> None:
    first = send(desk, instruments=["ETH"])
    setup.deselect_instrument(agent=desk.agent, name="ETH", now=now)
    assert send(desk, key=None, instruments=["ETH"]).status_code == 422
    again = send(desk, instruments=["ETH"])
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])


@pytest.mark.spec("R13", "R7", "R17")
def test_a_retry_after_a_link_was_erased_gives_the_first_record(desk: Desk, now: datetime) -> None:
    target = desk.write(now=now).id
    links = [{"target_memory_id": str(target), "link_type": "evidence"}]
    first = send(desk, links=links)
    desk.erase(target, now=now)
    assert send(desk, key=None, links=links).status_code == 422
    assert send(desk, links=links).json() == first.json()


@pytest.mark.spec("R13", "F6")
def test_a_retry_after_its_own_deadline_gives_the_first_record(desk: Desk, now: datetime) -> None:
    metadata = {"stale_after": (now + timedelta(minutes=5)).isoformat()}
    first = send(desk, role="review", type="review", metadata=metadata)
    with time_machine.travel(now + timedelta(minutes=6), tick=False):
        answer = send(desk, key=None, role="review", type="review", metadata=metadata)
        assert answer.status_code == 400
        again = send(desk, role="review", type="review", metadata=metadata)
    assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])
    assert (first.json()["status"], again.json()["status"]) == ("fresh", "stale")


@pytest.mark.spec("R13", "R5")
def test_a_retry_in_another_run_gives_the_record_with_its_own_run(
    desk: Desk, now: datetime
) -> None:
    run, _, clear = start_run_with_token(
        producer=desk.producers["analysis"], now=now, life=timedelta(hours=1)
    )
    headers = {"Idempotency-Key": KEY}
    first = bearer(clear).post(desk.path("memories/"), note(), headers=headers)
    finish_run(run=run, status="succeeded", error="", now=now)
    ended = bearer(clear).post(desk.path("memories/"), note(), headers=headers)
    assert (ended.status_code, ended.json()["code"]) == (409, "run_finished")
    again = send(desk)
    assert again.status_code == 200
    assert again.json()["run"] == {**first.json()["run"], "status": "succeeded"}
    assert again.json()["id"] == first.json()["id"]


@pytest.mark.spec("R13", "R6")
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"instruments": ["SOL"]}, 422),
        ({"links": [{"target_memory_id": str(UUID(int=7)), "link_type": "evidence"}]}, 422),
        ({"type": "rule"}, 403),
        ({"metadata": {"x": "\ud800"}}, 400),
        ({"metadata": {"x": "y" * 70_000}}, 400),
        ({"content": " "}, 400),
    ],
    ids=str,
)
def test_a_refused_write_leaves_its_key_free(desk: Desk, body: dict[str, Any], status: int) -> None:
    assert send(desk, **body).status_code == status
    assert not IdempotencyKey.objects.exists()
    assert send(desk).status_code == 201
    assert Record.objects.count() == 1


@pytest.mark.spec("R13", "R9", "R10")
@pytest.mark.parametrize(
    "metadata", ['{"x": 1e999}', '{"x": ' + "[" * 500 + "]" * 500 + "}"], ids=["huge", "deep"]
)
def test_what_json_can_say_and_no_record_can_hold_is_a_400(desk: Desk, metadata: str) -> None:
    body = json.dumps(note(metadata=0)).replace('"metadata": 0', f'"metadata": {metadata}')
    answer = desk.client().generic(
        "POST",
        desk.path("memories/"),
        body,
        content_type="application/json",
        headers={"Idempotency-Key": KEY},
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_error")


@pytest.mark.spec("R13", "R9")
@pytest.mark.parametrize(
    "key", ["", "x", KEY[:-1], KEY.replace("-", ""), f"{{{KEY}}}", f"{KEY}, x"]
)
def test_a_malformed_key_is_a_400_that_names_the_header(desk: Desk, key: str) -> None:
    answer = send(desk, key=key)
    assert answer.status_code == 400
    assert list(answer.json()["fields"]) == ["Idempotency-Key"]
    assert not Record.objects.exists()


@pytest.mark.spec("R13", "R17")
def test_a_key_of_an_erased_record_brings_nothing_back(desk: Desk, now: datetime) -> None:
    first = send(desk)
    desk.erase(UUID(first.json()["id"]), now=now)
    answer = send(desk)
    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_conflict")
    assert Record.objects.count() == 1


@pytest.mark.spec("R13", "R17", "U4")
def test_a_keys_digest_is_salted_as_its_record_is_and_so_confirms_no_guess_after_an_erasure(
    desk: Desk, other: Desk
) -> None:
    for ours in (desk, other):
        send(ours)
    digests = [bytes(one.body_sha256) for one in IdempotencyKey.objects.all()]
    assert digests[0] != digests[1]


@pytest.mark.spec("R13", "R15")
def test_a_retry_shows_what_became_of_the_record(desk: Desk, now: datetime) -> None:
    first = send(desk)
    desk.withdraw(UUID(first.json()["id"]), now=now)
    assert send(desk).json() == {**first.json(), "status": "withdrawn"}


@pytest.mark.spec("R13", "M2")
def test_strategy_memory_gets_its_standing_once(desk: Desk) -> None:
    answers = [send(desk, role="autopilot", type="rule") for _ in range(2)]
    assert [one.status_code for one in answers] == [201, 200]
    assert Standing.objects.count() == Record.objects.count() == 1


@pytest.mark.spec("R13")
def test_a_key_costs_nothing_where_there_is_none(
    desk: Desk, django_assert_num_queries: Any
) -> None:
    send(desk, key=None)
    # Token, agent, bound run, the write.
    with django_assert_num_queries(4):
        send(desk, key=None)


CHANGES = {
    "another record": "UPDATE memory_idempotency_key SET record_id = record_id",
    "another agents record": """
        INSERT INTO memory_idempotency_key (agent_id, producer_id, key, body_sha256, record_id,
            created_at)
        SELECT k.agent_id, k.producer_id, gen_random_uuid(), k.body_sha256, r.id, k.created_at
        FROM memory_idempotency_key k JOIN memory_record r ON r.agent_id <> k.agent_id""",
    "another agents producer": """
        INSERT INTO memory_idempotency_key (agent_id, producer_id, key, body_sha256, record_id,
            created_at)
        SELECT k.agent_id, p.id, k.key, k.body_sha256, k.record_id, k.created_at
        FROM memory_idempotency_key k JOIN memory_producer p ON p.agent_id <> k.agent_id""",
    "a short digest": """
        INSERT INTO memory_idempotency_key (agent_id, producer_id, key, body_sha256, record_id,
            created_at)
        SELECT agent_id, producer_id, gen_random_uuid(), 'short', record_id, created_at
        FROM memory_idempotency_key""",
}


@pytest.mark.spec("R13", "R4")
@pytest.mark.parametrize("statement", CHANGES.values(), ids=CHANGES)
def test_the_database_refuses_a_key_that_is_not_of_its_write(
    desk: Desk, other: Desk, now: datetime, statement: str
) -> None:
    send(desk)
    other.write(now=now)
    with pytest.raises(DatabaseError), transaction.atomic():
        run(statement)


def run(statement: str) -> None:
    """Run it, and what is checked at the end of a transaction."""
    with connection.cursor() as cursor:
        cursor.execute(statement)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
