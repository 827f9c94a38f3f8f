"""What models may answer: bounded, and tolerant where it does no harm."""

from typing import Any

import pytest
from pydantic import ValidationError

from autopilot.llm.answers import (
    Advice,
    AppliedRules,
    ModelAnswer,
    RuleProposal,
    Summary,
    TagChoice,
    Tagging,
)

TAGGING = {"strategy_type": "momentum", "tags": ["a"], "outcome": "success", "confidence": 0.5}


@pytest.mark.spec("L4")
@pytest.mark.parametrize(
    ("shape", "told"),
    [
        (Summary, {"summary": "x" * 4_001}),
        (Summary, {"summary": "a\x00b"}),
        (Summary, {"summary": "\ud800"}),
        (Summary, {}),
        (TagChoice, {"tags": ["t"] * 13}),
        (TagChoice, {"tags": ["x" * 65]}),
        (TagChoice, {"tags": "momentum"}),
        (Advice, {"recommendation": "r", "strategy": "{not json"}),
        (Advice, {"recommendation": "r", "strategy": "[1]"}),
        (Advice, {"recommendation": "r", "strategy": "[" * 15_000}),
        (Advice, {"recommendation": "r", "strategy": '{"a": ' + "9" * 15_000 + "}"}),
        (Advice, {"recommendation": "r", "strategy": '{"a": NaN}'}),
        (Advice, {"recommendation": "r", "strategy": " " * 20_000 + "{}"}),
        (Advice, {"recommendation": "r", "used_ids": ["x"] * 101}),
        (Tagging, {**TAGGING, "strategy_type": "scalper"}),
        (Tagging, {**TAGGING, "outcome": "won"}),
        (Tagging, {**TAGGING, "confidence": 1.1}),
        (Tagging, {**TAGGING, "confidence": "NaN"}),
        (RuleProposal, {"rule": "x" * 1_001}),
        (RuleProposal, {"rule": None}),
        (AppliedRules, {"applied_rule_ids": [1]}),
    ],
)
def test_what_is_out_of_shape_is_refused(shape: type[ModelAnswer], told: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        shape.model_validate(told)


@pytest.mark.spec("L4")
def test_extra_keys_and_json_text_of_a_strategy_are_taken() -> None:
    whole = {"recommendation": "r", "strategy": '{"name": "x"}', "mood": "good"}
    advice = Advice.model_validate(whole)
    assert advice.strategy == {"name": "x"}
    assert Advice.model_validate({**whole, "strategy": "  "}).strategy is None
    assert Advice.model_validate({**whole, "strategy": None}).strategy is None
    assert TagChoice.model_validate({"tags": [" Momentum "]}).tags == ["momentum"]
