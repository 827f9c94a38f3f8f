"""`manage.py test` runs pytest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.test_runner import PytestRunner

ROOT = Path(__file__).resolve().parents[2]


def manage_test(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    # pytest-django appends it to the database's name: the outer run is using its own.
    environment["TOX_PARALLEL_ENV"] = "inner"
    return subprocess.run(
        [sys.executable, "manage.py", "test", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.spec("U1")
def test_the_command_runs_the_chosen_tests_and_no_others() -> None:
    done = manage_test("tests/memory/test_integrity.py", "-k", "agent_wide")
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
    assert " deselected" in done.stdout


@pytest.mark.spec("U1")
def test_a_suite_that_does_not_pass_is_a_failure(capfd: pytest.CaptureFixture[str]) -> None:
    assert PytestRunner().run_tests(["tests/memory/no_such_file.py"]) == 1
    assert "no_such_file" in capfd.readouterr().err


@pytest.mark.spec("U1")
def test_its_choices_are_passed_on_in_pytests_words() -> None:
    runner = PytestRunner(verbosity=2, failfast=True, keyword="a b", marker="stress", processes="2")
    expected = ["-k", "a b", "-m", "stress", "-n", "2", "--exitfirst", "-v"]
    assert runner.arguments() == expected
