"""Sharing: who may, what a copy says, how it moves, and how it goes (SPEC M8)."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from django_q.models import OrmQ

from memory.errors import CommunityGate, MemoryEnded, NotFound, PreconditionFailed, SharingOff
from memory.models import Agent, SharedChange, SharedMemory, Standing, StandingChange
from memory.policies.community import Backing, CopyState, windows_of
from memory.policies.lifecycle import deprecate
from memory.policies.versions import Condition
from memory.selectors.sharing import etag_of
from memory.services import community, standings
from memory.services.forget import forget
from memory.services.standings import Cause
from memory.tasks import promote
from tests.community import (
    ALWAYS,
    MONTH,
    OWNER,
    figures,
    judged,
    let_share,
    proven,
    ruled,
    shared,
)
from tests.desk import Desk
from tests.strategies import merge, remember

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)


@pytest.fixture
def author(desk: Desk) -> Desk:
    """Return a desk whose agent shares."""
    let_share(desk.agent)
    return desk


def kept_back(desk: Desk, record_id: UUID, *, now: datetime) -> list[str]:
    """Return what the gate says is missing."""
    with pytest.raises(CommunityGate) as refusal:
        shared(desk, record_id, now=now)
    assert not SharedMemory.objects.filter(source_id=record_id).exists()
    assert Standing.objects.get(record_id=record_id).visibility == "private"
    missing: list[str] = refusal.value.fields["missing"]  # type: ignore[assignment]  # named fields
    return missing


@pytest.mark.spec("M8")
@pytest.mark.parametrize(
    ("facts", "missing"),
    [
        ({}, []),
        ({"metrics": figures(trades=(30, 0))}, []),
        ({"metrics": figures(trades=(0, 30))}, []),
        ({"metrics": figures(trades=(20, 9))}, ["trades"]),
        ({"metrics": figures(span=MONTH - SECOND)}, ["days"]),
        ({"outcome": "failure"}, ["outcome"]),
        ({"outcome": None}, ["outcome"]),
        ({"metrics": {}}, ["trades", "days"]),
        ({"outcome": None, "metrics": {}}, ["outcome", "trades", "days"]),
        ({"type": "optimization"}, ["type"]),
    ],
)
def test_an_insight_is_shared_when_thirty_trades_over_four_weeks_made_it_a_success(
    author: Desk, now: datetime, facts: dict[str, Any], missing: list[str]
) -> None:
    record = proven(author, now=now, **facts)
    if missing:
        assert kept_back(author, record, now=now) == missing
    else:
        assert shared(author, record, now=now).source_id == record


@pytest.mark.spec("M8")
def test_the_gate_is_a_setting(author: Desk, now: datetime, settings: Any) -> None:
    settings.COMMUNITY_GATE = {"min_trades": 31, "min_days": 29}
    assert kept_back(author, proven(author, now=now), now=now) == ["trades", "days"]
    settings.COMMUNITY_GATE = {"min_trades": 1, "min_days": 1}
    short = proven(author, now=now, metrics=figures(span=DAY))
    assert shared(author, short, now=now).evidence["days"] == 1


@pytest.mark.spec("M8")
@pytest.mark.parametrize(
    "metrics",
    [
        {"in_sample": {"trades": True}, "holdout": {"trades": "30"}, "window": "long"},
        {"in_sample": {"trades": -40}, "holdout": [30], "window": {"start": 1, "end": 2}},
        {"in_sample": {"trades": 30.0}, "window": {"start": "2026-01-01", "end": "2026-12-31"}},
        {"window": {"start": "2026-13-01T00:00:00Z", "end": "2026-12-31T00:00:00Z"}},
        {"window": {"start": "2026-12-31T00:00:00Z", "end": "2026-01-01T00:00:00Z"}},
        {"window": {"start": "٢٠٢٦-01-01T00:00:00Z", "end": "2026-12-31T00:00:00Z"}},
    ],
)
def test_what_is_no_figure_counts_as_none(metrics: dict[str, Any]) -> None:
    backing = Backing.of(outcome="success", metrics=metrics)
    assert (backing.trades, backing.span) == (0, timedelta(0))


@pytest.mark.spec("M8")
def test_a_rule_is_shared_when_one_of_its_insights_may_be(author: Desk, now: datetime) -> None:
    weak = [proven(author, now=now, metrics=figures(trades=(20, 9))) for _ in range(2)]
    assert kept_back(author, ruled(author, weak, now=now), now=now) == ["trades"]
    ended = proven(author, now=now)
    rule = ruled(author, [*weak, ended], now=now)
    later = now + timedelta(days=100)
    assert not standings.moving_of(Standing.objects.get(record_id=ended)).is_live(now=later)
    copy = shared(author, rule, now=later)
    assert (copy.type, copy.symbol_id, copy.expires_at) == ("rule", None, None)
    assert copy.evidence == {"trades": 30, "days": 28, "timeframe": "15m"}


@pytest.mark.spec("M8", "M3")
def test_a_rule_whose_insights_are_forgotten_has_nothing_behind_it(
    author: Desk, now: datetime
) -> None:
    insight = proven(author, now=now)
    rule = ruled(author, [insight], now=now)
    forget(agent_id=author.agent.id, record_ids=[insight], by=OWNER, now=now)
    assert kept_back(author, rule, now=now) == ["insight"]
    assert kept_back(author, remember(author, now=now, type="rule"), now=now) == ["insight"]


@pytest.mark.spec("M8", "M3", "M9")
def test_what_has_ended_is_not_shared(author: Desk, now: datetime) -> None:
    first, second = proven(author, now=now), proven(author, now=now)
    merge(first, second, now=now)
    with pytest.raises(MemoryEnded):
        shared(author, first, now=now)
    lasts = timedelta(days=90)
    with pytest.raises(MemoryEnded):
        shared(author, second, now=now + lasts)
    assert shared(author, second, now=now + lasts - SECOND).source_id == second


@pytest.mark.spec("M8")
def test_nothing_is_shared_while_sharing_is_off_and_what_was_stays(
    desk: Desk, now: datetime
) -> None:
    first, second = proven(desk, now=now), proven(desk, now=now)
    with pytest.raises(SharingOff):
        shared(desk, first, now=now)
    let_share(desk.agent)
    copy = shared(desk, first, now=now)
    let_share(desk.agent, enabled=False)
    with pytest.raises(SharingOff):
        shared(desk, second, now=now)
    assert shared(desk, first, now=now) == copy
    community.unshare(agent_id=desk.agent.id, record_id=first, by=OWNER, now=now)
    assert not SharedMemory.objects.exists()


@pytest.mark.spec("M8", "X1")
def test_a_copy_says_what_was_written_and_nothing_private(author: Desk, now: datetime) -> None:
    record = proven(author, "volume leads", now=now, tags=["volume"])
    insight = Standing.objects.get(record_id=record)
    copy = shared(author, record, now=now + DAY)
    row = SharedMemory.objects.filter(id=copy.id).values().get()
    told = json.dumps({**row, "source_id": "", "agent_id": ""}, default=str)
    secrets = [
        *(str(record), str(author.agent.id), author.user.username, str(insight.pk)),
        *(insight.metrics["session"], insight.metrics["backtest"], "blocks", "secret"),
        *(
            "in_sample",
            "holdout",
            "total_pnl",
            "produced_by",
            bytes(insight.config_hash or b"x").hex(),
        ),
    ]
    assert [secret for secret in secrets if secret in told] == []
    assert row["content"] == "volume leads"
    assert row["tags"] == ["volume"]
    assert row["evidence"] == {"trades": 30, "days": 28, "timeframe": "15m"}
    assert row["windows"] == [insight.metrics["window"]]
    assert row["source_node_uuid"] == Agent.objects.get(id=author.agent.id).node_uuid
    assert (row["confidence"], row["validated_count"]) == (Decimal("0.8"), 1)
    assert (row["shared_at"], row["expires_at"]) == (now + DAY, insight.expires_at)


@pytest.mark.spec("M8", "A9")
def test_of_windows_a_copy_tells_the_bars_alone() -> None:
    window = figures()["window"]
    bars = {"start": window["start"], "split": window["split"], "end": window["end"]}
    judging = {**bars, "end": "2026-09-01T00:00:00Z", "instrument": "BTC", "timeframe": "1h"}
    told = windows_of(
        {
            "window": {**window, "session": "a secret", "instrument": "private words"},
            "windows": [window, window, {**window, "timeframe": "soon"}, {"start": "x"}, None, 5],
        },
        [judging, judging, None, {"start": window["start"]}],
    )
    assert told == [
        {"timeframe": "15m", **bars},
        window,
        {"instrument": "ETH", **bars},
        {key: value for key, value in judging.items() if key != "start"},
    ]
    assert windows_of({"windows": "many"}) == []


@pytest.mark.spec("M8", "M5")
def test_sharing_and_withdrawing_are_ledger_lines_of_the_author(
    author: Desk, other: Desk, now: datetime
) -> None:
    record = proven(author, now=now)
    copy, is_new = community.share(agent_id=author.agent.id, record_id=record, by=OWNER, now=now)
    assert is_new
    again, is_new = community.share(
        agent_id=author.agent.id, record_id=record, by=OWNER, now=now + DAY
    )
    assert (again, is_new) == (copy, False)
    judged(copy.id, other, "confirms", now=now)
    community.unshare(
        agent_id=author.agent.id, record_id=record, by=OWNER, reason=" too early ", now=now + DAY
    )
    created, made, gone = StandingChange.objects.filter(record_id=record).order_by("revision")
    assert (made.event, made.detail) == ("shared", {"shared_id": str(copy.id)})
    assert created.after is not None
    assert made.before == gone.after == created.after
    assert made.after == {**created.after, "visibility": "community"}
    assert (gone.event, gone.cause_kind, gone.at) == ("unshared", "user", now + DAY)
    assert gone.detail == {
        "reason": "too early",
        "shared_id": str(copy.id),
        "deprecated": False,
        "copy": {
            "confidence": "0.9000",
            "validated_count": 2,
            "community_confirmations": 1,
            "expires_at": created.after["expires_at"],
        },
    }
    with pytest.raises(NotFound):
        community.unshare(agent_id=author.agent.id, record_id=record, by=OWNER, now=now)
    assert shared(author, record, now=now).id != copy.id


@pytest.mark.spec("M8", "M4")
def test_others_backtests_move_the_copy_and_not_the_authors_memory(
    author: Desk, other: Desk, now: datetime
) -> None:
    record = ruled(author, [proven(author, now=now)], now=now)
    copy = shared(author, record, now=now)
    before = standings.moving_of(Standing.objects.get(record_id=record))
    came = judged(copy.id, other, "confirms", now=now)
    assert (came.event, str(came.after.confidence)) == ("confirmed", "0.9000")
    came = judged(copy.id, other, "contradicts", now=now)
    assert (came.event, str(came.after.confidence)) == ("contradicted", "0.8500")
    stored = SharedMemory.objects.get(id=copy.id)
    assert (stored.validated_count, stored.community_confirmations) == (1, 1)
    assert standings.moving_of(Standing.objects.get(record_id=record)) == before
    assert StandingChange.objects.filter(record_id=record).count() == 2


@pytest.mark.spec("M8")
def test_a_backtest_counts_once_and_an_author_never(
    author: Desk, other: Desk, now: datetime
) -> None:
    copy = shared(author, proven(author, now=now), now=now)
    backtest = uuid4()
    assert judged(copy.id, author, "confirms", now=now) == "own"
    judged(copy.id, other, "confirms", backtest=backtest, now=now)
    assert judged(copy.id, other, "contradicts", backtest=backtest, now=now) == "already"
    assert judged(uuid4(), other, "confirms", now=now) == "ended"
    assert SharedChange.objects.filter(shared_id=copy.id).count() == 2
    assert SharedMemory.objects.get(id=copy.id).community_confirmations == 1


@pytest.mark.spec("M8", "M4")
@pytest.mark.parametrize(
    ("begins", "steps"), [(("0.3", 1), 2), (("1", -4), 1), (("1", 1), 6), (("0.2", 9), 1)]
)
def test_a_copy_ends_at_the_communitys_bar(
    author: Desk, other: Desk, now: datetime, begins: tuple[str, int], steps: int
) -> None:
    confidence, count = begins
    told: dict[str, Any] = {"confidence": confidence, "validated_count": count}
    rule = ruled(author, [proven(author, now=now)], now=now, **told)
    copy = shared(author, rule, now=now)
    came = [judged(copy.id, other, "contradicts", now=now) for _ in range(steps)]
    assert [one.event for one in came] == ["contradicted"] * (steps - 1) + ["deprecated"]
    assert SharedMemory.objects.get(id=copy.id).expires_at == now
    assert judged(copy.id, other, "confirms", now=now) == "ended"
    assert Standing.objects.get(record_id=rule).expires_at is None


@pytest.mark.spec("M8")
def test_what_others_have_ended_does_not_begin_anew(
    author: Desk, other: Desk, now: datetime
) -> None:
    rule = ruled(author, [proven(author, now=now)], now=now, confidence="0.2")
    judged(shared(author, rule, now=now).id, other, "contradicts", now=now)
    with pytest.raises(CommunityGate):
        shared(author, rule, now=now)
    community.unshare(agent_id=author.agent.id, record_id=rule, by=OWNER, now=now)
    assert kept_back(author, rule, now=now) == ["community"]


@pytest.mark.spec("M8")
def test_an_authors_own_contradictions_leave_the_copy_alone(
    author: Desk, other: Desk, now: datetime
) -> None:
    rule = ruled(author, [proven(author, now=now)], now=now)
    copy = shared(author, rule, now=now)
    standings.move(
        agent_id=author.agent.id,
        record_id=rule,
        event="deprecated",
        cause=Cause("test"),
        step=lambda was: deprecate(was, now=now),
        now=now,
    )
    assert SharedMemory.objects.get(id=copy.id).expires_at is None
    assert judged(copy.id, other, "confirms", now=now).event == "confirmed"
    forget(agent_id=author.agent.id, record_ids=[rule], by=OWNER, now=now)
    assert judged(copy.id, other, "confirms", now=now) == "ended"


@pytest.mark.spec("M8", "A9")
def test_a_line_keeps_which_bars_judged(author: Desk, other: Desk, now: datetime) -> None:
    copy = shared(author, proven(author, now=now), now=now)
    window = figures()["window"]
    for told in ({**window, "session": "private"}, {"end": "now"}, None):
        community.judge_shared(
            shared_id=copy.id,
            agent_id=other.agent.id,
            backtest_id=uuid4(),
            verdict="confirms",
            window=told,
            now=now,
        )
    lines = SharedChange.objects.filter(shared_id=copy.id).order_by("revision")
    assert [line.window for line in lines] == [None, window, None, None]


@pytest.mark.spec("M8", "E4")
def test_sharing_is_changed_from_the_version_that_was_seen(desk: Desk) -> None:
    def put(*, enabled: bool, etag: str) -> Agent:
        condition = Condition(frozenset({etag}))
        return community.set_sharing(agent_id=desk.agent.id, enabled=enabled, condition=condition)

    first = etag_of(Agent.objects.get(id=desk.agent.id))
    on = put(enabled=True, etag=first)
    with pytest.raises(PreconditionFailed) as refusal:
        put(enabled=False, etag=first)
    assert refusal.value.fields == {"etag": etag_of(on)}
    # What changes nothing keeps its version; what comes back to it has another.
    assert etag_of(put(enabled=True, etag=etag_of(on))) == etag_of(on)
    off = put(enabled=False, etag=etag_of(on))
    assert etag_of(off) not in {first, etag_of(on)}
    with pytest.raises(NotFound):
        community.set_sharing(agent_id=uuid4(), enabled=True, condition=ALWAYS)


@pytest.mark.spec("M8", "X1")
def test_anothers_memory_is_none_of_an_agents_own(author: Desk, other: Desk, now: datetime) -> None:
    record = proven(author, now=now)
    copy = shared(author, record, now=now)
    let_share(other.agent)
    for call in (community.share, community.unshare):
        with pytest.raises(NotFound):
            call(agent_id=other.agent.id, record_id=record, by=OWNER, now=now)
    assert SharedMemory.objects.get() == copy


@pytest.mark.spec("M8", "J1")
def test_a_new_insight_is_queued_for_promotion_where_its_agent_shares(
    desk: Desk, now: datetime
) -> None:
    record = proven(desk, now=now)
    ids = {"agent_id": desk.agent.id, "record_id": record}
    assert not community.queue_promotion(**ids, now=now)
    assert not OrmQ.objects.exists()
    let_share(desk.agent)
    assert community.queue_promotion(**ids, now=now)
    task = OrmQ.objects.get().task
    assert (task["func"], task["args"]) == ("memory.tasks.promote", ())
    assert promote(**task["kwargs"]) == "shared"
    assert promote(**task["kwargs"]) == "already_shared"
    assert SharedMemory.objects.get().source_id == record
    line = StandingChange.objects.get(record_id=record, event="shared")
    assert line.cause_kind == "promotion"


@pytest.mark.spec("M8", "J1", "J2")
def test_a_promotion_that_comes_late_shares_nothing_that_should_not_be(
    desk: Desk, now: datetime
) -> None:
    record, weak = proven(desk, now=now), proven(desk, now=now, metrics={})
    told = {"agent_id": str(desk.agent.id), "memory_id": str(record)}
    assert promote(**told) == "sharing_off"
    let_share(desk.agent)
    assert promote(**{**told, "memory_id": str(weak)}) == "community_gate"
    assert promote(**{**told, "memory_id": str(uuid4())}) == "not_found"
    assert promote(**told) == "shared"
    community.unshare(agent_id=desk.agent.id, record_id=record, by=OWNER, now=now)
    # Its worker died, and the task comes again: the author has withdrawn it meanwhile.
    assert promote(**told) == "already_shared"
    assert not SharedMemory.objects.exists()
    ended = proven(desk, now=now - timedelta(days=90))
    assert promote(**{**told, "memory_id": str(ended)}) == "memory_ended"
    forget(agent_id=desk.agent.id, record_ids=[weak], by=OWNER, now=now)
    assert promote(**{**told, "memory_id": str(weak)}) == "not_found"


@pytest.mark.spec("M8")
def test_what_a_person_shared_stays_when_their_login_ends_and_their_agent_withdraws_it(
    author: Desk, now: datetime
) -> None:
    record = proven(author, now=now)
    copy = shared(author, record, now=now)
    author.user.is_active = False
    author.user.save()
    assert SharedMemory.objects.get() == copy
    path = f"/api/v1/ai/memories/{record}/share/"
    assert author.client("autopilot").delete(path).status_code == 204
    assert not SharedMemory.objects.exists()


@pytest.mark.spec("M8")
def test_states_survive_their_lines() -> None:
    ends = datetime(2026, 9, 30, tzinfo=UTC)
    for end in (None, ends):
        state = CopyState(confidence=Decimal("0.25"), validated_count=-3, expires_at=end)
        assert CopyState.from_json(state.as_json()) == state
        assert state.is_live(now=ends) is (end is None)
