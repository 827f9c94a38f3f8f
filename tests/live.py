"""The project as a real web process over the test database.

Tests that use the fixture are marked `django_db(transaction=True)`: the process sees what is
committed alone.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from django.db import connection

ROOT = Path(__file__).resolve().parents[1]
READY_SECONDS = 60.0
PAUSE_SECONDS = 0.05
LISTENING = re.compile(r"running on (http://127\.0\.0\.1:\d+)")


@dataclass(frozen=True)
class Server:
    """A running web process: where it answers, its pid, and what it has logged."""

    url: str
    pid: int
    log: Path


def database_url(*, application_name: str = "") -> str:
    """Return the URL of the database that the tests are using.

    `application_name` tells the connections of one process from all others.
    """
    options = connection.get_connection_params()
    login = f"{quote(options['user'], safe='')}:{quote(options['password'], safe='')}"
    name = quote(options["dbname"], safe="")
    known = f"?application_name={application_name}" if application_name else ""
    return f"postgresql://{login}@{options['host']}:{options['port']}/{name}{known}"


@contextmanager
def serve(log: Path, *, environment: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Run uvicorn on a port that the system picks, until the block ends.

    RuntimeError: it ended or did not answer in time; the message holds its log.
    """
    variables = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
        "DATABASE_URL": database_url(),
        "LOG_LEVEL": "INFO",
        **(environment or {}),
    }
    command = [sys.executable, "-m", "uvicorn", "config.asgi:application", "--port", "0"]
    command += ["--timeout-graceful-shutdown", "3", "--no-proxy-headers"]
    with (
        log.open("wb") as out,
        subprocess.Popen(command, cwd=ROOT, env=variables, stdout=out, stderr=out) as process,
    ):
        try:
            yield Server(url=_wait(process, log), pid=process.pid, log=log)
        finally:
            _end(process)


@pytest.fixture(scope="session")
def served(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a web process that all tests of this run share."""
    del django_db_setup
    with serve(tmp_path_factory.mktemp("served") / "uvicorn.log") as server:
        yield server


def _wait(process: subprocess.Popen[bytes], log: Path) -> str:
    """Return the address once the process answers there."""
    for _ in range(int(READY_SECONDS / PAUSE_SECONDS)):
        try:
            process.wait(timeout=PAUSE_SECONDS)
            break
        except subprocess.TimeoutExpired:
            found = LISTENING.search(log.read_text(encoding="utf-8", errors="replace"))
        if found and _answers(found[1]):
            return found[1]
    raise RuntimeError(f"the server does not answer:\n{log.read_text(errors='replace')[-4000:]}")


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health/live", timeout=5).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
