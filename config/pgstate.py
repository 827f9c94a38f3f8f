"""What the embedded server's home folder keeps, and whether that folder was moved or copied.

The home holds state.json, password, lock: the caller's, 0600. The place holds data and server.log,
which the server's account must reach: the home itself, or, for root under a private folder
such as /root, a folder elsewhere that is keyed by a hash of the home's path.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import logging
import os
import secrets
import shutil
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from config.pgbinaries import EmbeddedError, can_enter, server_account

if TYPE_CHECKING:
    from collections.abc import Iterator

USER = "tidebook"
DATABASE = "tidebook"
ADDRESS = "127.0.0.1"
ROOTS_OWN = Path("/var/lib/tidebook")  # only root writes there: nobody can plant a link in it

logger = logging.getLogger("tidebook.embedded")


class HomeUnusableError(EmbeddedError):
    """The home folder cannot be used by this caller, or something else lies in it."""

    code = "home_unusable"


class PasswordLostError(EmbeddedError):
    """A data folder without the password that opens it."""

    code = "password_lost"


@dataclass(frozen=True, slots=True)
class Cluster:
    """One home, where its data lies, and the port last used."""

    home: Path
    place: Path
    port: int = 0
    id: str = field(default_factory=lambda: secrets.token_hex(8))  # a copied state shows by it

    @property
    def data(self) -> Path:
        """PostgreSQL's data folder."""
        return self.place / "data"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.place / "server.log"

    @property
    def version(self) -> int | None:
        """The major version of the data, None before there are any."""
        try:
            return int((self.data / "PG_VERSION").read_text(encoding="ascii").split(".")[0])
        except FileNotFoundError:
            return None

    def pid_file(self) -> list[str]:
        """Return the lines of postmaster.pid (pid, folder, time, port, …), [] without one."""
        try:
            return (self.data / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []

    def password(self) -> str:
        """Return the server's password. Raises PasswordLostError."""
        try:
            return (self.home / "password").read_text(encoding="ascii")
        except FileNotFoundError:
            msg = (
                f"{self.home / 'password'} is gone, and the database in {self.data} opens with it "
                "alone: put it back, or move the data folder away to begin an empty database."
            )
            raise PasswordLostError(msg) from None

    def url(self, database: str = DATABASE) -> str:
        """Return the address of one of the server's databases, password included."""
        password = quote(self.password(), safe="")
        return f"postgresql://{USER}:{password}@{ADDRESS}:{self.port}/{database}"

    def log_tail(self, lines: int = 20) -> str:
        """Return the end of server.log."""
        try:
            text = self.log.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return "(server.log cannot be read)"
        return "\n".join(text.splitlines()[-lines:])


def default_home() -> Path:
    """Return `$TIDEBOOK_HOME`, else `.tidebook` in the project's root."""
    chosen = os.environ.get("TIDEBOOK_HOME")
    return (Path(chosen) if chosen else Path(__file__).parents[1] / ".tidebook").resolve()


def load(home: Path) -> Cluster | None:
    """Return the cluster of this home; None when it has none, or a copy of another's."""
    state = _read(home)
    if state is None or _is_copy(home, state):
        return None
    inside = state["home"] == state["place"]
    return Cluster(home, home if inside else Path(state["place"]), state["port"], state["id"])


def save(cluster: Cluster, **changes: Any) -> Cluster:
    """Write the state, with these changes, and return it."""
    cluster = replace(cluster, **changes)
    state = {
        "id": cluster.id,
        "home": str(cluster.home),
        "place": str(cluster.place),
        "port": cluster.port,
    }
    write_private(cluster.home / "state.json", json.dumps(state, indent=1))
    if cluster.place != cluster.home:
        write_private(cluster.place / "home", str(cluster.home))
    return cluster


def was_moved(home: Path) -> bool:
    """Whether the home has another path than when its state was written."""
    state = _read(home)
    return state is not None and state["home"] != str(home)


def create(home: Path) -> Cluster:
    """Settle where the data of a home without a state of its own lie, and write its state.

    Call it under `locked`. Nothing is deleted: what cannot be used is put aside, and said.
    """
    inside = Cluster(home, home)
    copied = _read(home) is not None
    if inside.version is not None:
        # Of a server that was stopped, a copy is sound. Files copied under a running one do
        # not fit together, and the pid file among them names the first server.
        if copied and inside.pid_file():
            _put_aside(inside.data)
            (home / "password").unlink(missing_ok=True)
        return save(inside)
    (home / "password").unlink(missing_ok=True)
    if can_enter(server_account(inside.data), home):
        return save(inside)
    return save(Cluster(home, _keyed_place(home)))


def _keyed_place(home: Path) -> Path:
    ROOTS_OWN.mkdir(mode=0o711, parents=True, exist_ok=True)
    if ROOTS_OWN.is_symlink() or ROOTS_OWN.stat().st_uid != 0:
        msg = f"{ROOTS_OWN} does not belong to root: remove it, or set TIDEBOOK_HOME."
        raise HomeUnusableError(msg)
    place = Path(tempfile.mkdtemp(prefix=f"{_key(home)}-", dir=ROOTS_OWN))
    for folder in (ROOTS_OWN, place):
        folder.chmod(0o711)  # both are ours; the umask may have closed them
    return place


def _key(home: Path) -> str:
    return hashlib.sha256(os.fsencode(home)).hexdigest()[:16]


def orphans(home: Path) -> list[Cluster]:
    """Return clusters that an earlier folder of the same path left in keyed places, root's only."""
    if os.geteuid() != 0:
        return []
    found = []
    for place in ROOTS_OWN.glob(f"{_key(home)}-*"):
        owner = _read(Path((place / "home").read_text(encoding="utf-8")))
        if owner is None or owner["place"] != str(place):
            found.append(Cluster(home, place))
    return found


def _put_aside(data: Path) -> None:
    aside = data.with_name(f"{data.name}.aside-{time.strftime('%Y%m%d-%H%M%S')}")
    data.rename(aside)
    logger.warning(
        "This folder was copied while its database was running, so the copied database may be "
        "torn: it is kept as %s, and a new, empty one takes its place.",
        aside,
    )


def _is_copy(home: Path, state: dict[str, Any]) -> bool:
    """Whether the state was written for another home, which still has it (so: not moved)."""
    original = Path(state["home"])
    if original == home:
        return False
    try:
        there = _read(original)
    except HomeUnusableError:
        return True
    return there is not None and there["id"] == state["id"]


def _read(home: Path) -> dict[str, Any] | None:
    try:
        state = json.loads((home / "state.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except PermissionError as error:
        raise _closed(home) from error
    if not isinstance(state, dict) or not {"id", "home", "place", "port"} <= state.keys():
        return None
    return state


def _closed(home: Path) -> HomeUnusableError:
    return HomeUnusableError(
        f"{home} belongs to another account: run this as that account, "
        "or set TIDEBOOK_HOME to a folder of your own (or DATABASE_URL)."
    )


def write_private(path: Path, text: str) -> None:
    """Write a file that its owner alone can read, whole or not at all."""
    handle, draft = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    if os.geteuid() == 0:  # a normal user's home stays his when root uses it
        folder = path.parent.stat()
        os.chown(draft, folder.st_uid, folder.st_gid)
    Path(draft).replace(path)


def new_password(home: Path) -> str:
    """Return the home's password, made at random when there is none."""
    path = home / "password"
    if not path.exists():
        write_private(path, secrets.token_urlsafe(24))
    return path.read_text(encoding="ascii")


@contextmanager
def locked(home: Path) -> Iterator[None]:
    """Make the home and hold its lock: one process at a time starts or stops the server."""
    _make(home)
    try:
        file = (home / "lock").open("a")
    except PermissionError as error:
        raise _closed(home) from error
    except NotADirectoryError as error:
        msg = f"{home} is not a folder: move it away, or set TIDEBOOK_HOME."
        raise HomeUnusableError(msg) from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make(home: Path) -> None:
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        home.mkdir()
    except FileExistsError:
        return
    except PermissionError as error:
        raise _closed(home) from error
    # Root's server runs as another account, which has to pass through.
    home.chmod(0o711 if os.geteuid() == 0 else 0o700)


def remove_unfinished(place: Path) -> None:
    """Remove what a killed `initdb` or copy left in the place."""
    for path in place.glob("*.new-*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()
