"""How much of a whole POST of a record is spent outside the statement."""

import json
import statistics
import time
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from config.benchmarks import loading, variants
from config.benchmarks.databases import as_default, open_database
from config.benchmarks.progress import Progress
from config.benchmarks.report import Group
from memory.schemas.records import RecordDraft
from memory.services.rates import admit
from memory.services.runs import start_run_with_token
from memory.services.tokens import authenticate


class Poster:
    """Posts records through Django's own handler, with all middleware, as a server would."""

    def __init__(self, world: loading.World) -> None:
        # The handler reads the real clock, which is long after the end of the history.
        _, _, clear = start_run_with_token(
            producer=world.research[0], now=loading.END, life=timedelta(days=36_500)
        )
        self.actor = authenticate(clear, now=loading.END)
        self.path = f"/api/v1/agents/{world.agent.id}/memories/"
        self.headers = {"authorization": f"Bearer {clear}"}
        self.targets = loading.newest_ids(world, limit=3)
        self.handler = WSGIHandler()
        self.number = 0

    def post(self) -> Callable[[], None]:
        """Return a call that posts one record; the request is made beforehand."""
        request = RequestFactory(SERVER_NAME="localhost").post(
            self.path,
            json.dumps(self._body(), default=str),
            content_type="application/json",
            headers=self.headers,
            secure=True,
        )

        def act() -> None:
            said: list[str] = []

            def start(status: str, *_: object) -> Callable[[bytes], object]:
                said.append(status)
                return bytes

            answer = self.handler(request.environ, start)
            body = b"".join(answer)
            answer.close()
            if not said[0].startswith("201"):
                raise variants.Refused(f"the POST was answered {said[0]}: {body!r}")

        return act

    def statement(self) -> Callable[[], None]:
        """Return a call that executes the statement of such a record alone."""
        draft = RecordDraft.parse(self._body())
        parameters = variants.parameters_of(self.actor, draft, now=loading.END)
        return lambda: variants.by_statement(parameters)

    def limit(self) -> Callable[[], None]:
        """Return a call that counts such a write against its limit, and does no more."""
        return lambda: admit(actor=self.actor, kind="write", now=timezone.now())

    def _body(self) -> dict[str, object]:
        self.number += 1
        links: list[dict[str, UUID | str]] = [
            {"target_memory_id": id_, "link_type": "evidence"} for id_ in self.targets
        ]
        return {
            "type": "momentum",
            "scope": "instruments",
            "instruments": ["BTC", "ETH"],
            "timeframe": "4h",
            "content": f"{self.number}: {loading.PROSE}{loading.PROSE}",
            "metadata": {"confidence": "0.64", "levels": {"entry": "3211.5", "stop": "3150"}},
            "tags": ["momentum", "range"],
            "links": links,
        }


def measure(database: str, *, posts: int, progress: Progress) -> Group:
    """Let whole requests and bare statements take turns; return medians.

    `post_reopening` opens a connection for each request, as CONN_MAX_AGE = 0 makes a server do.
    `limit` is what of a request counts it against its limit.
    """
    poster = Poster(loading.find_world("statement"))
    reopening = open_database(database, kept_open=False)
    wall: dict[str, list[float]] = {
        name: [] for name in ("post", "statement", "limit", "post_reopening")
    }
    cpu: list[float] = []
    poster.post()()
    with CaptureQueriesContext(connection) as said:
        poster.post()()
    statements = len(said)  # before the next request empties the log
    progress.stage("posting over REST", posts)
    try:
        for _ in range(posts):
            took, worked = _timed(poster.post())
            wall["post"].append(took)
            cpu.append(worked)
            wall["statement"].append(_timed(poster.statement())[0])
            wall["limit"].append(_timed(poster.limit())[0])
            request = poster.post()
            with as_default(reopening):
                wall["post_reopening"].append(_timed(request)[0])
            progress.advance()
    finally:
        reopening.close()
    medians = {f"{name}_p50_ms": statistics.median(took) for name, took in wall.items()}
    return {
        **medians,
        "post_cpu_p50_ms": statistics.median(cpu),
        "post_statements": statements,
        "share_of_limit": medians["limit_p50_ms"] / medians["post_p50_ms"],
        "share_outside_statement": 1 - medians["statement_p50_ms"] / medians["post_p50_ms"],
    }


def _timed(act: Callable[[], None]) -> tuple[float, float]:
    """Return the milliseconds that passed, and those that this thread worked."""
    began, worked = time.perf_counter(), time.thread_time()
    act()
    return (time.perf_counter() - began) * 1000, (time.thread_time() - worked) * 1000
