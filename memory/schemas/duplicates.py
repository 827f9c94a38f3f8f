"""Merging what says the same: what is asked, and what is answered (SPEC M9, E6)."""

from decimal import Decimal
from typing import Literal
from uuid import UUID

from pydantic import Field

from memory.policies.duplicates import How, Plan
from memory.schemas.agents import AgentQuery
from memory.schemas.answers import Answer


class DeduplicateQuery(AgentQuery):
    """Of which agent, and whether in earnest."""

    dry_run: Literal["true", "false"] = Field(
        default="false", description="Tell what would be merged, and merge nothing."
    )
    again: Literal["true", "false"] = Field(
        default="false", description="Merge also what an undo has parted."
    )


class MergedOut(Answer):
    """A memory that another one stands for. `score`: how alike the two are, 0…1.

    `how`: by an equal `config`, by an equal `text`, or by other `words` for equal facts.
    """

    memory_id: UUID
    score: Decimal
    how: How


class GroupOut(Answer):
    """Memories that say the same, and the one that stands for them."""

    survivor: UUID
    merged: list[MergedOut]


class UnmergedOut(Answer):
    """What stands for itself again; what was deleted since it was merged is gone for good."""

    survivor: UUID
    parted: list[UUID]


class RelatedOut(Answer):
    """Two memories that are alike and stay apart.

    `differs` names the facts that keep them apart: `numbers`, `timeframes`, `instruments`,
    `classes` (directions, comparisons, outcomes, negations), `subjects` (indicators, patterns),
    `opposites`, `words`, `order`; or `group`: each is alike to some of the other's group alone;
    or `parted`: they say the same, and an undo has parted them.
    """

    memory_ids: tuple[UUID, UUID]
    score: Decimal
    differs: str


class DeduplicatedOut(Answer):
    """What was merged, or with `dry_run` would be. `deleted_count` is how many were merged away.

    Nothing is deleted: a merged memory is found under its survivor, and the merge can be undone.
    """

    deleted_count: int
    dry_run: bool
    groups: list[GroupOut]
    related: list[RelatedOut]

    @classmethod
    def of(cls, plan: Plan, *, dry_run: bool) -> "DeduplicatedOut":
        """Return the answer about what was merged."""
        return cls(
            deleted_count=plan.count,
            dry_run=dry_run,
            groups=[
                GroupOut(
                    survivor=group.survivor,
                    merged=[
                        MergedOut(memory_id=pair.other, score=pair.score, how=pair.how)
                        for pair in group.merged
                        if pair.how is not None
                    ],
                )
                for group in plan.groups
            ],
            related=[
                RelatedOut(
                    memory_ids=(pair.one, pair.other), score=pair.score, differs=pair.differs
                )
                for pair in plan.related
            ],
        )
