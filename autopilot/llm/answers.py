"""The shapes that models are asked for: flat, bounded, tolerant of extra keys.

They bound what a model may say, not whether it is right: ids, tags and numbers are held against
what was offered by the role that asked (SPEC M4, M7).
"""

import json
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)

from memory.policies.text import flaws
from memory.policies.vocabulary import OUTCOMES, STRATEGY_TYPES

TEXT_MAX, RULE_MAX, TAG_MAX, IDS_MAX, TAGS_MAX = 4_000, 1_000, 64, 100, 12
JSON_MAX_CHARS = 20_000

type StrategyTypeName = Literal[*STRATEGY_TYPES]  # type: ignore[valid-type]  # one list for all
type OutcomeName = Literal[*OUTCOMES]  # type: ignore[valid-type]  # as above


def _storable(value: Any) -> Any:
    """Refuse what could not be kept: the store holds no NUL and no lone surrogate."""
    for place, problem in flaws(value, path="answer"):
        raise ValueError(f"{place} {problem}")
    return value


def _an_object(value: Any) -> Any:
    """Read JSON text as what it says: not every model can fill a free object."""
    if isinstance(value, str):
        if not value.strip():
            return None
        if len(value) > JSON_MAX_CHARS:
            raise ValueError("is too long")
        try:
            return json.loads(value)
        except RecursionError:
            raise ValueError("is nested too deeply") from None
    return value


Text = Annotated[str, Field(max_length=TEXT_MAX)]
Tag = Annotated[str, StringConstraints(max_length=TAG_MAX, strip_whitespace=True, to_lower=True)]
Id = Annotated[str, Field(max_length=64), AfterValidator(_storable)]


class ModelAnswer(BaseModel):
    """What all answers share."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Summary(ModelAnswer):
    """The researcher's."""

    summary: Annotated[Text, BeforeValidator(_storable)]


class TagChoice(ModelAnswer):
    """The advisor's first turn: what to search memory for."""

    tags: Annotated[list[Tag], BeforeValidator(_storable)] = Field(
        default_factory=list, max_length=TAGS_MAX
    )
    symbol: Annotated[str, Field(max_length=TAG_MAX), BeforeValidator(_storable)] | None = None


class Advice(ModelAnswer):
    """The advisor's second turn. `strategy` is an object, or JSON text of one."""

    recommendation: Annotated[Text, BeforeValidator(_storable)]
    strategy: Annotated[
        dict[str, Any] | None, BeforeValidator(_storable), BeforeValidator(_an_object)
    ] = None
    used_ids: list[Id] = Field(default_factory=list, max_length=IDS_MAX)


class Tagging(ModelAnswer):
    """The tagger's."""

    strategy_type: StrategyTypeName
    tags: Annotated[list[Tag], BeforeValidator(_storable)] = Field(max_length=TAGS_MAX)
    outcome: OutcomeName
    confidence: Decimal = Field(ge=0, le=1, allow_inf_nan=False)


class RuleProposal(ModelAnswer):
    """The synthesizer's. An empty rule: one like it is there, or nothing follows."""

    rule: Annotated[str, Field(max_length=RULE_MAX), BeforeValidator(_storable)]
    tags: Annotated[list[Tag], BeforeValidator(_storable)] = Field(
        default_factory=list, max_length=TAGS_MAX
    )
    reason: Annotated[Text, BeforeValidator(_storable)] = ""


class AppliedRules(ModelAnswer):
    """The evaluator's."""

    applied_rule_ids: list[Id] = Field(default_factory=list, max_length=IDS_MAX)


class Review(ModelAnswer):
    """The critic's."""

    approved: bool
    reason: Annotated[Text, BeforeValidator(_storable)] | None = None
    critical_flaw: Annotated[str, Field(max_length=TAG_MAX), BeforeValidator(_storable)] | None = (
        None
    )
