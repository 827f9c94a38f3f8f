"""What the ledgers tell of merges and their undoing: the latest one, and who is apart (SPEC M9)."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from memory.models import Standing, StandingChange
from memory.policies.partings import Partings


def parted(agent_id: UUID) -> Partings:
    """Return what undoes have parted of an agent's memories, and nobody merged since."""
    lines = StandingChange.objects.filter(
        Q(event="absorbed", detail__has_key="merged")
        | Q(event="unmerged", detail__has_key="undoes"),
        agent_id=agent_id,
    )
    found = Partings()
    behind: dict[UUID, set[UUID]] = defaultdict(set)
    for line in sorted(lines.order_by("record_id", "revision"), key=_in_order()):
        did = line.detail
        if line.event == "absorbed":
            behind[line.record_id] |= {
                UUID(one["id"]) for one in (*did["merged"], *did["repointed"])
            }
            found.join([line.record_id, *behind[line.record_id]])
        else:
            alone = [[line.record_id], *([id_] for id_ in did["ids"])]
            parts = [[UUID(str(id_)) for id_ in part] for part in did.get("parts", alone)]
            behind |= {head: set(rest) for head, *rest in parts}
            found.part(parts)
    return found


def last_merge(agent_id: UUID, record_id: UUID) -> StandingChange | None:
    """Return the line of the latest merge into a standing that is not undone."""
    lines = StandingChange.objects.filter(
        agent_id=agent_id,
        record_id=record_id,
        event__in=("absorbed", "unmerged"),
        detail__has_any_keys=["merged", "undoes"],
    )
    undone: set[int] = set()
    for line in lines.order_by("-revision"):
        if line.event == "unmerged":
            undone.add(line.detail["undoes"])
        elif line.revision not in undone:
            return line
    return None


def parts_of(
    survivor: UUID,
    apart: Sequence[UUID],
    pointed: Mapping[UUID, UUID],
    held: Mapping[UUID, Standing],
) -> list[list[str]]:
    """Return in which parts a group goes: what is parted, each with what goes back behind it."""
    gone = {*apart, *pointed}
    stays = [id_ for id_, row in held.items() if row.merged_into_id == survivor and id_ not in gone]
    parts = [[survivor, *stays]]
    parts += [[id_, *(one for one, head in pointed.items() if head == id_)] for id_ in apart]
    return [[str(id_) for id_ in part] for part in parts]


def _in_order() -> Callable[[StandingChange], tuple[datetime, UUID, int]]:
    """Return a key for lines that come ledger by ledger: by time, but never against a ledger.

    Clocks may go back; revisions do not.
    """
    latest: dict[UUID, datetime] = {}

    def place(line: StandingChange) -> tuple[datetime, UUID, int]:
        latest[line.record_id] = max(line.at, latest.get(line.record_id, line.at))
        return (latest[line.record_id], line.record_id, line.revision)

    return place
