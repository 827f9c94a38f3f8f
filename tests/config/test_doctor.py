"""`doctor`: each thing that can be wrong is named with its way out, and nothing is touched."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django_q.models import Schedule

from config import doctor, schedules
from memory.ids import new_id
from memory.models import Cluster, JobRun
from tests.autopilot.built_in import built_in
from tests.autopilot.session.bench import store_bars
from tests.desk import make_desk

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def working(db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # noqa: ARG001 - opens the database first
    """Let a worker be at work, and no file of this checkout lie open."""
    now = datetime.now(UTC)
    Cluster.objects.create(host="here", supervisor=1, started_at=now, seen_at=now, progress_at=now)
    schedules.sync(now=now)
    monkeypatch.setattr(doctor, "ROOT", tmp_path)


def told(*, ok: bool) -> list[dict[str, str]]:
    """Run the command, whose exit must fit, and return its findings."""
    out = StringIO()
    status = 0
    try:
        call_command("doctor", "--json", stdout=out)
    except CommandError as error:
        status = error.returncode
    report = json.loads(out.getvalue())
    assert (report["ok"], status) == (ok, 0 if ok else 1)
    checks: list[dict[str, str]] = report["checks"]
    for one in checks:
        assert (one["status"] == "wrong") == bool(one["way_out"])
    return checks


def wrong() -> list[tuple[str, str]]:
    return [(one["name"], one["said"]) for one in told(ok=False) if one["status"] == "wrong"]


@pytest.mark.spec("U3", "U6")
@pytest.mark.usefixtures("working")
def test_a_sound_installation_is_told_thing_by_thing() -> None:
    found = told(ok=True)
    assert [one["name"] for one in found] == [
        *("configuration", "embedded", "database", "migrations", "queue", "schedules"),
        *("candles", "clock", "disk", "disk", "model"),
    ]
    by_name = {one["name"]: one for one in found}
    assert by_name["model"]["status"] == "note"
    assert "offline" in by_name["model"]["said"]
    assert by_name["database"]["said"].startswith("PostgreSQL ")
    out = StringIO()
    call_command("doctor", stdout=out)
    lines = out.getvalue().splitlines()
    assert [line.split()[1] for line in lines] == [one["name"] for one in found]
    assert lines[3] == "ok     migrations     all are applied"


@pytest.mark.spec("U3", "X3")
@pytest.mark.usefixtures("working")
@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("DEBUG", True, "DEBUG"),
        ("ALLOWED_HOSTS", ["*"], "ALLOWED_HOSTS=*"),
        ("SECRET_KEY", "short", "SECRET_KEY"),
        ("MCP_AUTH", False, "MCP_AUTH=false"),
    ],
)
def test_an_insecure_setting_is_named(settings: Any, name: str, value: Any, says: str) -> None:
    setattr(settings, name, value)
    ((check, said),) = wrong()
    assert check == "configuration"
    assert said.startswith(says)
    assert "short" not in said


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("working")
def test_settings_that_contradict_each_other_are_told(settings: Any) -> None:
    settings.Q_CLUSTER = {**settings.Q_CLUSTER, "retry": 10}
    names = wrong()
    assert ("configuration", "tidebook.E001") in [(a, b.partition(":")[0]) for a, b in names]


@pytest.mark.spec("U3", "X3")
@pytest.mark.usefixtures("working")
def test_a_file_of_secrets_that_others_can_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("SECRET_KEY=x", encoding="utf-8")
    path.chmod(0o640)
    assert wrong() == [("configuration", f"{path} can be read by others on this machine")]
    path.chmod(0o600)
    told(ok=True)


@pytest.mark.spec("U3", "J4")
@pytest.mark.usefixtures("working")
def test_a_queue_without_progress_is_wrong_and_failed_jobs_are_worth_knowing() -> None:
    now = datetime.now(UTC)
    JobRun.objects.create(
        name="some",
        intended_at=now,
        status="failed",
        task=new_id(),
        started_at=now,
        lease_until=now + timedelta(seconds=1),
        finished_at=now,
        error="broken",
    )
    (queue,) = [one for one in told(ok=True) if one["name"] == "queue"]
    assert (queue["status"], queue["said"]) == (
        "note",
        "works; 1 jobs failed and 0 were lost in a day: see manage.py queue status",
    )
    JobRun.objects.all().delete()
    Cluster.objects.update(progress_at=now - timedelta(hours=1), seen_at=now - timedelta(hours=1))
    ((name, said),) = wrong()
    assert name == "queue"
    assert said.startswith("no progress for 36")
    Cluster.objects.all().delete()
    assert wrong() == [("queue", "no worker has done anything yet; 0 due, 0 held, 0 later")]


@pytest.mark.spec("U3", "J3")
@pytest.mark.usefixtures("working")
def test_jobs_that_are_declared_and_not_stored_are_wrong() -> None:
    Schedule.objects.filter(name="janitor").delete()
    assert wrong() == [("schedules", "never due, since they are not stored: janitor")]


@pytest.mark.spec("U3", "A12")
@pytest.mark.usefixtures("working")
def test_a_built_in_analyst_without_current_candles_is_wrong_and_the_way_out_is_said() -> None:
    now = datetime.now(UTC)
    desk = make_desk("ours", now=now)
    built_in(desk, now=now, timeframe="1h")
    store_bars(now=now, instrument="BTC", timeframe="1h", count=5)
    (candles,) = [one for one in told(ok=False) if one["status"] == "wrong"]
    assert candles["name"] == "candles"
    assert candles["said"] == "the built-in analyst has no current bars of ETH 1h"
    assert "sync_candles --instrument ETH --timeframe 1h" in candles["way_out"]
    store_bars(now=now, instrument="ETH", timeframe="1h", count=5)
    told(ok=True)


@pytest.mark.spec("U3", "U7")
@pytest.mark.usefixtures("working")
def test_a_database_that_is_behind_is_wrong() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM django_migrations WHERE id ="
            " (SELECT max(id) FROM django_migrations WHERE app = 'memory')"
        )
    names = wrong()
    assert [name for name, _ in names] == ["migrations"]
    assert names[0][1].endswith("not applied")


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("working", "now")
def test_clocks_that_are_apart_are_wrong() -> None:
    found = dict(wrong())
    assert found["clock"].startswith("the database's clock and this machine's are ")


@pytest.mark.spec("U3")
@pytest.mark.usefixtures("working")
def test_a_full_disk_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "LEAST_FREE_BYTES", 1 << 60)
    assert [name for name, _ in wrong()] == ["disk", "disk"]


def run(**environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a person does, in an environment of its own."""
    kept = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    return subprocess.run(
        [sys.executable, "manage.py", "doctor"],
        cwd=ROOT,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.spec("U3", "X3")
def test_a_database_that_does_not_answer_is_told_and_the_rest_is_looked_at(tmp_path: Path) -> None:
    url = "postgresql://ann:hidden-word@127.0.0.1:1/tidebook"
    done = run(DATABASE_URL=url, TIDEBOOK_HOME=str(tmp_path))
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    (database,) = [line for line in lines if line.split()[1] == "database"]
    assert database.startswith("wrong  database       127.0.0.1:1, database tidebook: ")
    assert database.endswith(" → start it, or put DATABASE_URL right")
    assert sum("not looked at, since the database does not answer" in line for line in lines) == 5
    assert any(line.startswith("ok     embedded") for line in lines)
    assert any(line.startswith("ok     disk") for line in lines)
    assert "hidden-word" not in done.stdout + done.stderr


@pytest.mark.spec("U3", "U1")
def test_looking_starts_no_server(tmp_path: Path) -> None:
    done = run(DATABASE_URL="", TIDEBOOK_HOME=str(tmp_path / "home"))
    assert done.returncode == 1
    assert "no PostgreSQL runs for " in done.stdout
    assert "manage.py db start" in done.stdout
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["secret-key"]
