"""An agent's intervals in time: each follows the one before, and ends after it began.

The database refuses anything else today. Earlier releases took what clocks and the order of waiting
made of it, and no import takes that.
"""

from collections.abc import Iterator
from uuid import UUID

from django.db import connection

from memory.services.verification.faults import Fault

SHOWN = 100
"""How many faults of one kind are named for an agent."""

_CHECKS = {
    "enablements": (
        "intervals in which the producer {} was enabled overlap",
        """
        SELECT DISTINCT p.name FROM memory_producer_enablement a
        JOIN memory_producer_enablement b ON b.agent_id = a.agent_id
            AND b.producer_id = a.producer_id AND b.enabled_at > a.enabled_at
            AND b.enabled_at < coalesce(a.disabled_at, 'infinity')
        JOIN memory_producer p ON p.agent_id = a.agent_id AND p.id = a.producer_id
        WHERE a.agent_id = %(agent)s
        """,
    ),
    "selections": (
        "intervals in which {} was selected overlap",
        """
        SELECT DISTINCT a.instrument_id FROM memory_selection a
        JOIN memory_selection b ON b.agent_id = a.agent_id AND b.instrument_id = a.instrument_id
            AND b.id <> a.id AND (b.selected_at, b.id) > (a.selected_at, a.id)
            AND b.selected_at < coalesce(a.deselected_at, 'infinity')
        WHERE a.agent_id = %(agent)s
        """,
    ),
    "runs": (
        "the run {} ended before it began",
        """
        SELECT u.id::text FROM memory_run u
        WHERE u.agent_id = %(agent)s AND u.ended_at < u.started_at
        """,
    ),
}


def faults(agent_id: UUID) -> Iterator[Fault]:
    """Yield intervals of the agent's set-up that are not one after the other."""
    for check, (what, statement) in _CHECKS.items():
        with connection.cursor() as cursor:
            cursor.execute(f"{statement} ORDER BY 1 LIMIT {SHOWN}", {"agent": agent_id})
            for (name,) in cursor.fetchall():
                yield Fault(check, agent_id, None, what.format(name))
