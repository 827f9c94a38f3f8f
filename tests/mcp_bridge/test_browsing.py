"""The list over MCP: the filters of REST, by the same rules (SPEC B1, B3, E6, O1)."""

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings

from tests.desk import Desk
from tests.mcp_bridge.clients import call
from tests.memory.browse_oracle import BROWSING, make_history, questions


@pytest.mark.spec("B1", "B3", "E6", "O1")
def test_the_tool_takes_the_filters_of_rest_and_pages_through_the_same(
    desk: Desk, now: datetime
) -> None:
    history = make_history(desk, seed=3, now=now)

    @settings(BROWSING, max_examples=12)
    @given(asked=questions())
    def hold(asked: dict[str, str]) -> None:
        ids: list[str] = []
        arguments: dict[str, Any] = {**asked, "limit": 7}
        while True:
            page = call(desk.tokens["review"], "list_memories", arguments).data
            ids += [one["id"] for one in page["results"]]
            if page["next_cursor"] is None:
                break
            arguments["cursor"] = page["next_cursor"]
        assert ids == history.oracle(asked), asked

    hold()
