"""Providers for tests of sessions: offline code that is listened to, talked over, or mute."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from autopilot.llm.offline.provider import OfflineProvider
from autopilot.llm.port import Answer, Ask, ModelUnavailable, Role, note

ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass
class Player:
    """A model: it says what `lines` say for a role, is `mute` in others, and is offline else.

    `asked` keeps each question, in order.
    """

    lines: dict[Role, Callable[[Ask[Any]], dict[str, Any]]] = field(default_factory=dict)
    mute: Collection[str] = ()
    asked: list[Ask[Any]] = field(default_factory=list)
    name: str = "player"
    offline: bool = False

    def model(self, role: Role) -> str:
        return f"{role}-1"

    def ask[A: BaseModel](self, ask: Ask[A]) -> Answer[A]:
        self.asked.append(ask)
        if ask.role in self.mute:
            raise ModelUnavailable("nobody there")
        if ask.role in self.lines:
            told = self.lines[ask.role](ask)
            return Answer(ask.answer.model_validate(told), note(self, ask.prompt))
        return Answer(OfflineProvider().ask(ask).value, note(self, ask.prompt))

    @property
    def prompts(self) -> list[str]:
        """What was shown, whole, with ids by the order in which they were made or first shown."""
        return Names().of(f"{ask.prompt.system}\n{ask.prompt.user}" for ask in self.asked)


@dataclass
class Names:
    """Ids are drawn by chance: numbers stand for them, in the order of their first showing."""

    known: dict[str, str] = field(default_factory=dict)

    def of(self, texts: Any) -> list[str]:
        """Return the texts with each id replaced, the same one by the same number."""
        return [ID.sub(self._number, text) for text in texts]

    def _number(self, found: re.Match[str]) -> str:
        return self.known.setdefault(found[0], f"<id {len(self.known) + 1}>")
