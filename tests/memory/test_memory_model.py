"""Whatever happens in whatever order, readers see what a naive account of it says (SPEC 2-4)."""

import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memory.errors import (
    AlreadyErased,
    AlreadyWithdrawn,
    InstrumentNotSelected,
    InvalidMemoryLink,
    InvalidMemoryTarget,
    NotFound,
    NotWithdrawn,
)
from memory.models import Producer, Record
from memory.policies.ownership import TokenActor
from memory.schemas.answers import RecordIdentityOut
from memory.schemas.browsing import BrowseQuery
from memory.schemas.records import RecordDraft
from memory.selectors import timeline
from memory.selectors.browsing import matching
from memory.selectors.heads import chosen
from memory.selectors.history import chosen_from_history
from memory.selectors.types import TypesInUse
from memory.services import publish, setup, tokens
from memory.services.runs import start_run_with_token
from tests.desk import Desk, make_desk, note
from tests.memory.naive_memory import Interval, Job, Memory, Note
from trading.context import read_context
from trading.schemas import EvidenceWhole

FULL = os.environ.get("TIDEBOOK_STRESS") == "full"
PAST = 2
"""Corrections past their deadline that a context lists here."""
INSTRUMENTS = ("ETH", "BTC")
TICK = timedelta(seconds=1)
TYPES = {
    "analysis": ["setup", "bias", "levels"],
    "review": ["agent_learnings", "review"],
    "trading": ["trading_decision"],
}

whose = st.sampled_from([0, 0, 0, 1])
which = st.integers(0, 200)
ABOUT = st.sampled_from([(), ("ETH",), ("ETH",), ("BTC", "ETH")])
WRITE = st.fixed_dictionaries(
    {
        "job": st.sampled_from([0, 0, 1, 2, 2, 3, 4]),
        "kind": st.integers(0, 2),
        "instruments": ABOUT,
        "evidence": which,
        "late": st.sampled_from([0, 0, 0, 1, 7, 40]),
    }
)
CORRECTION = st.fixed_dictionaries(
    {
        "job": st.sampled_from([0, 0, 1, 2, 2, 2, 3, 4]),
        "kind": st.integers(0, 2),
        "instruments": ABOUT,
        "originals": st.lists(which, min_size=1, max_size=3),
        "late": st.sampled_from([0, 0, 0, 1, 7]),
    }
)


