"""Runs, and the bearers that write in them (SPEC R5, F8, X2, B4)."""

from datetime import datetime, timedelta
from uuid import uuid4

import pytest
import time_machine
from django.db import connection

from memory.errors import RunFinished, RunOpen
from memory.models import Record, Run, Token
from memory.services import setup, tokens
from memory.services.runs import finish_run, start_run, start_run_with_token
from tests.desk import Desk, bearer, note

HOUR = timedelta(hours=1)


@pytest.mark.spec("R5", "E6")
def test_a_run_is_started_written_in_and_finished_over_rest(desk: Desk) -> None:
    started = desk.client().post(desk.path("runs/"), {})
    assert started.status_code == 201
    run = started.json()
    assert run["evidence_boundary"] == "2026-09-30T12:00:00Z"
    assert (run["schedule"], run["status"]) == ("5m", "running")
    client = bearer(run["token"])
    written = client.post(desk.path("memories/"), note()).json()
    assert written["run"] == {
        "id": run["id"],
        "schedule": "5m",
        "evidence_boundary": "2026-09-30T12:00:00Z",
        "status": "running",
    }
    finished = client.post(f"/api/v1/runs/{run['id']}/finish/", {"status": "succeeded"})
    assert finished.status_code == 200
    assert finished.json()["status"] == "succeeded"
    late = client.post(desk.path("memories/"), note())
    assert (late.status_code, late.json()["code"]) == (409, "run_finished")
    assert Record.objects.count() == 1


@pytest.mark.spec("R5")
def test_a_write_with_no_run_open_gets_a_run_of_its_own(desk: Desk, now: datetime) -> None:
    with time_machine.travel(now + timedelta(minutes=4), tick=False):
        run = desk.client().post(desk.path("memories/"), note()).json()["run"]
    stored = Run.objects.get(id=run["id"])
    assert stored.implicit
    assert stored.status == "succeeded"
    assert stored.started_at == stored.ended_at
    assert run["evidence_boundary"] == "2026-09-30T12:05:00Z"


@pytest.mark.spec("R5")
def test_starting_a_run_over_rest_binds_nothing_and_several_may_be_open(desk: Desk) -> None:
    runs = [desk.client().post(desk.path("runs/"), {}).json() for _ in range(2)]
    written = desk.client().post(desk.path("memories/"), note()).json()
    assert written["run"]["id"] not in {run["id"] for run in runs}
    for run in runs:
        own = bearer(run["token"]).post(desk.path("memories/"), note()).json()
        assert own["run"]["id"] == run["id"]


@pytest.mark.spec("R5")
def test_a_bound_run_takes_its_tokens_writes_until_it_ends(desk: Desk, now: datetime) -> None:
    producer, actor = desk.producers["analysis"], desk.actor(now=now)
    run = start_run(producer=producer, now=now, bound_token_id=actor.token_id)
    with pytest.raises(RunOpen):
        start_run(producer=producer, now=now, bound_token_id=actor.token_id)
    inside = desk.write(now=now)
    finish_run(run=run, status="succeeded", error="", now=now)
    after = desk.write(now=now)
    assert inside.run is not None
    assert after.run is not None
    assert inside.run.id == run.id != after.run.id
    start_run(producer=producer, now=now, bound_token_id=actor.token_id)


@pytest.mark.spec("R5")
def test_a_run_ends_once(desk: Desk, now: datetime) -> None:
    run = start_run(producer=desk.producers["analysis"], now=now)
    finish_run(run=run, status="failed", error="no data", now=now)
    with pytest.raises(RunFinished):
        finish_run(run=run, status="succeeded", error="", now=now)


@pytest.mark.spec("F8")
@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("2026-09-30T12:00:00Z", 201),
        ("2026-09-30T13:55:00+02:00", 201),
        ("2026-09-30T12:00:01Z", 400),
        ("2026-09-30T12:05:00Z", 400),
        ("2026-09-30T12:00:00", 400),
        ("yesterday", 400),
        ("0001-01-01T00:00:00+14:00", 400),
        (1_790_000_000, 400),
    ],
)
def test_a_supplied_boundary_is_one_of_the_schedule_and_not_of_the_future(
    desk: Desk, asked: object, status: int
) -> None:
    response = desk.client().post(desk.path("runs/"), {"evidence_boundary": asked})
    assert response.status_code == status, response.content
    if status == 400:
        assert response.json()["code"] in {"invalid_evidence_boundary", "validation_error"}
        assert not Run.objects.exists()


