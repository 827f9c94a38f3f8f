"""Makes the embedded server's data folder and, in a running server, the project's database."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import closing
from pathlib import Path

import psycopg
from psycopg import sql

from config import pgstate
from config.pgbinaries import EmbeddedError, Programs
from config.pgstate import DATABASE, USER, Cluster

GIGABYTE = 1 << 30


class InitFailedError(EmbeddedError):
    """`initdb` did not make a data folder."""

    code = "init_failed"


def make_data(cluster: Cluster, programs: Programs) -> None:
    """Make the data folder, under another name first: a killed initdb leaves no half of one.

    Raises InitFailedError.
    """
    draft = Path(tempfile.mkdtemp(prefix="data.new-", dir=cluster.place))
    secret = draft.with_name(f"{draft.name}.pw")
    pgstate.write_private(secret, pgstate.new_password(cluster.home))
    try:
        programs.give(draft)
        programs.give(secret)
        arguments: list[str | Path] = [
            "-D",
            draft,
            "-U",
            USER,
            "--auth=scram-sha-256",
            f"--pwfile={secret}",
        ]
        arguments += ["-E", "UTF8", "--data-checksums", "--no-instructions", *_locale(programs)]
        done = programs.run("initdb", *arguments, timeout=300)
        if done.returncode != 0:
            msg = f"{programs.folder}/initdb failed: {done.stdout.strip()[-2000:]}"
            raise InitFailedError(msg)
        with (draft / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(_settings())
        draft.rename(cluster.data)
    except OSError as error:
        msg = f"The data folder {cluster.data} could not be made: {error}"
        raise InitFailedError(msg) from error
    finally:
        secret.unlink(missing_ok=True)
        shutil.rmtree(draft, ignore_errors=True)


def _locale(programs: Programs) -> list[str]:
    if programs.major < 17:  # noqa: PLR2004 (the builtin provider came with 17)
        return ["--locale=C.UTF-8"]
    return ["--locale-provider=builtin", "--locale=C", "--builtin-locale=C.UTF-8"]


def _settings() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    buffers = max(min(memory // 4, 4 * GIGABYTE), GIGABYTE // 8) >> 20
    return (
        f"\nshared_buffers = {buffers}MB\nmax_connections = 100\njit = off\nwal_compression = on\n"
        "timezone = 'UTC'\nlog_timezone = 'UTC'\n"
    )


def make_database(cluster: Cluster) -> None:
    """Create the project's database in a server that runs, unless it is there."""
    with closing(psycopg.connect(cluster.url("postgres"), autocommit=True)) as connection:
        query = "SELECT FROM pg_database WHERE datname = %s"
        if connection.execute(query, [DATABASE]).fetchone() is None:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
