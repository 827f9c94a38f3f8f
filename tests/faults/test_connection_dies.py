"""The connection to PostgreSQL breaks: a write is whole or absent, and nothing is told outside."""

import json
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import httpx
import pytest
from django.db import connection, transaction

from memory.models import Record, RecordLink, RecordTarget, Run
from memory.selectors.heads import chosen
from memory.selectors.history import chosen_from_history
from tests import live
from tests.desk import Desk, make_desk, note
from tests.faults.proxy import Cut, Wire, wire

pytestmark = pytest.mark.django_db(transaction=True)

SECRET_CONTENT = "sell everything at nine"  # noqa: S105 - it must not show in a log
PUBLISH = b"memory_agent_tail"


@dataclass(frozen=True)
class App:
    """The project as a process whose connections go over a wire that we can cut."""

    server: live.Server
    wire: Wire

    def lines(self, request_id: str) -> list[dict[str, Any]]:
        """Return what the process has logged about a request."""
        text = self.server.log.read_text(encoding="utf-8")
        parsed = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        return [line for line in parsed if line.get("request_id") == request_id]


@pytest.fixture(scope="module")
def app(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    del django_db_setup
    options = connection.get_connection_params()
    log = tmp_path_factory.mktemp("faults") / "uvicorn.log"
    with wire((options["host"], int(options["port"])), marker=PUBLISH) as made:
        url = live.database_url().replace(f":{options['port']}/", f":{made.port}/")
        # Encrypted, the wire could not tell one statement from another.
        environment = {"DATABASE_URL": f"{url}?sslmode=disable", "LOG_JSON": "true"}
        # A connection for each request: the pool has tests of its own.
        environment["DATABASE_POOL_SIZE"] = "0"
        with live.serve(log, environment=environment) as server:
            yield App(server=server, wire=made)


@pytest.fixture
def desk(transactional_db: None) -> Desk:  # noqa: ARG001 - opens the database first
    return make_desk("ours", now=datetime.now(UTC))


@dataclass(frozen=True)
class Writer:
    """Sends writes of a desk's analyst to the process."""

    app: App
    desk: Desk
    evidence: UUID

    def write(self) -> httpx.Response:
        """Write a record with two targets and a link."""
        link = {"target_memory_id": str(self.evidence), "link_type": "evidence"}
        body = note(type="setup", content=SECRET_CONTENT, instruments=["ETH", "BTC"], links=[link])
        return httpx.post(
            f"{self.app.server.url}{self.desk.path('memories/')}",
            json=body,
            headers={"Authorization": f"Bearer {self.desk.tokens['analysis']}"},
            timeout=60,
        )

    def stored(self) -> int:
        """Count the records written, each of them whole; the heads are as history says."""
        found = list(Record.objects.filter(agent_id=self.desk.agent.id, type="setup"))
        for record in found:
            mine = {"agent_id": record.agent_id}
            assert RecordTarget.objects.filter(**mine, record_id=record.id).count() == 2
            assert RecordLink.objects.filter(**mine, source_id=record.id).count() == 1
            assert Run.objects.filter(records=record, status="succeeded").exists()
        # The evidence has a run, too.
        assert Run.objects.count() == len(found) + 1
        assert RecordTarget.objects.count() == 2 * len(found)
        assert RecordLink.objects.count() == len(found)
        for instrument in ("ETH", "BTC"):
            now = datetime.now(UTC)
            ours = self.desk.agent.id
            heads = chosen(ours, instrument=instrument, past=20, now=now)
            assert heads == chosen_from_history(ours, instrument=instrument, past=20, now=now)
            assert len(heads.lanes) == 1 + min(len(found), 1)
        return len(found)

    def refused(self, response: httpx.Response) -> None:
        """Hold an answer and its log lines against what a server fault may tell."""
        assert response.status_code == 500, response.text
        request_id = response.headers["X-Request-ID"]
        assert response.json() == {
            "error": "the server could not do this",
            "code": "server_error",
            "request_id": request_id,
        }
        errors = [line for line in self.app.lines(request_id) if line["level"] == "error"]
        traceback = [line["exception"] for line in errors if "exception" in line]
        assert traceback, "the cause is in the log, under the request id"
        everything = self.app.server.log.read_text(encoding="utf-8")
        assert SECRET_CONTENT not in everything
        assert self.desk.tokens["analysis"].partition(".")[2] not in everything
        assert connection.settings_dict["PASSWORD"] not in everything
        assert "locals" not in json.dumps(traceback)


@pytest.fixture
def writer(app: App, desk: Desk) -> Writer:
    evidence = desk.write(now=datetime.now(UTC), content="quiet").id
    return Writer(app=app, desk=desk, evidence=evidence)


def ask(sql: str, *values: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        row = cursor.fetchone()
    return row[0] if row else None


def run(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def waiting_backend(work: Future[Any]) -> int:
    """Return the process that waits for a lock of ours, once one does."""
    sql = (
        "SELECT pid FROM pg_locks"
        " WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))"
    )
    while (pid := ask(sql)) is None:
        assert not work.done(), f"it never waited: {work.exception() or work.result()}"
    return int(pid)


def until_gone(pid: int) -> None:
    """Return once the server has ended that process: nothing of it can commit any more."""
    while ask("SELECT 1 FROM pg_stat_activity WHERE pid = %s", pid):
        pass


def hold_tail(desk: Desk) -> None:
    ask("SELECT 1 FROM memory_agent_tail WHERE agent_id = %s FOR UPDATE", desk.agent.id)


def serves_again(writer: Writer, *, seq: int) -> None:
    """Write once more: one whole record, under the number that follows."""
    before = writer.stored()
    response = writer.write()
    assert response.status_code == 201, response.text
    assert response.json()["seq"] == seq
    assert writer.stored() == before + 1


@pytest.mark.spec("R6", "R9", "E2", "X6")
def test_a_connection_cut_before_the_statement_arrives_leaves_nothing(writer: Writer) -> None:
    writer.app.wire.cut(Cut.BEFORE)
    writer.refused(writer.write())
    assert writer.stored() == 0
    serves_again(writer, seq=2)


@pytest.mark.spec("R6", "R9", "E2", "X6")
def test_an_answer_lost_after_the_commit_leaves_one_whole_record(writer: Writer) -> None:
    writer.app.wire.cut(Cut.AFTER)
    writer.refused(writer.write())
    assert writer.stored() == 1
    serves_again(writer, seq=3)


@pytest.mark.spec("R6", "R9", "E2")
def test_a_connection_cut_while_the_statement_runs_leaves_a_whole_record_or_none(
    writer: Writer,
) -> None:
    writer.app.wire.cut(Cut.DURING)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            hold_tail(writer.desk)
            under_way = pool.submit(writer.write)
            backend = waiting_backend(under_way)
            writer.app.wire.release.set()
            writer.refused(under_way.result())
            assert Record.objects.filter(type="setup").count() == 0
        until_gone(backend)
    found = writer.stored()
    assert found in {0, 1}
    serves_again(writer, seq=found + 2)


@pytest.mark.spec("R6", "R9", "E2")
@pytest.mark.parametrize("function", ["pg_cancel_backend", "pg_terminate_backend"])
def test_a_statement_that_the_server_ends_leaves_nothing(writer: Writer, function: str) -> None:
    # A cancelled statement is what a statement time-out looks like, without the wait.
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        hold_tail(writer.desk)
        under_way = pool.submit(writer.write)
        assert ask(f"SELECT {function}(%s)", waiting_backend(under_way)) is True
        writer.refused(under_way.result())
    assert writer.stored() == 0
    serves_again(writer, seq=2)


@pytest.mark.spec("R6", "R9", "E2", "X6")
@pytest.mark.parametrize("table", ["memory_head", "memory_record"])
def test_a_rule_that_the_database_holds_and_the_code_does_not_know_is_a_generic_fault(
    writer: Writer, table: str
) -> None:
    run(f"ALTER TABLE {table} ADD CONSTRAINT unforeseen CHECK (type <> 'setup')")
    try:
        writer.refused(writer.write())
        assert writer.stored() == 0
    finally:
        run(f"ALTER TABLE {table} DROP CONSTRAINT unforeseen")
    serves_again(writer, seq=2)


@pytest.mark.spec("E6", "J4", "R9", "E2")
def test_without_a_database_the_process_lives_and_says_what_is_missing(writer: Writer) -> None:
    url = writer.app.server.url
    assert httpx.get(f"{url}/health/ready", timeout=60).status_code == 200
    writer.app.wire.down()
    try:
        assert httpx.get(f"{url}/health/live", timeout=60).status_code == 200
        ready = httpx.get(f"{url}/health/ready", timeout=60)
        assert ready.status_code == 503
        assert ready.json() == {
            "status": "unready",
            "checks": {"database": "does not answer", "migrations": "cannot be read"},
        }
        writer.refused(writer.write())
    finally:
        writer.app.wire.up()
    assert httpx.get(f"{url}/health/ready", timeout=60).status_code == 200
    serves_again(writer, seq=2)
