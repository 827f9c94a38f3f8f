"""Sessions whose workers are killed at every place finish as if nothing had been (SPEC A11, J4).

A real worker takes the steps. Gates (see `gates.py`) show where it is: in the midst of a step's
work, in the transaction that stores the step, or at the border between two steps. It is killed
there by SIGKILL, and what comes of the session is held against the same session without a kill.
"""

import os
import random
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import httpx
import psycopg
import pytest
from django_q.models import OrmQ

from autopilot.models import Session
from autopilot.models.sessions import OPEN
from config import embedded, ps
from memory.models import Cluster, QueueClaim, Run, Standing
from memory.services.standings import moving_of, replayed
from tests import live
from tests.autopilot.session.bench import due
from tests.desk import Desk, make_desk, note
from tests.faults import alone
from tests.faults.gates import Gate, Hold, Locks, gated
from tests.faults.sessions import outcome_of, prepare, undisturbed
from tests.faults.workers import Worker, working
from tests.live import Server

pytestmark = pytest.mark.django_db(transaction=True)

FULL = os.environ.get("TIDEBOOK_STRESS") == "full"
ITERATIONS = 2 if FULL else 1
SEED = 11
TRIES = 60
"""How often the session is looked at after a kill: each time takes a second or two."""
HALFWAY = 8
"""The step after which the database is killed."""
PATIENT = {"QUEUE_STALL_SECONDS": "300"}
"""The worker is held for long; the watchdog has tests of its own."""

type Place = Literal["work", "store", "border"]

READ_BY = {
    "resolve": "trading_candle",
    "backtest": "trading_candle",
    "backtrack": "autopilot_backtest",
    "conclude": "autopilot_backtest",
}
"""Step → a table that it reads while it works; for all others it is that of the standings."""


@dataclass
class Scene:
    """A session with memories to learn from, a web process beside it, and who is to be killed."""

    desk: Desk
    other: Desk
    session: Session
    served: Server
    log: Path
    stack: ExitStack
    running: Worker | None = None

    @property
    def worker(self) -> Worker:
        """The worker command that runs now."""
        assert self.running is not None
        return self.running

    def start(self) -> None:
        """Start the worker command."""
        self.running = self.stack.enter_context(working(self.log, **PATIENT))

    def write(self, desk: Desk | None = None) -> None:
        """Write a record over REST: it is taken, whatever became of the worker.

        While a step that writes a memory is held, that agent's other writes wait for its end, as
        they wait for one another: those are of another agent.
        """
        desk = desk or self.other
        response = httpx.post(
            f"{self.served.url}{desk.path('memories/')}",
            json=note(),
            headers={"Authorization": f"Bearer {desk.tokens['analysis']}"},
            timeout=60,
        )
        assert response.status_code == 201, response.text

    def kill_worker(self) -> None:
        """Kill the process that is at the step."""
        at_work = QueueClaim.objects.filter(worker__isnull=False)
        pid = self.worker.until(lambda: at_work.values_list("worker", flat=True).first())
        os.kill(pid or 0, signal.SIGKILL)

    def kill_all(self) -> None:
        """Kill the worker command with all that it started."""
        mine = Cluster.objects.filter(supervisor=self.worker.process.pid, group__isnull=False)
        groups = list(mine.values_list("group", flat=True))
        os.kill(self.worker.process.pid, signal.SIGKILL)
        for group in groups:
            ps.signal_group(group or 0, signal.SIGKILL)
        self.worker.process.wait()


@pytest.fixture
def scene(transactional_db: None, served: Server, tmp_path: Path) -> Iterator[Scene]:
    del transactional_db
    desk, session = prepare(iterations=ITERATIONS)
    other = make_desk("theirs", now=datetime.now(UTC))
    with ExitStack() as stack:
        yield Scene(desk, other, session, served, tmp_path / "worker.log", stack)


def places(last: int) -> set[tuple[Place, int]]:
    """Return where to kill in a session of so many steps: three places by a seed, or all."""
    if FULL:
        borders: set[tuple[Place, int]] = {("border", step) for step in range(1, last)}
        return borders | {(at, step) for step in range(1, last + 1) for at in ("work", "store")}
    work, store, border = random.Random(SEED).sample(range(2, last), 3)
    return {("work", work), ("store", store), ("border", border)}


