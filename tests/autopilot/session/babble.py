"""A model outside that says text, and what an agent has before and after it was listened to."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db import connection
from pydantic import BaseModel, ValidationError

from autopilot.llm.offline.provider import OfflineProvider
from autopilot.llm.port import Answer, Ask, ModelNonsense, Role, note

MOVES_ON = {"memory_agent_tail", "memory_token"}
"""Tables whose rows tell how far things are, not what there is."""

type Says = str | Exception | Callable[[Ask[Any]], str]


@dataclass
class Babbler:
    """A model: in the roles of `says` it says that text, or raises that; in others it is offline.

    Its text is read as an adapter reads it: what is not in the shape asked for is nonsense.
    `asked` keeps each question, in order.
    """

    says: Mapping[Role, Says] = field(default_factory=dict)
    asked: list[Ask[Any]] = field(default_factory=list)
    name: str = "babbler"
    offline: bool = False

    def model(self, role: Role) -> str:
        return f"{role}-1"

    def ask[A: BaseModel](self, ask: Ask[A]) -> Answer[A]:
        self.asked.append(ask)
        if ask.role not in self.says:
            return Answer(OfflineProvider().ask(ask).value, note(self, ask.prompt))
        said = self.says[ask.role]
        if isinstance(said, Exception):
            raise said
        text = said if isinstance(said, str) else said(ask)
        try:
            return Answer(ask.answer.model_validate_json(text), note(self, ask.prompt))
        except ValidationError:
            raise ModelNonsense("not in the shape asked for") from None


def everything() -> Counter[tuple[str, str]]:
    """Return all rows of memory and autopilot as (table, JSON text)."""
    found: Counter[tuple[str, str]] = Counter()
    with connection.cursor() as cursor:
        for app in ("memory", "autopilot"):
            for model in apps.get_app_config(app).get_models():
                table = model._meta.db_table  # noqa: SLF001 - Django's documented name for it
                if table not in MOVES_ON:
                    cursor.execute(f'SELECT to_jsonb(t)::text FROM "{table}" t')
                    found.update((table, row) for (row,) in cursor.fetchall())
    return found
