"""What was purged: in no list, count or search; in links and lineage, as a tombstone (M3, R17)."""

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from io import StringIO
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.errors import IdempotencyConflict, InvalidMemoryLink
from memory.management.progress import Lines
from memory.models import Agent, Record, RecordLink, Run, Standing
from memory.policies.vocabulary import TIERS
from memory.schemas.browsing import BrowseQuery
from memory.schemas.records import RecordDraft
from memory.schemas.search import SearchQuery
from memory.selectors import browsing
from memory.selectors.recall import View, Wanted, recall
from memory.selectors.search import search
from memory.selectors.types import TypesInUse
from memory.services import endings, runs, verification
from memory.services.forget import forget
from memory.services.once import publish_once
from memory.services.purge import backlog, purge
from memory.services.standings import Cause
from tests.desk import BECAUSE, Desk, make_desk, note
from tests.memory.history import bring, elsewhere, records_of, whole
from tests.strategies import end, merge, remember
from trading.context import read_context

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
BY = Cause("test")
NO_GRACE = timedelta(0)


def gone(*ids: UUID, now: datetime) -> None:
    """Let memories end and be purged."""
    for one in ids:
        end(one, now=now)
    assert purge(by=BY, now=now, grace=NO_GRACE).rows == len(ids)


def listed(agent_id: UUID, *, now: datetime, **asked: str) -> list[UUID]:
    matching = browsing.matching(agent_id, BrowseQuery.parse(asked), now=now)
    return [record.id for record in matching.page(after=None, count=200)]


def counted(agent_id: UUID, *, now: datetime) -> dict[str, int]:
    types = TypesInUse(agent_id, window=None, now=now)
    rows = types.rows(place=None, backwards=False, count=50)
    return {row.type: row.count for row in rows}


def is_whole(agent: Agent) -> None:
    assert [*verification.verify(agent, progress=Lines(StringIO()))] == []


@pytest.mark.spec("M3", "R17", "E6")
def test_a_purged_memory_is_in_no_list_no_count_and_no_search(desk: Desk, now: datetime) -> None:
    facts: dict[str, Any] = {"symbol": "ETH", "strategy_type": "breakout", "tags": ["adx"]}
    lost = remember(desk, "a heron", now=now - MINUTE, **facts)
    rule = remember(desk, "a heron", now=now - MINUTE, type="rule", tags=["adx"])
    kept = remember(desk, "a heron", now=now - 2 * MINUTE, **facts)
    gone(lost, rule, now=now)
    agent = desk.agent.id
    for asked in ({}, {"type": "rule"}, {"tag": "adx"}, {"q": "heron"}, {"scope": "agent"}):
        assert listed(agent, now=now, **asked) == ([] if asked == {"type": "rule"} else [kept])
    assert counted(agent, now=now) == {"strategy_insight": 1}
    for question in ({}, {"query": "heron"}, {"tags": ["adx"]}):
        asked_of = SearchQuery.parse({"symbol": "ETH", "strategy_type": "breakout", **question})
        answer = search(agent_id=agent, asked=asked_of, now=now)
        assert [item.memory_id for item in answer.items] == [kept]
    for at in (now - MINUTE, now):
        view = View(agent_id=agent, at=at)
        assert recall(view=view, wanted=Wanted(type="rule")) == []
    reasons = []
    for why in (lost, unknown := uuid4()):
        asked_why = SearchQuery.parse({"symbol": "ETH", "why_not": str(why)})
        told = search(agent_id=agent, asked=asked_why, now=now).model_dump_json()
        reasons.append(told.replace(str(why), "it"))
    assert reasons[0] == reasons[1]
    answers = [desk.client().get(desk.path(f"memories/{one}/")) for one in (lost, unknown)]
    assert [one.status_code for one in answers] == [404, 404]
    assert answers[0].json() == answers[1].json()


