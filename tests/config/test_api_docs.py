"""The API reference groups routes by subject and says of each what it does."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from mcp_bridge.tools import TOOLS
from memory.policies.wording import uncited


@pytest.mark.spec("E1", "O6")
def test_every_route_has_a_summary_and_stands_under_its_subject() -> None:
    document: Any = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # untyped library
    found = defaultdict(set)
    for path, item in document["paths"].items():
        for operation in item.values():
            assert re.fullmatch(r"[A-Z][^.\n]+", operation["summary"]), path
            [tag] = operation["tags"]
            found[tag].add(path)
    assert set(found) == {"memory", "trading", "autopilot", "health"}
    assert all(path.startswith(("/health/", "/metrics/")) for path in found["health"])
    assert "/api/v1/agents/{agent}/memories/" in found["memory"]
    assert "/api/v1/agents/{agent}/context/{instrument}/" in found["trading"]
    assert "/api/v1/ai/autopilot/" in found["autopilot"]


def texts_of(described: Any) -> Iterator[str]:
    """Yield every text of a document."""
    if isinstance(described, dict):
        for part in described.values():
            yield from texts_of(part)
    elif isinstance(described, list):
        for part in described:
            yield from texts_of(part)
    elif isinstance(described, str):
        yield described


@pytest.mark.spec("E1", "B3")
def test_nothing_public_cites_the_numbers_of_requirements() -> None:
    document: Any = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # untyped library
    tools = [tool.described().model_dump(mode="json") for tool in TOOLS]
    found = [
        text
        for text in texts_of([document, tools])
        if "SPEC" in text or re.search(r"\([A-Z]\d{1,2}\b", text)
    ]
    assert found == []
    assert "A record to write. " in str(document["components"]["schemas"]["RecordDraft"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Every error (SPEC E2). More", "Every error. More"),
        ("Lists (M9, C3).", "Lists."),
        ("Search (SPEC S1-S5, B3)", "Search"),
        ("Markets (E.g. ETH) and (GMT) stay", "Markets (E.g. ETH) and (GMT) stay"),
    ],
)
def test_a_citation_goes_with_its_brackets(text: str, told: str) -> None:
    assert uncited(text) == told


@pytest.mark.spec("E1", "E6")
def test_a_change_of_a_producer_is_described_without_defaults() -> None:
    document: Any = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]  # untyped library
    schemas = document["components"]["schemas"]
    change = schemas["PatchedProducerChange"]
    assert set(change["properties"]) == {"schedule", "enabled", "runner", "lens", "timeframe"}
    assert "default" not in str(change["properties"])
    assert "required" not in change
    assert "what is left out stays" in change["description"]
    # A new one has some, and they are true.
    assert schemas["ProducerDraft"]["properties"]["runner"]["default"] == "caller"