class Side:
    """One agent in two accounts: the desk's, in the database, and the naive one."""

    def __init__(self, name: str, *, now: datetime) -> None:
        self.desk: Desk = make_desk(name, now=now)
        self.memory = Memory()
        self.jobs: list[Job] = []
        self.actors: list[TokenActor] = []
        begun = now - timedelta(days=30)
        for number, schedule in enumerate((None, "15m", "1h")):
            self._stand_up(
                setup.create_producer(
                    agent=self.desk.agent,
                    role="analysis",
                    name=f"analyst {number}",
                    schedule=schedule,
                    now=begun,
                )
            )
        for role in ("review", "trading"):
            self._stand_up(self.desk.producers[role])
        for instrument in INSTRUMENTS:
            self.memory.selections[instrument] = [Interval(begun)]

    def _stand_up(self, producer: Producer) -> None:
        _, clear = tokens.issue_token(producer=producer, now=producer.created_at)
        self.actors.append(tokens.authenticate(clear, now=producer.created_at))
        self.jobs.append(
            Job(producer.id, producer.role, producer.schedule, [Interval(producer.created_at)])
        )

    def producer(self, job: Job) -> Producer:
        """Return the row of a job."""
        return Producer.objects.get(id=job.id)

    def write(
        self,
        actor: TokenActor,
        job: Job,
        *,
        type_: str,
        instruments: Sequence[str],
        links: Sequence[tuple[Note, str]],
        started: datetime,
        at: datetime,
    ) -> None:
        """Publish at `at`; a refusal has to be the one that is due, and leaves nothing."""
        content = f"note {len(self.memory.notes)}"
        body = note(
            type=type_,
            content=content,
            instruments=list(instruments),
            links=[{"target_memory_id": str(to.id), "link_type": kind} for to, kind in links],
        )
        unselected = [not self.memory.is_selected(name, at) for name in instruments]
        erased = [to.erased for to, _ in links]
        try:
            written = publish.publish(actor=actor, draft=RecordDraft.parse(body), now=at)
        except InvalidMemoryTarget as refusal:
            assert refusal.fields == {"instrument_index": unselected.index(True)}
            return
        except InvalidMemoryLink as refusal:
            assert not any(unselected)
            assert refusal.fields == {"link_index": erased.index(True)}
            return
        assert not any(unselected)
        assert not any(erased)
        deadline = job.deadline(started=started, written=at)
        assert written.expires_at == deadline
        assert written.seq == len(self.memory.notes) + 1
        self.memory.notes.append(
            Note(
                id=written.id,
                job=job,
                type=type_,
                instruments=list(instruments),
                content=content,
                created_at=at,
                deadline=deadline,
                originals=[to.id for to, kind in links if kind == "corrects"],
            )
        )

    def note_of(self, number: int) -> Note | None:
        """Return a record, the newer ones more often."""
        notes = self.memory.notes
        return notes[-1 - number * number // 200 % len(notes)] if notes else None

    def entangled(self, number: int) -> Note | None:
        """Return, mostly, a record that corrects or is corrected."""
        notes = self.memory.notes
        corrected = {one for note in notes for one in note.originals}
        among = [note for note in notes if note.originals or note.id in corrected]
        return among[number % len(among)] if among and number % 4 else self.note_of(number)

    def corrects(self, numbers: Sequence[int]) -> list[tuple[Note, str]]:
        """Return links to these records."""
        found = [self.note_of(number) for number in numbers]
        return [(one, "corrects") for one in dict.fromkeys(found) if one is not None]

    def check(self, *, now: datetime) -> None:
        """Hold all that a reader is shown against the naive account."""
        ours = self.desk.agent.id
        for instrument in INSTRUMENTS:
            asked: dict[str, Any] = {"instrument": instrument, "past": PAST, "now": now}
            assert chosen(ours, **asked) == chosen_from_history(ours, **asked)
            if not self.memory.is_selected(instrument, now):
                with pytest.raises(InstrumentNotSelected):
                    self.context(instrument, now=now)
                continue
            evidence, more = self.memory.context(instrument, past=PAST, at=now)
            assert self.context(instrument, now=now) == (
                evidence,
                more,
                self.memory.learnings(now),
            )
            assert self.listed(now=now, instrument=instrument) == self.memory.browse(
                now, instrument=instrument
            )
        assert self.listed(now=now) == self.memory.browse(now)
        types = TypesInUse(ours, None, now).rows(place=None, backwards=False, count=100)
        assert [(one.type, one.count) for one in types] == list(self.memory.types().items())

    def context(
        self, instrument: str, *, now: datetime
    ) -> tuple[list[dict[str, Any]], bool, list[UUID]]:
        """Return what a trading run is given, as the naive account words it."""
        told = read_context(
            agent_id=self.desk.agent.id, instrument=instrument, now=now, learnings_limit=1_000
        )
        evidence = []
        for one in told.evidence:
            shown: dict[str, Any] = {
                "memory_id": one.memory_id,
                "status": one.status,
                "expires_at": one.expires_at,
                "correction_target_ids": one.correction_target_ids,
            }
            if isinstance(one, EvidenceWhole):
                shown["content"] = one.content
            evidence.append(shown)
        return evidence, told.more_corrections, [one.memory_id for one in told.learnings]

    def listed(self, *, now: datetime, **filters: str) -> list[dict[str, Any]]:
        """Return what browsing shows, likewise, page by page."""
        asked = BrowseQuery.parse(filters)
        listed: list[dict[str, Any]] = []
        rows: list[Record] = []
        while True:
            after = (rows[-1].created_at, rows[-1].id) if rows else None
            rows = matching(self.desk.agent.id, asked, now=now).page(after=after, count=9)
            if not rows:
                return listed
            listed += self._shown(rows, now=now)

    def _shown(self, rows: Sequence[Record], *, now: datetime) -> list[dict[str, Any]]:
        listed = []
        for one in timeline.answers(rows, now=now):
            shown: dict[str, Any] = {
                "id": one.id,
                "status": one.status,
                "expires_at": one.expires_at,
            }
            if not isinstance(one, RecordIdentityOut):
                shown["content"] = one.content
            listed.append(shown)
        return listed


class Desks(RuleBasedStateMachine):
    """Two agents side by side, on one clock that moves on with every step."""

    start: datetime

    def __init__(self) -> None:
        super().__init__()
        self.now = self.start
        # All of an example is undone at its end.
        self.atomic = transaction.atomic()
        self.atomic.__enter__()
        self.sides: list[Side] = []
        self.touched: set[Side] = set()
        self.runs: list[tuple[Side, Job, TokenActor, datetime]] = []

    @initialize(dice=st.randoms(use_true_random=False), busy=st.booleans())
    def set_up(self, dice: Random, busy: bool) -> None:
        """Make the agents, mostly with a past: few steps alone make no entangled one."""
        self.sides = [Side(name, now=self.now) for name in ("first", "second")]
        for _ in range(dice.randrange(10, 25) if busy else 0):
            side = dice.choice(self.sides)
            drawn: dict[str, Any] = {
                "job": dice.choice([0, 0, 1, 2, 2, 2, 3, 4]),
                "kind": dice.randrange(3),
                "instruments": dice.choice([(), ("ETH",), ("ETH",), ("BTC", "ETH")]),
                "late": dice.choice([0, 0, 0, 1, 7]),
            }
            originals = [dice.randrange(200) for _ in range(dice.randrange(4))]
            self.publish(side, drawn, side.corrects(originals))
            self.now += timedelta(minutes=dice.choice([0, 0, 0, 1, 5]))

    def acting(self, whose: int) -> Side:
        """Return the agent whose turn it is."""
        self.touched.add(self.sides[whose])
        return self.sides[whose]

    def tick(self) -> datetime:
        """Let a moment pass, and return it."""
        self.now += TICK
        return self.now

    @rule(minutes=st.sampled_from([1, 4, 16, 61]))
    def wait(self, minutes: int) -> None:
        """Let time pass, for both."""
        self.now += timedelta(minutes=minutes)
        self.touched.update(self.sides)

    @rule(whose=whose, writes=st.lists(WRITE, min_size=1, max_size=5))
    def write(self, whose: int, writes: list[dict[str, Any]]) -> None:
        """Write records, now or as such that were long under way."""
        side = self.acting(whose)
        for drawn in writes:
            known = side.note_of(drawn["evidence"])
            self.publish(side, drawn, [(known, "evidence")] if known else [])

    @rule(whose=whose, corrections=st.lists(CORRECTION, min_size=1, max_size=5))
    def correct(self, whose: int, corrections: list[dict[str, Any]]) -> None:
        """Correct records, which may be corrections themselves, of any role, or erased."""
        side = self.acting(whose)
        for drawn in corrections:
            self.publish(side, drawn, side.corrects(drawn["originals"]))

    def publish(self, side: Side, drawn: dict[str, Any], links: Sequence[tuple[Note, str]]) -> None:
        at = self.tick() - timedelta(minutes=drawn["late"])
        job = side.jobs[drawn["job"]]
        types = TYPES[job.role]
        side.write(
            side.actors[drawn["job"]],
            job,
            type_=types[drawn["kind"] % len(types)],
            instruments=drawn["instruments"],
            links=links,
            started=at,
            at=at,
        )

    @rule(whose=whose, job=st.integers(0, 2))
    def start_run(self, whose: int, job: int) -> None:
        """Start a run, in which records may be written much later."""
        side = self.acting(whose)
        _, _, clear = start_run_with_token(
            producer=side.producer(side.jobs[job]), now=self.tick(), life=timedelta(days=9)
        )
        frozen = side.jobs[job]
        # Its own copy of the schedule, whatever becomes of the producer's.
        copy = Job(frozen.id, frozen.role, frozen.schedule, frozen.enabled)
        self.runs.append((side, copy, tokens.authenticate(clear, now=self.now), self.now))

    @precondition(lambda self: self.runs)
    @rule(run=which, kind=st.integers(0, 2), originals=st.lists(which, max_size=1))
    def write_in_run(self, run: int, kind: int, originals: list[int]) -> None:
        """Write in a run that has been open for a while."""
        side, job, actor, started = self.runs[run % len(self.runs)]
        self.touched.add(side)
        side.write(
            actor,
            job,
            type_=TYPES["analysis"][kind],
            instruments=("ETH",),
            links=side.corrects(originals),
            started=started,
            at=self.tick(),
        )

    @rule(whose=whose, job=st.integers(0, 2), schedule=st.sampled_from([None, "5m", "15m", "1h"]))
    def change_schedule(self, whose: int, job: int, schedule: str | None) -> None:
        """Give a producer another schedule."""
        side = self.acting(whose)
        one = side.jobs[job]
        setup.change_schedule(producer=side.producer(one), schedule=schedule)
        one.schedule = schedule
        _, clear = tokens.issue_token(producer=side.producer(one), now=self.tick())
        side.actors[job] = tokens.authenticate(clear, now=self.now)

    @rule(whose=whose, job=st.integers(0, 3))
    def toggle(self, whose: int, job: int) -> None:
        """Disable an enabled producer, or enable a disabled one."""
        side, now = self.acting(whose), self.tick()
        one = side.jobs[job]
        last = one.enabled[-1]
        if last.end is None:
            assert setup.disable_producer(producer=side.producer(one), now=now)
            last.end = now
        else:
            assert setup.enable_producer(producer=side.producer(one), now=now)
            one.enabled.append(Interval(now))

    @rule(whose=whose, instrument=st.sampled_from(INSTRUMENTS))
    def choose(self, whose: int, instrument: str) -> None:
        """Deselect a selected instrument, or select it again."""
        side, now = self.acting(whose), self.tick()
        last = side.memory.selections[instrument][-1]
        if last.end is None:
            assert setup.deselect_instrument(agent=side.desk.agent, name=instrument, now=now)
            last.end = now
        else:
            setup.select_instrument(agent=side.desk.agent, name=instrument, now=now)
            side.memory.selections[instrument].append(Interval(now))

    @rule(whose=whose, number=which)
    def withdraw_or_restore(self, whose: int, number: int) -> None:
        """Withdraw a record, or restore it."""
        side, now = self.acting(whose), self.tick()
        one = side.entangled(number)
        if one is None:
            return
        is_open = bool(one.withdrawn) and one.withdrawn[-1].end is None
        if one.erased:
            with pytest.raises(NotFound):
                side.desk.withdraw(one.id, now=now)
        elif is_open:
            with pytest.raises(AlreadyWithdrawn):
                side.desk.withdraw(one.id, now=now)
            side.desk.restore(one.id, now=now)
            one.withdrawn[-1].end = now
        else:
            with pytest.raises(NotWithdrawn):
                side.desk.restore(one.id, now=now)
            side.desk.withdraw(one.id, now=now)
            one.withdrawn.append(Interval(now))

    @rule(whose=whose, number=which)
    def erase(self, whose: int, number: int) -> None:
        """Erase a record."""
        side, now = self.acting(whose), self.tick()
        one = side.entangled(number)
        if one is None:
            return
        if one.erased:
            with pytest.raises(AlreadyErased):
                side.desk.erase(one.id, now=now)
        else:
            side.desk.erase(one.id, now=now)
            one.erased = True

    @invariant()
    def readers_see_the_naive_account(self) -> None:
        """Look after every step; at what the other agent is shown, at the end."""
        for side in self.touched:
            side.check(now=self.now)
        self.touched.clear()

    def teardown(self) -> None:
        """Let the database check what it put off, and undo the example."""
        try:
            for side in self.sides:
                side.check(now=self.now)
            with connection.cursor() as cursor:
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        finally:
            transaction.set_rollback(True)
            self.atomic.__exit__(None, None, None)


@pytest.mark.stress
@pytest.mark.spec(
    "C1", "C3", "C6", "C7", "C8", "C14", "C17", "E3", "R3", "R7", "R8", "R15", "R17", "F3"
)
@pytest.mark.usefixtures("db")
def test_readers_see_what_a_naive_account_says_after_every_step(
    now: datetime, settings: Any
) -> None:
    settings.CONTEXT_PAST_CORRECTIONS = PAST
    Desks.start = now
    run_state_machine_as_test(
        Desks,
        settings=hypothesis_settings(
            max_examples=150 if FULL else 10,
            stateful_step_count=40 if FULL else 20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
