"""Which blocks of a strategy may not be used here, and why (SPEC A5).

What is reported goes back to whoever wrote the strategy, as the feedback of the next try.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autopilot.strategy.base import TIMEFRAMES, Block
from autopilot.strategy.schema import Strategy

PRO_ONLY, KLINE_ONLY = "pro_only", "kline_only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One block that may not be used: where it stands, and the rule's code.

    `pro_only`: the agent's plan lacks it. `kline_only`: either the timeframe is none of `allowed`,
    or the market has no data of `needs`; the other of the two is None.
    """

    path: str
    type: str
    code: str
    allowed: tuple[str, ...] | None = None
    needs: tuple[str, ...] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON: `{path, type, code}`, and `allowed` or `needs` where there is one."""
        told: dict[str, Any] = {"path": self.path, "type": self.type, "code": self.code}
        if self.allowed is not None:
            told["allowed"] = list(self.allowed)
        if self.needs is not None:
            told["needs"] = list(self.needs)
        return told

    def __str__(self) -> str:
        if self.allowed is not None:
            why = f"works on {', '.join(self.allowed)} only"
        elif self.needs is not None:
            why = f"needs {', '.join(self.needs)}, which this market's data lack"
        else:
            why = "needs the agent's Pro plan"
        return f"{self.path}: {self.type} {why} ({self.code})"


def violations(strategy: Strategy, *, pro: bool, available: frozenset[str]) -> list[Violation]:
    """Return what each block violates, in reading order.

    `pro` is the agent's plan; `available` names what the market's data hold beside prices, of
    `volume` and `funding`.
    """
    return [
        violation
        for path, block in strategy.blocks()
        for violation in _of_block(
            path, block, timeframe=strategy.timeframe, pro=pro, available=available
        )
    ]


def _of_block(
    path: str, block: Block, *, timeframe: str, pro: bool, available: frozenset[str]
) -> Iterator[Violation]:
    if block.pro_only and not pro:
        yield Violation(path=path, type=block.type, code=PRO_ONLY)
    frames = block.timeframes
    if frames is not None and timeframe not in frames:
        allowed = tuple(frame for frame in TIMEFRAMES if frame in frames)
        yield Violation(path=path, type=block.type, code=KLINE_ONLY, allowed=allowed)
    if lacking := block.needs - available:
        needs = tuple(sorted(lacking))
        yield Violation(path=path, type=block.type, code=KLINE_ONLY, needs=needs)
