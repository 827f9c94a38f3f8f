"""What `manage.py` itself does with its arguments, before any command has them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.spec("U3", "X6")
@pytest.mark.parametrize(
    ("words", "position"),
    [
        ((b"revoke_token", b"\xff"), 2),
        ((b"issue_token", b"--agent", b"\xc3\xa4", b"--producer=\xe4"), 4),
        ((b"setup_agent", b"\xed\xb2\x80", b"--user", b"ann"), 2),
        ((b"sync_candles", b"--file", b"\xfe.csv"), 3),
        ((b"\xff",), 1),
    ],
)
@pytest.mark.parametrize("locale", ["C.UTF-8", "C", "POSIX"])
def test_an_argument_that_is_no_text_is_refused_by_its_position(
    words: tuple[bytes, ...], position: int, locale: str
) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env={**os.environ, "LC_ALL": locale},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"manage.py: argument {position} is not UTF-8\n"


@pytest.mark.spec("U3")
def test_an_argument_in_any_script_is_taken() -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "sync_candles", "--file", "Ünï-日本.csv"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "--timeframe is needed" in done.stderr


@pytest.mark.spec("U3")
def test_a_reader_that_leaves_early_ends_a_command_without_a_word() -> None:
    command = subprocess.Popen(
        [sys.executable, "manage.py", "env_example"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert command.stdout is not None
    assert command.stderr is not None
    command.stdout.close()  # before it writes anything: Python takes longer to start
    assert command.stderr.read() == ""
    assert command.wait(timeout=60) == 1
    command.stderr.close()


@pytest.mark.spec("U3")
@pytest.mark.parametrize(
    "words",
    [
        ("purge_memories", "--help"),
        ("setup_agent", "-h"),
        ("setup_agent", "--he"),
        ("bench", "noise", "--help"),
    ],
)
def test_how_a_command_is_called_is_told_without_a_database(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    ours = {"DATABASE_URL", "DJANGO_SETTINGS_MODULE"}  # the tests' settings start a database
    environment = {key: value for key, value in os.environ.items() if key not in ours}
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env={**environment, "TIDEBOOK_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: manage.py {words[0]}")
    assert not (home / "state.json").exists()  # where a server that was started is told of