def drive(scene: Scene, names: list[str], kills: set[tuple[Place, int]]) -> None:
    """Lead the session through its steps, one by one, and kill where `kills` says."""
    with gated("autopilot_event") as locks:
        work = _at_work(names[0], locks) if ("work", 1) in kills else None
        scene.start()
        for number in range(1, len(names) + 1):
            if work is not None:
                scene.worker.until(work.waiter)
                scene.kill_worker()
                work.release()
            _until_it_stores(scene, locks.gate, number)
            if ("store", number) in kills:
                scene.kill_worker()
                scene.write()
                locks.gate.let_one_through()
                _until_it_stores(scene, locks.gate, number)
            scene.write()
            dies, works = ("border", number) in kills, ("work", number + 1) in kills
            if not (dies or works):
                work = None
                locks.gate.let_one_through()
                continue
            border = _at_border(scene, locks)
            if dies:
                scene.kill_all()
                scene.write(scene.desk)
            work = _at_work(names[number], locks) if works else None
            border.release()
            if dies:
                scene.start()


def _until_it_stores(scene: Scene, gate: Gate, number: int) -> None:
    scene.worker.until(gate.waiter)
    step = due(scene.session.id)
    assert step is not None
    assert (step.number, step.status) == (number, "claimed")


def _at_work(name: str, locks: Locks) -> Hold:
    """Have a worker wait in the midst of a step's work, where no transaction is open."""
    table = READ_BY.get(name, "memory_standing")
    hold = locks.hold(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
    hold.taken.result(timeout=60)
    return hold


def _at_border(scene: Scene, locks: Locks) -> Hold:
    """Let a step be stored, and have the worker wait when it is about to claim the next one."""
    sql = "SELECT 1 FROM autopilot_session WHERE id = %s FOR UPDATE"
    hold = locks.hold(sql, [scene.session.id])
    locks.gate.let_one_through()
    hold.taken.result(timeout=60)
    scene.worker.until(hold.waiter)
    return hold


@pytest.mark.stress
@pytest.mark.spec("A11", "J2", "J4", "A10", "M5")
def test_a_session_whose_workers_are_killed_is_the_same_as_one_without_a_kill(
    scene: Scene,
) -> None:
    expected = undisturbed(scene.session)
    assert expected.status == "succeeded"
    names = [name for _, name, _ in expected.steps]
    kills = places(len(names))
    drive(scene, names, kills)
    open_ = Session.objects.filter(id=scene.session.id, status__in=OPEN)
    scene.worker.until(lambda: not open_.exists())
    assert outcome_of(scene.session) == expected
    assert Run.objects.get(id=scene.session.run_id).status == "succeeded"
    for standing in Standing.objects.all():
        assert replayed(standing.agent_id, standing.record_id) == moving_of(standing)
    # Each queue row is done with, and none came twice.
    scene.worker.until(lambda: not OrmQ.objects.filter(key="tidebook").exists())


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that a database server's account can enter; its server ends with it."""
    path = Path(tempfile.mkdtemp(prefix="tidebook-test-"))
    path.chmod(0o755)
    yield path
    embedded.stop(path / "home")
    shutil.rmtree(path)


@pytest.mark.stress
@pytest.mark.skipif(not FULL, reason="a server of its own and its recovery take half a minute")
@pytest.mark.spec("A11", "J2", "J4", "U2")
@pytest.mark.parametrize("whole", [True, False])
def test_a_session_whose_database_is_killed_goes_on_when_it_is_back(
    folder: Path, *, whole: bool
) -> None:
    home = folder / "home"
    url = embedded.ensure(home)
    begun = alone.run(url, "begin")
    # No lease runs out, and no janitor runs: the queue alone has to bring the step back.
    environment = {"DATABASE_URL": url, **PATIENT}
    with (
        live.serve(folder / "web.log", environment=environment) as web,
        working(folder / "worker.log", **environment) as worker,
    ):
        worker.until(lambda: alone.step_number(url) >= HALFWAY)
        os.kill(embedded.status(home).pid or 0 if whole else a_backend(url), signal.SIGKILL)
        assert embedded.ensure(home) == url
        for _ in range(TRIES):
            if (now := alone.run(url, "status", begun["session"]))["status"] not in OPEN:
                break
            response = httpx.post(
                f"{web.url}{begun['path']}",
                json=note(),
                headers={"Authorization": f"Bearer {begun['token']}"},
                timeout=60,
            )
            assert response.status_code == 201, response.text
    assert now["status"] == "succeeded", worker.tail()
    came, expected = alone.run(url, "report", begun["session"]), begun["expected"]
    # A step that found no database may say that it was tried again.
    assert unnumbered(came.pop("events")) == unnumbered(expected.pop("events"))
    assert came == expected


def a_backend(url: str) -> int:
    """Return the pid of a server process that works for the worker."""
    sql = "SELECT min(pid) FROM pg_stat_activity WHERE application_name = 'tidebook-worker'"
    with psycopg.connect(url) as connection:
        row = connection.execute(sql).fetchone()
    assert row is not None
    return int(row[0])


def unnumbered(events: list[str]) -> list[str]:
    """Return events without their numbers, and without such as tell of another try."""
    texts = [event.partition(" ")[2] for event in events]
    return [text for text in texts if not text.startswith("retried ")]
