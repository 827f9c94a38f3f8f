"""What `make setup` does, from any state: the environment in .venv, the database, the migrations.

Only the standard library, and no syntax newer than Python 3.8: this runs by whatever `python3` is,
before anything is installed. Each step is skipped when its result is there already.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "config" / "requirements"
VENV = ROOT / ".venv"
TOOLS = ROOT / ".tools"
OLDEST = (3, 12)
BEGAN = time.monotonic()

NO_PYTHON = (
    "No Python 3.12 or newer was found and none could be fetched. Ways out: install one (by apt, "
    "dnf or brew, say python3.13; or `pyenv install 3.13`) and run this again, or name one: "
    "make setup PYTHON=/path/to/python3.13"
)
NO_UV = (
    "uv could not be installed. Ways out: let this Python make environments (on Debian and Ubuntu: "
    "apt install python3-venv), check that the package index can be reached, or put uv on the PATH."
)
# Before Django reads the settings: a wrong URL should be one line, not a traceback.
CHECK_URL = """
import sys
from config import embedded
from config.settings.environment import load
url = load().database_url.get_secret_value()
try:
    url and embedded.check_url(url)
except embedded.EmbeddedError as error:
    sys.exit(f"setup: {error}")
"""
DESCRIBE = """
import ctypes, ssl, sys
base = getattr(sys, "_base_executable", None) or sys.executable
print(sys.version_info[0], sys.version_info[1], sys.implementation.name, base)
"""


class SetupError(Exception):
    """The set-up cannot go on; the text is for the person who began it."""


def main(arguments: list[str]) -> int:
    """Run one of the actions; a failure is told in one line."""
    actions = {"setup": setup, "environment": make_environment, "lock": lock}
    if len(arguments) != 1 or arguments[0] not in actions:
        print("usage: bootstrap.py " + "|".join(actions), file=sys.stderr)
        return 2
    os.chdir(ROOT)
    try:
        # Two runs at once would write one environment together.
        with Path(__file__).open() as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            actions[arguments[0]]()
    except SetupError as error:
        print(f"setup: {error}", file=sys.stderr)
        return 1
    return 0


def setup() -> None:
    """Make the environment, start the database (unless DATABASE_URL is set), migrate."""
    make_environment()
    if os.environ.get("DATABASE_URL") or (ROOT / ".env").exists():
        _call([_venv_python(), "-c", CHECK_URL], "DATABASE_URL cannot be used")
    _call([_venv_python(), "manage.py", "db", "start"], "the database did not start")
    _call([_venv_python(), "manage.py", "migrate", "--verbosity", "0"], "the migration failed")
    _say("the database is migrated")


def make_environment() -> None:
    """Make .venv what dev.txt says; done already when the stamp names the same file and Python."""
    wanted = REQUIREMENTS / "dev.txt"
    stamp = VENV / ".tidebook-stamp"
    version = describe(_venv_python())
    if version and stamp.exists() and stamp.read_text() == _mark(wanted, version[1]):
        return
    uv = _uv()
    if version is None or version[0] < OLDEST:
        _make_venv(uv)
    _say("installing the packages of config/requirements/dev.txt")
    with contextlib.suppress(FileNotFoundError):
        stamp.unlink()  # a run that is killed half-way is not taken for done
    options = ["--quiet", "--require-hashes", "--python", _venv_python()]
    if os.environ.get("PYTHONDONTWRITEBYTECODE"):
        options.append("--compile-bytecode")  # or each process would compile all it imports
    _call([uv, "pip", "sync", *options, wanted], "the packages could not be installed")
    version = describe(_venv_python())
    if version is None:
        raise SetupError("the new environment does not run: remove .venv and try again")
    stamp.write_text(_mark(wanted, version[1]))


def lock() -> None:
    """Write the requirement files anew from pyproject.toml, without host names."""
    uv = _uv()
    options = ["--universal", "--generate-hashes", "--no-annotate", "--quiet", "--upgrade"]
    options += ["--python-version", "3.12", "--custom-compile-command", "make lock"]
    folder = REQUIREMENTS.relative_to(ROOT)
    base = folder / "base.txt"
    everything = ["--extra", "embedded", "--group", "dev", "-c", base]
    for source, name, more in (
        (folder / "tools.in", "tools.txt", []),
        ("pyproject.toml", "base.txt", []),
        ("pyproject.toml", "dev.txt", everything),
    ):
        _say(f"locking {name}")
        command = [uv, "pip", "compile", *options, source, *more, "-o", folder / name]
        _call(command, f"{name} could not be made", silent=True)
        if "://" in (folder / name).read_text():
            raise SetupError(f"{name} names a host: nothing of an index's address may be in it")


def _make_venv(uv: str) -> None:
    wanted = (ROOT / ".python-version").read_text().split()[0]
    python = find_python(wanted)
    _say(f"making .venv with {python or 'a Python that uv fetches'}")
    shutil.rmtree(VENV, ignore_errors=True)
    # Relocatable: the scripts of a folder that is moved or copied run their own Python.
    command = [uv, "venv", "--quiet", "--no-project", "--relocatable", "--python"]
    if python:
        _call([*command, python, VENV], "the environment could not be made")
    elif not _runs([*command, wanted, VENV]):
        raise SetupError(NO_PYTHON)


def find_python(wanted: str) -> str | None:
    """Return the first Python that is new enough: the wanted, 3.13, 3.12, pyenv's, any other."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    installed = sorted(pyenv.glob("3.*/bin/python3"), key=_newest_first)
    first = [path for path in installed if path.parts[-3].startswith(wanted)]
    names = [f"python{wanted}", *first, "python3.13", "python3.12", *installed]
    for name in [*names, "python3.14", sys.executable, "python3"]:
        found = describe(str(name))
        if found and found[0] >= OLDEST:
            return found[1]
    return None


