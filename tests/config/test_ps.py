"""What is believed of processes: the dead are told from the stopped and the living."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from config import ps

BLOCKED = [sys.executable, "-c", "import sys; print('here', flush=True); sys.stdin.read()"]


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    """Return a process in a group of its own that waits for its input to end."""
    with subprocess.Popen(
        BLOCKED, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_living_process_a_stopped_one_and_one_that_was_not_waited_for(
    child: subprocess.Popen[bytes],
) -> None:
    assert ps.state_of(child.pid) not in {None, ps.STOPPED}
    assert ps.group_is_alive(child.pid)
    assert "sys.stdin.read()" in ps.command_of(child.pid)
    os.kill(child.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WNOWAIT)
    assert ps.state_of(child.pid) == ps.STOPPED
    assert ps.group_is_alive(child.pid)
    ps.signal_group(child.pid, signal.SIGKILL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    # A zombie.
    assert ps.state_of(child.pid) is None
    assert not ps.group_is_alive(child.pid)
    child.wait()
    assert ps.state_of(child.pid) is None
    assert not ps.group_is_alive(child.pid)
    ps.signal_group(child.pid, signal.SIGKILL)


def test_a_place_is_the_same_for_all_processes_of_this_machine() -> None:
    code = "from config import ps; print(ps.place())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == ps.place()
