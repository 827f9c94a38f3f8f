"""The port to a model: what is asked, what is answered, and how a call is told (SPEC L2, L4, L5).

A role of the crew makes an `Ask`, a `Provider` answers it or raises `ModelFailed`. What a provider
is built on stays behind this module: none of its types or exceptions leave it.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol

import structlog
from pydantic import BaseModel

from memory.errors import Unavailable

log = structlog.get_logger(__name__)

type Role = Literal[
    "researcher", "advisor_tags", "advisor", "tagger", "synthesizer", "evaluator", "critic"
]


class ModelFailed(Unavailable):
    """A model gave nothing that can be used; the role falls back. Says nothing of its words."""

    code = "model_failed"
    fallback: ClassVar[str] = "failed"
    """What the note of the call says of it."""

    def __init__(self, message: str, *, usage: "Usage | None" = None) -> None:
        super().__init__(message)
        self.usage = usage


class ModelUnavailable(ModelFailed):
    """It does not answer: no connection, time is up, a refusal, or the budget is spent."""

    code = "model_unavailable"
    fallback = "unavailable"


class ModelNonsense(ModelFailed):
    """It answered, and not in the shape that was asked for, the one repair try included."""

    code = "model_nonsense"
    fallback = "nonsense"


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call took."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def as_json(self) -> dict[str, int]:
        """Return it as a step keeps it."""
        return {
            "requests": self.requests,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A rendered prompt: instructions without any data, data without instructions (SPEC X5)."""

    role: Role
    version: int
    system: str
    user: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask[A: BaseModel]:
    """One question to a model.

    `material` is the JSON that `prompt.user` shows, all of it and nothing else. `answer` is the
    shape asked for. `seed` makes chance repeatable where a provider draws; it is in no prompt.
    """

    role: Role
    prompt: Prompt
    material: dict[str, Any]
    answer: type[A]
    seed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallNote:
    """How a call went, as the step keeps it (SPEC L5). `fallback` names what replaced an answer."""

    role: Role
    prompt_version: int
    prompt_sha256: str
    provider: str
    model: str
    offline: bool
    usage: Usage = field(default_factory=Usage)
    fallback: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it for a JSON column."""
        return {
            "role": self.role,
            "prompt_version": self.prompt_version,
            "prompt_sha256": self.prompt_sha256,
            "provider": self.provider,
            "model": self.model,
            "offline": self.offline,
            "usage": self.usage.as_json(),
            "fallback": self.fallback,
        }


@dataclass(frozen=True, slots=True)
class Answer[A: BaseModel]:
    """What a model answered, and how the call went."""

    value: A
    call: CallNote


class Provider(Protocol):
    """Somebody who answers. `offline` is said wherever what it wrote is shown (SPEC L2)."""

    @property
    def name(self) -> str:
        """Who it is, e.g. `offline`."""
        ...

    @property
    def offline(self) -> bool:
        """Whether deterministic code answers, and no model."""
        ...

    def model(self, role: Role) -> str:
        """Return the name of the model that plays `role`."""
        ...

    def ask[A: BaseModel](self, ask: Ask[A]) -> Answer[A]:
        """Answer (ModelFailed). Never called inside a transaction."""
        ...


def note(
    provider: Provider,
    prompt: Prompt,
    *,
    usage: Usage | None = None,
    fallback: str | None = None,
) -> CallNote:
    """Return the note of a call with this prompt."""
    return CallNote(
        role=prompt.role,
        prompt_version=prompt.version,
        prompt_sha256=prompt.sha256,
        provider=provider.name,
        model=provider.model(prompt.role),
        offline=provider.offline,
        usage=usage or Usage(),
        fallback=fallback,
    )


def attempt[A: BaseModel](provider: Provider, ask: Ask[A]) -> tuple[A | None, CallNote]:
    """Ask, and return the answer or None with a note that says why there is none.

    What an adapter to a model raises against its promise counts as a failure, too, and is logged:
    a session must not end with it. The offline provider is our own code, and its faults are raised.
    """
    try:
        answer = provider.ask(ask)
    except ModelFailed as error:
        return None, note(provider, ask.prompt, usage=error.usage, fallback=error.fallback)
    except Exception:
        # Others' code, which may raise anything: the log keeps it whole, and the note tells of it.
        if provider.offline:
            raise
        log.exception("a provider raised what it may not", provider=provider.name, role=ask.role)
        return None, note(provider, ask.prompt, fallback=ModelFailed.fallback)
    return answer.value, answer.call