def _newest_first(path: Path) -> list[int]:
    numbers = path.parts[-3].split(".")
    return [-int(number) if number.isdigit() else 0 for number in numbers]


def describe(python: str) -> tuple[tuple[int, int], str] | None:
    """Return version and real path of a CPython that runs and has ssl; None for all else.

    A pyenv shim is there for every version and fails for those not chosen.
    """
    try:
        done = subprocess.run(
            [python, "-c", DESCRIBE],
            env=_environment(),
            check=False,
            timeout=60,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = os.fsdecode(done.stdout).strip().split(" ", 3)
    if done.returncode != 0 or len(words) != 4 or words[2] != "cpython":  # noqa: PLR2004
        return None
    return (int(words[0]), int(words[1])), words[3]


def _uv() -> str:
    """Return a uv: the pinned one in .tools, made when it is missing, else one on the PATH."""
    wanted = REQUIREMENTS / "tools.txt"
    stamp = TOOLS / ".tidebook-stamp"
    for folder in (TOOLS / "bin", TOOLS / "lib" / "bin"):
        uv = folder / "uv"
        if stamp.exists() and stamp.read_text() == _mark(wanted, "") and _runs([uv, "--version"]):
            return str(uv)
    _say("installing uv into .tools")
    for attempt in (_uv_in_venv, _uv_beside_pip):
        shutil.rmtree(TOOLS, ignore_errors=True)
        uv = attempt(wanted)
        if _runs([uv, "--version"]):
            stamp.write_text(_mark(wanted, ""))
            return str(uv)
    on_path = shutil.which("uv")
    if on_path is None:
        raise SetupError(NO_UV)
    _say(f"using {on_path}")
    return on_path


def _uv_in_venv(wanted: Path) -> Path:
    # Debian's python3 may lack ensurepip; another Python of this machine may have it.
    others = (find_python((ROOT / ".python-version").read_text().split()[0]),)
    for python in (sys.executable, *filter(None, others)):
        if _runs([python, "-m", "venv", "--clear", TOOLS]):
            _install([str(TOOLS / "bin" / "python")], wanted)
            break
    return TOOLS / "bin" / "uv"


def _uv_beside_pip(wanted: Path) -> Path:
    """Without venv, a pip of the system can fill a folder of ours."""
    _install([sys.executable], wanted, "--target", str(TOOLS / "lib"))
    return TOOLS / "lib" / "bin" / "uv"


def _install(python: list[str], wanted: Path, *more: str) -> None:
    options = ["--quiet", "--disable-pip-version-check", "--no-input", "--only-binary", ":all:"]
    _runs([*python, "-m", "pip", "install", *options, "--require-hashes", "-r", wanted, *more])


def _venv_python() -> str:
    return str(VENV / "bin" / "python")


def _mark(requirements: Path, python: str) -> str:
    return f"{hashlib.sha256(requirements.read_bytes()).hexdigest()} {python}\n"


def _environment() -> dict[str, str]:
    """Return the caller's environment without what would send Python or uv elsewhere."""
    misleading = ("VIRTUAL_ENV", "PYTHONHOME", "PYTHONPATH", "UV_PYTHON", "UV_SYSTEM_PYTHON")
    environment = {key: value for key, value in os.environ.items() if key not in misleading}
    mirror = environment.get("PIP_INDEX_URL")
    if mirror and "UV_INDEX_URL" not in environment:
        environment.setdefault("UV_DEFAULT_INDEX", mirror)
    if not os.access(str(Path.home()), os.W_OK):
        environment.setdefault("UV_CACHE_DIR", str(TOOLS / "cache"))
    return environment


def _words(command: Sequence[object]) -> list[str]:
    return [str(word) for word in command]


def _runs(command: Sequence[object]) -> bool:
    try:
        done = subprocess.run(
            _words(command),
            env=_environment(),
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return False
    return done.returncode == 0


def _call(command: Sequence[object], failure: str, *, silent: bool = False) -> None:
    """Run a step whose own words go to the terminal. Raises SetupError."""
    output = subprocess.DEVNULL if silent else None
    done = subprocess.run(_words(command), env=_environment(), check=False, stdout=output)
    if done.returncode != 0:
        raise SetupError(f"{failure} (see above)")


def _say(text: str) -> None:
    print(f"setup: {text} [{time.monotonic() - BEGAN:.0f} s]", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