@pytest.mark.spec("F8", "E2")
@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("2026-09-30T11:58:10Z", "2026-09-30T11:55:00Z"),
        ("2026-09-30T13:58:10+02:00", "2026-09-30T11:55:00Z"),
        ("2030-01-01T00:00:01Z", "2026-09-30T12:00:00Z"),
        ("0001-01-02T00:00:01Z", "1970-01-01T00:00:00Z"),
    ],
)
def test_what_is_no_boundary_is_answered_with_one_that_would_do(
    desk: Desk, asked: str, near: str
) -> None:
    refused = desk.client().post(desk.path("runs/"), {"evidence_boundary": asked}).json()
    assert refused["error"] == (f"evidence_boundary is not a boundary of 5m in UTC; {near} is one")
    assert desk.client().post(desk.path("runs/"), {"evidence_boundary": near}).status_code == 201


@pytest.mark.spec("F8")
def test_an_unscheduled_run_takes_no_boundary(desk: Desk) -> None:
    body = {"evidence_boundary": "2026-09-30T12:00:00Z"}
    refused = desk.client("trading").post(desk.path("runs/"), body)
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_evidence_boundary")
    started = desk.client("trading").post(desk.path("runs/"), {})
    assert started.json()["evidence_boundary"] is None


@pytest.mark.spec("R5", "X1")
def test_a_bearer_starts_runs_of_its_own_producer_alone(desk: Desk, other: Desk) -> None:
    own, sibling = desk.producers["analysis"].id, desk.producers["review"].id
    for producer, status in ((own, 201), (sibling, 404), (other.producers["analysis"].id, 404)):
        response = desk.client().post(desk.path("runs/"), {"producer": str(producer)})
        assert response.status_code == status
    malformed = desk.client().post(desk.path("runs/"), {"producer": "x"})
    assert malformed.status_code == 400


@pytest.mark.spec("R5", "E1")
def test_the_owner_starts_a_run_by_naming_the_producer(desk: Desk, other: Desk) -> None:
    producer = str(desk.producers["analysis"].id)
    assert desk.browser().post(desk.path("runs/"), {"producer": producer}).status_code == 201
    assert desk.browser().post(desk.path("runs/"), {}).status_code == 404
    assert other.browser().post(desk.path("runs/"), {"producer": producer}).status_code == 404


@pytest.mark.spec("R5", "X1")
def test_a_run_is_finished_by_its_own_kind_alone(desk: Desk, other: Desk) -> None:
    run = desk.client().post(desk.path("runs/"), {}).json()
    path, body = f"/api/v1/runs/{run['id']}/finish/", {"status": "failed", "error": "feed lost"}
    for stranger in (desk.client("review"), other.client(), other.browser()):
        assert stranger.post(path, body).status_code == 404
    assert desk.client().post(path, body).status_code == 200
    again = desk.client().post(path, body)
    assert (again.status_code, again.json()["code"]) == (409, "run_finished")
    assert Run.objects.get(id=run["id"]).error == "feed lost"


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    "body", [{}, {"status": "running"}, {"status": "failed", "error": "\x00"}, {"state": "failed"}]
)
def test_a_malformed_end_is_a_400_and_leaves_the_run_open(desk: Desk, body: dict[str, str]) -> None:
    run = desk.client().post(desk.path("runs/"), {}).json()
    response = desk.client().post(f"/api/v1/runs/{run['id']}/finish/", body)
    assert response.status_code == 400
    assert Run.objects.get(id=run["id"]).status == "running"


@pytest.mark.spec("X2")
def test_a_secret_is_256_random_bits_and_only_its_hash_is_stored(desk: Desk, now: datetime) -> None:
    token, clear = tokens.issue_token(producer=desk.producers["analysis"], now=now)
    key, _, secret = clear.partition(".")
    assert key == token.key
    assert len(secret) == 43
    with connection.cursor() as cursor:
        cursor.execute("SELECT t::text FROM memory_token t WHERE id = %s", [token.id])
        row: str = cursor.fetchone()[0]
    assert secret not in row
    assert len(bytes(token.secret_sha256)) == 32


