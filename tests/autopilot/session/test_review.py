"""A session whose rules wait for a person (SPEC M6, A10)."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from autopilot.learning import approval
from autopilot.models import RuleProposal, SynthesisClaim
from memory.models import Standing
from tests.autopilot.session.bench import Clock, store_bars
from tests.autopilot.session.whole import RULE, events, trends, whole
from tests.desk import Desk


@pytest.mark.spec("M6", "A10")
def test_a_session_tells_that_a_rule_waits_and_the_next_one_reads_it_once_approved(
    desk: Desk, now: datetime, settings: Any
) -> None:
    store_bars(now=now)
    settings.RULE_REVIEW = "on"
    clock = Clock(now)
    session = whole(desk, clock, trends(), max_iterations=4)
    assert session.status == "succeeded"
    (told,) = events(session, "rule_proposed")
    assert not events(session, "rule_made")
    assert told.text.startswith(f"A rule from 3 insights waits for a person: {RULE['rule']}")
    assert told.data["memory_id"] is None
    assert told.data["confidence"] == "0.6"
    proposal = RuleProposal.objects.get()
    assert (proposal.content, proposal.status) == (RULE["rule"], "pending")
    assert proposal.metadata["session"] == str(session.id)
    assert SynthesisClaim.objects.get().status == "proposed"
    assert not Standing.objects.filter(type="rule").exists()
    record = approval.approve(
        agent_id=desk.agent.id,
        proposal_id=proposal.pk,
        user_id=User.objects.create_superuser("chief").pk,
        reason="it holds",
        now=clock(),
    )
    later = whole(desk, Clock(clock() + timedelta(minutes=1)), trends(), max_iterations=1)
    (offered,) = events(later, "evaluated")
    assert offered.data["offered"] == [str(record.id)]
