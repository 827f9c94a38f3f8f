"""What is thought of a strategy record: terms, defaults, exact numbers, replay (M1, M2, M5)."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Self
from uuid import UUID

from memory.policies.freshness import iso
from memory.policies.text import canonical, settled

PLACES = Decimal("0.0001")
NOTHING, WHOLE = Decimal(0), Decimal(1)
PURGED = "purged"

RELEVANCE = {
    "rule": Decimal("0.95"),
    "optimization": Decimal("0.95"),
    "success": WHOLE,
    "failure": Decimal("0.8"),
}
RULE_CONFIDENCE = Decimal("0.8")
PRESETS: dict[str, dict[str, Any]] = {
    "s3": {"success_min_trades": 5, "success_pnl_above": NOTHING},
    "strict": {"success_min_trades": 20, "success_pnl_above": Decimal(5)},
}
"""Named thresholds of a success, as `Terms` has them (SPEC M1)."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How long strategy memory lives, and what counts as a success (settings; SPEC M1)."""

    success_days: int = 90
    failure_days: int = 30
    optimization_days: int = 60
    success_min_trades: int = 5
    success_pnl_above: Decimal = NOTHING


def outcome_of(*, pnl: Decimal, trades: int, terms: Terms) -> str:
    """Return `success` or `failure` of a backtest."""
    won = pnl > terms.success_pnl_above and trades >= terms.success_min_trades
    return "success" if won else "failure"


def expires_at(
    *, type_: str, outcome: str | None, created_at: datetime, terms: Terms
) -> datetime | None:
    """Return the end of a record's life, None for rules.

    An insight of no known outcome has the shorter life.
    """
    if type_ == "rule":
        return None
    if type_ == "optimization":
        return created_at + timedelta(days=terms.optimization_days)
    days = terms.success_days if outcome == "success" else terms.failure_days
    return created_at + timedelta(days=days)


def relevance_of(*, type_: str, outcome: str | None) -> Decimal:
    """Return the relevance that a standing begins with."""
    return RELEVANCE.get(type_) or RELEVANCE[outcome or "failure"]


def confidence_of(*, type_: str) -> Decimal:
    """Return the confidence that a standing begins with when nobody said one."""
    return RULE_CONFIDENCE if type_ == "rule" else WHOLE


def exact(value: Decimal) -> Decimal:
    """Return a share as it is stored: within 0…1, four places, half up."""
    return min(max(value, NOTHING), WHOLE).quantize(PLACES, ROUND_HALF_UP)


def config_hash(config: dict[str, Any]) -> bytes:
    """Return SHA-256 of the canonical JSON: sorted keys, no spaces, numbers as jsonb keeps them."""
    return hashlib.sha256(canonical(settled(config))).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Moving:
    """The part of a standing that moves. `expires_at` is inclusive; None: permanent."""

    tags: tuple[str, ...]
    confidence: Decimal
    validated_count: int
    relevance_score: Decimal
    visibility: str = "private"
    community_confirmations: int = 0
    expires_at: datetime | None = None
    merged_into: UUID | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "confidence", exact(self.confidence))
        object.__setattr__(self, "relevance_score", exact(self.relevance_score))

    def as_json(self) -> dict[str, Any]:
        """Return it as a ledger line tells it: numbers exact, as text."""
        return {
            "tags": list(self.tags),
            "confidence": str(self.confidence),
            "validated_count": self.validated_count,
            "relevance_score": str(self.relevance_score),
            "visibility": self.visibility,
            "community_confirmations": self.community_confirmations,
            "expires_at": None if self.expires_at is None else iso(self.expires_at),
            "merged_into": None if self.merged_into is None else str(self.merged_into),
        }

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Self:
        """Return what a ledger line tells."""
        end, survivor = told["expires_at"], told["merged_into"]
        return cls(
            tags=tuple(told["tags"]),
            confidence=Decimal(told["confidence"]),
            validated_count=told["validated_count"],
            relevance_score=Decimal(told["relevance_score"]),
            visibility=told["visibility"],
            community_confirmations=told["community_confirmations"],
            expires_at=None if end is None else datetime.fromisoformat(end),
            merged_into=None if survivor is None else UUID(survivor),
        )

    def is_live(self, *, now: datetime) -> bool:
        """Tell whether it is neither expired at `now` nor merged."""
        unexpired = self.expires_at is None or self.expires_at > now
        return unexpired and self.merged_into is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a ledger."""

    revision: int
    event: str
    before: Moving | None
    after: Moving | None


class BrokenLedger(ValueError):
    """Lines that do not follow from one another."""


def replay(lines: Iterable[Line]) -> Moving | None:
    """Return where a ledger ends; None before its first line and after a purge (BrokenLedger)."""
    state: Moving | None = None
    for number, line in enumerate(lines, start=1):
        if line.revision != number or line.before != state:
            raise BrokenLedger(f"line {line.revision} does not follow line {number - 1}")
        if (line.event == PURGED) != (line.after is None):
            raise BrokenLedger(f"line {line.revision} ends in nothing and is no purge, or not so")
        state = line.after
    return state
