"""Merging what says the same, and undoing it (SPEC M9).

What is to be merged is found without a lock: what memories say never changes. Under the lock of the
agent the groups are held against what became of their members since, and then stored. Records and
links stay as they are; the ledgers of all that moved tell by what and why, and undo reads them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q

from memory.errors import NotFound, NotMerged
from memory.models import Standing
from memory.policies import duplicates as policy
from memory.policies import merging
from memory.policies.duplicates import Group, Memory, Plan
from memory.policies.freshness import iso
from memory.policies.partings import NONE, Partings
from memory.policies.standing import Moving
from memory.services import community, copies
from memory.services.forget import hold
from memory.services.partings import last_merge, parted, parts_of
from memory.services.standings import Cause, StandingMoved, moving_of, step_to
from memory.services.whole import whole

MERGED_TYPES = ("strategy_insight",)
NEWEST = 2_000
"""So many live memories of an agent are looked at, the newest ones; the rest by later calls."""
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


def preview(*, agent_id: UUID, again: bool = False, now: datetime) -> Plan:
    """Return what `merge` would do now, and which pairs are alike and stay apart."""
    apart = NONE if again else parted(agent_id)
    return policy.plan(_memories(agent_id, now=now), apart=apart)


def merge(
    *,
    agent_id: UUID,
    by: Cause,
    dry_run: bool = False,
    again: bool = False,
    only: Iterable[frozenset[UUID]] | None = None,
    now: datetime,
) -> Plan:
    """Merge live insights that say the same, and tell so in their ledgers; return what was done.

    With `dry_run` nothing is. What an undo has parted is not merged again, but with `again`; what
    is merged then is parted no longer. With `only`, none but groups of exactly these ids: what a
    person saw and confirmed. A copy that was shared of what is merged away is withdrawn.
    """
    found = preview(agent_id=agent_id, again=again, now=now)
    if only is not None:
        wanted = set(only)
        kept = tuple(group for group in found.groups if frozenset(group.ids) in wanted)
        found = replace(found, groups=kept)
    if dry_run or not found.groups:
        return found
    return replace(found, groups=_merge(agent_id, found.groups, by=by, again=again, now=now))


@whole
def undo(*, agent_id: UUID, record_id: UUID, by: Cause, now: datetime) -> list[UUID]:
    """Undo the latest merge into a memory; return what stands for itself again.

    The survivor is as it was before, exactly where nothing else has moved it since; else what the
    merge added is taken away. What was re-pointed goes back to where it was. What was deleted
    meanwhile stays so, and a withdrawn copy is not shared again. What would be over by its own time
    ends at `now`, and can be restored for the whole grace. NotFound: no such standing. NotMerged:
    no merge into it is left, or it is merged itself.
    """
    _lock(agent_id)
    line = last_merge(agent_id, record_id)
    did = {"merged": [], "repointed": []} if line is None else line.detail
    apart = [UUID(one["id"]) for one in did["merged"]]
    pointed = {UUID(one["id"]): UUID(one["from"]) for one in did["repointed"]}
    others = _held(agent_id, [record_id, *apart, *pointed])
    survivor = others.pop(record_id, None)
    if survivor is None:
        raise NotFound("there is no such standing for this agent")
    if survivor.merged_into_id is not None or line is None:
        raise NotMerged("no merge into this memory is left to be undone here")
    parts = parts_of(record_id, apart, pointed, others)
    for id_ in apart:
        _part(others.get(id_), record_id, None, by=by, now=now)
    for id_, head in pointed.items():
        back = head if head in others else None
        _part(others.get(id_), record_id, back, by=by, now=now)
    before, after = (Moving.from_json(state or {}) for state in (line.before, line.after))
    was = moving_of(survivor)
    left = merging.released(was, before=before, after=after)
    ends = left if left.expires_at == was.expires_at else merging.parted(left, now=now)
    told = {
        "undoes": line.revision,
        "ids": [str(id_) for id_ in apart],
        "parts": parts,
        **_own_end(left, ends),
    }
    _move(survivor, ends, event="unmerged", by=by, detail=told, now=now)
    return [id_ for id_ in apart if id_ in others]


@whole
def _merge(
    agent_id: UUID, groups: Sequence[Group], *, by: Cause, again: bool, now: datetime
) -> tuple[Group, ...]:
    """Merge what is left of groups; return what was merged."""
    _lock(agent_id)
    apart = NONE if again else parted(agent_id)
    # All rows at first, in one order: others lock several, too, and a withdrawal holds the counts
    # of all copies, and may wait for nobody then.
    held = _held(agent_id, [id_ for group in groups for id_ in group.ids])
    copies.hold(agent_id, held)
    return tuple(
        done for group in groups for done in _merge_group(group, held, apart, by=by, now=now)
    )


def _lock(agent_id: UUID) -> None:
    """Wait until nobody else merges for the agent, and keep them waiting until the commit."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK, [f"duplicates {agent_id}"])


