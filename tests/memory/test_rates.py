"""Limits of calls: never more in any window, and a wait that is true (SPEC E5)."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from hypothesis import HealthCheck, example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from memory import tasks
from memory.errors import RateLimited
from memory.models import JobRun, OpenStream, RateCount
from memory.policies.ownership import Actor, UserActor
from memory.policies.rates import TICKS, Rate, rate_of
from memory.services import rates
from memory.services.runs import start_run_with_token
from memory.services.tokens import authenticate
from tests.autopilot.session.bench import in_own_connection
from tests.desk import Desk, make_desk

ANN: Actor = UserActor(user_id=1, is_staff=False)
SECOND = timedelta(seconds=1)


@pytest.fixture
def limits(settings: Any) -> Any:
    """Return the settings, with a limit of each kind."""
    settings.RATE_LIMITS = {"read": "5/s", "write": "3/min", "search": "1/h", "session": ""}
    return settings


def wait_of(actor: Actor, kind: str, *, now: datetime) -> int:
    """Return 0 when the caller is let in, else how long it is told to wait."""
    try:
        rates.admit(actor=actor, kind=kind, now=now)
    except RateLimited as refusal:
        assert refusal.code == "rate_limited"
        return refusal.retry_after
    return 0


@pytest.mark.spec("E5")
def test_a_limit_is_written_as_a_number_of_calls_by_second_minute_or_hour() -> None:
    assert rate_of("600/min") == Rate(600, timedelta(minutes=1))
    assert rate_of("1/s") == Rate(1, SECOND)
    assert rate_of("30/h") == Rate(30, timedelta(hours=1))
    assert rate_of("") is None
    for wrong in ("0/min", "600", "600/day", "-1/s", "1.5/s", "600 /min", "600/min\n"):
        with pytest.raises(ValueError, match="is no limit"):
            rate_of(wrong)


@pytest.mark.django_db
@pytest.mark.spec("E5")
@pytest.mark.usefixtures("limits")
def test_calls_up_to_the_limit_are_let_in_and_the_next_is_told_when(now: datetime) -> None:
    assert [wait_of(ANN, "write", now=now) for _ in range(3)] == [0, 0, 0]
    with pytest.raises(RateLimited) as refused:
        rates.admit(actor=ANN, kind="write", now=now + SECOND)
    assert refused.value.fields == {
        "kind": "write",
        "limit": "3/min",
        "retry_after_seconds": refused.value.retry_after,
    }
    # Refusals do not count, however many.
    assert [wait_of(ANN, "write", now=now + SECOND) for _ in range(9)] == [60] * 9
    assert wait_of(ANN, "write", now=now + 61 * SECOND) == 0


@pytest.mark.django_db
@pytest.mark.spec("E5")
@pytest.mark.usefixtures("limits")
def test_kinds_and_callers_are_counted_apart(desk: Desk, other: Desk, now: datetime) -> None:
    callers: list[Actor] = [ANN, UserActor(user_id=2, is_staff=True), other.actor(now=now)]
    callers += [desk.actor(role, now=now) for role in ("analysis", "review")]
    for caller in callers:
        assert [wait_of(caller, "search", now=now) > 0 for _ in range(2)] == [False, True]
        assert wait_of(caller, "write", now=now) == 0


@pytest.mark.django_db
@pytest.mark.spec("E5", "R5")
@pytest.mark.usefixtures("limits")
def test_whoever_starts_runs_gains_no_new_limit_by_it(desk: Desk, now: datetime) -> None:
    waits = []
    for _ in range(5):
        _, _, clear = start_run_with_token(
            producer=desk.producers["analysis"], now=now, life=timedelta(hours=1)
        )
        waits.append(wait_of(authenticate(clear, now=now), "write", now=now))
    assert [wait > 0 for wait in waits] == [False, False, False, True, True]
    # The producer's own token is another.
    assert wait_of(desk.actor(now=now), "write", now=now) == 0


@pytest.mark.django_db
@pytest.mark.spec("E5")
def test_what_is_not_limited_is_not_counted(limits: Any, now: datetime) -> None:
    assert {wait_of(ANN, "session", now=now) for _ in range(50)} == {0}
    limits.RATE_LIMITS = {}
    assert {wait_of(ANN, "write", now=now) for _ in range(50)} == {0}
    assert not RateCount.objects.exists()


@pytest.mark.django_db
@pytest.mark.spec("E5")
def test_another_limit_begins_anew_and_is_kept(limits: Any, now: datetime) -> None:
    for text, fits in (("2/h", 2), ("3/s", 3), ("4/min", 4), ("1/h", 1)):
        limits.RATE_LIMITS = {"read": text}
        assert [wait_of(ANN, "read", now=now) > 0 for _ in range(fits + 1)] == [False] * fits + [
            True
        ]
    assert RateCount.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.spec("E5")
@given(
    limit=st.integers(1, 4),
    steps=st.lists(st.integers(0, 700), min_size=1, max_size=40),
)
@example(limit=2, steps=[0, 999, 0, 1, 0, 19, 0, 1, 0, 980, 20, 0])
@hypothesis_settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_window_holds_more_than_the_limit_and_little_is_refused_without_need(
    settings: Any, limit: int, steps: list[int]
) -> None:
    settings.RATE_LIMITS = {"read": f"{limit}/s"}
    RateCount.objects.all().delete()
    now = datetime(2026, 9, 30, 12, 0, tzinfo=UTC)
    admitted: list[datetime] = []
    for milliseconds in steps:
        now += timedelta(milliseconds=milliseconds)
        recent = [one for one in admitted if one > now - SECOND]
        crowd = [one for one in admitted if one > now - SECOND - SECOND / TICKS]
        wait = wait_of(ANN, "read", now=now)
        if wait == 0:
            assert len(recent) < limit
            admitted.append(now)
            continue
        assert len(crowd) >= limit
        # Whoever waits as told is let in, and then counts.
        now += wait * SECOND
        assert wait_of(ANN, "read", now=now) == 0
        admitted.append(now)


@pytest.mark.spec("E5")
@given(
    limit=st.integers(1, 9),
    counts=st.lists(st.integers(0, 9), min_size=TICKS + 1, max_size=TICKS + 1),
    ahead=st.integers(-3, 60),
    microseconds=st.integers(0, 1_199_999),
)
def test_the_wait_is_the_shortest_in_whole_seconds(
    limit: int, counts: list[int], ahead: int, microseconds: int
) -> None:
    rate = Rate(limit, timedelta(minutes=1))
    begin = datetime(2026, 9, 30, tzinfo=UTC)
    tick = rate.tick_of(begin)
    now = begin + ahead * rate.tick + timedelta(microseconds=microseconds)

    def fits(moment: datetime) -> bool:
        moved = max(0, rate.tick_of(moment) - tick)
        return sum(counts[moved:]) < limit

    wait = rate.wait(counts, tick=tick, now=now)
    assert wait >= 1
    assert fits(now + wait * SECOND)
    assert wait == 1 or not fits(now + (wait - 1) * SECOND)


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("E5")
@pytest.mark.usefixtures("limits")
def test_sixteen_threads_are_let_in_exactly_as_often_as_the_limit_says(
    transactional_db: None, settings: Any, now: datetime
) -> None:
    del transactional_db
    rate, rounds = Rate(100, timedelta(minutes=1)), 45
    settings.RATE_LIMITS = {"read": "100/min"}
    # All call at once, then the clock goes on: 16 calls each three seconds.
    together = Barrier(16)

    def call_often() -> list[bool]:
        found = []
        for number in range(rounds):
            together.wait()
            found.append(wait_of(ANN, "read", now=now + 3 * number * SECOND) == 0)
        return found

    with ThreadPoolExecutor(16) as pool:
        work = [pool.submit(in_own_connection(call_often)) for _ in range(16)]
        counts = [sum(let_in) for let_in in zip(*(one.result() for one in work), strict=True)]
    for number, count in enumerate(counts):
        tick = rate.tick_of(now + 3 * number * SECOND)
        before = sum(
            one
            for earlier, one in enumerate(counts[:number])
            if rate.tick_of(now + 3 * earlier * SECOND) >= tick - TICKS
        )
        assert count == min(16, 100 - before)
        # A minute is twenty rounds.
        assert sum(counts[number : number + 20]) <= 100


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("E5")
def test_sixteen_threads_at_one_moment_share_one_limit(
    transactional_db: None, settings: Any, now: datetime
) -> None:
    del transactional_db
    settings.RATE_LIMITS = {"write": "100/min"}

    def call_often() -> int:
        return sum(wait_of(ANN, "write", now=now) == 0 for _ in range(20))

    with ThreadPoolExecutor(16) as pool:
        work = [pool.submit(in_own_connection(call_often)) for _ in range(16)]
        assert sum(one.result() for one in work) == 100


@pytest.mark.django_db
@pytest.mark.spec("E5")
@pytest.mark.usefixtures("limits")
def test_clocks_that_differ_a_little_share_a_limit_and_a_wrong_one_shuts_nobody_out(
    now: datetime,
) -> None:
    behind = now - timedelta(seconds=5)
    assert [wait_of(ANN, "write", now=at) for at in (now, behind, now)] == [0, 0, 0]
    wait = wait_of(ANN, "write", now=behind)
    assert wait > 0
    assert wait_of(ANN, "write", now=behind + wait * SECOND) == 0
    assert wait_of(ANN, "search", now=now + timedelta(days=365)) == 0
    assert wait_of(ANN, "search", now=now) == 0
    assert wait_of(ANN, "search", now=now) > 0


@pytest.mark.django_db
@pytest.mark.spec("E5", "J5")
@pytest.mark.usefixtures("limits")
def test_the_janitor_forgets_counts_that_nobody_moves(now: datetime) -> None:
    wait_of(ANN, "read", now=now - timedelta(days=2))
    wait_of(UserActor(user_id=2, is_staff=False), "read", now=now)
    rates.open_stream(actor=ANN, now=now)
    rates.open_stream(actor=ANN, now=now - timedelta(hours=1))
    assert tasks.janitor(intended=now.replace(second=0).isoformat()) == "succeeded"
    result = JobRun.objects.get(name="janitor").result
    assert result is not None
    assert (result["lost"], result["forgotten"], result["counts_forgotten"]) == (0, 0, 2)
    assert RateCount.objects.get().subject == "user:2"
    assert OpenStream.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.spec("E5")
def test_the_counts_are_in_tables_without_a_log(now: datetime) -> None:
    del now
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, relpersistence FROM pg_class"
            " WHERE relname IN ('memory_rate', 'memory_stream') ORDER BY relname"
        )
        assert cursor.fetchall() == [("memory_rate", "u"), ("memory_stream", "u")]


def stream_or_none(actor: Actor, *, now: datetime) -> Any:
    try:
        return rates.open_stream(actor=actor, now=now)
    except RateLimited as refusal:
        assert refusal.fields["kind"] == "stream"
        return None


@pytest.mark.django_db
@pytest.mark.spec("E5", "A10")
def test_a_caller_has_so_many_open_streams_and_no_more(settings: Any, now: datetime) -> None:
    settings.LIVE_STREAMS_PER_CALLER, settings.LIVE_KEEP_ALIVE_SECONDS = 2, 15
    first, second, third = (stream_or_none(ANN, now=now) for _ in range(3))
    assert (first is not None, second is not None, third) == (True, True, None)
    assert stream_or_none(UserActor(user_id=2, is_staff=True), now=now) is not None
    rates.close_stream(actor=ANN, stream=first)
    assert stream_or_none(ANN, now=now) is not None
    # One whose process died says nothing any more; the other does.
    rates.keep_stream(actor=ANN, stream=second, now=now + 30 * SECOND)
    assert stream_or_none(ANN, now=now + 44 * SECOND) is None
    assert stream_or_none(ANN, now=now + 45 * SECOND) is not None
    assert stream_or_none(ANN, now=now + 45 * SECOND) is None
    settings.LIVE_STREAMS_PER_CALLER = 0
    assert stream_or_none(ANN, now=now + 45 * SECOND) is not None


@pytest.mark.django_db
@pytest.mark.spec("E5", "A10")
def test_a_stream_that_the_database_forgot_is_counted_again(settings: Any, now: datetime) -> None:
    settings.LIVE_STREAMS_PER_CALLER = 1
    stream = rates.open_stream(actor=ANN, now=now)
    OpenStream.objects.all().delete()
    rates.keep_stream(actor=ANN, stream=stream, now=now)
    assert stream_or_none(ANN, now=now) is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.spec("E5", "A10")
def test_of_sixteen_streams_opened_at_once_those_that_fit_are_let_in(
    transactional_db: None, settings: Any, now: datetime
) -> None:
    del transactional_db
    settings.LIVE_STREAMS_PER_CALLER = 5
    actor = make_desk("ours", now=now).actor(now=now)

    def one() -> bool:
        return stream_or_none(actor, now=now) is not None

    with ThreadPoolExecutor(16) as pool:
        opened = [pool.submit(in_own_connection(one)) for _ in range(16)]
        assert sum(each.result() for each in opened) == 5
