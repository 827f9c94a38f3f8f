"""Lessons that review drew, for the runs that come after (SPEC V2)."""

from datetime import datetime
from uuid import UUID

from django.db.models import Exists, Q, QuerySet

from memory.models import Record
from memory.selectors.timeline import withdrawn_at


def newest_learnings(agent_id: UUID, *, limit: int, now: datetime) -> QuerySet[Record]:
    """Return the agent's newest unexpired `agent_learnings`, newest first; no withdrawn ones."""
    return (
        Record.objects.filter(
            Q(stale_after__isnull=True) | Q(stale_after__gt=now),
            ~Exists(withdrawn_at(now)),
            agent_id=agent_id,
            type="agent_learnings",
            purged_at__isnull=True,
        )
        .only("id", "content", "created_at")
        .order_by("-created_at", "-id")[:limit]
    )
