"""Whatever happens to producers and whenever a dispatcher is up, a plain list says what is run."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from autopilot.crew import dispatch
from memory.models import Producer, Run
from memory.policies.timeframes import EPOCH, SCHEDULES
from memory.services import setup
from memory.services.runners import choose_runner
from tests.autopilot.built_in import built_in
from tests.desk import Desk

NAMES = ("a", "b")
SECONDS = st.integers(1, 40) | st.integers(1, 420)
"""Often several things happen within a cycle of five minutes."""
STORY = st.lists(
    st.tuples(
        SECONDS,
        st.sampled_from(NAMES),
        st.sampled_from(
            (
                *("dispatch", "dispatch", "disable", "enable", "caller", "built_in"),
                *("disable", "enable", "caller", "built_in", "5m", "15m"),
            )
        ),
    ),
    min_size=10,
    max_size=40,
)


@dataclass
class Known:
    """What a person would note down of a producer."""

    schedule: str = "5m"
    enabled: list[tuple[datetime, datetime | None]] = field(default_factory=list)
    since: datetime | None = None
    run: set[datetime] = field(default_factory=set)

    def is_enabled(self, moment: datetime) -> bool:
        return any(begin <= moment and (end is None or moment < end) for begin, end in self.enabled)

    def due(self, now: datetime) -> datetime | None:
        boundary = EPOCH + (now - EPOCH) // SCHEDULES[self.schedule] * SCHEDULES[self.schedule]
        if self.since is None or boundary < self.since or boundary in self.run:
            return None
        return boundary if self.is_enabled(boundary) and self.is_enabled(now) else None


def happens(producer: Producer, known: Known, what: str, *, now: datetime) -> None:
    begin, end = known.enabled[-1]
    if what == "disable":
        assert setup.disable_producer(producer=producer, now=now) is (end is None)
        # An interval holds a moment at the least.
        known.enabled[-1] = (begin, end or max(now, begin + timedelta(microseconds=1)))
    elif what == "enable":
        assert setup.enable_producer(producer=producer, now=now) is (end is not None)
        if end is not None:
            known.enabled.append((max(now, end), None))
    elif what in {"caller", "built_in"}:
        lens = "trend" if what == "built_in" else None
        choose_runner(producer=producer, runner=what, lens=lens, timeframe=None, now=now)
        known.since = None if lens is None else known.since or now
    elif what in SCHEDULES:
        setup.change_schedule(producer=producer, schedule=what)
        known.schedule = what


@pytest.mark.spec("J1", "J3", "A12")
@given(story=STORY)
@example(story=[(1, "a", "caller"), (1, "a", "built_in"), (1, "a", "dispatch")])
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_runs_are_those_of_the_list(
    desk: Desk, now: datetime, story: list[tuple[int, str, str]]
) -> None:
    with transaction.atomic():
        made = {name: built_in(desk, name, now=now) for name in NAMES}
        begin = made["a"].created_at
        known = {name: Known(enabled=[(begin, None)], since=begin) for name in NAMES}
        for seconds, name, what in story:
            now += timedelta(seconds=seconds)
            if what != "dispatch":
                happens(made[name], known[name], what, now=now)
                continue
            due = {one: known[one].due(now) for one in NAMES}
            expected = {one: boundary for one, boundary in due.items() if boundary is not None}
            assert dispatch.dispatch(now=now) == {"started": len(expected), "failed": 0}
            for one, boundary in expected.items():
                known[one].run.add(boundary)
        for name in NAMES:
            stored = Run.objects.filter(producer=made[name], built_in=True)
            assert stored.count() == len(known[name].run)
            assert set(stored.values_list("evidence_boundary", flat=True)) == known[name].run
        transaction.set_rollback(True)
