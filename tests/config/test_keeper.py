"""An embedded server that is killed under `up` is started again, one that was stopped is not."""

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from config import embedded, pgstate, ps
from config.processes import Kind, Running
from config.supervisor.database import LOOK_SECONDS, Keeper

pytestmark = pytest.mark.spec("U2")


class Log:
    """What the keeper of a home has said."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.lines: list[tuple[str, str]] = []
        self.keeper = Keeper(home, say=self.say)

    def say(self, event: str, kind: Kind, process: Running | None, detail: str) -> None:
        assert (kind.name, process) == ("database", None)
        self.lines.append((event, detail))

    def kill(self) -> None:
        """Kill the server's first process, and wait until it is dead."""
        pid = embedded.status(self.home).pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        patience, pause = 600, threading.Event()
        while ps.state_of(pid) is not None and (patience := patience - 1):
            pause.wait(0.05)


@pytest.fixture
def log() -> Iterator[Log]:
    # The server's account has to enter it.
    folder = Path(tempfile.mkdtemp(prefix="tidebook-test-"))
    folder.chmod(0o755)
    home = folder / "home"
    embedded.ensure(home)
    yield Log(home)
    embedded.stop(home)
    shutil.rmtree(folder)


def test_a_killed_server_comes_back_where_it_was_and_a_stopped_one_does_not(log: Log) -> None:
    url = embedded.stored_url(log.home)
    assert url is not None
    log.keeper.look(100.0)
    assert log.lines == []
    log.kill()
    log.keeper.look(100.0)
    assert not embedded.status(log.home).running
    log.keeper.look(100.5)
    assert log.lines == [("ended", "a kill; again in 0.5 s"), ("restarted", "")]
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    # The second time in a minute it waits longer.
    log.kill()
    log.keeper.look(110.0)
    log.keeper.look(111.0)
    assert log.lines[2:] == [("ended", "a kill; again in 1 s"), ("restarted", "")]
    embedded.stop(log.home)
    log.keeper.look(500.0)
    assert not embedded.status(log.home).running
    assert len(log.lines) == 4


def test_a_start_that_fails_is_tried_again(log: Log) -> None:
    cluster = pgstate.load(log.home)
    assert cluster is not None
    file = cluster.data / "postgresql.conf"
    right = file.read_text()
    log.kill()
    file.write_text(f"{right}no_such_setting = on\n")
    log.keeper.look(100.0)
    log.keeper.look(101.0)
    assert [event for event, _ in log.lines] == ["ended", "failed"]
    assert log.lines[1][1].endswith("again in 1 s")
    file.write_text(right)
    log.keeper.look(101.9)
    assert not embedded.status(log.home).running
    log.keeper.look(102.0)
    assert log.lines[-1] == ("restarted", "")
    assert embedded.status(log.home).running


def test_it_looks_until_it_is_told_to_stop(log: Log) -> None:
    stopping = threading.Event()
    thread = threading.Thread(target=log.keeper.run, args=[stopping])
    thread.start()
    log.kill()
    pause, patience = threading.Event(), int(60 / LOOK_SECONDS)
    while len(log.lines) < 2 and (patience := patience - 1):
        pause.wait(LOOK_SECONDS)
    stopping.set()
    thread.join()
    assert [event for event, _ in log.lines] == ["ended", "restarted"]
    assert embedded.status(log.home).running
