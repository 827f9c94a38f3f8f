"""The purge: what is over for a grace is forgotten, in batches, and told of (SPEC M3, J1)."""

import json
from datetime import datetime, timedelta
from io import StringIO
from typing import Any
from uuid import UUID, uuid4

import pytest
import time_machine
from django.core.management import call_command
from django_q.models import Task

from memory import tasks
from memory.errors import NotEnded, NotFound, StandingMerged
from memory.management.progress import Lines
from memory.models import AgentTail, IdempotencyKey, JobRun, Record, Standing, StandingChange
from memory.services import runs, verification
from memory.services.clock import no_later
from memory.services.purge import Purged, backlog, purge, purge_now, waiting
from memory.services.standings import Cause
from tests.config.test_status import figures
from tests.desk import BECAUSE, Desk
from tests.memory.test_idempotency import send
from tests.strategies import end, merge, remember

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
BY = Cause("test")
GRACE = timedelta(hours=168)


def left() -> set[UUID]:
    return set(Standing.objects.values_list("record_id", flat=True))


def over(desk: Desk, *, at: datetime, **more: Any) -> UUID:
    """Write a memory that ends at a moment."""
    written = remember(desk, now=at - MINUTE, **more)
    end(written, now=at)
    return written


@pytest.mark.spec("M3")
def test_what_is_over_for_the_whole_grace_is_purged_and_nothing_else(
    desk: Desk, now: datetime
) -> None:
    young = over(desk, at=now - GRACE + timedelta(microseconds=1))
    old = [over(desk, at=now - GRACE, type=type_) for type_ in ("rule", "strategy_insight")]
    live = [remember(desk, now=now, type=type_) for type_ in ("rule", "optimization")]
    assert purge(by=BY, now=now) == Purged(rows=2, batches=1)
    assert left() == {young, *live}
    for one in old:
        line = StandingChange.objects.filter(record_id=one).latest("revision")
        assert (line.event, line.cause_kind, line.at) == ("purged", "test", now)
    assert [*verification.verify(desk.agent, progress=Lines(StringIO()))] == []
    assert purge(by=BY, now=now) == Purged()
    assert purge(by=BY, now=now, grace=timedelta(0)).rows == 1
    assert left() == set(live)


@pytest.mark.spec("M3")
def test_without_a_grace_an_insight_goes_at_the_end_of_its_days(
    desk: Desk, now: datetime, settings: Any
) -> None:
    settings.PURGE_GRACE_HOURS = 0
    won = remember(desk, now=now, outcome="success")
    lost = remember(desk, now=now, outcome="failure")
    purge(by=BY, now=now + 30 * DAY - timedelta(microseconds=1))
    assert left() == {won, lost}
    purge(by=BY, now=now + 30 * DAY)
    assert left() == {won}
    purge(by=BY, now=now + 90 * DAY)
    assert left() == set()


@pytest.mark.spec("M3", "M9")
def test_what_is_merged_lives_and_dies_with_its_survivor(desk: Desk, now: datetime) -> None:
    kept, gone = remember(desk, now=now - 9 * DAY, type="rule"), over(desk, at=now - 8 * DAY)
    with_kept = over(desk, at=now - 8 * DAY)
    with_gone = remember(desk, now=now - 9 * DAY, type="rule")
    merge(with_kept, kept, now=now)
    merge(with_gone, gone, now=now)
    assert purge(by=BY, now=now) == Purged(rows=2, batches=1)
    assert left() == {kept, with_kept}


@pytest.mark.spec("M3", "J1")
def test_batches_are_bounded_and_a_survivor_goes_whole_with_what_is_merged_into_it(
    desk: Desk, other: Desk, now: datetime, settings: Any
) -> None:
    settings.PURGE_BATCH = 2
    ids = [over(desk, at=now - 8 * DAY + n * MINUTE) for n in range(5)]
    wide = over(desk, at=now - 9 * DAY)
    for _ in range(3):
        merge(remember(desk, now=now - 9 * DAY), wide, now=now)
    theirs = over(other, at=now - 8 * DAY)
    told: list[int] = []
    assert purge(by=BY, now=now, told=told.append).rows == len([*ids, wide, theirs]) + 3
    assert (told.count(4), max(told), sum(told)) == (1, 4, 10)
    assert left() == set()
    assert AgentTail.objects.get(agent=desk.agent).erasures == len(told) - 1


