"""The list over MCP: the filters of REST, by the same rules (SPEC B1, B3, E6, O1)."""

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings

from mcp_bridge.tools import BY_NAME
from mcp_bridge.tools.spec import ToolSpec
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


@pytest.mark.spec("B1", "B3", "E3")
def test_a_misspelt_filter_is_refused_with_those_that_there_are_as_rest_does(desk: Desk) -> None:
    refused = call(desk.tokens["review"], "list_memories", {"instument": "ETH"}).body
    (told,) = refused["fields"]["instument"]
    rest = desk.client("review").get(desk.path("memories/?instument=ETH")).json()
    assert refused["code"] == rest["code"] == "validation_error"
    (there,) = rest["fields"]["instument"]
    assert told == there.replace("route", "tool")
    assert told.startswith("is no parameter of this tool; it takes: cursor, from, instrument, ")


@pytest.mark.spec("B3", "E3")
@pytest.mark.parametrize(
    "tool", [one for one in BY_NAME.values() if not one.writes], ids=lambda one: one.name
)
def test_every_tool_that_reads_tells_what_it_takes(desk: Desk, tool: ToolSpec) -> None:
    role = "trading" if tool.name == "get_instrument_context" else "review"
    refused = call(desk.tokens[role], tool.name, {"no_such": 1}).body
    (told,) = refused["fields"]["no_such"]
    for name in tool.arguments.model_json_schema().get("properties", {}):
        assert name in told
