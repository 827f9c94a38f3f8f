"""What the bridge's tests share: tools on the test's own thread, or a real process."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.desk import Desk, make_desk
from tests.mcp_bridge.bridge import Bridge, bridge

HELLO_SECONDS = 3


@pytest.fixture(autouse=True)
def on_this_thread(settings: Any) -> None:
    """Let tools of this process see the rows of the test's transaction."""
    settings.MCP_ORM_THREADS = 0


@pytest.fixture(scope="session")
def running(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bridge]:
    """Return a bridge that all tests of this run share, over HTTP and TCP."""
    del django_db_setup
    log = tmp_path_factory.mktemp("bridge") / "bridge.log"
    with bridge(log, variables={"MCP_HELLO_SECONDS": str(HELLO_SECONDS)}) as process:
        yield process


@pytest.fixture
def live(transactional_db: None) -> Desk:  # noqa: ARG001 - opens the database first
    """Return a desk that other processes see, set up before this moment."""
    return make_desk("ours", now=datetime.now(UTC))
