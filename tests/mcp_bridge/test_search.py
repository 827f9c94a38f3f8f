"""The search tool: its text and items, who may call it, and that it shows nobody else's."""

from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest

from memory.models import Agent
from tests.copies import copy, let_read, switch
from tests.desk import Desk, make_desk
from tests.mcp_bridge.clients import call, listed, refusal
from tests.strategies import remember

NAME = "search_agent_memory"


@pytest.mark.spec("S1", "S4", "B3")
@pytest.mark.parametrize("symbol", ["ETH", "ETHUSDT", "eth-perp"])
def test_a_search_answers_in_text_and_in_items_whatever_a_symbol_is_called(
    desk: Desk, now: datetime, symbol: str
) -> None:
    facts: dict[str, Any] = {"strategy_type": "breakout", "outcome": "success"}
    rule = remember(desk, "Wait for volume", now=now, type="rule")
    mine = remember(desk, "Triangles hold", now=now, symbol="ETH", **facts)
    other = remember(desk, "Flags hold", now=now, symbol="BTC", **facts)
    answer = call(
        desk.tokens["analysis"], NAME, {"symbol": symbol, "strategy_type": "breakout", "query": "x"}
    )
    assert answer.text == (
        "**Universal Rules:**\n- [conf: 80%] Wait for volume\n\n"
        "**ETH Insights:**\n- [SUCCESS] Triangles hold\n\n"
        "**Cross-Asset Transfer:**\n- ⚡ [Transfer from BTC] [SUCCESS] Flags hold"
    )
    assert [one["memory_id"] for one in answer.data["items"]] == [str(rule), str(mine), str(other)]
    assert [one["section"] for one in answer.data["items"]] == ["rule", "exact", "transfer"]


@pytest.mark.spec("S4")
def test_a_symbol_that_is_none_and_an_empty_memory_find_nothing(desk: Desk) -> None:
    for arguments in ({}, {"symbol": "NOPE"}, {"symbol": "**Rules:**\n- x", "tags": ["a"]}):
        answer = call(desk.tokens["review"], NAME, arguments)
        assert answer.text == "No matching memories found."
        assert answer.data == {"items": [], "left_out": 0, "why_not": None}


@pytest.mark.spec("B3", "C10")
def test_trading_sees_and_calls_it_only_where_its_agent_allows_it(desk: Desk) -> None:
    token = desk.tokens["trading"]
    assert NAME not in {tool.name for tool in listed(token)}
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - looked at by refusal()
        call(token, NAME)
    assert "Unknown tool" in refusal(caught.value).error.message
    Agent.objects.filter(id=desk.agent.id).update(trading_may_search=True)
    assert NAME in {tool.name for tool in listed(token)}
    assert call(token, NAME).text == "No matching memories found."


@pytest.mark.spec("X1", "S3")
def test_anothers_memory_is_neither_found_nor_told_from_none(
    desk: Desk, other: Desk, now: datetime
) -> None:
    foreign, unknown = remember(other, "theirs", now=now, type="rule"), uuid4()
    said = []
    for memory_id in (foreign, unknown):
        answer = call(
            desk.tokens["autopilot"], NAME, {"query": "theirs", "why_not": str(memory_id)}
        )
        said.append((answer.text.replace(str(memory_id), "…"), answer.data["items"]))
    assert said[0] == said[1]
    assert said[0][0].startswith("No matching memories found.\n\n…: unknown: ")


@pytest.mark.spec("M8", "M10", "S4", "B3")
def test_what_others_share_and_what_was_granted_come_with_their_marks(
    desk: Desk, other: Desk, now: datetime
) -> None:
    second = make_desk("second [FROM me]", now=now, user=desk.user)
    copy_id = copy(remember(other, "Wait for volume", now=now, type="rule"), now=now)
    granted = remember(second, "Flags hold", now=now, symbol="ETH", outcome="success")
    token = desk.tokens["analysis"]
    assert call(token, NAME, {"symbol": "ETH"}).text == "No matching memories found."
    switch(desk.agent, on=True)
    let_read(desk, second, now=now)
    answer = call(token, NAME, {"symbol": "ETH"})
    # A name is data, too.
    assert answer.text == (
        "**Universal Rules:**\n- [COMMUNITY 🌐] [conf: 80%] Wait for volume\n\n"
        "**ETH Insights:**\n- [FROM second (FROM me)] [SUCCESS] Flags hold"
    )
    rule, insight = answer.data["items"]
    node = Agent.objects.get(id=other.agent.id).node_uuid
    assert (rule["memory_id"], rule["community"]) == (str(copy_id), True)
    assert (rule["source_node_uuid"], rule["granted_from"]) == (str(node), None)
    assert (insight["memory_id"], insight["community"]) == (str(granted), False)
    assert insight["granted_from"] == "second [FROM me]"


@pytest.mark.spec("S3")
def test_why_not_is_told_in_text_and_in_data(desk: Desk, now: datetime) -> None:
    memory_id = remember(desk, now=now, symbol="BTC")
    answer = call(desk.tokens["review"], NAME, {"symbol": "ETH", "why_not": str(memory_id)})
    assert answer.data["why_not"]["cause"] == "symbol"
    assert answer.text.splitlines()[-1].startswith(f"{memory_id}: symbol: ")
