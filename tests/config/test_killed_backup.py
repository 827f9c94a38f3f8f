"""A killed backup: nothing goes on without it, and its draft goes with the next (SPEC U3)."""

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from tests.config.test_backups import run
from tests.desk import Desk, make_desk
from tests.faults.gates import IS_THERE, ask, connect
from tests.live import ROOT, database_url

DUMPING = """
SELECT a.pid FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid
WHERE a.query LIKE 'LOCK TABLE public.%%' AND NOT l.granted AND a.datname = current_database()
LIMIT 1
"""

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def desk(transactional_db: None, now: datetime) -> Desk:  # noqa: ARG001 - opens the database first
    return make_desk("ours", now=now)


def until[Found](look: Callable[[], Found | None]) -> Found:
    while not (found := look()):
        pass
    return found


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("desk")
def test_what_a_killed_backup_started_ends_and_what_it_left_goes_with_the_next(
    tmp_path: Path,
) -> None:
    file = tmp_path / "all.backup"
    words = [sys.executable, str(ROOT / "manage.py"), "backup", str(file)]
    variables = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
        "DATABASE_URL": database_url(),
    }
    with closing(connect()) as holder:
        holder.execute("LOCK TABLE memory_record IN ACCESS EXCLUSIVE MODE")
        with subprocess.Popen(words, env=variables, stderr=subprocess.DEVNULL) as process:
            dumping = until(lambda: ask(DUMPING, []))
            process.send_signal(signal.SIGKILL)
        # The lock is held yet: nothing but the end of its client ends it.
        until(lambda: not ask(IS_THERE, [dumping]))
    (left,) = tmp_path.iterdir()
    assert left.suffix == ".draft"
    others = tmp_path / "all.backup.abcdefgh.draft"
    with others.open("wb") as busy:
        # As of a backup that is being written.
        fcntl.flock(busy, fcntl.LOCK_EX)
        run("backup", file)
    assert sorted(tmp_path.iterdir()) == [file, others]