@pytest.mark.spec("M3", "J1")
def test_a_purge_that_stops_is_gone_on_with_by_the_next_the_longest_over_first(
    desk: Desk, now: datetime, settings: Any
) -> None:
    settings.PURGE_BATCH = 2
    ids = [over(desk, at=now - 8 * DAY - n * MINUTE) for n in range(30)]
    first = purge(by=BY, now=now, most=23)
    assert (first.rows, first.is_done) == (24, False)
    assert left() == set(ids[:6])
    second = purge(by=BY, now=now, most=23)
    assert (second.rows, second.is_done) == (6, True)


@pytest.mark.spec("M3", "X1")
def test_one_agent_can_be_purged_alone(desk: Desk, other: Desk, now: datetime) -> None:
    over(desk, at=now - 8 * DAY)
    theirs = over(other, at=now - 8 * DAY)
    assert purge(by=BY, now=now, agent_id=desk.agent.id).rows == 1
    assert left() == {theirs}


@pytest.mark.spec("M3", "A9")
def test_what_an_open_session_may_still_read_is_left_until_it_ends(
    desk: Desk, other: Desk, now: datetime
) -> None:
    producer = desk.producers["autopilot"]
    before = over(desk, at=now - 9 * DAY)
    session = runs.start_run(producer=producer, now=now - 9 * DAY, times_out=False)
    runs.start_run(producer=producer, now=now - 20 * DAY)
    during = over(desk, at=now - 9 * DAY + MINUTE)
    theirs = over(other, at=now - 9 * DAY + MINUTE)
    rows = {one.agent: (one.due, one.held) for one in backlog(now=now)}
    assert rows == {desk.agent.id: (1, 1), other.agent.id: (1, 0)}
    assert purge(by=BY, now=now).rows == len([before, theirs])
    assert left() == {during}
    runs.finish_run(run=session, status="succeeded", error="", now=now)
    assert purge(by=BY, now=now).rows == 1


@pytest.mark.spec("M3", "O5")
def test_purging_at_once_is_for_what_has_ended(desk: Desk, now: datetime) -> None:
    ended, live, merged = over(desk, at=now), remember(desk, now=now), remember(desk, now=now)
    merge(merged, live, now=now)
    asked: dict[str, Any] = {"agent_id": desk.agent.id, "now": now, **BECAUSE}
    for one, refusal in ((live, NotEnded), (merged, StandingMerged), (uuid4(), NotFound)):
        with pytest.raises(refusal):
            purge_now(record_id=one, **asked)
    assert purge_now(record_id=ended, **asked) == [ended]
    with pytest.raises(NotFound):
        purge_now(record_id=ended, **asked)
    assert left() == {live, merged}


@pytest.mark.spec("M3", "J1", "J2")
def test_the_job_purges_and_stores_what_it_did(desk: Desk, now: datetime) -> None:
    over(desk, at=now - 8 * DAY)
    assert tasks.purge_memories(intended=now.isoformat()) == "succeeded"
    run = JobRun.objects.get(name="purge")
    assert run.result is not None
    assert (run.result["rows"], run.result["batches"], run.result["is_done"]) == (1, 1, True)
    assert StandingChange.objects.get(event="purged").cause_kind == "job"


@pytest.mark.spec("R13", "J5")
def test_a_key_is_known_for_its_days_and_then_its_write_is_a_new_one(
    desk: Desk, now: datetime
) -> None:
    with time_machine.travel(now - 30 * DAY - MINUTE, tick=False):
        written = send(desk)
    tasks.purge_memories(intended=(now - 2 * MINUTE).isoformat())
    assert not IdempotencyKey.objects.exists()
    again = send(desk)
    assert (again.status_code, again.json()["id"] == written.json()["id"]) == (201, False)
    with time_machine.travel(now + 30 * DAY, tick=False):
        tasks.purge_memories(intended=now.isoformat())
        assert send(desk).status_code == 200
    assert Record.objects.count() == 2