@pytest.mark.spec("M3", "R17", "C14", "B3", "U4")
def test_links_lineage_and_context_are_as_they_were(desk: Desk, now: datetime) -> None:
    insight = remember(desk, now=now - MINUTE, symbol="ETH")
    derived = {"target_memory_id": str(insight), "link_type": "derived_from"}
    rule = desk.write("autopilot", now=now - MINUTE, type="rule", links=[derived]).id
    fix = desk.correct(rule, now=now, type="fix", instruments=["ETH"])
    evidence = {"target_memory_id": str(rule), "link_type": "evidence"}
    decision = desk.write("trading", now=now, type="trading_decision", links=[evidence])
    unchanging = Record.objects.values("id", "seq", "content_digest", "run_id", "producer_id")
    before, links = list(unchanging.order_by("seq")), list(RecordLink.objects.values())

    def context() -> Any:
        return read_context(agent_id=desk.agent.id, instrument="ETH", now=now, learnings_limit=9)

    served = context()
    assert [(one.memory_id, one.status) for one in served.evidence] == [(fix.id, "superseded")]
    gone(insight, rule, now=now)
    assert context() == served
    assert list(unchanging.order_by("seq")) == before
    assert list(RecordLink.objects.values()) == links
    path = desk.path(f"memories/{decision.id}/lineage/")
    nodes = desk.client("review").get(path).json()["nodes"]
    assert [(one["id"], one["distance"], one["erased"]) for one in nodes] == [
        (str(decision.id), 0, False),
        (str(rule), 1, True),
        (str(insight), 2, True),
        (str(fix.id), 2, False),
    ][: len(nodes)]
    shown = next(one for one in nodes if one["id"] == str(rule))
    assert (shown["status"], shown["type"]) == (None, "rule")
    assert not {"content", "metadata", "tags"} & set(shown)
    own = desk.client("review").get(desk.path(f"memories/{rule}/lineage/"))
    assert own.status_code == 200
    is_whole(desk.agent)


@pytest.mark.spec("M3", "R7")
def test_nothing_new_links_to_a_purged_memory(desk: Desk, now: datetime) -> None:
    kept, lost = remember(desk, now=now), remember(desk, now=now)
    gone(lost, now=now)
    links = [
        {"target_memory_id": str(one), "link_type": "evidence"} for one in (kept, lost, uuid4())
    ]
    with pytest.raises(InvalidMemoryLink) as error:
        desk.write("trading", now=now, type="trading_decision", links=links)
    assert error.value.fields == {"link_index": 1}


@pytest.mark.spec("M3", "M9", "R13")
def test_nothing_comes_back_in_its_place(desk: Desk, now: datetime) -> None:
    older = remember(desk, "old", now=now - MINUTE, symbol="ETH")
    survivor = remember(desk, "new", now=now, symbol="ETH")
    merge(older, survivor, now=now)
    actor, key = desk.actor("autopilot", now=now), uuid4()
    draft = RecordDraft.parse(note(type="rule", content="said once"))
    rule, _ = publish_once(actor=actor, draft=draft, key=key, now=now)
    exported = whole(desk.agent)
    end(survivor, now=now)
    end(rule.id, now=now)
    assert purge(by=BY, now=now, grace=NO_GRACE).rows == 3
    assert listed(desk.agent.id, now=now) == []
    with pytest.raises(IdempotencyConflict):
        publish_once(actor=actor, draft=draft, key=key, now=now)
    report = bring(desk.agent, exported, now=now)
    assert (report.created, report.unchanged, report.moved) == (0, 3, 0)
    assert not Standing.objects.exists()
    is_whole(desk.agent)


@pytest.mark.spec("M3", "U3", "U4", "M5")
def test_tombstones_are_exported_imported_and_verified(
    empty: Agent, desk: Desk, now: datetime
) -> None:
    def build(there: Desk) -> None:
        survivor, merged, kept = (remember(there, f"memory {n}", now=now) for n in range(3))
        merge(merged, survivor, now=now)
        for one in (survivor, kept):
            link = {"target_memory_id": str(one), "link_type": "derived_from"}
            there.write("autopilot", now=now, type="rule", links=[link])
        end(survivor, now=now)
        assert purge(by=BY, now=now, grace=NO_GRACE, agent_id=there.agent.id).rows == 2

    data = elsewhere(build, now=now)
    for told in records_of(data)[:2]:
        assert (told["content"], told["metadata"], told["tags"], "standing" in told) == (
            *("", {}, []),
            False,
        )
        last = told["ledger"][-1]
        assert (last["event"], last["after"], last["at"]) == ("purged", None, told["purged_at"])
    bring(empty, data, now=now)
    assert whole(empty) == data
    assert (len(listed(empty.id, now=now)), counted(empty.id, now=now)) == (
        3,
        {"rule": 2, "strategy_insight": 1},
    )
    gone(remember(desk, now=now), now=now)
    out = StringIO()
    call_command("verify_memory", "--json", stdout=out, stderr=StringIO())
    assert json.loads(out.getvalue())["ok"] is True


