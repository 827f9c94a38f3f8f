"""A session in a database of its own: `python -m tests.faults.alone begin|status|report`.

What Django knows of its database it knows for the whole process, so each is done by one of its own,
which prints what it found as a line of JSON.
"""

# ruff: noqa: PLC0415 - models are there after the set-up alone

import json
import os
import subprocess
import sys
from dataclasses import asdict
from typing import Any

import django
import psycopg

from tests.live import ROOT

SETTINGS = "config.settings.test"
ITERATIONS = 2


def run(url: str, *words: str) -> dict[str, Any]:
    """Do one of these things with the database at `url`, in a process of its own."""
    found = subprocess.run(
        [sys.executable, "-m", __name__, *words],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": SETTINGS},
        check=True,
        stdout=subprocess.PIPE,
    )
    answer: dict[str, Any] = json.loads(found.stdout.splitlines()[-1])
    return answer


def step_number(url: str) -> int:
    """Return how far the session is."""
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT max(step_number) FROM autopilot_session").fetchone()
    return int(row[0]) if row else 0


def _begin() -> dict[str, Any]:
    from django.core.management import call_command

    from tests.faults.sessions import prepare, undisturbed

    call_command("migrate", verbosity=0)
    desk, session = prepare(iterations=ITERATIONS)
    return {
        "session": str(session.id),
        "path": desk.path("memories/"),
        "token": desk.tokens["analysis"],
        "expected": asdict(undisturbed(session)),
    }


def _status(session_id: str) -> dict[str, Any]:
    from autopilot.models import Session

    return {"status": Session.objects.get(id=session_id).status}


def _report(session_id: str) -> dict[str, Any]:
    from autopilot.models import Session
    from tests.faults.sessions import outcome_of

    return asdict(outcome_of(Session.objects.get(id=session_id)))


def main() -> None:
    """Do what is asked for."""
    django.setup()
    commands: dict[str, Any] = {"begin": _begin, "status": _status, "report": _report}
    sys.stdout.write(json.dumps(commands[sys.argv[1]](*sys.argv[2:])) + "\n")


if __name__ == "__main__":
    main()
