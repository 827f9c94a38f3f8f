"""An agent's memory over plain lists: the specification word by word, and nothing clever.

It knows of no heads, no statements and no policy: each answer is worked out anew from all that was
ever written (SPEC 2-4).
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

CYCLE = {"5m": timedelta(minutes=5), "15m": timedelta(minutes=15), "1h": timedelta(hours=1)}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ORDER = ["fresh", "stale", "disabled", "superseded", "withdrawn"]


@dataclass(eq=False)
class Interval:
    """From `start` until before `end`."""

    start: datetime
    end: datetime | None = None

    def holds(self, at: datetime) -> bool:
        """Tell whether `at` lies in it."""
        return self.start <= at and (self.end is None or at < self.end)


@dataclass(eq=False)
class Job:
    """A producer, and when it was enabled."""

    id: UUID
    role: str
    schedule: str | None
    enabled: list[Interval]

    def is_enabled(self, at: datetime) -> bool:
        """Tell whether it is enabled."""
        return any(interval.holds(at) for interval in self.enabled)

    def deadline(self, *, started: datetime, written: datetime) -> datetime | None:
        """Return the deadline of a record of a run that started then (SPEC F2, F8)."""
        if self.role != "analysis":
            return None
        if self.schedule is None:
            return written + timedelta(minutes=30)
        cycle = CYCLE[self.schedule]
        return started - (started - EPOCH) % cycle + 2 * cycle


@dataclass(eq=False)
class Note:
    """A record."""

    id: UUID
    job: Job
    type: str
    instruments: list[str]
    content: str
    created_at: datetime
    deadline: datetime | None
    originals: list[UUID]
    withdrawn: list[Interval] = field(default_factory=list)
    erased: bool = False

    @property
    def place(self) -> tuple[datetime, UUID]:
        """Where it stands in time."""
        return self.created_at, self.id

    def is_withdrawn(self, at: datetime) -> bool:
        """Tell whether it is withdrawn."""
        return any(interval.holds(at) for interval in self.withdrawn)


@dataclass(eq=False)
class Memory:
    """All that an agent ever wrote and chose."""

    notes: list[Note] = field(default_factory=list)
    selections: dict[str, list[Interval]] = field(default_factory=dict)

    def live(self) -> list[Note]:
        """Return what is not erased."""
        return [note for note in self.notes if not note.erased]

    def is_selected(self, instrument: str, at: datetime) -> bool:
        """Tell whether the agent has chosen it."""
        return any(interval.holds(at) for interval in self.selections.get(instrument, []))

    def types(self) -> dict[str, int]:
        """Return the types of what is not erased, with counts."""
        return dict(sorted(Counter(note.type for note in self.live()).items()))

    def browse(self, at: datetime, *, instrument: str | None = None) -> list[dict[str, Any]]:
        """Return the records, of an instrument or all, newest first, as a list shows them."""
        listed = []
        for note in sorted(self.live(), key=lambda note: note.place, reverse=True):
            if instrument is not None and instrument not in note.instruments:
                continue
            status = "withdrawn" if note.is_withdrawn(at) else "fresh"
            if status == "fresh" and note.deadline is not None and note.deadline <= at:
                status = "stale"
            if status == "fresh" and not note.job.is_enabled(at):
                status = "disabled"
            shown = {"id": note.id, "status": status, "expires_at": note.deadline}
            listed.append(shown if status == "withdrawn" else {**shown, "content": note.content})
        return listed

    def learnings(self, at: datetime) -> list[UUID]:
        """Return the lessons that are served, newest first."""
        return [
            note.id
            for note in sorted(self.live(), key=lambda note: note.place, reverse=True)
            if note.type == "agent_learnings" and not note.is_withdrawn(at)
        ]

    def newest(self, instrument: str) -> dict[UUID, Note]:
        """Return the newest note of each lane; of a lane whose newest is erased, nothing."""
        newest: dict[tuple[Any, ...], Note] = {}
        for note in self.notes:
            about = not note.instruments or instrument in note.instruments
            if note.job.role != "analysis" or not about:
                continue
            lane = (note.job.id, bool(note.instruments), frozenset(note.originals) or note.type)
            if lane not in newest or note.place > newest[lane].place:
                newest[lane] = note
        return {note.id: note for note in newest.values() if not note.erased}

    def context(
        self, instrument: str, *, past: int, at: datetime
    ) -> tuple[list[dict[str, Any]], bool]:
        """Return the evidence of an instrument in order, and whether there are more corrections."""
        view = View(self.newest(instrument), at)
        listed: list[dict[str, Any]] = []
        beyond = 0
        for note in sorted(view.here.values(), key=lambda note: note.place, reverse=True):
            if note.originals and note.deadline is not None and note.deadline <= at:
                beyond += 1
                if beyond > past:
                    continue
            shown: dict[str, Any] = {
                "memory_id": note.id,
                "status": view.status(note),
                "expires_at": view.deadline(note),
                "correction_target_ids": note.originals,
            }
            whole = {"content": note.content} if shown["status"] == "fresh" else {}
            listed.append({**shown, **whole})
        listed.sort(key=lambda shown: ORDER.index(shown["status"]))
        return listed, beyond > past


@dataclass(frozen=True)
class View:
    """What is in one context at a moment."""

    here: dict[UUID, Note]
    at: datetime

    def is_current(self, original: UUID) -> bool:
        """Tell whether a correction may rest on it."""
        if original not in self.here:
            return False
        return self.status(self.here[original]) not in {"withdrawn", "superseded"}

    def deadline(self, note: Note) -> datetime | None:
        """Return the earliest of its own deadline and those of its current originals."""
        current = [self.here[one] for one in note.originals if self.is_current(one)]
        known = [note.deadline, *map(self.deadline, current)]
        return min((moment for moment in known if moment is not None), default=None)

    def status(self, note: Note) -> str:
        """Return the status, by precedence."""
        if note.is_withdrawn(self.at):
            return "withdrawn"
        if note.originals and not any(map(self.is_current, note.originals)):
            return "superseded"
        until = self.deadline(note)
        if until is not None and until <= self.at:
            return "stale"
        return "fresh" if note.job.is_enabled(self.at) else "disabled"