TYPES = st.sampled_from(TIERS)
WHICH = st.integers(0, 30)
STEPS = st.one_of(
    st.fixed_dictionaries(
        {"do": st.just("write"), "type": TYPES, "outcome": st.sampled_from([None, "success"])}
    ),
    st.fixed_dictionaries({"do": st.just("write"), "type": TYPES, "outcome": st.none()}),
    st.fixed_dictionaries(
        {"do": st.sampled_from(["end", "restore", "forget", "link", "undo"]), "which": WHICH}
    ),
    st.fixed_dictionaries({"do": st.just("merge"), "which": WHICH, "into": WHICH}),
    st.fixed_dictionaries({"do": st.just("purge"), "grace": st.sampled_from([0, 1, 7, 40])}),
    st.fixed_dictionaries({"do": st.just("wait"), "days": st.sampled_from([0.5, 1, 8, 31, 91])}),
    st.fixed_dictionaries({"do": st.sampled_from(["open", "close"])}),
)
LIFE = {"success": 90, None: 30}


@dataclass
class Naive:
    """A memory as the specification tells of it."""

    type: str
    outcome: str | None
    ends: datetime | None
    into: UUID | None = None
    gone: bool = False

    def is_over(self, at: datetime) -> bool:
        return self.ends is not None and self.ends <= at

    def life(self, at: datetime) -> datetime | None:
        days = {"rule": None, "optimization": 60}.get(self.type, LIFE[self.outcome])
        return None if days is None else at + timedelta(days=days)


