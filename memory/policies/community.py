"""What may be shared, what a copy of it says, and how others' backtests move the copy (SPEC M8).

Everything here is pure. The gate reads figures that a standing was made with; an import may have
brought anything there, and what is no figure counts as none.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal, Self

from memory.policies.freshness import iso
from memory.policies.lifecycle import COMMUNITY, confirm, contradict
from memory.policies.standing import BrokenLedger, Moving, exact
from memory.policies.timeframes import TIMEFRAMES
from memory.policies.vocabulary import SHARED_TIERS

type Finding = Literal["confirms", "contradicts"]

# As metrics tell times, and as the reading of windows compares them.
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_INSTRUMENT = re.compile(r"[A-Za-z0-9:@/._-]{1,64}")
_TIMES = ("start", "split", "end")


@dataclass(frozen=True, slots=True)
class Gate:
    """The least that stands behind what is shared (settings)."""

    min_trades: int = 30
    min_days: int = 28


@dataclass(frozen=True, slots=True)
class Backing:
    """What stands behind an insight: the outcome, and both windows' trades over the whole span."""

    outcome: str | None
    trades: int
    span: timedelta
    timeframe: str | None

    @classmethod
    def of(cls, *, outcome: str | None, metrics: Mapping[str, Any]) -> Self:
        """Read it from the metrics of an insight's standing."""
        window = metrics.get("window")
        told = window if isinstance(window, dict) else {}
        start, end = _time(told.get("start")), _time(told.get("end"))
        return cls(
            outcome=outcome,
            trades=sum(_trades(metrics.get(part)) for part in ("in_sample", "holdout")),
            span=end - start if start and end and end > start else timedelta(0),
            timeframe=_timeframe(told.get("timeframe")),
        )

    def lacks(self, gate: Gate) -> tuple[str, ...]:
        """Return what is missing: `outcome`, `trades`, `days`; nothing: it passes."""
        wanted = {
            "outcome": self.outcome == "success",
            "trades": self.trades >= gate.min_trades,
            "days": self.span >= timedelta(days=gate.min_days),
        }
        return tuple(name for name, is_met in wanted.items() if not is_met)

    def as_evidence(self) -> dict[str, Any]:
        """Return what a copy tells of it; days are whole ones."""
        return {"trades": self.trades, "days": self.span.days, "timeframe": self.timeframe}


def best_of(backings: Iterable[Backing], gate: Gate) -> Backing | None:
    """Return the backing that lacks least and shows most; None where there is none."""
    return min(
        backings, key=lambda one: (len(one.lacks(gate)), -one.trades, -one.span), default=None
    )


def is_shareable(type_: str) -> bool:
    """Tell whether a tier's memories may be shared at all."""
    return type_ in SHARED_TIERS


def windows_of(metrics: Mapping[str, Any], judged: Iterable[Any] = ()) -> list[dict[str, str]]:
    """Return the bars that a memory was learned on, each window once, and nothing else of metrics.

    An insight names one window, a rule those of its insights. `judged` are windows of backtests
    that moved the memory: they come without their `start`, for what formed it is their holdout.
    """
    many = metrics.get("windows")
    made = [metrics.get("window"), *(many if isinstance(many, list) else [])]
    told = [window_told(one) for one in made]
    told += [_without_start(window_told(one)) for one in judged]
    return [one for place, one in enumerate(told) if one and one not in told[:place]]


def window_told(window: Any) -> dict[str, str]:
    """Return what of a window may be told; empty where it tells no times."""
    if not isinstance(window, dict) or any(_time(window.get(one)) is None for one in _TIMES):
        return {}
    names = {
        "instrument": _instrument(window.get("instrument")),
        "timeframe": _timeframe(window.get("timeframe")),
    }
    told = {key: name for key, name in names.items() if name is not None}
    return told | {one: window[one] for one in _TIMES}


def _without_start(window: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in window.items() if key != "start"}


def told_end(end: datetime | None) -> datetime | None:
    """Return the end of a copy as readers are told it: the day's, in UTC.

    The exact one, less a tier's life, is the moment when the author wrote the memory.
    """
    if end is None:
        return None
    day = end.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return day + timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyState:
    """The part of a copy that moves. `expires_at` is inclusive; None: permanent."""

    confidence: Decimal
    validated_count: int
    community_confirmations: int = 0
    expires_at: datetime | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "confidence", exact(self.confidence))

    def as_json(self) -> dict[str, Any]:
        """Return it as a line tells it: numbers exact, as text."""
        return {
            "confidence": str(self.confidence),
            "validated_count": self.validated_count,
            "community_confirmations": self.community_confirmations,
            "expires_at": None if self.expires_at is None else iso(self.expires_at),
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Self:
        """Return what a line tells."""
        end = told["expires_at"]
        return cls(
            confidence=Decimal(told["confidence"]),
            validated_count=told["validated_count"],
            community_confirmations=told["community_confirmations"],
            expires_at=None if end is None else datetime.fromisoformat(end),
        )

    def is_live(self, *, now: datetime) -> bool:
        """Tell whether it is not over at `now`."""
        return self.expires_at is None or self.expires_at > now

    def judged(self, finding: Finding, *, now: datetime) -> "CopyState":
        """Return the copy after another agent's backtest; one that is over stays as it is."""
        if not self.is_live(now=now):
            return self
        was = Moving(
            tags=(),
            confidence=self.confidence,
            validated_count=self.validated_count,
            relevance_score=Decimal(0),
            expires_at=self.expires_at,
        )
        confirms = finding == "confirms"
        moved = confirm(was, now=now) if confirms else contradict(was, scale=COMMUNITY, now=now)
        return replace(
            self,
            confidence=moved.confidence,
            validated_count=moved.validated_count,
            community_confirmations=self.community_confirmations + confirms,
            expires_at=moved.expires_at,
        )


def event_of(finding: Finding, after: CopyState, *, now: datetime) -> str:
    """Return what a line calls a judgement."""
    if not after.is_live(now=now):
        return "deprecated"
    return "confirmed" if finding == "confirms" else "contradicted"


def replay(
    lines: Sequence[tuple[int, Mapping[str, Any] | None, Mapping[str, Any]]],
) -> CopyState | None:
    """Return where lines (revision, before, after) end; None without any (BrokenLedger)."""
    state: CopyState | None = None
    for number, (revision, before, after) in enumerate(lines, start=1):
        if revision != number or (None if before is None else CopyState.from_json(before)) != state:
            raise BrokenLedger(f"line {revision} does not follow line {number - 1}")
        state = CopyState.from_json(after)
    return state


def _trades(figures: Any) -> int:
    trades = figures.get("trades") if isinstance(figures, dict) else None
    if isinstance(trades, bool) or not isinstance(trades, int):
        return 0
    return max(trades, 0)


def _time(told: Any) -> datetime | None:
    if not isinstance(told, str) or not _TIME.fullmatch(told):
        return None
    try:
        return datetime.fromisoformat(told)
    except ValueError:
        return None


def _timeframe(told: Any) -> str | None:
    return told if isinstance(told, str) and told in TIMEFRAMES else None


def _instrument(told: Any) -> str | None:
    return told if isinstance(told, str) and _INSTRUMENT.fullmatch(told) else None
