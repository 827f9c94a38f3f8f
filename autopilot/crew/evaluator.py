"""The evaluator: which of the rules on offer a strategy applied (SPEC M4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from autopilot.crew.material import figures, memories, offered, parts
from autopilot.llm.answers import AppliedRules
from autopilot.llm.port import CallNote, Provider, attempt
from autopilot.llm.prompts import ask
from autopilot.strategy.identity import strategy_type_of, tags_of
from autopilot.strategy.schema import Strategy
from memory.selectors.recall import Recalled


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The rules applied, all of them offered; `ignored` is what else was named, for the log.

    `call` is None when there was no rule to ask about.
    """

    applied: tuple[UUID, ...]
    ignored: tuple[str, ...]
    call: CallNote | None


def evaluate(
    *,
    provider: Provider,
    strategy: Strategy,
    symbol: str,
    outcome: str,
    in_sample: Mapping[str, Any],
    rules: Sequence[Recalled],
    cited: Sequence[UUID] = (),
    seed: str,
) -> Evaluation:
    """Ask which rules were applied; none when the model fails. `cited` are the advisor's ids."""
    if not rules:
        return Evaluation(applied=(), ignored=(), call=None)
    material: dict[str, Any] = {
        "symbol": symbol,
        "outcome": outcome,
        "figures": figures(in_sample),
        "strategy": parts(strategy),
        "strategy_type": strategy_type_of(strategy),
        "strategy_tags": tags_of(strategy),
        "cited": [str(id_) for id_ in cited],
        "memories": memories(rules),
    }
    answer, call = attempt(
        provider,
        ask(role="evaluator", material=material, answer=AppliedRules, seed=f"{seed}|evaluate"),
    )
    if answer is None:
        return Evaluation(applied=(), ignored=(), call=call)
    applied, ignored = offered(answer.applied_rule_ids, rules)
    return Evaluation(applied=tuple(applied), ignored=tuple(ignored), call=call)