@dataclass
class Story:
    """A desk's memory beside plain dictionaries of it."""

    desk: Desk
    at: datetime
    known: dict[UUID, Naive] = field(default_factory=dict)
    sessions: list[Run] = field(default_factory=list)

    def pick(self, which: int) -> tuple[UUID, Naive] | None:
        alive = [(id_, one) for id_, one in self.known.items() if not one.gone]
        return alive[which % len(alive)] if alive else None

    def behind(self, id_: UUID) -> set[UUID]:
        """Return it and what is merged into it, through all mergers."""
        found = {id_}
        while (
            more := {k for k, one in self.known.items() if one.into in found and not one.gone}
            - found
        ):
            found |= more
        return found

    def bury(self, ids: set[UUID]) -> None:
        for one in ids:
            self.known[one].gone = True

    def do(self, step: dict[str, Any]) -> None:
        self.at += MINUTE
        getattr(self, step["do"])(step)

    def write(self, step: dict[str, Any]) -> None:
        outcome = step["outcome"] if step["type"] == "strategy_insight" else None
        id_ = remember(self.desk, "said", now=self.at, type=step["type"], outcome=outcome)
        self.known[id_] = new = Naive(step["type"], outcome, None)
        new.ends = new.life(self.at)

    def link(self, step: dict[str, Any]) -> None:
        if picked := self.pick(step["which"]):
            links = [{"target_memory_id": str(picked[0]), "link_type": "evidence"}]
            self.desk.write("trading", now=self.at, type="trading_decision", links=links)

    def end(self, step: dict[str, Any]) -> None:
        if picked := self.pick(step["which"]):
            end(picked[0], now=self.at)
            picked[1].ends = self.at

    def restore(self, step: dict[str, Any]) -> None:
        picked = self.pick(step["which"])
        if picked and picked[1].is_over(self.at) and picked[1].into is None:
            agent = self.desk.agent.id
            endings.restore(agent_id=agent, record_id=picked[0], now=self.at, **BECAUSE)
            picked[1].ends = picked[1].life(self.at)

    def merge(self, step: dict[str, Any]) -> None:
        one, into = self.pick(step["which"]), self.pick(step["into"])
        if one and into and one[0] != into[0] and into[1].into is None:
            # What stood behind it goes along: nothing is merged into what is merged itself.
            for id_ in sorted(self.behind(one[0])):
                merge(id_, into[0], now=self.at)
                self.known[id_].into = into[0]

    def undo(self, step: dict[str, Any]) -> None:
        if picked := self.pick(step["which"]):
            merge(picked[0], None, now=self.at)
            picked[1].into = None

    def forget(self, step: dict[str, Any]) -> None:
        if picked := self.pick(step["which"]):
            went = self.behind(picked[0])
            assert (
                set(
                    forget(
                        agent_id=self.desk.agent.id, record_ids=[picked[0]], now=self.at, **BECAUSE
                    )
                )
                == went
            )
            self.bury(went)

    def purge(self, step: dict[str, Any]) -> None:
        grace = timedelta(days=step["grace"])
        starts = [run.started_at for run in self.sessions]
        over = [
            id_
            for id_, one in self.known.items()
            if not one.gone and one.into is None and one.is_over(self.at - grace)
        ]
        due = {
            id_ for id_ in over if all(start >= (self.known[id_].ends or start) for start in starts)
        }
        went = {member for id_ in due for member in self.behind(id_)}
        held = {member for id_ in over for member in self.behind(id_)} - went
        asked: dict[str, Any] = {"now": self.at, "grace": grace}
        rows = backlog(**asked)
        assert (sum(row.due for row in rows), sum(row.held for row in rows)) == (
            len(went),
            len(held),
        )
        assert purge(by=BY, **asked).rows == len(went)
        self.bury(went)

    def wait(self, step: dict[str, Any]) -> None:
        self.at += timedelta(days=step["days"])

    def open(self, step: dict[str, Any]) -> None:
        del step
        producer = self.desk.producers["autopilot"]
        self.sessions.append(runs.start_run(producer=producer, now=self.at, times_out=False))

    def close(self, step: dict[str, Any]) -> None:
        del step
        if self.sessions:
            run = self.sessions.pop(0)
            runs.finish_run(run=run, status="succeeded", error="", now=self.at)

    def is_told(self) -> None:
        """Hold all that shows or counts strategy memory against the dictionaries."""
        agent = self.desk.agent.id
        alive = {id_ for id_, one in self.known.items() if not one.gone}
        shown = {
            id_
            for id_ in alive
            if self.known[id_].into is None and not self.known[id_].is_over(self.at)
        }
        assert set(Standing.objects.values_list("record_id", flat=True)) == alive
        tombstones = Record.objects.filter(type__in=TIERS, purged_at__isnull=False, content="")
        assert set(tombstones.values_list("id", flat=True)) == set(self.known) - alive
        strategies = [id_ for type_ in TIERS for id_ in listed(agent, now=self.at, type=type_)]
        assert (set(strategies), len(strategies)) == (shown, len(shown))
        counts = counted(agent, now=self.at)
        for type_ in TIERS:
            number = sum(self.known[id_].type == type_ for id_ in shown)
            assert counts.get(type_, 0) == number
        rules = {id_ for id_ in shown if self.known[id_].type == "rule"}
        found = recall(view=View(agent_id=agent, at=self.at), wanted=Wanted(type="rule"))
        assert {one.id for one in found} == rules
        found_too = search(agent_id=agent, asked=SearchQuery.parse({}), now=self.at)
        assert {item.memory_id for item in found_too.items} <= shown
        seqs = list(
            Record.objects.filter(agent=agent).order_by("seq").values_list("seq", flat=True)
        )
        assert seqs == list(range(1, len(seqs) + 1))
        is_whole(self.desk.agent)


@pytest.mark.spec("M3", "M9", "S2", "E3")
@given(steps=st.lists(STEPS, min_size=6, max_size=30))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_random_lives_end_as_a_naive_oracle_says(
    db: None, now: datetime, steps: list[dict[str, Any]]
) -> None:
    del db
    with transaction.atomic():
        story = Story(make_desk("ours", now=now), now)
        for step in steps:
            story.do(step)
        story.is_told()
        connection.cursor().execute("SET CONSTRAINTS ALL IMMEDIATE")
        transaction.set_rollback(True)
