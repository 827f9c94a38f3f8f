"""The API reference groups routes by subject and says of each what it does."""

import re
from collections import defaultdict
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator


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
