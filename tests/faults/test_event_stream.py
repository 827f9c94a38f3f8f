"""Streams of a real web process: complete and in order, whatever is cut (SPEC A10, O2)."""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.db import connection

from autopilot.models import Session
from memory.live import APPLICATION
from memory.models import Token
from memory.services.tokens import revoke_token
from tests import live
from tests.autopilot.sessions import make_session, tell
from tests.desk import Desk, make_desk
from tests.live import Server

pytestmark = pytest.mark.django_db(transaction=True)

CLIENTS = 20
PATIENCE = 60.0
POOL = 4
WEB = "streaming-web"
KEEP_ALIVE_SECONDS = "0.3"


@pytest.fixture(scope="module")
def server(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a web process with few connections, all of them known by name."""
    del django_db_setup
    with serve(tmp_path_factory.mktemp("streams")) as started:
        yield started


def serve(place: Path, **environment: str) -> Any:
    variables = {
        "DATABASE_URL": live.database_url(application_name=WEB),
        "DATABASE_POOL_SIZE": str(POOL),
        **environment,
    }
    return live.serve(place / "uvicorn.log", environment=variables)


@pytest.fixture
def desk(transactional_db: None) -> Desk:
    """Return a desk whose clock is the web process's own."""
    del transactional_db
    return make_desk("ours", now=moment())


@pytest.fixture
def session(desk: Desk) -> Session:
    """Return an open session that has told two events."""
    made = make_session(desk, now=moment())
    tell(made, "one", "two", now=moment())
    return made


def moment() -> datetime:
    return datetime.now(tz=UTC)


def ask(sql: str, *values: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchone()[0]


def backends(name: str) -> int:
    """Count the sessions of that name in this database."""
    sql = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name = %s"
    )
    return int(ask(sql, name))


def cut(name: str) -> int:
    """End the sessions of that name; return how many there were."""
    sql = (
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name = %s"
    )
    return int(ask(sql, name))


def until(condition: Callable[[], bool], *, work: Future[Any] | None = None) -> None:
    """Return once it holds; a stream that ends meanwhile is a failure, and so is no end at all."""
    given_up = threading.Event()
    clock = threading.Timer(PATIENCE, given_up.set)
    clock.start()
    while not condition():
        assert work is None or not work.done(), work.result()
        assert not given_up.is_set()
    clock.cancel()


@dataclass
class Follower:
    """A client of a stream, in a thread that nobody waits for: a stream may never end."""

    url: str
    headers: dict[str, str]
    enough: int | None = None
    heard: list[tuple[int, str]] = field(default_factory=list)
    greeted: threading.Event = field(default_factory=threading.Event)
    kept_alive: threading.Event = field(default_factory=threading.Event)
    work: "Future[list[tuple[int, str]]]" = field(default_factory=Future)

    def start(self) -> None:
        """Follow in the background; `work` holds what comes of it."""

        def run() -> None:
            try:
                self.work.set_result(self.follow())
            except Exception as error:  # noqa: BLE001 - told to whoever asks for the result
                self.work.set_exception(error)

        threading.Thread(target=run, daemon=True).start()

    def follow(self) -> list[tuple[int, str]]:
        """Read to the end, or until it is enough; return (id, text) of each event."""
        number = 0
        with httpx.stream("GET", self.url, headers=self.headers, timeout=PATIENCE) as response:
            assert response.status_code == 200, response.read()
            assert response.headers["content-type"].startswith("text/event-stream")
            for line in response.iter_lines():
                name, _, value = line.partition(": ")
                if line == ": keep-alive":
                    self.kept_alive.set()
                elif name == "id":
                    number = int(value)
                elif name == "data":
                    self.heard.append((number, json.loads(value)["text"]))
                if line == "" and len(self.heard) >= 2:
                    self.greeted.set()
                if self.enough is not None and len(self.heard) >= self.enough:
                    break
        return self.heard


def address(server: Server, session: Session, query: str = "") -> str:
    return f"{server.url}/api/v1/ai/autopilot/{session.id}/events/{query}"


def headers_of(desk: Desk, role: str = "analysis", **more: str) -> dict[str, str]:
    bearer = {"Authorization": f"Bearer {desk.tokens[role]}", "Accept": "text/event-stream"}
    return bearer | more


def following(
    server: Server, desk: Desk, session: Session, *, number: int = CLIENTS
) -> list[Follower]:
    """Open streams, and return them once each has the first two events."""
    found = [Follower(address(server, session), headers_of(desk)) for _ in range(number)]
    for one in found:
        one.start()
    for one in found:
        assert one.greeted.wait(PATIENCE), one.heard
    return found


def all_heard(followers: list[Follower], *texts: str) -> None:
    whole = list(enumerate(("one", "two", *texts), start=1))
    for one in followers:
        assert one.work.result(timeout=PATIENCE) == whole


@pytest.mark.spec("A10", "O2")
def test_twenty_clients_hear_everything_once_and_in_order(
    server: Server, desk: Desk, session: Session
) -> None:
    texts = [f"event {number}" for number in range(30)]
    followers = following(server, desk, session)
    until(lambda: backends(APPLICATION) == 1, work=followers[0].work)
    for start in range(0, 30, 5):
        tell(session, *texts[start : start + 5], now=moment())
    assert backends(APPLICATION) == 1, "one connection listens for all"
    tell(session, "the end", now=moment(), end="succeeded")
    all_heard(followers, *texts, "the end")
    until(lambda: backends(APPLICATION) == 0)


@pytest.mark.spec("A10", "U2")
def test_open_streams_hold_no_connection(server: Server, desk: Desk, session: Session) -> None:
    followers = following(server, desk, session)
    path = f"{server.url}/api/v1/ai/autopilot/"
    for _ in range(10):
        answer = httpx.get(path, headers=headers_of(desk), timeout=PATIENCE)
        assert answer.status_code == 200, answer.text
    assert 1 <= backends(WEB) <= POOL
    tell(session, now=moment(), end="cancelled")
    all_heard(followers)


@pytest.mark.spec("A10", "O2")
def test_events_told_while_nobody_listens_are_not_lost(
    server: Server, desk: Desk, session: Session
) -> None:
    followers = following(server, desk, session)
    until(lambda: backends(APPLICATION) == 1, work=followers[0].work)
    assert cut(APPLICATION) == 1
    for text in ("three", "four", "five"):
        tell(session, text, now=moment())
    until(lambda: all(len(one.heard) == 5 for one in followers), work=followers[0].work)
    tell(session, "six", now=moment(), end="succeeded")
    all_heard(followers, "three", "four", "five", "six")


@pytest.mark.spec("A10", "O2")
def test_streams_outlive_every_connection_of_their_process(
    server: Server, desk: Desk, session: Session
) -> None:
    followers = following(server, desk, session, number=5)
    until(lambda: backends(APPLICATION) == 1, work=followers[0].work)
    assert cut(WEB) >= 1
    assert cut(APPLICATION) == 1
    tell(session, "three", now=moment())
    until(lambda: all(len(one.heard) == 3 for one in followers), work=followers[0].work)
    tell(session, "four", now=moment(), end="failed")
    all_heard(followers, "three", "four")


@pytest.mark.spec("A10", "O2")
def test_a_stream_goes_on_after_the_last_event_that_its_client_has(
    server: Server, desk: Desk, session: Session
) -> None:
    first = Follower(address(server, session), headers_of(desk), enough=2)
    assert first.follow() == [(1, "one"), (2, "two")]
    tell(session, "three", now=moment())
    again = headers_of(desk, **{"Last-Event-ID": "2"})
    # The address is still the one that the stream was opened with.
    second = Follower(address(server, session, "?after=0"), again, enough=1)
    assert second.follow() == [(3, "three")]
    third = Follower(address(server, session, "?after=1"), headers_of(desk))
    tell(session, "four", now=moment(), end="succeeded")
    assert third.follow() == [(2, "two"), (3, "three"), (4, "four")]
    over = headers_of(desk, **{"Last-Event-ID": "4"})
    assert httpx.get(address(server, session), headers=over, timeout=PATIENCE).status_code == 204


@pytest.mark.spec("A10", "X1", "E2")
def test_whose_stream_it_is_not_is_answered_as_everywhere(
    server: Server, desk: Desk, session: Session
) -> None:
    other = make_desk("theirs", now=moment())
    foreign = httpx.get(address(server, session), headers=headers_of(other), timeout=PATIENCE)
    session.id = desk.agent.id
    missing = httpx.get(address(server, session), headers=headers_of(other), timeout=PATIENCE)
    assert (foreign.status_code, foreign.json()) == (missing.status_code, missing.json())
    assert (foreign.status_code, foreign.json()["code"]) == (404, "not_found")
    nobody = httpx.get(address(server, session), timeout=PATIENCE)
    assert (nobody.status_code, nobody.json()["code"]) == (401, "not_authenticated")


@pytest.fixture
def impatient(transactional_db: None, tmp_path: Path) -> Iterator[Server]:
    """Return a web process whose streams look by themselves all the time."""
    del transactional_db
    with serve(tmp_path, LIVE_KEEP_ALIVE_SECONDS=KEEP_ALIVE_SECONDS) as started:
        yield started


@pytest.mark.spec("A10", "O2", "X2")
def test_a_stream_heals_a_lost_wake_up_and_ends_with_its_token(
    impatient: Server, desk: Desk, session: Session
) -> None:
    [one] = following(impatient, desk, session, number=1)
    assert one.kept_alive.wait(PATIENCE)
    tell(session, "three", now=moment(), silent=True)
    until(lambda: len(one.heard) == 3, work=one.work)
    for token in Token.objects.filter(producer=desk.producers["analysis"]):
        revoke_token(token=token, now=moment())
    all_heard([one], "three")
    assert Session.objects.get(id=session.id).ended_at is None
    refused = httpx.get(address(impatient, session), headers=headers_of(desk), timeout=PATIENCE)
    assert (refused.status_code, refused.json()["code"]) == (401, "invalid_token")


@pytest.mark.spec("A10", "O2")
def test_a_process_with_open_streams_stops_and_the_next_one_goes_on(
    desk: Desk, session: Session, tmp_path: Path
) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    with serve(tmp_path / "first") as first:
        cut_off = following(first, desk, session)
    # It has ended: the block waits for the process.
    for one in cut_off:
        assert isinstance(one.work.exception(timeout=PATIENCE), httpx.RemoteProtocolError)
    log = first.log.read_text(encoding="utf-8")
    assert "Traceback" not in log, log
    for text in ("three", "four", "five"):
        tell(session, text, now=moment())
    with serve(tmp_path / "second") as second:
        again = headers_of(desk, **{"Last-Event-ID": "2"})
        found = [Follower(address(second, session), again, enough=3) for _ in range(CLIENTS)]
        for one in found:
            one.start()
        for one in found:
            heard = one.work.result(timeout=PATIENCE)
            assert heard == [(3, "three"), (4, "four"), (5, "five")]
