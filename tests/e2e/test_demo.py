"""The demo as a person runs it: real processes over a database of its own (SPEC U1, U5)."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from django.db import connection
from psycopg import sql

from config import processes
from config.demo import turn
from tests.live import ROOT, database_url

KINDS = (processes.WEB, processes.WORKER, processes.BRIDGE)
NAME = f"tidebook_demo_{os.getpid()}"


class Person:
    """Somebody at a terminal, with a home and a database of their own."""

    def __init__(self, home: Path, url: str) -> None:
        self.home = home
        self.latest: dict[str, Any] = {}
        self.environment = {
            **os.environ,
            "TIDEBOOK_HOME": str(home),
            "DATABASE_URL": url,
            "DJANGO_SETTINGS_MODULE": "config.settings.development",
            "HYPERLIQUID_URL": "http://127.0.0.1:9",
        }

    def run(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run `manage.py` with these words."""
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=check
        )

    def demo(self, *words: str) -> dict[str, Any]:
        """Run the demo; return its figures."""
        self.latest = json.loads(self.run("demo", "--json", *words).stdout)
        return self.latest


@pytest.fixture(scope="module")
def person(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Person]:
    """Return a person with an empty database, told so; what they left running is ended after."""
    del django_db_setup
    with django_db_blocker.unblock():
        server = database_url().rpartition("/")[0]
        own = connection.settings_dict["NAME"]
    name = sql.Identifier(NAME)
    with psycopg.connect(f"{server}/{own}", autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(name))
        somebody = Person(tmp_path_factory.mktemp("home"), f"{server}/{NAME}")
        try:
            refused = somebody.run("issue_token", "--agent", "a", "--producer", "b", check=False)
            assert "not migrated" in refused.stderr
            assert "Traceback" not in refused.stderr
            yield somebody
        finally:
            somebody.run("demo", "--stop")
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


@pytest.fixture(scope="module")
def told(person: Person) -> dict[str, Any]:
    """Return the figures of one demo, and what its web process showed while it ran.

    Tests come in any order, and one of them ends that process.
    """
    return {**person.demo(), "seen": look(person.latest["web"])}


def look(web: dict[str, Any]) -> dict[str, Any]:
    """Log in to a web process, and read its list of records."""
    with httpx.Client(base_url=web["url"], follow_redirects=True, timeout=60) as browser:
        ready = browser.get("/health/ready")
        page = browser.get("/admin/login/")
        form = {
            "username": web["user"],
            "password": web["password"],
            "csrfmiddlewaretoken": page.cookies["csrftoken"],
            "next": "/admin/memory/record/",
        }
        listed = browser.post("/admin/login/", data=form, headers={"Referer": web["url"]})
    return {"ready": ready.status_code, "status": listed.status_code, "text": listed.text}


@pytest.mark.spec("U1", "U5")
def test_without_a_network_it_uses_the_shipped_real_bars_and_says_so(told: dict[str, Any]) -> None:
    assert told["candles"]["source"].startswith("US equities 2000-2013")
    assert "does not answer" in told["candles"]["why"]
    assert told["candles"]["bars"] == {"xyz:AAPL": 3270, "xyz:MSFT": 3270}
    for record in told["records"]:
        assert "bars to 2013-03-02" in record["content"]
        assert "Offline analyst, no model." in record["content"]


@pytest.mark.spec("H3", "U1", "F2", "C2")
def test_two_producers_publish_handoffs_and_a_late_one_is_born_stale(told: dict[str, Any]) -> None:
    assert {one["producer"]["name"] for one in told["records"]} == {"trend-1d", "reversion-4h"}
    assert all(one["metadata"]["handoff_version"] == 1 for one in told["records"])
    assert told["late_record"]["status"] == "stale"
    assert told["statuses"] == {"xyz:AAPL": ["fresh", "fresh"], "xyz:MSFT": ["fresh", "stale"]}
    fresh, stale = told["contexts"]["xyz:MSFT"]["evidence"]
    assert fresh["content"]
    assert "content" not in stale


@pytest.mark.spec("J3", "J1", "U1")
def test_its_worker_has_all_the_jobs_that_the_code_declares(
    person: Person, told: dict[str, Any]
) -> None:
    del told
    status = json.loads(person.run("queue", "status", "--json").stdout)
    assert status["jobs_not_stored"] == []
    assert {"analysis_dispatcher", "run_timeouts", "janitor"} <= {
        job["name"] for job in status["jobs"]
    }


@pytest.mark.spec("R7", "X1")
def test_a_foreign_and_an_unknown_link_are_refused_alike(told: dict[str, Any]) -> None:
    foreign, unknown = told["refusals"]["foreign"], told["refusals"]["unknown"]
    assert foreign == unknown
    assert (foreign["status"], foreign["code"]) == (422, "invalid_memory_link")


@pytest.mark.spec("U1", "X7")
def test_it_leaves_the_web_running_with_a_login_that_works(told: dict[str, Any]) -> None:
    seen = told["seen"]
    assert (seen["ready"], seen["status"]) == (200, 200)
    assert "trend_setup" in seen["text"]


