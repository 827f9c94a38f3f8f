"""`manage.py up`: everything with one command, restarted when it dies, and ended with it (U2)."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django_q.models import Schedule

from config import processes, ps
from config.processes import BRIDGE, UP, WEB, WORKER, Running
from tests.live import ROOT, database_url

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.spec("U2")]

DEADLINE_SECONDS = 90.0
PAUSE_SECONDS = 0.1
KINDS = {"web", "worker", "bridge"}


def free_ports() -> tuple[int, int]:
    """Return two ports that the system has to give, far from those of the settings."""
    with socket.socket() as one, socket.socket() as other:
        for each in (one, other):
            each.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]


class Desk:
    """A home in which `up` runs, with what it has printed."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.out = home / "up.out"
        self.first, self.lines = free_ports()
        self.environment = {
            **os.environ,
            "TIDEBOOK_HOME": str(home),
            "DATABASE_URL": database_url(),
            "DJANGO_SETTINGS_MODULE": "config.settings.development",
            "LOG_LEVEL": "WARNING",
            "QUEUE_WORKERS": "1",
            "QUEUE_STOP_SECONDS": "3",
            "MCP_HTTP_PORT": str(self.first),
            "MCP_MEMORY_PORT": str(self.lines),
        }
        self.start()

    def start(self) -> None:
        """Run `up`; what it prints begins anew."""
        with self.out.open("wb") as out, (self.home / "up.err").open("wb") as err:
            command = [sys.executable, "manage.py", "up", "--json"]
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdout=out, stderr=err
            )

    def told(self, event: str) -> list[dict[str, Any]]:
        """Return the lines about an event."""
        lines = [json.loads(line) for line in self.out.read_text().splitlines()]
        return [line for line in lines if line["event"] == event]

    def until(self, reached: Callable[[], bool]) -> None:
        """Return once it is so; AssertionError: `up` ended, or it took too long."""
        for _ in range(int(DEADLINE_SECONDS / PAUSE_SECONDS)):
            if reached():
                return
            try:
                self.process.wait(timeout=PAUSE_SECONDS)
            except subprocess.TimeoutExpired:
                continue
            break
        raise AssertionError(self.out.read_text() + (self.home / "up.err").read_text()[-4000:])

    def answering(self) -> dict[str, dict[str, Any]]:
        """Return what is told last of each kind that answers."""
        return {line["kind"]: line for line in self.told("answers")}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run another command in this home."""
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )


@pytest.fixture
def desk(transactional_db: None, tmp_path: Path) -> Iterator[Desk]:
    del transactional_db
    started = Desk(tmp_path)
    try:
        yield started
    finally:
        started.process.terminate()
        try:
            started.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            started.process.kill()


def test_it_runs_web_worker_and_bridge_restarts_them_and_ends_them_all(desk: Desk) -> None:
    desk.until(lambda: set(desk.answering()) == KINDS)
    first = desk.answering()
    assert httpx.get(f"{first['web']['url']}/health/ready").json()["status"] == "ok"
    assert set(Schedule.objects.values_list("name", flat=True)) >= {"heartbeat", "janitor"}
    refused = desk.run("demo")
    assert refused.returncode == 1
    assert "`manage.py up` is running in" in refused.stderr

    os.kill(first["web"]["pid"], signal.SIGKILL)
    desk.until(lambda: desk.answering()["web"]["pid"] != first["web"]["pid"])
    again = desk.answering()
    # Addresses that were handed out stay good.
    assert again["web"]["url"] == first["web"]["url"]
    assert httpx.get(f"{again['web']['url']}/health/live").status_code == 200
    assert [line["detail"] for line in desk.told("ended")] == ["signal 9; again in 0.5 s"]
    assert again["bridge"]["pid"] == first["bridge"]["pid"]

    stopped = desk.run("demo", "--stop")
    assert stopped.returncode == 0, stopped.stderr
    assert stopped.stdout.startswith("`manage.py up` is stopped")
    assert desk.process.wait(timeout=10) == 0
    assert {line["kind"] for line in desk.told("stopped")} == KINDS
    for kind in again.values():
        assert ps.state_of(kind["pid"]) is None
    for service in (UP, WEB, WORKER, BRIDGE):
        assert processes.running(service, desk.home) is None


def test_the_next_one_takes_the_places_and_addresses_of_one_that_was_killed(desk: Desk) -> None:
    desk.until(lambda: set(desk.answering()) == KINDS)
    first = desk.answering()
    desk.process.kill()
    desk.process.wait()
    assert ps.state_of(first["bridge"]["pid"]) is not None
    desk.start()
    desk.until(lambda: set(desk.answering()) == KINDS)
    again = desk.answering()
    for kind in KINDS:
        assert again[kind]["url"] == first[kind]["url"]
        assert ps.state_of(first[kind]["pid"]) is None
    command = ps.command_of(again["bridge"]["pid"])
    assert f"--http 127.0.0.1:{desk.first} --tcp 127.0.0.1:{desk.lines}" in command


def test_a_port_that_was_handed_out_is_taken_again_unless_another_has_it() -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        first = one.getsockname()[1]
        free = processes.free_port(first)
        assert first < free
        assert processes.free_port(first, before=first) == free
        assert processes.free_port(first, taken={free}) > free
    assert processes.free_port(first - 9, before=first) == first
    assert processes.free_port(first + 1, before=first) != first


def test_a_process_without_a_port_has_no_address() -> None:
    with pytest.raises(processes.ProcessError, match="listens nowhere"):
        assert Running(pid=1).url
