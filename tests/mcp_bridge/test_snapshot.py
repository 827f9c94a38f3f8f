"""What hosts see of the tools before any call: a change of it is a change of the interface (B3)."""

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it comes with mcp, its stubs do not
import pytest

from mcp_bridge.tools import TOOLS
from memory.policies.vocabulary import LINK_TYPES, RESERVED_TYPES
from tests.desk import Desk
from tests.mcp_bridge.clients import listed

SNAPSHOT = Path(__file__).with_name("tools.json")


def interface() -> list[dict[str, Any]]:
    """Return names, roles, annotations and schemas; of answers the first level alone."""
    return [
        {
            "name": tool.name,
            "roles": sorted(tool.roles),
            "annotations": listing.annotations.model_dump(mode="json", exclude_none=True)
            if listing.annotations
            else None,
            "input": listing.input_schema,
            "output": sorted((listing.output_schema or {})["properties"]),
        }
        for tool in TOOLS
        for listing in [tool.described()]
    ]


@pytest.mark.spec("B3")
def test_the_tools_are_those_of_the_snapshot() -> None:
    if os.environ.get("TIDEBOOK_SNAPSHOT") == "write":
        SNAPSHOT.write_text(json.dumps(interface(), indent=1) + "\n", encoding="utf-8")
    stored = json.loads(SNAPSHOT.read_text(encoding="utf-8"))
    assert interface() == stored, "meant? run this test with TIDEBOOK_SNAPSHOT=write"


@pytest.mark.spec("B3")
def test_every_tool_has_two_valid_schemas_a_description_and_honest_annotations(
    desk: Desk, now: datetime
) -> None:
    del now
    readers = {"get_instrument_context", "get_learnings", "list_memories", "get_memory"}
    readers |= {"search_agent_memory", "trace_lineage"}
    for tool in listed(desk.tokens["analysis"]):
        for schema in (tool.input_schema, tool.output_schema):
            jsonschema.Draft202012Validator.check_schema(schema)
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (tool.name in readers)
        assert tool.annotations.destructive_hint is False
        assert len(tool.description or "") > 150
        for name, argument in tool.input_schema["properties"].items():
            assert argument.get("description"), f"{tool.name}.{name}"


@pytest.mark.spec("H4", "R11", "R12", "S5")
def test_write_memory_says_what_a_writer_must_know(desk: Desk) -> None:
    [tool] = [one for one in listed(desk.tokens["analysis"]) if one.name == "write_memory"]
    said = (tool.description or "").lower()
    for rule in (
        "reuse stable types",
        '"corrects" to the exact original',
        "data quality is a record of its own, without that link",
        "disagreement between producers stays visible",
        "never guess",
        "retry once",
    ):
        assert rule in said
    schema = json.dumps(tool.input_schema)
    assert all(word in schema for word in (*LINK_TYPES, *RESERVED_TYPES))
    for reader in listed(desk.tokens["analysis"]):
        if reader.annotations and reader.annotations.read_only_hint:
            assert "data" in (reader.description or "")
            assert "instructions" in (reader.description or "")
