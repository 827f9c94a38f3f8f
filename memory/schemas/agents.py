"""Whose memory a route is about when its path names no agent (SPEC E7)."""

from collections.abc import Mapping
from typing import Self

from memory.schemas.parsing import Body
from memory.schemas.records import ExactUuid


class AgentQuery(Body):
    """The parameter that names an agent."""

    agent: ExactUuid | None = None

    @classmethod
    def among(cls, parameters: Mapping[str, str]) -> Self:
        """Read it from among other parameters (ValidationFailed)."""
        return cls.parse({"agent": parameters["agent"]} if "agent" in parameters else {})
