"""The shape of the tree: what is where, how long, and what no file may hold."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOP = {
    *("autopilot", "config", "mcp_bridge", "memory", "review", "templates", "tests", "trading"),
    *("manage.py", "pyproject.toml"),
}
PACKAGES = {"autopilot", "config", "mcp_bridge", "memory", "review", "trading"}
MODULE_LINES = 400
TEST_MODULE_LINES = 600  # tables of cases are read by the row
FUNCTION_LINES = 60
BINARY = {".gz", ".png", ".ico", ".woff2", ".jpg", ".pdf"}
VENDORED = "/vendor/"


def tracked() -> list[Path]:
    """Return the files of the repository, those about to be added included."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return sorted(path for path in paths if path.is_file())


FILES = tracked()
MODULES = [path for path in FILES if path.suffix == ".py" and "migrations" not in path.parts]


def texts() -> Iterator[tuple[str, str]]:
    """Return the name and text of each file that holds text."""
    for path in FILES:
        if path.suffix not in BINARY and VENDORED not in str(path):
            yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def test_the_ten_names_are_there_and_nothing_else_can_be_imported() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in FILES}
    assert names >= TOP
    holding_modules = {path.relative_to(ROOT).parts[0] for path in FILES if path.suffix == ".py"}
    assert holding_modules == PACKAGES | {"tests", "manage.py"}
    assert {name for name in names if (ROOT / name / "__init__.py").exists()} == PACKAGES


def test_a_module_can_be_read_in_one_sitting() -> None:
    long = {}
    for path in MODULES:
        name = path.relative_to(ROOT)
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > (TEST_MODULE_LINES if name.parts[0] == "tests" else MODULE_LINES):
            long[str(name)] = lines
    assert long == {}


def test_a_function_fits_on_a_screen() -> None:
    long = {}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_LINES:
                    long[f"{path.relative_to(ROOT)}:{node.name}"] = lines
    assert long == {}


@pytest.mark.spec("X3", "O6")
def test_templates_hold_no_inline_script_or_style_and_no_external_host() -> None:
    forbidden = {
        "inline style": r"<style\b|\sstyle\s*=",
        "inline script": r"<script\b(?![^>]*\bsrc\s*=)",
        "event handler": r"<[^>]*\son\w+\s*=",
        "evaluated attribute": r"\bhx-on\b|\bjs:|javascript:",
        "unescaped": r"\|\s*safe\b|autoescape\s+off",
        "external host": r"(?:src|href|action)\s*=\s*[\"'](?:https?:)?//",
    }
    found = [
        (name, what)
        for name, text in texts()
        if name.endswith(".html")
        for what, pattern in forbidden.items()
        # In documentation a link may lead outside; a page loads nothing from there.
        if re.search(pattern, text, re.IGNORECASE)
    ]
    assert found == []


def test_no_file_names_a_registry_mirror_or_a_place_on_one_machine() -> None:
    # Built from parts, or this file would be the first to hold them.
    places = ["/".join(["", *parts, ""]) for parts in (["root"], ["work"], ["tmp", "w"])]
    mirrors = ["index" + "-url", "--extra" + "-index", "." + "internal/", "arti" + "factory"]
    mirrors += [host + "/" for host in ("files.python" + "hosted.org", "pypi." + "org/simple")]
    pattern = re.compile(
        "|".join([rf"(?<![\w.~-]){re.escape(place)}\w" for place in places])
        + "|"
        + "|".join(map(re.escape, mirrors))
        + r"|(?<![\w.])/(?:home|Users)/\w+/"
    )
    found = [
        f"{name}:{number}: {line.strip()[:80]}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]
    assert found == []


def test_every_marker_of_the_specification_is_a_line_number() -> None:
    wrong, seen = [], set()
    for path in MODULES:
        if path.relative_to(ROOT).parts[0] != "tests":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and ast.unparse(node.func) == "pytest.mark.spec"
            ):
                for line in node.args:
                    value = line.value if isinstance(line, ast.Constant) else None
                    seen.add(value)
                    if not re.fullmatch(r"[A-Z]\d+", str(value)):
                        wrong.append((path.name, node.lineno, value))
    assert wrong == []
    assert len(seen) > 30
