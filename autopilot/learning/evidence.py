"""What a rule may be made from: the newest insights of a type that a session sees (SPEC M6, A9)."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Q

from autopilot.learning.rules import told_support
from autopilot.learning.support import BEFORE_HOLDOUT, Fact, Support, weigh
from autopilot.models import SynthesisClaim
from memory.models import Standing
from memory.policies.duplicates import plan
from memory.policies.opposition import opposed_to
from memory.selectors.reach import OWN_ALONE
from memory.selectors.recall import Recalled, View, Wanted, recall
from memory.services.duplicates import memory_of

NEEDED = 3
"""So many insights make a rule, and so many new ones another try."""
NEWEST = 30
"""So many are shown to the synthesizer: more than the variants that most sessions try of a type.

Fewer would be those of one session, whose luck is one piece, and what guards ask for is two.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The insights that a rule is to be made from, newest first, and what they come to.

    They are as the session sees them, which is how a prompt may show them (SPEC A9).
    `windows` says which bars they come from, for the rule to keep: it outlives them. `hash` is
    SHA-256 over the ids, sorted: the key that two workers at the same set meet at. `opposed` are
    the insights in view that say the same as one of these, but for the outcome; `repeats` those of
    these that say the same as one another (SPEC M9), group by group.
    """

    agent_id: UUID
    strategy_type: str
    session_id: UUID
    insights: tuple[Recalled, ...]
    facts: tuple[Fact, ...]
    windows: tuple[dict[str, Any], ...]
    hash: bytes
    support: Support
    opposed: tuple[UUID, ...] = ()
    repeats: tuple[tuple[UUID, ...], ...] = ()

    @property
    def ids(self) -> list[UUID]:
        """The ids of the insights, newest first."""
        return [insight.id for insight in self.insights]

    def is_refused_anyway(self, *, promotion: str) -> bool:
        """Tell whether no rule could come of it, so that asking a model is in vain.

        Only what no holdout has a say in counts here: which calls a session makes must not depend
        on its holdout (SPEC A9). Outcomes are those of the bars before it.
        """
        short = bool(BEFORE_HOLDOUT & set(self.support.missing))
        return promotion == "guarded" and (short or bool(self.opposed))

    @property
    def missing_when_guarded(self) -> tuple[str, ...]:
        """What keeps a rule from promotion where that is guarded, an insight against it as well."""
        return (*self.support.missing_when_guarded, *(["unopposed"] if self.opposed else []))

    @property
    def told_opposed(self) -> list[str]:
        """The ids of what is opposed, as text."""
        return [str(id_) for id_ in self.opposed]

    def as_kept(self) -> dict[str, Any]:
        """Return what a claim keeps of it: it outlives the insights."""
        facts = [fact.as_json() for fact in self.facts]
        return {**told_support(self.support, self.told_opposed), "facts": facts}


def hash_of(ids: Sequence[UUID]) -> bytes:
    """Return SHA-256 over the sorted 16-byte ids."""
    return hashlib.sha256(b"".join(sorted(id_.bytes for id_ in ids))).digest()


def due(*, view: View, strategy_type: str, session_id: UUID, now: datetime) -> Evidence | None:
    """Return the evidence that a session should make a rule from at `now`; None: nothing to do.

    That is the newest insights of the type in the session's view, of any symbol, that are live
    still, when there are at least three and at least three of them were part of no synthesis
    before: one synthesis per new set, not one per insight. What other sessions learned since this
    one began is left to later ones, and what was learned on bars of its holdout is left out (SPEC
    A9). A set that this session claimed and never settled comes again as it was.
    """
    agent_id = view.agent_id
    known = _in_view(view, strategy_type, now=now)
    left = _left_open(agent_id, strategy_type, session_id)
    if left is not None:
        shown = [insight for insight in known if str(insight.id) in left.evidence]
        hash_ = bytes(left.evidence_hash)
        again = _evidence(agent_id, strategy_type, session_id, shown, hash_, known=known)
        if again is not None:
            return again
    shown = known[:NEWEST]
    ids = [insight.id for insight in shown]
    in_work = Q(status="claimed", lease_until__gt=now) & ~Q(session_id=session_id)
    if len(ids) < NEEDED or len(fresh(agent_id, strategy_type, ids, also=in_work)) < NEEDED:
        return None
    return _evidence(agent_id, strategy_type, session_id, shown, hash_of(ids), known=known)


def fresh(
    agent_id: UUID, strategy_type: str, ids: Sequence[UUID], *, also: Q | None = None
) -> set[UUID]:
    """Return those of the insights that no settled synthesis read, nor a claim that fits `also`."""
    settled = ~Q(status="claimed")
    read = SynthesisClaim.objects.filter(
        settled if also is None else settled | also,
        agent_id=agent_id,
        strategy_type=strategy_type,
        evidence__has_any_keys=[str(id_) for id_ in ids],
    ).values_list("evidence", flat=True)
    known = {told for evidence in read for told in evidence}
    return {id_ for id_ in ids if str(id_) not in known}


def _in_view(view: View, strategy_type: str, *, now: datetime) -> list[Recalled]:
    """Return the agent's own insights of a type in a view, newest first; none that ended since."""
    wanted = Wanted(type="strategy_insight", strategy_type=strategy_type)
    known = recall(view=replace(view, reach=OWN_ALONE), wanted=wanted)
    live = set(
        Standing.objects.filter(
            Q(expires_at__isnull=True) | Q(expires_at__gt=now),
            agent_id=view.agent_id,
            record_id__in=[insight.id for insight in known],
            merged_into__isnull=True,
        ).values_list("record_id", flat=True)
    )
    return [insight for insight in known if insight.id in live]


def _left_open(agent_id: UUID, strategy_type: str, session_id: UUID) -> SynthesisClaim | None:
    """Return the claim that a session left open, if any."""
    return (
        SynthesisClaim.objects.filter(
            agent_id=agent_id, strategy_type=strategy_type, session_id=session_id, status="claimed"
        )
        .order_by("-claimed_at", "evidence_hash")
        .first()
    )


def _evidence(
    agent_id: UUID,
    strategy_type: str,
    session_id: UUID,
    shown: Sequence[Recalled],
    hash_: bytes,
    *,
    known: Sequence[Recalled],
) -> Evidence | None:
    """Return what insights come to; None when too few are left, or one was forgotten meanwhile."""
    ids = [insight.id for insight in shown]
    standings = Standing.objects.filter(agent_id=agent_id).select_related("record")
    rows = standings.in_bulk([insight.id for insight in known])
    if len(ids) < NEEDED or any(id_ not in rows for id_ in ids):
        return None
    insights = [rows[id_] for id_ in ids]
    facts = tuple(Fact.of_insight(insight) for insight in insights)
    said = [memory_of(insight) for insight in insights]
    return Evidence(
        agent_id=agent_id,
        strategy_type=strategy_type,
        session_id=session_id,
        insights=tuple(shown),
        facts=facts,
        windows=tuple(_windows(insights)),
        hash=hash_,
        support=weigh(agent_id, facts),
        opposed=tuple(sorted(opposed_to(said, map(memory_of, rows.values())))),
        repeats=tuple(tuple(group.ids) for group in plan(said).groups),
    )


def _windows(insights: Sequence[Standing]) -> Iterator[dict[str, Any]]:
    """Yield the windows that the insights name, each once; an import may name none."""
    seen = []
    for insight in insights:
        window = insight.metrics.get("window")
        if isinstance(window, dict) and window not in seen:
            seen.append(window)
            yield window
