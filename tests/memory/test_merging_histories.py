"""Merging and undoing in any order, held against a naive model of it (SPEC M5, M9)."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import combinations, product
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.errors import NotMerged
from memory.models import Standing
from memory.services import duplicates
from memory.services.partings import parted
from memory.services.standings import Cause, move, moving_of, replayed
from tests.desk import Desk
from tests.memory.wording import IDEAS
from tests.strategies import remember

BY = Cause("user", "1")
HOUR = timedelta(hours=1)
WORDS = [idea.seen for idea in IDEAS[:3]]

MADE = st.fixed_dictionaries(
    {
        "idea": st.integers(0, 2),
        "way": st.integers(0, 4),
        "confidence": st.sampled_from(["0.5", "0.7", "0.9"]),
        "count": st.integers(-2, 4),
        "tags": st.lists(st.sampled_from("abcd"), max_size=3, unique=True),
        "config": st.sampled_from([None, None, 1, 2]),
    }
)
STEPS = st.lists(
    st.one_of(
        MADE.map(lambda made: ("make", made)),
        st.booleans().map(lambda again: ("merge", again)),
        st.integers(0, 9).map(lambda number: ("undo", number)),
        st.tuples(st.just("confirm"), st.integers(0, 9)),
        st.tuples(st.just("wait"), st.sampled_from([1, 29, 61])),
    ),
    min_size=3,
    max_size=14,
)


@dataclass
class Known:
    """What the model knows of one standing."""

    count: int
    tags: list[str]
    ends: datetime
    into: UUID | None = None
    confirmed: int = 0


@dataclass
class Model:
    """The standings, and each merge with what all looked like before it."""

    known: dict[UUID, Known] = field(default_factory=dict)
    merges: list[tuple[UUID, list[UUID], dict[UUID, Known], datetime]] = field(default_factory=list)
    parted: set[frozenset[UUID]] = field(default_factory=set)

    def merge(self, groups: list[list[UUID]], *, again: bool) -> None:
        for survivor, *others in groups:
            groups_now = [self.group(id_) for id_ in (survivor, *others)]
            for ours, theirs in combinations(groups_now, 2):
                pairs = {frozenset(pair) for pair in product(ours, theirs)}
                # What was parted is merged by nobody who did not ask for it.
                assert again or not pairs & self.parted
                self.parted -= pairs
            before = deepcopy(self.known)
            one = self.known[survivor]
            for id_ in others:
                other = self.known[id_]
                one.count += other.count
                one.tags += [tag for tag in other.tags if tag not in one.tags]
                one.ends = max(one.ends, other.ends)
            self.merges.append((survivor, others, before, one.ends))
            for row in self.known.values():
                row.into = survivor if row.into in others else row.into
            for id_ in others:
                self.known[id_].into = survivor

    def group(self, head: UUID) -> list[UUID]:
        """Return a memory and what is merged into it."""
        return [head, *(id_ for id_, row in self.known.items() if row.into == head)]

    def undo(self, survivor: UUID, *, now: datetime) -> list[UUID] | None:
        """Undo the latest merge into it; what it was confirmed since, it keeps.

        Whose own time has not passed has it again; whose has, ends now.
        """
        row = self.known[survivor]
        mine = [merge for merge in self.merges if merge[0] == survivor]
        if row.into is not None or not mine:
            return None
        self.merges.remove(mine[-1])
        _, others, before, ended = mine[-1]
        then = before[survivor]
        row.count = then.count + row.confirmed - then.confirmed
        row.tags = list(then.tags)
        if row.ends == ended != then.ends:
            row.ends = max(then.ends, now)
        for id_, was in before.items():
            one = self.known[id_]
            if was.into in others or id_ in others:
                one.into = was.into
                one.ends = one.ends if one.into else max(one.ends, now)
        groups = [self.group(id_) for id_ in (survivor, *others)]
        for ours, theirs in combinations(groups, 2):
            self.parted |= {frozenset(pair) for pair in product(ours, theirs)}
        return others


def run(desk: Desk, steps: list[tuple[str, Any]], *, now: datetime) -> Iterator[Model]:
    """Do the steps here and in the model, and yield the model after each."""
    model, ids, moment = Model(), [], now
    for what, told in steps:
        moment += HOUR
        if what == "make":
            id_ = _make(desk, told, now=moment)
            ids.append(id_)
            row = Standing.objects.get(record_id=id_)
            model.known[id_] = Known(told["count"], list(told["tags"]), row.expires_at or now)
        elif what == "merge":
            done = duplicates.merge(agent_id=desk.agent.id, by=BY, again=told, now=moment)
            model.merge([group.ids for group in done.groups], again=told)
        elif what == "wait":
            moment += told * 24 * HOUR
        elif ids and what == "undo":
            id_ = ids[told % len(ids)]
            try:
                undone = duplicates.undo(agent_id=desk.agent.id, record_id=id_, by=BY, now=moment)
            except NotMerged:
                undone = None
            assert undone == model.undo(id_, now=moment)
        elif ids:
            _confirm(desk, model, ids[told % len(ids)], now=moment)
        yield model


def _make(desk: Desk, told: dict[str, Any], *, now: datetime) -> UUID:
    return remember(
        desk,
        WORDS[told["idea"]][told["way"]].format(n="25", tf="1h"),
        now=now,
        tags=told["tags"],
        symbol="ETH",
        strategy_type="breakout",
        outcome="success",
        confidence=told["confidence"],
        validated_count=told["count"],
        config=None if told["config"] is None else {"n": told["config"]},
    )


def _confirm(desk: Desk, model: Model, id_: UUID, *, now: datetime) -> None:
    """Let something else move a standing that stands for itself."""
    if model.known[id_].into is None:
        model.known[id_].count += 1
        model.known[id_].confirmed += 1
        move(
            agent_id=desk.agent.id,
            record_id=id_,
            event="confirmed",
            cause=BY,
            step=lambda was: replace(was, validated_count=was.validated_count + 1),
            now=now,
        )


@pytest.mark.spec("M5", "M9")
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=STEPS)
def test_merges_and_their_undoing_come_to_what_a_naive_model_says(
    desk: Desk, now: datetime, steps: list[tuple[str, Any]]
) -> None:
    with transaction.atomic():
        for model in run(desk, steps, now=now):
            rows = {row.record_id: row for row in Standing.objects.filter(agent=desk.agent)}
            assert {
                id_: (row.validated_count, row.tags, row.expires_at, row.merged_into_id)
                for id_, row in rows.items()
            } == {
                id_: (one.count, one.tags, one.ends, one.into) for id_, one in model.known.items()
            }
            apart = parted(desk.agent.id)
            assert {
                frozenset(pair) for pair in combinations(rows, 2) if apart.has(*pair)
            } == model.parted
            for row in rows.values():
                assert replayed(desk.agent.id, row.record_id) == moving_of(row)
                into = row.merged_into_id
                assert into is None or rows[into].merged_into_id is None
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        transaction.set_rollback(True)


@pytest.mark.spec("M9")
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(some=st.lists(MADE, min_size=2, max_size=8))
def test_undoing_every_merge_restores_everything(
    desk: Desk, now: datetime, some: list[dict[str, Any]]
) -> None:
    with transaction.atomic():
        for at, told in enumerate(some):
            _make(desk, told, now=now + at * HOUR)
        before = {row.record_id: moving_of(row) for row in Standing.objects.all()}
        then = now + 20 * HOUR
        done = duplicates.merge(agent_id=desk.agent.id, by=BY, now=then)
        for group in done.groups:
            duplicates.undo(
                agent_id=desk.agent.id, record_id=group.survivor, by=BY, now=then + HOUR
            )
        assert {row.record_id: moving_of(row) for row in Standing.objects.all()} == before
        assert Decimal(len(done.groups)) == len({group.survivor for group in done.groups})
        transaction.set_rollback(True)
