"""The provider without a model: it hands a question to the code of its role."""

import hashlib
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from pydantic import BaseModel

from autopilot.llm.offline import advisor, critic, evaluator, researcher, synthesizer, tagger
from autopilot.llm.port import Answer, Ask, Role, note

type Played = Callable[[Mapping[str, Any], Random], dict[str, Any]]

ROLES: dict[Role, Played] = {
    "researcher": lambda material, _: researcher.summarize(material),
    "advisor_tags": advisor.choose_tags,
    "advisor": advisor.advise,
    "tagger": lambda material, _: tagger.tag(material),
    "synthesizer": lambda material, _: synthesizer.synthesize(material),
    "evaluator": lambda material, _: evaluator.applied(material),
    "critic": lambda material, _: critic.review(material),
}


class OfflineProvider:
    """Deterministic: the same material and seed give the same answer."""

    name = "offline"
    offline = True

    def model(self, role: Role) -> str:  # noqa: ARG002 - as the port has it
        """Return that there is none."""
        return "none"

    def ask[A: BaseModel](self, ask: Ask[A]) -> Answer[A]:
        """Answer from the material alone; chance comes from the seed alone."""
        seed = int.from_bytes(hashlib.sha256(ask.seed.encode()).digest())
        told = ROLES[ask.role](ask.material, Random(seed))  # noqa: S311 - must be repeatable
        return Answer(ask.answer.model_validate(told), note(self, ask.prompt))
