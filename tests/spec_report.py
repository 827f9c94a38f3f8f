"""Writes `.spec-report.json`: which passed tests prove which line of the specification."""

import json
from pathlib import Path
from typing import Any

import pytest

REPORT = Path(__file__).resolve().parents[1] / ".spec-report.json"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Attach a test's lines to its report, which travels from xdist's workers by itself."""
    report = yield
    lines = [line for mark in item.iter_markers("spec") for line in mark.args]
    report.user_properties.append(("spec", lines))
    return report


class Collector:
    """Gathers the lines of passed tests in the process that reports."""

    def __init__(self) -> None:
        self.lines: dict[str, list[str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test whose call passed."""
        if report.when == "call" and report.passed:
            for name, lines in report.user_properties:
                if name == "spec" and isinstance(lines, list):
                    for line in lines:
                        self.lines.setdefault(line, []).append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the report."""
        ordered = {line: sorted(set(self.lines[line])) for line in sorted(self.lines)}
        REPORT.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


@pytest.hookimpl(trylast=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Collect in the controller alone: xdist's workers forward their reports to it."""
    if not hasattr(session.config, "workerinput"):
        session.config.pluginmanager.register(Collector(), "spec-collector")
