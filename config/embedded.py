"""The embedded PostgreSQL: one server per project folder, started when needed.

`ensure` starts it, `stored_url` says where it was, `stop` alone stops it: never the exit of a
process, since others may be using it. A server counts as ready when it answered a query about its
own data folder, and for no other reason: pid files and process lists lie after a kill. It
listens on 127.0.0.1 only and asks for a password (SPEC X7).
"""

from __future__ import annotations

import logging
import secrets
import socket
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import pq
from psycopg.conninfo import make_conninfo

from config import databaseurl, pgbinaries, pginit, pgstate
from config.databaseurl import UrlRefusedError
from config.pgbinaries import EmbeddedError, Programs
from config.pgstate import ADDRESS, DATABASE, Cluster

__all__ = [
    "EmbeddedError",
    "Status",
    "UrlRefusedError",
    "check_url",
    "ensure",
    "status",
    "stop",
    "stored_url",
]

logger = logging.getLogger("tidebook.embedded")

ROUNDS = 3
REAPING = 30.0  # seconds: a killed postmaster stays a zombie until pid 1 collects it
RECOVERING = 120.0  # seconds: replaying the log after a crash
LOG_LIMIT = 5_000_000  # bytes, then the log is begun anew
PORTS = range(15_000, 32_000)
"""Below what systems hand out for outgoing connections: nobody gets ours while it is stopped."""
PORT_TRIES = 50
DISCREET = {
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    # A session's error goes to its client, and may quote a value; the server's own words stay.
    "log_min_messages": "log",
}
"""No part of a record reaches server.log."""


class StartFailedError(EmbeddedError):
    """The server did not come to answer."""

    code = "start_failed"


class StopFailedError(EmbeddedError):
    """The server did not end."""

    code = "stop_failed"


class VersionMismatchError(EmbeddedError):
    """The data folder is of a major version that no program here can open."""

    code = "version_mismatch"


@dataclass(frozen=True, slots=True)
class Status:
    """What is known of a home's server, without its password."""

    running: bool
    home: str
    data: str | None = None
    log: str | None = None
    address: str | None = None
    port: int | None = None
    pid: int | None = None
    version: int | None = None


def ensure(home: Path | None = None) -> str:
    """Return the URL of this home's database, made and started when it has to be.

    Raises EmbeddedError (its `code` tells which).
    """
    home = (home or pgstate.default_home()).resolve()
    with pgstate.locked(home):
        cluster = pgstate.load(home)
        if cluster is None:
            for orphan in pgstate.orphans(home):
                _halt(orphan)
                logger.warning("%s is left of a removed folder: remove it too.", orphan.place)
            cluster = pgstate.create(home)
        elif pgstate.was_moved(home):
            # The running server still names the old path; a start from here sets that right.
            _halt(cluster)
            cluster = pgstate.save(cluster)
        if not _answers(cluster, DATABASE):
            cluster = _bring_up(cluster)
        return cluster.url()


def stored_url(home: Path | None = None) -> str | None:
    """Return the URL that `ensure` last gave, None before the first time; asks no server."""
    cluster = pgstate.load((home or pgstate.default_home()).resolve())
    return cluster.url() if cluster and cluster.port and cluster.version is not None else None


def stop(home: Path | None = None) -> bool:
    """Stop this home's server; False when there was none running."""
    home = (home or pgstate.default_home()).resolve()
    if pgstate.load(home) is None:
        return False
    with pgstate.locked(home):
        cluster = pgstate.load(home)
        return cluster is not None and _halt(cluster)


def status(home: Path | None = None) -> Status:
    """Tell whether this home's server answers, and where it is."""
    home = (home or pgstate.default_home()).resolve()
    cluster = pgstate.load(home)
    if cluster is None or cluster.version is None:
        return Status(running=False, home=str(home))
    running = _answers(cluster, "postgres")
    lines = cluster.pid_file() if running else []
    return Status(
        running=running,
        home=str(home),
        data=str(cluster.data),
        log=str(cluster.log),
        address=ADDRESS,
        port=cluster.port,
        pid=int(lines[0]) if lines else None,
        version=cluster.version,
    )


def check_url(url: str) -> None:
    """Raise UrlRefusedError unless a PostgreSQL that is new enough answers at this URL."""
    hint = "Put it right, or unset it to use the embedded server."
    parameters = make_conninfo(**databaseurl.read(url) | {"connect_timeout": "5"})
    try:
        with closing(psycopg.connect(parameters)) as connection:
            major = connection.info.server_version // 10_000
    except psycopg.Error as error:
        reason = " ".join(str(error).split()).rstrip("?.")
        msg = f"DATABASE_URL leads to no database: {reason}. {hint}"
        raise UrlRefusedError(msg) from error
    if major < pgbinaries.OLDEST_MAJOR:
        oldest = f"{pgbinaries.OLDEST_MAJOR} is the oldest that works"
        msg = f"DATABASE_URL leads to PostgreSQL {major}; {oldest}. {hint}"
        raise UrlRefusedError(msg)