@pytest.mark.spec("R5", "X2", "E1")
def test_an_unknown_expired_or_revoked_token_is_a_401_with_a_challenge(
    desk: Desk, now: datetime
) -> None:
    producer = desk.producers["analysis"]
    _, expired = tokens.issue_token(producer=producer, now=now - HOUR, expires_at=now)
    revoked_token, revoked = tokens.issue_token(producer=producer, now=now)
    tokens.revoke_token(token=revoked_token, now=now)
    key, _, _ = desk.tokens["analysis"].partition(".")
    bad = [expired, revoked, "nonsense", f"{key}.wrong", f"{key}.", "a.b", ".", "é.x", "a" * 9_000]
    for clear in bad:
        response = bearer(clear).post(desk.path("memories/"), note())
        assert response.status_code == 401, clear
        assert response.json()["code"] == "invalid_token"
        assert response["WWW-Authenticate"].startswith("Bearer")
    assert not Record.objects.exists()


@pytest.mark.spec("E1", "E2")
def test_without_credentials_every_route_is_a_401_with_a_challenge(desk: Desk) -> None:
    client = bearer("x")
    client.credentials()
    for method, path in (
        ("get", desk.path("memories/")),
        ("post", desk.path("memories/")),
        ("get", desk.path(f"memories/{uuid4()}/")),
        ("post", desk.path("runs/")),
        ("get", desk.path("context/ETH/")),
        ("post", f"/api/v1/runs/{uuid4()}/finish/"),
    ):
        response = getattr(client, method)(path)
        assert response.status_code == 401, path
        assert response.json()["code"] == "not_authenticated"
        assert response["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.spec("R5")
def test_a_run_token_of_an_expired_run_is_a_401_and_of_a_failed_one_a_409(
    desk: Desk, now: datetime
) -> None:
    producer = desk.producers["analysis"]
    _, _, short = start_run_with_token(producer=producer, now=now, life=HOUR)
    run, _, clear = start_run_with_token(producer=producer, now=now, life=HOUR)
    finish_run(run=run, status="failed", error="timed out", now=now)
    assert bearer(clear).post(desk.path("memories/"), note()).status_code == 409
    with time_machine.travel(now + HOUR, tick=False):
        assert bearer(short).post(desk.path("memories/"), note()).status_code == 401


@pytest.mark.spec("X2")
def test_last_use_is_written_at_most_once_a_minute(desk: Desk, now: datetime) -> None:
    key = desk.tokens["analysis"].partition(".")[0]
    for seconds, expected in ((0, 0), (59, 0), (60, 60), (61, 60)):
        with time_machine.travel(now + timedelta(seconds=seconds), tick=False):
            desk.client().get(desk.path("memories/"))
        used = Token.objects.get(key=key).last_used_at
        assert used == now + timedelta(seconds=expected)


@pytest.mark.spec("R12", "E2")
def test_a_person_with_a_session_may_browse_and_may_not_write(desk: Desk, now: datetime) -> None:
    written = desk.write(now=now)
    browser = desk.browser()
    assert browser.get(desk.path(f"memories/{written.id}/")).status_code == 200
    refused = browser.post(desk.path("memories/"), note())
    assert (refused.status_code, refused.json()["code"]) == (403, "not_this_role")


@pytest.mark.spec("E1")
def test_a_session_without_the_csrf_token_may_not_change_anything(desk: Desk) -> None:
    browser = desk.browser()
    browser.handler.enforce_csrf_checks = True
    producer = str(desk.producers["analysis"].id)
    refused = browser.post(desk.path("runs/"), {"producer": producer})
    assert refused.status_code == 403
    assert not Run.objects.exists()


@pytest.mark.spec("F3", "C3")
def test_enabling_and_disabling_make_intervals(desk: Desk, now: datetime) -> None:
    producer = desk.producers["analysis"]
    assert not setup.enable_producer(producer=producer, now=now)
    assert setup.disable_producer(producer=producer, now=now)
    assert not setup.disable_producer(producer=producer, now=now)
    assert desk.write(now=now).status == "disabled"
    assert setup.enable_producer(producer=producer, now=now + HOUR)
    assert producer.enablements.count() == 2
