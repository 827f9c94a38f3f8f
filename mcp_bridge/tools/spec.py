"""What a tool is: names and schemas for the client, and one function over the store."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mcp_types import Tool, ToolAnnotations
from pydantic import BaseModel

from memory.policies.ownership import TokenActor
from memory.policies.rates import kind_of_call
from memory.policies.vocabulary import ROLES
from memory.policies.wording import uncite
from memory.schemas.parsing import Body, refuse_unknown
from memory.services.rates import admit

EVERYONE = frozenset(ROLES)
BROWSERS = EVERYONE - {"trading"}
"""Roles that may list and read records: trading reads context and learnings alone (SPEC C10)."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A tool's answer: text for a model to read, and the same as structured content."""

    text: str
    data: BaseModel


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """One tool. `run` parses the arguments, makes one domain call and translates its answer.

    `writes`: it changes the store, so it is never tried twice. `searches`: its calls are limited as
    searches (SPEC E5). `idempotent`: calling it again with the same arguments changes nothing more.
    `about` describes arguments by name. `allows` narrows the roles by what else is known of a
    bearer.
    """

    name: str
    title: str
    description: str
    arguments: type[Body]
    answer: type[BaseModel]
    run: Callable[[TokenActor, dict[str, Any], datetime], Reply]
    roles: frozenset[str] = EVERYONE
    allows: Callable[[TokenActor], bool] = lambda _: True
    writes: bool = False
    searches: bool = False
    idempotent: bool = True
    about: Mapping[str, str] = field(default_factory=dict)

    def is_for(self, actor: TokenActor) -> bool:
        """Tell whether a bearer may see and call it: one answer for the list and for the call."""
        return actor.role in self.roles and self.allows(actor)

    def kind_of(self, arguments: Mapping[str, Any]) -> str:
        """Return what kind of call it is, for the limits: REST's rule, `null` being nothing."""
        if self.searches:
            return "search"
        asked = {name for name, value in arguments.items() if value is not None}
        return kind_of_call(changes=self.writes, asked=asked)

    def admitted(self, actor: TokenActor, arguments: dict[str, Any], now: datetime) -> Reply:
        """Call it, unless the bearer called too often (RateLimited).

        ValidationFailed: an argument of a tool that reads is unknown; it names what there is.
        """
        admit(actor=actor, kind=self.kind_of(arguments), now=now)
        if not self.writes:
            refuse_unknown(arguments, schema=self.arguments, of="tool")
        return self.run(actor, arguments, now)

    def described(self) -> Tool:
        """Return the tool as it is listed."""
        schema = self.arguments.model_json_schema()
        answer = self.answer.model_json_schema(mode="serialization")
        for name, text in self.about.items():
            schema["properties"][name]["description"] = text
        for part in (schema, answer):
            uncite(part)
        return Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=schema,
            output_schema=answer,
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=not self.writes,
                destructive_hint=False,
                idempotent_hint=self.idempotent,
                open_world_hint=False,
            ),
        )
