"""The benches run, and a missed bar shows in the exit status."""

import json
from collections.abc import Iterator
from datetime import datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections
from pytest_django.plugin import DjangoDbBlocker

from autopilot.models.sessions import STEPS
from config.benchmarks import databases
from config.benchmarks.agreement import check_agreement
from config.benchmarks.loading import World
from config.benchmarks.progress import Progress
from config.benchmarks.report import Report, Scale
from config.management.commands.bench import BENCHES, Command
from tests.desk import Desk


@pytest.fixture
def own_databases(django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let a bench reach the server; it works in databases of its own, never in the tests'."""
    before = connections["default"]

    def refuse(*_: object) -> None:
        raise AssertionError("the bench used the caller's database")

    with django_db_blocker.unblock(), before.execute_wrapper(refuse):
        yield
    assert connections["default"] is before


def small(name: str, **options: Any) -> str:
    out = StringIO()
    call_command("bench", name, scale="small", stdout=out, **options)
    return out.getvalue()


@pytest.mark.usefixtures("own_databases")
def test_the_publish_bench_reports_every_way_of_writing() -> None:
    found = json.loads(small("publish", json=True))
    assert list(found) == ["name", "scale", "machine", "figures", "bars"]
    assert (found["name"], found["scale"]) == ("publish", "small")
    assert found["machine"]["fsync"] in {"on", "off"}
    assert list(found["figures"]) == ["1 writer", "4 writers", "8 writers", "REST"]
    for way in ("statement", "orm", "separate", "unposted", "bare"):
        assert found["figures"]["8 writers"][f"{way}_per_s"] > 0
    assert 0 < found["figures"]["REST"]["share_outside_statement"] < 1
    assert 0 < found["figures"]["REST"]["share_of_limit"] < 1
    assert found["figures"]["REST"]["post_statements"] > 1
    assert [(bar["op"], bar["limit"], bar["ok"]) for bar in found["bars"]] == [
        (">=", 1.8, None),
        (">=", 1.2, None),
        ("<=", 0.35, None),
        ("<=", 0.1, None),
    ]


@pytest.mark.spec("C13")
@pytest.mark.usefixtures("own_databases")
def test_the_context_bench_compares_a_short_and_a_long_history() -> None:
    found = json.loads(small("context", json=True))
    short, long, alone, growth = found["figures"].values()
    assert list(short) == list(long) == list(alone) == list(growth)
    assert short["context_pages"] > 0
    assert growth["context_p50_ms"] == pytest.approx(
        long["context_p50_ms"] / short["context_p50_ms"]
    )
    assert [(bar["op"], bar["limit"], bar["ok"]) for bar in found["bars"]] == [
        ("<=", 1.3, None),
        ("<=", 1.1, None),
    ]


@pytest.mark.spec("E3", "E6")
@pytest.mark.usefixtures("own_databases")
def test_the_browse_bench_reads_both_histories_by_every_filter() -> None:
    found = json.loads(small("browse", json=True))
    short, long, growth = found["figures"].values()
    assert list(short) == list(long) == list(growth)
    for name in ("page", "page_at_depth", "page_of_tag_at_depth", "types", "record", "lineage"):
        assert short[f"{name}_pages"] > 0
    assert [(bar["op"], bar["limit"], bar["ok"]) for bar in found["bars"]] == [
        ("<=", 1.5, None)
    ] * 3


@pytest.mark.spec("M3", "S3")
@pytest.mark.usefixtures("own_databases")
def test_the_search_bench_finds_the_right_insights_whatever_died() -> None:
    found = json.loads(small("search", json=True))
    assert list(found["figures"]) == ["by tags", "by words", "questions"]
    assert found["figures"]["by tags"]["cascade_aged_p50_ms"] > 0
    # What is found does not depend on speed, so a worse ranking fails here.
    assert found["figures"]["questions"]["recall_at_1"] >= 0.75
    assert found["figures"]["questions"]["recall_at_10"] >= 0.95
    assert [(bar["op"], bar["limit"], bar["ok"]) for bar in found["bars"]] == [
        ("<=", 1.5, None),
        (">=", 4, None),
        (">=", 0.95, None),
    ]


@pytest.mark.spec("M3")
@pytest.mark.usefixtures("own_databases")
def test_the_purge_bench_reads_beside_a_purge_and_without() -> None:
    found = json.loads(small("purge", json=True))
    assert list(found["figures"]) == ["search", "context", "list", "beside reads", "alone"]
    for name in ("search", "context", "list"):
        assert found["figures"][name]["reads"] > 0
    rows = [found["figures"][name]["rows"] for name in ("beside reads", "alone")]
    assert (sum(rows), min(rows) > 0) == (600, True)
    assert found["figures"]["alone"]["rows_per_s"] > 0
    assert [(bar["op"], bar["limit"], bar["ok"]) for bar in found["bars"]] == [("<=", 2, None)] * 3


@pytest.mark.usefixtures("own_databases")
def test_the_mcp_bench_weighs_each_way_in_against_the_service() -> None:
    found = json.loads(small("mcp", json=True))
    *tools, processes = found["figures"]
    assert tools == [
        "write_memory",
        "list_memories",
        "get_instrument_context",
        "search_agent_memory",
    ]
    assert processes == "processes"
    for group in found["figures"].values():
        assert all(figure > 0 for figure in group.values())
    assert [(bar["op"], bar["limit"], bar["ok"]) for bar in found["bars"]] == [
        *[("<=", 2.5, None)] * 4,
        ("<=", 1.1, None),
    ]


@pytest.mark.spec("A7")
def test_the_backtest_bench_holds_the_engine_against_a_bare_pass() -> None:
    found = json.loads(small("backtest", json=True))
    assert list(found["figures"]) == ["1,000 bars", "2,000 bars", "4,000 bars"]
    assert "postgresql" not in found["machine"]  # it needs no database
    for group in found["figures"].values():
        assert all(figure > 0 for figure in group.values())
    assert [(bar["op"], bar["limit"], bar["ok"]) for bar in found["bars"]] == [
        ("<=", 40, None),
        ("<=", 40, None),
        ("<=", 1.2, None),
    ]


@pytest.mark.spec("J1", "L2")
@pytest.mark.usefixtures("own_databases")
def test_the_session_bench_weighs_the_loop_and_counts_what_workers_do() -> None:
    found = json.loads(small("session", json=True))
    iteration, steps, plain, slow = found["figures"].values()
    assert list(found["figures"]) == ["an iteration", "a step", "steps as they are", "a slow model"]
    assert iteration["beside_backtest_cpu_ms"] == pytest.approx(
        iteration["loop_cpu_ms"] - iteration["backtest_alone_cpu_ms"]
    )
    # Every step of a session was taken, and each took something.
    assert list(steps) == [f"{name}_cpu_ms" for name in STEPS]
    assert iteration["steps"] >= len(STEPS)
    assert all(figure > 0 for figure in steps.values())
    for workers in (plain, slow):
        assert workers["four_to_one"] == pytest.approx(
            workers["four_workers_steps_per_s"] / workers["one_worker_steps_per_s"]
        )
    assert plain["model_ms"] < slow["model_ms"] < slow["step_ms"] * len(STEPS)
    assert [(bar["op"], bar["limit"], bar["ok"]) for bar in found["bars"]] == [
        ("<=", 150, None),
        (">=", 1.25, None),
        (">=", 120, None),
        (">=", 1.6, None),
    ]


@pytest.mark.spec("M6")
@pytest.mark.usefixtures("own_databases")
def test_the_noise_bench_counts_rules_of_nothing_and_of_something_by_either_setting() -> None:
    found = json.loads(small("noise", json=True))
    noise, guarded, power, guarded_power = found["figures"].values()
    assert list(found["figures"]) == [
        "noise, three_insights",
        "noise, guarded",
        "power, three_insights",
        "power, guarded",
    ]
    for group in (noise, guarded):
        assert (group["agents"], group["sessions"], group["variants"]) == (2, 4, 20)
        assert group["low_95"] <= group["rules_a_session"] <= group["high_95"]
    # Five variants of four kinds make three of a kind within two sessions, and so a rule.
    assert noise["rules"] > guarded["rules"] == 0
    for group in (power, guarded_power):
        assert group["power_low_95"] <= group["power"] <= group["power_high_95"]
    assert [(bar["op"], bar["limit"], bar["ok"]) for bar in found["bars"]] == [
        ("<=", 0.05, None),
        (">=", 0.8, None),
    ]


@pytest.mark.usefixtures("own_databases")
def test_a_loaded_history_is_kept_for_the_next_run(capsys: pytest.CaptureFixture[str]) -> None:
    small("context")
    capsys.readouterr()
    shown = small("context")
    assert "loading" not in capsys.readouterr().err
    assert "small: not judged" in shown


def impossible(*, scale: Scale, progress: Progress) -> Report:
    """Measure something that no machine can reach."""
    progress.stage("counting")
    report = Report("impossible", scale, {"cpus": 1}, {"all": {"steps": 2.0}})
    report.bar("steps", 2.0, ">=", 1)
    report.bar("more steps than there are", 2.0, ">=", 3)
    return report


@pytest.mark.parametrize("form", [["--json"], []])
def test_a_missed_bar_ends_with_status_1_after_the_report(
    form: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(BENCHES, "impossible", impossible)
    with pytest.raises(SystemExit) as ended:
        Command().run_from_argv(["manage.py", "bench", "impossible", *form])
    assert ended.value.code == 1
    said = capsys.readouterr()
    assert "more steps than there are: 2" in said.err
    if form:
        assert [bar["ok"] for bar in json.loads(said.out)["bars"]] == [True, False]
    else:
        assert "MISSED" in said.out


def test_a_missed_bar_of_a_small_run_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BENCHES, "impossible", impossible)
    assert [bar["ok"] for bar in json.loads(small("impossible", json=True))["bars"]] == [None, None]


def test_ways_of_writing_that_leave_different_rows_are_found_out(
    desk: Desk, other: Desk, now: datetime
) -> None:
    worlds = [World(desk.agent), World(other.agent)]
    for one in (desk, other):
        one.write(now=now, instruments=["ETH"])
    with pytest.raises(AssertionError, match="differ in heads"):
        check_agreement(worlds, instruments=["ETH"])  # producers have other names
    other.write(now=now, instruments=["ETH"])
    with pytest.raises(AssertionError, match="differ in memory_record"):
        check_agreement(worlds, instruments=["ETH"])


@pytest.mark.usefixtures("own_databases")
def test_a_bench_drops_no_database_but_its_own() -> None:
    with databases.server("test") as session, pytest.raises(ValueError, match="no database of a"):
        databases.drop(session, "tidebook")