def _memories(agent_id: UUID, *, now: datetime) -> list[Memory]:
    """Return the live insights of an agent, the newest ones, and what is merged into them."""
    standings = Standing.objects.filter(agent_id=agent_id, type__in=MERGED_TYPES)
    live = Q(expires_at__isnull=True) | Q(expires_at__gt=now)
    heads = standings.filter(live, merged_into__isnull=True).order_by("-created_at", "-record_id")
    ids = list(heads.values_list("record_id", flat=True)[:NEWEST])
    rows = standings.filter(Q(record_id__in=ids) | Q(merged_into__in=ids)).select_related("record")
    return [memory_of(row) for row in rows]


def memory_of(standing: Standing) -> Memory:
    """Return a standing, fetched with its record, as it is compared."""
    digest = standing.config_hash
    return Memory(
        id=standing.record_id,
        created_at=standing.created_at,
        content=standing.record.content,
        type=standing.type,
        symbol=standing.symbol_id,
        strategy_type=standing.strategy_type,
        outcome=standing.outcome,
        timeframe=standing.record.timeframe,
        config=standing.config,
        config_hash=None if digest is None else bytes(digest),
        confidence=standing.confidence,
        validated_count=standing.validated_count,
        merged_into=standing.merged_into_id,
    )


def _held(agent_id: UUID, ids: Iterable[UUID]) -> dict[UUID, Standing]:
    """Lock standings and what is merged into them, and return them."""
    locked = hold(agent_id=agent_id, record_ids=list(ids))
    rows = Standing.objects.filter(agent_id=agent_id, record_id__in=locked)
    return {row.record_id: row for row in rows.select_related("record").order_by("record_id")}


def _merge_group(
    group: Group, held: dict[UUID, Standing], apart: Partings, *, by: Cause, now: datetime
) -> Iterator[Group]:
    """Merge what is left of a group that was found before the lock; yield what was merged.

    Its members are compared again as they are now: some may have ended or been merged since, and
    others may have been merged into them.
    """
    ids = set(group.ids)
    ours = [row for id_, row in held.items() if id_ in ids or row.merged_into_id in ids]
    live = {row.record_id for row in ours if moving_of(row).is_live(now=now)}
    still = [row for row in ours if row.record_id in live or row.merged_into_id in live]
    for found in policy.plan((memory_of(row) for row in still), apart=apart).groups:
        _absorb(found, held, by=by, now=now)
        yield found


def _absorb(group: Group, held: dict[UUID, Standing], *, by: Cause, now: datetime) -> None:
    """Merge a group whose rows are held; what stood behind its members is pointed on."""
    survivor = held[group.survivor]
    brought, merged, repointed = [], [], []
    for pair in group.merged:
        row = held[pair.other]
        told = {"id": str(pair.other), "score": str(pair.score), "how": pair.how}
        if row.visibility == "community":
            _withdraw(row, by=by, now=now)
        brought.append(moving_of(row))
        merged.append(told)
        _point(row, group.survivor, "merged", by=by, detail=told, now=now)
        for one in held.values():
            if one.merged_into_id == row.record_id:
                repointed.append({"id": str(one.record_id), "from": str(row.record_id)})
                _point(one, group.survivor, "merged", by=by, detail=repointed[-1], now=now)
    _move(
        survivor,
        merging.absorbed(moving_of(survivor), brought),
        event="absorbed",
        by=by,
        detail={"merged": merged, "repointed": repointed},
        now=now,
    )


def _withdraw(row: Standing, *, by: Cause, now: datetime) -> None:
    """Withdraw the shared copy of what is merged away: its survivor may be shared in its place."""
    community.unshare(
        agent_id=row.agent_id, record_id=row.record_id, by=by, reason="merged", now=now
    )
    row.refresh_from_db(fields=["visibility", "revision"])


def _part(
    row: Standing | None, survivor: UUID, back: UUID | None, *, by: Cause, now: datetime
) -> None:
    """Let a member stand for itself again, or behind `back`; one that has gone stays gone."""
    if row is None or row.merged_into_id != survivor:
        return
    was = moving_of(row)
    ends = was if back else merging.parted(was, now=now)
    detail = {"from": str(survivor), **_own_end(was, ends)}
    _move(row, replace(ends, merged_into=back), event="unmerged", by=by, detail=detail, now=now)


def _own_end(was: Moving, after: Moving) -> dict[str, str]:
    """Return what a line tells of a life that ended meanwhile, and ends anew."""
    if was.expires_at is None or was == after:
        return {}
    return {"own_end": iso(was.expires_at)}


def _point(
    row: Standing,
    into: UUID | None,
    event: str,
    *,
    by: Cause,
    detail: dict[str, Any],
    now: datetime,
) -> None:
    after = replace(moving_of(row), merged_into=into)
    _move(row, after, event=event, by=by, detail=detail, now=now)


def _move(
    row: Standing, after: Moving, *, event: str, by: Cause, detail: dict[str, Any], now: datetime
) -> None:
    """Move a standing that is held, and the row with it."""
    if not step_to(
        after,
        before=moving_of(row),
        agent_id=row.agent_id,
        record_id=row.record_id,
        revision=row.revision + 1,
        event=event,
        cause=by,
        detail=detail,
        at=now,
    ):
        raise StandingMoved("the standing is being moved by others; try again")
    row.revision += 1
    row.merged_into_id = after.merged_into
