"""What the system knows of processes: their command lines, states and groups."""

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from signal import Signals

STOPPED = "T"
PROC = Path("/proc")
GONE = (FileNotFoundError, ProcessLookupError, NotADirectoryError)


def command_of(pid: int) -> str:
    """Return a process's command line, '' when there is none or it has ended."""
    try:
        return (PROC / str(pid) / "cmdline").read_text(encoding="utf-8").replace("\0", " ")
    except GONE:
        if (PROC / "self").exists():
            return ""
    return _ps(pid, "command=")


def state_of(pid: int) -> str | None:
    """Return the letter of a process's state (`STOPPED`, …), None when it is dead.

    One that has ended and was not waited for yet is dead.
    """
    state = _ps(pid, "stat=") if not (PROC / "self").exists() else _stat(pid)[0]
    letter = state[:1].upper()
    return None if letter in {"", "Z", "X"} else letter


def group_is_alive(group: int) -> bool:
    """Tell whether a process of that group lives."""
    if (PROC / "self").exists():
        return any(
            found == str(group) and state not in {"Z", "X"} for state, found in map(_stat, _pids())
        )
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def place() -> str:
    """Return within what a process id is one process: this boot, and this container."""
    try:
        boot = (PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        space = (PROC / "self/ns/pid").stat().st_ino
    except OSError:
        return socket.gethostname()
    return f"{boot}:{space}"


def signal_group(group: int, number: Signals) -> None:
    """Send a signal to all processes of a group, if there are any."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _pids() -> Iterator[int]:
    return (int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit())


def _stat(pid: int) -> tuple[str, str]:
    """Return state and group as /proc tells them; ('', '') for no process."""
    try:
        text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except GONE:
        return "", ""
    # The name before them, in parentheses, may hold anything.
    state, _parent, group = text.rpartition(")")[2].split()[:3]
    return state, group


def _ps(pid: int, column: str) -> str:
    found = subprocess.run(  # noqa: S603 - systems without /proc
        ["/bin/ps", "-p", str(pid), "-o", column], capture_output=True, text=True, check=False
    )
    return found.stdout.strip()