@pytest.mark.spec("J5")
def test_old_failures_of_the_queue_go_with_the_runs_of_jobs(db: None, now: datetime) -> None:
    del db
    for days in (13, 15):
        at = now - days * DAY
        task = {"id": uuid4().hex, "name": str(days), "func": "f", "started": at, "stopped": at}
        Task.objects.create(success=False, **task)
    tasks.janitor(intended=now.isoformat())
    assert [task.name for task in Task.objects.all()] == ["13"]


@pytest.mark.spec("E6", "M3", "X1")
def test_metrics_tell_of_what_the_purge_has_still_to_take(
    desk: Desk, other: Desk, now: datetime
) -> None:
    assert figures(desk.client())["tidebook_purge_due"] == 0
    over(desk, at=now - GRACE - MINUTE)
    over(desk, at=now - GRACE)
    over(other, at=now - GRACE - DAY)
    told = figures(desk.client())
    assert told["tidebook_purge_due"] == 2
    assert told["tidebook_purge_oldest_seconds"] == GRACE.total_seconds() + 60
    assert waiting(agents=None, now=now)[0] == 3


def command(*words: str) -> str:
    out = StringIO()
    call_command("purge_memories", *words, stdout=out, stderr=StringIO())
    return out.getvalue()


@pytest.mark.spec("M3", "U6")
def test_the_command_tells_first_and_does_it_then(desk: Desk, other: Desk, now: datetime) -> None:
    first = over(desk, at=now - 9 * DAY, type="rule")
    merge(remember(desk, now=now - 9 * DAY, type="optimization"), first, now=now)
    second, young = over(desk, at=now - 8 * DAY), over(desk, at=now)
    theirs = over(other, at=now - 8 * DAY)
    told = command("--dry-run").splitlines()
    assert told == [
        "ours  optimization: 1, the oldest over since 2026-09-21 12:01 UTC",
        "ours  rule: 1, the oldest over since 2026-09-21 12:01 UTC",
        "ours  strategy_insight: 1, the oldest over since 2026-09-22 12:01 UTC",
        "theirs  strategy_insight: 1, the oldest over since 2026-09-22 12:01 UTC",
        "4 would be purged. 1 over, due from 2026-10-07 12:01 UTC.",
    ]
    told_json = json.loads(command("--agent", "ours", "--dry-run", "--json"))
    assert (told_json["dry_run"], told_json["due"], told_json["held"]) == (True, 3, 0)
    assert (told_json["not_yet_due"], told_json["due_from"]) == (1, "2026-10-07T12:01:07Z")
    assert {one["type"] for one in told_json["tiers"]} == {
        "rule",
        "strategy_insight",
        "optimization",
    }
    assert len(left()) == 5
    done = json.loads(command("--agent", "ours", "--json"))
    assert (done["rows"], done["batches"], done["given_way"], done["is_done"]) == (3, 1, 0, True)
    assert left() == {young, theirs}
    assert second not in left()
    said = command("--agent", "theirs")
    assert said == "1 purged in 1 batch.\n"
    assert command() == "0 purged. 1 over, due from 2026-10-07 12:01 UTC.\n"
    over(other, at=now)
    assert command("--now-expired") == "2 purged in 2 batches.\n"
    assert left() == set()


@pytest.mark.spec("M3", "J1", "U6")
def test_a_host_whose_clock_is_ahead_destroys_nothing_that_lives(desk: Desk, now: datetime) -> None:
    ahead = now + 40_000 * DAY
    today = no_later(ahead)
    assert today < ahead
    assert no_later(now) == now
    live = remember(desk, now=today)
    gone = over(desk, at=today - 8 * DAY)
    fresh = over(desk, at=today - DAY)
    assert sum(one.due for one in backlog(now=ahead)) == 3
    with time_machine.travel(ahead, tick=False):
        told = json.loads(command("--dry-run", "--json"))
        assert tasks.purge_memories(intended=today.isoformat()) == "succeeded"
        assert "0 purged" in command()
    assert told["due"] == 1
    assert left() == {live, fresh}
    assert StandingChange.objects.get(event="purged").record_id == gone
