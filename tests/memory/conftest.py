"""What tests of moved histories begin with: an agent with nothing, and a history from elsewhere."""

from datetime import datetime

import pytest

from memory.models import Agent
from memory.services import setup
from tests.desk import make_desk
from tests.memory.history import elsewhere, life


@pytest.fixture
def empty(db: None, now: datetime) -> Agent:  # noqa: ARG001 - opens the database first
    """Return an agent with nothing: no producer, no selection, no record."""
    owner = make_desk("owner", now=now).user
    return setup.create_agent(owner=owner, name="empty", now=now)


@pytest.fixture
def lived(db: None, now: datetime) -> bytes:  # noqa: ARG001 - as above
    """Return what a desk that is gone has exported."""
    return elsewhere(lambda desk: life(desk, now=now), now=now)
