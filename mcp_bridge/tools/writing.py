"""The write of one record (SPEC R3-R12, H4)."""

from datetime import datetime
from typing import Any

from mcp_bridge.budget import line
from mcp_bridge.tools.spec import Reply, ToolSpec
from memory.policies.ownership import TokenActor
from memory.schemas.answers import WrittenRecordOut
from memory.schemas.records import RecordDraft
from memory.selectors import access
from memory.services import publish

DESCRIPTION = """\
Store one memory of your agent: what was seen, concluded, decided or learned. It is kept for good \
and never edited; whole or not at all.

- Reuse stable types. The newest record of a type (of one producer, in one scope) stands for its \
kind in the trading context, so write "eth_5m_setup" each time, not "eth_5m_setup_1201".
- To correct a record, write a new one with a link of type "corrects" to the exact original. \
Both stay visible, and the correction ends with its original.
- Durable guidance about data quality is a record of its own, without that link: it would \
otherwise vanish with the record it corrects.
- Disagreement between producers stays visible: write your own view, do not overwrite another's.
- Copy the ids of links from what you were given, unchanged. Never guess one. After the error \
invalid_memory_link read the context again, repair only the link at link_index, and retry once.
- After a time-out, a lost connection or server_error the write is uncertain: report that, and do \
not repeat it.

Who writes, when, and in which run is set by the server. How long research stays fresh is set by \
the run's schedule; other roles may set metadata.valid_for_seconds or metadata.stale_after."""

ABOUT = {
    "type": "What kind of memory, in lower case with underscores. Reuse the same word each time. "
    "Reserved: trading_decision (trading), review and agent_learnings (review), rule, "
    "strategy_insight and optimization (autopilot); any other word belongs to analysis.",
    "scope": "agent: about no instrument. instruments: about those named in `instruments`.",
    "instruments": "Canonical names, e.g. ETH, PURR/USDC, xyz:TSLA; selected by your agent.",
    "timeframe": "The bars it was read from, or null.",
    "content": "What is remembered, in words; 1 to 32,768 characters.",
    "metadata": "A JSON object for programs, at most 64 KiB; handoff_version: 1 marks a handoff.",
    "tags": "Words to find it by; stored in lower case.",
    "links": "What it rests on: exact ids of your agent's records, and how they relate.",
}


def write(actor: TokenActor, arguments: dict[str, Any], now: datetime) -> Reply:
    """Publish what the arguments say, as the bearer."""
    writer = access.access_writer(actor, actor.agent_id)
    draft = RecordDraft.parse(arguments, context=publish.bounds())
    written = publish.publish(actor=writer, draft=draft, now=now)
    return Reply(text=line(written), data=written)


WRITE_MEMORY = ToolSpec(
    name="write_memory",
    title="Write a memory",
    description=DESCRIPTION,
    arguments=RecordDraft,
    answer=WrittenRecordOut,
    run=write,
    writes=True,
    idempotent=False,
    about=ABOUT,
)
