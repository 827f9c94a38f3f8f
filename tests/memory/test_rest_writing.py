"""Writing over REST."""

from typing import Any
from uuid import UUID

import pytest

from tests.desk import Desk, note


@pytest.mark.spec("R14", "R1", "E1")
def test_a_write_answers_201_with_the_whole_record(desk: Desk) -> None:
    body = note(type="eth_5m_setup", instruments=["ETH"], timeframe="5m", tags=["Momentum "])
    response = desk.client().post(desk.path("memories/"), body)
    assert response.status_code == 201, response.content
    answer: dict[str, Any] = response.json()
    assert UUID(answer["id"]).version == 7
    assert answer["tags"] == ["momentum"]
    assert answer["instruments"] == ["ETH"]
    assert answer["run"]["schedule"] == "5m"
    assert answer["run"]["status"] == "succeeded"
    assert answer["expires_at"] == answer["metadata"]["stale_after"]
    read = desk.client().get(desk.path(f"memories/{answer['id']}/")).json()
    assert answer.pop("handoff_warnings") == []
    assert read.pop("merged_into") is None
    assert read == answer
    listed = desk.client().get(desk.path("memories/")).json()
    assert listed == {"next": None, "previous": None, "results": [read]}
    context = desk.client("trading").get(desk.path("context/ETH/")).json()
    assert [one["memory_id"] for one in context["evidence"]] == [answer["id"]]
    assert context["evidence"][0]["content"] == "a quiet market"
