"""The synthesizer: one rule out of several insights of a strategy type, or none (SPEC M6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from autopilot.crew.material import memories, tags_from
from autopilot.llm.answers import RuleProposal
from autopilot.llm.port import CallNote, Provider, attempt
from autopilot.llm.prompts import ask
from memory.policies.layout import fold
from memory.selectors.recall import Recalled

TAGS_MAX, POOL_SHOWN = 4, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesis:
    """What is proposed. `rule` is "" when nothing new follows; `reason` says why, when it is known.

    Of a rule, `reason` says what it rests on, where the synthesizer says so.
    `tags` are the model's alone: what M6 adds to them is up to the caller.
    """

    rule: str
    tags: tuple[str, ...]
    reason: str
    call: CallNote


def synthesize(
    *,
    provider: Provider,
    strategy_type: str,
    insights: Sequence[Recalled],
    repeats: Sequence[Sequence[UUID]],
    rules: Sequence[Recalled],
    pool: Sequence[str],
    seed: str,
) -> Synthesis:
    """Ask for one rule that the insights support and the rules of that type do not say already.

    `repeats` are the ids of insights that say the same as one another.
    """
    material: dict[str, Any] = {
        "strategy_type": strategy_type,
        "known_tags": list(pool[:POOL_SHOWN]),
        "repeats": [[str(id_) for id_ in same] for same in repeats],
        "memories": memories(insights, rules),
    }
    answer, call = attempt(
        provider,
        ask(role="synthesizer", material=material, answer=RuleProposal, seed=f"{seed}|synthesize"),
    )
    if answer is None:
        return Synthesis(rule="", tags=(), reason="the model gave no answer", call=call)
    return Synthesis(
        rule=fold(answer.rule),
        tags=tags_from(answer.tags, most=TAGS_MAX),
        reason=fold(answer.reason),
        call=call,
    )
