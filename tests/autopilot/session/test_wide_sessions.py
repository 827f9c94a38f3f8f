"""Sessions that read what others share and what was granted (SPEC A3, A4, M4, M6, M8, M10)."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from autopilot.learning.copies import judge_copies
from autopilot.llm.port import Ask
from autopilot.models import Backtest, Event, Judgement, Session, SynthesisClaim
from autopilot.session.steps import STEPS
from memory.models import Agent, Record, RecordLink, SharedChange, SharedMemory, Standing
from memory.services.community import JudgedCopy
from tests.autopilot.session.bench import Clock, begin, store_bars, take
from tests.autopilot.session.players import Player
from tests.autopilot.session.whole import advising, proposal
from tests.copies import copy, let_read, switch, withdraw
from tests.desk import Desk, make_desk
from tests.strategies import remember

DAY = timedelta(days=1)


class Others:
    """What other agents have that the first one may come to read, by what it is."""

    def __init__(self, desk: Desk, other: Desk, *, now: datetime) -> None:
        self.second = make_desk("second", now=now, user=desk.user)
        facts: dict[str, Any] = {"strategy_type": "trend_following", "outcome": "success"}
        then = now - DAY
        self.shared_source = remember(other, "Volume leads", now=then, type="rule", tags=["ema"])
        self.copied_source = remember(
            other, "Crosses carry", now=then, symbol="BTC", tags=["community_tag"], **facts
        )
        self.rule = copy(self.shared_source, now=then)
        self.insight = copy(self.copied_source, now=then)
        self.granted_rule = remember(self.second, "Ranges break", now=then, type="rule")
        self.granted = [
            remember(
                self.second, f"Said {n}", now=then, symbol="ETH", tags=["granted_tag"], **facts
            )
            for n in range(3)
        ]
        self.private = remember(other, "Nobody knows", now=then, type="rule")

    def let_in(self, desk: Desk, *, now: datetime) -> None:
        switch(desk.agent, on=True)
        let_read(desk, self.second, now=now - DAY)


@pytest.fixture
def ready(desk: Desk, now: datetime) -> Desk:
    """Return a desk whose ETH has synthetic hourly bars."""
    store_bars(now=now)
    return desk


@pytest.fixture
def others(ready: Desk, other: Desk, now: datetime) -> Others:
    return Others(ready, other, now=now)


def naming(*ids: UUID) -> Player:
    """Return a model that names these rules as applied, whatever it was offered."""
    named = {"applied_rule_ids": [str(id_) for id_ in ids]}
    return Player(lines={"evaluator": lambda _: named})


def whole(desk: Desk, provider: Player, *, now: datetime, **body: Any) -> Session:
    clock = Clock(now)
    session = begin(desk, now=clock(), max_iterations=2, **body)
    take(session.id, clock=clock, steps=STEPS, provider=provider)
    return Session.objects.get(id=session.id)


def events(session: Session, kind: str) -> list[Event]:
    return list(Event.objects.filter(session=session, kind=kind).order_by("seq"))


def shown(asked: list[Ask[Any]], *roles: str) -> dict[str, dict[str, Any]]:
    """Return the memories that these roles were shown, by id."""
    return {
        memory["id"]: memory
        for ask in asked
        if ask.role in roles
        for memory in ask.material["memories"]
    }


def again(desk: Desk, backtest: Backtest, copy_id: UUID, *, now: datetime) -> list[JudgedCopy]:
    """Let a backtest judge a copy once more."""
    return judge_copies(agent_id=desk.agent.id, backtest=backtest, applied=[copy_id], now=now)


@pytest.mark.spec("A3", "A4", "M8", "M10")
def test_researcher_and_advisor_are_told_where_a_memory_is_from_and_nobodys_ids(
    ready: Desk, other: Desk, others: Others, now: datetime
) -> None:
    others.let_in(ready, now=now)
    player = naming()
    session = whole(ready, player, now=now)
    for roles in (("researcher",), ("advisor_tags",)):
        memories = shown(player.asked, *roles)
        origins = {id_: memory["from"] for id_, memory in memories.items()}
        assert origins[str(others.rule)] == "the community"
        assert origins[str(others.granted_rule)] == "agent second"
        assert {origins[str(id_)] for id_ in others.granted} == {"agent second"}
    assert shown(player.asked, "researcher")[str(others.insight)]["from"] == "the community"
    assert str(others.rule) in shown(player.asked, "advisor")
    (told,) = events(session, "researched")
    assert told.data["origins"] == {"own": 0, "granted": 4, "community": 2}
    assert told.text.endswith(" From others: 2 [COMMUNITY 🌐], 4 [FROM second].")
    agents = Agent.objects.all()
    private = [others.shared_source, others.copied_source, others.private]
    private += [id_ for agent in agents for id_ in (agent.id, agent.node_uuid)]
    said = " ".join(f"{ask.prompt.system}{ask.prompt.user}" for ask in player.asked)
    assert not [id_ for id_ in private if str(id_) in said]
    assert other.agent.name not in said


@pytest.mark.spec("A10", "M8", "M10")
def test_events_tell_in_words_and_counts_whose_memory_an_advice_rests_on(
    ready: Desk, others: Others, now: datetime
) -> None:
    own = remember(ready, "Ours holds", now=now - DAY, type="rule")
    others.let_in(ready, now=now)
    cited = [str(id_) for id_ in (own, others.rule, others.granted_rule)]
    advices = [
        {"recommendation": "try it", "used_ids": ids, "strategy": proposal(name=f"no. {number}")}
        | {"strategy": proposal(foundations=[{"weight": 1, "block": {"type": block}}])}
        for number, (ids, block) in enumerate(
            [(cited, "donchian_break"), (cited[:1], "macd_cross")]
        )
    ]
    player = naming()
    player.lines["advisor"] = lambda _: advices.pop(0)
    first, second = events(whole(ready, player, now=now), "advised")
    assert first.data["memory_ids"] == cited
    assert first.data["origins"] == {"own": 1, "granted": 1, "community": 1}
    assert first.text.endswith(". From others: 1 [COMMUNITY 🌐], 1 [FROM second].")
    assert second.data["origins"] == {"own": 1, "granted": 0, "community": 0}
    assert "From others" not in second.text


@pytest.mark.spec("M4", "M8", "M10")
def test_a_backtest_judges_copies_once_and_what_was_granted_never(
    ready: Desk, others: Others, now: datetime
) -> None:
    others.let_in(ready, now=now)
    untouched = {
        one.record_id: one.revision
        for one in Standing.objects.filter(
            record_id__in=[others.shared_source, others.copied_source, others.granted_rule]
        )
    }
    named = (others.rule, others.granted_rule, others.insight, others.private)
    # What is tried is written down, and so are the verdicts: one confirms, one contradicts.
    player = naming(*named)
    tried = (
        proposal(foundations=[{"weight": 1, "block": {"type": type_}}])
        for type_ in ("donchian_break", "macd_cross")
    )
    player.lines["advisor"] = advising(*tried).lines["advisor"]
    session = whole(ready, player, now=now)
    told = events(session, "evaluated")
    for event in told:
        assert event.data["offered"] == [str(others.rule)]
        assert event.data["applied"] == [str(others.rule)]
        assert event.data["ignored_ids"] == [str(id_) for id_ in named[1:]]
        assert {move["origin"] for move in event.data["moved"]} <= {"community"}
    tests = Backtest.objects.filter(session=session).exclude(verdict="neither")
    lines = SharedChange.objects.exclude(event="shared").order_by("revision")
    assert sorted(line.backtest_id for line in lines if line.backtest_id) == sorted(
        tests.values_list("id", flat=True)
    )
    assert {line.shared_id for line in lines} == {others.rule}
    assert {line.agent_id for line in lines} == {ready.agent.id}
    assert [line.event for line in lines] == ["confirmed", "contradicted"]
    assert all(line.window and line.window["split"] for line in lines)
    assert "a community rule “Volume leads”" in told[-1].text
    assert not Judgement.objects.exists()
    after = Standing.objects.filter(record_id__in=untouched)
    assert {one.record_id: one.revision for one in after} == untouched
    # Done again, it moves nothing; nor does it once its author has withdrawn it.
    for test in tests:
        assert again(ready, test, others.rule, now=now + DAY) == []
    withdraw(others.rule, now=now + DAY)
    assert again(ready, tests[0], others.rule, now=now + DAY) == []


@pytest.mark.spec("M6", "M10", "A9")
def test_what_is_read_of_others_is_no_evidence_lends_no_tag_and_is_linked_by_nothing(
    ready: Desk, others: Others, now: datetime
) -> None:
    """Three granted insights of the type are there, and no rule comes of them."""
    others.let_in(ready, now=now)
    player = naming()
    session = whole(ready, player, now=now)
    own = set(Record.objects.filter(agent=ready.agent).values_list("id", flat=True))
    for claim in SynthesisClaim.objects.filter(agent=ready.agent):
        assert set(claim.evidence) <= {str(id_) for id_ in own}
    assert not Standing.objects.filter(agent=ready.agent, type="rule").exists()
    assert events(session, "no_synthesis")
    links = RecordLink.objects.filter(agent=ready.agent)
    assert set(links.values_list("target_id", flat=True)) <= own
    pools = {
        ask.role: ask.material["known_tags"] for ask in player.asked if "known_tags" in ask.material
    }
    assert {"granted_tag", "community_tag"} <= set(pools["advisor_tags"])
    assert not {"granted_tag", "community_tag"} & set(pools["tagger"])


@pytest.mark.spec("M8", "M10")
def test_a_session_with_sharing_off_reads_no_table_of_the_community(
    ready: Desk, others: Others, now: datetime
) -> None:
    with CaptureQueriesContext(connection) as queries:
        session = whole(ready, naming(others.rule), now=now)
    said = " ".join(query["sql"] for query in queries)
    assert "memory_shared" not in said
    assert "sources AS" not in said
    assert events(session, "no_memories")
    assert all(event.data["offered"] == [] for event in events(session, "evaluated"))
    assert SharedMemory.objects.get(id=others.rule).revision == 1