@pytest.mark.spec("U1", "X7")
def test_a_second_demo_replaces_its_processes_and_stop_leaves_none(
    person: Person, told: dict[str, Any]
) -> None:
    again = person.demo("--offline")
    assert again["web"]["password"] != told["web"]["password"]
    assert again["statuses"]["xyz:AAPL"] == told["statuses"]["xyz:AAPL"]
    # The host's observation of the first demo is evidence of the second.
    assert again["statuses"]["xyz:MSFT"] == ["fresh", "fresh", "stale"]
    assert again["web"]["pid"] != told["web"]["pid"]
    for kind in KINDS:
        first, second = (
            processes.command_of(figures[kind.name]["pid"]) for figures in (told, again)
        )
        assert kind.mark not in first
        assert kind.mark in second
    assert person.run("demo", "--stop").stdout.count("is stopped") == len(KINDS)
    for kind in KINDS:
        assert processes.running(kind, person.home) is None
        assert kind.mark not in processes.command_of(again[kind.name]["pid"])
    assert person.run("demo", "--stop").stdout.count("was not running") == len(KINDS)


@pytest.mark.spec("A3", "A4", "A7", "A8", "A9", "A11", "L2", "U1")
def test_two_sessions_backtest_with_an_offline_advisor_and_keep_insights(
    told: dict[str, Any],
) -> None:
    first, second = told["sessions"]
    assert (first["symbol"], second["symbol"]) == ("xyz:AAPL", "xyz:MSFT")
    for session in (first, second):
        assert session["status"] == "succeeded"
        assert session["provider"]["mark"] == "offline advisor, no model"
        tests = [turn["backtest"] for turn in session["iterations"]]
        assert len(tests) == 5
        for test in tests:
            assert test["words"]
            for window in ("in_sample", "holdout"):
                assert {"total_pnl_pct", "max_drawdown_pct", "calmar"} <= set(test[window])
        insights = [turn["insight"] for turn in session["iterations"]]
        assert insights == [one["id"] for one in session["insights"]]
        assert all(0 <= float(one["confidence"]) <= 1 for one in session["insights"])


@pytest.mark.spec("M6", "U1")
def test_three_insights_of_a_kind_made_a_rule_that_leads_back_to_them(told: dict[str, Any]) -> None:
    insights = {one["id"]: one for session in told["sessions"] for one in session["insights"]}
    rules = [rule for session in told["sessions"] for rule in session["rules"]]
    # Ten insights of four kinds: one kind has three.
    assert rules
    for rule in rules:
        assert len(rule["origins"]) >= 3
        assert set(rule["origins"]) <= set(insights)
        assert {insights[one]["strategy_type"] for one in rule["origins"]} == {
            rule["strategy_type"]
        }
        guards = rule["support"]
        met = [guard["met"] for guard in guards.values() if isinstance(guard, dict)]
        assert len(met) == 3
        assert float(rule["confidence"]) <= (0.8 if all(met) else 0.6)


@pytest.mark.spec("B1", "B2", "B8", "R5", "S4", "U1")
def test_an_mcp_host_writes_reads_and_finds_what_the_other_session_learned(
    told: dict[str, Any],
) -> None:
    heard = told["host"]
    assert {"write_memory", "get_instrument_context", "search_agent_memory"} <= set(heard["tools"])
    assert heard["written"]["producer"]["name"] == "analysis"
    assert heard["written"]["id"] in json.dumps(heard["context"])
    assert heard["found"].startswith("**Universal Rules:**\n- [conf: ")
    transfer = heard["found"].partition("**Cross-Asset Transfer:**\n")[2].splitlines()
    assert transfer
    assert all(line.startswith("- ⚡ [Transfer from xyz:AAPL] [") for line in transfer)
    first = {one["id"] for one in told["sessions"][0]["insights"]}
    moved = [one["memory_id"] for one in heard["items"] if one["section"] == "transfer"]
    assert len(moved) == len(transfer)
    assert set(moved) <= first


@pytest.mark.spec("U1")
@pytest.mark.parametrize("words", [("--offline",), ("--json",), ("--stop",)])
def test_beside_a_running_demo_another_and_a_stop_are_refused_in_one_line(
    person: Person, words: tuple[str, ...]
) -> None:
    before = processes.running(processes.WEB, person.home)
    with turn.taken(person.home):
        done = person.run("demo", *words, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert "a demo is running" in line
    assert "try again" in line
    assert processes.running(processes.WEB, person.home) == before


@pytest.mark.spec("U1")
def test_a_home_that_is_no_folder_is_refused_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(processes.ProcessError, match="TIDEBOOK_HOME"), turn.taken(file):
        pass


@pytest.mark.spec("U1")
def test_a_web_process_that_ends_at_once_is_told_with_its_status(tmp_path: Path) -> None:
    with pytest.raises(processes.ProcessError, match=r"ended with status [1-9]"):
        processes.start(
            processes.WEB, tmp_path, environment={"DJANGO_SETTINGS_MODULE": "none.such"}
        )


@pytest.mark.spec("U1")
def test_a_pid_that_is_not_ours_is_never_ended(tmp_path: Path) -> None:
    file = tmp_path / "web.json"
    for text in (json.dumps({"pid": os.getpid(), "port": 1}), "{", "[]", '{"pid": 1}'):
        file.write_text(text)
        assert processes.running(processes.WEB, tmp_path) is None
        assert processes.stop(processes.WEB, tmp_path) is False
        assert not file.exists()
