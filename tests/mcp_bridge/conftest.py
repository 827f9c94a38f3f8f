"""Tools run on the test's own thread, so that they see the rows of its transaction."""

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def on_this_thread(settings: Any) -> None:
    settings.MCP_ORM_THREADS = 0
