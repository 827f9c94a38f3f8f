"""Running pg_dump and pg_restore against the project's database.

Where it is and its password go by the environment, as the driver has them: arguments are seen by
everybody on the machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from django.db import connection
from psycopg import pq

from config import pgbinaries, tethered
from memory.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from config.pgbinaries import Programs

SAID_LINES = 5


class ClientsMissing(Unavailable):
    """There is no pg_dump or pg_restore here that fits the server."""

    code = "binaries_missing"


class ProgramFailed(Unavailable):
    """pg_dump or pg_restore ended with an error."""

    code = "pg_program_failed"


def clients() -> Programs:
    """Return programs that fit the server (ClientsMissing)."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('server_version_num')::int")
        (version,) = cursor.fetchone()
    try:
        return pgbinaries.find_clients(major=version // 10_000)
    except pgbinaries.BinariesMissingError as error:
        raise ClientsMissing(str(error)) from error


def run(
    programs: Programs, program: str, *arguments: str | Path, told: Callable[[str], None]
) -> None:
    """Run a program to its end; `told` is called with each line that it says.

    ProgramFailed: with the errors that it said.
    """
    said: deque[str] = deque(maxlen=SAID_LINES)
    with _started(programs, program, *arguments) as process:
        for line in process.stderr or ():
            plain = line.strip()
            if "error:" in plain or "fatal:" in plain.lower():
                said.append(plain)
            told(plain)
    if process.returncode != 0:
        raise ProgramFailed(" ".join(said) or f"{program} ended with {process.returncode}")


def output_of(programs: Programs, program: str, *arguments: str | Path) -> str:
    """Return what a program writes (ProgramFailed)."""
    done = subprocess.run(  # noqa: S603 - its words are built here
        _command(programs, program, *arguments),
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env=_environment(),
    )
    if done.returncode != 0:
        raise ProgramFailed(" ".join(done.stderr.split()))
    return done.stdout


@contextmanager
def _started(
    programs: Programs, program: str, *arguments: str | Path
) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(  # noqa: S603 - as above
        _command(programs, program, *arguments),
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=_environment(),
    ) as process:
        try:
            yield process
        except BaseException:
            process.terminate()
            raise


def _command(programs: Programs, program: str, *arguments: str | Path) -> list[str | Path]:
    """Return the words that run a program for as long as this process lives."""
    tether = [sys.executable, "-IS", tethered.__file__, str(os.getpid())]
    return [*tether, programs.folder / program, *arguments]


def _environment() -> dict[str, str]:
    """Return the environment in which libpq finds what the driver is told."""
    parameters: dict[str, Any] = connection.get_connection_params()
    variables = {
        option.keyword.decode(): option.envvar.decode()
        for option in pq.Conninfo.get_defaults()
        if option.envvar
    }
    told = {
        variables[name]: str(value)
        for name, value in parameters.items()
        if name in variables and isinstance(value, str | int)
    }
    return {**os.environ, **told, "LC_ALL": "C"}
