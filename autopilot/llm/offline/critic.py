"""The offline critic: the deterministic checklist (SPEC A6)."""

from collections.abc import Mapping
from typing import Any

from autopilot.strategy.critic import review as checked


def review(material: Mapping[str, Any]) -> dict[str, Any]:
    """Return the checklist's verdict on the strategy."""
    verdict = checked(material["strategy"])
    return {
        "approved": verdict.approved,
        "reason": verdict.reason,
        "critical_flaw": verdict.critical_flaw,
    }
