"""The offline tagger: what the blocks say (SPEC M7)."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

TAGS_MAX = 4
MIDDLE, PER_TRADE = Decimal("0.5"), Decimal("0.02")
LEAST, MOST = Decimal("0.1"), Decimal("0.9")


def tag(material: Mapping[str, Any]) -> dict[str, Any]:
    """Return market, kind, foundation and filters as tags, and what the trades bear out."""
    strategy = material["strategy"]
    blocks = [block["type"] for block in [*strategy["foundations"][:1], *strategy["filters"]]]
    tags = [material["symbol"].lower(), material["strategy_type"], *blocks]
    said = MIDDLE + PER_TRADE * material["trades"] * material["pnl_sign"]
    return {
        "strategy_type": material["strategy_type"],
        "tags": list(dict.fromkeys(tags))[:TAGS_MAX],
        "outcome": material["outcome"],
        "confidence": str(min(max(said, LEAST), MOST)),
    }
