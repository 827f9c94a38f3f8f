"""The embedded server, on real servers in folders of their own. None of these touches Django's."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from django.core.management import call_command

from config import embedded, pgbinaries, pgstate
from config.settings.environment import load

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
SYSTEM_15 = Path("/usr/lib/postgresql/15/bin")
AS_ROOT = os.geteuid() == 0
SHM = Path("/dev/shm")  # noqa: S108 (servers in memory: the disk's fsync is most of their time)
ROOMY = os.access(SHM, os.W_OK) and shutil.disk_usage(SHM).free > 4 << 30
FAST = SHM if ROOMY else None


def open_folder() -> Path:
    """Make a folder that the server's account can enter (pytest's tmp_path is root's alone)."""
    path = Path(tempfile.mkdtemp(prefix="tidebook-test-", dir=FAST))
    path.chmod(0o755)
    return path


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return an empty folder; the servers of the homes made in it are stopped at the end."""
    path = open_folder()
    yield path
    for home in path.iterdir():
        if home.is_dir():
            embedded.stop(home)
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def shared() -> Iterator[Path]:
    """Return the home of a server that runs, for tests that only look at it."""
    path = open_folder()
    embedded.ensure(path / "home")
    yield path / "home"
    embedded.stop(path / "home")
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def stopped() -> Iterator[Path]:
    path = open_folder()
    embedded.ensure(path / "home")
    embedded.stop(path / "home")
    (path / "home" / "state.json").unlink()
    yield path / "home"
    shutil.rmtree(path)


@pytest.fixture
def home(stopped: Path, folder: Path) -> Path:
    """Return a home with data and no server: one slow `initdb` serves many tests."""
    copy_all(stopped, folder / "home")
    return folder / "home"


def query(url: str, statement: str) -> list[tuple[Any, ...]]:
    with closing(psycopg.connect(url, autocommit=True, connect_timeout=5)) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def db_command(action: str) -> str:
    output = io.StringIO()
    call_command("db", action, json=True, stdout=output)
    return output.getvalue()


def write_row(url: str) -> None:
    query(url, "CREATE TABLE kept AS SELECT 1 AS n")


def pid_of(home: Path) -> int:
    pid = embedded.status(home).pid
    assert pid is not None
    return pid


def copy_all(source: Path, target: Path) -> None:
    subprocess.run(["/bin/cp", "-a", source, target], check=True)


def password_file(home: Path) -> Path:
    return home / "password"


@pytest.mark.spec("U1", "U2")
def test_the_first_call_makes_a_database_that_answers(shared: Path) -> None:
    url = embedded.ensure(shared)
    assert query(url, "SELECT current_database(), current_user") == [("tidebook", "tidebook")]
    assert query(url, "SHOW fsync") == [("on",)]
    assert query(url, "SHOW data_checksums") == [("on",)]
    assert query(url, "SELECT lower('Ä')") == [("ä",)]


@pytest.mark.spec("U1")
def test_its_port_is_none_that_outgoing_connections_are_given(shared: Path) -> None:
    given = Path("/proc/sys/net/ipv4/ip_local_port_range")
    lowest = int(given.read_text().split()[0]) if given.exists() else 32_768
    port = embedded.status(shared).port
    assert port in embedded.PORTS
    assert port is not None
    assert port < lowest


@pytest.mark.spec("X7")
def test_the_content_of_a_failed_write_is_not_in_the_log(shared: Path) -> None:
    url, secret = embedded.ensure(shared), "long-aapl-until-friday"
    query(url, "CREATE TABLE noted (id int PRIMARY KEY, said text CHECK (said <> ''), at date)")
    failures = [
        f"INSERT INTO noted (said) VALUES ('{secret}')",
        f"INSERT INTO noted VALUES (1, '', '{secret}')",
        f"INSERT INTO noted SELECT 1, '{secret}' FROM generate_series(1, 2)",
        f"SELECT '{{\"a\": {secret}}}'::jsonb",
        f"DO $$ BEGIN RAISE EXCEPTION '{secret}'; END $$",
        f"SELECT '{secret}' FRM noted",
    ]
    for statement in failures:
        with pytest.raises(psycopg.Error):
            query(url, statement)
    query(url, f"DO $$ BEGIN RAISE WARNING '{secret}'; END $$")
    log = (shared / "server.log").read_text()
    assert "ready to accept connections" in log
    assert secret not in log


@pytest.mark.spec("U1")
def test_a_second_call_attaches_to_the_same_server(shared: Path) -> None:
    before = pid_of(shared)
    assert embedded.ensure(shared) == embedded.stored_url(shared)
    assert pid_of(shared) == before


@pytest.mark.spec("X7")
@pytest.mark.parametrize("password", ["", "wrong"])
def test_a_connection_without_the_password_is_refused(shared: Path, password: str) -> None:
    right = password_file(shared).read_text()
    url = embedded.ensure(shared).replace(f":{right}@", f":{password}@")
    with pytest.raises(psycopg.OperationalError):
        query(url, "SELECT 1")


@pytest.mark.spec("X7")
def test_it_listens_on_loopback_alone(shared: Path) -> None:
    url = embedded.ensure(shared)
    found = dict(
        query(
            url,
            "SELECT name, setting FROM pg_settings"
            " WHERE name IN ('listen_addresses', 'unix_socket_directories')",
        )
    )
    assert found == {"listen_addresses": "127.0.0.1", "unix_socket_directories": ""}
    methods = query(url, "SELECT DISTINCT auth_method FROM pg_hba_file_rules")
    assert methods == [("scram-sha-256",)]


@pytest.mark.spec("X7")
def test_nobody_else_can_read_the_password(shared: Path) -> None:
    assert password_file(shared).stat().st_mode & 0o077 == 0
    assert (shared / "data").stat().st_mode & 0o077 == 0
    assert password_file(shared).read_text() not in (shared / "server.log").read_text()


@pytest.mark.spec("U1")
def test_the_terminal_that_started_it_does_not_end_it(shared: Path) -> None:
    assert os.getsid(pid_of(shared)) != os.getsid(0)


@pytest.mark.spec("U1")
def test_three_processes_that_start_it_at_once_get_one_server(folder: Path) -> None:
    home = folder / "home"
    program = (
        "import sys; from pathlib import Path; from config import embedded\n"
        "home = Path(sys.argv[1]); print('ready', flush=True)\n"
        "embedded.ensure(home); print(embedded.status(home).pid)"
    )
    command = [sys.executable, "-c", program, str(home)]
    with pgstate.locked(home):  # held until all three stand before it
        starters = [
            subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)
        ]
        for starter in starters:
            assert starter.stdout is not None
            assert starter.stdout.readline() == "ready\n"
    pids = {starter.communicate(timeout=60)[0] for starter in starters}
    assert len(pids) == 1
    assert all(starter.returncode == 0 for starter in starters)


@pytest.mark.spec("U1")
def test_after_a_kill_it_starts_again_with_every_committed_row(home: Path) -> None:
    write_row(embedded.ensure(home))
    killed = pid_of(home)
    os.kill(killed, signal.SIGKILL)
    url = embedded.ensure(home)
    assert query(url, "SELECT n FROM kept") == [(1,)]
    assert pid_of(home) != killed


@pytest.mark.spec("U1")
def test_stop_ends_it_and_a_later_start_finds_the_data(home: Path) -> None:
    url = embedded.ensure(home)
    write_row(url)
    assert embedded.stop(home) is True
    assert embedded.stop(home) is False
    assert embedded.status(home).running is False
    assert embedded.stored_url(home) == url
    assert query(embedded.ensure(home), "SELECT n FROM kept") == [(1,)]


@pytest.mark.spec("U1")
def test_two_homes_side_by_side_know_nothing_of_each_other(shared: Path, home: Path) -> None:
    write_row(embedded.ensure(home))
    assert query(embedded.ensure(shared), "SELECT to_regclass('kept')") == [(None,)]
    assert pid_of(home) != pid_of(shared)
    embedded.stop(home)
    assert embedded.status(shared).running is True


@pytest.mark.spec("U1")
def test_a_port_that_somebody_took_is_replaced(home: Path) -> None:
    embedded.ensure(home)
    port = embedded.status(home).port
    embedded.stop(home)
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", port))
        other.listen()
        url = embedded.ensure(home)
        assert embedded.status(home).port != port
        assert embedded.status(home).port in embedded.PORTS
        assert query(url, "SELECT 1") == [(1,)]


@pytest.mark.spec("U1")
def test_a_copy_of_a_running_home_gets_a_server_of_its_own(home: Path) -> None:
    write_row(embedded.ensure(home))
    first = pid_of(home)
    copy = home.with_name("copy")
    copy_all(home, copy)
    assert embedded.stored_url(copy) is None
    assert embedded.stop(copy) is False
    url = embedded.ensure(copy)
    assert query(url, "SELECT to_regclass('kept')") == [(None,)]  # the torn copy is put aside
    assert len(list(copy.glob("data.aside-*"))) == 1
    assert pid_of(home) == first != pid_of(copy)


@pytest.mark.spec("U1")
def test_a_copy_of_a_stopped_home_keeps_the_rows_and_a_move_keeps_them_too(home: Path) -> None:
    write_row(embedded.ensure(home))
    embedded.stop(home)
    copy = home.with_name("copy")
    copy_all(home, copy)
    embedded.ensure(home)
    copied = embedded.ensure(copy)
    assert query(copied, "SELECT n FROM kept") == [(1,)]
    assert pid_of(copy) != pid_of(home)
    moved = copy.rename(home.with_name("moved"))
    assert query(embedded.ensure(moved), "SELECT n FROM kept") == [(1,)]
    assert query(embedded.ensure(moved), "SHOW data_directory") == [(str(moved / "data"),)]


@pytest.mark.spec("U1")
@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="reads /proc")
def test_a_pid_file_that_names_a_stranger_is_no_server(home: Path) -> None:
    embedded.ensure(home)
    pid_file = home / "data" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    embedded.stop(home)
    with subprocess.Popen(["/bin/sleep", "60"]) as stranger:
        pid_file.write_text("\n".join([str(stranger.pid), *lines[1:]]) + "\n")
        assert embedded.stop(home) is False
        assert stranger.poll() is None
        embedded.ensure(home)
        assert pid_of(home) != stranger.pid
        stranger.kill()


@pytest.mark.spec("U2")
def test_data_of_another_major_version_are_refused_and_left_alone(folder: Path) -> None:
    home = folder / "home"
    data = home / "data"
    data.mkdir(parents=True)
    (data / "PG_VERSION").write_text("12\n")
    with pytest.raises(embedded.VersionMismatchError, match="pg_upgrade"):
        embedded.ensure(home)
    assert [path.name for path in data.iterdir()] == ["PG_VERSION"]


@pytest.mark.spec("U2")
@pytest.mark.skipif(not SYSTEM_15.is_dir(), reason="PostgreSQL 15 is not installed")
def test_the_oldest_supported_system_server_will_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = folder / "home"
    monkeypatch.setenv("TIDEBOOK_PG_BIN", str(SYSTEM_15))
    url = embedded.ensure(home)
    assert embedded.status(home).version == 15
    assert query(url, "SELECT lower('Ä')") == [("ä",)]


@pytest.mark.spec("U2")
def test_without_binaries_the_error_names_three_ways_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = folder / "home"
    monkeypatch.setenv("TIDEBOOK_PG_BIN", str(home / "nowhere"))
    with pytest.raises(pgbinaries.BinariesMissingError) as caught:
        embedded.ensure(home)
    assert caught.value.code == "binaries_missing"
    for way in ("make setup", "package manager", "DATABASE_URL"):
        assert way in str(caught.value)


@pytest.mark.spec("U2")
def test_an_initdb_that_fails_leaves_no_half_of_a_database(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = folder / "programs"
    programs.mkdir()
    programs.chmod(0o755)
    for name in pgbinaries.NEEDED_PROGRAMS:
        script = programs / name
        answer = "echo 'postgres (PostgreSQL) 18.4'" if name == "postgres" else "echo no; exit 1"
        script.write_text(f"#!/bin/sh\n{answer}\n")
        script.chmod(0o755)
    home = folder / "home"
    with monkeypatch.context() as patch:
        patch.setenv("TIDEBOOK_PG_BIN", str(programs))
        with pytest.raises(embedded.EmbeddedError) as caught:
            embedded.ensure(home)
    assert caught.value.code == "init_failed"
    assert embedded.stored_url(home) is None
    assert not list(home.glob("data*"))
    assert query(embedded.ensure(home), "SELECT 1") == [(1,)]


@pytest.mark.spec("U2")
def test_a_server_that_cannot_start_shows_the_end_of_its_log(home: Path) -> None:
    embedded.ensure(home)
    embedded.stop(home)
    with (home / "data" / "postgresql.conf").open("a") as file:
        file.write("no_such_setting = on\n")
    with pytest.raises(embedded.StartFailedError, match="no_such_setting") as caught:
        embedded.ensure(home)
    assert caught.value.code == "start_failed"


@pytest.mark.spec("U1", "X7")
@pytest.mark.skipif(not AS_ROOT, reason="only root hands the server to another account")
def test_as_root_in_a_private_folder_the_data_lie_where_the_server_can_reach_them(
    folder: Path,
) -> None:
    private = folder / "private"
    private.mkdir(mode=0o700)
    home = private / ".tidebook"
    url = embedded.ensure(home)
    data = embedded.status(home).data
    assert data is not None
    place = Path(data).parent
    try:
        assert query(url, "SELECT 1") == [(1,)]
        assert home not in place.parents
        assert private.stat().st_mode & 0o777 == 0o700
        assert Path(data).stat().st_uid != 0
        assert embedded.ensure(home) == url
    finally:
        embedded.stop(home)
        shutil.rmtree(place)


@pytest.mark.spec("U2")
def test_a_wrong_database_url_is_refused_without_showing_its_password() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and not listening: nobody else gets this port
        port = closed.getsockname()[1]
        for url in (f"postgresql://u:s3cret@127.0.0.1:{port}/x", "mysql://u:s3cret@localhost/x"):
            with pytest.raises(embedded.UrlRefusedError) as caught:
                embedded.check_url(url)
            assert caught.value.code == "database_url_refused"
            assert "s3cret" not in str(caught.value)


@pytest.mark.spec("U2")
def test_the_command_tells_the_state_and_the_url_as_json(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIDEBOOK_HOME", str(shared))
    monkeypatch.setenv("DATABASE_URL", "")
    load.cache_clear()
    try:
        state, found = (json.loads(db_command(action)) for action in ("status", "url"))
    finally:
        load.cache_clear()
    assert (state["running"], state["embedded"], state["home"]) == (True, True, str(shared))
    assert found["url"] == embedded.stored_url(shared)
