"""What earlier releases let overlap does not stop an upgrade, and is named afterwards (SPEC U7)."""

import pytest
from django.core.management import call_command
from django.db import connection

from tests.upgrade.test_upgrades import LAST, of_release, verified

OVERLAP = """
INSERT INTO memory_producer_enablement (agent_id, producer_id, enabled_at, disabled_at)
SELECT agent_id, producer_id, enabled_at + interval '1 s', enabled_at + interval '2 s'
FROM memory_producer_enablement WHERE disabled_at IS NULL;
INSERT INTO memory_selection (id, agent_id, instrument_id, selected_at, deselected_at)
SELECT gen_random_uuid(), agent_id, instrument_id, selected_at + interval '1 s',
    selected_at + interval '2 s'
FROM memory_selection WHERE deselected_at IS NULL;
"""

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.spec("U7", "U3")
def test_overlapping_histories_are_migrated_and_named() -> None:
    with of_release(LAST):
        with connection.cursor() as cursor:
            cursor.execute(OVERLAP)
        call_command("migrate", verbosity=0, interactive=False)
        checks = {one["check"] for one in verified("--repair")["found"]}
    assert {"enablements", "selections"} <= checks <= {"enablements", "selections", "postings"}
