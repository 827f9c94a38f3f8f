"""Several processes share one limit, and one count of open streams (SPEC E5)."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest

from autopilot.models import Session
from memory.models import OpenStream, Record
from tests.autopilot.sessions import make_session, tell
from tests.desk import Desk, make_desk, note
from tests.faults.test_event_stream import until
from tests.live import Server, serve
from tests.mcp_bridge.bridge import Bridge, bridge
from tests.mcp_bridge.clients import over_http, told

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = 60.0
VARIABLES = {
    # Those of the tests set no limits.
    "DJANGO_SETTINGS_MODULE": "config.settings.development",
    "SECRET_KEY": "tests-only-not-a-secret-0123456789-abcdefghijklmnopqrstuvwxyz",
    "RATE_WRITE": "30/h",
    "RATE_READ": "",
    "LIVE_STREAMS_PER_CALLER": "3",
    "LIVE_KEEP_ALIVE_SECONDS": "0.5",
}


@pytest.fixture(scope="module")
def webs(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    """Return two web processes over one database."""
    del django_db_setup
    with ExitStack() as stack:
        places = [tmp_path_factory.mktemp(name) / "web.log" for name in ("one", "two")]
        yield [stack.enter_context(serve(place, environment=VARIABLES)) for place in places]


@pytest.fixture
def desk(transactional_db: None) -> Desk:
    """Return a desk whose clock is the processes' own."""
    del transactional_db
    return make_desk("ours", now=datetime.now(UTC))


def headers_of(desk: Desk, role: str = "analysis") -> dict[str, str]:
    return {"Authorization": f"Bearer {desk.tokens[role]}"}


@pytest.mark.spec("E5")
def test_two_web_processes_and_a_bridge_share_one_limit(
    webs: list[Server], desk: Desk, tmp_path: Path
) -> None:
    def post(number: int) -> httpx.Response:
        url = f"{webs[number % 2].url}{desk.path('memories/')}"
        return httpx.post(url, json=note(), headers=headers_of(desk), timeout=PATIENCE)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(post, range(20)))
    assert Counter(answer.status_code for answer in answers) == {201: 20}

    async def write_often(running: Bridge) -> list[Any]:
        async with over_http(running.url, desk.tokens["analysis"]) as client:
            return [told(await client.call_tool("write_memory", note())) for _ in range(12)]

    with bridge(tmp_path / "bridge.log", variables=VARIABLES) as running:
        tools = anyio.run(write_often, running)
    codes = [tool.body.get("code") for tool in tools]
    assert codes == [None] * 10 + ["rate_limited"] * 2
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(post, range(6)))
    assert {answer.status_code for answer in answers} == {429}
    for answer in answers:
        assert 3_500 < int(answer.headers["Retry-After"]) <= 3_672
    assert Record.objects.count() == 30
    # Another token has its own.
    url = f"{webs[0].url}{desk.path('memories/')}"
    body = note(type="review")
    answer = httpx.post(url, json=body, headers=headers_of(desk, "review"), timeout=PATIENCE)
    assert answer.status_code == 201


def stream(
    client: httpx.Client, web: Server, session: Session, desk: Desk, role: str = "analysis"
) -> httpx.Response:
    """Open a stream; its body is still to come."""
    url = f"{web.url}/api/v1/ai/autopilot/{session.id}/events/"
    headers = headers_of(desk, role) | {"Accept": "text/event-stream"}
    return client.send(client.build_request("GET", url, headers=headers), stream=True)


@pytest.mark.spec("E5", "A10", "U2")
def test_a_process_that_stops_leaves_none_of_its_streams_behind(desk: Desk, tmp_path: Path) -> None:
    now = datetime.now(UTC)
    session = make_session(desk, now=now)
    tell(session, "one", now=now)
    # One that is killed would be counted for minutes.
    patient = VARIABLES | {"LIVE_KEEP_ALIVE_SECONDS": "60"}
    with httpx.Client(timeout=PATIENCE) as client:
        with serve(tmp_path / "web.log", environment=patient) as web:
            open_ = [stream(client, web, session, desk) for _ in range(3)]
            assert [one.status_code for one in open_] == [200] * 3
            assert OpenStream.objects.count() == 3
        assert not OpenStream.objects.exists()
    assert "Traceback" not in (tmp_path / "web.log").read_text(encoding="utf-8")


@pytest.mark.spec("E5", "A10")
def test_open_streams_of_a_caller_are_counted_over_all_processes(
    webs: list[Server], desk: Desk
) -> None:
    now = datetime.now(UTC)
    session: Session = make_session(desk, now=now)
    tell(session, "one", now=now)

    with httpx.Client(timeout=PATIENCE) as client:
        open_ = [stream(client, webs[number % 2], session, desk) for number in range(3)]
        assert [one.status_code for one in open_] == [200] * 3
        for number in range(2):
            refused = stream(client, webs[number], session, desk)
            refused.read()
            assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
            assert refused.headers["Retry-After"] == "1"
        # The events are still there to be read in pages, and others have streams of their own.
        url = f"{webs[0].url}/api/v1/ai/autopilot/{session.id}/events/"
        assert client.get(url, headers=headers_of(desk)).status_code == 200
        other = stream(client, webs[0], session, desk, "review")
        assert other.status_code == 200
        open_.pop().close()
        until(lambda: OpenStream.objects.count() == 3)
        again = stream(client, webs[1], session, desk)
        assert again.status_code == 200
        tell(session, "the end", now=now, end="succeeded")
        for one in (*open_, again, other):
            assert "the end" in one.read().decode()
    until(lambda: not OpenStream.objects.exists())
