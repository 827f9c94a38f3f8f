"""When which job of the store is due (SPEC J3). Each app may have such a module with SCHEDULES."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Every:
    """A job (dotted path of a `memory.tasks.Job`) that is due each `minutes` from midnight UTC.

    `offset` moves it: `Every("…", minutes=1440, offset=180)` is due at 03:00.
    """

    task: str
    minutes: int
    offset: int = 0

    def next_after(self, moment: datetime) -> datetime:
        """Return the first due time after a moment."""
        return moment - self._since(moment) + timedelta(minutes=self.minutes)

    def is_due_at(self, moment: datetime) -> bool:
        """Tell whether a moment is one of its due times."""
        return not self._since(moment)

    def _since(self, moment: datetime) -> timedelta:
        """Return how long before a moment it was last due."""
        return (moment - EPOCH - timedelta(minutes=self.offset)) % timedelta(minutes=self.minutes)


SCHEDULES = (
    Every("memory.tasks.heartbeat", minutes=1),
    Every("memory.tasks.janitor", minutes=1),
    Every("memory.tasks.run_timeouts", minutes=1),
    Every("memory.tasks.purge_memories", minutes=10, offset=5),
)