def _programs(cluster: Cluster) -> Programs:
    """Find programs that fit the data and run as the account that owns them."""
    pgstate.remove_unfinished(cluster.place)
    try:
        programs = pgbinaries.find_programs(major=cluster.version)
    except pgbinaries.BinariesMissingError as error:
        if cluster.version is None:
            raise
        msg = (
            f"{error} To keep the data in {cluster.data}, dump them with the old version's pg_dump "
            "(or run pg_upgrade); to do without them, move that folder away."
        )
        raise VersionMismatchError(msg) from error
    account = pgbinaries.server_account(cluster.data)
    return pgbinaries.made_runnable(programs, account, place=cluster.place)


def _bring_up(cluster: Cluster) -> Cluster:
    programs = _programs(cluster)
    if cluster.version is None:
        pginit.make_data(cluster, programs)
    for number in range(ROUNDS):
        time.sleep(number / 2)  # after a kill, the server's children need a moment to notice
        cluster = _follow(cluster)
        if not _settled(cluster, programs):
            cluster = pgstate.save(cluster, port=_free_port(cluster.port))
            _start(cluster, programs)
        if _settled(cluster, programs):
            pginit.make_database(cluster)
            return cluster
    msg = f"The embedded PostgreSQL did not start. The end of {cluster.log}:\n{cluster.log_tail()}"
    raise StartFailedError(msg)


def _follow(cluster: Cluster) -> Cluster:
    """Drop a pid file that names a stranger, and take over the port of a server that runs."""
    lines = cluster.pid_file()
    if not lines:
        return cluster
    try:
        # A server's working folder is its data folder. Pids begin anew after a reboot or in
        # a container, so the file may name anybody. A zombie has no working folder.
        stranger = Path(f"/proc/{int(lines[0])}/cwd").readlink() != cluster.data.resolve()
    except (OSError, ValueError):
        stranger = False
    if stranger:
        (cluster.data / "postmaster.pid").unlink(missing_ok=True)
        return cluster
    port = int(lines[3]) if len(lines) > 3 and lines[3].isdigit() else cluster.port  # noqa: PLR2004
    return cluster if port == cluster.port else pgstate.save(cluster, port=port)


def _settled(cluster: Cluster, programs: Programs) -> bool:
    """Wait until the server answers (True) or no process holds the data folder (False)."""
    began = time.monotonic()
    while not _answers(cluster, "postgres"):
        if not _holds(cluster, programs):
            return False
        limit = RECOVERING if _is_starting(cluster) else REAPING
        if time.monotonic() - began > limit:
            msg = (
                f"A PostgreSQL process holds {cluster.data} and does not answer (in a container, "
                "a killed server is collected only with an init process). "
                f"The end of {cluster.log}:\n{cluster.log_tail()}"
            )
            raise StartFailedError(msg)
        time.sleep(0.1)
    return True


def _answers(cluster: Cluster, database: str) -> bool:
    """Whether a query is answered at our port, and by the server of our data folder."""
    if not cluster.port or not cluster.pid_file():
        return False  # a server without its pid file ends itself; the port is somebody else's
    try:
        with closing(psycopg.connect(cluster.url(database), connect_timeout=5)) as connection:
            row = connection.execute("SELECT current_setting('data_directory')").fetchone()
    except psycopg.OperationalError:
        return False
    return row is not None and Path(row[0]).resolve() == cluster.data.resolve()


def _is_starting(cluster: Cluster) -> bool:
    conninfo = f"host={ADDRESS} port={cluster.port} connect_timeout=5"
    return pq.PGconn.ping(conninfo.encode()) == pq.Ping.REJECT


def _holds(cluster: Cluster, programs: Programs) -> bool:
    return programs.run("pg_ctl", "status", "-D", cluster.data).returncode == 0


def _free_port(stored: int) -> int:
    """Return the stored port when nobody listens there, else one at random that is free."""
    others = secrets.SystemRandom().sample(PORTS, PORT_TRIES)
    for port in (stored, *others) if stored else others:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((ADDRESS, port))
            except OSError:
                continue
            return port
    msg = f"No port is free on {ADDRESS} from {PORTS.start} to {PORTS.stop - 1}."
    raise StartFailedError(msg)


def _start(cluster: Cluster, programs: Programs) -> None:
    log = cluster.log
    if log.exists() and log.stat().st_size > LOG_LIMIT:
        log.replace(log.with_suffix(".log.1"))
    log.touch(mode=0o600)
    programs.give(log)
    settings = {"listen_addresses": ADDRESS, "port": cluster.port, "unix_socket_directories": "''"}
    # Here and not in the data folder's file, so that databases of earlier versions have them too.
    options = " ".join(f"-c {name}={value}" for name, value in (settings | DISCREET).items())
    programs.start(data=cluster.data, log=log, options=options)


def _halt(cluster: Cluster) -> bool:
    _follow(cluster)
    if not cluster.pid_file():
        return False
    programs = _programs(cluster)
    if not _holds(cluster, programs):
        return False
    done = programs.run("pg_ctl", "stop", "-D", cluster.data, "-m", "fast", "-w", "-t", "90")
    if done.returncode != 0 and _holds(cluster, programs):
        msg = f"The embedded PostgreSQL did not stop: {done.stdout.strip()}\n{cluster.log_tail()}"
        raise StopFailedError(msg)
    return True
