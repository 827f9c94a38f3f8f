"""A page of strategy memory costs the same however much there is, by any one filter (SPEC E3)."""

from collections.abc import Callable

import pytest
from django.db import connection

from config.benchmarks import memories
from config.benchmarks.histories import pages
from config.benchmarks.memories import INSTRUMENTS, NOW
from memory.models import Agent, Standing
from memory.schemas.standings import StandingQuery
from memory.selectors.strategies import Strategies, answers

pytestmark = pytest.mark.django_db(transaction=True)

SHORT, LONG = 500, 10_000
SHARED = """
UPDATE memory_standing s SET visibility = 'community' FROM (
    SELECT record_id FROM memory_standing WHERE agent_id = %s ORDER BY created_at LIMIT 60) old
WHERE s.record_id = old.record_id
"""
FILTERS: list[dict[str, str]] = [
    {},
    {"type": "rule"},
    {"type": "strategy_insight"},
    {"type": "optimization"},
    {"tag": "range"},
    {"tag": "nobody's"},
    {"symbol": INSTRUMENTS[0]},
    {"symbol": "DOGE"},
    {"strategy_type": "scalping"},
    {"visibility": "private"},
    {"visibility": "community"},
    {"tag": "range", "symbol": "DOGE"},
    {"tag": "range", "type": "rule"},
    {"tag": "range", "visibility": "private"},
    {"symbol": INSTRUMENTS[0], "strategy_type": "scalping", "visibility": "private"},
]


@pytest.fixture
def libraries(transactional_db: None) -> None:  # noqa: ARG001 - opens the database first
    """Store a short and a long library; the long one has as many again that are over."""
    with connection.cursor() as cursor:
        # Rows in bulk, without the rules that each was held to.
        cursor.execute("SET session_replication_role = replica")
        memories.load("short", SHORT, rules=10)
        memories.load("long", LONG, rules=10)
        memories.load("long", LONG, dead="expired", seed="over", seq=LONG)
        memories.finish()
        for name in ("short", "long"):
            cursor.execute(SHARED, [Agent.objects.get(name=name).id])
        cursor.execute("SET session_replication_role = origin")
        for table in ("memory_standing", "memory_tag", "memory_record"):
            cursor.execute(f"VACUUM ANALYZE {table}")


def reading(name: str, asked: dict[str, str]) -> Callable[[], int]:
    """Return the read of a first page, which says how many rows it has."""
    listed = Strategies(Agent.objects.get(name=name).id, StandingQuery.parse(asked), NOW)
    return lambda: len(answers(listed.rows(place=None, backwards=False, count=51)))


@pytest.mark.spec("E3", "E6", "M3")
@pytest.mark.usefixtures("libraries")
def test_a_page_of_twenty_times_the_memory_reads_what_it_shows() -> None:
    assert Standing.objects.count() == SHORT + 2 * LONG
    for asked in FILTERS:
        few, many = reading("short", asked), reading("long", asked)
        assert (many() > 0) == (few() > 0), asked
        # A row of the page is about ten; whatever is left out costs none of its own.
        assert pages(many) <= 10 * many() + 200, asked
