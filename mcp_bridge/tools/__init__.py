"""The tools, in the order in which they are listed (SPEC B3).

A tool of another subject is a module beside these, with its `ToolSpec` in `TOOLS`.
"""

from mcp_types import Tool

from mcp_bridge.tools.context import GET_INSTRUMENT_CONTEXT
from mcp_bridge.tools.learnings import GET_LEARNINGS
from mcp_bridge.tools.lineage import TRACE_LINEAGE
from mcp_bridge.tools.records import GET_MEMORY, LIST_MEMORIES
from mcp_bridge.tools.runs import FINISH_RUN, START_RUN
from mcp_bridge.tools.search import SEARCH_AGENT_MEMORY
from mcp_bridge.tools.spec import ToolSpec
from mcp_bridge.tools.writing import WRITE_MEMORY
from memory.policies.ownership import TokenActor

TOOLS: tuple[ToolSpec, ...] = (
    GET_INSTRUMENT_CONTEXT,
    GET_LEARNINGS,
    SEARCH_AGENT_MEMORY,
    LIST_MEMORIES,
    GET_MEMORY,
    TRACE_LINEAGE,
    WRITE_MEMORY,
    START_RUN,
    FINISH_RUN,
)

BY_NAME = {tool.name: tool for tool in TOOLS}
_LISTED = {tool.name: tool.described() for tool in TOOLS}


def listed_for(actor: TokenActor | None) -> list[Tool]:
    """Return the tools that a bearer may see and call, as they are listed; nobody's are none."""
    return [_LISTED[tool.name] for tool in TOOLS if actor is not None and tool.is_for(actor)]
