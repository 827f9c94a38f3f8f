"""What tests of sessions share."""

from datetime import datetime

import pytest

from tests.autopilot.session.bench import store_bars
from tests.desk import Desk


@pytest.fixture
def ready(desk: Desk, now: datetime) -> Desk:
    """Return a desk whose ETH and BTC have synthetic hourly bars."""
    store_bars(now=now)
    store_bars(now=now, instrument="BTC", seed=11)
    return desk
