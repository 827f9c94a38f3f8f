"""What all tests share: one clock, and a desk with its agents, producers and tokens."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
import time_machine
from hypothesis import settings

from memory.services import faults
from tests.desk import Desk, make_desk

pytest_plugins = ["tests.live", "tests.spec_report"]

# A machine under load is slow, which is no fault of what is tested.
settings.register_profile("tests", deadline=None)
settings.load_profile("tests")


@pytest.fixture(autouse=True)
def fresh_faults() -> None:
    """Forget failed writes of earlier tests: the process, which counts them, outlives a test."""
    faults._waiting.clear()  # noqa: SLF001 - nobody but a test has a reason to
    faults._not_before = 0.0  # noqa: SLF001 - as above


@pytest.fixture
def now() -> Iterator[datetime]:
    """Return the moment of a test's world; the interfaces read the same from the stopped clock."""
    moment = datetime(2026, 9, 30, 12, 1, 7, tzinfo=UTC)
    with time_machine.travel(moment, tick=False):
        yield moment


@pytest.fixture
def desk(db: None, now: datetime) -> Desk:  # noqa: ARG001 - opens the database first
    """Return a desk with one agent that has selected BTC and ETH."""
    return make_desk("ours", now=now)


@pytest.fixture
def other(db: None, now: datetime) -> Desk:  # noqa: ARG001 - as above
    """Return another user's desk, as like the first as can be."""
    return make_desk("theirs", now=now)
