"""Any history of sharing, judging, withdrawing and forgetting, beside a naive count of it (M8)."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.errors import TidebookError
from memory.models import SharedChange, SharedMemory, SharedPosting, SharedTail, Standing
from memory.policies.community import Finding, replay
from memory.policies.lifecycle import deprecate
from memory.services import community, standings
from memory.services.copies import state_of
from memory.services.forget import forget
from memory.services.standings import Cause
from tests.community import OWNER, judged, let_share, proven, ruled
from tests.desk import Desk, make_desk

DAY = timedelta(days=1)
LIFE = 90 * DAY
BACKTESTS = [UUID(int=number) for number in range(1, 4)]


@dataclass
class Copy:
    """A copy as it is counted: confidence in ten-thousandths."""

    parts: int
    count: int
    ends: datetime | None
    confirmations: int = 0
    judges: set[tuple[int, int]] = field(default_factory=set)
    is_ended: bool = False


@dataclass
class Naive:
    """A memory of the author, what became of it, and its copy."""

    parts: int
    ends: datetime | None
    copy: Copy | None = None
    is_gone: bool = False
    is_barred: bool = False


class World:
    """The store and the count of it, moved side by side."""

    def __init__(self, author: Desk, judges: list[Desk], *, now: datetime) -> None:
        self.author, self.judges, self.now, self.on = author, judges, now, True
        insights = [proven(author, f"insight {n}", now=now, confidence=f"0.{n}") for n in (2, 8)]
        rules = [
            ruled(author, insights, f"rule {n}", now=now, confidence=f"0.{n}") for n in (25, 9)
        ]
        self.ids = [*insights, *rules]
        self.naive = [
            Naive(2_000, now + LIFE),
            Naive(8_000, now + LIFE),
            Naive(2_500, None),
            Naive(9_000, None),
        ]
        let_share(author.agent)

    def share(self, place: int) -> None:
        memory = self.naive[place]
        told = self._tried(community.share, place)
        if memory.is_gone:
            assert told == "not_found"
        elif memory.copy is not None:
            assert told[1] is False
        elif not self.on:
            assert told == "sharing_off"
        elif memory.ends is not None and memory.ends <= self.now:
            assert told == "memory_ended"
        elif memory.is_barred or (place >= 2 and all(one.is_gone for one in self.naive[:2])):
            assert told == "community_gate"
        else:
            assert told[1] is True
            memory.copy = Copy(memory.parts, 1, memory.ends)

    def unshare(self, place: int) -> None:
        memory = self.naive[place]
        told = self._tried(community.unshare, place)
        assert told == ("not_found" if memory.copy is None else None)
        if memory.copy is not None:
            memory.is_barred |= memory.copy.is_ended
            memory.copy = None

    def judge(self, place: int, judge: int, backtest: int, finding: Finding) -> None:
        copy = self.naive[place].copy
        row = SharedMemory.objects.filter(source_id=self.ids[place]).first()
        assert (row is None) is (copy is None)
        if row is None or copy is None:
            return
        told = judged(
            row.id, self.judges[judge], finding, backtest=BACKTESTS[backtest], now=self.now
        )
        if judge == 0:
            assert told == "own"
        elif (judge, backtest) in copy.judges:
            assert told == "already"
        elif copy.ends is not None and copy.ends <= self.now:
            assert told == "ended"
        else:
            copy.judges.add((judge, backtest))
            up = finding == "confirms"
            copy.parts = min(copy.parts + 1_000, 10_000) if up else max(copy.parts - 500, 0)
            copy.count += 1 if up else -1
            copy.confirmations += up
            copy.is_ended = not up and (copy.parts <= 2_000 or copy.count <= -5)
            copy.ends = self.now if copy.is_ended else copy.ends
            said = "confirmed" if up else "deprecated" if copy.is_ended else "contradicted"
            assert told.event == said

    def deprecate(self, place: int) -> None:
        memory = self.naive[place]
        if memory.is_gone:
            return
        standings.move(
            agent_id=self.author.agent.id,
            record_id=self.ids[place],
            event="deprecated",
            cause=Cause("test"),
            step=lambda was: deprecate(was, now=self.now),
            now=self.now,
        )
        if memory.ends is None or memory.ends > self.now:
            memory.ends = self.now

    def forget(self, place: int) -> None:
        ids = [self.ids[place]]
        forget(agent_id=self.author.agent.id, record_ids=ids, by=OWNER, now=self.now)
        self.naive[place].is_gone, self.naive[place].copy = True, None

    def turn(self, on: bool) -> None:
        let_share(self.author.agent, enabled=on)
        self.on = on

    def wait(self, days: int) -> None:
        self.now += days * DAY

    def check(self) -> None:
        """Hold the store against the count."""
        rows = {row.source_id: row for row in SharedMemory.objects.all()}
        counted = {
            id_: memory.copy
            for id_, memory in zip(self.ids, self.naive, strict=True)
            if memory.copy is not None
        }
        assert rows.keys() == counted.keys()
        for id_, copy in counted.items():
            row = rows[id_]
            assert (int(row.confidence * 10_000), row.validated_count) == (copy.parts, copy.count)
            assert (row.community_confirmations, row.expires_at) == (copy.confirmations, copy.ends)
            lines = SharedChange.objects.filter(shared_id=row.id).order_by("revision")
            assert len(lines) == 1 + len(copy.judges)
            told = replay([(line.revision, line.before, line.after) for line in lines])
            assert told == state_of(row)
        for place, memory in enumerate(self.naive):
            standing = Standing.objects.filter(record_id=self.ids[place]).first()
            assert (standing is None) is memory.is_gone
            if standing is not None:
                is_shared = memory.copy is not None
                assert standing.visibility == ("community" if is_shared else "private")
                own = (int(standing.confidence * 10_000), standing.community_confirmations)
                assert (*own, standing.expires_at) == (memory.parts, 0, memory.ends)
        tail = SharedTail.objects.filter(id=1).first()
        words = sum(SharedPosting.objects.values_list("tf", flat=True))
        counts = (tail.text_records, tail.text_length) if tail else (0, 0)
        assert counts == (len(rows), words)

    def _tried(self, service: Any, place: int) -> Any:
        try:
            return service(
                agent_id=self.author.agent.id, record_id=self.ids[place], by=OWNER, now=self.now
            )
        except TidebookError as refusal:
            return refusal.code


PLACES = st.integers(0, 3)
MOVES = st.one_of(
    st.tuples(st.just("share"), PLACES),
    st.tuples(st.just("share"), PLACES),
    st.tuples(
        st.just("judge"),
        PLACES,
        st.integers(0, 3),
        st.integers(0, 2),
        st.sampled_from(["confirms", "contradicts", "contradicts"]),
    ),
    st.tuples(st.just("unshare"), PLACES),
    st.tuples(st.just("deprecate"), PLACES),
    st.tuples(st.just("forget"), PLACES),
    st.tuples(st.just("turn"), st.booleans()),
    st.tuples(st.just("wait"), st.sampled_from([0, 1, 45])),
)


@pytest.mark.spec("M8", "M4", "M5", "M3")
@given(moves=st.lists(MOVES, min_size=5, max_size=30))
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_history_leaves_what_a_naive_count_of_it_does(
    db: None, now: datetime, moves: list[tuple[Any, ...]]
) -> None:
    del db
    with transaction.atomic():
        author = make_desk("author", now=now)
        judges = [author, *(make_desk(f"judge {n}", now=now) for n in range(3))]
        world = World(author, judges, now=now)
        for name, *words in moves:
            getattr(world, name)(*words)
            world.check()
        with connection.cursor() as cursor:
            # What the database would refuse at the commit.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        transaction.set_rollback(True)
