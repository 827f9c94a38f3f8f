"""Whose memory a route is about when its path names no agent (SPEC E7)."""

from collections.abc import Mapping
from typing import Self

from pydantic import Field

from memory.schemas.parsing import Body
from memory.schemas.records import ExactUuid

AGENT = (
    "The agent; it may be left out by a bearer, by who has only one, and where the path names a "
    "memory. Another user's is 404, as one that does not exist."
)


class AgentQuery(Body):
    """The parameter that names an agent."""

    agent: ExactUuid | None = Field(default=None, description=AGENT)

    @classmethod
    def among(cls, parameters: Mapping[str, str]) -> Self:
        """Read it from among other parameters (ValidationFailed)."""
        return cls.parse({"agent": parameters["agent"]} if "agent" in parameters else {})
