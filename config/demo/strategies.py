"""Example strategy memory of the demo: imported, and called an example in each line.

The autopilot learns its own later; until then search has these to find.
"""

import io
import json
from datetime import datetime, timedelta
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from memory.models import Agent
from memory.policies.freshness import iso
from memory.services.imports import import_strategies

EXAMPLE = "Example, imported:"


def teach(agent: Agent, *, instruments: tuple[str, str], now: datetime) -> int:
    """Import a rule and two insights, one of each instrument; return how many were new."""
    first, second = instruments
    written = now - timedelta(days=1)
    lines: list[dict[str, Any]] = [
        {
            "type": "rule",
            "content": f"{EXAMPLE} momentum entries need ADX above 25",
            "tags": ["momentum", "example"],
            "strategy_type": "momentum",
            "confidence": 0.8,
        },
        {
            "type": "strategy_insight",
            "content": f"{EXAMPLE} MACD crosses with rising volume held for five bars",
            "tags": ["momentum", "example"],
            "symbol": first,
            "strategy_type": "momentum",
            "outcome": "success",
        },
        {
            "type": "strategy_insight",
            "content": f"{EXAMPLE} MACD crosses against the 50-bar average failed",
            "tags": ["momentum", "example"],
            "symbol": second,
            "strategy_type": "momentum",
            "outcome": "failure",
        },
    ]
    for number, line in enumerate(lines):
        line |= {"id": str(_id(agent.id, number)), "created_at": iso(written)}
    text = "".join(json.dumps(line) + "\n" for line in lines)
    return import_strategies(agent=agent, lines=io.BytesIO(text.encode()), now=now).created


def _id(agent_id: UUID, number: int) -> UUID:
    return uuid5(NAMESPACE_URL, f"tidebook-demo:{agent_id}:{number}")
